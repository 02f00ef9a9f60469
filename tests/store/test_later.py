"""Games played partly from the queue: whatever the players queue, a turn is played once and both hear of it once."""

import json
from random import Random

from engine.hex import variants
from engine.hex.notation import write_move
from engine.hex.position import apply, legal_moves, start
from mailbot.core.model import Game
from mailbot.core.world import Asked, Request
from mailbot.store import rows
from mailbot.store.store import Store

NOW = 1_770_000_000
RULES = "lambo -size=16"


def a_game(chance: Random) -> list[str]:
    """Random legal moves from the start to the end."""
    position, moves = start(variants.parse(RULES)), []
    while position.outcome is None:
        move = chance.choice(list(legal_moves(position)))
        position = apply(position, move)
        moves.append(write_move(position.turns[-1].move))
    return moves


def told(store: Store, player: int, board: int) -> list[str]:
    """The moves that the letters of this board have told the player, in order."""
    sql = "SELECT facts FROM outbox WHERE player = ? AND template = 'board' ORDER BY id"
    letters = [json.loads(facts) for (facts,) in store.db.execute(sql, (player,)).fetchall()]
    events = [event for facts in letters if facts["board"] == board for event in (facts, *facts["then"])]
    return [event["played"] for event in events if event["event"] == "move"]


def test_every_turn_is_played_and_told_once(store: Store) -> None:
    """The oracle: each player has a set of plies that the queue will play; it ends at the first wrong step."""
    chance = Random(7)
    chained = wrong_ones = 0
    for board in range(1, 41):
        game = a_game(chance)
        rows.put(store.db, Game(board, RULES, 1, 2, "running", 3, 0, 1, None, "", NOW, NOW))
        covered: dict[int, set[int]] = {1: set(), 2: set()}
        count = 0

        def send(player: int, name: str, board: int = board, **args: object) -> None:
            asked = Asked(name, "", {"board": str(board), **args}, player, "password")
            store.enter(Request(NOW, (asked,), player, "x@example.org"))

        while count < len(game):
            mover = 1 + count % 2
            for player in (1, 2):
                first = count + (3 if player == mover else 2)  # the ply of the first queued answer
                steps = list(range(first, min(first + 2 * chance.randint(1, 4), len(game) + 1), 2))
                if chance.random() < 0.5 or not steps:
                    continue
                wrong = chance.choice([None, *steps])
                # a start tile lies on cell 0, so a move there is neither made by anybody nor legal
                bad = chance.choice(["expected", "answer"])
                words = []
                for ply in steps:
                    expected = "a0" if (ply, bad) == (wrong, "expected") else game[ply - 2]
                    answer = "a0" if (ply, bad) == (wrong, "answer") else game[ply - 1]
                    words += ["if", expected, "then", answer]
                send(player, "queue", plan=words[0], more=tuple(words[1:]))
                covered[player] = {ply for ply in steps if wrong is None or ply < wrong}
                wrong_ones += wrong is not None
            send(mover, "move", move=game[count])
            count += 1
            while count < len(game) and count + 1 in covered[1 + count % 2]:
                count += 1
                chained += 1
            covered[1 + count % 2] = set()  # nothing of it was played now, so nothing is left of it
            kept = store.db.execute("SELECT text FROM move WHERE game = ? ORDER BY ply", (board,)).fetchall()
            assert [text for (text,) in kept] == game[:count]
            waiting = store.db.execute("SELECT count(*) FROM plan WHERE game = ? AND ply <= ?", (board, count))
            assert waiting.fetchone()[0] == 0
        assert store.db.execute("SELECT state FROM game WHERE id = ?", (board,)).fetchone()[0] == "over"
        assert store.db.execute("SELECT count(*) FROM plan WHERE game = ?", (board,)).fetchone()[0] == 0
        assert told(store, 1, board) == told(store, 2, board) == game
    assert chained > 50 and wrong_ones > 20
