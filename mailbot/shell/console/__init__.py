"""Programs for a terminal: the mailbot command, the operator's commands, a small mail program, a game on the spot."""
