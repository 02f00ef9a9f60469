"""The conversation: pure functions from mails and stored facts to effects. No I/O, no clock, no randomness."""
