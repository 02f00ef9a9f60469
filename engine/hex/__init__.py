"""The built-in family: games of hexagonal tiles. Only `engine.families` and the computer player look inside."""
