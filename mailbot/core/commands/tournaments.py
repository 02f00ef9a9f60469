"""Tournaments for players: the list, entering and leaving, ladders, and asking for a ruling."""

from typing import Any

from mailbot.core import tokens
from mailbot.core.contests import Stages, Tournament
from mailbot.core.effects import Effect, Forbidden, Kinds, Letter, Put, Say, Unreadable
from mailbot.core.games import boards
from mailbot.core.hosting import entries, letters, powers, standing, withdrawals
from mailbot.core.hosting.standing import noted, userid
from mailbot.core.language.grammar import Row
from mailbot.core.model import DAY
from mailbot.core.players import limits
from mailbot.core.world import Asked, Request, World

LISTED = 50
"""Tournaments that are over in a list."""
APPEALS = 5
"""Rulings that a player asks for within a day."""


def listed(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The tournaments that are open, and the last ones that are over."""
    found = [*world.tournaments(Stages.OPEN, 500), *world.tournaments((Stages.OVER,), LISTED)]
    rows = [
        {
            "tournament": one.id,
            "title": one.title,
            "game": letters.terms(one),
            "format": one.format,
            "stage": one.stage,
            "players": f"{sum(entry.stopped is None for entry in world.entries(one.id))} of {one.most}",
        }
        for one in found
    ]
    return [Say(Letter("tournaments", "Tournaments", {"table": "tournaments", "rows": rows}))]


def join(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Enters a tournament."""
    tournament = entries.find(asked.args["n"], world)
    always = bool(asked.args["options"])
    if always and {*asked.args["options"]} != {"-always"}:
        raise Unreadable(f"-always is the only option here: join {tournament.id} NAME PASSWORD -always")
    if always and not tournament.every:
        raise Forbidden(f"{tournament.title} has one edition only, so -always means nothing here")
    effects = entries.joined(tournament, asked.by, request.now, world, always=always)
    again = " You are entered for each further edition, too." if always else ""
    if tournament.stage == Stages.RUNNING:
        when = f"You stand at its foot. To challenge somebody: challenge {tournament.id} PLAYER NAME PASSWORD"
    else:
        when = letters.begins(tournament)
    said = [
        f"You have entered {tournament.title}: {letters.format_said(tournament)}. Each game: "
        f"{letters.terms(tournament)}.{again}",
        when,
        f"To leave it before it begins: leave {tournament.id} NAME PASSWORD",
    ]
    return [*effects, _said(tournament, "you have entered", said[: 2 if tournament.stage == Stages.RUNNING else 3])]


def leave(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Leaves a tournament before it begins."""
    tournament = entries.find(asked.args["n"], world)
    entry = entries.require_entry(tournament, asked.by, world)
    effects = entries.left(tournament, entry, request.now, world)
    return [*effects, _said(tournament, "you have left", [f"You are no longer in {tournament.title}."])]


def withdraw(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Gives a tournament up that has begun."""
    tournament = entries.find(asked.args["n"], world)
    entry = entries.require_entry(tournament, asked.by, world)
    if tournament.stage in Stages.AHEAD:
        raise Forbidden(f"{tournament.title} has not begun; to leave it: leave {tournament.id} NAME PASSWORD")
    if tournament.stage != Stages.RUNNING:
        raise Forbidden(f"{tournament.title} is {tournament.stage}")
    if entry.stopped is not None:
        raise Forbidden(f"You have withdrawn from {tournament.title} already")
    state = standing.load(tournament, world)
    effects = withdrawals.withdrawn(state, entry, request.now, world, by=asked.by)
    games = len(state.playing(entry.seat))
    ended = {0: "", 1: " Your running game is over."}.get(games, f" Your {games} running games are over.")
    how = entries.how_back(state, asked.by, request.now, world)
    said = [f"You have withdrawn from {tournament.title}.{ended}", *([how] if how else [])]
    return [*effects, _said(tournament, "you have withdrawn", said)]


def return_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Comes back to a tournament after withdrawing."""
    tournament = entries.find(asked.args["n"], world)
    entry = entries.require_entry(tournament, asked.by, world)
    state = standing.load(tournament, world)
    effects, *went = withdrawals.returned(state, entry, request.now, world)
    said = [f"You are back in {tournament.title}. {withdrawals.how_it_goes_on(state, *went)}."]
    return [*effects, _said(tournament, "you are back", said)]


def appeal(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Asks the director for a ruling on a board, or the operator for one on what the director has decided there."""
    game = boards.find(request, asked, world)
    boards.require_player(game, asked, world)
    by, now, words = asked.by, request.now, request.text.strip()
    tournament = world.tournament(game.event) if game.event else None
    if tournament is None or tournament.stage != Stages.RUNNING:
        raise Forbidden(f"Board {game.id} is of no running tournament, so there is nobody to ask")
    powers.require_open(standing.load(tournament, world), game, world)
    if not words:
        raise Unreadable("Write on the lines below what is to be decided, and why")
    rulings = world.logged(tournament.id, "ruled", board=game.id)
    last = max((line.at for line in rulings), default=0)
    asks = world.logged(tournament.id, "appeal", player=by, board=game.id)
    if any(line.at >= last and now - line.at < DAY for line in asks):
        raise Forbidden(f"You have asked for a ruling on board {game.id} within a day; wait for the answer")
    count = limits.one_more(world.tally(by, "appeals"), by, "appeals", APPEALS, DAY, now)
    if count is None:
        raise Forbidden(f"You have asked for {APPEALS} rulings within a day, which is the most; go on tomorrow")
    has_ruled = any(line.by for line in rulings)
    decides = powers.decides(tournament, game, world) and not has_ruled
    judge = letters.director(tournament, world) if decides else 0
    how = (
        f"To decide the game, with the reason on the lines below: tournament result {game.id} NAME PASSWORD 1 (or 2, or"
        f" draw). To see it: show {game.id}"
        if judge
        else f"To decide the game: mailbot admin tournament result {game.id} 1 --reason TEXT (or 2, or draw)"
    )
    said = [f"{userid(by, world)} asks you for a ruling on board {game.id} of {tournament.title}. {how}"]
    who = f"The director of {tournament.title}" if judge else "The operator"
    return [
        *letters.to_judge(tournament, judge, f"a ruling on board {game.id}", said, Kinds.APPEAL, comment=words),
        noted(tournament, "appeal", now, world, by=by, player=by, board=game.id),
        Put(count),
        Say(Letter("notice", "A ruling", {"said": f"{who} has your words on board {game.id}."})),
    ]


def ladder(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A ladder from the top."""
    tournament = entries.find(asked.args["n"], world)
    state = standing.load(tournament, world)
    if not state.format.endless:
        raise Forbidden(f"{tournament.title} is no ladder; to see its table: tournament {tournament.id} table")
    how = [f"To challenge somebody up to 5 places above you: challenge {tournament.id} PLAYER NAME PASSWORD"]
    return [_said(tournament, "the ladder", how, **letters.places(state, world))]


def _said(tournament: Tournament, what: str, said: list[str], **more: Any) -> Say:
    return Say(letters.letter(tournament, what, said, **more))


_ENTRY = ("n userid password", "n")

ROWS = (
    Row("tournaments", ("",), listed, "list the tournaments", needs="known"),
    Row("join", _ENTRY, join, "enter a tournament or a ladder", options=True, known=("always",)),
    Row("leave", _ENTRY, leave, "leave a tournament before it begins"),
    Row("withdraw", _ENTRY, withdraw, "give up a tournament that has begun"),
    Row("return", _ENTRY, return_, "come back to a tournament after withdrawing", long=True),
    Row(
        "appeal",
        ("board userid password", "board", ""),
        appeal,
        "ask the director of a tournament for a ruling on a board",
        may_have_body=True,
        tokens=tokens.PLAY + tokens.AFTER,
    ),
    Row("ladder", ("n",), ladder, "show a ladder", needs="known", long=True),
)
