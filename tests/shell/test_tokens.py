"""Tokens: round trip, no forgery by any single change, any case, revocation, length."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailbot.core import tokens
from mailbot.core.mail.addresses import Own
from mailbot.core.tokens import KINDS, LARGEST, Token, Unverified

ROOT = Path(__file__).parents[2]
KEY = bytes(range(32))
OTHER = bytes(range(32, 64))

number = st.integers(0, LARGEST)
token = st.builds(Token, st.sampled_from(KINDS), number, number, number)
key_id = st.integers(0, 99)
epoch = st.integers(0, 2**40)


def checked(text: str, keys: dict[int, bytes], era: int) -> Token | None:
    found = tokens.read(text)
    return found.token if found and tokens.verify(found, keys, era) else None


@given(number, st.sampled_from([KEY, OTHER]))
def test_a_veiled_number_comes_back(value: int, key: bytes) -> None:
    hidden = tokens.veiled(value, key)
    assert 0 <= hidden <= LARGEST and tokens.unveiled(hidden, key) == value


def test_veiled_numbers_do_not_tell_how_far_apart_they_are() -> None:
    hidden = [tokens.veiled(value, KEY) for value in range(2000)]
    assert len(set(hidden)) == 2000
    steps = [abs(after - before) for before, after in pairwise(hidden)]
    assert len(set(steps)) > 1990 and sum(step < LARGEST // 10 for step in steps) < 600
    assert tokens.veiled(7, KEY) != tokens.veiled(7, OTHER)


@given(token, key_id, epoch)
def test_round_trip_in_any_case(value: Token, key: int, era: int) -> None:
    text = tokens.write(value, KEY, key, era)
    assert text == text.lower()
    assert len(f"mailbot+{text}") <= 64
    assert checked(text, {key: KEY}, era) == value
    assert checked(text.upper(), {key: KEY}, era) == value


@given(token, key_id, epoch, st.data())
def test_any_changed_character_fails(value: Token, key: int, era: int, data: st.DataObject) -> None:
    text = tokens.write(value, KEY, key, era)
    keys = dict.fromkeys(range(100), KEY)
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789-").filter(lambda c: c != text[place]))
    assert checked(text[:place] + letter + text[place + 1 :], keys, era) is None


@given(token, key_id, epoch)
def test_bound_to_key_key_id_and_epoch(value: Token, key: int, era: int) -> None:
    found = tokens.read(tokens.write(value, KEY, key, era))
    assert found
    assert not tokens.verify(found, {key: OTHER}, era)
    assert not tokens.verify(found, {}, era)
    assert not tokens.verify(found, {key: KEY}, era + 1)
    assert not tokens.verify(Unverified(found.token, (key + 1) % 100, found.mac), dict.fromkeys(range(100), KEY), era)


@given(st.text(alphabet="pacfoub0123456789-abcdefgK\u212a \n\u0661", max_size=60) | st.text(max_size=60))
def test_reading_never_raises_and_shapes_are_unique(text: str) -> None:
    found = tokens.read(text)
    if found:
        value, mac = found.token, found.mac
        assert text.lower() == f"{value.kind}{found.key_id}-{value.player}-{value.ref}-{value.stamp}-{mac}"


MAC = "a" * 20
NOT_TOKENS = [
    "",
    "p1",
    f"p1-3-12-{MAC}",
    f"p1-3-12-7-9-{MAC}",
    f"y1-3-12-7-{MAC}",
    f"p-3-12-7-{MAC}",
    f"p01-3-12-7-{MAC}",
    f"p1-03-12-7-{MAC}",
    f"p100-3-12-7-{MAC}",
    f"p1-3-12-1234567890-{MAC}",
    f"p1-3-12-7-{MAC}a",
    f"p1-3-12-7-{MAC[1:]}",
    f"p1-3-12-7-{MAC[1:]}1",
    f"p1-3-12-7-{MAC}\n",
    f" p1-3-12-7-{MAC}",
    f"p1-3-12-\u0667-{MAC}",
    f"p1-3-12-7-{MAC[1:]}\u212a",
    f"p1--3-12-7-{MAC}",
]


@pytest.mark.parametrize("text", NOT_TOKENS)
def test_not_in_the_shape_of_a_token(text: str) -> None:
    assert tokens.read(f"p1-3-12-7-{MAC}") is not None
    assert tokens.read(text) is None


UNWRITABLE = [
    (Token("y", 1, 1, 1), KEY, 1),
    (Token("", 1, 1, 1), KEY, 1),
    (Token("pa", 1, 1, 1), KEY, 1),
    (Token("p", -1, 1, 1), KEY, 1),
    (Token("p", 1, LARGEST + 1, 1), KEY, 1),
    (Token("p", 1, 1, -1), KEY, 1),
    (Token("p", 1, 1, 1), KEY, 100),
    (Token("p", 1, 1, 1), KEY, -1),
    (Token("p", 1, 1, 1), b"short", 1),
    (Token("p", 1, 1, 1), b"", 1),
]


@pytest.mark.parametrize(("value", "key", "key_id"), UNWRITABLE)
def test_unwritable(value: Token, key: bytes, key_id: int) -> None:
    with pytest.raises(ValueError, match=r"^a "):
        tokens.write(value, key, key_id, 0)


def test_an_empty_key_verifies_nothing() -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        tokens.verify(Unverified(Token("p", 1, 1, 1), 1, MAC), {1: b""}, 0)


def test_the_text_is_stable() -> None:
    """Letters already sent must stay answerable by a newer version; made with `openssl dgst -sha256 -mac HMAC`."""
    assert tokens.write(Token("p", 3, 12, 7), KEY, 1, 0) == "p1-3-12-7-v2xfdswruzhr3klqocmp"


TABLE = re.findall(
    r"^/(\^(?:mailbot|bounce).*\$)/  +OK$", (ROOT / "config" / "mailbot_recipients").read_text(), re.MULTILINE
)
"""The patterns of the table of recipients that Postfix gets."""


@given(token, key_id, epoch)
def test_postfix_lets_every_reply_address_in(value: Token, key: int, era: int) -> None:
    own = Own("games.example.org")
    text = tokens.write(value, KEY, key, era)
    to = own.bounce_address(text) if value.kind == tokens.BOUNCE else own.token_address(text)
    assert len(TABLE) == 2
    assert any(re.fullmatch(pattern, to) for pattern in TABLE)


@pytest.mark.parametrize(
    "local", ["mailbot+1", "mailbot+-", "mailbot+a--b", "bounce+1", "mailbot+x", "bounce+p1-1-1-1-a"]
)
def test_postfix_lets_nothing_else_in(local: str) -> None:
    assert not any(re.fullmatch(pattern, f"{local}@games.example.org") for pattern in TABLE)


@pytest.mark.parametrize("front", ["", "x ", "/turn/", "https%3A%2F%2Fa%2Fenter%2F", "a%2Bmailbot%2b", "?token%3d"])
def test_a_token_among_words_is_left_out_also_from_a_rewritten_address(front: str) -> None:
    text = tokens.write(Token(tokens.LOGIN, 1, 29926739, 1), KEY, 1, 0)
    assert tokens.without(f"{front}{text}&more", "*") == f"{front}*&more"
    assert tokens.without(f"{front}{text.upper()}", "*") == f"{front}*"
