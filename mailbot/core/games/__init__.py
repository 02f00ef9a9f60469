"""What happens on a board: turns, questions between the players, queued moves, the end of a game. Clocks belong here.

Knows no command and no setting of a player.
"""
