"""The one door: a command sees what earlier commands did, the caller decides how answers travel, none is lost."""

from dataclasses import replace

import pytest

from mailbot.core.converse import Answer, Change, Unheard, converse
from mailbot.core.effects import Letter, Say
from mailbot.core.world import Asked, Request, Timer
from mailbot.store.remembered import Remembered
from mailbot.store.store import Store

NOW = 1_770_000_000
SAID = Say(Letter("notice", "Hello", {"said": "hello"}))


def asks(name: str, by: int = 1, proof: str = "password", **args: object) -> Asked:
    return Asked(name, "", args, by, proof, line=name)


def mail(*asked: Asked, **more: object) -> Request:
    made = Request(NOW, asked, asked[0].by, "ann@example.org")
    return replace(made, **more)  # type: ignore[arg-type]


def letters(store: Store) -> list[tuple[int, str]]:
    return store.db.execute("SELECT player, template FROM outbox ORDER BY id").fetchall()


def test_a_command_sees_what_the_one_before_it_did(store: Store) -> None:
    """If each step is carried out before the next one is asked for; without that, the board is not there yet."""
    challenge = Asked("challenge", "lambo", {"userid1": "ann", "userid2": "bob", "options": ()}, 1, "password")
    request = mail(challenge, asks("show", **{"board#": ("1",)}))
    steps = list(converse(request, Remembered(store.db)))
    assert [type(step) for step in steps] == [Change, Change, Answer]
    assert "There is no board 1" in str(steps[-1])
    told: list[Answer] = []
    store.enter(request, told.append)
    ((_, challenged), (_, shown)) = ((part["line"], part["template"]) for part in told[0].letter.facts["parts"])
    assert (challenged, shown) == ("offer", "offer")


def test_answers_go_to_who_hears_them_and_then_no_letter_is_written(store: Store) -> None:
    told: list[Answer] = []
    came = store.enter(mail(asks("help", topic=()), asks("show", **{"board#": ("99",)})), told.append)
    (answer,) = told
    assert came and came.refused == answer.refused == 1
    assert answer.letter.templates >= {"several", "refused"} and answer.kind == "answer"
    assert letters(store) == []


@pytest.mark.parametrize("state", ["gone", "locked"])
def test_whoever_has_gone_while_the_password_was_checked_does_nothing(store: Store, state: str) -> None:
    store.db.execute("UPDATE player SET state = ? WHERE id = 1", (state,))
    came = store.enter(mail(asks("seek", options=())), lambda answer: None)
    assert came and came.refused == 1
    assert store.db.execute("SELECT count(*) FROM seek").fetchone() == (0,)


def test_without_anybody_who_hears_them_they_go_as_letters(store: Store) -> None:
    assert store.enter(mail(asks("help", topic=())))
    assert letters(store) == [(1, "help")]


def test_an_answer_to_a_computer_player_is_an_error(store: Store) -> None:
    with pytest.raises(Unheard):
        store.enter(mail(asks("help", by=-1, proof="inside", topic=())))


def test_an_address_that_is_nobodys_gets_none(store: Store) -> None:
    """A From that is not ASCII is taken, and read as nobody's."""
    assert store.enter(mail(asks("help", by=0, proof="", topic=()), sender=""))
    assert letters(store) == []


def test_what_the_clock_says_is_an_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailbot.core.converse.ring", lambda timer, now, world, found: [SAID])
    with pytest.raises(Unheard):
        store.enter(Request(NOW, timer=Timer(NOW, "offer", 1)))


def test_so_is_an_answer_among_effects_that_answer_nothing(store: Store) -> None:
    with pytest.raises(Unheard):
        store.apply([SAID], Request(NOW))


def test_what_has_no_dedupe_key_is_done_as_often_as_it_comes(store: Store) -> None:
    once = mail(asks("help", topic=()), dedupe="ab" * 32)
    assert store.enter(once) and store.enter(once) is None
    again = replace(once, dedupe="")
    assert store.enter(again) and store.enter(again)
