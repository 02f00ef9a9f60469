"""What a tournament does by itself: it begins, pairs the next games when the last ones are over, and ends."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from mailbot.core import tournaments
from mailbot.core.contests import Entry, Fixture, Stages, Tournament
from mailbot.core.effects import Drop, Effect, Kinds, Post, Put
from mailbot.core.games import boards, course
from mailbot.core.hosting import daily, editions, letters, standing, withdrawals
from mailbot.core.hosting.standing import Standing, noted, userid
from mailbot.core.letters import times
from mailbot.core.model import DAY, Game, States
from mailbot.core.ratings import terms
from mailbot.core.tournaments import knockout, ladder
from mailbot.core.tournaments.field import PAIR, UNRATED, Decision, Field, Pairing
from mailbot.core.world import World

WEEK = 7 * DAY
"""Between two tables while games run."""
PART = 256
"""Boards that one transaction makes: no mail waits longer than that takes."""
_RULED = (withdrawals.DECIDED, course.DECIDED)
LATE = 2
"""Games lost on time, without a move in between, after which a player is withdrawn."""
GO_ON = "Games that run go on as they are; they count for no tournament."


@dataclass(frozen=True)
class Decided:
    """What a format has said of a field."""

    field: Field
    decision: Decision


def decide(state: Standing) -> Decided | None:
    """What happens now, as the format says; None while nothing can be decided. This may take seconds."""
    field = state.field
    return Decided(field, state.format.pairings(field)) if field else None


# -- after a change ---------------------------------------------------------------------------------------------------


def follow(games: Sequence[Game], now: int, world: World) -> list[Effect]:
    """What follows from the end of these games, in the same transaction. A tournament without a running game is due."""
    effects: list[Effect] = []
    for number in dict.fromkeys(game.event for game in games):
        tournament = world.tournament(number)
        if tournament is None or tournament.stage != Stages.RUNNING:
            continue
        on_time = [game for game in games if game.event == number and course.OUT_OF_TIME in game.reason]
        endless = tournaments.parse(tournament.format)[0].endless
        if not on_time and not endless and world.playing(number):
            continue  # the usual case, without reading the whole tournament
        state = standing.load(tournament, world)
        if endless:
            effects += editions.climbed(state, [game for game in games if game.event == number], now, world)
            continue
        late = [*dict.fromkeys(entry for game in on_time for entry in _late(game, state, world))]
        for entry in late:
            more = withdrawals.withdrawn(state, entry, now, world, what="late")
            effects += more
            state = replace(state, games={**state.games, **{game.id: game for game in standing.ended(more)}})
        # A timer rings once, and this second's may have rung already. A player can appeal against a ruling on any game.
        over = {**state.games, **{game.id: game for game in games if game.event == number}}.values()
        until = [game.changed + DAY for game in over if game.state == States.OVER and game.reason in _RULED]
        until += [line.at + withdrawals.correctable(line) for line in world.logged(number, "withdrew")]
        at = _next(state, late, max([now + 1, *until]))
        effects += [Put(replace(tournament, due=at))] if at != tournament.due else []
    return effects


def _next(state: Standing, late: list[Entry], soon: int) -> int | None:
    """When something happens by itself, once these players have been withdrawn, too. `soon`: when the next games can be
    paired, if none runs."""
    seats = {entry.seat for entry in late}
    runs = any(seats.isdisjoint((fixture.first, fixture.second)) for fixture, _ in state.playing())
    return state.tournament.due if runs else soon


def _late(game: Game, state: Standing, world: World) -> list[Entry]:
    """The player who has lost this game on time, if that is once too often."""
    fixture = state.fixture_of(game.id)
    if fixture is None:
        return []
    seat = fixture.second if game.winner == 1 else fixture.first
    entry = state.by_seat[seat]
    lost = [
        one
        for other in state.fixtures
        if other.game and not other.void and seat in (other.first, other.second)
        if (one := state.games[other.game]).state == States.OVER
        and course.OUT_OF_TIME in one.reason
        and one.player(one.winner or 0) != entry.player
    ]
    if len(lost) < LATE or entry.stopped is not None:
        return []
    since = sorted(one.began for one in lost)[-LATE]  # when the flag fell; it may be judged later
    return [] if standing.moved(entry, since, world) else [entry]


# -- what is due ------------------------------------------------------------------------------------------------------


def due(number: int, now: int, world: World, found: Decided | None = None) -> list[Effect]:
    """What the tournament does now, if it is due. `found`: what was decided beforehand; it is used if it is about the
    tournament as it stands."""
    tournament = world.tournament(number)
    if tournament is None or tournament.due is None or now < tournament.due:
        return []
    endless = tournaments.parse(tournament.format)[0].endless
    waits = [] if endless else [fixture for fixture in world.fixtures(number) if fixture.waits]
    if waits and tournament.stage == Stages.RUNNING:
        return _part(tournament, waits, now, world)
    state = standing.load(tournament, world)
    if tournament.stage in Stages.AHEAD:
        return begun(state, now, world)
    if tournament.stage != Stages.RUNNING:
        return [Put(replace(tournament, due=None))]
    if state.format.endless:
        return editions.idle(state, now, world)
    return _step(state, now, world, found)


def begun(state: Standing, now: int, world: World, by: int = 0) -> list[Effect]:
    """The tournament begins with everybody who has entered and can play, and its first games are due. With too few it
    is cancelled, or, if it was about to begin because enough had entered, waits on without those who cannot play."""
    tournament = state.tournament
    able = editions.present(state, now, world)
    out = [(entry, reason) for entry, reason in able.items() if reason]
    here = [entry for entry, reason in able.items() if reason is None]
    if not state.format.endless:
        here = _seeded(tournament, here, now, world)
    effects: list[Effect] = [Drop(entry) for entry in state.entries if entry not in able]
    effects += editions.left_out(tournament, out, now, world)
    gone = {entry.player for entry in state.entries} - {entry.player for entry in here}
    again = [*here, *(entry for entry, reason in out if not reason.ends)]
    if len(here) < tournament.least:
        if tournament.stage == Stages.ENTRY and not 0 < tournament.until <= now:
            unable = [entry.player for entry in state.entries if entry not in able]
            effects += [noted(tournament, "dropped", now, world, player=player) for player in unable]
            return [*effects, Put(replace(tournament, due=tournament.until or None))]
        why = f"it needs {tournament.least} players, and {len(here)} have entered"
        few = Standing(tournament, here, (), {})
        return [*effects, *cancelled(few, now, world, why), *editions.next_of(tournament, again, now, world, gone)]
    seats = [replace(entry, seat=seat) for seat, entry in enumerate(here, 1)]
    running = replace(tournament, stage=Stages.RUNNING, until=now, due=now + 1)
    effects += [Put(running), *map(Put, seats), noted(tournament, "began", now, world, by=by)]
    effects += editions.next_of(running, again, now, world, gone)
    if state.format.endless:
        fresh = Standing(running, seats, (), {}, ladder.begun(running.id, (entry.seat for entry in seats)))
        effects += map(Put, fresh.rungs.values())
        at = editions.idle_at(fresh, now)
        said = [f"The ladder has begun. To challenge somebody: challenge {tournament.id} PLAYER NAME PASSWORD"]
        more = letters.places(fresh, world)
        told = letters.to_all(fresh, "it begins", [*_terms_said(tournament), *said], **more)
        return [*effects, Put(replace(running, due=at)), *told]
    return effects


def _seeded(tournament: Tournament, here: list[Entry], now: int, world: World) -> list[Entry]:
    """The players by their settled ratings in the tournament's category, equal ones by their names."""
    category = terms.category(tournament.rules, world.catalogue)

    def key(entry: Entry) -> tuple[float, str]:
        rating = terms.settled(entry.player, category, now, world) if category else UNRATED
        return -rating, userid(entry.player, world).lower()

    return sorted(here, key=key)


def _step(state: Standing, now: int, world: World, found: Decided | None) -> list[Effect]:
    """The next games, or the end. Byes alone are no step to wait for: then the step after it follows at once."""
    effects: list[Effect] = []
    while True:
        if state.playing():
            table = daily.may_wait(state.tournament, _tables(state, now, world), now, world)
            return [*effects, *table, Put(replace(state.tournament, due=next_table(state, now)))]
        decided = found if found and found.field == state.field else decide(state)
        assert decided
        if decided.decision.state != PAIR:
            return [*effects, *over(state, now, world)]
        fresh = _paired(state, decided.decision.pairings, now)
        effects += map(Put, fresh)
        state = Standing(state.tournament, state.entries, [*state.fixtures, *fresh], state.games)
        if any(fixture.waits for fixture in fresh):
            return [*effects, *_made(state, fresh, now, world)]


def _part(tournament: Tournament, waits: Sequence[Fixture], now: int, world: World) -> list[Effect]:
    """The next boards of a step that is being made. Whole tournaments are read only for its last part."""
    if len(waits) > PART:
        found = Standing(tournament, world.entries(tournament.id), (), {})
    else:
        found = standing.load(tournament, world)
    return _made(found, waits, now, world)


def _made(state: Standing, fresh: Sequence[Fixture], now: int, world: World) -> list[Effect]:
    """Boards for at most PART of these games, and the rest is due; after the last one everybody is told of the step.
    A game of somebody who has withdrawn meanwhile gets none."""
    waits = [fixture for fixture in fresh if fixture.waits]
    effects: list[Effect] = []
    games: dict[int, Game] = {}
    made: dict[int, Fixture] = {}
    for fixture in waits[:PART]:
        if any(state.by_seat[seat].stopped is not None for seat in (fixture.first, fixture.second)):
            made[fixture.number] = replace(fixture, void=1)
            continue
        pair = (fixture.first, fixture.second)
        game, more = board_of(state, *pair, fixture.round, now, world, beside=games.values())
        games[game.id] = game
        made[fixture.number] = replace(fixture, game=game.id)
        effects += more
    effects += map(Put, made.values())
    if len(waits) > PART:
        return [*effects, Put(replace(state.tournament, due=now + 1))]
    fixtures = [made.get(one.number, one) for one in state.fixtures]
    running = replace(state.tournament, due=next_table(state, now) if games else now + 1)
    state = Standing(running, state.entries, fixtures, {**state.games, **games})
    told = daily.at_once(running, _round_letters(state, now, world), world)
    return [*effects, Put(running), *told]


def next_table(state: Standing, now: int) -> int | None:
    """When the players get the table next while games run, or None."""
    return now + WEEK if state.format.weekly else None


def _tables(state: Standing, now: int, world: World) -> list[Post]:
    """The table for everybody, if a game has ended within the last week."""
    if not any(game.state == States.OVER and game.changed > now - WEEK for game in state.games.values()):
        return []
    posts = []
    for entry in state.there:
        own = letters.own_games(state, entry.seat, world)
        said = [f"{letters.rounds(one.round for one, _ in state.playing()).capitalize()}: the table of this week."]
        said += ["Your games that run:"] if own else []
        more = letters.places(state, world, entry.player, letters.SHOWN)
        posts.append(
            Post(entry.player, letters.letter(state.tournament, "the table", said, games=own, **more), Kinds.EVENT)
        )
    return posts


def _paired(state: Standing, pairings: Iterable[Pairing], now: int) -> list[Fixture]:
    """The fixtures of a step, still without boards. It is later than the last step and all withdrawals, also if the
    machine's clock was set back."""
    at = max([now, *(one.at + 1 for one in state.fixtures), *(one.left for one in state.entries)])
    return [
        Fixture(state.tournament.id, number, one.round, int(one.first), int(one.second or 0), 0, at, one.group)
        for number, one in enumerate(pairings, len(state.fixtures) + 1)
    ]


def board_of(
    state: Standing,
    first: int,
    second: int,
    round_: int,
    now: int,
    world: World,
    by: int = 0,
    beside: Collection[Game] = (),
) -> tuple[Game, list[Effect]]:
    """A board for these two seats, as it runs, and what stores it and tells both players. `by`: see `boards.paired`;
    `beside`: see `terms.begun`."""
    tournament = state.tournament
    players = (state.by_seat[first].player, state.by_seat[second].player)
    rated = terms.agreed(tournament.rules, tournament.clock, world, unrated=bool(tournament.unrated))
    board = world.fresh("game")
    game = course.offered(board, tournament.rules, players, now, course.BOTH, clock=tournament.clock, rated=rated)
    game = game._replace(event=tournament.id, occasion=tournament.title, round=round_)
    game, more = terms.begun(game, now, world, beside)
    notes = None
    if _decides(state, first, second, round_):
        decides = [DECIDES.format(userid(players[1], world))]
        notes = {1: decides, 2: decides}
    effects = boards.paired(game, now, world, by, notes=notes, **more)
    stored = effects[0]
    assert isinstance(stored, Put)
    assert isinstance(stored.row, Game)
    return stored.row, effects


DECIDES = "This game decides your match: if it is a draw, {} goes on, who moves second."


def _decides(state: Standing, first: int, second: int, round_: int) -> bool:
    """Whether the next game of these two is the last one of a match of a knock-out, in which a draw decides, too."""
    both = {first, second}
    before = [one for one in state.fixtures if one.round == round_ and one.game and {one.first, one.second} == both]
    return state.format.name == "knockout" and len(before) == knockout.STEPS[-2]


def _round_letters(state: Standing, now: int, world: World) -> list[Post]:
    """One letter to each player with the games of the last step, or the bye, and the table so far."""
    last = state.fixtures[-1].at
    fresh = [fixture for fixture in state.fixtures if fixture.at == last]
    what = letters.rounds(fixture.round for fixture in fresh)
    byes = {fixture.first for fixture in fresh if not fixture.second}
    begun_ = len(state.fixtures) > len(fresh)
    matches = state.format.name in ("knockout", "swiss")
    goes_on = matches and any(one.round == fresh[0].round for one in state.fixtures if one.at != last)
    playing = {seat for one in fresh for seat in (one.first, one.second)}
    terms_ = [] if begun_ else _terms_said(state.tournament)
    posts = []
    for entry in state.there:
        if goes_on and entry.seat not in playing:
            continue
        own = letters.own_games(state, entry.seat, world)
        begins = f"{what.capitalize()} {'have' if what.startswith('rounds') else 'has'} begun."
        if entry.seat in byes:
            worth = "you go on without a game" if state.format.name == "knockout" else "a point without a game"
            said = [f"{begins} You have a bye: {worth}."]
        elif goes_on:
            said = ["Your match goes on with its next game; a letter says how:"]
        elif own:
            said = [f"{begins} You play these games; a letter for each of them says how:"]
        else:
            said = [f"{begins} You have no game in it."]
        more = letters.places(state, world, entry.player, letters.SHOWN) if begun_ else {}
        one = letters.letter(state.tournament, what, [*terms_, *said], games=own, **more)
        posts.append(Post(entry.player, one, Kinds.EVENT))
    return posts


def _terms_said(tournament: Tournament) -> list[str]:
    """What the first letter of a tournament says of its games, their time and the places."""
    said = f"{tournament.title}: {letters.format_said(tournament)}. Each game: {letters.terms(tournament)}."
    rest = ["Its games are not rated."] if tournament.unrated else []
    return [said, " ".join(times.terms(tournament.clock)), *rest, *letters.order(tournament)]


def over(state: Standing, now: int, world: World) -> list[Effect]:
    """The tournament is over; everybody gets the last table."""
    tournament = replace(state.tournament, stage=Stages.OVER, due=None)
    state = replace(state, tournament=tournament)
    said = [f"{tournament.title} is over. {_winners(state, world)}"]
    said += [GO_ON] if state.playing() else []  # on a ladder that is closed
    effects: list[Effect] = [Put(tournament), noted(tournament, "over", now, world)]
    table = state.table
    posts = []
    for row, entry in table:
        shared = sum(other.place == row.place for other, _ in table) > 1
        stands = f"You have come out {_ordinal(row.place)}{', a place you share' if shared else ''}."
        more = letters.places(state, world, entry.player, letters.SHOWN)
        one = letters.letter(tournament, "the end", [*said, stands], **more)
        posts.append(Post(entry.player, one, Kinds.EVENT))
    judge = letters.director(tournament, world)
    if judge and judge not in {entry.player for _, entry in table}:
        posts += letters.to_judge(tournament, judge, "the end", said, **letters.places(state, world))
    return [*effects, *daily.at_once(tournament, posts, world)]


def _winners(state: Standing, world: World) -> str:
    """Who has come out first."""
    names = [userid(entry.player, world) for row, entry in state.table if row.place == 1]
    if len(names) == 1:
        return f"The first place goes to {names[0]}."
    return f"{', '.join(names[:-1])} and {names[-1]} share the first place." if names else ""


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def cancelled(state: Standing, now: int, world: World, why: str, by: int = 0, *, last: bool = False) -> list[Effect]:
    """The tournament does not take place, or not to its end; running games go on as ordinary ones. `last`: the
    director or the operator has done it, so that `why` are words of theirs and no further edition opens."""
    tournament: Tournament = replace(state.tournament, stage=Stages.CANCELLED, due=None)
    said = [f"{tournament.title} is cancelled{'' if last else f': {why}'}."]
    words = {**letters.words(why, by, world), "ruled": 1} if last else {}
    if last and tournament.every and state.tournament.stage in Stages.AHEAD:
        said.append("No further edition follows.")
    said += [GO_ON] if state.playing() else []
    effects: list[Effect] = [Put(tournament), noted(tournament, "cancelled", now, world, by=by, why=why)]
    effects += daily.at_once(tournament, letters.to_all(state, "cancelled", said, **words), world)
    if tournament.director not in {entry.player for entry in state.there} | {by}:
        effects += letters.to_director(tournament, "cancelled", said, world, **words)
    return effects
