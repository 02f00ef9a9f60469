"""What a director may do to a tournament. `by`: the player who directs it, 0 for the operator.

Everybody concerned is told, by whom and with the reason. Each function returns a sentence for the director, and the
effects. It raises Unreadable, Forbidden or NotAllowed, and then nothing is changed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mailbot.core.caps import moment
from mailbot.core.contests import Entry, Overruled, Stages, Tournament
from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, Letter, NotAllowed, Post, Put, Unreadable
from mailbot.core.games import boards, clocks, course, plans, timing
from mailbot.core.hosting import daily, editions, entries, letters, powers, standing, steps, withdrawals
from mailbot.core.hosting.powers import Ruled
from mailbot.core.hosting.standing import noted, userid
from mailbot.core.letters.times import duration
from mailbot.core.model import DAY, Game, States
from mailbot.core.players import bots, limits
from mailbot.core.ratings import terms
from mailbot.core.world import World

RULED = 2
"""Times that a director decides one game: once, and to correct a slip."""


def opened(tournament: Tournament, why: str, by: int, now: int, world: World) -> Ruled:
    """Players can enter from now on."""
    powers.require_stage(tournament, Stages.DRAFT)
    if 0 < tournament.until <= now:
        raise Forbidden(f"{tournament.title} was to begin on {moment(tournament.until)}: start or cancel it")
    fresh = replace(tournament, stage=Stages.ENTRY, due=tournament.until or None)
    told = letters.announced(fresh, now, world, {entry.player for entry in world.entries(tournament.id)})
    line = noted(tournament, "opened", now, world, by=by)
    return Ruled(f"Players can enter {tournament.title} now.", [Put(fresh), line, *told])


def closed(tournament: Tournament, why: str, by: int, now: int, world: World) -> Ruled:
    """Nobody can enter any more; a tournament that never ends by itself is over when its games are."""
    state = standing.load(tournament, world)
    if state.format.endless and tournament.stage == Stages.RUNNING:
        powers.require_apart(state, by, "ends it")
        return Ruled(f"{tournament.title} is over.", steps.over(state, now, world))
    powers.require_stage(tournament, Stages.ENTRY)
    missing = tournament.least - len(state.entries)
    begin = f"To begin it: tournament start {tournament.id} NAME PASSWORD"
    if missing > 0:
        again = f"tournament open {tournament.id} NAME PASSWORD"
        begin = (
            f"It needs {missing} more player{'s' if missing > 1 else ''} to begin. To let players enter again: {again}"
        )
    shut, gone = replace(tournament, stage=Stages.DRAFT, due=None), f"Nobody can enter {tournament.title} any more."
    starts = "director" if tournament.director else "operator"
    told = letters.to_all(state, "entry is closed", [f"{gone} It begins when the {starts} starts it."])
    effects = [Put(shut), noted(tournament, "closed", now, world, by=by), *daily.may_wait(shut, told, now, world)]
    return Ruled(f"{gone} {begin}", effects)


def started(tournament: Tournament, why: str, by: int, now: int, world: World) -> Ruled:
    """Entry ends, and the games begin."""
    powers.require_stage(tournament, *Stages.AHEAD)
    if by and now < tournament.not_before:
        at = moment(tournament.not_before)
        raise Forbidden(f"{tournament.title} is held a {tournament.every} after the last one, so it begins on {at}")
    state = standing.load(tournament, world)
    here = sum(out is None for out in editions.present(state, now, world).values())
    if here < tournament.least:
        fewer = f", of whom {here} can play now" if here < len(state.entries) else ""
        few = f"needs {tournament.least} players, and {len(state.entries)} have entered{fewer}"
        raise Forbidden(f"{tournament.title} {few}")
    return Ruled(f"{tournament.title} begins.", steps.begun(state, now, world, by=by))


def cancelled(tournament: Tournament, why: str, by: int, now: int, world: World) -> Ruled:
    """The tournament does not take place, or ends without a result."""
    powers.require_stage(tournament, *Stages.OPEN)
    powers.require_reason(why)
    state = standing.load(tournament, world)
    if tournament.stage == Stages.RUNNING:
        powers.require_apart(state, by, "cancels it", ever=True)
    return Ruled(f"{tournament.title} is cancelled.", steps.cancelled(state, now, world, why, by=by, last=True))


def resumed(tournament: Tournament, why: str, by: int, now: int, world: World) -> Ruled:
    """A cancelled tournament, or a ladder that was ended, goes on; one that had not begun is a draft again. Only by the
    operator: a director could go to and fro for ever."""
    if by:
        raise NotAllowed("Only the operator takes that back")
    state = standing.load(tournament, world)
    powers.require_stage(tournament, Stages.CANCELLED, *((Stages.OVER,) if state.format.endless else ()))
    powers.require_reason(why)
    back, then = replace(tournament, stage=Stages.RUNNING, due=now + 1), "It goes on where it was."
    effects: list[Effect] = []
    if not any(entry.seat for entry in state.entries):
        every_one = world.tournaments((*Stages.OPEN, Stages.OVER, Stages.CANCELLED), 1000)
        follows = any(one.previous == tournament.id for one in every_one)
        until, every = tournament.until if tournament.until > now else 0, "" if follows else tournament.every
        back = replace(tournament, stage=Stages.DRAFT, until=until, every=every)  # each edition has one after it
        then = f"To let players enter: mailbot admin tournament open {tournament.id}"
    else:
        if state.playing() and not state.format.endless:
            back = replace(back, due=now + DAY if state.format.weekly else None)
        for entry in state.there:
            if (player := world.player(entry.player)) and player.state == "gone":
                effects += withdrawals.withdrawn(state, entry, now, world, by=entry.player, forever=True)
    said = [f"{tournament.title} is not {'over' if tournament.stage == Stages.OVER else 'cancelled'} any more."]
    if back.stage == Stages.RUNNING:
        said.append(
            f"Games that have ended meanwhile {'move nobody on the ladder' if state.format.endless else 'count'}."
        )
    words = letters.words(why, by, world)
    effects += daily.at_once(back, letters.to_all(state, "it goes on", said, **words), world)
    if tournament.director not in {entry.player for entry in state.there}:
        effects += letters.to_director(tournament, "it goes on", said, world, **words)
    effects += [Put(back), noted(tournament, "resumed", now, world, by=by, why=why)]
    return Ruled(f"{said[0]} {then}", effects)


def note(tournament: Tournament, why: str, by: int, now: int, world: World) -> Ruled:
    """Words to everybody who takes part."""
    powers.require_stage(tournament, *Stages.OPEN)
    if not why:
        raise Unreadable("Write your note on the lines below the command")
    if any(line.by == by and now - line.at < DAY for line in world.logged(tournament.id, "note")):
        raise Forbidden(f"You have written to everybody in {tournament.title} within a day; one note a day is the most")
    state = standing.load(tournament, world)
    said = [f"{letters.who(by, world)} writes to everybody in {tournament.title}:"]
    posts = letters.to_all(state, "a note from the director", said, comment=why)
    posts = [post for post in posts if not world.blocks(post.player, by)]
    told = daily.may_wait(tournament, posts, now, world, by)
    return Ruled(f"Your note goes to all in {tournament.title}.", [*told, noted(tournament, "note", now, world, by=by)])


def withdrew(tournament: Tournament, name: str, why: str, by: int, now: int, world: World) -> Ruled:
    """Withdraws a player."""
    powers.require_reason(why)
    entry = _entry(tournament, name, world)
    state = standing.load(tournament, world)
    powers.require_apart(state, by, "withdraws players from it", entry.player)
    if tournament.stage in Stages.AHEAD:
        out = [f"You are no longer in {tournament.title}."]
        told = letters.letter(tournament, "withdrawn", out, **letters.words(why, by, world))
        what = "dropped" if by == entry.player else "withdrew"
        gone = entries.left(tournament, entry, now, world, what=what, by=by, why=why)
        effects = [*gone, Post(entry.player, told, Kinds.EVENT)]
        return Ruled(f"{name} is no longer in {tournament.title}.", effects)
    powers.require_stage(tournament, Stages.RUNNING)
    if entry.stopped is not None:
        raise Forbidden(f"{name} has withdrawn already")
    if by != entry.player:
        every = standing.whole(tournament, world)  # also those that are over: a rival may be about to win the match
        played = [every.games[one.game] for one in every.fixtures if one.game and entry.seat in (one.first, one.second)]
        powers.require_free(tournament, played, by, f"withdraws {name}", world)
    return Ruled(f"{name} is withdrawn.", withdrawals.withdrawn(state, entry, now, world, by=by, why=why))


def brought_back(tournament: Tournament, name: str, why: str, by: int, now: int, world: World) -> Ruled:
    """A withdrawal was a mistake: the player plays on, as after `return`."""
    powers.require_reason(why)
    powers.require_stage(tournament, Stages.RUNNING)
    if by:
        raise NotAllowed("Only the operator brings a player back")
    entry = _entry(tournament, name, world)
    if (player := world.player(entry.player)) is None or player.state == "gone":
        raise Forbidden(f"{name} is not here any more")
    state = standing.load(tournament, world)
    effects, *went = withdrawals.returned(state, entry, now, world, ruled=True)
    said = [f"You are back in {tournament.title}. {withdrawals.how_it_goes_on(state, *went, foot=False)}."]
    told = letters.letter(tournament, "you are back", said, **letters.words(why, by, world))
    return Ruled(f"{name} is back in {tournament.title}.", [*effects, Post(entry.player, told, Kinds.EVENT)])


def timed(tournament: Tournament, name: str, time: str, why: str, by: int, now: int, world: World) -> Ruled:
    """Gives a player more time on all boards of the tournament."""
    powers.require_stage(tournament, Stages.RUNNING)
    entry = _entry(tournament, name, world)
    state = standing.load(tournament, world)
    powers.require_apart(state, by, "gives time")
    if time[:1] == "-":
        raise Forbidden("You can give time and not take it: write 3d or 12h")
    seconds = clocks.time(time)
    effects: list[Effect] = []
    boards_of: dict[int, list[str]] = {}
    found = state.playing(entry.seat)
    # Also before the first turns: with new time every day a game would never begin, and nobody could win it on time.
    powers.require_free(tournament, [game for _, game in found], by, "gives time on it", world)
    for _, game in found:
        number = game.number_of(entry.player)
        stands = timing.of(game, now, world)
        has = min(timing.left(game, now, stands)[number - 1] + seconds, clocks.LONGEST)
        effects.append(Put(course.given(game, number, has, now, stands)))
        for reader in {game.player1, game.player2} - {by}:
            boards_of.setdefault(reader, []).append(f"board {game.id}: {name} has {duration(has)}")
    if not found:
        raise Forbidden(f"{name} has no running game in {tournament.title}")
    said = [f"{letters.who(by, world)} has given {name} {time.lower()} more on these boards:"]
    for reader, lines in sorted(boards_of.items()):
        told = letters.letter(tournament, "more time", said, games=lines, **letters.words(why, by, world))
        effects.append(Post(reader, told, Kinds.EVENT))
    effects.append(noted(tournament, "time", now, world, by=by, player=entry.player, why=why))
    return Ruled(f"{name} has {time.lower()} more on {len(found)} board{'s' if len(found) > 1 else ''}.", effects)


def replaced(tournament: Tournament, old: str, new: str, why: str, by: int, now: int, world: World) -> Ruled:
    """Another player, who takes every challenge at once, takes the place of one who has not moved yet."""
    powers.require_stage(tournament, Stages.RUNNING)
    powers.require_reason(why)
    state = standing.whole(tournament, world)
    if state.format.endless:
        raise Forbidden("On a ladder nobody is replaced: a newcomer begins at its foot")
    entry, other = _entry(tournament, old, world), world.player_named(new)
    mine = [one for one in state.fixtures if one.game and entry.seat in (one.first, one.second)]
    games = [state.games[one.game] for one in mine]
    against = [game.player(3 - game.number_of(entry.player)) for game in games]
    if (
        other is None
        or other.state != "active"
        or bots.is_bot(other.id)
        or other.id == by
        or (by and world.blocks(other.id, by))
        or entries.of_its_mailbox(state, other.id, now, world)
        or not all(limits.likes(other.id, player, tournament.rules, now, world) for player in against)
    ):
        raise Forbidden(f"There is no player '{new[:20]}' who could come in")
    if world.entry(tournament.id, other.id):
        raise Forbidden(f"{other.userid} is in {tournament.title} already")
    if not limits.begins_unasked(other.id, world):
        raise Forbidden(
            f"{other.userid} begins no game unasked. Ask {other.userid} to send this first: set {other.userid} PASSWORD"
            " accept all yes"
        )
    if tournament.rating and not terms.within(tournament.rating, other.id, tournament.rules, now, world):
        raise Forbidden(
            f"{tournament.title} takes players with a rating of {tournament.rating}, and not {other.userid}"
        )
    if limits.room(other.id, world) < max(1, len(mine)) or len(world.entered(other.id)) >= entries.AT_ONCE:
        raise Forbidden(f"{other.userid} has too many games or tournaments")
    if any(game.ply or game.state != States.RUNNING for game in games):
        raise Forbidden(f"{old} can be replaced only as long as nobody has moved on a board of {old}")
    powers.require_apart(state, by, "puts somebody else in", entry.player)
    powers.require_absent(tournament, entry, games, old, by, now, world)
    withdrawals.require_unpaired(state, entry, old, f"nobody can come in for {old}")
    fresh = replace(entry, player=other.id, joined=now, always=0, stopped=None, left=0)
    effects: list[Effect] = [Drop(entry), Put(fresh)]
    theirs: list[Game] = []
    for game in games:
        drops, notes = plans.cleared(game, "another player has come in", world)
        left = game.number_of(entry.player)
        notes = {left: [], 3 - left: [f"{other.userid} has come in for {old}.", *notes[3 - left]]}
        first, second = (other.id if one == entry.player else one for one in (game.player1, game.player2))
        rated = terms.agreed(tournament.rules, tournament.clock, world, unrated=bool(tournament.unrated))
        game = game._replace(player1=first, player2=second, asks="", asks_by=0, category=rated[0], unrated=rated[1])
        game, more = terms.begun(game, now, world, theirs)
        theirs.append(game)
        effects += [*drops, *boards.paired(game, now, world, notes=notes, **more)]
    reason = letters.words(why, by, world)
    gone = [f"{other.userid} plays {tournament.title} in your place."]
    told = letters.letter(tournament, "replaced", gone, **reason)
    said = [
        f"{letters.who(by, world)} has put you into {tournament.title} in the place of {old}; a letter for each of your"
        f" games says how to play. To give them up: withdraw {tournament.id} {other.userid} PASSWORD"
    ]
    here = Post(other.id, letters.letter(tournament, "you have come in", said, **reason), Kinds.EVENT)
    line = noted(tournament, "replaced", now, world, by=by, player=other.id, why=why)
    return Ruled(
        f"{other.userid} plays in the place of {old}.", [*effects, here, Post(entry.player, told, Kinds.EVENT), line]
    )


def result(board: int, verdict: str, why: str, by: int, now: int, world: World) -> Ruled:
    """Decides a game of a tournament that runs, or corrects its result before the next games are paired."""
    game = world.game(board)
    tournament = world.tournament(game.event) if game else None
    if game is None or tournament is None:
        raise Forbidden(f"Board {board} is of no tournament")
    powers.require(tournament, by)
    powers.require_stage(tournament, Stages.RUNNING)
    powers.require_reason(why)
    state = standing.load(tournament, world)
    powers.require_apart(state, by, "decides its games")
    powers.require_not_own(game, by)
    powers.require_free(tournament, [game], by, "decides it", world)
    powers.require_open(state, game, world)
    players = boards.names(game, world)
    seats = {"1": 1, "2": 2, players[0].lower(): 1, players[1].lower(): 2, "draw": 0}
    winner = seats.get(verdict.lower())
    if winner is None:
        raise Unreadable(f"The result of board {board} is 1 ({players[0]} wins), 2 ({players[1]} wins) or draw")
    if game.state == States.OVER and (game.winner or 0) == winner:
        raise Forbidden(f"That is the result of board {board} already")
    before = [line.by for line in world.logged(tournament.id, "ruled", board=board)]
    if by and (len(before) >= RULED or 0 in before or game.reason == course.DECIDED):
        raise Forbidden(f"Board {board} has been decided {RULED} times already, or by the operator; ask the operator")
    drops, notes = plans.cleared(game, "the game is over", world)
    over, kept = _decided(game, winner, now, world)
    told = _tell(over, "has decided this game", why, by, now, world, notes)
    line = noted(tournament, "ruled", now, world, by=by, board=board, why=why)
    outcome = f"{players[winner - 1]} has won" if winner else "a draw"
    return Ruled(f"Board {board} is over: {outcome}.", [*drops, *kept, *told, line])


def _decided(game: Game, winner: int, now: int, world: World) -> tuple[Game, list[Effect]]:
    """The game with this result, and what keeps how it had ended. Where that is the result of the play, all is as it
    was, the ratings as well: nobody can take a rated game out of the ratings by a mistake that is corrected."""
    was = world.overruled(game.id)
    if was and was.winner == winner:
        back = course.over(game._replace(unrated=was.unrated), winner, was.reason, was.at)
        return back, [Drop(was)]
    kept = was or Overruled(game.id, game.winner, game.reason, game.unrated, game.changed)
    over = course.over(withdrawals.unrated(game), winner, withdrawals.DECIDED, now, timing.of(game, now, world))
    return over, [Put(kept)] if game.state == States.OVER else []


def directs(tournament: Tournament, name: str, now: int, world: World) -> Ruled:
    """The operator names another director."""
    powers.require_stage(tournament, *Stages.OPEN)
    player = world.player_named(name)
    if player is None or player.state != "active" or bots.is_bot(player.id):
        raise Forbidden(f"There is no player '{name[:20]}' who could direct it")
    said = [
        f"You direct {tournament.title} from now on. It runs by itself; what you may do: help directing",
    ]
    told = letters.letter(tournament, "you direct it", said)
    line = noted(tournament, "director", now, world, player=player.id)
    return Ruled(
        f"{player.userid} directs {tournament.title}.",
        [Put(replace(tournament, director=player.id)), line, Post(player.id, told, Kinds.EVENT)],
    )


def _entry(tournament: Tournament, name: str, world: World) -> Entry:
    player = world.player_named(name)
    entry = world.entry(tournament.id, player.id) if player else None
    if entry is None:
        raise Forbidden(f"Nobody called '{name[:20]}' is in tournament {tournament.id}")
    return entry


def _tell(
    game: Game,
    done: str,
    why: str,
    by: int,
    now: int,
    world: World,
    notes: Mapping[int, Sequence[str]] | None = None,
) -> list[Effect]:
    """Stores the board and sends it to both players with the ruling."""
    facts = {"event": "ruling", "by": 0, "done": done, "comment": why, **({"judge": userid(by, world)} if by else {})}
    facts |= timing.facts(game, now, world)
    moves, players = world.texts(game.id), boards.names(game, world)

    def told(number: int) -> Letter:
        return boards.news("admin", game, moves, players, number, **facts, notes=notes[number] if notes else [])

    return [Put(game), *(Post(game.player(number), told(number), Kinds.EVENT) for number in (1, 2))]


ACTS: Mapping[str, Callable[[Tournament, str, int, int, World], Ruled]] = {
    "open": opened,
    "close": closed,
    "start": started,
    "cancel": cancelled,
    "resume": resumed,
    "note": note,
}
"""What is done to a whole tournament, by its name."""

ABOUT_PLAYERS: Mapping[str, tuple[int, Callable[..., Ruled]]] = {
    "withdraw": (1, withdrew),
    "return": (1, brought_back),
    "replace": (2, replaced),
    "time": (2, timed),
}
"""What is done to its players, by its name: how many words it takes, and the function."""


def rule(act: str, number: int, more: Sequence[str], why: str, by: int, now: int, world: World) -> Ruled:
    """Carries out what a director (`by`) or the operator (0) wants. `number`: of the tournament; for `result` of the
    board. `more`: the words behind it."""
    if act == "result" and len(more) == 1:
        ruled = result(number, more[0], why, by, now, world)
        return ruled._replace(effects=[*powers.counted(act, str(number), by, now, world), *ruled.effects])
    tournament = entries.find(str(number), world)
    powers.require(tournament, by)
    if act in ACTS and not more:
        ruled = ACTS[act](tournament, why, by, now, world)
        counted = powers.counted(act, "", by, now, world) if act in ("open", "close") else []  # the rest is done once
        return ruled._replace(effects=[*counted, *ruled.effects])
    if act in ABOUT_PLAYERS and len(more) == ABOUT_PLAYERS[act][0]:
        ruled = ABOUT_PLAYERS[act][1](tournament, *more, why, by, now, world)
        about = f"{number} {_entry(tournament, more[0], world).player}"
        return ruled._replace(effects=[*powers.counted(act, about, by, now, world), *ruled.effects])
    if act == "director" and len(more) == 1 and not by:
        return directs(tournament, more[0], now, world)
    raise Unreadable(
        f"I need one of {', '.join(ACTS)} with a tournament; withdraw or return with a player; time with a player and a"
        " time such as 3d; replace with two players; result with a board and 1, 2 or draw; or director with a player"
    )
