"""What belongs to a player, not to one board: settings, limits, addresses that fail, the digest, computer players.

It knows no commands.
"""
