"""Withdrawing from a tournament that runs, and coming back."""

from collections.abc import Sequence
from dataclasses import replace

from mailbot.core.caps import moment
from mailbot.core.contests import Entry, Fixture, Logged, Stages, Tournament
from mailbot.core.effects import Effect, Forbidden, Kinds, NotAllowed, Post, Put
from mailbot.core.games import boards, clocks, course, plans, timing
from mailbot.core.hosting import entries, letters, standing
from mailbot.core.hosting.entries import BACK_DAYS, how_back, last_return, require_may_return
from mailbot.core.hosting.standing import Standing, noted, userid
from mailbot.core.model import DAY, Game
from mailbot.core.tournaments import ladder
from mailbot.core.world import World

DECIDED = "the director decided so"
CORRECTABLE = 600
"""Seconds before the next games are paired after a player's own withdrawal: it may be a slip."""


def correctable(line: Logged) -> int:
    """Seconds for which this withdrawal can be taken back before the next games are paired."""
    return CORRECTABLE if line.by == line.player else DAY  # after a ruling the player can appeal to the operator


def withdrawn(
    state: Standing,
    entry: Entry,
    now: int,
    world: World,
    *,
    what: str = "withdrew",
    by: int = 0,
    why: str = "",
    forever: bool = False,
) -> list[Effect]:
    """The player plays no more: the running games end, and the format says what they are worth. Everybody whose game
    ends is told, and so is the player, unless it was the player's own wish. `what`: a key of contests.LOGGED. A game
    that a director or the operator (`by`) ends so is unrated. One that ends because of losses on time is another.
    `forever`: the player leaves the server."""
    tournament = state.tournament
    name = userid(entry.player, world)
    ruled = what == "withdrew" and by != entry.player
    reason = f"{'was withdrawn' if ruled else 'withdrew'} from the tournament" if what != "late" else course.WITHDRAWN
    effects: list[Effect] = [Put(replace(entry, stopped=state.round, left=now))]
    stays_out = forever or ruled or state.format.endless or last_return(tournament, entry.player, world)
    for fixture, game in state.playing(entry.seat):
        over = unrated(game) if ruled else game
        effects += _ended(state, fixture, over, entry, f"{name} {reason}", "" if stays_out else name, now, world)
    effects.append(noted(tournament, what, now, world, by=by, player=entry.player, why=why))
    if tournament.due is not None and not state.format.endless and not state.playing() and not forever:
        due = now + (DAY if ruled else CORRECTABLE)  # the next games are about to be paired
        waits = any(fixture.waits for fixture in state.fixtures)
        effects += [Put(replace(tournament, due=due))] if due > tournament.due and not waits else []
    if what == "late":
        lost = f"You have lost two games of {tournament.title} on time without a move in between"
        said = [f"{lost}, so you are withdrawn from it. {how_back(state, entry.player, now, world)}".strip()]
    elif what == "idle":
        idle = "You have not played a game on this ladder for half a year, so you are no longer on it."
        said = [f"{idle} {how_back(state, entry.player, now, world)}"]
    elif by != entry.player:
        said = [f"You are withdrawn from {tournament.title}."]
    else:
        return effects
    told = letters.letter(
        tournament, "withdrawn", said, **letters.words(why, by, world), **({"ruled": 1} if ruled else {})
    )
    return [*effects, Post(entry.player, told, Kinds.EVENT)]


def unrated(game: Game) -> Game:
    """A game that a ruling ends."""
    return game._replace(unrated=game.unrated or DECIDED)


def _ended(
    state: Standing, fixture: Fixture, game: Game, entry: Entry, reason: str, back: str, now: int, world: World
) -> list[Effect]:
    """A game without its player: the opponent has won it, and hears so. `back`: the player's name if the player may
    come back, so that the game goes on; else nothing."""
    number = game.number_of(entry.player)
    over = course.over(game, 3 - number, reason, now, timing.of(game, now, world))
    drops, notes = plans.cleared(game, "the game is over", world)
    until = moment(now + BACK_DAYS * DAY, world.zone(game.player(3 - number)))
    may = f"If {back} comes back by {until}, this game goes on." if back else ""
    more = {"event": "left", "by": number, "comment": "", "notes": notes[3 - number], "back": may}
    told = boards.news("board", over, world.texts(game.id), boards.names(game, world), 3 - number, **more)
    void = int(not state.format.endless)  # on a ladder a challenge that is given up is lost
    return [*drops, Put(replace(fixture, void=void)), Put(over), Post(game.player(3 - number), told)]


def how_it_goes_on(state: Standing, lost: Sequence[int], won: Sequence[int], *, foot: bool = True) -> str:
    """What a player who comes back is told of the games. `lost`, `won`: as from `returned`; `foot`: of a ladder."""
    if state.format.endless:
        return "You stand at its foot" if foot else "You stand where you stood, or behind those who have passed you"
    more = [f"{_boards(lost)}: your time there has run out meanwhile"] if lost else []
    more += [f"{_boards(won)}, which you have won: your opponent has withdrawn, too"] if won else []
    return (
        f"Your games that ended with the withdrawal run again{', except ' if more else ''}{'; and except '.join(more)}"
    )


def _boards(numbers: Sequence[int]) -> str:
    return f"board {numbers[0]}" if len(numbers) == 1 else f"boards {', '.join(map(str, numbers))}"


def returned(
    state: Standing, entry: Entry, now: int, world: World, *, ruled: bool = False
) -> tuple[list[Effect], list[int], list[int]]:
    """The player is back, and the games that ended with the withdrawal run again. The player's clock has run on
    meanwhile, or a withdrawal would be a week to think about every board. Returned are also the boards that stay lost,
    because it has run out there, and those that are won, because the opponent has withdrawn later. `ruled`: the
    operator takes a withdrawal back; then no clock has run. Raises Forbidden."""
    tournament = state.tournament
    if entry.stopped is None:
        raise Forbidden(f"You have not withdrawn from {tournament.title}")
    if tournament.stage != Stages.RUNNING:
        raise Forbidden(f"{tournament.title} is {tournament.stage}")
    if not ruled:
        require_may_return(tournament, entry, world)
    last = last_return(tournament, entry.player, world)
    if state.format.endless:
        if now < last + BACK_DAYS * DAY and not ruled:
            again = moment(last + BACK_DAYS * DAY)
            raise Forbidden(
                f"You came back to {tournament.title} on {moment(last)}; you can do so again from {again} on"
            )
        entries.require_place(state, entry.player, now, world)
        return _on_the_ladder(state, entry, now, world, foot=not ruled), [], []
    if now >= entry.left + BACK_DAYS * DAY:
        until = moment(entry.left + BACK_DAYS * DAY)
        raise Forbidden(f"You withdrew on {moment(entry.left)}; you could come back until {until}")
    if last and not ruled:
        raise Forbidden(f"You have come back to {tournament.title} once already; nobody does so twice")
    require_unpaired(state, entry, "you", "you cannot come back")
    effects: list[Effect] = [Put(replace(entry, stopped=None, left=0))]
    gone = {one.seat for one in state.entries if one.stopped is not None and one.seat != entry.seat}
    runs = waits = False
    lost, won = list[int](), list[int]()
    for fixture in state.fixtures:
        if fixture.void and entry.seat in (fixture.first, fixture.second):
            if out := gone & {fixture.first, fixture.second}:
                game, other = state.games.get(fixture.game), state.by_seat[min(out)]
                if game is None or game.winner == game.number_of(entry.player):
                    continue
                if kept := _live(game, entry, now, world, ruled=ruled):  # now it is the other one who has lost it
                    effects += _lost_instead(state, fixture, game, kept[0], other, now, world)
                    won.append(game.id)
                else:
                    effects.append(Put(replace(fixture, void=0)))
                    lost.append(game.id)
                continue
            if not fixture.game:  # its board is made now
                effects.append(Put(replace(fixture, void=0)))
                waits = True
                continue
            effects.append(Put(replace(fixture, void=0)))
            if live := _runs_again(state.games[fixture.game], entry, now, world, ruled=ruled):
                runs = True
                effects += live
            else:
                lost.append(fixture.game)
    if waits:
        effects.append(Put(replace(tournament, due=now + 1)))
    elif runs:
        effects.append(Put(replace(tournament, due=now + DAY if state.format.weekly else None)))
    return [*effects, noted(tournament, "returned", now, world, player=entry.player)], lost, won


def _lost_instead(
    state: Standing, fixture: Fixture, game: Game, live: Game, entry: Entry, now: int, world: World
) -> list[Effect]:
    """The opponent of this player, who has withdrawn later, has come back and so has won the game. `live`: the game as
    it would run; what it says of the opponent's time counts if this player comes back, too."""
    title, number = state.tournament.title, 3 - game.number_of(entry.player)
    out = standing.withdrawal(entry, world)
    ruled = out is not None and out.by != entry.player
    kept = game._replace(
        unrated=unrated(game).unrated if ruled else live.unrated,
        left1=live.left1 if number == 1 else game.left1,
        left2=live.left2 if number == 2 else game.left2,
    )
    opponent = userid(game.player(number), world)
    gone = "are withdrawn" if ruled else "have withdrawn"
    said = [f"{opponent} has come back to {title}. You {gone}, so {opponent} has won board {game.id} now."]
    try:
        require_may_return(state.tournament, entry, world)
        said += [how_back(state, entry.player, now, world)] if now < entry.left + BACK_DAYS * DAY else []
    except NotAllowed:
        pass
    told = letters.letter(state.tournament, f"board {game.id} is lost", [one for one in said if one])
    why = f"{userid(entry.player, world)} withdrew from the tournament"
    return [*_ended(state, fixture, kept, entry, why, "", now, world), Post(entry.player, told, Kinds.EVENT)]


def require_unpaired(state: Standing, entry: Entry, whom: str, so: str) -> None:
    """Forbidden if the player has withdrawn and games have been paired without this player since."""
    if entry.stopped is None or state.format.endless:
        return
    others = [one for one in state.fixtures if entry.seat not in (one.first, one.second)]
    if state.round > entry.stopped or any(one.at >= entry.left for one in others):
        raise Forbidden(f"The next games have been paired without {whom}, so {so}")


def _on_the_ladder(state: Standing, entry: Entry, now: int, world: World, *, foot: bool) -> list[Effect]:
    """Who comes back to a ladder stands below everybody else (`foot`); whom the operator brings back, behind those who
    have passed meanwhile."""
    line = noted(state.tournament, "returned", now, world, player=entry.player)
    rung = [Put(ladder.at_the_foot(state.tournament.id, entry.seat, state.rungs))] if foot else []
    return [
        Put(replace(entry, stopped=None, left=0, joined=now)),
        *rung,
        Put(entries.looked_at(state.tournament, now)),
        line,
    ]


def _live(game: Game, entry: Entry, now: int, world: World, *, ruled: bool) -> tuple[Game, list[Effect]] | None:
    """The game as it runs again, and what that drops; None if the time of the player who comes back has run out since
    it ended."""
    if ruled and game.unrated == DECIDED:
        game = game._replace(unrated="")
    moves, number = world.moves(game.id), game.number_of(entry.player)
    # The opponent was told of a win, and must have time to notice; the player who comes back has chosen the moment.
    least = (0, course.LEAST) if number == 1 else (course.LEAST, 0)
    back, drops = boards.rewound(game, moves, game.ply, now, world, least)
    if back.to_move == number and game.clock != "none" and not ruled:
        stands = timing.of(game, now, world)
        since = max(game.began, entry.left)  # the game may have ended before, when the opponent withdrew
        spent = clocks.used(since, now, stands.stands[number - 1], timing.terms(game).noweekends)
        rest = timing.left(game, now, stands)[number - 1] - spent
        if rest <= 0:
            return None
        back = course.given(back, number, rest, now, stands)
    return back, drops


def _runs_again(game: Game, entry: Entry, now: int, world: World, *, ruled: bool) -> list[Effect]:
    """The game runs again; nothing if the player's time has run out."""
    live = _live(game, entry, now, world, ruled=ruled)
    if live is None:
        return []
    (back, drops), number = live, game.number_of(entry.player)
    told = {"event": "returned", "by": number, "comment": "", **timing.facts(back, now, world)}
    players, texts = boards.names(game, world), world.texts(game.id)
    posts = [Post(game.player(n), boards.news("board", back, texts, players, n, **told)) for n in (1, 2)]
    return [*drops, Put(back), *posts]


def runs_again_until(game: Game, now: int, world: World) -> int:
    """Until when a game that is over may run again because its players come back; 0 if it cannot."""
    tournament = world.tournament(game.event) if game.event else None
    fixture = world.fixture_of(game.id)
    if tournament is None or fixture is None or not fixture.void:
        return 0
    if tournament.stage not in {Stages.RUNNING, Stages.CANCELLED}:  # the operator can resume a cancelled one
        return 0
    seats = (fixture.first, fixture.second)
    gone = [entry for entry in world.entries(tournament.id) if entry.seat in seats and entry.stopped is not None]
    stays = any(one.left + BACK_DAYS * DAY <= now for one in gone)
    return max(one.left for one in gone) + BACK_DAYS * DAY if gone and not stays else 0


def gone(player: int, now: int, world: World) -> list[Effect]:
    """A player leaves the server: out of every tournament, and somebody else directs the player's own ones."""
    effects = without_director(player, now, world, forgotten=True)
    rows = [effect.row for effect in effects if isinstance(effect, Put)]
    own = {row.id: row for row in rows if isinstance(row, Tournament)}
    for entry in world.entered(player):
        tournament = own.get(entry.tournament) or world.tournament(entry.tournament)
        assert tournament
        if tournament.stage in Stages.AHEAD:
            effects += entries.left(tournament, entry, now, world)
        elif entry.stopped is None:
            effects += withdrawn(standing.load(tournament, world), entry, now, world, by=player, forever=True)
    return effects


def without_director(player: int, now: int, world: World, *, forgotten: bool = False) -> list[Effect]:
    """The tournaments of a director who can no longer act go on; the operator is asked to name somebody else.
    `forgotten`: nothing that the director has written is kept."""
    effects: list[Effect] = []
    for tournament in world.directed(player):
        said = [
            f"The director of {tournament.title} is no longer here. The tournament goes on by itself. To name somebody"
            f" else: mailbot admin tournament director {tournament.id} PLAYER"
        ]
        effects.append(Put(replace(tournament, director=0, words="" if forgotten else tournament.words)))
        effects.append(Post(0, letters.letter(tournament, "it needs a director", said), Kinds.OPERATOR))
    return effects
