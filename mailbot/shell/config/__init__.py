"""The configuration file: its settings, their kinds and how they are read. Knows no running daemon."""
