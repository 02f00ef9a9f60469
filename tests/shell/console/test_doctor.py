"""`mailbot doctor`: well or sick, one line for each cause, whatever state the machine is in."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mailbot.core.effects import Letter, Post
from mailbot.core.mail.addresses import Own
from mailbot.core.model import DAY, Address, Game, Player
from mailbot.core.players.bounces import HARD, TEXT
from mailbot.shell.app import App
from mailbot.shell.config import opening
from mailbot.shell.config.load import Config, parse
from mailbot.shell.config.settings import ListenSection, WebSection
from mailbot.shell.console import doctor
from mailbot.shell.console.doctor import BACKUP_LATE, Report, examine, lives, note_backup
from mailbot.shell.smtp import queued
from mailbot.store import outbox, rows
from mailbot.store.reports import Trouble
from mailbot.store.returned import came_back
from mailbot.store.store import Store
from tests.shell.post.test_delivery import double
from tests.shell.smtp.smtp_house import house
from tests.shell.test_control import NOW, REQUEST, cli

WELL = {
    "relay": "",
    "fleet": "",
    "spent": [],
    "doubts": False,
    "workers": 0,
    "thinking": 0,
    "given_up": 0,
    "ours": 0,
    "astray": 0,
}


@pytest.fixture(autouse=True)
def without_postfix(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests bring their own Postfix, whether or not one runs on this machine."""
    kept = [one for one in os.environ["PATH"].split(os.pathsep) if not Path(one, "postconf").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(kept))
    monkeypatch.setattr(queued, "PROGRAMS", str(tmp_path_factory.mktemp("none")))


def config(folder: Path, more: str = "", relay: int = 0) -> Config:
    (folder / "mail").mkdir(exist_ok=True)
    way = f'host = "127.0.0.1"\nport = {relay}\nstarttls = false' if relay else f'maildir = "{folder}/mail"'
    return parse(f'[store]\npath = "{folder}/db"\n[relay]\n{way}\n[bots]\nworkers = 0\n{more}', "f")


def opened(folder: Path) -> Store:
    return Store.open(folder / "db", NOW, b"k" * 32)


def well(monkeypatch: pytest.MonkeyPatch, **state: object) -> None:
    """A daemon answers."""
    monkeypatch.setattr(doctor, "state", lambda config, seconds: WELL | state)


def causes(report: Report) -> list[tuple[str, str]]:
    return [(one.what, one.said) for one in report.troubles]


def test_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    well(monkeypatch)
    opened(tmp_path).close()
    report = examine(config(tmp_path), {}, NOW)
    assert report.troubles == []
    assert report.lines[0] == "server: running"
    assert "players: 0 active, 0 locked" in report.lines, "computer players are no players"
    assert json.loads(report.as_json()) == {"well": True, "facts": report.facts, "troubles": []}


def late_letter(store: Store) -> None:
    post = Post(0, Letter("notice", "S", {"said": "x"}), "account", "ann@example.org")
    outbox.queue(store.db, NOW - 3 * 3600, store.caps, post)


def stuck_letter(store: Store) -> None:
    late_letter(store)
    outbox.settle(store.db, 1, "stuck", NOW, "KeyError")


def returned_from_the_operator(store: Store) -> None:
    store.operator = "op@example.org"
    for number in range(2):
        store.tell_operator(f"Trouble {number}.", NOW)
        outbox.settle(store.db, number + 1, "sent", NOW, "")
    came_back(store, 2, HARD, NOW)


def refused_everywhere(store: Store) -> None:
    for number in range(4):
        rows.put(store.db, Player(number + 1, f"p{number}", "active", "", 1, 1, NOW))
        post = Post(number + 1, Letter("notice", "S", {"said": "x"}), "account", f"p{number}@a{number}.example")
        outbox.queue(store.db, NOW - 3600, store.caps, post)
        outbox.settle(store.db, number + 1, "sent", NOW, "")
        if number:
            came_back(store, number + 1, TEXT, NOW)


def refused_from_the_beginning(store: Store) -> None:
    """Nobody has become a player yet."""
    for number in range(3):
        post = Post(0, Letter("confirm", "S", {"userid": "x"}), "signup", f"p{number}@a{number}.example")
        outbox.queue(store.db, NOW - 3600, store.caps, post)
        outbox.settle(store.db, number + 1, "sent", NOW, "")
        came_back(store, number + 1, TEXT, NOW)


def heard_by_the_operator(store: Store) -> None:
    returned_from_the_operator(store)
    store.tell_operator("Trouble again.", NOW)
    outbox.settle(store.db, 3, "sent", NOW, "")


def waits_for_a_bot(store: Store) -> None:
    rows.put(store.db, Game(1, "lambo", -1, -2, "running", 3, 0, 1, None, "", NOW, NOW - 2 * 3600))


SICK: list[tuple[str, Callable[[Store], object], str, list[tuple[str, str]]]] = [
    ("an old letter", late_letter, "", [("letters", "a letter has been waiting for 3 hours; is the relay there?")]),
    ("a stuck letter", stuck_letter, "", [("letters", "1 letters cannot be written; the log names them")]),
    (
        "an operator whose address takes no mail",
        returned_from_the_operator,
        "",
        [("letters", "the last letter to the operator came back; is [operator] address right?")],
    ),
    (
        "too much mail for postmaster",
        lambda store: [store.mail_for_operator("x", f"{number // 9}", f"{number:064x}", NOW) for number in range(200)],
        "",
        [("limits", "200 mails for postmaster and abuse came within a day: no more are taken for now")],
    ),
    (
        "letters that other servers do not take",
        refused_everywhere,
        "",
        [
            (
                "letters",
                "3 of 4 letters of the last day came back: do other servers take mail from here (SPF, DKIM, block"
                " lists)?",
            )
        ],
    ),
    (
        "letters of a new server that other servers do not take",
        refused_from_the_beginning,
        "",
        [
            (
                "letters",
                "3 of 3 letters of the last day came back: do other servers take mail from here (SPF, DKIM, block"
                " lists)?",
            )
        ],
    ),
    ("an operator who can be reached again", heard_by_the_operator, "", []),
    (
        "a mail set aside",
        lambda store: store.set_aside(REQUEST, "ZeroDivisionError"),
        "",
        [("aside", "1 mails are set aside; see: mailbot shunted")],
    ),
    (
        "a board without a computer player",
        waits_for_a_bot,
        "",
        [
            ("computer", "a board has been waiting for a computer player for 2 hours; the log may say why"),
            ("computer", "boards wait for a computer player, and [bots] workers is 0"),
        ],
    ),
    (
        "a full disk",
        lambda store: None,
        f"[limits]\nmin_free_bytes = {2**50}",
        [("disk", "only N MB of disk are free: mails are put off until there is more")],
    ),
    (
        "a wrong setting",
        lambda store: None,
        '[listen]\nhost = "192.0.2.1"',
        [("config", "f: [listen] host is no address of this machine")],
    ),
]


@pytest.mark.parametrize(("name", "breaks", "more", "troubles"), SICK, ids=[row[0] for row in SICK])
def test_sick(
    name: str,
    breaks: Callable[[Store], object],
    more: str,
    troubles: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    well(monkeypatch)
    store = opened(tmp_path)
    store.begin()
    breaks(store)
    store.commit()
    store.close()
    report = examine(config(tmp_path, more), {}, NOW)
    free = str(report.facts["disk_free_bytes"] // 1_000_000)
    assert causes(report) == [(what, said.replace("N MB", f"{free} MB")) for what, said in troubles]
    assert report.as_text().count("TROUBLE: ") == len(troubles)


@pytest.mark.parametrize(("more", "warned"), [("", 1), ('front_name = "mx.example.org"', 0)])
def test_a_front_without_a_name_is_a_warning(
    more: str, warned: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A front may tell the network in another way, so the server is not sick."""
    well(monkeypatch)
    opened(tmp_path).close()
    note_backup(config(tmp_path), NOW)

    async def greeted(*_: object) -> list[Trouble]:
        return []

    monkeypatch.setattr(doctor, "relay", greeted)
    report = examine(config(tmp_path, f'[mail]\nfront = "mta"\n{more}', relay=2526), {}, NOW)
    assert report.troubles == []
    assert report.as_text().count("WARNING: [mail] front_name is not set") == warned


# ---- the running server


def test_a_stopped_server_is_sick(tmp_path: Path) -> None:
    opened(tmp_path).close()
    assert causes(examine(config(tmp_path), {}, NOW)) == [("server", "the server is not running")]


def test_alive_is_a_server_that_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else is wrong with it."""
    assert causes(lives(config(tmp_path))) == [("server", "the server is not running")]
    well(monkeypatch, relay="535", given_up=3)
    assert causes(lives(config(tmp_path, "[web]\nenabled = true\nport = 1", relay=1))) == []


UNKNOWN = "the server runs, but cannot say how it is; is it as new as this, and can its disk be written?"
ANSWERS = [
    (None, "the server runs, but has not answered within 0.05 seconds"),
    (b"", UNKNOWN),
    (b"nonsense\n", UNKNOWN),
    (b"[]\n", UNKNOWN),
    (b'{"error": "the database could not be written; try again"}\n', UNKNOWN),
]


@pytest.mark.parametrize(("answer", "said"), ANSWERS)
def test_a_server_that_gives_no_good_answer_is_sick(
    answer: bytes | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None: it takes the connection, and says nothing."""
    opened(tmp_path).close()
    monkeypatch.setattr(doctor, "TIME", 0.05 if answer is None else 20)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "db.sock"))
        listening.listen()

        def serve() -> None:
            with listening.accept()[0] as there:
                there.recv(1000)
                if answer is None:
                    there.recv(1000)  # until the doctor has gone
                else:
                    there.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        report = examine(config(tmp_path), {}, NOW)
        thread.join()
    assert causes(report) == [("server", said)]
    assert report.lines[0] == "server: running"


STATES: list[tuple[str, int, dict[str, object], list[tuple[str, str]]]] = [
    ("as wanted", 2, {"workers": 2}, []),
    (
        "numba came later",
        2,
        {"workers": 0},
        [("computer", "the server runs with 0 workers for computer players, and [bots] workers is 2; restart it")],
    ),
    (
        "given up",
        0,
        {"given_up": 3},
        [("computer", "computer players have given up 3 boards; the log names them, and a restart tries again")],
    ),
    (
        "flooded",
        0,
        {"spent": ["help", "signup"]},
        [
            (
                "limits",
                "strangers get no more letters in this hour (help, signup): their mail waits or is dropped; see Caps in"
                " docs/install.md",
            )
        ],
    ),
    ("closed", 0, {"relay": "535"}, [("relay", "the server finds the way out closed: 535")]),
    ("in doubt", 0, {"doubts": True}, [("clock", doctor.DOUBTS)]),
]


@pytest.mark.parametrize(("name", "workers", "state", "troubles"), STATES, ids=[row[0] for row in STATES])
def test_what_the_server_says(
    name: str,
    workers: int,
    state: dict[str, object],
    troubles: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: name)
    well(monkeypatch, **state)
    opened(tmp_path).close()
    judged = config(tmp_path)
    judged = replace(judged, bots=replace(judged.bots, workers=workers))
    assert causes(examine(judged, {}, NOW)) == troubles


@pytest.mark.parametrize("said", ["", "there is no worker in the fleet: this machine thinks until there is"])
def test_what_the_server_says_of_its_fleet(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many workers there are is not the business of the configuration."""
    monkeypatch.setattr(doctor, "preflight", lambda *_: [])
    well(monkeypatch, workers=7, fleet=said)
    opened(tmp_path).close()
    judged = config(tmp_path)
    judged = replace(judged, bots=replace(judged.bots, fleet="tls://a.org:8786"))
    assert causes(examine(judged, {}, NOW)) == ([("computer", said)] if said else [])


def test_computer_players_without_numba_are_sick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    well(monkeypatch)
    opened(tmp_path).close()
    judged = config(tmp_path)
    (one,) = causes(examine(replace(judged, bots=replace(judged.bots, workers=1)), {}, NOW))
    assert one[0] == "computer"
    assert "numba is not installed" in one[1]


def test_a_running_server_is_well(tmp_path: Path) -> None:
    """The whole daemon, asked over its control socket."""

    async def run() -> Report:
        app = App(replace(config(tmp_path), listen=ListenSection(port=0)), {})
        await app.start()
        try:
            return await asyncio.to_thread(examine_alone, config(tmp_path), app.now())
        finally:
            await app.stop()

    report = asyncio.run(run())
    assert report.troubles == []
    assert report.facts["server"] == WELL


PAGES: list[tuple[str, dict[str, Any], list[tuple[str, str]]]] = [
    ("well", {}, []),
    ("well by name", {"url": "https://games.example.org"}, []),
    (
        "known by another name",
        {"url": "https://other.example.org"},
        [("page", "the page answers 421; is [web] url what browsers ask for?")],
    ),
    ("away", {"port": 9}, [("page", "the page does not answer on port 9")]),
]


@pytest.mark.parametrize(("asked", "wrong"), [row[1:] for row in PAGES], ids=[row[0] for row in PAGES])
def test_the_page_is_asked(asked: dict[str, Any], wrong: list[tuple[str, str]], tmp_path: Path) -> None:
    url = None if not asked.get("url") else "https://games.example.org"

    async def run() -> Report:
        web = WebSection(enabled=True, port=0, url=url)
        app = App(replace(config(tmp_path), listen=ListenSection(port=0), web=web), {})
        await app.start()
        assert app.page
        try:
            told = replace(config(tmp_path), web=replace(web, **{"port": app.page.port, **asked}))
            return await asyncio.to_thread(examine_alone, told, app.now())
        finally:
            await app.stop()

    assert causes(asyncio.run(run())) == wrong


def examine_alone(config: Config, now: int) -> Report:
    return examine(config, {}, now)


# ---- the relay

Judged = Callable[[int], Config]


def relay_troubles(judged: Judged, environ: dict[str, str] | None = None) -> list[str]:
    async def run() -> list[str]:
        async with double() as (handler, port):
            found = await doctor.relay(judged(port), environ or {})
            assert handler.stored == [], "no mail is sent"
            return [one.said.replace(str(port), "N") for one in found]

    return asyncio.run(run())


def test_a_relay_that_answers_is_well(tmp_path: Path) -> None:
    assert relay_troubles(lambda port: config(tmp_path, relay=port)) == []


def test_a_relay_that_takes_no_mail_is_sick(tmp_path: Path) -> None:
    """As a Postfix whose disk is full."""

    async def run() -> list[Trouble]:
        async with double() as (handler, port):
            handler.senders = "452 4.3.1 Insufficient system storage"
            return await doctor.relay(config(tmp_path, relay=port), {})

    ((_, said),) = asyncio.run(run())
    assert said.endswith(" cannot be used: 452 4.3.1")


@pytest.mark.parametrize(
    ("mail", "answer", "wrong"),
    [
        ('front = "mta"', "550 5.1.1 unknown", ["mailbot@mailbot.localhost"]),
        ('front = "mta"\nname = "hex"', "550 5.1.1 unknown", ["hex@mailbot.localhost"]),
        (
            'front = "mta"\nformer_address = "hex@a.example"',
            "550 5.1.1 unknown",
            ["mailbot@mailbot.localhost"],
        ),
        ('front = "mta"', "250 OK", []),
        ('front = "mta"\nformer_address = "hard@a.example"', "", ["hard@a.example"]),
        ('front = "none"', "550 5.1.1 unknown", []),  # a relay elsewhere need not know us
    ],
)
def test_a_mail_server_in_front_that_does_not_know_us_is_told(
    mail: str, answer: str, wrong: list[str], tmp_path: Path
) -> None:
    """The name in its tables is another one than in the settings, and it refuses all mail."""

    async def run() -> list[Trouble]:
        async with double() as (handler, port):
            handler.recipients = answer
            return await doctor.relay(config(tmp_path, f"[mail]\n{mail}", relay=port), {})

    said = (
        "the mail server in front refuses mail for {}. Are [mail] name and domain those in the tables of the mail"
        " server?"
    )
    assert asyncio.run(run()) == [Trouble("address", said.format(one)) for one in wrong]


def test_the_mail_server_in_front_is_asked_for_each_form_of_address(tmp_path: Path) -> None:
    told = config(tmp_path, '[mail]\nfront = "mta"\nname = "hex"\nformer_address = "old@a.example"', relay=1)
    own = Own("mailbot.localhost", "hex", former="old@a.example")
    asked = doctor._own(told)
    assert len(asked) == 6 and all(own.classify(one) for one in asked)


def test_a_relay_that_takes_no_letter_for_the_operator(tmp_path: Path) -> None:
    def judged(address: str) -> Judged:
        return lambda port: config(tmp_path, f'[operator]\naddress = "{address}"', relay=port)

    said = "the relay (127.0.0.1 port N) takes no letter for the [operator] address: 550 5.1.1"
    assert relay_troubles(judged("hard@else.example")) == [said]
    for address in ("me@else.example", "soft@else.example"):  # a greylist
        assert relay_troubles(judged(address)) == []


NO_WAY = "does not know where mail for mailbot@play.example goes"
OTHERS = "takes no mail for play.example from elsewhere"
POSTFIX: list[tuple[dict[str, str], str, str]] = [
    ({}, "relay:[127.0.0.1]:2525", ""),
    ({"relay_recipient_maps": ""}, "", NO_WAY),
    ({"transport_maps": ""}, "relay:[127.0.0.1]:2525", NO_WAY),
    ({"transport_maps": "hash:/etc/postfix/transport, regexp:TABLE"}, "relay:[127.0.0.1]:2525", ""),
    ({"transport_maps": "other, regexp:TABLE"}, "relay:[127.0.0.1]:2525", NO_WAY),
    ({"relay_recipient_maps": "none"}, "*", "refuses mail for mailbot@play.example"),
    ({"relay_recipient_maps": ""}, "*", ""),
    ({"myhostname": "games"}, "*", "is not called mail.play.example"),
    ({"relay_domains": "other.example"}, "*", OTHERS),
    ({"relay_domains": ""}, "*", OTHERS),
    ({"relay_domains": "other.example, PLAY.example"}, "*", ""),
    ({"relay_domains": "example"}, "*", ""),
    ({"relay_domains": "hash:/etc/postfix/domains"}, "*", ""),
    ({"inet_interfaces": "127.0.0.1, [::1]"}, "*", "listens on this machine alone"),
    ({"inet_interfaces": "127.0.0.1, 192.0.2.7"}, "*", ""),
]


@pytest.mark.parametrize(("settings", "way", "said"), POSTFIX)
def test_the_settings_of_the_postfix_in_front(
    settings: dict[str, str], way: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    well(monkeypatch)
    opened(tmp_path).close()
    table = str(tmp_path)
    found = {
        "inet_interfaces": "all",
        "myhostname": "mail.play.example",
        "relay_domains": "play.example",
        "transport_maps": "regexp:TABLE",
        "relay_recipient_maps": "regexp:TABLE",
    } | settings
    cases = "".join(f"*{name}) echo '{value.replace('TABLE', table)}';;" for name, value in found.items())
    postconf = f'case "$*" in {cases} esac'
    postmap = f"case $3 in none) ;; other) echo elsewhere;; *) echo '{way}';; esac"
    for program, does in (("postconf", postconf), ("postqueue", ""), ("postmap", postmap)):
        (place := tmp_path / program).write_text(f"#!/bin/sh\n{does}\n")
        place.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(queued, "TABLE", tmp_path)
    mail = '[mail]\ndomain = "play.example"\nfront = "mta"\nfront_name = "mail.play.example"\n'
    heard = [one for what, one in causes(examine(config(tmp_path, mail, relay=1), {}, NOW)) if what == "queue"]
    assert len(heard) == bool(said) and (not said or said in heard[0])


@pytest.mark.parametrize("maps", ["regexp:TABLE", "hash:/etc/postfix/transport"])
def test_a_server_that_does_not_know_of_the_postfix_in_front_of_it(
    maps: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`front` has been forgotten, so that Postfix would have to send back what this server refuses."""
    well(monkeypatch)
    opened(tmp_path).close()
    table = tmp_path / "mailbot_transport"
    for name, does in (
        (table.name, ""),
        ("postconf", f"echo '{maps.replace('TABLE', str(table))}'"),
        ("postqueue", ""),
    ):
        (place := tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        place.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(queued, "TABLE", table)
    heard = [one for what, one in causes(examine(config(tmp_path, relay=1), {}, NOW)) if what == "queue"]
    assert ['front is not "mta"' in one for one in heard] == [True] * ("TABLE" in maps)


STRANGE: list[tuple[dict[str, str], bool]] = [
    ({}, True),
    ({"relay_domains": "other.example"}, True),
    ({"relay_domains": "other.example, Play.example"}, False),
    ({"mydestination": "play.example"}, False),
    ({"virtual_mailbox_domains": "hash:/etc/postfix/domains"}, False),
    ({"myhostname": "elsewhere.example"}, False),
]


@pytest.mark.parametrize(("settings", "sick"), STRANGE)
def test_a_postfix_without_our_tables(
    settings: dict[str, str], sick: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """postfix.sh has not been run, or it has changed nothing because there were settings already."""
    well(monkeypatch)
    opened(tmp_path).close()
    found = {"myhostname": "mail.play.example", "mydestination": "localhost", "relay_domains": ""} | settings
    cases = "".join(f"*{name}) echo '{value}';;" for name, value in found.items())
    for program, does in (("postconf", f'case "$*" in {cases} esac'), ("postqueue", ""), ("postmap", "exit 1")):
        (place := tmp_path / program).write_text(f"#!/bin/sh\n{does}\n")
        place.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(queued, "TABLE", tmp_path / "none")
    mail = '[mail]\ndomain = "play.example"\nfront = "mta"\nfront_name = "mail.play.example"\n'
    heard = [one for what, one in causes(examine(config(tmp_path, mail, relay=1), {}, NOW)) if what == "queue"]
    assert ["has no table of mailbot's" in one for one in heard] == [True] * sick


def test_a_relay_that_is_away_is_sick(tmp_path: Path) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and nobody listens
        found = asyncio.run(doctor.relay(config(tmp_path, relay=bound.getsockname()[1]), {}))
    assert [one.said.partition("cannot")[2] for one in found] == [" be used: SMTPConnectError"]


def test_a_relay_without_the_encryption_that_is_asked_for_is_sick(tmp_path: Path) -> None:
    def judged(port: int) -> Config:
        plain = config(tmp_path, relay=port)
        return replace(plain, relay=replace(plain.relay, starttls=True))

    assert relay_troubles(judged) == ["the relay (127.0.0.1 port N) cannot be used: SMTPException"]


def test_a_password_that_only_the_service_can_read_is_not_tried(tmp_path: Path) -> None:
    """The double offers no AUTH: whoever wants to log in fails."""

    def judged(port: int) -> Config:
        plain = config(tmp_path, relay=port)
        return replace(plain, relay=replace(plain.relay, username="u"))

    assert relay_troubles(judged) == []
    (tmp_path / "relay-password").write_text("canary-relay-8")
    (said,) = relay_troubles(judged, {"CREDENTIALS_DIRECTORY": str(tmp_path)})
    assert said.startswith("the relay (127.0.0.1 port N) cannot be used: SMTP")
    assert "canary" not in said


def test_a_relay_that_says_nothing_is_sick_in_time(tmp_path: Path) -> None:
    async def run() -> list[Trouble]:
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            return await doctor.relay(config(tmp_path, relay=silent.getsockname()[1]), {}, 0.05)

    ((what, said),) = asyncio.run(run())
    assert what == "relay"
    assert said.endswith((" has not answered within 0.05 seconds", " cannot be used: SMTPConnectTimeoutError"))


def test_a_relay_that_is_mailbot_itself_is_sick(tmp_path: Path) -> None:
    async def run() -> list[Trouble]:
        async with house(hostname="mailbot.localhost") as h:
            return await doctor.relay(config(tmp_path, relay=h.listener.port), {})

    ((_, said),) = asyncio.run(run())
    assert said.endswith(" is mailbot itself")


# ---- backups

BACKUPS = [
    # age of the server and of the last backup, with a relay, the trouble
    (BACKUP_LATE, None, True, ""),
    (BACKUP_LATE + 1, None, True, "there is no backup; see: mailbot backup"),
    (BACKUP_LATE + 1, None, False, ""),
    (99 * DAY, BACKUP_LATE, True, ""),
    (99 * DAY, BACKUP_LATE + DAY, True, "the last backup is 9 days old; see: mailbot backup"),
]


@pytest.mark.parametrize(("age", "backup", "relay", "said"), BACKUPS)
def test_backups(
    age: int, backup: int | None, relay: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answers(*_: object) -> list[Trouble]:
        return []

    monkeypatch.setattr(doctor, "relay", answers)
    well(monkeypatch)
    opened(tmp_path).close()
    judged = config(tmp_path, relay=25 if relay else 0)
    if backup is not None:
        note_backup(judged, NOW + age - backup)
    report = examine(judged, {}, NOW + age)
    assert causes(report) == ([("backup", said)] if said else [])
    assert report.facts["backup_age_seconds"] == backup


def test_a_backup_is_noted(tmp_path: Path) -> None:
    opened(tmp_path).close()
    assert "last backup: never" in cli(tmp_path, "doctor")[1]
    assert cli(tmp_path, "backup", str(tmp_path / "copy"))[0] == 0
    assert "last backup: 0 days ago" in cli(tmp_path, "doctor")[1]


# ---- the command


def test_the_command_without_a_database(tmp_path: Path) -> None:
    code, said = cli(tmp_path, "doctor")
    assert code == 1
    assert f"TROUBLE: there is no database at {tmp_path}/db; has the server run yet?" in said.splitlines()


@pytest.mark.parametrize("content", [b"", b"this is no database, not at all" * 100])
def test_the_command_with_another_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(content)
    code, said = cli(tmp_path, "doctor")
    assert (code, f"TROUBLE: {tmp_path}/db " in said) == (1, True)


def test_the_command_for_programs(tmp_path: Path) -> None:
    opened(tmp_path).close()
    code, said = cli(tmp_path, "doctor", "--json")
    found = json.loads(said)
    assert (code, found["well"], found["facts"]["server"]) == (1, False, None)
    assert {"what": "server", "said": "the server is not running"} in found["troubles"]
    assert found["facts"]["letters_waiting"] == 0


def test_a_damaged_database_is_one_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    well(monkeypatch)
    store = opened(tmp_path)
    store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    store.close()
    content = (tmp_path / "db").read_bytes()
    (tmp_path / "db").write_bytes(content[:40_960] + b"\xff" * (len(content) - 40_960))
    found = causes(examine(config(tmp_path), {}, NOW))
    assert [what for what, _ in found] == ["database"]


@pytest.mark.parametrize(("to", "trouble"), [(["a@x.example", "op@y.example"], 1), (["a@x.example"], 1), ([], 0)])
def test_a_new_server_whose_letters_do_not_leave_is_sick(
    to: list[str], trouble: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can become a player there."""
    well(monkeypatch)
    opened(tmp_path).close()
    listed = [
        {
            "arrival_time": NOW - 7200,
            "sender": "bounce@play.example",
            "recipients": [{"address": at, "delay_reason": SHUT}],
        }
        for at in to
    ]
    monkeypatch.setattr(queued, "listed", lambda seconds: [json.dumps(row) for row in listed])
    report = examine(config(tmp_path, '[mail]\ndomain = "play.example"\nfront = "mta"\n', relay=1), {}, NOW)
    assert len([said for what, said in causes(report) if what == "queue"]) == trouble


@pytest.mark.parametrize(("code", "ours", "sick"), [(69, True, True), (69, False, False), (0, True, False)])
def test_a_postfix_that_does_not_show_its_queue(
    code: int, ours: bool, sick: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be down, while letters leave by another relay."""
    well(monkeypatch)
    opened(tmp_path).close()
    (program := tmp_path / "postqueue").write_text(f"#!/bin/sh\nexit {code}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(queued, "TABLE", tmp_path if ours else tmp_path / "none")
    report = examine(config(tmp_path, '[mail]\ndomain = "play.example"\nfront = "mta"\n', relay=1), {}, NOW)
    said = "Postfix does not show its queue (postqueue ends with 69): is it running, and may this user ask"
    assert [one for what, one in causes(report) if what == "queue"] == [f"{said} (authorized_mailq_users)?"] * sick


@pytest.mark.parametrize(
    ("listens", "ours", "sick"), [("loopback-only", True, True), ("loopback-only", False, False), ("all", True, False)]
)
def test_a_postfix_that_takes_no_mail_from_elsewhere(
    listens: str, ours: bool, sick: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Debian sets it up for a machine that only sends."""
    well(monkeypatch)
    opened(tmp_path).close()
    for name, said in (("postconf", f"echo {listens}"), ("postqueue", "")):
        (program := tmp_path / name).write_text(f"#!/bin/sh\n{said}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(queued, "TABLE", tmp_path if ours else tmp_path / "none")
    report = examine(config(tmp_path, '[mail]\ndomain = "play.example"\nfront = "mta"\n', relay=1), {}, NOW)
    assert any("listens on this machine alone" in one for _, one in causes(report)) == sick


def test_a_server_with_a_name_and_no_way_out_is_sick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    well(monkeypatch)
    opened(tmp_path).close()
    (said,) = causes(examine(config(tmp_path, '[mail]\ndomain = "play.example"'), {}, NOW))
    out = f"[relay] host is not set: letters are only written to {tmp_path}/mail, and nobody gets them"
    assert said == ("relay", out)


@pytest.mark.parametrize(
    ("front", "ours", "astray", "sick"),
    [("mta", 0, 3, True), ("mta", 1, 3, False), ("mta", 0, 0, False), ("none", 0, 3, False)],
)
def test_mail_for_others_alone(
    front: str, ours: int, astray: int, sick: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip of the pen on a new server: Postfix hands over what nobody here has."""
    well(monkeypatch, ours=ours, astray=astray)
    opened(tmp_path).close()
    found = causes(examine(config(tmp_path, f'[mail]\nfront = "{front}"\ndomain = "play.example"', relay=1), {}, NOW))
    assert [what for what, _ in found if what == "address"] == ["address"] * sick


def test_a_domain_that_the_store_has_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    well(monkeypatch)
    before = config(tmp_path, '[mail]\ndomain = "play.example"')
    opening.opened(before, before.store.path, NOW).close()
    found = causes(examine(config(tmp_path, '[mail]\ndomain = "paly.example"'), {}, NOW))
    assert [said for what, said in found if what == "config" and "has served mailbot@play.example" in said]


def test_in_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    """`sudo -u mailbot mailbot doctor` in somebody's home: a child goes there and drops the rights that root has."""
    if os.getuid():
        pytest.skip("needs root")
    (home := tmp_path / "home").mkdir(mode=0o700)
    script = (
        "import os; from mailbot.shell.config.load import load\n"
        "os.chdir(os.environ['HOME']); os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "print(load(None, {}).source)"
    )
    environ = {**os.environ, "HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.strip() in ("embedded defaults", "/etc/mailbot.toml")


SHUT = "connect to a[192.0.2.1]:25: Connection timed out"
QUEUES = [
    ([], ""),
    (
        [("ann@far.example", "connect to a[192.0.2.1]:25: Connection timed out", 7200)],
        "the mail servers of players (domains: 1)",
    ),
    ([("ann@far.example", "connect to a[192.0.2.1]:25: Connection timed out", 1800)], ""),
    ([("typo@x.example", SHUT, 7200), ("typo@y.example", SHUT, 7200)], ""),  # nobody's, or nobody's yet
    ([("ann@far.example", "host a said: 450 greylisted", 7200)], ""),
    (
        [("mailbot@play.example", "connect to 127.0.0.1[127.0.0.1]:2525: Connection refused", 700)],
        "did not reach this server",
    ),
    ([("mailbot@play.example", "connect to 127.0.0.1[127.0.0.1]:2525: Connection refused", 500)], ""),
    ([("ann@far.example", "host a said: 451 4.7.1 later", 4 * 3600 + 60)], "waited in Postfix for 4 hours"),
    ([("ann@far.example", "", 26 * 3600)], "waited in Postfix for 1 day"),
    ([("mailbot@play.example", "host a said: 451 4.7.1 later", 5 * 3600)], "a mail for this server has waited"),
    ([("x@a.far.example", "", 9)] * 1000 + [("x@b.far.example", "", 9)] * 1001, "2001 letters to one domain wait"),
    ([("x@far.example", "", 9)] * 1500 + [("x@near.example", "", 9)] * 1500, ""),
]


@pytest.mark.parametrize(("waiting", "trouble"), QUEUES)
def test_what_waits_in_postfix(
    waiting: list[tuple[str, str, int]], trouble: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    well(monkeypatch)
    store = opened(tmp_path)
    store.begin()
    rows.put(store.db, Player(1, "ann", "active", "", 1, 1, NOW))
    rows.put(store.db, Address(1, 1, "ann@far.example", "current", 0, NOW))
    rows.put(store.db, Game(1, "lambo", 1, -1, "running", 3, 0, 1, None, "", NOW, NOW))
    store.commit()
    store.close()
    listed = [
        {
            "arrival_time": NOW - age,
            "sender": "ann@far.example" if "play" in address else "mailbot+b@play.example",
            "recipients": [{"address": address, "delay_reason": why}],
        }
        for address, why, age in waiting
    ]
    monkeypatch.setattr(queued, "listed", lambda seconds: [json.dumps(row) for row in listed])
    report = examine(config(tmp_path, '[mail]\ndomain = "play.example"\nfront = "mta"\n', relay=1), {}, NOW)
    found = [said for what, said in causes(report) if what == "queue"]
    assert len(found) == bool(trouble) and all(trouble in said for said in found)
    assert "@" not in report.as_text() + report.as_json()
    assert any(line.startswith("in Postfix: ") for line in report.lines)
