"""Userids: which ones nobody may take, and which ones an answer may repeat."""

import re

from mailbot.core.language.masking import HIDDEN, SHORTEST
from mailbot.core.model import PSEUDONYM, Player
from mailbot.core.players import bots
from mailbot.core.world import World

KEPT_DAYS = 365
"""Days for which nobody can take the userid of a player who has left or was renamed, and write to friends with it."""

_ROLES = """
abuse ftp hostmaster info marketing news noc postmaster sales security support usenet uucp webmaster www
admin administration administrator gamemaster moderator official operator owner referee root staff sysadmin sysop
team bot bounce bounces contact daemon devnull donotreply help helpdesk mail mailbot mailer mailerdaemon mailman
nobody noreply notification notifications notify robot server service system
"""
"""Userids under which a letter would seem to come from the server or from whoever runs it."""

ROLES = frozenset(_ROLES.split())

_SIGNS = re.compile(r"[._-]")


def reserved(userid: str) -> bool:
    """Whether nobody can have this userid: it means the writer (`me`), a computer player, a player who is gone, or
    somebody with a role, whatever its case and whatever signs or digits it is dressed up with (`Post.Master-1`)."""
    plain = _SIGNS.sub("", userid.lower()).rstrip("0123456789")
    return bool(bots.RESERVED.match(userid) or PSEUDONYM.match(userid)) or plain in ROLES


def shown(name: str, by: int, world: World) -> str:
    """The userid as an answer to player `by` may repeat it: a long one only if `by` may know of that player.

    Else the answer would tell who has an account, or repeat a password (masking.py).
    """
    if len(name) < SHORTEST:
        return name
    player = world.player_named(name)
    return (
        player.userid
        if player and (player.id == by or world.public(player.id) or _wrote(player, by, world))
        else HIDDEN
    )


def _wrote(player: Player, by: int, world: World) -> bool:
    """Whether the player has written to `by` within the days for which tallies are kept."""
    me = world.player(by)
    return me is not None and any(world.tally(player.id, tally(name)) for name in (me.userid, HIDDEN))


def tally(name: str) -> str:
    """Under which the letters of words to that name are counted."""
    return f"words to {name.lower()[:20]}"
