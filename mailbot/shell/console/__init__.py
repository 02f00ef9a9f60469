"""Programs for a terminal: the mailbot command, the operator's shell, a small mail program, a game at the table."""
