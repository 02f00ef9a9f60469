"""What players allow: how many boards at once, which games, and whether a challenge starts without their consent.
Also counts actions that a player may do only so many times.

A refusal because of another player's settings uses the sentence for a userid that nobody has, so that asking reveals
neither a setting nor a player (P5).
"""

from dataclasses import replace

from engine.family import name_of
from mailbot.core.effects import Forbidden, NotAllowed, Put
from mailbot.core.mail.addresses import owner
from mailbot.core.model import DAY, Game, Player, States, Tally
from mailbot.core.players import bots, names, preferences
from mailbot.core.ratings import terms
from mailbot.core.world import World

AT_ONCE = 3
"""A challenge starts by itself only while the two players have fewer games than this, running or begun within a day.
Letters of a game are never held back, so two mails a second must not become two games a second."""


MAX_DOMAINS = 10
"""Domains below a bought one at which players read. They cost nothing, and the mail server of each can hold up a few of
the letters that leave at a time."""
CROWDED = (
    f"Players read at {MAX_DOMAINS} domains below {{domain}} already, which is the most. Use an address elsewhere."
)

MOST = 500
"""Boards of one player at once, whatever limit is set: lists and open offers read all of them."""


def most(player: int, world: World) -> int:
    """The number of boards that the player wants, or may have, at most."""
    said = world.preferences(player).get("limit", "")
    return int(said) if said.isascii() and said.isdigit() else MOST


def full(player: int, world: World) -> bool:
    """Whether the player's boards, running or offered with the player's consent, have reached the player's limit."""
    return room(player, world) <= 0


def room(player: int, world: World) -> int:
    """How many more boards the player's limit allows."""
    return most(player, world) - len(_agreed(player, world))


def _agreed(player: int, world: World) -> list[Game]:
    own = world.games_of(player, (States.OFFERED, States.RUNNING))
    return [
        game
        for game in own
        if not bots.bot_of(game) and (game.state == States.RUNNING or game.agreed & game.number_of(player))
    ]


def require_room(player: int, world: World) -> None:
    """Forbidden for an asker whose own limit is reached."""
    if full(player, world):
        raise Forbidden(f"Your limit is {most(player, world)} boards at once, and you have reached it.")


def require_room_beside(addr: str, world: World) -> None:
    """Forbidden for an address that would be at one more domain below a bought one than MAX_DOMAINS."""
    if world.domains_beside(addr) >= MAX_DOMAINS:
        raise Forbidden(CROWDED.format(domain=owner(addr)))


def require_room_with_bots(player: int, world: World) -> None:
    """Forbidden for a player with too many running games against computer players."""
    own = [game for game in world.games_of(player, (States.RUNNING,)) if bots.bot_of(game)]
    if len(own) >= bots.MAX_BOARDS:
        raise Forbidden(f"You have {len(own)} games with computer players going, which is the most; finish one first.")


def welcome(player: Player | None, name: str, rules: str, by: int, now: int, world: World) -> Player:
    """The player, if `by` may challenge this player to a game by these rules; else NotAllowed, always with one
    sentence."""
    here = player is not None and player.state == "active"
    if player is None or not here or not likes(player.id, by, rules, now, world) or full(player.id, world):
        said = names.shown(name, by, world)[:20]
        raise NotAllowed(f"No challenge was made: nobody called '{said}' can be challenged here.")
    return player


def likes(player: int, other: int, rules: str, now: int, world: World) -> bool:
    """Whether the player takes such games, and those of this opponent."""
    takes = world.preferences(player).get(f"accept {name_of(rules)}") != "no"
    return takes and not world.blocks(player, other) and strong_enough(player, other, rules, now, world)


def strong_enough(player: int, other: int, rules: str, now: int, world: World) -> bool:
    """Whether the other has a rating against which the player wants to play such a game."""
    wanted = preferences.value(world.preferences(player), "rating")
    return wanted == "any" or terms.within(wanted, other, rules, now, world)


def hears(player: int, world: World) -> bool:
    """Whether the player gets letters that answer nothing: is not signed off, wants them, and has an address that they
    reach."""
    found = world.player(player)
    if found is None or found.state != "active" or world.preferences(player).get("quiet") == "on":
        return False
    return any(address.state == "current" for address in world.addresses(player))


def require_hearing(player: int, what: str, world: World) -> None:
    """Forbidden for an asker who has switched letters off. `what`: what the asker would not hear of."""
    if (found := world.player(player)) and world.preferences(player).get("quiet") == "on":
        on = f"Switch them on first: set {found.userid} PASSWORD quiet off"
        raise Forbidden(f"Your letters are off, so you would not hear that {what}. {on}")


def begins_unasked(player: int, world: World) -> bool:
    """Whether the player wants that games begin without asking; nobody does who would not hear of them."""
    return world.preferences(player).get("accept all") == "yes" and hears(player, world)


def starts_at_once(player: int, by: int, now: int, world: World) -> bool:
    """Whether the player accepts every challenge and does not yet have too many games with this opponent."""
    if bots.is_bot(player):
        return True
    if not begins_unasked(player, world):
        return False
    ended = world.games_of(player, (States.OVER,), since=now - DAY, other=by)
    begun = sum(game.created > now - DAY for game in ended)
    return len(world.games_of(player, (States.RUNNING,), other=by)) + begun < AT_ONCE


def one_more_board(player: int, now: int, world: World) -> Put:
    """Counts a board that the player offers or takes. Forbidden beyond so many a day: boards are kept for ever."""
    most = world.caps.boards_per_day
    tally = one_more(world.tally(player, "boards"), player, "boards", most, DAY, now)
    if tally is None:
        raise Forbidden(f"You have offered or taken {most} boards within a day, which is the most; go on tomorrow.")
    return Put(tally)


OFF = "signed off"
OFF_DAYS = 7
"""Days for which whoever has been signed off counts as such: the server looks once a week, and everybody sees when."""


def was_off(player: int, now: int) -> Put:
    """Notes that a player has been signed off or quiet until now."""
    return Put(Tally(player, OFF, now, 1))


def off_lately(player: int, now: int, world: World) -> bool:
    """Whether a player is signed off or quiet, or was within the last OFF_DAYS."""
    last = world.tally(player, OFF)
    return not hears(player, world) or bool(last and 0 <= now - last.since < OFF_DAYS * DAY)


def has_heard(player: int, at: int, world: World) -> bool:
    """Whether letters reached the player at this time, as far as the last time away shows."""
    last = world.tally(player, OFF)
    return last is None or last.since <= at


def one_more(tally: Tally | None, player: int, what: str, most: int, window: int, now: int) -> Tally | None:
    """The tally with one more, or None if it has already reached `most` within its `window` of seconds."""
    if tally is None or not 0 <= now - tally.since < window:
        tally = Tally(player, what, now, 0)
    return replace(tally, count=tally.count + 1) if tally.count < most else None
