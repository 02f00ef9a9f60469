"""When a mail counts: when it came to the house, by the front's own header, and not when we got round to it."""

from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Never

import pytest

from mailbot.core.games import course
from mailbot.core.games.flags import GRACE
from mailbot.core.mail.origin import arrived
from mailbot.core.model import DAY
from mailbot.core.world import Timer
from mailbot.shell.proof.auth import Busy
from mailbot.shell.smtp.fronts import LONGEST_WAIT, Front
from mailbot.shell.smtp.waits import LONGEST_RETRY, SLACK, Waits
from mailbot.shell.smtp.wire import Envelope
from mailbot.shell.ticker import Ticker
from mailbot.shell.timepiece import Timepiece
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from tests.dialogues.play import BEGIN, FRONT, PASSWORDS, Server, serving

HOUR = 3600
AT = 1_796_133_600
"""Tue, 1 Dec 2026 14:00 UTC."""

HEADERS = [
    # what is tried, the topmost Received header, when the front took the mail
    ("Postfix", f"from x (y [192.0.2.1])\r\n\tby {FRONT} (Postfix) with ESMTP id 1\r\n\tfor <m@g.example>; {{}}", True),
    ("Exim", f"from [192.0.2.1] (helo=x)\r\n\tby {FRONT} with esmtp (Exim 4.96)\r\n\tid 1;\r\n\t{{}}", True),
    ("OpenSMTPD", f"from x (y [192.0.2.1])\r\n\tby {FRONT} (OpenSMTPD) with ESMTP id 1;\r\n\t{{}}", True),
    ("its own mail", f"by {FRONT} (Postfix, from userid 1000)\r\n\tid 1; {{}}", True),
    ("a date in the HELO", f"from ;{{}} (y [192.0.2.1]) by {FRONT} (Postfix) with ESMTP id 1", False),
    ("a date in a certificate", f'from x (y [192.0.2.1]) (Client CN "; {{}}") by {FRONT} (Postfix) id 1; never', False),
    ("by another", "from x (y [192.0.2.1]) by mail.evil.example (Postfix) with ESMTP id 1; {}", False),
    ("by a name that begins alike", f"from x (y [192.0.2.1]) by {FRONT}.evil.example (Postfix); {{}}", False),
    ("no date", f"from x (y [192.0.2.1]) by {FRONT} (Postfix) with ESMTP id 1; ", False),
    ("no semicolon", f"from x (y [192.0.2.1]) by {FRONT} (Postfix) with ESMTP id 1 {{}}", False),
    ("nothing", "", False),
]


@pytest.mark.parametrize(("_what", "header", "known"), HEADERS)
def test_only_the_date_that_the_front_wrote_is_read(_what: str, header: str, known: bool) -> None:
    for date in ("Tue, 01 Dec 2026 14:00:00 +0000", "Tue,  1 Dec 2026 15:00:00 +0100 (CET)"):
        assert arrived(header.format(date), FRONT) == (AT if known else None)
    assert arrived(header.format("Tue, 01 Dec 2026 14:00:00 +0000"), "") is None


@pytest.mark.parametrize(
    "date", ["Tue, 99 Dec 2026 14:00:00 +0000", "14:00", "Tue, 1 Dec 99999999 14:00:00 +0000", "x" * 500]
)
def test_a_date_that_is_none(date: str) -> None:
    assert arrived(f"from x (y [192.0.2.1]) by {FRONT} (Postfix) id 1; {date}", FRONT) is None


FLAG = BEGIN + 3 * DAY
ALWAYS = 0
MOVES = [
    # what is tried, when the front began to take the move, when the server stopped (it starts when it gets the move),
    # when it gets it, whether the front hands it over, from when it counts (None: too late)
    ("in time and at once", FLAG - 1, ALWAYS, FLAG - 1, True, FLAG - 1),
    ("in time, and a little later here", FLAG - 1, ALWAYS, FLAG + SLACK - 1, True, FLAG - 1),
    ("in time, while the server was away", FLAG - 1, FLAG - HOUR, FLAG + 2 * HOUR, True, FLAG - 1),
    ("a second too late", FLAG, FLAG - HOUR, FLAG + 2 * HOUR, True, None),
    ("late, by whoever is not the front", FLAG - 1, FLAG - HOUR, FLAG + 2 * HOUR, False, None),
    ("from the future", FLAG + 3 * HOUR, ALWAYS, FLAG - 1, True, FLAG - 1),
    ("older than any queue", FLAG - LONGEST_WAIT, FLAG - LONGEST_WAIT, FLAG + 1, True, None),
    ("begun early and sent late", BEGIN + HOUR, ALWAYS, BEGIN + 2 * DAY, True, BEGIN + 2 * DAY - SLACK),
    ("begun in time and sent too late", FLAG - 1, ALWAYS, FLAG + 2 * HOUR, True, None),
    ("begun early, sent while it was away", BEGIN + 1, BEGIN + DAY, BEGIN + 2 * DAY, True, BEGIN + DAY - SLACK),
]


async def begins(server: Server) -> None:
    """Board 1, with three days for each player; it is ann's turn."""
    for name in ("ann", "bob"):
        await server.accept(server.mail(f"{name}@example.org", f"signup {name} {PASSWORDS[name]}", ""))
        server.new_letters()
        await server.accept(server.reply(f"{name}@example.org", server.letters[f"{name}@example.org"][-1], "yes"))
    await server.accept(server.mail("ann@example.org", f"set ann {PASSWORDS['ann']} autovacation off", ""))
    offer = f"lambo challenge -clock=3d ann bob {PASSWORDS['ann']}"
    await server.accept(server.mail("ann@example.org", offer, ""))
    await server.accept(server.mail("bob@example.org", f"accept 1 bob {PASSWORDS['bob']}", ""))


def moving(server: Server, taken: int, front: bool = True, line: str = "move 1 ann {} a1") -> Envelope:
    """Ann's move, which the front began to take then."""
    mail = server.mail("ann@example.org", line.format(PASSWORDS["ann"]), "")
    header = f"Received: from x (y [192.0.2.1])\r\n\tby {FRONT} (Postfix) id 1; {formatdate(taken)}\r\n".encode()
    plain = mail.content[mail.content.index(b"From:") :]
    return replace(mail, peer="" if front else "192.0.2.7", content=header + plain)


def fronted(begun: int, waiting: int) -> Front:
    return Front(["127.0.0.0/8"], FRONT, waits=Waits(begun, waiting))


@pytest.mark.parametrize(("_what", "taken", "stopped", "now", "front", "counts"), MOVES)
def test_a_move_counts_from_when_it_came(
    _what: str, taken: int, stopped: int, now: int, front: bool, counts: int | None, tmp_path: Path
) -> None:
    async def moves(server: Server) -> None:
        server.time = now
        server.reception._front = fronted(now, stopped) if stopped else fronted(BEGIN, 0)
        await server.accept(moving(server, taken, front))
        game = Reads(server.db).game(1)
        assert game
        assert (game.ply, game.state) == ((0, "over") if counts is None else (1, "running"))
        if counts is not None:
            (move,) = Reads(server.db).moves(1)
            assert move.used == counts - BEGIN
            assert (game.began, game.flag_at) == (now, now + 3 * DAY)

    serving(tmp_path, begins, moves, front_mta=True)


@pytest.mark.parametrize(("taken", "state"), [(FLAG - 1, "running"), (FLAG + 1, "over")])
def test_a_vacation_begins_when_its_mail_came(taken: int, state: str, tmp_path: Path) -> None:
    async def moves(server: Server) -> None:
        server.time = FLAG + 300
        server.reception._front = fronted(server.time, FLAG - HOUR)
        await server.accept(moving(server, taken, line="vacation ann {} 3"))
        await server.clock(GRACE)
        game = Reads(server.db).game(1)
        assert game and game.state == state

    serving(tmp_path, begins, moves, front_mta=True)


@pytest.mark.parametrize("line", ["chat 1 bob {}", "show bob {} 1", "grant 1 bob {} 1d", "propose 1 bob {} draw"])
def test_the_opponents_mail_ends_no_game_for_whose_move_the_ticker_waits(line: str, tmp_path: Path) -> None:
    async def moves(server: Server) -> None:
        server.time = FLAG + 300
        server.reception._front = fronted(server.time, FLAG - HOUR)
        await server.accept(server.mail("bob@example.org", line.format(PASSWORDS["bob"]), "Hello."))
        game = Reads(server.db).game(1)
        assert game and game.state == "running"
        await server.accept(moving(server, FLAG - 1))
        game = Reads(server.db).game(1)
        assert game and (game.ply, game.state) == (1, "running")

    async def late(server: Server) -> None:
        server.time = server.time + 4 * DAY
        offer = f"move 1 bob {PASSWORDS['bob']} b2,c9"
        await server.accept(server.mail("bob@example.org", offer, ""))
        game = Reads(server.db).game(1)
        assert game and game.state == "over", "one's own mail is late or in time"

    serving(tmp_path, begins, moves, late, front_mta=True)


def test_a_move_that_was_put_off_counts_from_its_first_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def moves(server: Server) -> None:
        async def busy(*_asked: object) -> Never:
            raise Busy

        server.reception._front = fronted(BEGIN, 0)
        with monkeypatch.context() as patched:
            patched.setattr(server.reception.asker, "asked", busy)
            for server.time in (FLAG - HOUR, FLAG - 1):
                assert (await server.reception.accept(moving(server, BEGIN + HOUR))).passing
        server.time = FLAG + HOUR
        await server.accept(moving(server, BEGIN + HOUR))
        (move,) = Reads(server.db).moves(1)
        assert move.used == FLAG - HOUR - SLACK - BEGIN

    serving(tmp_path, begins, moves, front_mta=True)


def test_a_move_that_has_waited_for_days_is_put_off_for_two_hours_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many passwords are being checked, perhaps because so many mails have waited for us."""

    async def waits(server: Server) -> None:
        async def busy(*_asked: object) -> Never:
            raise Busy

        monkeypatch.setattr(server.reception.asker, "asked", busy)
        mail = moving(server, BEGIN + HOUR)
        for server.time, comes_again in ((BEGIN + 3 * DAY, True), (BEGIN + 3 * DAY + 2 * HOUR, False)):
            assert (await server.reception.accept(mail)).passing is comes_again

    serving(tmp_path, begins, waits, front_mta=True)


def test_only_so_many_mails_that_were_put_off_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailbot.shell.smtp.waits.MOST", 2)
    waits = Waits()
    for number in range(3):
        waits.put_off(f"from x by y id {number}", AT + number)
    assert [waits.since(f"from  x by y id {number}", AT + DAY) - AT for number in range(3)] == [
        DAY - SLACK,
        1 - SLACK,
        2 - SLACK,
    ]


def test_after_a_start_behind_a_front_mails_that_waited_come_before_flags(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        server.store.begin()
        offered = course.offered(9, "lambo", (-1, -2), BEGIN, 3, clock="1h")
        put(server.store.db, course.begun(offered, 1, BEGIN))
        server.store.db.execute("UPDATE player SET state = 'locked' WHERE id < 0")  # otherwise no time runs out
        server.store.commit()

        def state() -> str:
            game = Reads(server.db).game(9)
            return game.state if game else ""

        server.time = BEGIN + HOUR + GRACE
        args = (server.ticker._reads, server.writer, lambda: server.time, server.ticker._stop)
        ticker = Ticker(*args, patience=LONGEST_RETRY)
        await ticker.ring()
        assert state() == "running"
        server.time += LONGEST_RETRY
        await ticker.ring()
        assert state() == "over"

    serving(tmp_path, test, front_mta=True)


@pytest.mark.parametrize("kind", ["flag", "entry"])
def test_a_flag_waits_for_a_move_that_a_front_tries_again_to_hand_over(kind: str, tmp_path: Path) -> None:
    """And the end of entry to a tournament for a `join`."""

    async def test(server: Server) -> None:
        server.time, flag = BEGIN, Timer(BEGIN + GRACE, kind, 9)
        ticker = Ticker(Reads(server.db), server.writer, lambda: server.time, server.ticker._stop, slack=SLACK)
        for after, due in ((GRACE, False), (GRACE + SLACK - 1, False), (GRACE + SLACK, True)):
            server.time = BEGIN + after
            assert ticker._is_due(flag) is due
        for other in ("remind", "tournament"):
            assert ticker._is_due(Timer(BEGIN + after, other, 9)), "nothing else waits"

    serving(tmp_path, test, front_mta=True)


def test_after_a_start_with_a_clock_that_was_ahead_flags_fall_again_soon(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        ahead = float(BEGIN + 40 * DAY)
        wall, steady = [ahead], [0.0]
        now = Timepiece(lambda: wall[0], lambda: steady[0])
        heard: list[int] = []
        args = (server.ticker._reads, server.writer, now, server.ticker._stop)
        ticker = Ticker(*args, patience=LONGEST_RETRY, jumped=heard.append)
        wall[0] = float(BEGIN)
        await ticker.beat()
        flag = Timer(BEGIN - 1, "flag", 9)
        assert heard == [-40 * DAY] and not ticker._is_due(flag)
        steady[0] = LONGEST_RETRY
        assert ticker._is_due(flag)

    serving(tmp_path, test, front_mta=True)


def test_what_may_have_waited_is_known_after_a_jump_of_the_clock() -> None:
    waits = Waits(AT + DAY, AT - HOUR)
    waits.put_off("from x by y id 1", AT + DAY + 5)
    waits.jumped(-DAY)
    assert waits.since("from x by y id 1", AT + 9000) == AT + 5 - SLACK
    assert waits.since("from x by y id 2", AT + LONGEST_RETRY) == AT - HOUR - SLACK
    assert waits.since("from x by y id 2", AT + LONGEST_RETRY + 1) == AT + LONGEST_RETRY + 1 - SLACK


def test_a_vacation_that_is_ended_after_the_clock_was_set_back_ends_when_it_began(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await server.accept(server.mail("ann@example.org", f"vacation ann {PASSWORDS['ann']} 3", ""))
        (row,) = Reads(server.db).vacations(1, 0)
        server.time -= HOUR
        await server.accept(server.mail("ann@example.org", f"vacation ann {PASSWORDS['ann']} off", ""))
        (after,) = Reads(server.db).vacations(1, 0)
        assert row.begin > server.time
        assert (after.begin, after.end, after.days) == (server.time, server.time, 1)

    serving(tmp_path, begins, test)
