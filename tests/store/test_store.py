"""The store: requests are done once, all or nothing, or set aside; files are upgraded or refused. T1 to T10."""

import dataclasses
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from mailbot.core import converse
from mailbot.core import handle as door
from mailbot.core.caps import Caps
from mailbot.core.effects import Kind, Letter, Post, Put
from mailbot.core.model import DAY, Address, Player
from mailbot.core.players.attempts import Attempts, at_home
from mailbot.core.tokens import LARGEST_KEY_ID, PLAY, Token
from mailbot.core.world import Asked, Proofs, Request, Timer
from mailbot.store import attempts, outbox, reports, restored, rows, schema
from mailbot.store.connection import connect
from mailbot.store.copies import copy_to
from mailbot.store.hold import Locked
from mailbot.store.reads import Reads
from mailbot.store.requests import request_of, text_of
from mailbot.store.store import KEEP_DAYS, Store

NOW = 1_770_000_000
KEY = b"k" * 32
ANN = Player(1, "ann", "active", "hash", 1, 1, NOW)


@pytest.fixture
def store(tmp_path: Path):  # type: ignore[no-untyped-def]
    opened = Store.open(tmp_path / "db", NOW, KEY)
    opened.begin()
    for row in (ANN, Address(1, 1, "ann@example.org", "current", 0, NOW)):
        rows.put(opened.db, row)
    opened.commit()
    yield opened
    if opened.in_transaction:
        opened.rollback()
    opened.close()


def request(number: int = 1, **more: object) -> Request:
    made = Request(NOW, (Asked("help", args={"topic": ()}, by=1),), 1, "ann@example.org", dedupe=f"{number:064x}")
    return replace(made, **more)  # type: ignore[arg-type]


def letters(store: Store) -> int:
    return int(store.db.execute("SELECT count(*) FROM outbox").fetchone()[0])


def test_a_mail_is_done_once(store: Store) -> None:
    store.begin()
    assert store.enter(request())
    assert not store.enter(request())
    store.commit()
    assert letters(store) == 1


def test_a_job_that_fails_leaves_the_others(store: Store) -> None:
    store.begin()
    store.attempt(lambda s: s.enter(request(1)))

    def breaks(inner: Store) -> None:
        inner.enter(request(2))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.attempt(breaks)
    store.attempt(lambda s: s.enter(request(3)))
    store.commit()
    assert letters(store) == 2
    store.begin()
    assert store.enter(request(2)), "the failed one was not remembered as done"
    store.rollback()


def test_set_aside_and_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(converse, "handle", broken)
    store.begin()
    with pytest.raises(ZeroDivisionError):
        store.attempt(lambda s: s.enter(request()))
    number = store.set_aside(request(), "ZeroDivisionError")
    store.commit()
    assert [row[0] for row in reports.shunted(store.db)] == [number]
    store.begin()
    assert not store.enter(request()), "the same mail again must not run while it is set aside"
    with pytest.raises(ZeroDivisionError):
        store.attempt(lambda s: s.retry(number, NOW))
    store.retry_failed(number)
    monkeypatch.setattr(converse, "handle", door.handle)
    before = letters(store)
    store.attempt(lambda s: s.retry(number, NOW + 5))
    store.commit()
    assert letters(store) == before + 1
    assert reports.shunted(store.db) == []
    with pytest.raises(KeyError):
        store.retry(number, NOW)


def test_a_request_survives_being_kept(store: Store) -> None:
    """What is set aside comes back as it was, tokens and new passwords included."""
    full = request(
        asked=(Asked("reset", "lambo", {"board#": ("1", "2")}, 1, "token", ("hash", "nonce"), "line", ""),),
        token=("f", 3, 4),
    )
    store.begin()
    store.set_aside(full, "x")
    seen: list[Request] = []
    store.enter = seen.append  # type: ignore[method-assign]
    store.retry(1, NOW + 9)
    kept = replace(full, now=NOW + 9, dedupe="")
    assert [list(one.args.values()) for one in seen[0].asked] == [[("1", "2")]]
    assert replace(seen[0], asked=()) == replace(kept, asked=())
    assert seen[0].asked[0].secret == ("hash", "nonce")


OLD = (
    '{"now": 1769000000, "asked": [{"name": "move", "game": "", "args": {"board": "1", "move": "b4"}, "by": 1, "proof":'
    ' "token", "secret": null, "line": "b4", "trouble": ""}], "player": 1, "sender": "ann@example.org", "text": "Hi",'
    ' "unread": "", "message_id": "<1@x>", "dedupe": "ab", "token": ["p", 1, 3], "undone": "", "mark": "m1"}'
)
"""A row of a mailbot that knew no timers."""


def test_an_old_row_still_reads() -> None:
    asked = Asked("move", args={"board": "1", "move": "b4"}, by=1, proof=Proofs.TOKEN, line="b4")
    token = (PLAY, 1, 3)
    assert request_of(OLD, NOW) == Request(
        NOW, (asked,), 1, "ann@example.org", "Hi", message_id="<1@x>", dedupe="ab", token=token, mark="m1"
    )


@pytest.mark.parametrize("text", ["", "{}", "[]", OLD[:-1], OLD.replace('"token", "secret"', '3, "secret"')])
def test_a_row_that_is_no_request_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        request_of(text, NOW)


def test_a_request_of_the_clock_survives_being_kept() -> None:
    rung = Request(NOW, timer=Timer(NOW, "offer", 3))
    assert request_of(text_of(rung), NOW) == rung


def test_poison(store: Store) -> None:
    key = request().dedupe
    store.begin()
    for crashes in range(3):
        assert not store.poisonous(key), crashes
        store.crashed_with(key, NOW)
    assert store.poisonous(key)


def test_a_move_cannot_stand_twice_at_one_ply(store: Store) -> None:
    """The second fence: whatever else fails, (game, ply) is unique."""
    from mailbot.core.model import Game, Move

    game = Game(1, "lambo", 1, 1, "running", 3, 0, 1, None, "", NOW, NOW)
    store.begin()
    rows.put(store.db, game)
    rows.put(store.db, Move(1, 1, 1, "b1", "", NOW))
    with pytest.raises(sqlite3.IntegrityError):
        rows.put(store.db, Move(1, 1, 1, "b2", "", NOW))


def test_only_one_writer(tmp_path: Path) -> None:
    first = Store.open(tmp_path / "db", NOW, KEY)
    with pytest.raises(Locked):
        Store.open(tmp_path / "db", NOW, KEY)
    (tmp_path / "link").symlink_to(tmp_path / "db")
    with pytest.raises(Locked):
        Store.open(tmp_path / "link", NOW, KEY)
    first.close()
    second = Store.open(tmp_path / "db", NOW, b"other" * 8)
    assert second.keys() == {1: KEY}, "the secret stays"
    second.close()


def test_durability_pragmas(store: Store, tmp_path: Path) -> None:
    for pragma, value in (("synchronous", 2), ("journal_mode", "wal"), ("foreign_keys", 1), ("secure_delete", 1)):
        assert store.db.execute(f"PRAGMA {pragma}").fetchone()[0] == value, pragma
    reader = connect(tmp_path / "db", readonly=True)
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("DELETE FROM player")
    reader.close()


def test_a_path_is_no_uri(tmp_path: Path) -> None:
    path = tmp_path / "100%25 mine?mode=memory#1"
    for _ in range(2):
        Store.open(path, NOW, b"k" * 32).close()
        assert path.stat().st_size > 0
    connect(path, readonly=True).close()


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "db", NOW, KEY)
    store.db.execute(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('mailbot', '9999_future', '')"
    )
    store.close()
    with pytest.raises(RuntimeError, match="newer mailbot"):
        Store.open(tmp_path / "db", NOW, KEY)


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    other = connect(tmp_path / "db")
    other.execute("CREATE TABLE bookmark (url TEXT)")
    other.close()
    with pytest.raises(RuntimeError, match="one of another program"):
        Store.open(tmp_path / "db", NOW, KEY)


def test_an_upgrade_makes_a_copy_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(tmp_path / "db", NOW, KEY).close()
    more = type(schema.migrations)("mailbot")
    more._migrations = list(schema.migrations._migrations)

    @more(name="0002_test")
    def second(db: object) -> None:
        db.execute("CREATE TABLE extra (id INTEGER PRIMARY KEY)")  # type: ignore[attr-defined]

    monkeypatch.setattr(schema, "migrations", more)
    Store.open(tmp_path / "db", NOW, KEY).close()
    copy = sqlite3.connect(tmp_path / "db.before-0002_test")
    tables = {row[0] for row in copy.execute("SELECT name FROM sqlite_master")}
    copy.close()
    assert "player" in tables
    assert "extra" not in tables


def test_the_outbox_is_made_anew_with_all_that_is_in_it(tmp_path: Path) -> None:
    """Also the numbers of deleted letters stay used: a bounce of an old letter must not be taken for one of a new."""
    db = connect(tmp_path / "db")
    schema.migrations.apply(db, stop_before="0018_states_of_letters")
    columns = [row[1:] for row in db.execute("PRAGMA table_info(outbox)").fetchall()]
    names = [column[0] for column in columns[1:]]
    sql = f"INSERT INTO outbox ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for number, state in enumerate(("waiting", "sent", "failed", "stuck", "held", "sent"), 1):
        numbers = range(100 * number, 100 * number + len(names))
        row = {
            column[0]: i if column[1] == "INTEGER" else f"text {i}"
            for i, column in zip(numbers, columns[1:], strict=True)
        }
        db.execute(sql, tuple((row | {"state": state}).values()))
    db.execute("DELETE FROM outbox WHERE id = 6")
    made = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'outbox' ORDER BY name"
    everything = "SELECT * FROM outbox ORDER BY id"
    before = [db.execute(one).fetchall() for one in (made, everything)]
    assert [len(one) for one in before] == [4, 5]
    schema.migrations.apply(db, stop_before="0019_chances")
    assert [db.execute(one).fetchall() for one in (made, everything)] == before
    assert [row[1:] for row in db.execute("PRAGMA table_info(outbox)").fetchall()] == columns
    added = db.execute(f"{sql} RETURNING id", tuple((row | {"state": "held"}).values())).fetchall()
    assert added == [(7,)]
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        db.execute(sql, tuple((row | {"state": "lost"}).values()))
    assert db.execute("SELECT name FROM sqlite_sequence WHERE name LIKE 'outbox%'").fetchall() == [("outbox",)]
    db.close()


def test_backup_while_in_use(store: Store, tmp_path: Path) -> None:
    reader = connect(tmp_path / "db", readonly=True)
    store.begin()
    store.enter(request())
    copy_to(reader, tmp_path / "copy")
    store.commit()
    with pytest.raises(FileExistsError):
        copy_to(reader, tmp_path / "copy")
    reader.close()
    again = Store.open(tmp_path / "copy", NOW, KEY)
    assert again.db.execute("SELECT userid FROM player WHERE id > 0").fetchall() == [("ann",)]
    assert letters(again) == 0, "what was not committed is not in the copy"
    again.close()


def test_a_copy_is_put_in_the_place_of_a_store_that_has_crashed(tmp_path: Path) -> None:
    """The log of the former store lies beside it, and must not be applied to the copy."""
    path, log = tmp_path / "play.sqlite", tmp_path / "play.sqlite-wal"
    store = Store.open(path, NOW, b"k" * 32)
    store.begin()
    store.apply([Put(ANN)], request())
    store.commit()
    copy_to(store.db, tmp_path / "spare.sqlite")
    store.begin()
    store.apply([Put(ANN._replace(userid="later"))], request())
    store.commit()
    crashed = log.read_bytes()
    store.close()
    (tmp_path / "spare.sqlite").replace(path)
    log.write_bytes(crashed)
    store = Store.open(path, NOW, b"n" * 32)
    assert Reads(store.db).player(1) == ANN
    assert [*store.keys().values()] == [b"n" * 32], "it is known to be a copy"
    assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert path.read_bytes()[60:64] == bytes(4), "and from now on it is none: its log is its own"
    store.close()
    assert path.with_name("play.sqlite-wal.former").read_bytes() == crashed
    copy = connect(path)
    restored.mark(copy.conn)
    copy.close()
    log.touch()  # as a start that fails leaves it
    Store.open(path, NOW, b"n" * 32).close()
    assert path.with_name("play.sqlite-wal.former").read_bytes() == crashed


def test_old_things_are_cleared_away(store: Store) -> None:
    store.begin()
    store.enter(request())
    outbox.settle(store.db, 1, "sent", NOW, "")
    store.clear(NOW + KEEP_DAYS * DAY)
    assert letters(store) == 1
    store.clear(NOW + KEEP_DAYS * DAY + 1)
    assert letters(store) == 0
    assert store.db.execute("SELECT count(*) FROM seen").fetchone()[0] == 0


# -- the outbox ----------------------------------------------------------------------------------------------------


def queued(store: Store, kind: str = "game", template: str = "board", at: int = NOW, said: str = "") -> str:
    """What becomes of a letter that is queued now: waiting, or left out."""
    left_out = outbox.queue(store.db, at, store.caps, Post(1, Letter(template, "s", {"said": said}), kind)).left_out
    return "left out" if left_out else "waiting"


def notes(store: Store) -> list[dict[str, object]]:
    """What the letters say that are the last under a cap."""
    rows = store.db.execute("SELECT facts FROM outbox ORDER BY id").fetchall()
    return [facts["last"] for (text,) in rows if "last" in (facts := json.loads(text))]


def test_only_the_oldest_letter_of_an_address_can_be_claimed(store: Store) -> None:
    store.begin()
    queued(store), queued(store)
    outbox.queue(store.db, NOW, store.caps, Post(0, Letter("board", "s"), "game", "bob@example.org"))
    assert [row[0] for row in outbox.claim(store.db, NOW, 10)] == [1, 3]
    assert outbox.claim(store.db, NOW, 10) == [], "claimed letters are leased"
    outbox.settle(store.db, 1, "waiting", NOW + 60, "451")
    assert outbox.claim(store.db, NOW, 10) == [], "a letter that has to wait holds up the next one to that address"
    assert not outbox.due(store.db, NOW), "to claim nothing is a commit, which would wake the delivery at once"
    assert outbox.due(store.db, NOW + 60)
    assert [row[0] for row in outbox.claim(store.db, NOW + 60, 10)] == [1]
    outbox.settle(store.db, 1, "sent", NOW, "")
    assert [row[0] for row in outbox.claim(store.db, NOW + 60, 10)] == [2]


def test_a_letter_whose_text_is_not_taken_holds_up_no_other(store: Store) -> None:
    store.begin()
    for _ in range(3):
        queued(store)
    left = []
    for gives_way in (True, False, False):
        for row in outbox.claim(store.db, NOW, 10):
            left.append(row[0])
            outbox.settle(store.db, row[0], "waiting", NOW + 60, "451", gives_way=gives_way)
    assert left == [1, 2]
    outbox.settle(store.db, 1, "waiting", NOW, "450")
    outbox.settle(store.db, 2, "sent", NOW, "")
    assert sorted(row[0] for row in outbox.claim(store.db, NOW, 10)) == [1, 3], "it goes on giving way"


def test_a_lease_ends_with_the_process(store: Store) -> None:
    store.begin()
    queued(store)
    outbox.claim(store.db, NOW, 1)
    outbox.release(store.db)
    assert [row[3] for row in outbox.claim(store.db, NOW, 1)] == [2]


CAPS = [
    # kind, template, wording the same, how many pass in an hour
    ("game", "board", True, 200),
    ("answer", "show", True, 20),
    ("refusal", "refused", True, 3),
    ("refusal", "refused", False, 20),
    ("look", "list", False, 20),
    ("look", "refused", True, 3),
    ("newcomer", "help", True, 5),
    ("newcomer", "help", False, 5),
    ("notice", "logins", True, 1),
    ("notice", "strange", True, 1),
    ("notice", "forgot", True, 1),
    ("message", "message", False, 20),
    ("offer", "offer", False, 15),
    ("broadcast", "broadcast", False, 10),
    ("operator", "notice", False, 4),
]


@pytest.mark.parametrize(("kind", "template", "same", "most"), CAPS)
def test_b6_caps(store: Store, kind: str, template: str, same: bool, most: int) -> None:
    store.begin()
    states = [queued(store, kind, template, said="" if same else str(i)) for i in range(200)]
    assert states.count("waiting") == most
    assert states[:most] == ["waiting"] * most
    assert letters(store) == most, "a letter over its cap stores nothing"
    told = notes(store)
    assert len(told) == (0 if kind == "game" else 1), "the last one says that it is the last"
    if told:
        until = int(str(told[0]["until"]))
        assert queued(store, kind, template, until - 1) == "left out", "and until when"
        assert queued(store, kind, template, until) == "waiting"


def test_mail_for_postmaster_goes_on_to_the_operator_in_letters_of_ours(store: Store) -> None:
    store.operator = "op@example.net"
    store.begin()
    text = "From: eve@example.org\n\nIs anybody there?\n" + "word " * 2000
    for number in range(30):  # nine from each network; one mail comes twice
        assert store.mail_for_operator(text, f"site:{number // 9}", f"{min(number, 28):064x}", NOW)
    sent = store.db.execute("SELECT address, facts FROM outbox ORDER BY id").fetchall()
    assert [address for address, _ in sent] == ["op@example.net"] * (5 + 5 + 5 + 2)
    first, *others = (json.loads(facts) for _, facts in sent)
    assert first["lines"][:3] == ["From: eve@example.org", "", "Is anybody there?"] and first["cut"]
    assert [number for number, one in enumerate(others, 1) if one["ended"] == "here"] == [4, 9, 14]
    for number in range(30, 40):
        assert store.mail_for_operator(text, f"site:{number}", f"{number:064x}", NOW)
    sent = store.db.execute("SELECT facts FROM outbox ORDER BY id").fetchall()
    assert len(sent) == 20 and json.loads(sent[-1][0])["ended"] == "today"
    store.operator = ""
    assert store.mail_for_operator(text, "site:9", f"{99:064x}", NOW + 2 * 86_400)
    assert store.db.execute("SELECT count(*) FROM outbox").fetchone() == (20,)


def test_b6_who_has_looked_at_much_still_hears_that_a_move_was_wrong(store: Store) -> None:
    store.begin()
    for number in range(30):
        queued(store, "answer", "show", said=str(number))
    assert queued(store, "answer", "show", said="more") == "left out"
    assert queued(store, "refusal", "refused") == "waiting"


def test_b6_a_day_has_a_cap_of_its_own(store: Store) -> None:
    store.begin()
    states = [queued(store, "answer", "show", NOW + 1000 * i) for i in range(80)]
    assert states.count("waiting") == 60
    (told,) = notes(store)
    assert (told["window"], told["until"]) == (DAY, NOW + DAY)


def test_b6_every_cap_is_a_key_of_the_configuration(store: Store) -> None:
    """A server whose every cap is halved keeps to the halves."""
    caps = Caps(**{field.name: max(1, getattr(store.caps, field.name) // 2) for field in dataclasses.fields(Caps)})
    for kind, template, same, most in CAPS:
        if kind != "game":
            store.begin()
            post = Post(1, Letter(template, "s", {"said": ""}), kind)
            passed = 0
            for i in range(50):
                letter = post.letter._replace(facts={"said": "" if same else str(i)})
                passed += not outbox.queue(store.db, NOW, caps, post._replace(letter=letter)).left_out
            assert passed == max(1, most // 2), kind
            store.rollback()


def test_what_waits_for_one_address_is_bounded(store: Store) -> None:
    """Answers give way, and so does news of a board, which the digest tells; a password does not."""
    store.begin()
    big = "x" * 99_000
    states = [queued(store, "game", "board", said=big) for _ in range(30)]
    assert states == ["waiting"] * 11 + ["left out"] * 19
    assert queued(store, "answer", "list") == "left out"
    assert queued(store, "game", "password") == "waiting"
    other = Post(0, Letter("board", "s"), "game", "bob@example.org")
    assert outbox.queue(store.db, NOW, store.caps, other).left_out == 0, "it is counted for each address"
    for letter in range(1, 3):
        outbox.settle(store.db, letter, "sent", NOW, "")
    assert queued(store, "game", "board", said=big) == "waiting", "what was sent does not wait"


def test_what_was_sent_forgets_the_seed_of_its_password(store: Store) -> None:
    store.begin()
    letter = Letter("password", "s", {"userid": "ann", "nonce": "n1"}, Token("c", 1, 1, 0))
    outbox.queue(store.db, NOW, store.caps, Post(1, letter, "answer"))
    several = Letter("several", "s", {"parts": [{"template": "password", "facts": {"nonce": "n2"}, "line": "x"}]})
    outbox.queue(store.db, NOW, store.caps, Post(1, several, "answer"))
    assert outbox.entry(store.db, 1).facts["nonce"] == "n1"
    assert outbox.entry(store.db, 2).facts["parts"][0]["facts"]["nonce"] == "n2"  # type: ignore[index]
    for number in (1, 2):
        outbox.settle(store.db, number, "waiting", NOW, "")
    assert store.db.execute("SELECT nonce FROM outbox").fetchall() == [("n1",), ("n2",)]
    for number, state in ((1, "sent"), (2, "failed")):
        outbox.settle(store.db, number, state, NOW, "")
    kept = store.db.execute("SELECT * FROM outbox").fetchall()
    assert not any(seed in str(kept) for seed in ("n1", "n2"))
    with pytest.raises(ValueError, match="one password"):
        outbox.queue(store.db, NOW, store.caps, Post(1, several._replace(facts={**several.facts, "nonce": "n3"}), "x"))


def test_a_player_is_put_and_changed(store: Store) -> None:
    store.begin()
    store.apply([Put(ANN._replace(password_version=2))], request())
    assert store.db.execute("SELECT password_version FROM player WHERE id > 0").fetchall() == [(2,)]


# (key, days since it was written, whether it stays)
ATTEMPTS = [("pair:1", 29, True), ("pair:1", 31, False), ("known:1", 89, True), ("known:1", 91, False)]


@pytest.mark.parametrize(("key", "days", "stays"), ATTEMPTS)
def test_counts_are_kept_a_month_and_known_networks_for_as_long_as_they_count(
    key: str, days: int, stays: bool, tmp_path: Path
) -> None:
    store = Store.open(tmp_path / "kept", NOW, b"k" * 32)
    store.begin()
    attempts.put(store.db, key, Attempts(since=NOW), NOW)
    store.clear(NOW + days * DAY)
    assert (attempts.get(store.db, key) is not None) is stays
    store.rollback()
    store.close()
    assert key.startswith("pair") or at_home(Attempts(since=NOW), NOW + days * DAY) is stays


def test_two_players_with_one_mailbox_both_get_their_forgot(store: Store) -> None:
    store.begin()
    found = []
    for player, userid in ((1, "ann"), (2, "bob"), (1, "ann")):
        letter = Letter("forgot", "Your password", {"userid": userid})
        found.append(outbox.queue(store.db, NOW, store.caps, Post(player, letter, Kind("notice"), "us@example.org")))
    assert [queued.left_out for queued in found] == [0, 0, 1]


@pytest.mark.parametrize("template", ["forgot", "login"])
def test_letters_that_anybody_can_ask_for_in_a_name_are_few_a_day(template: str, store: Store) -> None:
    store.begin()
    letter = Letter(template, "Your password", {"userid": "ann"})
    hours = [
        outbox.queue(store.db, NOW + hour * 3600, store.caps, Post(1, letter, Kind("notice"), "us@example.org"))
        for hour in range(25)
    ]
    assert [hour for hour, queued in enumerate(hours) if not queued.left_out] == [0, 1, 2, 3, 4, 5, 24]


def test_a_copy_made_before_the_first_game_gives_no_number_of_a_lost_game_again(store: Store) -> None:
    """SQLite notes the largest number of a table with its first row."""
    assert not store.db.execute("SELECT 1 FROM sqlite_sequence WHERE name = 'game'").fetchall()
    restored.renew(store.db, bytes(32), NOW)
    seen = dict(store.db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    assert {seen[table] for table in ("game", "tournament", "seek")} == {restored.MARGIN}


def test_a_store_can_be_restored_more_often_than_a_key_has_numbers(store: Store) -> None:
    for turn in range(250):
        restored.renew(store.db, turn.to_bytes(32), NOW + turn)
        ((key_id, key),) = store.keys().items()
        assert 1 <= key_id <= LARGEST_KEY_ID
        assert key == turn.to_bytes(32)
