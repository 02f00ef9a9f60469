"""Whatever a player does, the letters to others are bounded by the number of played moves and a constant.

The test sends whole scripts of commands, ten a mail, within one hour, and counts each letter to somebody else. Letters
beyond the caps arrive the next day in one letter.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.hex import notation, variants
from engine.hex.position import replay, walk
from mailbot.core.caps import DEFAULTS, HOUR
from mailbot.core.commands import settings
from mailbot.core.commands.seeks import MAX_TAKEN
from mailbot.core.model import DAY, States
from mailbot.shell.console import postman
from tests.dialogues.play import Server, serving

ANN, BOB = "ann@example.org", "bob@example.org"
PASSWORDS = {"ann": "correct-horse-1", "bob": "battery-staple-2"}
WARNINGS = 2
"""Letters a day that tell a player of wrong passwords and of strange answers; no proof is needed to cause them."""

DOING = (
    "undo 1 ann PW", "propose 1 ann PW", "undo 2 ann PW", "propose 2 ann PW", "accept 1 ann PW", "reject 1 ann PW",
    "move 1 ann PW MOVE", "move 1 ann PW MOVE undo", "move 2 ann PW MOVE propose", "resign 2 ann PW", "resign 3 ann PW",
    "lambo challenge ann bob PW", "palago challenge bob ann PW", "decline 3 ann PW", "decline 4 ann PW",
    "decline 5 ann PW", "lambo seek ann PW", "seek none ann PW", "games bob", "list", "show 1",
    "lambo challenge ann bob",
)  # fmt: skip
PAIRS = (DOING[0:2], DOING[2:4], (DOING[11], DOING[13]), (DOING[0], DOING[7]))
"""Lines that can be done again and again in turn."""

ALONE = (
    "chat 1 ann PW", "message ann PW bob", "broadcast ann PW", "undo 1 ann PW", "propose 2 ann PW", "forgot bob",
    "resign 1 bob wrong-password-1", "change password ann PW PW", "delete ann PW", "signoff ann PW",
)  # fmt: skip
"""Lines that end a mail: words belong to them, or they have the whole mail refused."""


def played(test: Callable[[Server], Awaitable[None]], folder: Path) -> None:
    """Runs the test where ann and bob have begun boards 1 and 2, and bob takes every challenge at once."""

    async def begun(server: Server) -> None:
        for name, password in PASSWORDS.items():
            await server.accept(server.mail(f"{name}@example.org", f"signup {name} {password}", ""))
            server.new_letters()
            await server.accept(server.reply(f"{name}@example.org", server.letters[f"{name}@example.org"][-1], "yes"))
        await server.accept(server.mail(BOB, f"broadcast bob {PASSWORDS['bob']} yes", ""))
        for _ in range(2):
            await server.accept(server.mail(ANN, f"lambo challenge ann bob {PASSWORDS['ann']}", ""))
            server.new_letters()
            await server.accept(server.reply(BOB, server.letters[BOB][-1], "accept"))
        server.new_letters()
        server.time += HOUR  # what this has caused is not counted any more

    serving(folder, begun, test)


def to_bob(server: Server) -> list[tuple[str, str]]:
    """The letters to bob since the last look: kind and text."""
    return [(kind, postman.text(letter)) for _, kind, letter in server.new_letters() if letter["To"] == BOB]


def legal(server: Server, board: int) -> str:
    """The first legal move on the board."""
    (rules,) = server.db.execute("SELECT rules FROM game WHERE id = ?", (board,)).fetchone()
    moves = server.db.execute("SELECT text FROM move WHERE game = ? ORDER BY ply", (board,)).fetchall()
    position = replay(variants.parse(rules), [text for (text,) in moves])
    return notation.write_move(next(walk(position).moves(), notation.parse_move("a1")))


@pytest.mark.parametrize("seed", range(12))
def test_letters_to_another_are_bounded_by_moves(seed: int, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        rng = random.Random(seed)
        favourites = [*rng.choice(PAIRS), *rng.sample(DOING, rng.randint(0, 4))]
        for board in (1, 2):
            await server.accept(server.mail(ANN, f"move {board} ann {PASSWORDS['ann']} {legal(server, board)}", ""))
        to_bob(server)
        got = 0
        for _ in range(45):
            lines = [rng.choice(favourites) for _ in range(10)] if rng.random() < 0.7 else [rng.choice(ALONE)]
            body = "\n".join(lines).replace("PW", PASSWORDS["ann"]).replace("MOVE", legal(server, rng.choice((1, 2))))
            await server.accept(server.mail(ANN, "multiple" if len(lines) > 1 else body, f"{body}\nSome words."))
            got += sum(kind != "digest" for kind, _ in to_bob(server))
            if rng.random() < 0.3:
                board = rng.choice((1, 2))
                line = f"move {board} bob {PASSWORDS['bob']} {legal(server, board)}"
                await server.accept(server.mail(BOB, line, ""))
                to_bob(server)  # his own answer
            server.time += 60
        moves = server.db.execute("SELECT count(*) FROM move WHERE player = 1").fetchone()[0]
        moves += server.db.execute("SELECT count(*) FROM game WHERE state IN ('running', 'over')").fetchone()[0]
        notices = DEFAULTS.forgot_letters_per_hour + WARNINGS
        assert got <= moves + DEFAULTS.pair_letters_per_hour + notices

    played(test, tmp_path)


TOGGLES = (
    ["set ann PW digest 7", "set ann PW digest off"] * 5,
    ["set ann PW quiet on", "set ann PW quiet off"] * 5,
    ["signoff ann PW", "set ann PW hints on"] * 5,
    ["set ann PW digest 7", "set ann PW digest off", "signoff ann PW", "set ann PW quiet on", "set ann PW quiet off"]
    * 2,
)


@pytest.mark.parametrize("lines", TOGGLES)
def test_nobody_floods_the_own_mailbox_by_settings(lines: list[str], tmp_path: Path) -> None:
    """The rows of letters stay for a month, however many are taken."""

    async def test(server: Server) -> None:
        body = "\n".join(lines).replace("PW", PASSWORDS["ann"])
        server.new_letters()
        for _ in range(2):
            kinds = []
            for _ in range(20):
                await server.accept(server.mail(ANN, "multiple", body))
                kinds += [kind for _, kind, letter in server.new_letters() if letter["To"] == ANN]
            assert 1 <= sum(kind not in ("answer", "refusal", "look") for kind in kinds) <= settings.TIMES, kinds
            server.time += DAY

    played(test, tmp_path)


def test_who_gives_up_the_digest_too_often_is_told_how_to_get_the_boards(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        for _ in range(settings.TIMES + 1):
            for said in ("digest 7", "digest off"):
                server.new_letters()
                await server.accept(server.mail(ANN, f"set ann {PASSWORDS['ann']} {said}", ""))
        (letter,) = [letter for _, _, letter in server.new_letters() if letter["To"] == ANN]
        assert "To get your boards again: showas ann PASSWORD" in " ".join(postman.text(letter).split())

    played(test, tmp_path)


MUCH = replace(DEFAULTS, pair_letters_per_hour=10)
"""The count for each pair of players is reached before any other."""


async def talk(server: Server, times: int, words: str = "words") -> None:
    for i in range(times):
        await server.accept(server.mail(ANN, f"chat 1 ann {PASSWORDS['ann']}", f"{words} {i}"))


def test_what_is_too_much_comes_the_next_day_in_one_letter(tmp_path: Path) -> None:
    """Words without end. The last of them are still heard."""

    async def test(server: Server) -> None:
        pw = PASSWORDS["ann"]
        server.store.caps = MUCH
        await server.accept(server.mail(ANN, f"move 1 ann {pw} b1", ""))
        to_bob(server)
        await talk(server, 19)
        letters = to_bob(server)
        assert len(letters) == 10
        assert "ann has caused 10 letters to you within an hour." in " ".join(letters[-1][1].split())
        assert not any("has caused" in text for _, text in letters[:-1])
        await server.accept(server.mail(ANN, f"chat 1 ann {pw}", "I give up."))
        assert to_bob(server) == [], "no letter, but"
        await server.accept(server.mail(ANN, f"resign 1 ann {pw}", ""))
        assert len(to_bob(server)) == 1, "the end of a game always arrives"
        await server.clock(86_400 - 1)
        assert to_bob(server) == []
        await server.clock(1)
        ((kind, digest),) = to_bob(server)
        assert kind == "digest"
        assert "ann: 10 letters about board 1" in digest
        assert "  | words 18" in digest
        assert "  | I give up." in digest
        await server.clock(3 * 86_400)
        assert to_bob(server) == [], "it comes once"
        await server.accept(server.mail(ANN, f"chat 1 ann {pw}", "Thanks for the game."))
        assert len(to_bob(server)) == 1

    played(test, tmp_path)


def test_the_letter_that_begins_a_clock_always_arrives(tmp_path: Path) -> None:
    """Else whoever accepts could use up the letters first, and win on time."""

    async def test(server: Server) -> None:
        server.store.caps = MUCH
        pw = PASSWORDS["ann"]
        offer = f"lambo challenge -clock=12h bob ann {PASSWORDS['bob']}"
        await server.accept(server.mail(BOB, offer, ""))
        await talk(server, 20)
        to_bob(server)
        (board,) = server.db.execute("SELECT max(id) FROM game").fetchone()
        await server.accept(server.mail(ANN, f"accept {board} ann {pw}", ""))
        ((kind, text),) = to_bob(server)
        assert kind == "game" and "You have 12 hours" in text

    played(test, tmp_path)


def test_a_move_always_arrives(tmp_path: Path) -> None:
    """However much ann has sent before."""

    async def test(server: Server) -> None:
        pw = PASSWORDS["ann"]
        body = "\n".join([f"undo 2 ann {pw}", f"propose 2 ann {pw}"] * 5)
        await server.accept(server.mail(ANN, f"move 2 ann {pw} b1", ""))
        for _ in range(10):
            await server.accept(server.mail(ANN, "multiple", body))
        to_bob(server)
        await server.accept(server.mail(ANN, f"move 1 ann {pw} b1", ""))
        ((kind, text),) = to_bob(server)
        assert kind == "game"
        assert "It is YOUR TURN" in text

    played(test, tmp_path)


def test_who_is_blocked_is_not_heard_in_the_digest(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        pw = PASSWORDS["ann"]
        await server.accept(server.mail(ANN, f"move 1 ann {pw} b1", ""))
        server.store.caps = MUCH
        await talk(server, 19)
        await talk(server, 1, "canary words")
        to_bob(server)
        await server.accept(server.mail(BOB, f"block bob {PASSWORDS['bob']} ann", ""))
        to_bob(server)
        await server.clock(86_400)
        ((_, digest),) = to_bob(server)
        assert "about board 1" in digest
        assert "canary" not in digest

    played(test, tmp_path)


def test_words_that_wait_are_bounded(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        pw = PASSWORDS["ann"]
        await server.accept(server.mail(ANN, f"move 1 ann {pw} b1", ""))
        server.store.caps = MUCH
        await talk(server, 20, "long words " * 60)
        kept = server.db.execute("SELECT count, length(words), words FROM deferred").fetchone()
        assert kept[0] == 10
        assert kept[1] < 4_100
        assert kept[2].endswith("[There was more.]")

    played(test, tmp_path)


def test_no_news_of_a_game_is_lost_while_a_mailbox_takes_nothing(tmp_path: Path) -> None:
    """Letters to bob wait and wait. News of boards gives way to the digest; a letter with a password does not."""

    async def test(server: Server) -> None:
        pw = PASSWORDS["ann"]
        server.store.caps = replace(DEFAULTS, waiting_bytes=1)
        await server.accept(server.mail(ANN, f"move 1 ann {pw} b1", "Your turn."))
        await server.accept(server.mail(ANN, f"resign 2 ann {pw}", ""))
        await server.accept(server.mail(BOB, "games", ""))
        assert to_bob(server) == []
        assert server.newly_withheld() == {"look": 1}
        await server.accept(server.mail(BOB, "forgot bob", ""))
        assert [kind for kind, _ in to_bob(server)] == ["notice"]
        await server.clock(86_400)
        ((kind, digest),) = to_bob(server)
        assert kind == "digest"
        assert "Lambo, board 1: ann (Light) against bob (Dark)" in digest
        assert "Lambo 2 against ann: won" in digest
        assert "  | Your turn." in digest

    played(test, tmp_path)


def test_looks_that_wait_leave_room_for_news_of_games(tmp_path: Path) -> None:
    """Anybody can cause them with a forged From, and knows when there are enough of them."""

    async def test(server: Server) -> None:
        server.store.caps = replace(DEFAULTS, waiting_bytes=4_000)
        for number in range(15):
            await server.accept(server.mail(BOB, "show 1", f"{number}"))
        looks = to_bob(server)
        held = server.newly_withheld()["look"]
        assert looks and held and len(looks) + held == 15
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", "Your turn."))
        ((kind, _),) = to_bob(server)
        assert kind == "game"

    played(test, tmp_path)


def test_who_ends_the_digest_gets_what_waits_at_once(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        pw = PASSWORDS["ann"]
        await server.accept(server.mail(BOB, f"set bob {PASSWORDS['bob']} digest 7", ""))
        await server.accept(server.mail(ANN, f"move 1 ann {pw} b1", ""))
        server.store.caps = MUCH
        await talk(server, 20)
        to_bob(server)
        await server.accept(server.mail(BOB, f"set bob {PASSWORDS['bob']} digest off", ""))
        assert "words 19" in dict(to_bob(server))["digest"]
        await server.clock(86_400)
        assert to_bob(server) == [], "it comes once"

    played(test, tmp_path)


def test_letters_to_another_have_a_limit_for_a_day_too(tmp_path: Path) -> None:
    """Three an hour and five a day: in the second hour the day's limit is reached, and the letter says so."""

    async def test(server: Server) -> None:
        server.store.caps = replace(DEFAULTS, pair_letters_per_hour=3, pair_letters_per_day=5)
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))
        await server.clock(86_400)
        to_bob(server)
        got = []
        for hour in range(4):
            await talk(server, 4, f"hour {hour}:")
            got.append([" ".join(text.split()) for _, text in to_bob(server)])
            await server.clock(HOUR)
        assert [len(letters) for letters in got] == [3, 2, 0, 0]
        assert "ann has caused 3 letters to you within an hour." in got[0][-1]
        assert "ann has caused 5 letters to you within a day. The next one comes after" in got[1][-1]
        await server.accept(server.mail(ANN, f"resign 1 ann {PASSWORDS['ann']}", ""))
        assert len(to_bob(server)) == 1, "the end of a game always arrives"
        await server.clock(86_400 - 4 * HOUR)
        ((kind, digest),) = to_bob(server)
        assert kind == "digest" and "ann: 11 letters about board 1" in digest and "  | hour 3: 3" in digest
        await server.accept(server.mail(ANN, f"chat 2 ann {PASSWORDS['ann']}", "A new day."))
        assert len(to_bob(server)) == 1

    played(test, tmp_path)


MANY = ("multiple", "grant 3 ann PW 1h\n" * 5)
SAID = ("grant 3 ann PW 1h", "Take your time.")
GRANTS = (MANY, SAID, SAID, MANY)
LATER = "One letter a day tells of time that is given on a board. The next letter about it says how much bob has."


@pytest.mark.parametrize(("blocked", "letters"), [(False, 1 + 2), (True, 0)])
def test_time_that_is_given_again_sends_no_letter(blocked: bool, letters: int, tmp_path: Path) -> None:
    """Words are told, and the time counts in any case. What ann reads is the same whether bob has blocked her."""

    async def test(server: Server) -> None:
        pw = PASSWORDS["ann"]
        await server.accept(server.mail(ANN, f"lambo challenge -clock=3d+1h/100d ann bob {pw}", ""))
        server.new_letters()
        await server.accept(server.reply(BOB, server.letters[BOB][-1], "accept"))
        if blocked:
            await server.accept(server.mail(BOB, f"block bob {PASSWORDS['bob']} ann", ""))
        server.new_letters()

        async def give() -> tuple[int, int]:
            before = server.db.execute("SELECT left2 FROM game WHERE id = 3").fetchone()[0]
            for subject, text in GRANTS:
                await server.accept(server.mail(ANN, subject.replace("PW", pw), text.replace("PW", pw)))
            given = server.db.execute("SELECT left2 FROM game WHERE id = 3").fetchone()[0] - before
            assert given == sum(f"{subject}{text}".count("1h") for subject, text in GRANTS) * HOUR
            new = server.new_letters()
            to_ann = " ".join(" ".join(postman.text(one) for _, _, one in new if one["To"] == ANN).split())
            return sum(one["To"] == BOB for _, _, one in new), to_ann.count(LATER)

        assert await give() == (letters, 4 + 5)
        await server.clock(86_400)
        server.new_letters()
        assert await give() == (letters, 4 + 5), "the next day"
        await server.accept(server.mail(ANN, f"move 3 ann {pw} b1", ""))
        ((_, text),) = to_bob(server)
        assert "You have 3 days" in text or "You have 4 days" in text

    played(test, tmp_path)


def test_offers_that_stay_do_not_let_many_accounts_fill_a_mailbox(tmp_path: Path) -> None:
    takers = {f"taker{number}": f"battery-taker-{number}" for number in range(1, 8)}

    async def steps(server: Server) -> None:
        for name, password in takers.items():
            await server.accept(server.mail(f"{name}@example.org", f"signup {name} {password}", ""))
            server.new_letters()
            await server.accept(server.reply(f"{name}@example.org", server.letters[f"{name}@example.org"][-1], "yes"))
            server.time += HOUR
        for size in range(20, 25):
            await server.accept(server.mail(BOB, f"lambo seek -size={size} -keep=10 bob {PASSWORDS['bob']}", ""))
        server.new_letters()
        before = len(server.letters[BOB])
        for number in range(1, 6):
            for name, password in takers.items():
                await server.accept(server.mail(f"{name}@example.org", f"take {number} {name} {password}", "Words."))
                for game in server.reception._reads.games_of(2, (States.RUNNING,), since=server.time):
                    if game.seek:
                        line = f"resign {game.id} {name} {password}"
                        await server.accept(server.mail(f"{name}@example.org", line, "More words."))
        server.new_letters()
        assert MAX_TAKEN <= len(server.letters[BOB]) - before <= 2 * MAX_TAKEN

    played(steps, tmp_path)
