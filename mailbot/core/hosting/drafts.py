"""A new tournament from the words of its director."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from engine.families import family_of
from mailbot.core import tournaments
from mailbot.core.contests import Stages, Tournament
from mailbot.core.effects import Effect, Forbidden, NotAllowed, Put, Unreadable
from mailbot.core.games import clocks
from mailbot.core.hosting import letters
from mailbot.core.hosting.editions import MONTHS
from mailbot.core.hosting.standing import noted
from mailbot.core.model import DAY
from mailbot.core.players import limits, names
from mailbot.core.ratings import terms
from mailbot.core.tournaments.field import FEWEST, Entrant, checked, gather
from mailbot.core.world import World

FINISHED = 5
"""Games that a player has finished who may create tournaments, where players may."""
DIRECTED = 2
"""Tournaments that one player may direct at once, unless the operator has named the directors."""
AHEAD = 366
"""Days until which entry may end."""
LONGEST = 40
"""Characters of a name."""

EXAMPLE = '-format=swiss,rounds=5 -game="lambo -size=40" -clock=normal -min=8 -max=64 -until=2026-12-01'
_NAME = re.compile(r"[^\W_][\w .'&+-]*\Z")


OPTIONS = ("format", "game", "min", "max", "until", "every", "draft", "rating", "unrated", "vacation")
"""What the line may say besides the clock."""

CREATED, A_DAY = "tournaments created", 5
"""The tally of a player's tournaments, and how many a player creates within a day."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What the options say, before anything is checked."""

    format: str
    game: str
    clock: list[str]
    least: int
    most: int
    until: int
    every: str
    draft: bool
    rating: str
    unrated: bool
    vacation: bool


def require_director(player: int, world: World) -> None:
    """NotAllowed for a player who may not create tournaments; Forbidden for one with enough of them."""
    known = world.player(player)
    if world.directors != "players":
        if known is None or known.userid.lower() not in world.directors.lower().split():
            raise NotAllowed("On this server only directors whom the operator has named create tournaments")
        return
    if world.count_over(player, "") < FINISHED:
        raise NotAllowed(f"You can create tournaments when you have finished {FINISHED} games here")
    if len({one.name for one in world.directed(player)}) >= DIRECTED:  # editions of one count as one
        raise Forbidden(f"You direct {DIRECTED} tournaments, which is the most; you can create one when one is over")


def named(title: str) -> str:
    """The name as it is kept. Raises Unreadable."""
    name = " ".join(title.split())
    if not _NAME.match(name) or len(name) > LONGEST:
        raise Unreadable(f"The name has 1 to {LONGEST} letters, digits or signs such as - and &")
    return name


def created(
    title: str, marks: Sequence[str], words: str, director: int, now: int, world: World
) -> tuple[Tournament, list[Effect]]:
    """A new tournament, open for entry or as a draft. Raises Unreadable, Forbidden."""
    name = named(title)
    if names.like_site(name):
        raise Forbidden("The name may not read like that of a web site: write a space after each dot")
    if director and (word := names.official(name)):
        raise Forbidden(f"The name may not read as if the server or its operator spoke: leave out '{word}'")
    said = _read(marks, now, world)
    row, options = tournaments.parse(said.format)
    full = checked(row.options, options)
    if not FEWEST <= said.least <= said.most <= row.most:
        raise Forbidden(f"A tournament of this format takes {FEWEST} to {row.most} players, and -min is at most -max")
    row.pairings(gather(row.options, [Entrant("a"), Entrant("b")], options=full))  # an engine may be missing
    rest, clock = clocks.chosen(said.clock, world.clock if world.clock != "none" else clocks.PRESETS["normal"])
    if clock == "none":
        raise Forbidden("A tournament needs a clock, or a round might never end: for example -clock=normal")
    if not said.vacation:
        clock += f" {clocks.NO_VACATION}"
    game, *marks_ = [*said.game.split(), *rest]
    rules = family_of(world.catalogue.game(game).name, world.catalogue).read(" ".join([game, *marks_]), world.catalogue)
    same = [one for one in world.tournaments(Stages.OPEN, 1000) if one.name.lower() == name.lower()]
    if same:
        raise Forbidden(f"There is a tournament of that name already, tournament {same[0].id}; choose another name")
    if row.endless and said.every:
        raise Forbidden("This format never ends, so there are no further editions: leave -every out")
    count = limits.one_more(world.tally(director, CREATED), director, CREATED, A_DAY, DAY, now) if director else None
    if director and count is None:
        raise Forbidden(f"You have created {A_DAY} tournaments within a day, which is the most; go on tomorrow")
    number = world.fresh("tournament")
    tournament = Tournament(
        number,
        name,
        director,
        Stages.DRAFT if said.draft else Stages.ENTRY,
        said.format,
        rules,
        clock,
        said.least,
        said.most,
        said.until,
        now,
        now ^ number,
        words,
        said.every,
        due=said.until or None,
        previous=_before(name, director, world),
        rating=said.rating,
        unrated=int(said.unrated),
    )
    counted = [Put(count)] if count else []
    line = noted(tournament, "created", now, world, by=director)
    return tournament, [Put(tournament), *counted, line, *letters.announced(tournament, now, world)]


def _before(name: str, director: int, world: World) -> int:
    """The last tournament with this name and director that is over, or 0."""
    over = world.tournaments((Stages.OVER,), 1000)
    return next((one.id for one in over if (one.name.lower(), one.director) == (name.lower(), director)), 0)


def _read(marks: Sequence[str], now: int, world: World) -> _Said:
    """The options of the line, and what holds where nothing was said. Raises Unreadable, Forbidden."""
    found: dict[str, str] = {}
    clock: list[str] = []
    for mark in marks:
        name, _, value = mark.lstrip("-").partition("=")
        if name in ("clock", "noweekends"):
            clock.append(mark)
        elif name in found:
            raise Unreadable(f"-{name} is said twice")
        elif name not in OPTIONS:
            raise Unreadable(f"'{mark[:20]}' is no option here; for example: {EXAMPLE}")
        else:
            found[name] = value.strip('" ')
    for name in ("format", "game"):
        if not found.get(name):
            raise Unreadable(f"-{name} is missing; for example: {EXAMPLE}")
    row = tournaments.parse(found["format"])[0]
    every = found.get("every", "")
    if every and every not in MONTHS:
        raise Unreadable(f"-every takes {' or '.join(MONTHS)}")
    rating = found.get("rating", "")
    if "rating" in found:
        terms.span(rating)
    vacation = found.get("vacation", "yes").lower()
    if vacation not in ("yes", "no"):
        raise Unreadable("-vacation takes yes or no: whether a vacation stops a player's clocks")
    if found.get("unrated"):
        raise Unreadable("-unrated takes no value: write just -unrated")
    until = _day(found["until"], now) if "until" in found else 0
    least, most = (_number(found, name, default) for name, default in (("min", FEWEST), ("max", row.most)))
    if not (until or "max" in found or row.endless):
        raise Unreadable("Say when entry ends: -until=2026-12-01, or -max=8 to begin when so many have entered")
    return _Said(
        found["format"],
        found["game"],
        clock,
        least,
        most,
        until,
        every,
        "draft" in found,
        rating,
        "unrated" in found,
        vacation == "yes",
    )


def _number(found: dict[str, str], name: str, default: int) -> int:
    said = found.get(name, str(default))
    if not (said.isascii() and said.isdigit() and len(said) < 5):
        raise Unreadable(f"-{name} takes a number of players, such as -{name}=8")
    return int(said)


def _day(said: str, now: int) -> int:
    """The end of that day, UTC."""
    try:
        end = int(datetime.strptime(said, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()) + DAY
    except ValueError:
        raise Unreadable("-until takes a day such as 2026-12-01") from None
    if end <= now:
        raise Forbidden(f"The day {said} has passed: entry cannot end in the past")
    if end > now + AHEAD * DAY:
        raise Forbidden("Entry ends within a year")
    return end
