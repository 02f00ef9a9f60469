"""The operator's commands: each is done, refused where it does not fit, reported to the players, and works without a
daemon."""

import json
import logging
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

import pytest
from click.testing import CliRunner

from mailbot.core.effects import Letter, Post
from mailbot.core.model import Address, Contact
from mailbot.shell import control
from mailbot.shell.console import postman
from mailbot.shell.console.cli import main
from mailbot.shell.control import Control
from mailbot.store import admin, outbox, rows
from mailbot.store.store import Store
from tests.dialogues.play import Server
from tests.shell.test_control import ask, cli
from tests.shell.test_reception import ANN, BOB, PASSWORDS, played

WHY = {"why": "It had to be."}
MOVE = ("answer", ANN, "b1")
RESIGN = ("mail", BOB, f"resign 1 bob {PASSWORDS['bob']}")
OFFER = ("mail", BOB, f"palago challenge bob ann {PASSWORDS['bob']}")
SEEK = ("mail", BOB, f"lambo seek bob {PASSWORDS['bob']}")
Play = Sequence[tuple[str, str, str]]


async def play(server: Server, mails: Play) -> None:
    for how, who, words in mails:
        server.new_letters()
        envelope = server.reply(who, answerable(server, who), words) if how == "answer" else server.mail(who, words, "")
        assert (await server.accept(envelope)).startswith("250 "), words
    server.new_letters()


def answerable(server: Server, who: str) -> Message:
    """The newest letter with a Reply-To."""
    return [letter for letter in server.letters[who] if letter["Reply-To"]][-1]


async def do(server: Server, name: str, **words: str) -> str:
    """The sentence for the operator, or that of the refusal behind its kind."""
    try:
        return (await server.writer.do(lambda store: admin.do(store, name, words, server.time))).said
    except admin.REFUSALS as refused:
        return f"{type(refused).__name__}: {refused}"


def said(server: Server) -> dict[str, str]:
    """The new letters by reader, flowing text."""
    letters: dict[str, str] = {}
    for state, _, letter in server.new_letters():
        assert state == "waiting"
        letters[str(letter["To"])] = letters.get(str(letter["To"]), "") + " ".join(postman.text(letter).split()) + "\n"
    return letters


DONE: list[tuple[Play, str, dict[str, str], str, str, str]] = [
    (
        [MOVE],
        "end",
        {"board": "1", "winner": "2"},
        "Board 1 is over: bob has won.",
        "bob",
        "The game is over, and you have won",
    ),
    (
        [MOVE],
        "end",
        {"board": "#1", "winner": "ANN"},
        "Board 1 is over: ann has won.",
        "bob",
        "ann has won: the operator decided",
    ),
    (
        [],
        "end",
        {"board": "1", "winner": "draw"},
        "Board 1 is over: a draw.",
        "ann",
        "a draw: the operator decided so.",
    ),
    ([MOVE], "annul", {"board": "1"}, "Board 1 is annulled.", "ann", "annulled this game: it counts for nobody."),
    ([RESIGN], "annul", {"board": "1"}, "Board 1 is annulled.", "bob", "counts for nobody: the operator annulled it."),
    (
        [MOVE],
        "back",
        {"board": "1"},
        "Board 1 stands at ply 0 again; ann is to move.",
        "ann",
        "taken back the last move of",
    ),
    (
        [MOVE],
        "back",
        {"board": "1"},
        "Board 1 stands at ply 0 again; ann is to move.",
        "bob",
        "It is ann's turn: ply 1.",
    ),
    (
        [MOVE, RESIGN],
        "back",
        {"board": "1", "plies": "0"},
        "Board 1 stands at ply 1 again; bob is to move.",
        "bob",
        "opened this game again",
    ),
    (
        [MOVE, ("answer", BOB, "a2,a3"), RESIGN],
        "back",
        {"board": "1", "plies": "2"},
        "Board 1 stands at ply 0 again; ann is to move.",
        "ann",
        "taken back the last 2 moves",
    ),
    (
        [],
        "lock",
        {"userid": "Bob"},
        "bob is locked. Still running, with an opponent who waits: board 1 (see: end, annul).",
        "bob",
        "has locked your account",
    ),
    (
        [],
        "rename",
        {"old": "bob", "new": "Robert"},
        "bob is called Robert now.",
        "bob",
        "you are Robert now, and no longer bob",
    ),
    ([], "rename", {"old": "bob", "new": "BOB"}, "bob is called BOB now.", "bob", "you are BOB now"),
]


@pytest.mark.parametrize(("before", "name", "words", "operator", "reader", "told"), DONE)
def test_done_and_told(
    before: Play, name: str, words: dict[str, str], operator: str, reader: str, told: str, tmp_path: Path
) -> None:
    async def test(server: Server) -> None:
        await play(server, before)
        assert await do(server, name, **words, **WHY) == operator
        letter = said(server)[f"{reader}@example.org"]
        assert told in letter
        assert "The reason, in the operator's words: | It had to be." in letter
        assert "write to postmaster@games.example.net." in letter

    played(test, tmp_path)


REFUSED: list[tuple[Play, str, dict[str, str], str]] = [
    ([], "end", {"board": "2", "winner": "1"}, "Unreadable: There is no board 2."),
    ([], "end", {"board": "one", "winner": "1"}, "Unreadable: For 'board' I need a whole number."),
    ([], "end", {"board": "9" * 30, "winner": "1"}, "Unreadable: For 'board' I need a whole number."),
    ([], "end", {"board": "1", "winner": "eve"}, "Unreadable: The winner of board 1 is 1 (ann), 2 (bob) or draw."),
    ([], "end", {"board": "1"}, "Unreadable: For 'end' I need: board winner; 'winner' is missing."),
    ([RESIGN], "end", {"board": "1", "winner": "2"}, "Forbidden: Board 1 is over: bob resigned."),
    ([OFFER], "end", {"board": "2", "winner": "2"}, "Forbidden: Board 2 has not started: ann has still to accept it."),
    ([], "annul", {"board": "2"}, "Unreadable: There is no board 2."),
    ([OFFER], "annul", {"board": "2"}, "Forbidden: Board 2 has not started: ann has still to accept it."),
    ([OFFER], "back", {"board": "2"}, "Forbidden: Board 2 has not started: ann has still to accept it."),
    ([], "back", {"board": "1"}, "Forbidden: Board 1 has only 0 plies."),
    ([MOVE], "back", {"board": "1", "plies": "-1"}, "Unreadable: For 'plies' I need a whole number."),
    (
        [MOVE],
        "back",
        {"board": "1", "plies": "0"},
        "Forbidden: Board 1 is running; say how many plies are to be taken back.",
    ),
    ([], "lock", {"userid": "eve"}, "Unreadable: There is no player 'eve'."),
    ([], "unlock", {"userid": "eve"}, "Unreadable: There is no player 'eve'."),
    ([], "unlock", {"userid": "bob"}, "Forbidden: bob is not locked."),
    ([], "rename", {"old": "eve", "new": "eva"}, "Unreadable: There is no player 'eve'."),
    ([], "rename", {"old": "bob", "new": "ANN"}, "Forbidden: The name 'ANN' is taken."),
    ([], "rename", {"old": "bob", "new": "bob"}, "Forbidden: The name 'bob' is taken."),
    (
        [],
        "rename",
        {"old": "bob", "new": "1 b"},
        "Unreadable: The new name needs 2 to 20 letters, digits, '_', '-' or '.', beginning with a letter.",
    ),
    ([], "forgive", {"address": "eve at home"}, "Unreadable: That is not one mail address."),
    (
        [],
        "forgive",
        {"address": "stranger@example.org"},
        "Forbidden: That address has not been asked for its consent lately.",
    ),
    ([], "resend", {"letter": "999"}, "Unreadable: There is no letter 999; sent ones are kept for 30 days."),
    ([], "resend", {"letter": "x"}, "Unreadable: Name the letter by its number, as the log and `queue` do."),
    ([], "resend", {"letter": "1"}, "Forbidden: Letter 1 is waiting already; it goes out by itself."),
    ([MOVE], "annul", {"board": "1", "why": " \n"}, "Unreadable: Give a reason for 'annul': the players are told."),
    (
        [MOVE],
        "annul",
        {"board": "1", "why": "x" * 1001},
        "Unreadable: The reason is too long: 1000 characters at most.",
    ),
]


@pytest.mark.parametrize(("before", "name", "words", "sentence"), REFUSED)
def test_refused_and_nothing_changed(
    before: Play, name: str, words: dict[str, str], sentence: str, tmp_path: Path
) -> None:
    async def test(server: Server) -> None:
        await play(server, before)
        tables = ("game", "move", "player", "outbox", "contact", "preference")
        state = [server.db.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
        assert await do(server, name, **{**WHY, **words}) == sentence
        assert [server.db.execute(f"SELECT * FROM {table}").fetchall() for table in tables] == state

    played(test, tmp_path)


def test_annulled_games_are_in_no_standings_and_can_be_given_a_result(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await play(server, [RESIGN])
        assert await do(server, "annul", board="1", **WHY) == "Board 1 is annulled."
        assert server.reception._reads.standings("") == []
        assert await do(server, "annul", board="1", **WHY) == "Forbidden: Board 1 counts for nobody already."
        await server.accept(server.mail(ANN, "show 1", ""))
        assert "counts for nobody: the operator annulled it." in said(server)[ANN]
        assert await do(server, "end", board="1", winner="1", **WHY) == "Board 1 is over: ann has won."
        assert "given this game a result, so it counts again" in said(server)[BOB]
        assert [row.won for row in server.reception._reads.standings("")] == [1, 0]

    played(test, tmp_path)


def test_a_game_that_its_rules_have_ended_needs_a_move_taken_back(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await play(
            server, [("mail", ANN, f"lambo challenge -size=12 ann bob {PASSWORDS['ann']}"), ("answer", BOB, "accept")]
        )
        for number, move in enumerate(["a1", "a2,a3", "a4,a5", "a6,a16", "a7,a8", "a9,a10"]):
            await play(server, [("answer", (ANN, BOB)[number % 2], move)])
        refusal = "Forbidden: In that position board 2 is over by the rules; take more plies back."
        assert await do(server, "back", board="2", plies="0", **WHY) == refusal
        assert await do(server, "back", board="2", **WHY) == "Board 2 stands at ply 5 again; bob is to move."

    played(test, tmp_path)


def test_moves_taken_back_can_be_played_anew_by_the_letter_about_it(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await play(server, [MOVE])
        await do(server, "back", board="1", **WHY)
        await play(server, [("answer", ANN, "c3")])
        assert [move.text for move in server.reception._reads.moves(1)] == ["c3"]

    played(test, tmp_path)


def test_a_locked_player_is_not_heard_until_unlocked(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await play(server, [MOVE, SEEK])
        assert await do(server, "lock", userid="bob", **WHY)
        assert await do(server, "lock", userid="bob", **WHY) == "Forbidden: bob is locked already."
        server.new_letters()
        older = answerable(server, BOB)
        assert server.reception._reads.seeks() == []
        assert (await server.accept(server.reply(BOB, older, "a2,a3"))).startswith("550 ")
        assert (await server.accept(server.mail(BOB, f"move 1 bob {PASSWORDS['bob']} a2", ""))).startswith("550 ")
        assert await do(server, "unlock", userid="bob", **WHY) == "bob is unlocked."
        assert (await server.accept(server.reply(BOB, older, "a2,a3"))).startswith("550 "), "the old letters are dead"
        letters = said(server)[BOB]
        assert "unlocked your account" in letters
        assert "This board waits for you" in letters
        await play(server, [("answer", BOB, "a2,a3")])
        assert len(server.reception._reads.moves(1)) == 2

    played(test, tmp_path)


def test_a_new_userid_does_not_shake_off_a_block(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await play(server, [("mail", ANN, f"block ann {PASSWORDS['ann']} bob")])
        assert await do(server, "rename", old="bob", new="Robert", **WHY) == "bob is called Robert now."
        letters = said(server)
        assert "bob has another name now: Robert." in letters[ANN]
        assert WHY["why"] not in letters[ANN], "the reason is not for the opponent"
        assert server.reception._reads.blocked(1) == ["Robert"]
        assert server.reception._reads.blocks(1, 2)
        await play(server, [("mail", BOB, f"resign 1 Robert {PASSWORDS['bob']}")])

    played(test, tmp_path)


def test_what_is_queued_goes_with_the_game_and_its_player_hears_of_it(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        queue = server.mail(BOB, f"queue 1 bob {PASSWORDS['bob']}", "if b1 then a2,a3")
        assert (await server.accept(queue)).startswith("250 ")
        server.new_letters()
        await do(server, "annul", board="1", **WHY)
        letters = said(server)
        assert "Your queue was cancelled: the game is over." in letters[BOB]
        assert "withdrawn" not in letters[ANN]
        assert server.reception._reads.plan(1, 2) is None

    played(test, tmp_path)


def test_who_wants_no_letters_hears_of_a_ruling_all_the_same(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await play(server, [("mail", ANN, f"set ann {PASSWORDS['ann']} quiet on")])
        await play(server, [("mail", BOB, f"set bob {PASSWORDS['bob']} digest 7")])
        await do(server, "annul", board="1", **WHY)
        assert set(said(server)) == {ANN, BOB}
        await server.clock(86_400)
        assert "Lambo 1 against ann: counts for nobody" in said(server)[BOB]

    played(test, tmp_path)


def test_who_has_left_for_good_is_not_there(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await do(server, "rename", old="bob", new="robert", **WHY)
        await play(server, [("mail", BOB, f"resign 1 robert {PASSWORDS['bob']}")])
        await do(server, "rename", old="robert", new="Bert", **WHY)
        await play(server, [("mail", BOB, f"delete Bert {PASSWORDS['bob']}"), ("answer", BOB, "delete")])
        gone, game = server.reception._reads.player(2), server.reception._reads.game(1)
        assert gone
        assert game
        assert gone.state == "gone"
        assert game.reason == f"{gone.userid} resigned", "no older name of the player is kept"
        refusal = "Forbidden: A player of board 1 has left for good, so it cannot go on."
        assert await do(server, "back", board="1", plies="0", **WHY) == refusal
        for name in ("lock", "unlock"):
            assert (
                await do(server, name, userid=gone.userid, **WHY) == f"Unreadable: There is no player '{gone.userid}'."
            )
        taken = "Forbidden: The name 'gone-7' is taken."
        assert await do(server, "rename", old="ann", new="gone-7", **WHY) == taken

    played(test, tmp_path)


def test_a_forgiven_address_is_asked_again(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        eve = "eve@example.org"
        await server.writer.do(lambda store: rows.put(store.db, Contact(eve, 3, server.time)))
        await play(server, [("mail", eve, "signup eve canary-other-3")])
        assert eve not in server.letters
        done = await do(server, "forgive", address="Eve+x@example.org")
        assert done == "That address had been asked 3 times; the count begins anew."
        await play(server, [("mail", eve, "signup eve canary-other-3")])
        assert eve in server.letters

    played(test, tmp_path)


@pytest.mark.parametrize(("answer", "state"), [("yes", "current"), ("no", "current"), ("", "suspended")])
def test_a_player_whose_mailbox_is_gone_gets_another_address(answer: str, state: str, tmp_path: Path) -> None:
    """The old mailbox can stop it, if it is there after all."""
    old, new = "ann@example.org", "ann@new.example"

    async def test(server: Server) -> None:
        sql = "UPDATE address SET state = ? WHERE addr = ?"
        await server.writer.do(lambda store: store.db.execute(sql, (state, old)))
        said = await do(server, "address", userid="ann", address=new, **WHY)
        assert "The new address of ann is asked" in said and new not in said
        server.new_letters()
        if answer:
            told = postman.text(server.letters[old][-1])
            assert new in told and "answer this letter with: no" in told and WHY["why"] in told
        if answer == "no":
            await server.accept(server.reply(old, server.letters[old][-1], "no"))
        await server.accept(server.reply(new, server.letters[new][-1], "yes"))
        found = [one.addr for one in server.reception._reads.addresses(1) if one.state in ("current", "suspended")]
        assert found == ([old] if answer == "no" else [new])
        if answer != "no":
            await server.accept(server.mail(new, "forgot ann", ""))
            assert "Your password" in {str(letter["Subject"]) for _, _, letter in server.new_letters()}

    played(test, tmp_path)


def test_an_address_that_the_player_has_is_not_asked(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        said = await do(server, "address", userid="ann", address="Ann@example.org", **WHY)
        assert "Letters of ann go there already" in said
        assert server.reception._reads.changes(1) == []

    played(test, tmp_path)


def test_an_address_that_has_been_asked_too_often_is_not_asked_in_silence(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        words = {"userid": "ann", "address": "ann@new.example", **WHY}
        for _ in range(3):
            assert "is asked" in await do(server, "address", **words)
        server.new_letters()
        assert "mailbot admin forgive" in await do(server, "address", **words)
        await server.accept(server.reply("ann@new.example", server.letters["ann@new.example"][-1], "yes"))
        assert [one.addr for one in server.reception._reads.addresses(1) if one.state == "current"] == [
            "ann@new.example"
        ]

    played(test, tmp_path)


def test_the_letter_to_a_forwarded_old_address_is_answered_from_the_new_one(tmp_path: Path) -> None:
    old, new, other = "ann@example.org", "ann@new.example", "eve@example.org"

    async def test(server: Server) -> None:
        await server.accept(server.mail(new, f"change address ann {PASSWORDS['ann']} {new}", ""))
        server.new_letters()
        asked = server.letters[old][-1]
        for sender in (new, other):
            await server.accept(server.reply(sender, asked, "yes"))
        assert not server.reception._reads.changes(1)[0].approved, "it has not agreed yet"
        await server.accept(server.reply(new, server.letters[new][-1], "yes"))
        await server.accept(server.reply(other, asked, "yes"))
        assert [one.addr for one in server.reception._reads.addresses(1) if one.state == "current"] == [old]
        await server.accept(server.reply(new, asked, "yes"))
        assert [one.addr for one in server.reception._reads.addresses(1) if one.state == "current"] == [new]

    played(test, tmp_path)


RESENT = [
    ("sent", "A copy goes out as letter {copy}."),
    ("failed", "Letter {id} goes out; it had been failed."),
    ("stuck", "Letter {id} goes out; it had been stuck."),
]


@pytest.mark.parametrize(("state", "told"), RESENT)
def test_resend(state: str, told: str, tmp_path: Path) -> None:
    def queue(store: Store) -> None:
        outbox.queue(store.db, 1, store.caps, Post(1, Letter("notice", "S", {"said": "Hello."}), "account"))
        outbox.queue(store.db, 1, store.caps, Post(1, Letter("password", "S", {"nonce": "x"}), "account"))

    async def test(server: Server) -> None:
        await server.writer.do(queue)
        found = server.db.execute("SELECT id FROM outbox ORDER BY id DESC LIMIT 2").fetchall()
        (secret,), (number,) = found
        for letter in (number, secret):
            await server.writer.do(lambda store, letter=letter: outbox.settle(store.db, letter, state, 1, "x"))
        assert await do(server, "resend", letter=str(number)) == told.format(id=number, copy=secret + 1)
        due = server.db.execute(
            "SELECT count(*) FROM outbox WHERE state = 'waiting' AND facts LIKE '%Hello.%'"
        ).fetchone()
        assert due == (1,)
        assert (await do(server, "resend", letter=str(secret))).startswith(
            f"Forbidden: Letter {secret} told a password"
        )

    played(test, tmp_path)


LISTED: list[tuple[str, dict[str, str], list[str]]] = [
    ("games", {}, ["1 lambo ann - bob bob to move 1 now", "2 palago bob - ann offered 0 now"]),
    ("games", {"player": "ANN", "state": "offered"}, ["2 palago bob - ann offered 0 now"]),
    ("games", {"state": "over"}, ["None."]),
    ("show", {"board": "#1"}, ["Board 1: lambo", "ann - bob: bob to move, ply 1", "1 b1"]),
    ("show", {"board": "2"}, ["bob - ann: offered, ply 0"]),
    ("players", {}, ["1 ann active 2026-03-01 1 0"]),
    ("players", {"addresses": "yes"}, ["ann: ann@example.org"]),
    ("queue", {}, ["state kind letters oldest", "failed signup 1 now", "1 failed signup 2026-03-01 12:00 5.1.1"]),
]


@pytest.mark.parametrize(("name", "words", "lines"), LISTED)
def test_lists(name: str, words: dict[str, str], lines: list[str], tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await play(server, [MOVE, OFFER])
        await server.writer.do(lambda store: outbox.settle(store.db, 1, "failed", 1, "5.1.1"))
        shown = admin.show(server.db, name, words, server.time)
        said = [" ".join(line.split()) for line in shown]
        assert [line for line in lines if line not in said] == []
        assert max(map(len, shown)) <= 78
        assert words.get("addresses") or "@" not in "".join(shown)

    played(test, tmp_path)


def test_suspended_addresses_are_listed_and_marked(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await server.writer.do(lambda store: rows.put(store.db, Address(2, 2, BOB, "suspended", 0, server.time)))
        await server.writer.do(lambda store: rows.put(store.db, Address(9, 2, "old@example.org", "old", 0, 1)))
        shown = admin.show(server.db, "players", {"addresses": "yes"}, server.time)
        assert shown[-2:] == [f"ann: {ANN}", f"bob: {BOB} (suspended: letters came back)"]

    played(test, tmp_path)


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        (
            "games",
            {"state": "odd"},
            "There is no state 'odd'; the states are offered, running, over, declined, lapsed.",
        ),
        ("games", {"player": "eve"}, "There is no player 'eve'."),
        ("show", {"board": "7"}, "There is no board '7'."),
        ("show", {"board": ""}, "There is no board ''."),
    ],
)
def test_lists_of_what_is_not_there(name: str, words: dict[str, str], sentence: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        with pytest.raises(admin.REFUSALS, match="There is no") as refused:
            admin.show(server.db, name, words, server.time)
        assert str(refused.value) == sentence

    played(test, tmp_path)


# ---- the command line, without a daemon and with one


def prepared(folder: Path) -> None:
    """A database as a server with board 1 has left it."""

    async def test(server: Server) -> None:
        await play(server, [MOVE])

    played(test, folder)
    (folder / "test.sqlite").rename(folder / "db")


def test_without_a_daemon(tmp_path: Path) -> None:
    prepared(tmp_path)
    assert "ann - bob" in cli(tmp_path, "admin", "games")[1]
    assert "bob to move" in cli(tmp_path, "admin", "show", "1")[1]
    assert "@" not in cli(tmp_path, "admin", "players")[1]
    assert "@" in cli(tmp_path, "admin", "players", "--addresses")[1]
    assert cli(tmp_path, "admin", "queue")[0] == 0
    rows = [
        (["back", "1", "--reason", "r"], (0, "Board 1 stands at ply 0 again; ann is to move.\n")),
        (["end", "1", "--winner", "ann", "--reason", "r"], (0, "Board 1 is over: ann has won.\n")),
        (["end", "1", "--winner", "ann", "--reason", "r"], (1, "Error: Board 1 is over: the operator decided so.\n")),
        (["annul", "1", "--reason", "r"], (0, "Board 1 is annulled.\n")),
        (["lock", "bob", "--reason", "r"], (0, "bob is locked.\n")),
        (["unlock", "bob", "--reason", "r"], (0, "bob is unlocked.\n")),
        (["rename", "bob", "robert", "--reason", "r"], (0, "bob is called robert now.\n")),
        (["resend", "1"], (1, "Error: Letter 1 is waiting already; it goes out by itself.\n")),
        (
            ["forgive", "eve@example.org"],
            (1, "Error: That address has not been asked for its consent lately.\n"),
        ),
        (["show", "8"], (1, "Error: There is no board '8'.\n")),
    ]
    for words, outcome in rows:
        assert cli(tmp_path, "admin", *words) == outcome
    assert cli(tmp_path, "admin", "annul", "1")[0] == 2, "a reason must be given"


def test_by_a_daemon_and_its_log_has_ids_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    asked = {"do": "admin", "name": "end", "words": {"board": "1", "winner": "draw", "why": "ann and bob know"}}

    async def test(server: Server) -> None:
        line = Control(tmp_path / "sock", server.writer, lambda: server.time)
        await line.start()
        for said in ({"said": "Board 1 is over: a draw."}, {"error": "Board 1 is over: the operator decided so."}):
            assert json.loads(await ask(tmp_path / "sock", json.dumps(asked).encode() + b"\n")) == said
        await line.stop()

    with caplog.at_level(logging.INFO, "mailbot.control"):
        played(test, tmp_path)
    assert [record.getMessage() for record in caplog.records] == ["the operator: end, board 1"]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"name": "end"},
        {"name": "evil", "words": {}},
        {"name": ["end"], "words": {}},
        {"name": "end", "words": {"board": 1}},
        {"name": "end", "words": ["board"]},
    ],
)
def test_what_the_command_line_would_not_write_is_not_a_request(more: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        control._asked(json.dumps({"do": "admin", **more}).encode())


def test_a_tournament_as_the_help_writes_it_is_created_as_the_configuration_says(tmp_path: Path) -> None:
    """Without a daemon, too: the game has the clock of the configuration, and options are one word with a dash."""
    config = tmp_path / "mailbot.toml"
    config.write_text(f'[store]\npath = "{tmp_path}/play.sqlite"\n[clock]\ndefault = "slow"\n')
    Store.open(tmp_path / "play.sqlite", 1, b"k" * 32).close()
    options = "-format=roundrobin -game=lambo -max=8"
    result = CliRunner().invoke(main, ["--config", str(config), "admin", "tournament", "create", "Cup", options])
    assert (result.exit_code, result.output) == (0, "Tournament 1 is created.\n")
    store = Store.open(tmp_path / "play.sqlite", 1, b"k" * 32)
    assert store.db.execute("SELECT format, clock FROM tournament").fetchall() == [("roundrobin", "21d")]
    store.close()
