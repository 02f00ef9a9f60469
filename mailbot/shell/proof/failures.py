"""What failures of `me` count for: the address of the mail, whosever it is."""

from collections.abc import Sequence

from mailbot.core.language import me
from mailbot.core.model import Player
from mailbot.store.reads import Reads

TRIES = 4
"""Passwords to compare for `me`, at least: as many for a stranger as for a player with one to four userids."""


def at(addr: str, players: Sequence[Player]) -> list[str]:
    """As many names as passwords are tried in a mail from this address of these players. No userid has a blank."""
    return [f"{me.ME} {number} {addr}" for number in range(max(TRIES, len(players)))]


def of(player: Player, reads: Reads) -> list[str]:
    """The names for all addresses that have agreed to be the player's; anybody may ask others whether they do."""
    addresses = [one.addr for one in reads.addresses(player.id) if one.state in ("current", "suspended")]
    return [name for addr in addresses for name in at(addr, reads.players_at(addr))]
