"""The letters of a tournament. All have one template: what happened, the reader's games, the table, what one can do."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from mailbot.core import tournaments
from mailbot.core.caps import moment
from mailbot.core.contests import Entry, Stages, Tournament
from mailbot.core.effects import Effect, Kind, Kinds, Letter, Post
from mailbot.core.games import clocks
from mailbot.core.hosting.standing import Standing, noted, userid
from mailbot.core.model import Player
from mailbot.core.players.limits import hears
from mailbot.core.ratings.terms import within
from mailbot.core.tournaments.field import Row, checked
from mailbot.core.tournaments.places import SHARED
from mailbot.core.world import World

SHOWN = 40
"""Lines of a table in a letter that nobody asked for: the first half of them from the top, the others round the
reader."""

RULES: Mapping[str, str] = {
    "points": "points",
    "game_points": "game points",
    "buchholz_cut1": "Buchholz cut 1",
    "buchholz": "Buchholz",
    "sonneborn_berger": "Sonneborn-Berger",
    "direct_encounter": "direct encounter",
    "wins": "wins",
    SHARED: "shared place",
    "stage": "came further",
    "group_place": "place in the group",
    "round": "came further",
    "third_place": "the third place",
    "withdrawn": "the next withdrew",
    "ladder": "",
}
"""How a table says which rule has put a player before the next one."""

EXPLAINED: Mapping[str, str] = {
    "game_points": "game points: the points from single games, where a match has two",
    "buchholz_cut1": "Buchholz cut 1: the sum of the opponents' points, without the opponent with the fewest",
    "buchholz": "Buchholz: the sum of the opponents' points",
    "sonneborn_berger": "Sonneborn-Berger: the sum of each result times the opponent's points",
    "direct_encounter": "direct encounter: the points from the games among those who are tied",
    "wins": "wins: the number of games won",
}
"""What the rules mean, for the readers of a table in which they decide."""


TEMPLATE = "tournament"


def thread(tournament: Tournament) -> str:
    """The thread of all its letters."""
    return f"tournament-{tournament.id}"


def titled(tournament: Tournament, what: str) -> str:
    """The Subject."""
    return f"{tournament.title} (tournament {tournament.id}): {what}"


def letter(tournament: Tournament, what: str, said: Sequence[str], **more: Any) -> Letter:
    """A letter about a tournament. `what`: the end of its Subject; `said`: paragraphs."""
    facts = {"tournament": tournament.id, "title": tournament.title, "said": list(said), "hidden": 0, **more}
    facts = {"games": [], "log": [], "explained": [], **facts}
    return Letter(TEMPLATE, titled(tournament, what), facts, thread=thread(tournament))


def who(by: int, world: World) -> str:
    """The director with this id, or the operator (0), at the beginning of a sentence."""
    return f"{userid(by, world)}, the director," if by else "The operator"


def directed(tournament: Tournament, world: World) -> str:
    """A sentence that names the director."""
    return f"Director: {userid(tournament.director, world) if tournament.director else 'the operator'}."


def words(said: str, by: int, world: World) -> dict[str, str]:
    """The words of a director (`by`) or the operator (0) as facts. A letter names whose words they are: anybody may
    direct, and write what seems to come from the server."""
    return {"comment": said, "writer": who(by, world)} if said else {}


def to_all(standing: Standing, what: str, said: Sequence[str], **more: Any) -> list[Post]:
    """The same letter to everybody who takes part."""
    one = letter(standing.tournament, what, said, **more)
    return [Post(entry.player, one, Kinds.EVENT) for entry in standing.there]


def to_director(tournament: Tournament, what: str, said: Sequence[str], world: World, **more: Any) -> list[Post]:
    """A letter to the director, or to the operator if there is none who gets letters."""
    return to_judge(tournament, director(tournament, world), what, said, **more)


def director(tournament: Tournament, world: World) -> int:
    """The player who directs it and gets letters; 0 for the operator."""
    return tournament.director if tournament.director and hears(tournament.director, world) else 0


def to_judge(
    tournament: Tournament, judge: int, what: str, said: Sequence[str], kind: Kind = Kinds.OPERATOR, **more: Any
) -> list[Post]:
    """A letter to the director with this id, or to the operator (0); then it counts as of this kind."""
    return [Post(judge, letter(tournament, what, said, **more), Kinds.EVENT if judge else kind)]


def places(standing: Standing, world: World, reader: int = 0, most: int = 0) -> dict[str, Any]:
    """The table as facts; before the start, who has entered. `most`: show so many lines only, those round the `reader`
    among them."""
    table = standing.table
    if not standing.by_seat:
        names = [userid(entry.player, world) for _, entry in table]
        return {"table": "entrants", "rows": [{"number": at, "player": name} for at, name in enumerate(names, 1)]}
    over = standing.tournament.stage == Stages.OVER
    kept: Sequence[int] = range(len(table))
    if most and len(table) > most:
        at = next((number for number, (_, entry) in enumerate(table) if entry.player == reader), 0)
        near = range(max(0, at - most // 4), at + most // 4)
        kept = [number for number in kept if number < most // 2 or number in near]
    rows = [_row(number, table, over=over, world=world) for number in kept]
    told = "tournament" if over or standing.format.endless else "tournament open"
    used = {row.parted_by for row, _ in table}
    rules = [EXPLAINED[rule] for rule in EXPLAINED if rule in used]
    return {"table": told, "rows": rows, "hidden": len(table) - len(rows), "explained": rules}


def _row(number: int, table: Sequence[tuple[Row, Entry]], *, over: bool, world: World) -> dict[str, Any]:
    row, entry = table[number]
    by = row.parted_by or ""
    below = table[number + 1][0] if number + 1 < len(table) else None
    why = RULES.get(by, by.replace("_", " "))
    mine, theirs = (one.tiebreaks.get(by) if one else None for one in (row, below))
    if mine is not None and theirs is not None:
        why += f" {mine:g} to {theirs:g}"
    return {
        "place": row.place,
        "player": userid(entry.player, world),
        "gone": entry.stopped is not None,
        "points": f"{row.points:g}",
        "parted": why,
        "reach": "" if over else f"{row.best}" if row.best == row.worst else f"{row.best}-{row.worst}",
    }


def own_games(standing: Standing, seat: int, world: World) -> list[str]:
    """The reader's running games, a line each."""
    found = []
    for fixture, game in standing.playing(seat):
        other = standing.by_seat[fixture.second if fixture.first == seat else fixture.first]
        side = "you move first" if fixture.first == seat else "your opponent moves first"
        found.append(f"board {game.id}: against {userid(other.player, world)}; {side}")
    return found


def terms(tournament: Tournament) -> str:
    """The game and its clock as an offer would say them."""
    return tournament.rules + (f" -clock={tournament.clock}" if tournament.clock != "none" else "")


def parting(tournament: Tournament) -> list[str]:
    """The rules that part players with equal points, in order."""
    row, options = tournaments.parse(tournament.format)
    return [rule.name for rule in row.rules(checked(row.options, options))]


def order(tournament: Tournament) -> list[str]:
    """The same in a sentence, if there are any."""
    rules = [RULES[name] for name in parting(tournament)]
    return [f"Players with equal points are parted by these rules, in this order: {', '.join(rules)}."] if rules else []


def limits(tournament: Tournament) -> list[str]:
    """Who may enter and what does not count, a sentence each; nothing for what is as usual."""
    found = [f"Whoever enters needs a rating of {tournament.rating}."] if tournament.rating else []
    found += ["Its games are not rated."] if tournament.unrated else []
    return found + ([] if clocks.terms(tournament.clock).vacation else ["A vacation stops no clock in it."])


def rounds(numbers: Iterable[int]) -> str:
    """`round 2`, or `rounds 1 to 3`."""
    found = sorted(set(numbers))
    return f"round {found[0]}" if len(found) == 1 else f"rounds {found[0]} to {found[-1]}"


def begins(tournament: Tournament) -> str:
    """When a tournament begins for which entry is open."""
    endless = tournaments.parse(tournament.format)[0].endless
    if not tournament.until:
        return f"It begins when {tournament.least if endless else tournament.most} have entered."
    full = "" if endless or tournament.not_before else f", or when {tournament.most} have entered"
    early = (
        "" if tournament.not_before else f", or when its {'director' if tournament.director else 'operator'} begins it"
    )
    return f"It begins when entry ends, on {moment(tournament.until)}{full}{early}."


def format_said(tournament: Tournament) -> str:
    """The format in words: `rounds among players with equal points (swiss,rounds=5)`."""
    return f"{tournaments.parse(tournament.format)[0].summary} ({tournament.format})"


# -- that entry is open ----------------------------------------------------------------------------------------------

NEWS = ("news", "on")
"""The setting of those who hear of every tournament."""


def announced(tournament: Tournament, now: int, world: World, entered: Container[int] = ()) -> list[Effect]:
    """Announces a tournament that is open, if that has not been done: to all who want news, and to those who played in
    the edition before. `entered`: players who are in it already. Whoever has blocked the director, or has not the
    rating for it, hears nothing."""
    if tournament.stage != Stages.ENTRY or world.logged(tournament.id, "announced"):
        return []
    wanted = {player.id: player for player in world.who_prefer(*NEWS)}
    before = [entry.player for entry in world.entries(tournament.previous) if entry.stopped is None]
    readers = {**{found.id: found for one in before if (found := world.player(one))}, **wanted}
    posts = [
        _post(tournament, reader, world, asked=reader.id in wanted)
        for reader in readers.values()
        if reader.id != tournament.director
        and reader.id not in entered
        and reader.state == "active"
        and not world.blocks(reader.id, tournament.director)
        and (not tournament.rating or within(tournament.rating, reader.id, tournament.rules, now, world))
    ]
    return [*posts, noted(tournament, "announced", now, world)]


def _post(tournament: Tournament, reader: Player, world: World, *, asked: bool) -> Post:
    why = (
        f"To hear of no further tournaments: set {reader.userid} PASSWORD news off"
        if asked
        else "You get this letter because you had entered the edition before."
    )
    said = [
        f"Entry is open for {tournament.title}: {format_said(tournament)}. Each game:"
        f" {terms(tournament)}. {begins(tournament)}"
        f" {directed(tournament, world)}",
        " ".join([*limits(tournament), *order(tournament)]),
        f"To enter: join {tournament.id} {reader.userid} PASSWORD",
        why,
    ]
    theirs = words(tournament.words, tournament.director, world)
    one = letter(tournament, "open for entry", [part for part in said if part], **theirs)
    return Post(reader.id, one, Kinds.BROADCAST)
