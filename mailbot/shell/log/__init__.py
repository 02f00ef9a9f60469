"""What the log says of each mail, and how its records are written for a terminal or the journal."""
