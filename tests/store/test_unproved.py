"""Mails without proof wait for their turn: stored once, done once, whatever breaks meanwhile, and never for ever."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from mailbot.core import converse
from mailbot.core.effects import Letter, Post
from mailbot.core.model import Player
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request
from mailbot.store import unproved
from mailbot.store.reads import Reads
from mailbot.store.requests import text_of
from mailbot.store.store import Store
from mailbot.store.unproved import Put
from tests.store.test_store import KEY, NOW, letters, store

__all__ = ["store"]


def mail(number: int = 1, sender: str = "ann@example.org", *asked: Asked) -> Request:
    """As the reception makes it: nobody asks yet."""
    said = asked or (Asked("games", args={"userid": ()}, line="games"),)
    return Request(NOW, said, sender=sender, message_id=f"<{number}@x>", dedupe=f"{number:064x}")


def do_all(store: Store) -> None:
    while found := unproved.first(store.db):
        unproved.do(store, found[0], NOW + 5)


@pytest.mark.parametrize("sender", ["ann@example.org", "ANN@Example.org", "eve@example.org", ""])
def test_what_is_kept_names_nobody(store: Store, sender: str) -> None:
    store.begin()
    assert unproved.put(store, mail(sender=sender)) is Put.KEPT
    kind, player, text = store.db.execute("SELECT kind, player, request FROM unproved").fetchone()
    assert (kind, player) == ("mail", 0)
    assert text.replace(sender, "") == text_of(mail()).replace("ann@example.org", "")
    assert letters(store) == 0


def test_a_mail_is_done_once(store: Store) -> None:
    store.begin()
    assert [unproved.put(store, mail()) for _ in range(2)] == [Put.KEPT, Put.KNOWN]
    row, key, _ = unproved.first(store.db) or (0, "", "")
    assert key == mail().dedupe
    for _ in range(2):
        unproved.do(store, row, NOW + 5)
    assert unproved.put(store, mail()) is Put.KNOWN
    assert unproved.first(store.db) is None
    assert letters(store) == 1


def test_a_crash_in_between_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    """The row is there after the crash, and gone with the commit that holds the letter."""
    dies = Store.open(tmp_path / "db", NOW, KEY)
    dies.begin()
    unproved.put(dies, mail(1, "eve@example.org", Asked("help", args={"topic": ()})))
    dies.commit()
    dies.begin()
    do_all(dies)
    dies.close()  # without a commit, as a process that dies
    again = Store.open(tmp_path / "db", NOW, KEY)
    assert letters(again) == 0
    again.begin()
    do_all(again)
    again.commit()
    assert letters(again) == 1
    again.close()


WHO = [
    ("ann@example.org", "games", ["look ann@example.org"]),
    ("ann@example.org", "help", ["look ann@example.org"]),
    ("ann@example.org", "signup", ["look ann@example.org"]),
    ("eve@example.org", "games", []),
    ("eve@example.org", "help", ["newcomer eve@example.org"]),
    ("", "help", []),
]


@pytest.mark.parametrize(("sender", "command", "told"), WHO)
def test_who_is_answered(store: Store, sender: str, command: str, told: list[str]) -> None:
    words = {"help": {"topic": ()}, "games": {"userid": ()}, "signup": {"userid": "ann", "address": ()}}
    store.begin()
    unproved.put(store, mail(1, sender, Asked(command, args=words[command], line=command)))
    do_all(store)
    rows = store.db.execute("SELECT kind, address, answers FROM outbox").fetchall()
    assert [f"{kind} {address}" for kind, address, _ in rows] == told
    assert all(answers == "<1@x>" for *_, answers in rows)


CHALLENGES = [
    ("ann@example.org", "bob"),
    ("ann@example.org", "nobody"),
    ("eve@example.org", "bob"),
    ("eve@example.org", "nobody"),
]


@pytest.mark.parametrize("games", [0, 1])
@pytest.mark.parametrize(("sender", "opponent"), CHALLENGES)
def test_each_challenge_uses_up_one_number_of_a_board(store: Store, sender: str, opponent: str, games: int) -> None:
    """Else the number of the next board would tell whether the sender plays here."""
    store.begin()
    words = {"userid1": "me", "userid2": opponent, "options": ()}
    for number in range(1 + games):
        unproved.put(store, mail(number + 1, sender, Asked("challenge", "lambo", words, line="lambo challenge me bob")))
        do_all(store)
    assert Reads(store.db).fresh("game") == 2 + games


def test_only_so_many_wait_and_no_endless_ones(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unproved, "MAX_WAITING", 3)
    store.begin()
    assert [unproved.put(store, mail(number)) for number in range(4)] == [Put.KEPT] * 3 + [Put.FULL]
    unproved.put_letter(store, notice(1), MARK)
    assert store.db.execute("SELECT count(*) FROM unproved").fetchone() == (3,)
    unproved.put_letter(store, LOCKED, MARK)
    assert store.db.execute("SELECT count(*) FROM unproved").fetchone() == (4,), "there is one a day of these"
    do_all(store)
    assert unproved.put(store, mail(3)) is Put.KEPT, "nothing had happened; it comes again"
    long = Asked("help", args={"topic": ("xyz",) * unproved.LONGEST})
    assert unproved.put(store, mail(9, "ann@example.org", long)) is Put.TOO_LONG
    assert store.remember(mail(9).dedupe, NOW)


def test_a_few_networks_do_not_fill_the_room_and_all_take_turns(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen networks send as much as they can; a newcomer's one mail gets a place and waits for one round of them."""
    monkeypatch.setattr(unproved, "MAX_WAITING", 100)
    monkeypatch.setattr(unproved, "MAX_OF_ONE", 20)
    store.begin()
    for number in range(600):
        unproved.put(store, mail(number), f"site:{number % 16:02}")
    assert unproved.put(store, mail(601), "site:99") is Put.KEPT
    (waiting,) = store.db.execute("SELECT count(*) FROM unproved").fetchone()
    assert waiting < 60
    done, after = [], "site:03"
    for _ in range(34):
        row, _, after = unproved.first(store.db, after) or (0, "", "")
        unproved.do(store, row, NOW + 5)
        done.append(after)
    assert done[12] == "site:99" and len(set(done[:17])) == 17
    assert set(done[17:33]) == set(done) - {"site:99"}
    (oldest,) = store.db.execute("SELECT min(id) FROM unproved").fetchone()
    assert (unproved.first(store.db, after, oldest) or (0,))[0] == oldest, "a later row does not hold up an older one"
    busy = [unproved.put(store, mail(700 + number), f"site:{number:03}") for number in range(200)]
    assert 0 < busy.count(Put.FULL) < 200 - 30, "one of each, until all room is taken"


def test_one_network_has_its_share_of_the_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unproved, "MAX_OF_ONE", 2)
    store.begin()
    flood = [unproved.put(store, mail(number), "site:a") for number in range(4)]
    assert flood == [Put.KEPT, Put.KEPT, Put.FULL, Put.FULL]
    unproved.put_letter(store, notice(1), MARK, "site:a")
    assert store.db.execute("SELECT count(*) FROM unproved").fetchone() == (2,)
    unproved.put_letter(store, LOCKED, MARK, "site:a")
    assert [unproved.put(store, mail(10 + number), "site:b") for number in range(3)] == [*flood[:2], Put.FULL]
    assert [unproved.put(store, mail(20 + number)) for number in range(5)] == [Put.KEPT] * 5, "nobody knows whose"
    do_all(store)
    assert unproved.put(store, mail(3), "site:a") is Put.KEPT


def test_what_breaks_is_set_aside_and_the_next_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    store.begin()
    for number in (1, 2):
        unproved.put(store, mail(number))
    row, *_ = unproved.first(store.db) or (0, "", "")
    with monkeypatch.context() as patch:
        patch.setattr(converse, "handle", broken)
        with pytest.raises(ZeroDivisionError):
            store.attempt(lambda inner: unproved.do(inner, row, NOW))
        patch.setattr(unproved, "spoken_for", broken)
        assert unproved.give_up(store, row, "ZeroDivisionError", NOW).came == 1
    do_all(store)
    store.retry(1, NOW)
    looks = store.db.execute("SELECT player, answers FROM outbox WHERE kind = 'look'").fetchall()
    assert looks == [(1, "<2@x>"), (1, "<1@x>")], "tried again it has its asker"


def test_a_strangers_mail_that_was_set_aside_is_not_answered_either(store: Store) -> None:
    store.begin()
    number = store.set_aside(mail(1, "eve@example.org"), "x")
    store.retry(number, NOW)
    assert letters(store) == 0


def test_poison_is_set_aside(store: Store) -> None:
    store.begin()
    unproved.put(store, mail())
    for _ in range(3):
        store.crashed_with(mail().dedupe, NOW)
    do_all(store)
    (error,) = store.db.execute("SELECT error FROM shunt").fetchone()
    assert error == "the process died three times over this mail"
    assert store.db.execute("SELECT player FROM outbox WHERE template = 'trouble'").fetchone() == (1,), "ann is told"


MARK = "3f2a9c0b12ef"
LOCKED = Post(
    1, Letter("locked", "x", {"userid": "ann", "where": "here", "hours": 48}, Token("l", 1, 400_000, 0)), "account"
)


def notice(player: int, template: str = "logins", address: str = "") -> Post:
    return Post(player, Letter(template, "What somebody tried", {"userid": "ann"}), "notice", address)


@pytest.mark.parametrize("template", ["logins", "strange"])
def test_notices(store: Store, template: str) -> None:
    store.begin()
    for player in (0, 77, 1, 1):
        unproved.put_letter(store, notice(player, template), MARK)
    assert letters(store) == 0
    do_all(store)
    rows = store.db.execute("SELECT player, template, state, cause FROM outbox").fetchall()
    assert rows == [(1, template, "waiting", MARK)]
    store.db.execute("UPDATE player SET state = 'locked'")
    unproved.put_letter(store, notice(1, template), MARK)
    do_all(store)
    assert letters(store) == 1


def test_a_letter_about_a_lock_is_what_it_was(store: Store) -> None:
    operators = LOCKED._replace(player=0, address="operator@example.net", letter=LOCKED.letter._replace(token=None))
    store.begin()
    for post in (LOCKED, operators, LOCKED._replace(player=0)):
        unproved.put_letter(store, post, MARK)
    store.db.execute("UPDATE player SET userid = 'anna' WHERE id = 1")
    dones = []
    while found := unproved.first(store.db):
        dones.append(unproved.do(store, found[0], NOW))
    renamed = LOCKED._replace(letter=LOCKED.letter._replace(facts={**LOCKED.letter.facts, "userid": "anna"}))
    assert [done and done.letter for done in dones] == [renamed, operators, None]
    rows = store.db.execute("SELECT player, template, address FROM outbox ORDER BY id").fetchall()
    assert rows == [(1, "locked", "ann@example.org"), (0, "locked", "operator@example.net")]


@pytest.mark.parametrize("most", range(100, 500, 7))
def test_the_limit_does_not_tell_whether_a_name_was_hidden(
    most: int, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unproved, "LONGEST", most)
    store.begin()
    asked = [Asked("games", args={"userid": (name, "bob")}) for name in ("********", "christopher")]
    first, second = (unproved.put(store, mail(number, "ann@example.org", one)) for number, one in enumerate(asked))
    assert first is second


def test_a_notice_that_breaks_is_dropped(store: Store) -> None:
    store.begin()
    unproved.put_letter(store, notice(1), MARK)
    assert unproved.give_up(store, 1, "x", NOW) == (MARK, None, None, None, ())
    assert unproved.first(store.db) is None
    assert store.db.execute("SELECT count(*) FROM shunt").fetchone() == (0,)


def test_words_stay_what_they_were(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of words are tuples again; `me` and the asker are put in when the turn comes."""
    seen: list[Request] = []
    said = Asked("challenge", "lambo", {"userid1": "me", "userid2": "bob", "options": ("-size=20",)})
    store.begin()
    unproved.put(store, replace(mail(1, "ann@example.org", said), text="Gr\u00fc\u00dfe"))
    monkeypatch.setattr(Store, "enter", lambda self, request: seen.append(request))
    do_all(store)
    (one,) = seen[0].asked
    assert one.args == {"userid1": "ann", "userid2": "bob", "options": ("-size=20",)}
    assert (one.by, one.proof, seen[0].player, seen[0].text, seen[0].now) == (1, "from", 1, "Gr\u00fc\u00dfe", NOW + 5)


def test_a_line_with_hundreds_of_boards_is_remembered_with_ten() -> None:
    """Anybody can send such lines, and what is remembered of a mail stays for a month."""
    many = tuple(str(number) for number in range(10**8, 10**8 + 390))
    request = Request(NOW, (Asked("show", args={"board#": many}), Asked("show", args={"board": "7"})))
    assert request.boards == {*range(10**8, 10**8 + 10), 7}


def test_a_new_player_takes_the_place_of_few_stand_ins(store: Store) -> None:
    """Whoever signs up between two mails from one address sees the same stand-in."""
    store.begin()
    reads = Reads(store.db)
    sql = "INSERT INTO player SELECT {} FROM player WHERE id = 1"
    columns = [row[1] for row in store.db.execute("PRAGMA table_info(player)").fetchall()]

    def join(number: int, state: str) -> None:
        values = {"id": f"{number}", "userid": f"'new{number}'", "state": f"'{state}'"}
        store.db.execute(sql.format(", ".join(values.get(name, name) for name in columns)))

    for number in range(10, 60):
        join(number, "active")
    numbers = [int.from_bytes(hashlib.sha256(f"{n}".encode()).digest()) for n in range(400)]

    def chosen() -> list[Player | None]:
        return [reads.stand_in(number, ()) for number in numbers]

    before = chosen()
    join(60, "pending")
    assert chosen() == before and len({one.id for one in before if one}) > 40
    join(61, "active")
    changed = sum(one != other for one, other in zip(before, chosen(), strict=True))
    assert changed < 40


@pytest.mark.parametrize(("trouble", "used"), [("", 1), ("I need: lambo challenge NAME1 NAME2", 0)])
def test_a_strangers_challenge_uses_up_a_number_if_it_can_be_read(trouble: str, used: int, store: Store) -> None:
    """What cannot be read makes no board for a player either, and no budget counts it."""

    def last() -> int:
        found = store.db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'game'").fetchone()
        return int(found[0]) if found else 0

    store.begin()
    before = last()
    asked = Asked("challenge", "lambo", {"userid1": "ann", "userid2": "bob", "options": ()}, trouble=trouble)
    unproved.put(store, mail(1, "eve@evil.example", asked))
    do_all(store)
    assert last() - before == used
