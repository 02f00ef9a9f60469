"""Ratings: the fold over finished games, which games are rated, and what the end of a game changes.

It knows boards, and no commands and no settings of players.
"""
