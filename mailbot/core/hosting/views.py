"""A tournament as anybody may see it, in a letter or as files to keep."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mailbot.core import tournaments
from mailbot.core.caps import moment
from mailbot.core.contests import LOGGED, Fixture, Logged, Stages, Tournament
from mailbot.core.effects import Letter
from mailbot.core.hosting import letters, standing
from mailbot.core.hosting.standing import Standing, seated, userid
from mailbot.core.letters import tables
from mailbot.core.model import States
from mailbot.core.world import World


class Page(NamedTuple):
    """Which lines of a long list a letter shows: at most `most`, from the line `first` on (from 1), or the last ones
    (0)."""

    first: int
    most: int


def shown(tournament: Tournament, part: str, viewer: int, world: World, page: Page) -> Letter:
    """What the tournament is and its table (`part` is empty), or its table, games, rules or log alone."""
    if part == "games":
        state = standing.whole(tournament, world)
        begin, more = _cut(tournament, part, len(state.fixtures), page)
        more = more if state.fixtures else {"said": ["No games have been paired yet."]}
        rows = _rows(state, state.fixtures[begin : begin + page.most], world)
        return letters.letter(tournament, "its games", more.pop("said"), table="fixtures", rows=rows, **more)
    if part == "log":
        begin, more = _cut(tournament, part, world.log_length(tournament.id), page)
        lines = [_line(line, viewer, world) for line in world.log(tournament.id, begin, page.most)]
        return letters.letter(tournament, "its log", more.pop("said"), log=lines, **more)
    if part == "rules":
        explained = [letters.EXPLAINED[rule] for rule in letters.parting(tournament)]
        return letters.letter(tournament, "its rules", _rules(tournament), explained=explained)
    state = standing.load(tournament, world)
    more = letters.places(state, world) if state.entries else {}
    about = [] if part else _about(state, world)
    own = world.entry(tournament.id, viewer)
    mine = letters.own_games(state, own.seat, world) if own and own.seat else []
    more |= {} if part else letters.words(tournament.words, tournament.director, world)
    return letters.letter(tournament, "the table", about, games=mine, **more)


def _cut(tournament: Tournament, part: str, lines: int, page: Page) -> tuple[int, dict[str, Any]]:
    """How many lines are skipped, and what is said of them as facts: `cut`, and where `others` begin."""
    begin = min(page.first, max(lines, 1)) - 1 if page.first else max(0, lines - page.most)
    last = min(lines, begin + page.most)
    if last - begin == lines:
        return begin, {"said": []}
    cut, others = f"Lines {begin + 1} to {last} of {lines}", last + 1 if last < lines else 1
    said = f"{cut}. Others: tournament {tournament.id} {part} -from={others}"
    return begin, {"said": [said], "cut": cut, "others": others}


def _about(state: Standing, world: World) -> list[str]:
    """What the tournament is, in sentences."""
    one = state.tournament
    said = [f"Tournament {one.id}, {one.title}: {letters.format_said(one)}. Each game: {letters.terms(one)}."]
    said += [" ".join(limits)] if (limits := letters.limits(one)) else []
    if one.stage in Stages.AHEAD:
        open_ = f"Entry is closed until {'the director' if one.director else 'the operator'} opens it."
        if one.stage == Stages.ENTRY:
            open_ = "Entry is open." + (f" It ends on {moment(one.until)}." if one.until else "")
        said.append(f"{open_} It takes {one.least} to {one.most} players; {len(state.entries)} have entered.")
        said += [f"To enter: join {one.id} NAME PASSWORD"] if one.stage == Stages.ENTRY else []
    elif one.stage == Stages.RUNNING:
        games = len(state.playing())
        playing = f"{games} game{'s' if games != 1 else ''} running"
        now = letters.rounds(fixture.round for fixture, _ in state.playing()) if games else f"round {state.round}"
        if state.format.endless:
            said.append(f"It is running: {playing}.")
        else:
            said.append(f"{now.capitalize()}: {playing}." if state.fixtures else "Its first games are being paired.")
    else:
        said.append(f"It is {one.stage}.")
    return [*said, letters.directed(one, world)]


MATCH = (
    "A match is two games with sides swapped. If it is equal, two more are played, and then one that decides it: its"
    " first mover is drawn by lot, and a draw counts for the second mover."
)


def _rules(tournament: Tournament) -> list[str]:
    parted = letters.parting(tournament)
    return [
        f"{tournament.title}: {letters.format_said(tournament)}. Each game: {letters.terms(tournament)}.",
        *letters.limits(tournament),
        "A win counts 1, a draw a half, a loss 0. A game that is lost on time is lost. Who loses two games of the"
        " tournament on time without a move in between is withdrawn from it.",
        *([MATCH] if tournaments.parse(tournament.format)[0].name == "knockout" else []),
        *(["Equal points are parted by these rules in turn; each table says which one did it:"] if parted else []),
    ]


def _rows(state: Standing, fixtures: Sequence[Fixture], world: World) -> list[dict[str, Any]]:
    rows = []
    for one in fixtures:
        game = state.games.get(one.game)
        names = [userid(state.by_seat[seat].player, world) for seat in (one.first, one.second) if seat]
        if game is None:
            outcome = ("withdrew" if one.void else "soon") if one.second else "" if state.format.endless else "bye"
        elif game.state != States.OVER:
            outcome = f"ply {game.ply + 1}"
        else:
            outcome = {1: "1-0", 2: "0-1"}.get(game.winner or 0, "1/2") if not one.void else "withdrew"
        rows.append({"round": one.round, "board": one.game, "players": names, "outcome": outcome, "pool": one.pool})
    return rows


def _line(line: Logged, viewer: int, world: World) -> str:
    said = LOGGED[line.what].format(player=userid(line.player, world), board=line.board)
    by = f" (by {userid(line.by, world)})" if line.by and line.by != line.player else ""
    heard = line.why and not (line.by and viewer and world.blocks(viewer, line.by))
    why = f": {' '.join(line.why.split())[:200]}" if heard else ""
    return f"{moment(line.at)}  {said}{by}{why}"


# -- files -----------------------------------------------------------------------------------------------------------


def files(state: Standing, world: World) -> dict[str, str]:
    """The files of a tournament that has begun, besides those of its games."""
    found = {"table.txt": _text(state, world), "table.csv": _csv(state, world)}
    if state.format.report and state.field:
        called = {seated(seat): userid(entry.player, world) for seat, entry in state.by_seat.items()}
        found[f"tournament-{state.tournament.id}.trf"] = state.format.report(
            state.field, state.tournament.title, called
        )
    return found


def _text(state: Standing, world: World) -> str:
    one, shown = state.tournament, letters.places(state, world)
    columns, cells = tables.TABLES[shown["table"]]
    head = [one.title, letters.format_said(one), letters.terms(one), f"{one.stage}, round {state.round}"]
    drawn = tables.draw(columns, [cells(row) for row in shown["rows"]])
    return "\n".join([*head, "", *drawn, "", *shown["explained"]]).rstrip("\n") + "\n"


def _csv(state: Standing, world: World) -> str:
    """A line for each player. No cell holds a comma: each is a number, a name or a word of ours."""
    rules = list(dict.fromkeys(rule for row, _ in state.table for rule in row.tiebreaks))
    lines = [["place", "player", "points", *rules, "parted_by", "withdrawn"]]
    for row, entry in state.table:
        values = [_number(row.tiebreaks, rule) for rule in rules]
        gone = "yes" if entry.stopped is not None else "no"
        lines.append(
            [str(row.place), userid(entry.player, world), f"{row.points:g}", *values, row.parted_by or "", gone]
        )
    return "".join(f"{','.join(line)}\n" for line in lines)


def _number(values: Mapping[str, float | None], rule: str) -> str:
    value = values.get(rule)
    return "" if value is None else f"{value:g}"
