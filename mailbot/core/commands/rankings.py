"""How strong a player is, and who is the strongest: ratings, and the table of all who play a game."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.families import family_of
from mailbot.core.effects import Effect, Forbidden, Letter, Say, Unreadable
from mailbot.core.language import paging
from mailbot.core.language.grammar import Row
from mailbot.core.model import Ranking, Rated
from mailbot.core.players import bots, names
from mailbot.core.ratings import ended, terms
from mailbot.core.ratings.fold import PAIR_WINS, Rating, aged
from mailbot.core.world import Asked, Request, World

CHANGES, PLOTTED = 10, 60
"""The latest games that are listed, and that are drawn."""

PEOPLE, WINS = "-people", "-wins"
"""Options of `standings`: without computer players; by games won."""


def rating(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The ratings of a player; of one category, with the latest changes."""
    me = world.player(asked.by)
    name, said = asked.args.get("userid", ""), asked.args.get("category", "")
    known = terms.categories(world.catalogue)
    if name.lower() in known and not said:
        name, said = "", name
    category = _category(asked, said, known, world)
    player = world.player_named(name) if name else me
    found = world.rankings_of(player.id) if player else []
    own = player is not None and player.id == asked.by
    if player is None or not (found or own):
        shown = names.shown(name, asked.by, world)[:20]
        raise Unreadable(f"Nobody called '{shown}' has finished a game here that has a rating.")
    rows, latest = [], []
    for one in found:
        if category in ("", one.category):
            latest = world.rated_of(player.id, one.category, PLOTTED)
            last = next((_course(game, player.id) for game in latest if not game.unrated), None)
            rows.append({**_row(one, request.now), "change": f"{last[1] - last[0]:+}" if last else ""})
    facts: dict[str, Any] = {"table": "ratings", "rows": rows, "of": player.userid, "own": own, "category": category}
    if len(rows) == 1:
        facts["changes"] = [_change(one, player.id, world) for one in latest[:CHANGES]]
        facts["course"] = [_course(one, player.id)[1] for one in reversed(latest) if not one.unrated]
    return [Say(Letter("rating", f"Rating of {player.userid}", facts))]


def _category(asked: Asked, said: str, known: Mapping[str, str], world: World) -> str:
    """The category that the line names, in front or at the end; "" for none. Raises Unreadable, Forbidden."""
    if said and said.lower() not in known:
        raise Unreadable(f"There is no category '{said[:20]}'; the categories are {', '.join(known)}")
    found = said.lower() or _of_game(asked.game, asked.args.get("options", ()), world)
    if said and asked.game and not known[found].startswith(asked.game):
        raise Forbidden(f"The category {found} is not one of {asked.game}.")
    return found


def _of_game(game: str, options: Sequence[str], world: World) -> str:
    """The category of the game, with its options, that stands in front; "" if none does. Raises Unreadable."""
    if not game:
        return ""
    rules = " ".join((game, *options))
    found = terms.category(family_of(game, world.catalogue).read(rules, world.catalogue), world.catalogue)
    if not found:
        known = ", ".join(terms.categories(world.catalogue))
        raise Unreadable(f"There is no category '{rules[:40]}'; the categories are {known}")
    return found


def _row(one: Ranking, now: int) -> dict[str, Any]:
    value = aged(Rating(*one[2:]), now)
    return {
        "category": one.category,
        "rating": terms.shown(value.rating, value.rd),
        "sure": round(value.rd, -1),
        "games": one.games,
        "rated": one.rated,
        "best": round(one.best),
        "last": one.last,
    }


def _change(one: Rated, player: int, world: World) -> dict[str, Any]:
    """A game as a row of the list of changes, as its player sees it."""
    first = player == one.player1
    other = world.player(one.player2 if first else one.player1)
    score = one.score if first else 1 - one.score
    return {
        "board": one.game,
        "ended": one.ended,
        "opponent": other.userid if other else "?",
        "result": "drawn" if score == 0.5 else "won" if score else "lost",
        "change": "not rated" if one.unrated else ended.told_to(player, one),
    }


def _course(one: Rated, player: int) -> tuple[int, int]:
    """The player's rating before and after a rated game, as it is shown."""
    before, after = (one.before1, one.after1) if player == one.player1 else (one.before2, one.after2)
    return round(before), round(after)


def standings(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The players of a category by rating; of all games together, or if so asked, by the games they have won."""
    marks = asked.args.get("options", ())
    own = [mark.lower() for mark in marks if mark.lower() in (PEOPLE, WINS)]
    named = [mark for mark in marks if mark.lower() not in own and not mark.lower().startswith("-from")]
    pages = [mark for mark in marks if mark.lower() not in own and mark not in named]
    asked = replace(asked, args={**asked.args, "options": tuple(pages if asked.game else [*pages, *named])})
    if asked.game and WINS not in own:
        return _by_rating(asked, _of_game(asked.game, named, world), [*named, *own], request.now, world)
    return _by_wins(asked, own, world)


def _by_rating(asked: Asked, category: str, marks: list[str], now: int, world: World) -> list[Effect]:
    rows: list[dict[str, Any]] = []
    provisional = 0
    for one in world.rankings(category):
        player = world.player(one.player)
        if not one.rated or player is None or player.state == "gone" or (PEOPLE in marks and bots.is_bot(player.id)):
            continue
        value = aged(Rating(*one[2:]), now)
        if value.provisional:
            provisional += 1
            continue
        row = {**_row(one, now), "userid": player.userid, "computer": bots.is_bot(player.id)}
        equal = rows and rows[-1]["rating"] == row["rating"]
        rows.append({"place": rows[-1]["place"] if equal else len(rows) + 1, **row})
    facts = {**_page(rows, asked, marks, world), "table": "ranked", "category": category, "provisional": provisional}
    return [Say(Letter("ranked", f"Standings {category}", facts))]


def _by_wins(asked: Asked, marks: list[str], world: World) -> list[Effect]:
    rows: list[dict[str, Any]] = []
    for at, standing in enumerate(world.standings(asked.game), 1):
        above = rows[-1] if rows else None
        equal = above and (above["counted"], above["lost"]) == (standing.counted, standing.lost)
        rows.append({"place": above["place"] if above and equal else at, **standing._asdict()})
    title = world.catalogue.game(asked.game).title if asked.game else ""
    facts = {**_page(rows, asked, marks, world), "table": "standings", "game": title}
    if any(row["counted"] < row["won"] for row in facts["rows"]):
        facts["capped"] = PAIR_WINS
    return [Say(Letter("standings", f"Standings {title}".strip(), facts))]


def _page(rows: list[dict[str, Any]], asked: Asked, marks: list[str], world: World) -> dict[str, Any]:
    """The part of a table that the letter has, the asker's own row in any case, and how to ask for the rest."""
    me = world.player(asked.by)
    before, most = paging.start(asked), paging.most(asked, world)
    page = rows[before : before + most]
    return {
        "rows": [*page, *(row for row in rows if me and row["userid"] == me.userid and row not in page)],
        "more": max(0, len(rows) - before - len(page)),
        "again": paging.rest(asked, before + len(page), marks),
    }


ROWS = (
    Row(
        "rating",
        ("userid category", "userid", ""),
        rating,
        "see a player's ratings, and how they have changed",
        needs="known",
        game=True,
        options=True,
    ),
    Row(
        "standings",
        ("",),
        standings,
        "the players of a game by rating, or by games won",
        needs="known",
        game=True,
        options=True,
        known=("people", "wins"),
        long=True,
    ),
)
