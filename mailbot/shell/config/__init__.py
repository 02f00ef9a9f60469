"""The configuration file: its settings, their kinds and how to read them. It knows nothing of the running daemon."""
