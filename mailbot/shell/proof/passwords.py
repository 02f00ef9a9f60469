"""Passwords: hashed with argon2id, and made up for those who ask for one.

7 MiB, five passes, one lane: of OWASP's choices, which are equally strong, the one that disturbs its neighbours least;
14 ms where it was measured.
"""

import hmac
from typing import Final

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerifyMismatchError

_HASHER: Final = PasswordHasher(time_cost=5, memory_cost=7 * 1024, parallelism=1, type=Type.ID)

# Proquints, "pronounceable quintuplets", by D. Wilkerson: 16 bits become consonant, vowel, consonant, vowel, consonant.
_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"


def hashed(password: str) -> str:
    """A new hash, with its parameters and salt. Takes 15 ms and 7 MiB: call it off the event loop."""
    return _HASHER.hash(password)


def matches(hash: str, password: str) -> bool:
    """Is this the password? False also for a hash that cannot be read. As slow as `hashed`."""
    try:
        return _HASHER.verify(hash, password)
    except (VerifyMismatchError, InvalidHashError):
        return False


def outdated(hash: str) -> bool:
    """Was it made with other parameters than today's? Then hash the password anew while it is at hand. Quick."""
    try:
        return _HASHER.check_needs_rehash(hash)
    except InvalidHashError:
        return True


def generated(key: bytes, nonce: str) -> str:
    """Four words, 64 bits, such as `lusab-babad-gutih-tugad`.

    The same key and nonce give the same password: what is kept is the nonce, and the words are worked out again when
    the letter leaves, so that they never touch the disk. `nonce` is random and used once; without `key` it tells
    nothing.
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
