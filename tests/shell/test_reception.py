"""The whole way of a mail without sockets: who gets an answer, what is kept, what faults leave. A2, A3, B3, B7, D1."""

import logging
import re
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace
from email.message import Message
from email.utils import formatdate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailbot.core import converse, tokens
from mailbot.core import handle as door
from mailbot.core.mail import quoting
from mailbot.core.operator import orders
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request
from mailbot.shell.console import postman
from mailbot.shell.smtp.wire import Envelope, Pace, Status
from mailbot.store import outbox
from mailbot.store import store as store_module
from tests.dialogues.play import Server, serving

ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"
PASSWORDS = {"ann": "canary-horse-1", "bob": "canary-staple-2"}


def played(test: Callable[[Server], Awaitable[None]], folder: Path, *, front_mta: bool = False) -> None:
    """Runs the test on a server where ann and bob have begun board 1, ann to move."""

    async def begun(server: Server) -> None:
        for userid, password in PASSWORDS.items():
            await server.accept(server.mail(f"{userid}@example.org", f"signup {userid} {password}", ""))
            server.new_letters()
            await server.accept(
                server.reply(f"{userid}@example.org", server.letters[f"{userid}@example.org"][-1], "yes")
            )
        await server.accept(server.mail(ANN, f"lambo challenge ann bob {PASSWORDS['ann']}", ""))
        server.new_letters()
        await server.accept(server.reply(BOB, server.letters[BOB][-1], "accept"))
        server.new_letters()

    serving(folder, begun, test, front_mta=front_mta)


def everything(server: Server) -> list[tuple[object, ...]]:
    """All rows of all tables that a mail may change."""
    tables = (
        "player",
        "address",
        "address_change",
        "game",
        "move",
        "seen",
        "outbox",
        "contact",
        "shunt",
        "operator_mail",
    )
    return [row for table in tables for row in server.db.execute(f"SELECT * FROM {table}").fetchall()]


FAULTS = ["queue", "apply", "enter"]


@pytest.mark.parametrize("where", FAULTS)
def test_a2_a_fault_of_the_machine_is_a_4xx_and_nothing_happened(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(server: Server) -> None:
        before = everything(server)
        move = server.reply(ANN, server.letters[ANN][-1], "b1")

        def fails(*_: object, **__: object) -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL  # type: ignore[misc]
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(store_module.Store, where, fails)
            assert (await server.accept(move)).startswith("451 ")
        assert everything(server) == before
        assert (await server.accept(move)).startswith("250 "), "the sender tries again, and it is done"
        assert server.db.execute("SELECT text FROM move").fetchall() == [("b1",)]

    played(test, tmp_path)


def test_a_fault_of_the_program_is_set_aside_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(server: Server) -> None:
        def fails(*_: object) -> None:
            raise ZeroDivisionError(PASSWORDS["ann"])

        with monkeypatch.context() as patch:
            patch.setattr(converse, "handle", fails)
            assert (await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))).startswith("250 ")
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (0,)
        kept = server.db.execute("SELECT request, error FROM shunt").fetchall()
        assert len(kept) == 1
        assert PASSWORDS["ann"] not in str(kept)
        kinds = [(kind, str(letter["To"])) for _, kind, letter in server.new_letters()]
        assert kinds == [("answer", ANN), ("operator", "operator@example.net")]
        await server.writer.do(lambda store: store.retry(1, server.time))
        assert server.db.execute("SELECT text FROM move").fetchall() == [("b1",)]

    played(test, tmp_path)


def test_poison_is_not_touched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(server: Server) -> None:
        move = server.reply(ANN, server.letters[ANN][-1], "b1")
        seen: list[str] = []
        with monkeypatch.context() as patch:
            patch.setattr(store_module.Store, "enter", lambda store, request: seen.append(request.dedupe))
            await server.accept(move)
        for _ in range(3):
            await server.writer.do(lambda store: store.crashed_with(seen[0], server.time))
        assert (await server.accept(move)).startswith("250 ")
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (0,)
        assert server.db.execute("SELECT error FROM shunt").fetchall() == [
            ("the process died three times over this mail",)
        ]

    played(test, tmp_path)


def test_a3_one_mail_to_several_of_our_addresses_is_done_once(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = server.letters[ANN][-1]
        move = server.reply(ANN, letter, "b1")
        both = replace(move, rcpt_tos=(*move.rcpt_tos, server.own.address, move.rcpt_tos[0].upper()))
        assert (await server.accept(both)).startswith("250 ")
        assert server.db.execute("SELECT text FROM move").fetchall() == [("b1",)]

    played(test, tmp_path)


def test_two_different_tokens_are_no_proof(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        move = server.reply(ANN, server.letters[ANN][-1], "b1")
        other = server.reply(BOB, server.letters[BOB][-1], "b1")
        assert (await server.accept(replace(move, rcpt_tos=(*move.rcpt_tos, *other.rcpt_tos)))).startswith("550 ")
        assert not server.new_letters(), "one of them is somebody else's"
        own = server.reply(ANN, next(one for one in server.letters[ANN] if one["Reply-To"]), "b1")
        assert (await server.accept(replace(move, rcpt_tos=(*own.rcpt_tos, *move.rcpt_tos)))).startswith("550 ")
        ((_, _, told),) = server.new_letters()
        assert told["To"] == ANN and "Answer one at a time" in postman.text(told)

    played(test, tmp_path)


def test_d1_a_from_is_only_a_hint(tmp_path: Path) -> None:
    """Whoever writes in ann's name can look, and ann gets the answer; nothing can be done in her name."""

    async def test(server: Server) -> None:
        before = server.db.execute("SELECT * FROM game").fetchall()
        for said in ("lambo move 1 b1", "resign 1", "accept 1"):
            assert (await server.accept(server.mail(ANN, said, ""))).startswith("250 ")
            assert [str(letter["To"]) for _, _, letter in server.new_letters()] == [ANN], "told that nothing is done"
        said = "change address ann ann-ann-ann evil@example.net"
        assert (await server.accept(server.mail(ANN, said, ""))).startswith("550 ")
        server.new_letters()
        assert (await server.accept(server.mail(ANN, "show 1", ""))).startswith("250 ")
        assert [str(letter["To"]) for _, _, letter in server.new_letters() if "password" not in letter["Subject"]] == [
            ANN
        ]
        assert server.db.execute("SELECT * FROM game").fetchall() == before

    played(test, tmp_path)


@pytest.mark.parametrize("front_mta", [False, True])
def test_one_answer_and_never_two(tmp_path: Path, front_mta: bool) -> None:
    """A player who proves nothing gets a letter or a refusal; a stranger gets the same code and no letter."""

    async def test(server: Server) -> None:
        for subject, body in (("resign 1", ""), ("Re: Lambo 1: ann - bob", "b1"), ("hi, how does this work?", "")):
            codes = set()
            for sender in (ANN, "eve@example.net"):
                status = await server.accept(server.mail(sender, subject, body))
                told = [str(letter["To"]) for _, _, letter in server.new_letters()]
                codes.add(status)
                assert sender == ANN or told == []
                if sender == ANN:
                    assert told == ([ANN] if front_mta or status.startswith("250 ") else [])
            (code,) = codes
            assert code.startswith("550 ") == (subject[:2] == "hi")
            assert not code.startswith("550 ") or "Subject: help" in code

    played(test, tmp_path, front_mta=front_mta)


def test_a_token_dies_with_the_epoch_and_with_a_lock(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        move = server.reply(ANN, server.letters[ANN][-1], "b1")
        for change in ("token_epoch = 2", "state = 'locked', token_epoch = 1"):
            await server.writer.do(lambda store, c=change: store.db.execute(f"UPDATE player SET {c} WHERE id = 1"))  # type: ignore[misc]
            assert (await server.accept(move)).startswith("550 ")

    played(test, tmp_path)


def test_an_old_mail_with_a_password_is_not_believed(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        old = server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", "")
        server.time += 8 * 86_400
        assert await server.accept(old) == Status.STALE.value

    played(test, tmp_path)


@pytest.mark.parametrize("front_mta", [False, True])
def test_a_second_copy_of_a_mail_that_changes_what_proves_it_is_known(tmp_path: Path, *, front_mta: bool) -> None:
    """It has the old password, or answers a letter that has been used. Nobody hears that nothing was done."""

    def to_ann(server: Server) -> list[Message]:
        return [letter for _, _, letter in server.new_letters() if letter["To"] == ANN]

    async def test(server: Server) -> None:
        await server.accept(server.mail(ANN, "forgot ann", ""))
        (forgot,) = to_ann(server)
        for mail in (
            server.reply(ANN, forgot, "password brand-new-word-1"),
            server.mail(ANN, "change password ann brand-new-word-1 brand-new-word-2", ""),
        ):
            assert await server.accept(mail) == Status.ACCEPTED.value
            assert "Your password" in [letter["Subject"] for letter in to_ann(server)]
            assert await server.accept(mail) == Status.ACCEPTED.value
            await server.reception.settled()
            assert to_ann(server) == []

    played(test, tmp_path, front_mta=front_mta)


@pytest.mark.parametrize("front_mta", [False, True])
def test_two_sign_ups_in_one_mail_are_told_what_to_do(tmp_path: Path, *, front_mta: bool) -> None:
    async def test(server: Server) -> None:
        two = server.mail("dad@example.org", "multiple", "signup kid1 fine-words-3\nsignup kid2 fine-words-4")
        assert await server.accept(two) == Status.ACCEPTED.value
        ((_, _, letter),) = server.new_letters()
        assert letter["To"] == "dad@example.org"
        assert "Only one new password, or one sign-up, goes into a mail" in " ".join(letter.as_string().split())

    played(test, tmp_path, front_mta=front_mta)


def test_behind_a_front_mta_a_network_sends_so_many_mails_that_answer_no_letter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come over some few connections, on which those of everybody else wait behind them. Beyond the number their
    words are not even read. Answers to letters do not count, and are not put off."""
    read: list[object] = []
    top = quoting.top

    def noted(text: str) -> str:
        read.append(text)
        return top(text)

    monkeypatch.setattr(quoting, "top", noted)

    async def test(server: Server) -> None:
        server.reception._guarded = Pace(2, 600)
        read.clear()
        said = f"set ann {PASSWORDS['ann']}"
        asked = await server.accept(server.mail(ANN, said, ""))
        move = await server.accept(server.reply(ANN, server.letters[ANN][-1], "b1"))
        assert (asked, move, len(read)) == (Status.ACCEPTED.value, Status.ACCEPTED.value, 2)
        codes = [await server.accept(server.mail(EVE, "games", "")), await server.accept(server.mail(ANN, said, ""))]
        assert (codes, len(read)) == ([Status.ACCEPTED.value, Status.BUSY.value], 3)
        server.new_letters()
        answer = server.reply(BOB, server.letters[BOB][-1], "a2,c3")
        assert (await server.accept(answer), len(read)) == (Status.ACCEPTED.value, 4)
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (2,)
        server.time += 600
        assert await server.accept(server.mail(ANN, said, "")) == Status.ACCEPTED.value

    played(test, tmp_path, front_mta=True)


def test_answers_have_a_limit_of_their_own(tmp_path: Path) -> None:
    """Anybody has a letter to answer, of a sign-up, and large mails take long to read."""

    async def test(server: Server) -> None:
        server.reception._guarded, server.reception._answers = Pace(1, 600), Pace(2, 600)
        server.new_letters()
        codes = [await server.accept(server.reply(ANN, server.letters[ANN][-1], f"words {number}")) for number in "123"]
        assert codes == [Status.ACCEPTED.value, Status.ACCEPTED.value, Status.BUSY.value]
        server.time += 600
        assert await server.accept(server.reply(ANN, server.letters[ANN][-1], "b1")) == Status.ACCEPTED.value

    played(test, tmp_path, front_mta=True)


def test_a_queue_in_front_keeps_only_so_much_of_them_and_a_player_hears_of_the_rest(tmp_path: Path) -> None:
    """Else the queue fills the disk of all, and after days Postfix writes to senders who may be forged."""

    async def test(server: Server) -> None:
        server.reception._guarded, server.reception._waiting = Pace(1, 600), Pace(1, 3600)
        said = f"set ann {PASSWORDS['ann']}"
        codes = [await server.accept(server.mail(sender, said, "")) for sender in (ANN, ANN, EVE, ANN)]
        assert codes == [Status.ACCEPTED.value, Status.BUSY.value, Status.ACCEPTED.value, Status.ACCEPTED.value]
        await server.reception.settled()
        while await server.reception.unproved.step():
            pass
        letters = [(letter["To"], letter["Subject"]) for _, _, letter in server.new_letters()]
        assert letters == [(ANN, "Your settings"), (ANN, "Too many mails from your network, nothing done")]

    played(test, tmp_path, front_mta=True)


def test_a_password_is_compared_once_in_a_mail(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        asked: list[object] = []
        verify = server.auth.verify_each

        async def counted(*words: object) -> object:
            asked.append(words[0])
            return await verify(*words)  # type: ignore[arg-type]

        server.auth.verify_each = counted  # type: ignore[method-assign, assignment]
        lines = "\n".join(f"lambo challenge ann x{number} {PASSWORDS['ann']}" for number in range(9))
        for sender in (ANN, EVE):
            await server.accept(server.mail(sender, "multiple", lines))
            assert len(asked) == 1, sender
            asked.clear()

    played(test, tmp_path)


def test_behind_a_front_mta_a_known_sender_learns_what_was_wrong(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await server.accept(server.mail(ANN, "frobnicate", ""))
        assert [kind for _, kind, _ in server.new_letters()] == ["look"]

    played(test, tmp_path, front_mta=True)


def test_who_mistypes_the_own_name_hears_of_it(tmp_path: Path) -> None:
    """Behind a mail server no refusal gets through, so the move would be lost in silence."""

    async def test(server: Server) -> None:
        for sender in (BOB, EVE):
            status = await server.accept(server.mail(sender, f"vacation bop {PASSWORDS['bob']} 14", ""))
            assert status == Status.NOT_ACCEPTED.value
        await server.accept(server.reply(BOB, server.letters[BOB][-1], "set digest 7"))
        await server.reception.settled()
        letters = server.new_letters()
        assert [(letter["To"], letter["Subject"]) for _, _, letter in letters] == [
            (BOB, "Not your name, nothing done"),
            (BOB, "Not done"),
        ]
        assert not any(PASSWORDS["bob"] in letter.as_string() for _, _, letter in letters)

    played(test, tmp_path, front_mta=True)


WORK = "ann@work.example"
REPLIES = [
    ("Re: Lambo 1: ann - bob", "lambo move 1 ann {0} b1\nGood luck!"),
    ("lambo move 1 ann {0} b1", "Good luck!"),
    ("multiple", "lambo move 1 ann {0} b1"),
]


@pytest.mark.parametrize(("subject", "text"), REPLIES)
@pytest.mark.parametrize("which", ["ann", "bob", "damaged"])
def test_a_password_counts_at_every_reply_address(which: str, subject: str, text: str, tmp_path: Path) -> None:
    """`By password, from any address`, says the letter: people answer it from there."""

    async def test(server: Server) -> None:
        to = str(server.letters[BOB if which == "bob" else ANN][-1]["Reply-To"])
        to = to.replace("+p", "+e") if which == "damaged" else to
        lines = (line.format(PASSWORDS["ann"]) for line in (subject, text))
        assert (await server.accept(server.mail(WORK, *lines, to=to))).startswith("250")
        game = server.reception._reads.game(1)
        assert game and game.ply == 1
        await server.reception.settled()
        assert not [letter for _, _, letter in server.new_letters() if "another address" in str(letter["Subject"])]

    played(test, tmp_path, front_mta=True)


@pytest.mark.parametrize(("subject", "text"), [("Re: Lambo 1: ann - bob", "b1"), ("Hello", "b1"), ("b1", "")])
def test_nothing_else_counts_at_the_reply_address_of_another(subject: str, text: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await server.accept(server.mail(WORK, subject, text, to=str(server.letters[ANN][-1]["Reply-To"])))
        game = server.reception._reads.game(1)
        assert game and game.ply == 0
        await server.reception.settled()
        assert [str(letter["Subject"]) for _, _, letter in server.new_letters()] == ["An answer from another address"]

    played(test, tmp_path, front_mta=True)


@pytest.mark.parametrize("days", [-9, 3, None])
def test_behind_a_front_mta_a_player_with_a_wrong_clock_hears_of_it(days: int | None, tmp_path: Path) -> None:
    """No refusal gets through there, so the move would be lost in silence."""

    async def test(server: Server) -> None:
        for sender in (ANN, EVE):
            mail = server.mail(sender, f"move 1 ann {PASSWORDS['ann']} b1", "")
            wrong = b"" if days is None else formatdate(server.time + days * 86_400).encode()
            header = b"X-No-Date: yes" if days is None else b"Date: " + wrong
            mail = replace(mail, content=re.sub(rb"(?m)^Date: [^\r\n]*", header, mail.content))
            assert await server.accept(mail) == Status.ACCEPTED.value
        ((_, _, letter),) = server.new_letters()
        assert letter["To"] == ANN
        said = " ".join(letter.as_string().split())
        assert "written more than a week ago, or more than a day from now" in said
        assert PASSWORDS["ann"] not in said
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (0,)

    played(test, tmp_path, front_mta=True)


def test_a_stranger_silences_nobody_twice(tmp_path: Path) -> None:
    """The address that unsubscribes stands in the header of every letter, and works for ever."""

    async def test(server: Server) -> None:
        to = server.token_address(Token(tokens.UNSUBSCRIBE, 1, 0, 0))

        async def subjects(sender: str, day: int) -> list[str]:
            server.time += day * 86_400
            await server.accept(server.mail(sender, "unsubscribe", "", to))
            found = [str(letter["Subject"]) for *_, letter in server.new_letters() if letter["To"] == ANN]
            await server.accept(server.mail(ANN, f"set ann {PASSWORDS['ann']} quiet off", ""))
            server.new_letters()
            return found

        assert await subjects(EVE, 0) == ["No more letters"]
        assert await subjects(EVE, 1) == ["Fewer letters"]
        assert await subjects(ANN, 1) == ["No more letters"]
        assert await subjects(EVE, 1) == ["Fewer letters"]
        assert await subjects(EVE, 30) == ["No more letters"]

    played(test, tmp_path)


def test_the_same_code_for_known_and_unknown_senders_and_userids(tmp_path: Path) -> None:
    """P5: nothing tells who plays here."""
    same = [
        "show 1",
        "games",
        "hello",
        "move 1 b1",
        "lambo challenge ann bob",
        "forgot {}",
        "move 1 {} wrong-password b1",
    ]

    async def test(server: Server) -> None:
        for said in same:
            codes = {
                await server.accept(server.mail(sender, said.format(userid), ""))
                for sender, userid in ((ANN, "ann"), (EVE, "nobody"))
            }
            assert len(codes) == 1, said

    played(test, tmp_path)


def test_p1_no_password_and_no_token_on_the_disk_or_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The canary: after all kinds of mails, right and wrong, nothing of a secret is in any file or log record."""
    caplog.set_level(logging.DEBUG)
    secrets = list(PASSWORDS.values())

    async def test(server: Server) -> None:
        server.new_letters()
        secrets.extend(
            str(letter["Reply-To"]).partition("+")[2].partition("@")[0]
            for box in server.letters.values()
            for letter in box
            if letter["Reply-To"]
        )
        mails = [
            server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", f"not {PASSWORDS['ann']} again"),
            server.mail(ANN, f"frobnicate 1 ann {PASSWORDS['ann']} b1", ""),
            server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1 c2 d3", ""),
            server.mail(ANN, f"change password ann {PASSWORDS['ann']} canary-new-3", ""),
            server.mail(EVE, "signup carl canary-carl-4", ""),
            server.mail(EVE, "signup dora", ""),
            server.mail(EVE, "signup 1erna canary-erna-5", ""),
            server.mail(EVE, "move 1 ann canary-wrong-6 b1", ""),
            replace(
                server.mail(EVE, "move 1 ann canary-abuse-7 b1", ""), rcpt_tos=(f"postmaster@{server.own.domain}",)
            ),
            server.mail(ANN, "hello", "games\nmove 1 bob canary-staple-2 b1"),
        ]
        for mail in mails:
            await server.accept(mail)
        secrets.extend(
            ["canary-new-3", "canary-carl-4", "canary-erna-5", "canary-wrong-6", "canary-abuse-7", "mabuz-zojuf"]
        )
        for path in tmp_path.iterdir():
            content = path.read_bytes()
            for secret in secrets:
                assert secret.encode() not in content, (path.name, secret[:9])
        for secret in [*secrets, ANN, EVE]:
            assert secret not in caplog.text

    played(test, tmp_path)


# -- B3: who is written to -----------------------------------------------------------------------------------------

VOCABULARY = """
lambo palago help signup move show games preview accept decline resign challenge change password address forgot
1 2 #1 1#1 99 ann bob carl eve canary-horse-1 canary-staple-2 wrong-word-9 b1 a2,a3 swap -size=20 -anywhere
eve@example.org victim@example.net all next yes no message chat broadcast block add delete signoff unsubscribe set
digest 12 quiet limit seek take n queue submit confirm undo propose record history standings analyse me none uct1
rating -unrated
"""
WORDS = st.sampled_from(VOCABULARY.split())
LINES = st.lists(WORDS, max_size=6).map(" ".join)
SENDERS = st.sampled_from([ANN, BOB, EVE, "carl@example.net"])
NOTICES = {"logins", "mistyped", "misnamed", "strange", "outdated", "crowded", "refused"}
MAILS = st.tuples(SENDERS, LINES, st.lists(LINES, max_size=3), st.sampled_from([0, 0, 1, 2, 3]))
"""The last: which letter, from the newest back, is answered, whoever it went to; 0 for a mail that answers none."""


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(MAILS, min_size=5, max_size=12))
def test_b3_answers_go_to_registered_addresses_or_a_newcomers_own(mails: list[tuple[str, str, list[str], int]]) -> None:
    async def test(server: Server) -> None:
        told = server.told
        asking: list[Message] = []
        for sender, subject, body, back in mails:
            asking += [letter for _, _, letter in server.new_letters() if letter["Reply-To"]]
            text = "\n".join(body)
            answered = asking[-back] if 0 < back <= len(asking) else None
            answer = server.reply(sender, answered, text) if answered else None
            status = await server.accept(answer or server.mail(sender, subject, text))
            assert status[:3] in ("250", "550"), status
            current = {row[0] for row in server.db.execute("SELECT addr FROM address WHERE state = 'current'")}
            rows = server.db.execute("SELECT id, address, kind FROM outbox WHERE id > ?", (told,)).fetchall()
            for number, address, kind in rows:
                told = max(told, number)
                if kind == "signup":
                    assert address in {sender, "eve@example.org", "victim@example.net"}
                elif kind == "newcomer":
                    assert address in {sender, answered and answered["To"]}, "or of the address that was asked"
                else:
                    assert address in current
            if status.startswith("550"):
                for number, _, _ in rows:
                    row = outbox.entry(server.db, number)
                    parts = row.facts.get("parts", [{"template": row.template}])  # two refused commands in one letter
                    assert {part["template"] for part in parts} <= NOTICES  # type: ignore[attr-defined]
        assert server.db.execute("SELECT count(*) FROM shunt").fetchone() == (0,), "no words of a player break the code"

    with TemporaryDirectory() as folder:
        played(test, Path(folder))


def test_refusals_that_nobody_is_told_leave_nothing_behind(tmp_path: Path) -> None:
    """Else whoever may answer a letter could fill the disk with mails that do nothing."""

    async def test(server: Server) -> None:
        known = []
        for number in range(40):
            line = f"move 1 ann {PASSWORDS['ann']} z{number}"
            assert (await server.accept(server.mail(ANN, line, ""))).startswith("250")
            known.append(server.db.execute("SELECT count(*) FROM seen").fetchone()[0])
        assert known[0] < known[-1] == known[-10] < known[0] + 30
        both = f"set ann {PASSWORDS['ann']} digest 7\nmove 1 ann {PASSWORDS['ann']} z"
        await server.accept(server.mail(ANN, "", both))
        assert server.db.execute("SELECT count(*) FROM seen").fetchone()[0] == known[-1] + 1, "something has been done"

    played(test, tmp_path)


def test_a_mail_to_postmaster_is_masked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same mail again takes up no room, so it could come a thousand times."""

    async def test(server: Server) -> None:
        masked, real = [], orders.kept
        monkeypatch.setattr(orders, "kept", lambda *words: masked.append(1) or real(*words))
        mail = replace(server.mail(EVE, "hello", "It is me."), rcpt_tos=(f"postmaster@{server.own.domain}",))
        for _ in range(3):
            assert (await server.accept(mail)).startswith("250")
        assert masked == [1]
        assert server.db.execute("SELECT count(*) FROM operator_mail").fetchone() == (1,)

    serving(tmp_path, test)


def test_b7_an_error_answer_repeats_no_more_than_a_short_line(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        long = "frobnicate " + "x" * 500
        await server.accept(server.reply(ANN, server.letters[ANN][-1], f"{long}\nsecond line of the mail"))
        ((_, kind, letter),) = server.new_letters()
        assert kind == "refusal"
        assert "x" * 80 not in letter.as_string()
        assert "second line" not in letter.as_string()

    played(test, tmp_path)


def test_a_right_password_with_an_old_hash_is_hashed_anew(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        made: list[str] = []
        server.old_hashes = True
        server.auth._hashed = lambda password: made.append(password) or f"hash of {password[::-1]}"  # type: ignore[func-returns-value]
        assert (await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))).startswith("250 ")
        assert made == [PASSWORDS["ann"]]

    played(test, tmp_path)


def test_the_door_is_the_one_the_store_uses() -> None:
    assert store_module.converse is converse.converse and converse.handle is door.handle


def test_an_envelope_without_commands_is_refused(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        empty = Envelope("192.0.2.7", ANN, (server.own.address,), b"From: ann@example.org\r\n\r\n")
        assert (await server.accept(empty)).startswith("550 ")

    played(test, tmp_path)


FOREIGN = ("\u00fc@example.org", "Ann <\u00fc@example.org>", "ann@ex\u00e4mple.org")
"""Addresses that are not ASCII, and so nobody's."""


@pytest.mark.parametrize("front_mta", [False, True])
@pytest.mark.parametrize("broken", [False, True])
def test_a_mail_of_nobody_is_never_set_aside(
    broken: bool, front_mta: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even when it breaks the program, for anybody can send such mails. What proves something is done."""
    lines = ["help", "signup zed", "signup zed zed-password-9", "forgot ann", "list", "games", "seeks", "nonsense", ""]
    lines += ["show 1", "move 1 b1", "lambo challenge ann bob", "Re: Lambo 1: ann - bob", "admin x y", "unsubscribe"]

    async def test(server: Server) -> None:
        def fails(*_: object) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            if broken:
                patch.setattr(converse, "handle", fails)
            for sender in FOREIGN:
                for number, line in enumerate(lines):
                    head = f"From: {sender}\r\nSubject: {line}\r\nMessage-ID: <{number}{sender[:3]}@x.example>\r\n"
                    head += f"Date: {formatdate(server.time)}\r\n\r\n\r\n"
                    content = head.encode()
                    await server.accept(Envelope("192.0.2.7", "a@x.example", (server.own.address,), content))
        assert server.db.execute("SELECT count(*) FROM shunt").fetchone() == (0,)
        to = [str(letter["To"]) for _, _, letter in server.new_letters()]
        assert "operator@example.net" not in to
        assert all(one.isascii() for one in to)

    played(test, tmp_path, front_mta=front_mta)


def test_what_was_set_aside_ends_and_keeps_no_secret(tmp_path: Path) -> None:
    """Done, dropped, or after 30 days: nothing is left of a password's hash or seed."""

    async def test(server: Server) -> None:
        asked = Asked("signup", args={"userid": "eve", "address": ()}, secret=("a-hash", "a-seed"))
        for number in range(3):
            request = Request(server.time, (asked,), sender=EVE, dedupe=f"{number:064x}", mark=f"{number:012x}")
            await server.writer.do(lambda store, request=request: store.set_aside(request, "ZeroDivisionError"))
        await server.writer.do(lambda store: store.retry(1, server.time))
        await server.writer.do(lambda store: store.drop_aside(2, server.time))
        with pytest.raises(KeyError):
            await server.writer.do(lambda store: store.drop_aside(2, server.time))
        kept = dict(server.db.execute("SELECT id, request FROM shunt").fetchall())
        assert [number for number, text in kept.items() if "a-hash" in text or "a-seed" in text] == [3]
        await server.writer.do(lambda store: store.clear(server.time + 31 * 86_400))
        assert server.db.execute("SELECT count(*) FROM shunt").fetchone() == (0,)

    played(test, tmp_path)


def test_a_queue_below_an_accepted_challenge_does_not_reach_the_opponent(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await server.accept(server.mail(ANN, f"lambo challenge bob ann {PASSWORDS['ann']}", ""))
        server.new_letters()
        told = "accept\n\nHave fun!\n\nqueue if a1 then a2,a3\n"
        await server.accept(server.reply(BOB, server.letters[BOB][-1], told))
        letters = {str(letter["To"]): postman.text(letter) for _, _, letter in server.new_letters()}
        assert "Have fun!" in letters[ANN] and "a2,a3" not in letters[ANN]
        assert "neither kept nor sent" in letters[BOB]

    played(test, tmp_path)


def test_a_queue_in_a_chat_does_not_reach_the_opponent(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        server.new_letters()
        told = "chat\n\nGood luck!\nif a1 then b2 I lose\nqueue if b4,c11 then a7,a8\n"
        await server.accept(server.reply(ANN, server.letters[ANN][-1], told))
        letters = {str(letter["To"]): postman.text(letter) for _, _, letter in server.new_letters()}
        assert "if a1 then b2 I lose" in letters[BOB] and "a7,a8" not in letters[BOB]
        assert "The queue below your words was neither kept nor sent" in letters[ANN]

    played(test, tmp_path)


def test_a_queue_that_a_mail_program_has_broken_is_refused(tmp_path: Path) -> None:
    plan = "if b14,c11 then a17,a18 if c11,c12 then b19,c10 if a14,b15 then a11,b12"

    async def test(server: Server) -> None:
        server.new_letters()
        for text in (f"queue {plan}\nif a7,a8 then resign", f"queue\n{plan}\nif a7,a8 then resign"):
            await server.accept(server.reply(ANN, server.letters[ANN][-1], text))
            told = " ".join(postman.text(server.new_letters()[-1][2]).split())
            assert "Perhaps your mail program has broken the line" in told
        line = f"lambo queue 1 ann {PASSWORDS['ann']} if b14,c11 then a17,a18 if c11,c12 then b19"
        await server.accept(server.mail(ANN, "", f"{line}\nif a7,a8 then resign"))
        assert "has broken the line" in " ".join(postman.text(server.new_letters()[-1][2]).split())
        assert server.db.execute("SELECT count(*) FROM plan").fetchone() == (0,)

    played(test, tmp_path)
