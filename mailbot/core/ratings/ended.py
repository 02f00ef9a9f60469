"""What the end of a game does to the ratings, whatever has ended it.

Theory of operation. All effects pass `followed` before they are carried out. It finds the boards that are over in them.
A game that has just ended goes on top of the fold: the rows that it changes are added to the effects, and its letters
tell both ratings. The operator can also change what has ended before (annul, end, back). Then the store computes all
ratings anew (`Refold`), in parts, so that mails come between; nothing here needs to know what the change was.
"""

from collections.abc import Mapping
from textwrap import wrap
from typing import Any, NamedTuple

from mailbot.core.effects import Effect, Post, Put, Refold, Say
from mailbot.core.games import course
from mailbot.core.model import Game, Ranking, Rated, State, States
from mailbot.core.ratings.fold import Change, Finished, Fold
from mailbot.core.ratings.terms import WIDTH, Earlier, shown
from mailbot.core.world import World


class Over(NamedTuple):
    """As much of a Game as the ratings depend on."""

    id: int
    player1: int
    player2: int
    state: State
    ply: int
    winner: int | None
    reason: str
    changed: int
    category: str
    unrated: str
    place: int


def finished(game: Game | Over) -> Finished[int] | None:
    """The game as the fold takes it; None for one that counts for nobody: not over, annulled, or by other rules."""
    if game.state != States.OVER or game.winner is None or not game.category:
        return None
    unrated = game.unrated or (course.DECIDED if game.reason == course.DECIDED else "")
    score = (0.5, 1.0, 0.0)[game.winner]
    # A loss on time to a computer player frees no other loss of being rated: it can be had at any hour, for nothing.
    with_computer = min(game.player1, game.player2) < 0
    on_time = game.reason.endswith((course.OUT_OF_TIME, course.WITHDRAWN)) and not with_computer
    played = (game.category, game.player1, game.player2, score, game.changed, game.ply)
    return Finished(*played, on_time=on_time, unrated=unrated, with_computer=with_computer)


def row(game: Game | Over, ended: Finished[int], change: Change) -> Rated:
    """The row that keeps what this game, which was to be rated, has done."""
    (one, two), (one_now, two_now) = change.before, change.after
    return Rated(
        game.id,
        game.place,
        game.category,
        game.player1,
        game.player2,
        ended.score,
        ended.ended,
        ended.flagged or 0,
        change.unrated,
        *(one.rating, one.rd, two.rating, two.rd),
        *(one_now.rating, one_now.rd, two_now.rating, two_now.rd),
    )


def told(kept: Rated) -> dict[str, Any]:
    """What letters tell of it, as a part of their facts."""
    if kept.unrated:
        return {"unrated": kept.unrated}
    pairs = (
        (kept.before1, kept.before_rd1, kept.after1, kept.after_rd1),
        (kept.before2, kept.before_rd2, kept.after2, kept.after_rd2),
    )
    return {"rated": kept.category, "ratings": [changed(*pair) for pair in pairs]}


def told_to(player: int, kept: Rated) -> str:
    """What a rated game has done to the rating of one of its players."""
    return str(told(kept)["ratings"][player != kept.player1])


def changed(before: float, before_rd: float, after: float, after_rd: float) -> str:
    """`1612 -> 1625 (+13)`."""
    return f"{shown(before, before_rd)} -> {shown(after, after_rd)} ({round(after) - round(before):+})"


def followed(effects: list[Effect], world: World) -> list[Effect]:
    """The effects, with what they do to the ratings."""
    ends = [one.row for one in effects if isinstance(one, Put) and isinstance(one.row, Game) and _ends(one.row)]
    if not ends:
        return effects
    fold = Fold(Earlier(world))
    games: dict[int, Game] = {}
    facts: dict[int, dict[str, Any]] = {}
    rows: list[Effect] = []
    place = world.last_place()
    refold = False
    for game in ends:
        before = world.game(game.id)
        if before and before.place:
            games[game.id] = game if game.state == States.OVER else game._replace(place=0)
            was, ended = finished(before), finished(game)
            if was != ended:
                refold = True
                if any(one and not one.unrated for one in (was, ended)):
                    facts[game.id] = {"refolded": True}
                elif why := ended.unrated if ended else "":
                    facts[game.id] = {"unrated": why}
            continue
        if game.category:
            place += 1
            game = game._replace(place=place)
        games[game.id] = game
        ended = finished(game)
        change = fold.add(ended) if ended else None
        if ended and change and not ended.unrated:
            kept = row(game, ended, change)
            rows.append(Put(kept))
            facts[game.id] = told(kept)
        elif game.winner is not None and (why := ended.unrated if ended else game.unrated):
            facts[game.id] = {"unrated": why}
    rows += [Put(pool) for pool in fold.pools]
    rows += [Put(ranking) for ranking in rankings(fold)]
    return [*(_with(one, games, facts) for one in effects), *rows, *([Refold()] if refold else [])]


def rankings(fold: Fold[int]) -> list[Ranking]:
    """The ratings that a fold has come to, as rows."""
    return [
        Ranking(player, category, *rating)
        for category, players in fold.ratings.items()
        for player, rating in players.items()
    ]


def _ends(game: Game) -> bool:
    return game.state == States.OVER or game.place > 0


def _with(effect: Effect, games: Mapping[int, Game], facts: Mapping[int, dict[str, Any]]) -> Effect:
    """The effect with the place of its game, or with what its letter tells of the ratings."""
    if isinstance(effect, Put) and isinstance(effect.row, Game):
        return Put(games.get(effect.row.id, effect.row))
    if isinstance(effect, Say | Post):
        more = facts.get(effect.letter.facts.get("board", 0))
        letter = effect.letter
        return effect._replace(letter=letter._replace(facts={**letter.facts, **more})) if more else effect
    return effect


def lines(told: Mapping[str, Any]) -> list[str]:
    """What a letter about the end of a game says of the ratings, from its facts; nothing for any other letter."""
    if "rated" in told:
        pairs = zip(told["players"], told["ratings"], strict=True)
        said = f"Ratings ({told['rated']}): {', '.join(f'{name} {change}' for name, change in pairs)}."
    elif "unrated" in told:
        said = f"This game is not rated: {told['unrated']}."
    elif "refolded" in told:
        said = "All ratings are computed anew."
    else:
        return []
    return wrap(said, WIDTH, break_on_hyphens=False)
