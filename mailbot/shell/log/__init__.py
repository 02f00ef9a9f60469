"""The log: how its lines are written, and what they say about a mail."""
