"""What a director may decide, and what the operator decides instead.

Anybody who plays here may direct. So a director has no say while taking part, nor in what the ratings are made of: else
friends could direct each other out of lost games. A director who withdraws may decide the other players' games, but
cannot return after that. Whom the operator has named is trusted with rated games.
"""

from collections.abc import Collection
from typing import NamedTuple

from mailbot.core import tournaments
from mailbot.core.contests import Entry, Stages, Tournament
from mailbot.core.effects import Effect, Forbidden, Letter, NotAllowed, Put, Say, Unreadable
from mailbot.core.games import timing
from mailbot.core.hosting.standing import Standing, withdrawal
from mailbot.core.model import DAY, Game, States
from mailbot.core.players import limits
from mailbot.core.ratings import terms
from mailbot.core.world import World


class Ruled(NamedTuple):
    """`said`: what has been done."""

    said: str
    effects: list[Effect]

    def told(self, subject: str) -> Say:
        """The answer that says so."""
        return Say(Letter("notice", subject, {"said": self.said}))


WAITED = 3 * DAY
"""How long a player has to be waited for before a director may put somebody else in."""
_RULINGS = ("ruled", "time", "replaced", "withdrew")
"""What a director decides about others, as keys of contests.LOGGED."""


def require(tournament: Tournament, by: int) -> None:
    """NotAllowed for everybody but the director and the operator (0)."""
    if by and tournament.director != by:
        raise NotAllowed(f"You do not direct tournament {tournament.id}, {tournament.title}")


def require_apart(state: Standing, by: int, what: str, about: int = 0, *, ever: bool = False) -> None:
    """NotAllowed for a director who takes part, unless it is `about` the director. `what` the operator does instead.
    `ever`: also for one who has withdrawn."""
    if by and by != about and any(entry.player == by for entry in (state.entries if ever else state.there)):
        takes = "have taken" if ever else "take"
        raise NotAllowed(f"You {takes} part in {state.tournament.title} yourself, so the operator {what}")


def require_not_own(game: Game, by: int) -> None:
    """NotAllowed for the director, even one who has withdrawn, in a game that the director plays or has played."""
    if by and game.number_of(by):
        raise NotAllowed(f"You play on board {game.id} yourself, so the operator decides it")


def has_ruled(tournament: Tournament, player: int, since: int, world: World) -> bool:
    """Whether the player, as the director, has decided anything about others since then."""
    lines = (line for what in _RULINGS for line in world.logged(tournament.id, what))
    return any(line.by == player != line.player and line.at >= since for line in lines)


def require_free(tournament: Tournament, games: Collection[Game], by: int, what: str, world: World) -> None:
    """NotAllowed if a director would end or change a game of a rated tournament: also before the first turn, or a
    friend wins a final that the other one has not been able to play; and also one that is not rated itself, because
    the two have played so often. The same on every ladder, where a result stays."""
    bound = next(iter(games), None)
    if not by or bound is None or _named(tournament, world):
        return
    if _is_rated(tournament, world):
        raise NotAllowed(f"Board {bound.id} is of a rated tournament, so the operator {what}")
    if tournaments.parse(tournament.format)[0].endless:
        raise NotAllowed(f"Board {bound.id} is of a ladder, so the operator {what}")


def require_absent(
    tournament: Tournament, entry: Entry, games: Collection[Game], name: str, by: int, now: int, world: World
) -> None:
    """NotAllowed if a director would replace, in a rated tournament, somebody who has neither withdrawn nor let the
    others wait: else a friend takes the best seed. Nobody who has come in for another is replaced: each begins with the
    whole time, and a game would never begin."""
    if by and any(line.player == entry.player for line in world.logged(tournament.id, "replaced")):
        raise NotAllowed(f"{name} has come in for another player, so the operator replaces {name}")
    mine = [game for game in games if game.state == States.RUNNING and game.player(game.to_move) == entry.player]
    waited = any(_waited(game, now, world) >= WAITED for game in mine)
    out = withdrawal(entry, world)
    left = by == entry.player or (out is not None and out.by == entry.player)
    if by and _is_rated(tournament, world) and not (left or waited or _named(tournament, world)):
        days = WAITED // DAY
        raise NotAllowed(f"{name} has not let anybody wait for {days} days, so the operator replaces {name}")


def _waited(game: Game, now: int, world: World) -> int:
    """Seconds for which this turn has been waited for; a vacation does not count where there is a clock."""
    return now - game.changed if game.clock == "none" else timing.used(game, now, timing.of(game, now, world))


def decides(tournament: Tournament, game: Game, world: World) -> bool:
    """Whether the director decides this game, and not the operator."""
    entry = world.entry(tournament.id, tournament.director)
    apart = entry is None or (entry.stopped is not None and not game.number_of(entry.player))
    return apart and (not _is_rated(tournament, world) or _named(tournament, world))


def _is_rated(tournament: Tournament, world: World) -> bool:
    """Whether its games are rated, if nothing hinders that."""
    category, why = terms.agreed(tournament.rules, tournament.clock, world, unrated=bool(tournament.unrated))
    return bool(category) and not why


def _named(tournament: Tournament, world: World) -> bool:
    """Whether the operator has named the director, in the configuration or of this tournament."""
    player = world.player(tournament.director)
    listed = world.directors.lower().split() if world.directors != "players" else []
    if player and player.userid.lower() in listed:
        return True
    line = next(reversed(world.logged(tournament.id, "director")), None)
    return line is not None and line.player == tournament.director


A_DAY = 20
"""Rulings of one director within a day, each of its kind once about a player. Withdrawals do not count among them:
somebody must be able to empty a tournament."""


def counted(act: str, about: str, by: int, now: int, world: World) -> list[Effect]:
    """The tallies of a director's ruling about `about`, or Forbidden; about a whole tournament that is "". The operator
    may do more."""
    tallies: list[Effect] = []
    for what, most, counts in (
        (f"ruling {act} {about}", 1, about and act != "result"),  # a game has a count of its own: RULED
        ("rulings", A_DAY, act != "withdraw"),
    ):
        if by and counts:
            tally = limits.one_more(world.tally(by, what), by, what, most, DAY, now)
            if tally is None:
                often = "that once" if most == 1 else f"{most} such things"
                raise Forbidden(f"A director does {often} a day at most; go on tomorrow, or ask the operator")
            tallies.append(Put(tally))
    return tallies


def require_stage(tournament: Tournament, *stages: str) -> None:
    if tournament.stage not in stages:
        raise Forbidden(f"{tournament.title} {Stages.SAID[tournament.stage]}, so that cannot be done")


def require_reason(why: str) -> None:
    if not why:
        raise Unreadable("Give a reason on the lines below the command: the players are told")


def require_open(state: Standing, game: Game, world: World) -> None:
    """Forbidden if the game is over and its result stays: the next games have been paired from it, or it has none of
    its own."""
    if game.state != States.OVER:
        return
    fixture = world.fixture_of(game.id)
    assert fixture
    if fixture.void:
        raise Forbidden(f"A player of board {game.id} has withdrawn, so it has no result of its own")
    if state.format.endless:
        raise Forbidden(f"Board {game.id} is over, and on a ladder a result stays")
    if any(other.at > fixture.at for other in state.fixtures):
        raise Forbidden(f"The next games have been paired since board {game.id} ended, so its result stays")
