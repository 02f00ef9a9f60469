"""Games to keep: the record of a board, all games of a player, and all of a tournament, in one archive."""

from dataclasses import replace
from typing import Any

from engine.family import name_of
from mailbot.core.effects import Effect, Forbidden, Letter, NotAllowed, Say
from mailbot.core.games import boards
from mailbot.core.hosting import entries, letters, standing, views
from mailbot.core.language import paging
from mailbot.core.language.grammar import Row
from mailbot.core.letters import pictures
from mailbot.core.model import Game
from mailbot.core.world import Asked, Request, World

MAX_BOARDS = 10
"""Records in one answer, each with its files."""

MAX_GAMES = 300
"""Games in one archive. Three hundred long ones are some hundred kilobytes, which any mailbox takes."""


def record(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The records of boards, finished or running, as everybody may see them. Pictures and films are large, so they go
    only to who proves to have asked for them."""
    if "drawn" in asked.args and not asked.proved:
        line, drawn = " ".join(("record", *asked.args["board"])), asked.args["drawn"]
        raise NotAllowed(
            f"a {drawn} is large, so I send it only to a player who gives a password: '{line} NAME PASSWORD {drawn}',"
            f" or who answers a letter of mine with the line: {line} {drawn}"
        )
    said: list[Effect] = []
    drawn = str(asked.args.get("drawn", "")).lower()
    more = {"recorded": True, **({"picture": pictures.FORMS[drawn]} if drawn else {})}
    wanted = list(dict.fromkeys(word.lstrip("#") for word in asked.args["board"]))
    most, what = (pictures.MAX_FILMS, "films") if drawn == "film" else (MAX_BOARDS, "records")
    for word in wanted[:most]:
        game = boards.find(request, replace(asked, args={"board": word}), world)
        boards.require_begun(game, world)
        letter = boards.news(
            "record", game, world.texts(game.id), boards.names(game, world), game.number_of(asked.by), **more
        )
        said.append(Say(letter._replace(token=None)))
    if rest := wanted[most:]:
        told = f"An answer holds {most} {what} at most. Left out: {', '.join(rest[:20])}."
        said.append(Say(Letter("notice", "Records", {"said": told})))
    return said


def record_all(request: Request, asked: Asked, world: World) -> list[Effect]:
    """An archive of the asker's own games, finished and running, the newest if they are too many."""
    own = [game for game in world.games_of(asked.by, boards.PLAYED) if asked.game in ("", name_of(game.rules))]
    me = world.player(asked.by)
    title = world.catalogue.game(asked.game).title if asked.game else ""
    if not own:
        none = f"There is nothing to record: you have played no game{f' of {title}' if title else ''} yet."
        return [Say(Letter("notice", "Records", {"said": none}))]
    own.sort(key=lambda game: (game.changed, game.id), reverse=True)
    facts = {
        "records": [_facts(game, world) for game in own[:MAX_GAMES]],
        "left": len(own[MAX_GAMES:]),
        "older": [game.id for game in own[MAX_GAMES:][:2]],
        "userid": me.userid if me else "",
        "archive": f"{asked.game}-records.zip" if asked.game else "records.zip",
        "title": title,
    }
    return [Say(Letter("records", f"Your games of {title}" if title else "Your games", facts))]


def record_tournament(request: Request, asked: Asked, world: World) -> list[Effect]:
    """An archive of a tournament: its table and its games, as many of them as a list has lines."""
    tournament = entries.find(asked.args["n"], world)
    state = standing.whole(tournament, world)
    games = [state.games[fixture.game] for fixture in state.fixtures if fixture.game]
    if not games:
        raise Forbidden(f"No games of {tournament.title} have been paired, so there is nothing to record")
    before, most = paging.start(asked), paging.most(asked, world)
    chosen = games[before : before + most]
    if not chosen:
        raise Forbidden(f"{tournament.title} has {len(games)} games, so there is no game {before + 1}")
    archive = f"tournament-{tournament.id}{f'-from-{before + 1}' if before else ''}.zip"
    what = "its one game" if len(games) == 1 else f"all its {len(games)} games"
    if len(chosen) < len(games):
        last = f" to {before + len(chosen)}" if len(chosen) > 1 else ""
        what = f"game{'s' if last else ''} {before + 1}{last} of {len(games)}"
    said = [
        f"The attached archive {archive} holds the table of {tournament.title} and {what}, each as text, JSON and SGF"
        " (help record). The table is there as text (table.txt) and as numbers (table.csv)."
    ]
    if state.format.report:
        said.append("The .trf file is the tournament report (TRF16), from which pairing checkers read each round.")
    if before + len(chosen) < len(games):
        said.append(f"The next games: {paging.rest(asked, before + len(chosen), [str(tournament.id)])}")
    facts = {
        "records": [_facts(game, world) for game in chosen],
        "files": views.files(state, world),
        "archive": archive,
    }
    subject = letters.titled(tournament, "its records")
    return [Say(Letter("archive", subject, {"said": said, **facts}, thread=letters.thread(tournament)))]


def _facts(game: Game, world: World) -> dict[str, Any]:
    """All that the files of a game need, so that what happens meanwhile cannot change them."""
    news = boards.news("records", game, world.texts(game.id), boards.names(game, world), 0)
    names = ("board", "rules", "moves", "players", "state", "winner", "reason", "started", "changed", "occasion")
    return {name: news.facts[name] for name in names if name in news.facts}


ROWS = (
    Row(
        "record",
        ("board+ userid password drawn", "board+", "board+ drawn"),
        record,
        "the record of a board, as text, JSON and SGF, with a picture or a film",
        needs="known",
        game=True,
    ),
    Row(
        "record all",
        ("userid password",),
        record_all,
        "all your games in one archive, in the same forms",
        game=True,
        long=True,
    ),
    Row(
        "record tournament",
        ("n userid password", "n"),
        record_tournament,
        "a tournament in one archive: its table and its games",
        needs="known",
        options=True,
        long=True,
    ),
)
