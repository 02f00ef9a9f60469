"""Nothing works twice: reply addresses after an undo, userids after their player has left."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from email.message import Message
from pathlib import Path

import pytest

from engine.hex import variants
from mailbot.core.commands import ROWS
from mailbot.core.effects import Forbidden
from mailbot.core.games import course
from mailbot.core.language.masking import OURS
from mailbot.core.model import DAY, USERID, Game
from mailbot.core.operator import judge
from mailbot.core.players import names
from mailbot.core.tokens import PLAY
from mailbot.shell.console import postman
from mailbot.shell.smtp.wire import Envelope
from mailbot.store import outbox, rows
from mailbot.store.admin import do
from mailbot.store.copies import copy_to
from mailbot.store.retired import is_retired
from mailbot.store.store import Store
from tests.dialogues.play import DOMAIN, Server, serving

ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@evil.example"
BACK = {"board": "1", "plies": "1", "why": "So it is."}
Step = Callable[[Server], Awaitable[None]]
PASSWORDS = {"ann": "correct-horse-1", "bob": "battery-staple-2"}


async def signed_up(server: Server, name: str, sender: str, password: str) -> str:
    """The answer of the server in a letter, after the sign-up was confirmed if that is possible."""
    await server.accept(server.mail(sender, f"signup {name} {password}", ""))
    letters = [letter for _, _, letter in server.new_letters() if letter["To"] == sender]
    if letters and letters[-1]["Reply-To"]:
        await server.accept(server.reply(sender, letters[-1], "yes"))
        letters = [letter for _, _, letter in server.new_letters() if letter["To"] == sender]
    return "\n".join(postman.text(letter) for letter in letters)


async def begun(server: Server) -> None:
    for name, password in PASSWORDS.items():
        await signed_up(server, name, f"{name}@example.org", password)
    await server.accept(server.mail(ANN, f"palago challenge ann bob {PASSWORDS['ann']}", ""))
    server.new_letters()
    await server.accept(server.reply(BOB, server.letters[BOB][-1], "accept"))
    server.new_letters()


@pytest.mark.parametrize("seed", range(3))
def test_no_letter_about_a_board_plays_twice(seed: int, tmp_path: Path) -> None:
    """Moves, agreed undos and the operator's `back` in any order: an older letter never plays, the newest does."""

    async def steps(server: Server) -> None:
        chance = random.Random(seed)
        used: set[str] = set()
        for _ in range(9):
            newest = {who: _newest(server, who) for who in (ANN, BOB)}
            game = server.reception._reads.game(1)
            assert game
            mover, other = (ANN, BOB) if game.to_move == 1 else (BOB, ANN)
            current = (newest[ANN]["Reply-To"], newest[BOB]["Reply-To"])
            old = [letter for letter in _boards(server) if letter["Reply-To"] not in current]
            for letter in chance.sample(old, min(4, len(old))):
                for move in ("a9,b9", f"a9,b9#{game.ply + 1}"):
                    await server.accept(server.reply(str(letter["To"]), letter, move))
                    assert server.reception._reads.game(1) == game, "an old letter did something"
            what = chance.choice(["move", "move", "undo", "back"]) if game.ply else "move"
            if what == "move":
                move = str(postman.text(newest[mover]).partition("for example:")[2].split()[0])
                used.add(str(newest[mover]["Reply-To"]))
                await server.accept(server.reply(mover, newest[mover], move))
            elif what == "undo":
                await server.accept(server.reply(other, newest[other], "undo"))
                server.new_letters()
                await server.accept(server.reply(mover, _newest(server, mover), "accept"))
            else:
                await server.writer.do(lambda store: do(store, "back", BACK, server.time))
            server.new_letters()
            after = server.reception._reads.game(1)
            assert after
            assert after.ply == game.ply + (1 if what == "move" else -1), what
            assert after.stamp > game.stamp
            assert not used & {str(_newest(server, who)["Reply-To"]) for who in (ANN, BOB)}
            server.time += 3600

    serving(tmp_path, begun, steps)


@pytest.mark.parametrize(("first", "second"), [("undo", "propose"), ("propose", "undo")])
def test_an_answer_agrees_to_the_question_of_its_letter_only(first: str, second: str, tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        def ask(what: str) -> Envelope:
            return server.mail(ANN, f"{what} 1 ann {PASSWORDS['ann']}", "")

        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))
        await server.accept(ask(first))
        server.new_letters()
        letter, before = _newest(server, BOB), server.reception._reads.game(1)
        await server.accept(ask(second))
        server.new_letters()
        assert server.reception._reads.game(1) == before, "an open question was swapped"
        assert "is still open" in postman.text(server.letters[ANN][-1])
        await server.accept(server.reply(BOB, letter, "reject"))
        await server.accept(ask(second))
        server.new_letters()
        before = server.reception._reads.game(1)
        assert before
        assert before.asks_by == 1, "the second question is put"
        await server.accept(server.reply(BOB, letter, "accept"))
        assert server.reception._reads.game(1) == before, "the letter with the first question answered the second"
        await server.accept(server.reply(BOB, _newest(server, BOB), "accept"))
        after = server.reception._reads.game(1)
        assert after
        assert (after.ply, after.state) == ((1, "over") if second == "propose" else (0, "running"))

    serving(tmp_path, begun, steps)


@pytest.mark.parametrize("said", ["accept", "yes", "reject", "undo", "propose", "accept 1", "MOVE"])
@pytest.mark.parametrize("question", ["undo", "propose"])
@pytest.mark.parametrize("by_words", [False, True])
def test_a_letter_without_a_question_answers_none_that_came_later(
    by_words: bool, question: str, said: str, tmp_path: Path
) -> None:
    """Nor one that was written while the question was open and does not show it (`by_words`: it brings words of the
    other player). A move in answer is played, as it settles any question."""

    async def steps(server: Server) -> None:
        def game() -> Game:
            found = server.reception._reads.game(1)
            assert found
            return found

        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))
        server.new_letters()
        letter = _newest(server, BOB)
        move = postman.text(letter).partition("for example:")[2].split()[0]
        await server.accept(server.mail(ANN, f"{question} 1 ann {PASSWORDS['ann']}", ""))
        server.new_letters()
        before, asking = game(), _newest(server, BOB)
        assert before.asks
        if by_words:
            await server.accept(server.mail(ANN, f"chat 1 ann {PASSWORDS['ann']}", "What do you think?"))
            server.new_letters()
            letter = _newest(server, BOB)
            assert "asks" not in postman.text(letter)
        await server.accept(server.reply(BOB, letter, said.replace("MOVE", move)))
        server.new_letters()
        if said == "MOVE":
            assert game().ply == 2
            return
        assert game() == before
        refusal = postman.text(_newest(server, BOB))
        unseen = f"does not show the {'draw offer' if question == 'propose' else 'wish to undo'} of ann"
        assert ("I could not read the line 'yes'" if said == "yes" else unseen) in refusal
        assert ("ann offers you a draw" if question == "propose" else "ann asks to undo back to ply 1") in refusal
        assert _newest(server, BOB)["Reply-To"] == asking["Reply-To"]
        await server.accept(server.reply(BOB, _newest(server, BOB), "accept"))
        assert not game().asks

    serving(tmp_path, begun, steps)


def _boards(server: Server) -> list[Message]:
    letters = [letter for box in server.letters.values() for letter in box]
    return [letter for letter in letters if f"+{PLAY}" in str(letter["Reply-To"])]


def _newest(server: Server, who: str) -> Message:
    return [letter for letter in _boards(server) if letter["To"] == who][-1]


RESERVED = (
    "the",  # `the players agreed on a draw`
    "postmaster", "PostMaster", "POSTMASTER", "post.master", "post-master1", "admin", "Admin", "admin2", "ad-min",
    "mailbot", "Mail-Bot", "mailbot99", "root", "operator", "support", "hostmaster", "webmaster", "noreply", "no-reply",
    "no_reply2", "abuse", "daemon", "mailer-daemon", "MAILER.DAEMON", "server", "system", "help", "info", "security",
    "moderator", "referee", "uct1", "uct_7", "me", "gone-4", "team",
    "uct.1", "uct-x", "gone_5", "gone.5", "You", "your", "opponent", "everybody", "nobody", "draw", "none", "all",
    "password", "lambo", "palago", "mambo", "p0stmaster", "the-operator", "the_admin", "admin-team", "mailbot.server",
    "he1p", "adm1n", "our-adm1n7", "dr.aw", "n0ne", "A1l", "me.1",
    "maiIbot", "rnailbot", "adrnin", "oper4tor", "ref3ree", "The-Director", "postrnaster",
)  # fmt: skip
FREE = (
    "ann", "roots", "adminton", "mailbottle", "supporter", "helper", "systematic", "uctopia", "meg", "gone", "ruth",
    "bob", "carl", "ali", "Lou1s", "youri", "drawn", "list-lover", "the_operetta", "gone-west",
)  # fmt: skip


def test_reserved_userids() -> None:
    assert [name for name in RESERVED if not names.reserved(name)] == []
    assert [name for name in FREE if names.reserved(name)] == []


SITES = ("dbltest.com", "Casino-777.com", "www.zoe", "x.y.example", "john.smith", "a_b.co")
NO_SITES = ("j.r.r", "zoe.2", "v1.0", "john_smith", "ann")


def test_names_like_those_of_web_sites() -> None:
    """Content filters look them up, so they would hold back every letter with them."""
    assert [name for name in (*SITES, "Cup of dbltest.com", "A.bc") if not names.like_site(name)] == []
    assert [name for name in (*NO_SITES, "Lambo vs. Palago", "St. Nicholas & Co. 2026") if names.like_site(name)] == []


def test_nobody_gets_a_name_like_that_of_a_web_site(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        assert "like that of a web site" in await signed_up(
            server, "dbltest.com", "eve@evil.example", "some-password-1"
        )
        with pytest.raises(judge.Forbidden, match="web site"):
            words = {"old": "bob", "new": "dbltest.com", "why": "So it is."}
            await server.writer.do(lambda store: do(store, "rename", words, server.time))
        players = server.db.execute("SELECT userid FROM player WHERE id > 0").fetchall()
        assert [row for row in players if "." in row[0]] == []

    serving(tmp_path, begun, steps)


def test_every_word_of_our_commands_is_reserved() -> None:
    names_ = {word for row in ROWS for said in (row.name, *row.aliases, *row.known) for word in said.split()}
    words = {*names_, *variants.GAMES, *OURS.split()}
    assert sorted(word for word in words if USERID.match(word) and not names.reserved(word)) == []


def test_nobody_signs_up_under_a_reserved_userid(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        for number, name in enumerate(RESERVED):
            told = await signed_up(server, name, f"eve{number}@evil.example", "some-password-1")
            assert "is taken" in told or "cannot be a name" in told, name
            server.time += 600
        for name in ("Postmaster", "ad.min"):
            with pytest.raises(judge.Forbidden):
                await server.writer.do(
                    lambda store, name=name: do(
                        store, "rename", {"old": "bob", "new": name, "why": "So it is."}, server.time
                    )
                )

    serving(tmp_path, begun, steps)


async def left(server: Server) -> None:
    await server.accept(server.mail(BOB, f"delete bob {PASSWORDS['bob']}", ""))
    server.new_letters()
    await server.accept(server.reply(BOB, server.letters[BOB][-1], "delete"))
    server.new_letters()
    assert server.reception._reads.player_named("bob") is None


async def renamed(server: Server) -> None:
    words = {"old": "bob", "new": "Robert", "why": "So it is."}
    await server.writer.do(lambda store: do(store, "rename", words, server.time))
    server.new_letters()


@pytest.mark.parametrize("gone", [left, renamed])
def test_the_userid_of_somebody_who_has_left_is_kept_for_a_year(gone: Step, tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await server.accept(server.mail(EVE, "signup BOB some-password-1", ""))  # a wish from before he left
        server.new_letters()
        await gone(server)
        for at, name in ((0, "bob"), (DAY, "Bob"), (363 * DAY, "BOB")):
            server.time += at
            assert "is taken" in await signed_up(server, name, f"e{at}@evil.example", "some-password-1")
            await server.clock(0)
        server.time += 2 * DAY
        await server.clock(0)
        assert server.db.execute("SELECT count(*) FROM retired").fetchone() == (0,)
        assert "Welcome" in (await signed_up(server, "bob", EVE, "some-password-1")) or (
            server.reception._reads.player_named("bob")
        )

    serving(tmp_path, begun, steps)


def test_a_sign_up_from_before_does_not_get_the_userid(tmp_path: Path) -> None:
    """Two wishes for one userid; the first is confirmed, its player leaves, and the second is confirmed."""

    async def steps(server: Server) -> None:
        await server.accept(server.mail(EVE, "signup dora some-password-1", ""))
        server.new_letters()
        asks = server.letters[EVE][-1]
        await signed_up(server, "dora", "dora@example.org", "dog-and-mouse-3")
        forgot = server.letters["dora@example.org"][-1]  # because there are two
        await server.accept(server.reply("dora@example.org", forgot, "password dog-and-mouse-3"))
        await server.accept(server.mail("dora@example.org", "delete dora dog-and-mouse-3", ""))
        server.new_letters()
        await server.accept(server.reply("dora@example.org", server.letters["dora@example.org"][-1], "delete"))
        assert server.reception._reads.player_named("dora") is None
        await server.accept(server.reply(EVE, asks, "yes"))
        assert server.reception._reads.player_named("dora") is None

    serving(tmp_path, begun, steps)


def test_the_mark_of_a_userid_is_not_the_userid(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await left(server)
        ((mark,),) = server.db.execute("SELECT mark FROM retired").fetchall()
        assert b"bob" not in mark
        assert len(mark) == 32
        assert is_retired(server.db, "bOB", server.time)
        assert not is_retired(server.db, "bobby", server.time)

    serving(tmp_path, begun, steps)


# -- one letter, whatever the number of boards

BOARDS = 300


async def many_boards(server: Server) -> None:
    """ann is to move on 301 boards."""

    def add(store: Store) -> None:
        for number in range(2, BOARDS + 2):
            game: Game = course.begun(course.offered(number, "lambo", (1, 2), server.time), 1, server.time)
            rows.put(store.db, game)

    await server.writer.do(add)


async def new_password(server: Server) -> None:
    await server.accept(server.mail(ANN, f"change password ann {PASSWORDS['ann']} another-word-7", ""))


async def unlocked(server: Server) -> None:
    for name in ("lock", "unlock"):
        words = {"userid": "ann", "why": "So it is."}
        await server.writer.do(lambda store, name=name, words=words: do(store, name, words, server.time))


async def reachable_again(server: Server) -> None:
    await server.writer.do(lambda store: store.db.execute("UPDATE address SET state = 'suspended' WHERE player = 1"))
    await server.accept(server.mail(ANN, f"set ann {PASSWORDS['ann']}", ""))


@pytest.mark.parametrize("what", [new_password, unlocked, reachable_again])
def test_boards_that_wait_come_in_one_letter(what: Step, tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await many_boards(server)
        server.new_letters()
        await what(server)
        letters = [letter for _, _, letter in server.new_letters()]
        assert {str(letter["To"]) for letter in letters} == {ANN}
        assert len(letters) <= 3
        waiting = [letter for letter in letters if letter["Subject"] == f"{BOARDS + 1} boards wait for you"]
        assert len(waiting) == 1
        text = postman.text(waiting[0])
        assert "There are 201 more." in text
        assert "showas ann PASSWORD 1 2" in text
        assert not waiting[0]["Reply-To"]

    serving(tmp_path, begun, steps)


# -- mail for a person


def to_postmaster(server: Server, number: int, peer: str) -> Envelope:
    mail = server.mail(f"x{number}@example.org", f"Question {number}", "Is anybody there?", f"postmaster@{DOMAIN}")
    return replace(mail, peer=peer)


def test_mail_for_postmaster_is_put_off_and_not_thrown_away(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        async def codes(peers: list[str]) -> list[str]:
            mails = [to_postmaster(server, server.count, peer) for peer in peers]
            return [(await server.accept(mail))[:9] for mail in mails]

        def kept() -> int:
            return int(server.db.execute("SELECT count(*) FROM operator_mail").fetchone()[0])

        assert await codes(["198.51.100.7"] * 20) == ["250 2.0.0"] * 20
        assert await codes(["198.51.100.9"]) == ["452 4.2.2"], "a neighbour of the same network"
        assert await codes(["2001:db8::1"]) == ["250 2.0.0"], "one source does not shut out another"
        assert await codes([f"203.0.{n}.1" for n in range(179)]) == ["250 2.0.0"] * 179
        assert await codes(["192.0.2.1"]) == ["452 4.2.2"]
        assert kept() == 200
        later = to_postmaster(server, 999, "192.0.2.1")
        assert (await server.accept(later)).startswith("452")
        server.time += DAY + 1
        assert (await server.accept(later)).startswith("250"), "the same mail, sent again"
        assert kept() == 201

    serving(tmp_path, begun, steps)


def test_a_command_that_postmaster_gets_as_well_does_not_wait_for_room_for_the_copy(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        for number in range(20):
            await server.accept(to_postmaster(server, number, "198.51.100.7"))
        both = server.mail(ANN, f"palago move 1 ann {PASSWORDS['ann']} b1", "")
        both = replace(both, peer="198.51.100.7", rcpt_tos=(*both.rcpt_tos, f"postmaster@{DOMAIN}"))
        assert (await server.accept(both)).startswith("250")
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (1,)

    serving(tmp_path, begun, steps)


def test_reports_on_letters_do_not_shut_out_people(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        def many(store: Store) -> None:
            for number in range(300):
                store.keep_for_operator("bounce", "came back", f"{number:064x}", server.time)

        await server.writer.do(many)
        assert (await server.accept(to_postmaster(server, 1, "198.51.100.7"))).startswith("250")

    serving(tmp_path, begun, steps)


async def changes_address(server: Server) -> None:
    await server.accept(server.mail(BOB, f"change address bob {PASSWORDS['bob']} bob@new.example", ""))
    server.new_letters()
    await server.accept(server.reply("bob@new.example", server.letters["bob@new.example"][-1], "yes"))
    server.new_letters()
    approve = next(one for one in reversed(server.letters[BOB]) if one["Reply-To"] and "address" in str(one["Subject"]))
    await server.accept(server.reply(BOB, approve, "yes"))


async def changes_password(server: Server) -> None:
    await server.accept(server.mail(BOB, f"change password bob {PASSWORDS['bob']} another-password-1", ""))


async def is_locked_and_unlocked(server: Server) -> None:
    for what in ("lock", "unlock"):
        words = {"userid": "bob", "why": "So it is."}
        await server.writer.do(lambda store, what=what, words=words: do(store, what, words, server.time))


@pytest.mark.parametrize("step", [changes_address, changes_password, is_locked_and_unlocked])
def test_a_letter_that_waits_proves_no_more_than_when_it_was_written(step: Step, tmp_path: Path) -> None:
    """It leaves when its player has another address, another password, or was locked meanwhile. What waits for an
    address that was given up does not leave."""

    async def steps(server: Server) -> None:
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))
        sql = "SELECT max(id) FROM outbox WHERE address = ? AND token LIKE 'p-%'"
        (letter,) = server.db.execute(sql, (BOB,)).fetchone()
        await step(server)
        (now,) = server.db.execute("SELECT state FROM outbox WHERE id = ?", (letter,)).fetchone()
        assert now == ("failed" if step is changes_address else "waiting")
        sender = "bob@new.example" if step is changes_address else BOB
        to = server.letterbox.letter(outbox.entry(server.db, letter)).reply_to
        board = server.reception._reads.game(1)
        assert (await server.accept(server.mail(sender, "Re: x", "a2,b9", str(to)))).startswith("550 5.7.8")
        assert server.reception._reads.game(1) == board
        newest = server.db.execute(sql, (sender,)).fetchone()[0]
        fresh = server.letterbox.letter(outbox.entry(server.db, newest))
        move = fresh.text.partition("for example:")[2].split()[0]
        assert (await server.accept(server.mail(sender, "Re: x", move, str(fresh.reply_to)))).startswith("250 ")
        assert server.reception._reads.game(1) != board, "the letter that came since plays"

    serving(tmp_path, begun, steps)


def test_a_password_sets_one_new_password(tmp_path: Path) -> None:
    """Mails that come together are all proved by the old one before the first of them is done."""

    async def steps(server: Server) -> None:
        words = [f"change password ann {PASSWORDS['ann']} her-new-words-{number}" for number in range(4)]
        codes = await asyncio.gather(*(server.reception.accept(server.mail(ANN, line, "")) for line in words))
        assert {code.value[:3] for code in codes} == {"250"}
        told = [postman.text(letter) for _, _, letter in server.new_letters()]
        assert sum("has been changed." in text for text in told) == 1
        assert sum("since your mail came" in text for text in told) == 3

    serving(tmp_path, begun, steps)


@pytest.mark.parametrize("state", ["sent", "failed", "stuck"])
def test_no_seed_of_a_password_is_left_when_its_letter_has_gone(state: str, tmp_path: Path) -> None:
    """Whatever letter it is in: the answer to `forgot` wakes a player who has signed off, so it joins two letters."""

    async def steps(server: Server) -> None:
        await server.accept(server.mail(EVE, "signup eve", ""))
        await server.accept(server.mail(BOB, f"signoff bob {PASSWORDS['bob']}", ""))
        await server.accept(server.mail(BOB, "forgot bob", ""))
        server.new_letters()
        await server.accept(server.reply(BOB, server.letters[BOB][-1], "password"))
        server.new_letters()
        joined = postman.text(server.letters[BOB][-1])
        assert "Welcome back" in joined
        assert "It is now:" in joined
        rows = server.db.execute("SELECT id, template FROM outbox WHERE nonce <> ''").fetchall()
        assert [template for _, template in rows] == ["confirm", "several"]
        for letter, _ in rows:
            told = {"letter": str(letter)}
            await server.writer.do(lambda store, one=letter: outbox.settle(store.db, one, state, server.time, ""))
            with pytest.raises(Forbidden, match="told a password"):
                await server.writer.do(lambda store, told=told: do(store, "resend", told, server.time))
        cat = "cat@example.org"
        await server.accept(server.mail(cat, "signup cat her-own-words-1", ""))
        ((chosen,),) = server.db.execute("SELECT id FROM outbox WHERE address = ?", (cat,)).fetchall()
        await server.writer.do(lambda store: outbox.settle(store.db, chosen, state, server.time, ""))
        again = {"letter": str(chosen)}
        assert (await server.writer.do(lambda store: do(store, "resend", again, server.time))).said
        assert "nonce-" not in str(server.db.execute("SELECT * FROM outbox").fetchall())

    serving(tmp_path, begun, steps)


def test_nothing_that_was_handed_out_before_a_restore_is_handed_out_again(tmp_path: Path) -> None:
    """Between the backup and its restore eve signs up and ann moves; then another newcomer comes, and another move."""
    handed: dict[str, Message] = {}

    def keep(server: Server) -> None:
        for _, _, letter in server.new_letters():
            handed[str(letter["Message-ID"])] = letter

    async def before(server: Server) -> None:
        keep(server)
        (tmp_path / "again").mkdir()
        copy_to(server.db, tmp_path / "again" / "test.sqlite")
        await server.accept(server.mail(EVE, "signup eve eve-password-1", ""))
        await server.accept(server.mail(ANN, f"palago challenge ann bob {PASSWORDS['ann']}", ""))
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))
        keep(server)

    async def after(server: Server) -> None:
        first = [letter for _, _, letter in server.new_letters()]
        waits = [one for one in first if "This board waits for you" in postman.text(one)]
        assert [str(one["To"]) for one in waits] == [ANN], "the others wait for no board"
        await server.accept(server.mail("victor@example.net", "signup victor eve-password-1", ""))
        await server.accept(server.mail(ANN, f"palago challenge ann bob {PASSWORDS['ann']}", ""))
        letters = [*first, *(letter for _, _, letter in server.new_letters())]
        old_tokens = {str(one["Reply-To"]) for one in handed.values() if one["Reply-To"]}
        assert old_tokens.isdisjoint({str(one["Reply-To"]) for one in letters})
        assert handed.keys().isdisjoint({str(one["Message-ID"]) for one in letters})
        assert max(number for (number,) in server.db.execute("SELECT id FROM game").fetchall()) > 1000
        for one in handed.values():
            if one["Reply-To"]:
                said = await server.accept(server.reply(str(one["To"]), one, "yes" if one["To"] == EVE else "b1"))
                assert said.startswith("550 5.7.8"), one["Subject"]
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (0,)
        assert server.db.execute("SELECT state FROM player WHERE userid = 'victor'").fetchone() == ("pending",)
        move = postman.text(waits[0]).partition("for example:")[2].split()[0]
        assert (await server.accept(server.reply(ANN, waits[0], move))).startswith("250 ")
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (1,)

    (tmp_path / "first").mkdir()
    serving(tmp_path / "first", begun, before)
    serving(tmp_path / "again", after)
    serving(tmp_path / "again", is_no_copy_any_more)


async def is_no_copy_any_more(server: Server) -> None:
    assert server.db.execute("SELECT max(id), count(*) FILTER (WHERE ended = 0) FROM secret").fetchone() == (2, 1)
