"""mailbot: a play-by-email server for hexagonal tile games."""
