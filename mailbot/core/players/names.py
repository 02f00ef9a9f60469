"""Userids: which ones nobody may take, and which ones an answer may repeat."""

import re

from mailbot.core.language.grammar import SHORTEST
from mailbot.core.language.masking import HIDDEN
from mailbot.core.model import Player
from mailbot.core.players import bots
from mailbot.core.world import World

KEPT_DAYS = 365
"""For this many days nobody can take the userid of a player who has left or was renamed, and write to friends as that
player."""

_ROLES = """
abuse ftp hostmaster info marketing news noc postmaster sales security support usenet uucp webmaster www
admin administration administrator director gamemaster moderator official operator owner referee root staff sysadmin
sysop team bot bounce bounces contact daemon devnull donotreply help helpdesk mail mailbot mailer mailerdaemon mailman
nobody noreply notification notifications notify robot server service system
"""
"""Userids with which a letter would seem to come from the server or its operator."""

ROLES = frozenset(_ROLES.split())

_IN_TITLES = """
bot bounce bounces contact info mail marketing news robot root sales service staff system team
"""
"""Roles that may stand in the name of a tournament: teams play, too."""

IN_TITLES = frozenset(_IN_TITLES.split())

_WORDS = """
accept account active add address all always analyse analysis analyze anybody anyone approve block board broadcast
challenge change chat comments concede confirm confirmed dark decline declined delete digest draw echo erase everybody
everyone finished first forgot game games he hint hints history i if inactive it keep lambo light limit list mamba
mambo mamboa mambogo me message move mv my myself newpassword next no none normal off ok on opponent opponents palago
pass password play player players preview propose prove puzzle puzzles queue quiet record register reject reply reset
resign rules say second seek seeks set settings she show showas sign signoff signup solve solver standings submit swap
take the then they top bottom commands multiple tutorial blind computer html letters options picture silence stop text
topics words holes ladders strategy territory threats wedges autovacation clocks grant holiday reminders vacation
appeal cancel create directing join ladder leave return start table time tournament tournaments withdraw provisional
rating ratings unrated people wins any utc timezone links atonce close double draft every format groups knockout match
month note of open quarter replace result roundrobin rounds swiss third until resume name name1 name2 friend uct
rematch subject unblock undo unlock unsubscribe up userid we winner yes you your yours yourself
"""
"""Userids that would change the meaning of a sentence in a letter, or of a line to send."""

WORDS = frozenset(_WORDS.split())

_SITE = re.compile(r"\w\.[a-z]{2}", re.IGNORECASE)
SITE = "A name may not read like that of a web site, or mail servers would hold its letters back: leave out the dot."
_SIGNS = re.compile(r"[._-]")
_WORD = re.compile(r"[^\W_]+")
_LIKE = str.maketrans("0345", "oeas")
_GONE = re.compile(r"gone[0-9]+\Z")
"""The name of a deleted player in the games that stay (`gone-7`), without the dash."""


def _plain(word: str) -> set[str]:
    """The readings of a word, in lower case and without the digits at its end: digits as letters, with 1 as l or i; rn
    as m; and a capital I as l, which many typefaces write alike."""
    bare = word.rstrip("0123456789")
    found = {read.lower().translate(_LIKE).replace("1", one) for read in (bare, bare.replace("I", "l")) for one in "li"}
    return found | {read.replace("rn", "m") for read in found}


def reserved(userid: str) -> bool:
    """Whether nobody can have this userid: it is a word of ours, or means a computer player, a deleted player or
    somebody with a role, in any case and with any signs or digits added (`Post.Master-1`). A role also counts among
    other words (`the-admin`), and a computer player also next to a sign (`uct-x`)."""
    whole, parts = _SIGNS.sub("", userid), _SIGNS.split(userid)
    beside = {read for part in parts for read in _plain(part)}
    computers = {read for read in beside if bots.RESERVED.match(read)}
    return bool(_GONE.match(whole.lower()) or computers or _plain(whole) & (ROLES | WORDS) or beside & ROLES)


def official(title: str) -> str:
    """The word of a tournament's name that would make its letters seem to come from the server or its operator; "" if
    there is none."""
    return next((word for word in _WORD.findall(title) if _plain(word) & (ROLES - IN_TITLES)), "")


def like_site(name: str) -> bool:
    """Whether the name of a player or a tournament reads like the name of a web site. Content filters look those up,
    and would hold back every letter in which it stands."""
    return _SITE.search(name) is not None


def shown(name: str, by: int, world: World) -> str:
    """The userid as an answer to player `by` may repeat it: a long one only if `by` may know of that player.

    Otherwise the answer would reveal who has an account, or repeat a password (masking.py).
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
    """Whether the player has written to `by` within the time for which tallies are kept."""
    me = world.player(by)
    return me is not None and any(world.tally(player.id, tally(name)) for name in (me.userid, HIDDEN))


def tally(name: str) -> str:
    """The name of the tally that counts letters with words to that userid."""
    return f"words to {name.lower()[:20]}"
