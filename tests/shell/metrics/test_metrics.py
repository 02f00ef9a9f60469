"""What Prometheus is told: every number of the table and no other, from plain counters, and nothing about a person."""

import asyncio
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from mailbot.core.model import Game
from mailbot.shell.app import App
from mailbot.shell.config.load import ConfigError, parse
from mailbot.shell.config.preflight import preflight, without_client
from mailbot.shell.config.settings import (
    BotsSection,
    Config,
    ListenSection,
    MetricsSection,
    PicturesSection,
    RelaySection,
    StoreSection,
    WebSection,
)
from mailbot.shell.metrics import scrape
from mailbot.shell.metrics.counts import BOUNDS, OUTCOMES, Counts, Durations, Moment
from mailbot.shell.metrics.port import AT_ONCE
from mailbot.shell.metrics.table import METRICS
from mailbot.shell.reception import Reception
from mailbot.shell.smtp.wire import Envelope
from mailbot.store import gauges, rows
from mailbot.store.store import Store
from tests.dialogues.play import PASSWORDS, Server, happened
from tests.e2e.test_games import ANN, Desk

ROOT = Path(__file__).parents[3]
NOW = 1_770_000_000
PASSWORD = "correct-horse-1"


def told(text: str) -> dict[tuple[str, str], float]:
    """The samples: name and the value of the label, if there is one."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            assert len(sample.labels) <= 1
            found[sample.name, next(iter(sample.labels.values()), "")] = sample.value
    return found


def samples(of: str) -> set[tuple[str, str]]:
    """The samples that a row of the table stands for."""
    row = next(row for row in METRICS if row.name == of)
    if row.kind == "histogram":
        bounds = {(f"{of}_bucket", str(bound)) for bound in (*BOUNDS, "+Inf")}
        return {*bounds, (f"{of}_count", ""), (f"{of}_sum", "")}
    return {(of, word) for word in row.words or [""]}


# ---- the daemon


def config(folder: Path, *, metrics: bool = True) -> Config:
    return Config(
        listen=ListenSection(port=0),
        store=StoreSection(path=folder / "db"),
        relay=RelaySection(maildir=folder / "mail"),
        bots=BotsSection(workers=0),
        pictures=PicturesSection(workers=0),
        web=WebSection(enabled=True, port=0),
        metrics=MetricsSection(listen="127.0.0.1:0" if metrics else None),
    )


async def ask(port: int, line: bytes = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(line)
    try:
        return (await reader.read()).decode()
    except ConnectionError:
        return ""
    finally:
        writer.close()


def daemon(folder: Path, play: Callable[[Desk, int], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Desk(folder, config=config(folder)) as desk:
            assert desk.app.metrics
            await play(desk, desk.app.metrics.port)

    asyncio.run(run())


def test_what_a_daemon_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every number of the table and no other; mails, letters, commits and pages are counted; rows are counted in
    another thread, and once for two questions; and there is nothing of a person in it."""
    threads: list[int] = []
    read = gauges.read

    def seen(*given: object) -> gauges.Gauges:
        threads.append(threading.get_ident())
        return read(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(gauges, "read", seen)

    async def play(desk: Desk, port: int) -> None:
        await desk.command(ANN, f"signup ann {PASSWORD}")
        await desk.answer(ANN, "yes")
        await desk.command(ANN, f"resign 7 ann {PASSWORD}")
        page = desk.app.page
        assert page
        for path in ("/", "/nowhere"):
            line = f"GET {path} HTTP/1.1\r\nHost: localhost:{page.port}\r\nConnection: close\r\n\r\n"
            await ask(page.port, line.encode())
        whole = await ask(port)
        assert whole.startswith("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=")
        text = whole.partition("\r\n\r\n")[2]
        values = told(text)
        ours = {key for key in values if not key[0].startswith("process_")}
        assert ours == {sample for row in METRICS for sample in samples(row.name)}
        assert "process_cpu_seconds_total" in {name for name, _ in values}
        assert values["mailbot_mails_total", "kept"] == 1, "the sign-up, which proves nothing"
        assert values["mailbot_mails_total", "taken"] == 1, "the answer"
        assert values["mailbot_mails_total", "not_done"] == 1, "there is no board 7"
        assert sum(values["mailbot_mails_total", word] for word in OUTCOMES) == 3
        assert values["mailbot_letters_total", "sent"] == values["mailbot_letters", "sent"] == 3
        assert values["mailbot_players", "active"] == 1
        assert values["mailbot_page_requests_total", "2xx"] == 1
        assert values["mailbot_page_requests_total", "4xx"] == 1
        assert values["mailbot_commit_seconds_count", ""] > 5
        assert values["mailbot_jobs_total", ""] >= values["mailbot_commit_seconds_count", ""]
        assert values["mailbot_hash_places", ""] == 64
        assert values["mailbot_disk_free_bytes", ""] > 0 < values["mailbot_store_bytes", ""]
        assert not re.search("ann|example|resign|signup", text)
        await ask(port)
        assert len(threads) == 1
        assert threading.get_ident() not in threads
        await refused(port)

    daemon(tmp_path, play)


async def refused(port: int) -> None:
    """What else may be said at the port."""
    for line, answer in (
        (b"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404"),
        (b"GET /metrics/../etc HTTP/1.1\r\n\r\n", "HTTP/1.1 404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 404"),
        (b"\r\n\r\n", "HTTP/1.1 404"),
        (b"x" * 9000, ""),
    ):
        said = await ask(port, line)
        assert said.startswith(answer), line[:40]
        assert bool(said) == bool(answer)
    head = await ask(port, b"HEAD /metrics HTTP/1.1\r\n\r\n")
    assert head.endswith("\r\n\r\n")
    silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(AT_ONCE)]
    assert await ask(port) == "", "one too many"
    for _, writer in silent:
        writer.close()


def test_a_store_that_cannot_be_read_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> gauges.Gauges:
        raise OSError("the store cannot be read")

    monkeypatch.setattr(gauges, "read", broken)

    async def play(desk: Desk, port: int) -> None:
        assert (await ask(port)).startswith("HTTP/1.1 503")

    daemon(tmp_path, play)


def test_there_are_none_by_default_and_none_without_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert Config().metrics.listen is None
    monkeypatch.setattr("mailbot.shell.config.preflight.find_spec", lambda name: None)
    wanted = config(tmp_path)
    assert [*without_client(Config())] == []
    assert [*without_client(wanted)] == [note for note in preflight(wanted, {}) if "metrics" in note]

    async def run() -> None:
        app = App(wanted, {})
        await app.start()
        assert app.metrics is None
        await app.stop()

    asyncio.run(run())
    assert "with its extra 'metrics'" in caplog.text


# ---- what is counted


@pytest.mark.parametrize("front_mta", [False, True])
def test_each_mail_counts_once(front_mta: bool, tmp_path: Path) -> None:
    """The row says the mail, and what counts it directly, and behind a mail server."""
    mails = [
        (("ann@example.org", f"lambo challenge ann bob {PASSWORDS['ann']}", ""), "taken", "taken"),
        (("ann@example.org", f"move 99 ann {PASSWORDS['ann']} b1", ""), "not_done", "not_done"),
        (("ann@example.org", "games", ""), "kept", "kept"),
        (("ann@example.org", "resign 1", ""), "kept", "kept"),
        (("ann@example.org", "Hello there", "How are you?"), "refused", "dropped"),
        (("ann@example.org", "games ann wrong-password-1", ""), None, None),
        (("eve@example.org", "x", "", "postmaster@games.example.net"), "for_operator", "for_operator"),
    ]

    async def run() -> dict[str, int]:
        server = Server(tmp_path, front_mta=front_mta)
        server.writer.start()
        await happened(server, "> begin ann bob", [])
        counts = server.reception._mails
        for mail, direct, behind in mails:
            before = dict(counts)
            envelope = server.mail(*mail)
            await server.accept(envelope)
            changed = {word: counts[word] - before[word] for word in counts if counts[word] != before[word]}
            assert sum(changed.values()) == 1, mail
            if direct:
                assert changed == {behind if front_mta else direct: 1}, mail
        again = dict(counts)
        envelope = server.mail(*mails[0][0])
        await server.accept(envelope)
        await server.accept(envelope)
        assert counts["seen_before"] == again["seen_before"] + 1
        await server.accept(Envelope("192.0.2.1", "a@example.org", (server.own.address,), b"\x00"))
        await server.close()
        return counts

    counts = asyncio.run(run())
    assert set(counts) == set(OUTCOMES)


def test_a_mail_that_breaks_the_code_is_set_aside_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        server = Server(tmp_path)
        server.writer.start()
        await happened(server, "> begin ann bob", [])
        monkeypatch.setattr(Store, "enter", lambda *_: 1 / 0)
        await server.accept(server.mail("ann@example.org", f"list ann {PASSWORDS['ann']}", "x"))
        await server.accept(server.mail("ann@example.org", f"move 1 ann {PASSWORDS['ann']} b1", ""))
        assert isinstance(server.reception, Reception)
        assert server.reception._mails["set_aside"] >= 1
        await server.close()

    asyncio.run(run())


def test_durations() -> None:
    took = Durations()
    for seconds in (0.0005, 0.001, 0.003, 9.0):
        took.add(seconds)
    assert took.counts[:3] == [2, 0, 1]
    assert (took.counts[-1], sum(took.counts)) == (1, 4)
    assert round(took.seconds, 4) == 9.0045


def test_what_the_rows_say(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "db", NOW, b"k" * 32)
    store.begin()
    board = Game(1, "lambo", -1, 1, "running", 3, 0, 1, None, "", NOW, NOW)
    people = [
        rows.Player(number, f"name{number}", state, "", 1, 1, NOW) for number, state in ((1, "active"), (2, "gone"))
    ]
    for row in [*people, board, board._replace(id=2, to_move=2), board._replace(id=3, state="over", to_move=0)]:
        rows.put(store.db, row)
    letter = "INSERT INTO outbox (player, address, box, kind, template, subject, facts, token, thread, answers, news,"
    letter += (
        " same, created, state, due, lease, attempts, why) VALUES (1, 'a', 'a', '', '', '', '', '', '', '', 0, '',"
    )
    for created, state in ((NOW - 90, "waiting"), (NOW - 9, "waiting"), (NOW - 500, "failed")):
        store.db.execute(f"{letter} ?, ?, 0, 0, 0, '')", (created, state))
    store.commit()
    found = gauges.read(store.db, NOW)
    assert found.letters == {"waiting": 2, "sent": 0, "failed": 1, "stuck": 0}
    assert (found.oldest, found.bots, found.games["running"], found.games["over"]) == (NOW - 90, 1, 2, 1)
    assert (found.players["active"], found.players["gone"], found.boards, found.steps) == (1, 1, 0, 0)
    moment = Moment(True, 3, 64, {"workers": 2, "thinking": 1, "given_up": 0}, 5)
    text = asyncio.run(scrape.Scrape(Counts(), tmp_path / "db", 7, lambda: moment, lambda: NOW).text()).decode()
    values = told(text)
    assert values["mailbot_oldest_letter_seconds", ""] == 90
    assert (values["mailbot_relay_trouble", ""], values["mailbot_bots_waiting", ""]) == (1, 1)
    assert (values["mailbot_backup_timestamp_seconds", ""], values["mailbot_page_watchers", ""]) == (0, 5)
    store.close()


# ---- where it listens

PLACES = [
    ("127.0.0.1:9464", "", True),
    ("[::1]:9464", "", True),
    ("localhost:9464", "", True),
    ("0.0.0.0:9464", "", False),
    ("[::]:9464", "", False),
    ("192.0.2.1:9464", "", False),
    ("metrics.example.org:9464", "", False),
    ("0.0.0.0:9464", "anywhere = true", True),
]


@pytest.mark.parametrize(("listen", "more", "good"), PLACES)
def test_only_this_machine_unless_said_otherwise(listen: str, more: str, good: bool) -> None:
    written = f'[metrics]\nlisten = "{listen}"\n{more}\n'
    if good:
        assert parse(written, "f").metrics.listen == listen
    else:
        with pytest.raises(ConfigError, match=r"^f: \[metrics\] listen can be reached by other machines"):
            parse(written, "f")


@pytest.mark.parametrize(
    "listen", ["9464", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", "::1:9464", "[127.0.0.1]:1", ":1"]
)
def test_what_is_no_place(listen: str) -> None:
    with pytest.raises(ConfigError, match=r"^f: \[metrics\] listen must be a host and a port such as"):
        parse(f'[metrics]\nlisten = "{listen}"\n', "f")


@pytest.mark.parametrize("other", ["[listen]\nport = 9464", "[web]\nenabled = true\nport = 9464"])
def test_two_things_cannot_have_one_port(other: str) -> None:
    with pytest.raises(ConfigError, match=r"^f: \[metrics\] listen has the port of \[listen\] or \[web\]"):
        parse(f'{other}\n[metrics]\nlisten = "127.0.0.1:9464"\n', "f")
    parse('[web]\nport = 9464\n[metrics]\nlisten = "127.0.0.1:9464"\n', "f")


def test_a_port_in_use_stops_the_start(tmp_path: Path) -> None:
    async def run() -> None:
        server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        wanted = replace(config(tmp_path), metrics=MetricsSection(listen=f"127.0.0.1:{port}"))
        app = App(wanted, {})
        with pytest.raises(OSError, match="in use"):
            await app.start()
        await app.stop()
        server.close()

    asyncio.run(run())


# ---- the documents

NAMES = {row.name for row in METRICS}
PROCESS = {"process_cpu_seconds_total", "process_resident_memory_bytes"}


def used(text: str) -> set[str]:
    """The metrics that an expression names."""
    words = re.findall(r"\b(?:mailbot|process)_\w+", text)
    return {re.sub(r"(?<=commit_seconds)_(bucket|count|sum)$", "", word) for word in words}


def labels(text: str) -> list[tuple[str, str, str]]:
    """Metric, label and value where an expression picks series."""
    return re.findall(r'(mailbot_\w+)\{(\w+)!?="(\w+)"\}', text)


def test_the_table_of_the_document_is_the_table() -> None:
    page = (ROOT / "docs/metrics.md").read_text()
    shown = re.findall(r"^\| `(mailbot_\w+)` \| (\w+) \| (.*?) \| (.*) \|$", page, re.MULTILINE)
    right = [
        (row.name, row.kind, f"`{row.label}`: {', '.join(row.words)}" if row.label else "", row.help) for row in METRICS
    ]
    assert [tuple(cell.strip() for cell in line) for line in shown] == right
    assert len(NAMES) == len(METRICS)
    for row in METRICS:
        assert (row.kind == "counter") == row.name.endswith("_total")
        assert row.help.endswith(".")


def test_every_metric_of_the_dashboard_exists_and_every_metric_is_on_it() -> None:
    dashboard = json.loads((ROOT / "config/grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert set().union(*map(used, asked)) - PROCESS == NAMES
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    assert all(panel["title"] for panel in dashboard["panels"])


def test_every_metric_of_the_alerts_exists_and_every_alert_is_explained() -> None:
    text = (ROOT / "config/mailbot-alerts.yml").read_text()
    expressions = re.findall(r"^ +expr: (.*)$", text, re.MULTILINE)
    names = re.findall(r"alert: (\w+)$", text, re.MULTILINE)
    assert len(expressions) == len(names) > 10
    assert set().union(*map(used, expressions)) <= NAMES
    page = (ROOT / "docs/metrics.md").read_text()
    assert [name for name in names if f"`{name}`" not in page] == []
    words = {row.name: (row.label, row.words) for row in METRICS}
    picked = labels(text) + labels((ROOT / "config/grafana.json").read_text().replace('\\"', '"'))
    assert picked
    for name, label, value in picked:
        assert label == words[name][0]
        assert value in words[name][1]


def test_prometheus_itself_finds_nothing_wrong(tmp_path: Path) -> None:
    """promtool reads the rules, and what the server tells."""
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed (Debian: prometheus)")
    rules = subprocess.run(
        ["promtool", "check", "rules", str(ROOT / "config/mailbot-alerts.yml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert rules.returncode == 0, rules.stderr
    Store.open(tmp_path / "db", NOW, b"k" * 32).close()
    moment = Moment(False, 0, 64, {"workers": 0, "thinking": 0, "given_up": 0}, 0)
    text = asyncio.run(scrape.Scrape(Counts(), tmp_path / "db", 7, lambda: moment, lambda: NOW).text())
    read = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    assert (read.returncode, read.stdout, read.stderr) == (0, b"", b"")


ALERTS = [
    # the alert, and series with a value each minute: those with which it fires, and with which it does not
    ("MailbotDown", {"up": "0x60"}, {"up": "1x60"}),
    ("MailbotLettersWait", {"mailbot_oldest_letter_seconds": "7201x60"}, {"mailbot_oldest_letter_seconds": "7100x60"}),
    ("MailbotRelayTrouble", {"mailbot_relay_trouble": "1x60"}, {"mailbot_relay_trouble": "1x20 0x40"}),
    (
        "MailbotLettersStuck",
        {'mailbot_letters_total{outcome="stuck"}': "0x30 1x30"},
        {"mailbot_letters_total": "5+1x60"},
    ),
    ("MailbotMailsSetAside", {"mailbot_mails_set_aside": "1x60"}, {"mailbot_mails_set_aside": "0x60"}),
    (
        "MailbotPutsMailsOff",
        {'mailbot_mails_total{outcome="put_off"}': "0+9x60"},
        {'mailbot_mails_total{outcome="taken"}': "0+9x60"},
    ),
    ("MailbotCannotWrite", {"mailbot_unwritten_total": "0x55 1x5"}, {"mailbot_unwritten_total": "3x60"}),
    (
        "MailbotSlowCommits",
        {
            'mailbot_commit_seconds_bucket{le="0.5"}': "0x60",
            'mailbot_commit_seconds_bucket{le="1.0"}': "0+9x60",
            'mailbot_commit_seconds_bucket{le="+Inf"}': "0+9x60",
        },
        {'mailbot_commit_seconds_bucket{le="0.5"}': "0+9x60", 'mailbot_commit_seconds_bucket{le="+Inf"}': "0+9x60"},
    ),
    (
        "MailbotDiskFull",
        {"mailbot_disk_free_bytes": "19x60", "mailbot_disk_least_bytes": "10x60"},
        {"mailbot_disk_free_bytes": "21x60", "mailbot_disk_least_bytes": "10x60"},
    ),
    (
        "MailbotBackupOld",
        {"mailbot_backup_timestamp_seconds": "-180000x120"},
        {"mailbot_backup_timestamp_seconds": "0x120"},
    ),
    (
        "MailbotPasswordsBusy",
        {"mailbot_hash_queue": "64x60", "mailbot_hash_places": "64x60"},
        {"mailbot_hash_queue": "63x60", "mailbot_hash_places": "64x60"},
    ),
    (
        "MailbotComputersBehind",
        {"mailbot_bots_waiting": "41x120", "mailbot_bots_workers": "2x120"},
        {"mailbot_bots_waiting": "41x120", "mailbot_bots_workers": "0x120"},
    ),
    ("MailbotComputerGaveUp", {"mailbot_bots_given_up": "1x60"}, {"mailbot_bots_given_up": "0x60"}),
    ("MailbotTournamentsWait", {"mailbot_tournament_steps_due": "1x60"}, {"mailbot_tournament_steps_due": "0x60"}),
    (
        "MailbotPageBroken",
        {'mailbot_page_requests_total{code="5xx"}': "0+3x60"},
        {'mailbot_page_requests_total{code="4xx"}': "0+9x60"},
    ),
]


@pytest.mark.nightly
def test_each_alert_fires_when_it_should_and_only_then(tmp_path: Path) -> None:
    """As Prometheus sees it, after an hour (two where the alert waits for one)."""
    text = (ROOT / "config/mailbot-alerts.yml").read_text()
    assert [name for name, _, _ in ALERTS] == re.findall(r"alert: (\w+)$", text, re.MULTILINE)
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed (Debian: prometheus)")
    rules = dict(re.findall(r"alert: (\w+)\n(?:.*\n)*? +summary: (.*)", text))
    tests = []
    for name, fires, quiet in ALERTS:
        for series, fired in ((fires, True), (quiet, False)):
            given = [
                {"series": one if "{" in one else one + '{job="mailbot"}', "values": values}
                for one, values in series.items()
            ]
            labels = {"job": "mailbot"} if fired and not any("{" in one for one in series) else {}
            labels |= dict(re.findall(r'(outcome|code)="(\w+)"', " ".join(series))) if fired else {}
            wanted = [{"exp_labels": labels, "exp_annotations": {"summary": rules[name]}}] if fired else []
            at = "118m" if "120" in str(series) else "58m"
            tests.append(
                {
                    "interval": "1m",
                    "input_series": given,
                    "alert_rule_test": [{"eval_time": at, "alertname": name, "exp_alerts": wanted}],
                }
            )
    file = tmp_path / "tests.yml"
    file.write_text(json.dumps({"rule_files": [str(ROOT / "config/mailbot-alerts.yml")], "tests": tests}))
    done = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
