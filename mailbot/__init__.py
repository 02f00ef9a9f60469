"""mailbot: a play-by-email server for hexagonal tile games."""

__version__ = "0.1.0"
