"""Tokens: short signed texts in the local part of an address that prove who may do what (P2).

A token is never stored. It names its kind, a player, a thing and a stamp, and carries a MAC over all of these, the
key's id and the player's token epoch. We check a token by computing it again. It expires when the thing moves on
(the ply is played, the hour is past). Raising a player's epoch revokes all of that player's tokens at once.

    p1-3-12-7-abcdefghijklmnopqrst      kind p, key 1, player 3, game 12, ply 7, MAC

Apart from its case, every token has exactly one text: mail programs change the case of addresses, so the alphabet is
a to z, digits and the dash, and numbers have no leading zeros.
"""

import hmac
import re
from collections.abc import Mapping
from typing import Final, NamedTuple, NewType

Kind = NewType("Kind", str)
"""What a token allows: one of `KINDS`."""

PLAY: Final = Kind("p")
"""Play the next turn: ref is the game, stamp says which turn, and whether a question was open (model.Game.stamp)."""
ANSWER: Final = Kind("a")
"""Accept or decline a challenge: ref is the game, stamp 0."""
CONFIRM: Final = Kind("c")
"""Confirm an address: ref is the address's row, stamp 0."""
FORGOT: Final = Kind("f")
"""Set a new password: ref is the hour of issue since 1970, stamp the password's version."""
OLD_ADDRESS: Final = Kind("o")
"""The old address agrees to a change of address: ref is the change."""
UNSUBSCRIBE: Final = Kind("u")
"""Stop unrequested letters: ref and stamp 0; signed with epoch 0."""
DELETE: Final = Kind("d")
"""Delete the account: ref is the hour of issue since 1970, stamp the password's version."""
MESSAGE: Final = Kind("m")
"""Write back to a player: ref is that player, stamp the day of issue since 1970."""
AFTER: Final = Kind("e")
"""Write to the opponent of a finished game, or ask for a rematch or an analysis: ref and stamp as in PLAY."""
LIFT: Final = Kind("l")
"""Unlock a password that strangers have locked: player or 0 (the operator), ref is the hour of issue since 1970, stamp
how many such letters have been answered before."""
SESSION: Final = Kind("s")
"""The cookie of a browser that is logged in: ref is the day of issue since 1970, stamp the password's version."""
LOGIN: Final = Kind("i")
"""The link of a letter that logs a browser in: ref is the minute of issue since 1970, stamp the password's version."""
BOUNCE: Final = Kind("b")
"""A letter's envelope sender (VERP): player or 0, ref is the outbox id, stamp 0; signed with epoch 0."""
PUZZLE: Final = Kind("z")
"""Solve a puzzle: ref is its day since 1970, stamp 0."""

LINK: Final = Kind("t")
"""Play the next turn on the page, and do nothing else: ref and stamp as in PLAY. It stands in the text of a letter,
which people forward."""

_BY_MAIL: Final = PLAY + ANSWER + CONFIRM + FORGOT + OLD_ADDRESS + UNSUBSCRIBE + DELETE + MESSAGE + AFTER + LIFT
AT_PAGE: Final = SESSION + LOGIN + LINK
"""The kinds for browsers. They are no reply addresses, and prove nothing in a mail."""
KINDS: Final = _BY_MAIL + PUZZLE + AT_PAGE + BOUNCE
OF_BOARD: Final = PLAY + ANSWER + AFTER + LINK
"""The kinds whose ref is a game."""
BOUNCE_EPOCH: Final = 0
"""The epoch of BOUNCE and UNSUBSCRIBE. They are not revoked with the player's other tokens, because those of old
letters must still work."""

FIRST_EPOCH: Final = 1
"""The epoch of whoever has just signed up."""

LARGEST: Final = 10**9 - 1
"""Player, ref and stamp have nine digits at most, so that `mailbot+` and a token fit 64 octets (RFC 5321 4.5.3.1.1)."""
LARGEST_KEY_ID: Final = 99
MAC_LENGTH: Final = 20
"""Letters of base32, five bits each: 100 bits."""
SHORTEST_KEY: Final = 16
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS: Final = [first + second for first in _LETTERS for second in _LETTERS]
"""Ten bits in base32 (RFC 4648 6)."""

_NUMBER = "(0|[1-9][0-9]{0,8})"
_FORM = rf"([{KINDS}])(0|[1-9][0-9]?)-{_NUMBER}-{_NUMBER}-{_NUMBER}-([a-z2-7]{{{MAC_LENGTH}}})"
_TEXT = re.compile(_FORM)
_AMONG = re.compile(rf"(?:(?<![a-z0-9])|(?<=[%=][0-9a-f]{{2}})){_FORM}", re.IGNORECASE | re.ASCII)


class Token(NamedTuple):
    """What a token says. `kind` is one of `KINDS`, the numbers are 0 to `LARGEST`."""

    kind: Kind
    player: int
    ref: int
    stamp: int


class Unverified(NamedTuple):
    """A text in the form of a token. Anyone can write one: trust `token` only after `verify`."""

    token: Token
    key_id: int
    mac: str


def write(token: Token, key: bytes, key_id: int, epoch: int) -> str:
    """The token's text, lower-case, at most 54 characters.

    `epoch` is the player's token epoch. ValueError for an unknown kind, a number out of range or a short key.
    """
    if token.kind not in KINDS or len(token.kind) != 1:
        raise ValueError(f"a token's kind is one letter of {KINDS}")
    if not all(0 <= number <= LARGEST for number in (token.player, token.ref, token.stamp)):
        raise ValueError(f"a token's numbers go from 0 to {LARGEST}")
    if not 0 <= key_id <= LARGEST_KEY_ID:
        raise ValueError(f"a key's id goes from 0 to {LARGEST_KEY_ID}")
    return f"{_head(token, key_id)}-{_mac(token, key_id, key, epoch)}"


def read(text: str) -> Unverified | None:
    """The token with this text, in upper or lower case; None if the text does not have the form of one."""
    if not text.isascii():  # the Kelvin sign lower-cases to k
        return None
    found = _TEXT.fullmatch(text.lower())
    if found is None:
        return None
    kind, key_id, player, ref, stamp, mac = found.groups()
    return Unverified(Token(Kind(kind), int(player), int(ref), int(stamp)), int(key_id), mac)


def without(text: str, instead: str) -> str:
    """The text with `instead` in the place of everything that has the form of a token."""
    return _AMONG.sub(instead, text)


def verify(unverified: Unverified, keys: Mapping[int, bytes], epoch: int) -> bool:
    """Whether one of our keys (by id) signed it for a player in this epoch. Takes the same time for any MAC."""
    key = keys.get(unverified.key_id)
    if key is None:
        return False
    return hmac.compare_digest(_mac(unverified.token, unverified.key_id, key, epoch), unverified.mac)


def epoch_of(kind: Kind, epoch: int) -> int:
    """The epoch that counts for a kind. `epoch`: the player's; 0 for anybody else. A lock outlasts a new password, so
    the letter that lifts it does, too."""
    return BOUNCE_EPOCH if kind in (UNSUBSCRIBE, BOUNCE, LIFT) else epoch


def veiled(number: int, key: bytes) -> int:
    """The number in another order, which only the key tells: two letters must not show how many were written between
    them, because one more may tell that an address or a name is a player's (P5). 0 to `LARGEST`, as the number is."""
    while True:  # a Feistel network over 30 bits, again where the result is too large
        left, right = number >> _HALF, number & _MASK
        for turn in range(_TURNS):
            left, right = right, left ^ _mixed(turn, right, key)
        number = left << _HALF | right
        if number <= LARGEST:
            return number


def unveiled(number: int, key: bytes) -> int:
    """The number that was `veiled`."""
    while True:
        left, right = number >> _HALF, number & _MASK
        for turn in reversed(range(_TURNS)):
            left, right = right ^ _mixed(turn, left, key), left
        number = left << _HALF | right
        if number <= LARGEST:
            return number


_HALF, _MASK, _TURNS = 15, 0x7FFF, 4


def _mixed(turn: int, half: int, key: bytes) -> int:
    return int.from_bytes(hmac.digest(key, f"mailbot veil|{turn}|{half}".encode("ascii"), "sha256")[:2]) & _MASK


def _head(token: Token, key_id: int) -> str:
    return f"{token.kind}{key_id}-{token.player}-{token.ref}-{token.stamp}"


def _mac(token: Token, key_id: int, key: bytes, epoch: int) -> str:
    if len(key) < SHORTEST_KEY:
        raise ValueError(f"a token key has at least {SHORTEST_KEY} bytes")
    said = f"mailbot token|{_head(token, key_id)}|{epoch}"
    digest = int.from_bytes(hmac.digest(key, said.encode("ascii"), "sha256")[:13]) >> 4  # 100 of the 256 bits
    return "".join([_PAIRS[digest >> shift & 1023] for shift in range(90, -1, -10)])
