"""The games: pure functions and values, no I/O, no clock, no randomness."""
