"""Players who do anything in any order, several things in a mail, while clocks run out: what must hold all the same."""

import os
from itertools import islice, pairwise
from pathlib import Path

import pytest

from engine.families import CATALOGUE
from engine.hex.notation import write_move
from engine.hex.position import legal_moves, replay
from engine.hex.variants import parse
from mailbot.core.commands import ROWS
from mailbot.core.language import me
from mailbot.core.language.script import read
from mailbot.core.model import DAY, Game, Ranking, Rated, States
from mailbot.core.world import Asked, Proofs, Request
from mailbot.store import ratings
from mailbot.store.rows import some
from tests.hosting.scripted import Club

PEOPLE = 7
CLOCK = "-clock=2d"
PASSWORD = "correct-horse-1"
CONTESTS = [
    ("Round", "-format=roundrobin,double", "-game=lambo", CLOCK),
    ("Swiss", "-format=swiss,rounds=3,match=2", "-game=lambo", CLOCK),
    ("Cup", "-format=knockout", "-game=lambo", CLOCK),
    ("Ladder", "-format=ladder", "-game=lambo", CLOCK, "-min=3"),
]


def mails(club: Club, who: int, lines: list[str]) -> None:
    """A mail of this player with these commands."""
    player = club.reads.player(who)
    assert player
    asked = []
    for line in lines:
        for one in read(line, "", "", ROWS, CATALOGUE.words(), club.reads.names([player])).commands:
            args = one.args if one.args.keys().isdisjoint(me.NAMED) else me.named(one.args, player)
            asked.append(Asked(one.name, one.game, args, who, Proofs.PASSWORD, line=one.line, trouble=one.trouble))
    sender = f"p{who}@example.org"
    club.enter(Request(club.now, tuple(asked), who, sender, dedupe=os.urandom(32).hex(), message_id="<a@b>"))


def line(club: Club, who: int, games: list[Game]) -> str:
    """Something that this player may want to do."""
    chance = club.chance
    board = chance.choice(games).id if games and chance.random() < 0.9 else chance.randrange(1, 40)
    contest = chance.randrange(1, len(CONTESTS) + 1)
    game = club.reads.game(board)
    move = "a1"
    if game and game.state == States.RUNNING:
        moves = islice(legal_moves(replay(parse(game.rules), club.reads.texts(game.id))), 40)
        move = write_move(chance.choice(list(moves)))
    other = chance.randrange(1, PEOPLE + 1)
    each: dict[str, float] = {
        f"move {board} {move}": 12,
        f"show {board}": 4,
        f"resign {board}": 1,
        f"propose {board}": 1,
        f"accept {board}": 2,
        f"undo {board}": 1,
        f"grant {board} 1d": 0.3,
        f"withdraw {contest}": 0.2,
        f"return {contest}": 0.5,
        f"lambo challenge me player{other} {CLOCK}": 0.7,
        f"challenge {len(CONTESTS)} player{other}": 0.7,
        "games": 0.5,
        f"vacation me {PASSWORD} 3": 0.2,
        f"vacation me {PASSWORD} off": 0.2,
        f"signoff me {PASSWORD}": 0.2,
        f"set me {PASSWORD} autovacation {chance.choice(['on', 'off'])}": 0.4,
        f"rematch {board}": 0.2,
    }
    return chance.choices([*each], [*each.values()])[0]


def holds(club: Club) -> None:
    """What is true at any time."""
    db = club.store.db
    assert not db.execute("SELECT player FROM vacation GROUP BY player, begin HAVING count(*) > 1").fetchall()
    kept = {kind: some(db, kind, "1 ORDER BY 1, 2") for kind in (Ranking, Rated)}
    club.store.begin()
    again = ratings.refold(db)
    club.store.commit()
    assert not again.wrong, again.named
    assert kept == {kind: some(db, kind, "1 ORDER BY 1, 2") for kind in (Ranking, Rated)}
    ends = db.execute(
        "SELECT thread, player, facts ->> 'changed' FROM outbox WHERE kind = 'game' AND template = 'board'"
        " AND facts ->> 'state' = 'over' AND facts ->> 'event' NOT IN ('', 'over') GROUP BY 1, 2, 3 HAVING count(*) > 1"
    ).fetchall()
    assert ends == []
    for number in range(1, len(CONTESTS) + 1):
        state = club.standing(number)
        for fixture, game in state.playing():
            assert {state.by_seat[fixture.first].player, state.by_seat[fixture.second].player} == {
                game.player1,
                game.player2,
            }
            assert all(state.by_seat[seat].stopped is None for seat in (fixture.first, fixture.second))
        for entry in state.entries:
            said = [one.what for one in club.reads.log(number, 0, 9999) if one.player == entry.player]
            said = [one for one in said if one in ("late", "withdrew", "returned", "joined")]
            assert all((one in ("late", "withdrew")) != (two in ("late", "withdrew")) for one, two in pairwise(said))


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(3, 40))])
def test_anything_in_any_order(tmp_path: Path, seed: int) -> None:
    club = Club(tmp_path / "db", seed, PEOPLE)
    for title, *options in CONTESTS:
        number = club.create(title, *options, *([] if "ladder" in options[0] else [f"-max={PEOPLE}"]))
        club.join(number, *range(1, PEOPLE + 1))
    for step in range(400):
        then = club.now + club.chance.choice([60, 3600, DAY // 4, DAY // 2])
        if club.chance.random() < 0.5:
            club.to(then)
        club.now = max(club.now, then)  # else mails come before the ticker
        who = club.chance.randrange(1, PEOPLE + 1)
        games = club.reads.games_of(who, (States.RUNNING, States.OFFERED))
        mails(club, who, [line(club, who, games) for _ in range(club.chance.randrange(1, 6))])
        if not step % 40:
            holds(club)
    holds(club)
    assert club.store.db.execute("SELECT count(*) FROM game WHERE state = 'over'").fetchone()[0] > PEOPLE
    club.store.close()
