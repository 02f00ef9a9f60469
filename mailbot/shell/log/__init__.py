"""The log: how its lines are written, and what they say of a mail."""
