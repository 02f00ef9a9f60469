"""What happens on a board: turns, questions between the players, queued moves, hints, the end of a game. Clocks belong
here.

It knows no commands and no settings of players.
"""
