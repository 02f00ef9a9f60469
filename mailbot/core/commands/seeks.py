"""Open offers: made to nobody by name, listed for everybody, and a game at once for whoever takes one.

The seeker has agreed by making the offer, so taking it asks nobody back. With `-keep=3` an offer stays, and can be
taken whenever fewer than three games from it are running; without, it ends when it is taken.
"""

import re
from collections.abc import Sequence
from typing import Any

from engine.families import family_of
from engine.family import name_of
from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, Letter, NotAllowed, Post, Put, Say, Unreadable
from mailbot.core.games import boards, clocks, course
from mailbot.core.language import paging
from mailbot.core.language.grammar import Row
from mailbot.core.model import DAY, Seek, States, Tally
from mailbot.core.players import limits
from mailbot.core.ratings import terms
from mailbot.core.world import Asked, Request, World

MAX_SEEKS = 5
"""Open offers a player may have."""

MAX_KEEP = 10
"""Games that one offer may keep going."""

MAX_TAKEN = 20
"""Games from one player's offers that may begin within a day, because several accounts could take and resign again and
again."""

SEEK_DAYS = 60
"""Days after which an offer ends that has not been made anew."""

_KEEP = re.compile(r"-keep=([0-9]{1,4})\Z")
_FIRST = re.compile(r"-first=(me|you)\Z")


def seek(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Makes an open offer, or the same one anew; `none` withdraws."""
    if "none" in asked.args:
        return _withdrawn(request, asked, world)
    limits.require_hearing(asked.by, "somebody takes your offer", world)
    if not asked.game:
        games = " or ".join(f"{name} seek ..." for name in world.catalogue.names)
        raise Unreadable(f"Say which game you mean: {games}")
    marks, unrated = terms.chosen(asked.args["options"])
    marks, clock = clocks.chosen(marks, world.clock)
    options, keep, first = _marks(marks)
    text = family_of(asked.game, world.catalogue).read(" ".join((asked.game, *options)), world.catalogue)
    own = [one for one in world.seeks() if one.player == asked.by]
    late = [one for one in own if _late(one, request.now)]
    open_ = [one for one in own if one not in late]
    made = Seek(0, asked.by, text, keep, request.now, first, clock, int(unrated or terms.endless(clock, world)))
    same = next((one for one in open_ if made._replace(id=one.id, keep=one.keep, created=one.created) == one), None)
    if same is None and len(open_) >= MAX_SEEKS:
        raise Forbidden(
            f"You have {len(open_)} open offers, which is the most; withdraw one first, for example with: "
            f"seek none {open_[0].id} {_userid(asked.by, world)} PASSWORD"
        )
    number = same.id if same else world.fresh("seek")
    made = made._replace(id=number)
    row = _line(made, asked.by, request.now, world)
    facts = {"table": "seeks", "rows": [row], "anew": same is not None, "days": SEEK_DAYS, "keep": keep}
    limit = limits.most(asked.by, world) if limits.full(asked.by, world) else None
    letter = Letter("seek", f"Open offer {number}", {**facts, "seek": number, "limit": limit, "userid": row["by"]})
    return [*map(Drop, late), Put(made), Say(letter)]


def _marks(marks: Sequence[str]) -> tuple[list[str], int, str]:
    """The options of the game, the number of games to keep (0: one only), and who moves first."""
    rest, keep, first = [], 0, ""
    for mark in marks:
        if mark.startswith("-keep"):
            found = _KEEP.match(mark)
            if not found or not 1 <= int(found[1]) <= MAX_KEEP:
                raise Unreadable(f"-keep says how many games you want from the offer: -keep=1 to -keep={MAX_KEEP}")
            keep = int(found[1])
        elif mark.startswith("-first"):
            found = _FIRST.match(mark)
            if not found:
                raise Unreadable("-first says who moves first: -first=me or -first=you")
            first = found[1]
        else:
            rest.append(mark)
    return rest, keep, first


def _withdrawn(request: Request, asked: Asked, world: World) -> list[Effect]:
    """One offer, or all of the asker's; behind a game word only those of that game."""
    own = [one for one in world.seeks() if one.player == asked.by and asked.game in ("", name_of(one.rules))]
    if said := asked.args.get("n", ""):
        own = [one for one in own if one.id == int(said.lstrip("#"))]
    if not own:
        which = f" {int(said.lstrip('#'))}" if said else ""
        raise NotAllowed(f"You have no open offer{which}{f' of {asked.game}' if asked.game else ''} to withdraw.")
    numbers = ", ".join(str(one.id) for one in own)
    these, them = ("Open offers", "them") if len(own) > 1 else ("Open offer", "it")
    told = f"{these} {numbers} withdrawn. Games that came from {them} go on."
    return [*map(Drop, own), Say(Letter("notice", "Open offers", {"said": told}))]


def seeks(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The open offers that the asker could take, and the asker's own."""
    found = [
        one for one in world.seeks() if asked.game in ("", name_of(one.rules)) and _seen(one, asked.by, request, world)
    ]
    rows = [
        _line(one, asked.by, request.now, world)
        for one in found
        if one.player == asked.by or not _full(one, request.now, world)
    ]
    others = [row["seek"] for row in rows if row["by"] != _userid(asked.by, world)]
    before = paging.start(asked)
    page = rows[before : before + paging.most(asked, world)]
    facts: dict[str, Any] = {"table": "seeks", "rows": page, "more": max(0, len(rows) - before - len(page))}
    facts["again"] = paging.rest(asked, before + len(page), ())
    facts |= {"game": asked.game, "example": others[0] if others else 0, "userid": _userid(asked.by, world)}
    facts["own"] = len(others) < len(rows)
    return [Say(Letter("seeks", "Open offers", facts))]


def take(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Begins the game that somebody has offered to anybody."""
    number = int(asked.args["n"].lstrip("#"))
    found = world.seek(number)
    if found is None or not _seen(found, asked.by, request, world):
        raise Unreadable(f"There is no open offer {number}. To see the open offers, send: seeks")
    if asked.game and asked.game != name_of(found.rules):
        raise Forbidden(f"Open offer {number} is a game of {name_of(found.rules)}, not of {asked.game}.")
    if found.player == asked.by:
        raise Forbidden(f"Open offer {number} is your own; somebody else must take it.")
    for game in world.games_of(asked.by, (States.RUNNING,), other=found.player):
        if game.seek == number:
            raise Forbidden(f"You are still playing board {game.id}, which came from open offer {number}.")
    for game in world.games_of(asked.by, (States.OVER,), since=request.now - DAY, other=found.player):
        if game.seek == number and game.created > request.now - DAY:
            raise Forbidden(f"You took open offer {number} less than a day ago: board {game.id}. Wait a day.")
    limits.require_room(asked.by, world)
    taken = _taken(found, request.now, world)
    if taken is None or _busy(found, world):
        raise Forbidden(f"Open offer {number} cannot be taken at the moment: {_userid(found.player, world)} is busy.")
    count = limits.one_more_board(asked.by, request.now, world)
    board = world.fresh("game")
    seeker = _seeker(found, board)
    one, two = (found.player, asked.by) if seeker == 1 else (asked.by, found.player)
    rated = terms.agreed(found.rules, found.clock, world, unrated=bool(found.unrated))
    game = course.offered(board, found.rules, (one, two), request.now, course.BOTH, number, found.clock, rated)
    game, more = terms.begun(game, request.now, world)
    begun = boards.begin(game, 3 - seeker, request, world, "taken", offer=number, **more)
    return [count, Put(taken), *begun, *([] if found.keep else [Drop(found)])]


def _seeker(one: Seek, board: int) -> int:
    """Player number of the seeker: as the offer says, else 1 on every board with an odd number."""
    return {"me": 1, "you": 2}.get(one.first, 2 - board % 2)


def expire(one: Seek, now: int) -> list[Effect]:
    """Ends an offer that has not been made anew for SEEK_DAYS, and tells whose it was."""
    if not _late(one, now):
        return []
    game, *options = one.rules.split()
    said = (
        f"Your open offer {one.id} ({_terms(one)}) has been listed for {SEEK_DAYS} days and has ended. Games that came"
        f" from it go on. To make it anew: {' '.join([game, 'seek', *options, *_more(one)])} YOU PASSWORD"
    )
    return [Drop(one), Post(one.player, Letter("notice", "Open offers", {"said": said}), Kinds.NOTICE)]


def _more(one: Seek) -> list[str]:
    """The clock, and that the games are not rated, as options of a line."""
    clock = [] if one.clock == "none" else f"-clock={one.clock}".split()
    return [*clock, *([terms.UNRATED] if one.unrated else [])]


def _terms(one: Seek) -> str:
    """The rules and the other terms, as a line would have them."""
    return " ".join([one.rules, *_more(one)])


def _userid(player: int, world: World) -> str:
    found = world.player(player)
    return found.userid if found else "?"


def _late(one: Seek, now: int) -> bool:
    return now >= one.created + SEEK_DAYS * DAY


def _seen(one: Seek, viewer: int, request: Request, world: World) -> bool:
    """Whether the offer is there for this player at all."""
    there = limits.hears(one.player, world) and not _late(one, request.now)
    welcome = viewer == one.player or limits.strong_enough(one.player, viewer, one.rules, request.now, world)
    return there and welcome and not world.blocks(one.player, viewer)


def _running(one: Seek, world: World) -> int:
    return sum(game.seek == one.id for game in world.games_of(one.player, (States.RUNNING,)))


def _busy(one: Seek, world: World) -> bool:
    return (one.keep > 0 and _running(one, world) >= one.keep) or limits.full(one.player, world)


def _full(one: Seek, now: int, world: World) -> bool:
    """Whether nobody can take the offer now."""
    return _busy(one, world) or _taken(one, now, world) is None


def _taken(one: Seek, now: int, world: World) -> Tally | None:
    """The count of games from this player's offers with one more; None if MAX_TAKEN have begun within a day."""
    return limits.one_more(world.tally(one.player, "taken offers"), one.player, "taken offers", MAX_TAKEN, DAY, now)


def _line(one: Seek, viewer: int, now: int, world: World) -> dict[str, Any]:
    """A row of the table, as this player reads it."""
    by = _userid(one.player, world)
    own = one.player == viewer
    category = terms.category(one.rules, world.catalogue)
    return {
        "seek": one.id,
        "rules": _terms(one),
        "by": by,
        "rating": terms.now_of(one.player, category, now, world) if category else "",
        "first": {"me": by, "you": "the other" if own else "you"}.get(one.first, ""),
        "keep": one.keep,
        "running": _running(one, world),
        "note": "*" if own and _full(one, now, world) else "",
    }


ROWS = (
    Row(
        "seek",
        ("userid password", "none n userid password", "none userid password"),
        seek,
        "offer a game to anybody, or withdraw your offers",
        game=True,
        options=True,
    ),
    Row("seeks", ("",), seeks, "list the open offers", needs="known", game=True, options=True),
    Row("take", ("n userid password", "n"), take, "take an open offer: the game begins", game=True, may_have_body=True),
)
