"""Passwords: hashes them with argon2id, generates them for players who ask for one, and refuses mails in which they do
not count.

7 MiB, five passes, one lane: OWASP's choices are equally strong, and this one disturbs its neighbours least; it took
14 ms when measured.
"""

import hmac
from typing import Final

from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from mailbot.core.commands import BY_NAME
from mailbot.core.language.table import Command
from mailbot.core.model import DAY
from mailbot.core.world import Asked, Proofs

_HASHER: Final = PasswordHasher(time_cost=5, memory_cost=7 * 1024, parallelism=1, type=Type.ID)

STALE = 7 * DAY
"""A mail with a password that was written longer ago is refused (P3)."""

# Proquints, "pronounceable quintuplets", by D. Wilkerson: 16 bits become consonant, vowel, consonant, vowel, consonant.
_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"


def hashed(password: str) -> str:
    """A new hash, with its parameters and salt. Takes 15 ms and 7 MiB: call it off the event loop."""
    return _HASHER.hash(password)


def matches(hash: str, password: str) -> bool:
    """Whether this is the password; False also for an unreadable hash. As slow as `hashed`."""
    try:
        return _HASHER.verify(hash, password)
    except (VerifyMismatchError, InvalidHashError):
        return False


def outdated(hash: str) -> bool:
    """Whether the hash has other parameters than today's. If so, hash the password again while it is at hand. Quick."""
    try:
        return _HASHER.check_needs_rehash(hash)
    except InvalidHashError:
        return True


def foreign(hash: str) -> bool:
    """Whether a hash that comes from elsewhere can be checked without great cost: argon2id, with less than nine times
    our memory and time."""
    try:
        said = extract_parameters(hash)
    except InvalidHashError:
        return False
    cheap = said.memory_cost <= 64 * 1024 and said.time_cost <= 40 and said.parallelism <= 4
    return cheap and said.type is Type.ID and len(hash) < 200


def generated(key: bytes, nonce: str) -> str:
    """Four words, 64 bits, such as `lusab-babad-gutih-tugad`.

    The same key and nonce give the same password. We store only the nonce, and compute the words again when the letter
    leaves, so that they never touch the disk. `nonce` is random and used once; without `key` it reveals nothing.
    """
    bits = int.from_bytes(hmac.digest(key, b"password|" + nonce.encode("utf-8"), "sha256")[:8], "big")
    return "-".join(proquint(bits >> shift & 0xFFFF) for shift in (48, 32, 16, 0))


def proquint(number: int) -> str:
    """The five letters of a number from 0 to 65535."""
    return (
        _CONSONANTS[number >> 12 & 15]
        + _VOWELS[number >> 10 & 3]
        + _CONSONANTS[number >> 6 & 15]
        + _VOWELS[number >> 4 & 3]
        + _CONSONANTS[number & 15]
    )


def fresh(date: int | None, now: int) -> bool:
    """Whether a mail with a password was written recently, by its own clock; an old one may be a replay."""
    return date is not None and -DAY < now - date <= STALE


_UNTIMELY = (
    "Your mail says that it was written more than a week ago, or more than a day from now, or it does not say when."
    " With a password in it, it may be a copy of an old mail, so nothing has been done. Set the clock of your computer"
    " right and send it again, or answer a letter: an answer needs no password."
)


def untimely(command: Command) -> Asked:
    """A command whose password does not count, because of the date of its mail."""
    return Asked(command.name, command.game, {}, proof=Proofs.WANTING, line=command.line, trouble=_UNTIMELY)


def one_at_a_time(command: Command) -> Asked:
    """A command of a mail with several new passwords."""
    said = "Only one new password, or one sign-up, goes into a mail, so nothing has been done. Send a mail for each."
    proof = Proofs.NOTHING if BY_NAME[command.name].needs == "anyone" else Proofs.WANTING
    return Asked(command.name, command.game, {}, proof=proof, line=command.line, trouble=said)
