"""Tournaments that run here: entry, steps, rulings and letters. mailbot.core.tournaments decides who meets whom.

Theory of operation. A tournament's games are ordinary boards. When the last running one is over, `steps.follow` makes
the tournament due, in the transaction that ended the game. When it is due, `steps.due` reads the whole tournament from
its rows, asks its format what happens now, and stores the answer with all games and letters in one transaction. So
after a crash a step is either made or still due. Nothing here asks for the name of a format.
"""
