"""Letters that come back: from the report to the suspended address and its revival (E1, E2)."""

import json
from pathlib import Path
from typing import Any

import pytest

from mailbot.core import tokens
from mailbot.core.caps import DEFAULTS, rules
from mailbot.core.effects import Kinds
from mailbot.core.model import Address
from mailbot.core.players.bounces import HARD, SOFT, TEXT
from mailbot.core.tokens import Token
from mailbot.shell.smtp.wire import Envelope
from mailbot.store import outbox, rows
from mailbot.store.returned import came_back
from tests.core.players.test_bounces import report
from tests.dialogues.play import Server
from tests.shell.test_reception import ANN, BOB, PASSWORDS, played


def envelope(server: Server, letter: int, content: bytes, *, key: bytes | None = None, player: int = 2) -> Envelope:
    """A report to the return path of a letter; every other one as of a version that veiled no number."""
    secret = key or next(iter(server.store.keys().values()))
    token = Token(tokens.BOUNCE, player, letter, 0)
    if letter % 2:
        token = token._replace(ref=tokens.veiled(letter, secret), stamp=1)
    token = tokens.write(token, secret, 1, tokens.BOUNCE_EPOCH)
    return Envelope("192.0.2.9", "", (server.own.bounce_address(token),), content)


def last_to(server: Server, who: str) -> int:
    found = server.db.execute("SELECT max(id) FROM outbox WHERE address = ?", (who,)).fetchone()
    return int(found[0])


def three(server: Server) -> list[int]:
    """Three letters to bob that went out."""
    sql = "SELECT id FROM outbox WHERE address = ? AND template <> 'probe' ORDER BY id DESC LIMIT 3"
    found = server.db.execute(sql, (BOB,)).fetchall()
    assert len(found) == 3
    return [number for (number,) in found]


async def three_and_the_probe(server: Server) -> None:
    """Three letters to bob come back, and then the probe."""
    for letter in three(server):
        await server.writer.do(lambda store, letter=letter: came_back(store, letter, HARD, server.time))
    probe = last_to(server, BOB)
    await server.writer.do(lambda store: came_back(store, probe, HARD, server.time))


def state(server: Server) -> str:
    return str(server.db.execute("SELECT state FROM address WHERE addr = ?", (BOB,)).fetchone()[0])


def hard(number: int) -> bytes:
    return report("Action: failed\r\nStatus: 5.1.1").replace(b"Undelivered", f"Undelivered {number}".encode())


def test_e1_a_dead_address_is_suspended_told_and_comes_back(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        for number, letter in enumerate(three(server)):
            assert state(server) == "current"
            assert (await server.accept(envelope(server, letter, hard(number)))).startswith("250")
            await server.accept(envelope(server, letter, hard(number)))  # the same report again counts once
        (probe,) = [letter for _, _, letter in server.new_letters()]
        assert (probe["To"], probe["Subject"]) == (BOB, "Do our letters reach you?")
        assert state(server) == "current"
        await server.accept(envelope(server, last_to(server, BOB), hard(3)))
        assert state(server) == "suspended"
        told = {str(m["To"]): str(m["Subject"]) for _, _, m in server.new_letters()}
        assert told == {ANN: "bob cannot be reached", "operator@example.net": "mailbot needs you"}
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))
        assert [str(m["To"]) for _, _, m in server.new_letters()] == [ANN], "nothing goes to the dead address"
        await server.accept(server.mail(BOB, "games bob next", ""))
        assert state(server) == "suspended", "a From alone proves nothing"
        await server.accept(server.mail(BOB, f"set bob {PASSWORDS['bob']} hints on", ""))
        assert state(server) == "current"
        subjects = [str(m["Subject"]) for _, _, m in server.new_letters() if str(m["To"]) == BOB]
        assert "Lambo 1: ann - bob" in subjects, "the board that waits comes anew"

    played(test, tmp_path)


def test_e2_forged_reports_change_nothing(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = last_to(server, BOB)
        for number in range(5):
            await server.accept(envelope(server, letter, hard(number), key=b"x" * 32))
            await server.accept(envelope(server, letter, hard(number + 10), player=1, key=b"y" * 32))
            await server.accept(Envelope("192.0.2.9", "", (server.own.bounce_address(),), hard(number + 20)))
            away = (
                b"From: bob@example.org\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nGone "
                + str(number).encode()
            )
            await server.accept(envelope(server, letter, away + b"\r\n"))
        assert state(server) == "current"
        assert server.db.execute("SELECT count(*) FROM failing").fetchone() == (0,)
        assert server.new_letters() == []

    played(test, tmp_path)


def test_what_the_relay_says_counts_as_well(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await three_and_the_probe(server)
        assert state(server) == "suspended"

    played(test, tmp_path)


@pytest.mark.parametrize("status", ["5.0.0", "5.1.1", "5.2.2"])
def test_nobody_can_switch_off_an_address_with_words_that_its_filter_refuses(status: str, tmp_path: Path) -> None:
    """Many servers say the same of an unknown mailbox and of words that they do not like: 550 without a status."""

    async def test(server: Server) -> None:
        for day in range(10):
            for number in range(4):
                said = f"message ann {PASSWORDS['ann']} bob"
                await server.accept(server.mail(ANN, said, f"XJS*C4JDBQADN1 {day} {number}"))
                content = hard(10 * day + number).replace(b"5.1.1", status.encode())
                await server.accept(envelope(server, last_to(server, BOB), content))
            server.time += 86_400
        assert state(server) == "current"
        assert [letter for _, _, letter in server.new_letters() if letter["Subject"] == "bob cannot be reached"] == []

    played(test, tmp_path)


@pytest.mark.parametrize("status", ["5.7.1", "5.0.0", "5.1.1"])
def test_a_move_arrives_without_the_words_that_a_filter_refuses(status: str, tmp_path: Path) -> None:
    """The clock of the opponent runs, so the letter goes again, once, whoever has refused it. Many filters say 550 and
    no more, as for an unknown mailbox."""

    async def test(server: Server) -> None:
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", "XJS*C4JDBQADN1"))
        server.new_letters()
        letter = last_to(server, BOB)
        await server.writer.do(lambda store: outbox.settle(store.db, letter, "sent", server.time, ""))
        refusal = report(f"Action: failed\r\nStatus: {status}")
        for _ in range(2):
            await server.accept(envelope(server, letter, refusal))
            row = outbox.entry(server.db, letter)
            assert "XJS" not in server.letterbox.letter(row).text
            assert "ann played b1.\n" in server.letterbox.letter(row).text
            assert outbox.LEFT_OUT.partition(":")[0] in server.letterbox.letter(row).text
            refusal = refusal.replace(b"Undelivered", b"Undelivered again")
        state = "SELECT state, due FROM outbox WHERE id = ?"
        assert server.db.execute(state, (letter,)).fetchone() == ("waiting", server.time)
        await server.writer.do(lambda store: outbox.settle(store.db, letter, "failed", server.time, "554 5.7.1"))
        await server.writer.do(lambda store: came_back(store, letter, TEXT, server.time))
        assert server.db.execute(state, (letter,)).fetchone()[0] == "failed", "once is enough"

    played(test, tmp_path)


@pytest.mark.parametrize("kinds", [(HARD, HARD, HARD), (SOFT, HARD, HARD), (SOFT,) * 9])
def test_e1_one_letter_counts_once_however_often_it_is_reported(kinds: tuple[str, ...], tmp_path: Path) -> None:
    """By several reports, by the relay and by a report, and by reports of a whole week."""

    async def test(server: Server) -> None:
        letter = last_to(server, BOB)
        for number, kind in enumerate(kinds):
            if number % 2:
                status = "5.1.1" if kind == HARD else "4.4.7"
                content = hard(number).replace(b"Status: 5.1.1", f"Status: {status}".encode())
                assert (await server.accept(envelope(server, letter, content))).startswith("250")
            else:
                await server.writer.do(lambda store, kind=kind: came_back(store, letter, kind, server.time))
            server.time += 86_400
        first = server.time - len(kinds) * 86_400
        (count,) = server.db.execute("SELECT since, last, hards FROM failing").fetchall()
        assert count == (first, first, str(first) if kinds[0] == HARD else "")
        assert state(server) == "current"

    played(test, tmp_path)


def test_reports_beyond_a_number_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has one letter of ours can write any number of reports on it; and the last one counts as the first."""
    monkeypatch.setattr("mailbot.store.store.OPERATOR_MAILS", 6)

    async def test(server: Server) -> None:
        letter, before = last_to(server, BOB), server.db.execute("SELECT count(*) FROM seen").fetchone()[0]
        for number in range(9):
            late = report("Action: delayed\r\nStatus: 4.4.1").replace(b"Undelivered", f"Late {number}".encode())
            assert (await server.accept(envelope(server, letter, late))).startswith("250")
        assert server.db.execute("SELECT count(*) FROM seen").fetchone()[0] == before + 3
        assert (await server.accept(envelope(server, letter, hard(1)))).startswith("250")
        assert server.db.execute("SELECT count(*) FROM seen").fetchone()[0] == before + 3
        assert server.db.execute("SELECT count(*) FROM failing").fetchone() == (1,)

    played(test, tmp_path)


def test_e1_a_delay_notice_is_no_failure_but_the_operator_sees_it(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = last_to(server, BOB)
        for day in range(9):
            late = report("Action: delayed\r\nStatus: 4.4.1").replace(b"Undelivered", f"Late {day}".encode())
            assert (await server.accept(envelope(server, letter, late))).startswith("250")
            server.time += 86_400
        assert state(server) == "current"
        assert server.db.execute("SELECT count(*) FROM failing").fetchone() == (0,)
        assert server.db.execute("SELECT count(*) FROM operator_mail WHERE kind = 'bounce'").fetchone() == (9,)

    played(test, tmp_path)


@pytest.mark.parametrize(
    ("how", "counted"), [("answer", 0), ("password", 1), ("answer from another address of his", 1)]
)
def test_e1_an_answer_from_the_address_begins_the_count_anew(how: str, counted: int, tmp_path: Path) -> None:
    """A password proves who writes, but not that letters arrive there."""

    async def test(server: Server) -> None:
        await server.accept(server.reply(ANN, server.letters[ANN][-1], "b1"))
        server.new_letters()
        *earlier, last = three(server)
        for number, letter in enumerate(earlier):
            await server.accept(envelope(server, letter, hard(number)))
        other = Address(99, 2, "bob@other.example", "current", 0, server.time)
        await server.writer.do(lambda store: rows.put(store.db, other))
        assert server.db.execute("SELECT count(*) FROM failing").fetchone() == (1,)
        if how == "password":
            mail = server.mail(BOB, f"move 1 bob {PASSWORDS['bob']} a2,a3", "")
        else:
            mail = server.reply(BOB if how == "answer" else other.addr, server.letters[BOB][-1], "a2,a3")
        assert (await server.accept(mail)).startswith("250")
        assert len(server.db.execute("SELECT text FROM move").fetchall()) == 2
        assert server.db.execute("SELECT count(*) FROM failing").fetchone() == (counted,)
        await server.accept(envelope(server, last, hard(2)))
        probed = "Do our letters reach you?" in [str(m["Subject"]) for _, _, m in server.new_letters()]
        assert probed == (counted == 1)

    played(test, tmp_path)


@pytest.mark.parametrize("kind", [kind for kind in tokens.KINDS if kind != tokens.BOUNCE])
def test_no_reply_token_serves_as_a_return_path(kind: str, tmp_path: Path) -> None:
    """The ref of such a token is a board or an hour, and may be the number of another player's letter."""

    async def test(server: Server) -> None:
        key = next(iter(server.store.keys().values()))
        for number, letter in enumerate(three(server)):
            token = tokens.write(Token(tokens.Kind(kind), 1, letter, 0), key, 1, tokens.BOUNCE_EPOCH)
            await server.accept(Envelope("192.0.2.9", "", (server.own.bounce_address(token),), hard(number)))
        assert state(server) == "current"
        assert server.db.execute("SELECT count(*) FROM failing").fetchone() == (0,)

    played(test, tmp_path)


@pytest.mark.parametrize("said", ["games", "move 1 b1", "words that are no command", "resign 1", "signoff"])
def test_the_return_path_of_a_letter_proves_nothing(said: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = last_to(server, BOB)
        key = next(iter(server.store.keys().values()))
        token = tokens.write(Token(tokens.BOUNCE, 2, letter, 0), key, 1, tokens.BOUNCE_EPOCH)
        before = server.db.execute("SELECT * FROM player, address, game").fetchall()
        answer = await server.accept(server.mail(BOB, "Re: x", said, server.own.token_address(token)))
        assert answer.startswith("550 5.7.8")
        assert server.db.execute("SELECT * FROM player, address, game").fetchall() == before
        assert server.new_letters() == []

    played(test, tmp_path)


def test_whoever_dies_and_comes_back_again_and_again_is_told_of_once_a_day(tmp_path: Path) -> None:
    """Reports on one's own letters are easily made, and a password brings one back. Neither the opponents nor the
    operator get more than one letter a day, and the opponents' own answers are not used up."""

    async def test(server: Server) -> None:
        told: list[tuple[str, str]] = []
        for round_ in range(25):
            await server.writer.do(lambda store: store.db.execute("UPDATE outbox SET returned = 0"))  # new letters
            await three_and_the_probe(server)
            assert state(server) == ("current" if round_ else "suspended"), "one probe a day"
            told += [(str(m["To"]), str(m["Subject"])) for _, _, m in server.new_letters() if m["To"] != BOB]
            hints = "on" if round_ % 2 else "off"
            await server.accept(server.mail(BOB, f"set bob {PASSWORDS['bob']} hints {hints}", ""))
            assert state(server) == "current"
            server.new_letters()
            server.time += 600
        assert told == [(ANN, "bob cannot be reached"), ("operator@example.net", "mailbot needs you")]
        await server.accept(server.mail(ANN, f"set ann {PASSWORDS['ann']} hints on", ""))
        assert ANN in [str(m["To"]) for _, _, m in server.new_letters()]

    played(test, tmp_path)


def test_notices_do_not_use_up_answers() -> None:
    kinds = {kind for rule in rules(Kinds.ANSWER, "notice", DEFAULTS) for kind in rule.kinds}
    assert kinds.isdisjoint({kind for rule in rules(Kinds.NOTICE, "notice", DEFAULTS) for kind in rule.kinds})


UNTOLD = [
    "UPDATE outbox SET facts = json_set(facts, '$.comment', 'words that a filter dislikes') WHERE id = ?",
    "UPDATE outbox SET template = 'record' WHERE id = ?",
    "UPDATE outbox SET player = 1 WHERE id = ?",
    "UPDATE address SET state = 'pending' WHERE player = 2 AND ?",
    "UPDATE outbox SET address = 'stranger@example.org' WHERE id = ?",
]


@pytest.mark.parametrize("change", UNTOLD)
def test_only_news_of_a_board_to_a_proved_address_tells_of_the_relay(change: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = three(server)[0]
        (players,) = server.store.db.execute("SELECT player1, player2 FROM game").fetchall()
        assert outbox.telling(server.store.db, letter) == frozenset(players)
        server.store.db.execute("UPDATE game SET event = 7")
        assert outbox.telling(server.store.db, letter) == frozenset([*players, -7]), "its title is in the letter, too"
        server.store.db.execute(change, (letter,))
        assert outbox.telling(server.store.db, letter) is None

    played(test, tmp_path)


def test_a_letter_loses_the_words_of_everybody_once(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = three(server)[0]

        def facts() -> dict[str, Any]:
            found: dict[str, Any] = json.loads(row()[0])
            return found

        def row() -> tuple[Any, ...]:
            sql = "SELECT facts, state, due, attempts FROM outbox WHERE id = ?"
            found: tuple[Any, ...] = server.store.db.execute(sql, (letter,)).fetchone()
            return found

        before = facts() | {"comment": "", "board": 1}
        parts = [{"template": "board", "facts": {"comment": "bad", "words": 3}}, {"template": "x", "facts": {}}]
        late = [{"who": "ann", "words": "worse"}, {"who": "cat", "words": ""}]
        sql = "UPDATE outbox SET facts = ?, state = 'waiting', attempts = 4 WHERE id = ?"
        server.store.db.execute(sql, (json.dumps(before | {"parts": parts, "late": late}), letter))
        outbox.without_words(server.store.db, letter, 99)
        parts[0]["facts"] = {"comment": outbox.LEFT_OUT, "words": 3}
        late[0]["words"] = outbox.LEFT_OUT
        assert facts() == before | {"parts": parts, "late": late}
        assert row()[1:] == ("waiting", 99, 0)
        outbox.without_words(server.store.db, letter, 100)
        assert row()[1:] == ("waiting", 99, 0)

    played(test, tmp_path)


def test_at_how_many_domains_people_play(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        assert outbox.owners(server.store.db, 3) == 1
        server.store.db.execute("UPDATE address SET addr = 'bob@mail.elsewhere.example' WHERE player = 2")
        assert (outbox.owners(server.store.db, 3), outbox.owners(server.store.db, 1)) == (2, 1)
        server.store.db.execute("INSERT INTO preference (player, name, value) VALUES (2, 'quiet', 'on')")
        assert outbox.owners(server.store.db, 3) == 1, "no letter would tell whether it arrives"
        server.store.db.execute("UPDATE game SET state = 'over'")
        assert outbox.owners(server.store.db, 3) == 0

    played(test, tmp_path)
