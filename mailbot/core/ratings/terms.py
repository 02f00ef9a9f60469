"""Which games are rated: the categories, and the terms on which a game is offered.

A category is a named set of rules: a game without options, or a variant whose row says that it is rated. The terms are
kept with the board, so that they stay what both players have agreed to.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from textwrap import wrap
from typing import Any

from engine.catalogue import Catalogue
from engine.families import family_of
from engine.family import name_of
from mailbot.core.effects import Unreadable
from mailbot.core.games import clocks
from mailbot.core.model import DAY, Game, Pool
from mailbot.core.ratings.fold import EXCUSES, PAIR_DAYS, PAIR_GAMES, PROVISIONAL, Past, Rating, aged
from mailbot.core.world import World

UNRATED = "-unrated"
"""The option of an offer."""

WIDTH = 78


@lru_cache(maxsize=8)
def categories(catalogue: Catalogue) -> Mapping[str, str]:
    """The rules of each category, by its name."""
    named = {game.name: game.name for game in catalogue.games}
    named |= {row.name: f"{row.game} -{row.name}" for row in catalogue.variants if row.rated}
    return {name: family_of(text, catalogue).read(text, catalogue) for name, text in named.items()}


def category(rules: str, catalogue: Catalogue) -> str:
    """The category of games by these rules, "" if they have none."""
    return next((name for name, text in categories(catalogue).items() if text == rules), "")


def chosen(options: Sequence[str]) -> tuple[list[str], bool]:
    """The options that say nothing of ratings, and whether one says that the game is not rated. Raises Unreadable."""
    rest = [option for option in options if option.lower().partition("=")[0] != UNRATED]
    if any("=" in option for option in options if option not in rest):
        raise Unreadable(f"{UNRATED} takes no value: write just {UNRATED}")
    return rest, len(rest) < len(options)


OFFERED_SO = "it was offered with -unrated"
SLOWEST = 60 * DAY
"""The most time that a player of a rated game can ever have for a move."""
ENDLESS = (
    f"its clock can give a player more than {SLOWEST // DAY} days for one move. A clock with a maximum, such as"
    " 10d+2d/14d, is rated"
)
TOGETHER = f"both players have the same address, or had it within {PAIR_DAYS} days"
OFTEN = f"{PAIR_GAMES} games of these two players are being played or were rated within {PAIR_DAYS} days"


def offered_so(game: Game) -> bool:
    """Whether the offer of this game said that it is not rated."""
    return game.unrated == OFFERED_SO


def endless(clock: str, world: World) -> bool:
    """Whether whoever has lost need not end a game with this clock. What the operator has chosen for all games is no
    such clock."""
    chosen = clocks.terms(clock).clock
    return clock != world.clock and (chosen is None or (chosen.most if chosen.increment else chosen.start) > SLOWEST)


def agreed(rules: str, clock: str, world: World, *, unrated: bool) -> tuple[str, str]:
    """The category of a game that is to be offered, and why it will not be rated, or nothing."""
    found = category(rules, world.catalogue)
    if unrated:
        return found, OFFERED_SO
    if endless(clock, world):
        return found, ENDLESS
    return found, "" if found else "its rules have other options than rated games"


def begun(game: Game, now: int, world: World, beside: Collection[Game] = ()) -> tuple[Game, dict[str, Any]]:
    """The game as it begins, and what its letter tells if it is not rated after all (`_hindered`). If the end of the
    game decided that, a player could first end what is won, and leave what is lost to the limit. `beside`: games that
    have begun with it and are not stored yet."""
    if game.unrated or not game.category:
        return game, {}
    why = _hindered(game, now, world, beside)
    return (game._replace(unrated=why), {"unrated": why}) if why else (game, {})


def _hindered(game: Game, now: int, world: World, beside: Collection[Game] = ()) -> str:
    """Why a game that begins now is not rated, or nothing: its two players read at one mailbox, or one of them left it
    within PAIR_DAYS; or PAIR_GAMES rated games between players of their mailboxes are being played or have ended
    within PAIR_DAYS."""
    ones, twos = world.mates(game.player1, now), world.mates(game.player2, now)
    if game.player2 in ones or game.player1 in twos:
        return TOGETHER
    theirs = [one for one in beside if not one.unrated and one.category and _between(one, ones, twos)]
    rated = len(theirs) + world.rated_between(ones, twos, now - PAIR_DAYS * DAY, PAIR_GAMES)
    return OFTEN if rated >= PAIR_GAMES else ""


def _between(game: Game, ones: Collection[int], others: Collection[int]) -> bool:
    one, two = game.player1, game.player2
    return (one in ones and two in others) or (two in ones and one in others)


_SPAN = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")


def span(text: str) -> tuple[int, int]:
    """The lowest and the highest rating of `1400-1800`. Raises Unreadable."""
    found = _SPAN.fullmatch(text)
    if not found or int(found[1]) > int(found[2]):
        raise Unreadable(f"'{text[:20]}' is no range of ratings: write it like 1400-1800, the lower one first")
    return int(found[1]), int(found[2])


def within(text: str, player: int, rules: str, now: int, world: World) -> bool:
    """Whether the settled rating of a player lies in a span, in the category of a game by these rules, or of the game
    without options if they have none. A player without games has the first rating."""
    low, high = span(text)
    return low <= round(settled(player, category(rules, world.catalogue) or name_of(rules), now, world)) <= high


def settled(player: int, category: str, now: int, world: World) -> float:
    """The rating of a player without the games that may run again because somebody who has withdrawn comes back. Else a
    player, or friends, could move a rating by withdrawing, enter where it does not fit, and come back."""
    rating = Earlier(world).rating(category, player).rating
    for one in world.revocable(player, category, now):
        rating -= one.after1 - one.before1 if one.player1 == player else one.after2 - one.before2
    return rating


def shown(rating: float, rd: float) -> str:
    """A rating as people read it: `1612`, or `1598?` while it is provisional."""
    return f"{round(rating)}{'?' if rd > PROVISIONAL else ''}"


class Earlier(Past[int]):
    """What the store has kept of the games that are over."""

    def __init__(self, world: World) -> None:
        self._world = world

    def pool(self, category: str) -> Pool:
        return self._world.pool(category) or super().pool(category)

    def rating(self, category: str, player: int) -> Rating:
        kept = self._world.ranking(player, category)
        return Rating(*kept[2:]) if kept else Rating()

    def lost_on_time(self, category: str, player: int) -> int | None:
        return self._world.lost_on_time(category, player)

    def excused(self, category: str, player: int) -> tuple[int, ...]:
        return tuple(self._world.excused(category, player, EXCUSES))

    def met(self, one: int, other: int) -> tuple[int, ...]:
        return tuple(self._world.met(one, other, PAIR_GAMES))


def now_of(player: int, category: str, now: int, world: World) -> str:
    """The rating of a player as people read it, aged to now."""
    rating = aged(Earlier(world).rating(category, player), now)
    return shown(rating.rating, rating.rd)


def facts(game: Game, now: int, world: World) -> dict[str, Any]:
    """What an offer says of the ratings, as a part of its facts."""
    if game.unrated or not game.category:
        return {"unrated": game.unrated} if game.unrated else {}
    why = _hindered(game, now, world)
    if why == TOGETHER:
        return {"unrated": why}
    players = (game.player1, game.player2)
    often = {"often": True} if why else {}
    return {"rated": game.category, "ratings": [now_of(one, game.category, now, world) for one in players], **often}


def lines(told: Mapping[str, Any]) -> list[str]:
    """The same in words, from the facts of the offer."""
    if "unrated" in told:
        return wrap(f"This game will not be rated: {told['unrated']}.", WIDTH)
    pairs = zip(told["players"], told["ratings"], strict=True)
    said = f"Rated ({told['rated']}): {', '.join(f'{name} {rating}' for name, rating in pairs)}."
    if told.get("often"):
        said += (
            f" At most {PAIR_GAMES} games of the same two players within {PAIR_DAYS} days are rated, and {PAIR_GAMES}"
            " of yours are being played or have ended: this one is rated only if it begins later."
        )
    return wrap(said, WIDTH)
