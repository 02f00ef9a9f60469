"""Caps that hold back no letter, for tests that count something else."""

from mailbot.core.caps import Caps

UNCAPPED = Caps(
    waiting_bytes=10**9,
    letters_per_hour=10**6,
    letters_per_day=10**6,
    pair_letters_per_hour=10**6,
    pair_letters_per_day=10**6,
)
