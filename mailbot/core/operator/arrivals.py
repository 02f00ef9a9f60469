"""Whether a row that comes from another server may stand here: what `mailbot import` asks of each row that it reads.

A file can be edited, so nothing in it is believed. A board is replayed from its rules and moves; what follows from
other rows (ratings, the ends of clocks) is not read at all, but computed anew.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.catalogue import Catalogue
from engine.families import family_of
from mailbot.core import tournaments
from mailbot.core.commands.leaving import pseudonym
from mailbot.core.contests import LOGGED, Entry, Fixture, Later, Logged, Overruled, Rung, Stages, Tournament
from mailbot.core.effects import Forbidden
from mailbot.core.games import boards, clocks, course, plans, vacations
from mailbot.core.hosting import drafts, editions, entries, standing
from mailbot.core.mail import charset
from mailbot.core.mail.addresses import parse_addr
from mailbot.core.model import (
    BLOCKED,
    DAY,
    USERID,
    Address,
    Analysis,
    Contact,
    Deferred,
    Failing,
    Game,
    Hint,
    Judged,
    Kept,
    Move,
    Outage,
    Plan,
    Player,
    Preference,
    Seek,
    States,
    Submitted,
    Vacation,
)
from mailbot.core.players import names, preferences, seen
from mailbot.core.puzzles.tried import Tried
from mailbot.core.ratings import terms
from mailbot.core.tournaments.field import checked
from mailbot.core.world import World

STAGES = (Stages.DRAFT, Stages.ENTRY, Stages.RUNNING, Stages.OVER, Stages.CANCELLED)
COUNTS = (preferences.DIGEST_DUE, vacations.AUTOMATIC_DAYS, seen.SEEN)
"""What is kept beside the settings, as a number."""

PROSE = ("comment", "words", "why", "facts")
"""Fields with words that somebody has written, or with a document; every other text is one line."""
LISTS = ("text", "after", "boards", "hards", "moves", "chances")
"""Lines that may be long: moves, queues of moves, and lists of numbers. Their own rows read them."""
LONGEST_PROSE, LONGEST_LIST, LONGEST_LINE = 3 * charset.MAX_TEXT, 10_000, 1000
"""Characters. A mail has MAX_TEXT at most; a document holds them with its own signs around them."""

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MARK = re.compile(r"gone:[0-9a-f]{64}")
_NUMBER = re.compile(r"[0-9]{1,12}")
_NUMBERS = re.compile(r"(?:[0-9]{1,12}(?: [0-9]{1,12})*)?")


def require_text(name: str, text: str) -> None:
    """Raises Forbidden for a text that no field of this name can have: a line stands in Subjects and in tables."""
    prose = name in PROSE
    line = text.replace("\n", "") if prose or name == "text" else text  # a queue has a line for each alternative
    if _CONTROLS.search(line.replace("\t", "") if prose else line):
        raise Forbidden(f"{name}: it has characters that no {'text' if prose else 'line'} has")
    longest = LONGEST_PROSE if prose else LONGEST_LIST if name in LISTS else LONGEST_LINE
    if len(text) > longest:
        raise Forbidden(f"{name}: it is longer than {longest} characters")


def require(row: Kept, world: World) -> None:
    """Raises Unreadable or Forbidden, with a clause, for a row that may not stand here. A game: `require_game`."""
    check = CHECKS.get(type(row))
    if check:
        check(row, world)


def require_game(game: Game, moves: Sequence[Move], world: World) -> None:
    """The same for a board with its moves, which are played by its rules."""
    _require_terms(game, world)
    if game.state not in States.ALL:
        raise Forbidden(f"'{game.state[:20]}' is no state of a game")
    if game.player1 == game.player2 or not (world.player(game.player1) and world.player(game.player2)):
        raise Forbidden("its two players are not two players who stand above this line")
    if game.occasion != (_contest(game.event, world).title if game.event else ""):
        raise Forbidden("'occasion' is not the title of its tournament")
    if not 0 <= game.agreed <= course.BOTH or game.winner not in (None, 0, 1, 2):
        raise Forbidden("'agreed' is 0 to 3, and 'winner' 1, 2, 0 or null")
    offer = game.state not in boards.PLAYED  # without consent `asks_by` is its maker
    alike = bool(game.asks) == bool(game.asks_by) or (offer and not game.asks)
    if not alike or game.asks_by not in (0, 1, 2):
        raise Forbidden("'asks' and 'asks_by' contradict each other")
    if game.asks and game.state != States.RUNNING:
        raise Forbidden("only in a running game something can be asked")
    if game.ply != len(moves):
        raise Forbidden(f"its ply is {game.ply}, and it has {len(moves)} moves")
    if game.state in (States.RUNNING, States.OVER):
        _require_played(game, moves, world.catalogue)
    elif moves or game.to_move or game.winner is not None:
        raise Forbidden("a game that has not begun has no moves, no turn and no winner")
    if game.place < 0 or (game.place and (game.state != States.OVER or not game.category)):
        raise Forbidden("only a game of a category that is over has a place among the rated ones")


def _require_terms(game: Game, world: World) -> None:
    """Rules, clock and category."""
    _require_rules(game.rules, world.catalogue)
    _require_clock(game.clock)
    right = terms.category(game.rules, world.catalogue)
    if game.category not in ("", right):
        raise Forbidden(
            f"category '{game.category[:20]}' is not that of its rules here; does the configuration have the same"
            " [[variants]]?"
        )


def _require_played(game: Game, moves: Sequence[Move], catalogue: Catalogue) -> None:
    """Every move was legal, and by the player whose turn it was; and the game is over if and only if it is."""
    family = family_of(game.rules, catalogue)
    mover = family.replay(game.rules, []).to_move
    at = family.replay(game.rules, [move.text for move in moves])
    for number, (move, turn) in enumerate(zip(moves, at.turns, strict=True), 1):
        if move.text != turn.move or family.move(game.rules, move.text) != move.text:
            raise Forbidden(f"move {number} is not written as the server writes it: {turn.move}")
        if move.player != game.player(mover):
            raise Forbidden(f"move {number} was not the turn of player {move.player}")
        mover = 3 - mover
    if game.state == States.RUNNING:
        if at.outcome or game.winner is not None:
            raise Forbidden("it runs, but it is over by its rules or has a winner")
        if game.to_move != at.to_move or game.agreed != course.BOTH:
            raise Forbidden(f"it runs, and player {at.to_move} is to move, to whom both have agreed")
    elif game.to_move:
        raise Forbidden("it is over, and yet somebody is to move")
    elif at.outcome and game.reason == at.outcome.reason and game.winner != at.outcome.winner:
        raise Forbidden(f"by its rules player {at.outcome.winner} has won (0: a draw)")


def _require_rules(text: str, catalogue: Catalogue) -> None:
    if family_of(text, catalogue).read(text, catalogue) != text:
        raise Forbidden("the rules are not written as the server writes them")


def _require_clock(text: str) -> None:
    clock, *more = text.split(" ")
    known = [word for word in ("-noweekends", clocks.NO_VACATION) if word in more]
    if clocks.write(clocks.parse(clock)) != clock or more != known:
        raise Forbidden("the clock is not written as the server writes it")


def _player(row: Player, world: World) -> None:
    if row.id < 1 or min(row.password_version, row.token_epoch) < 0:
        raise Forbidden("the numbers of a player are not negative; the computer players are here already")
    if row.state == "gone":
        if row.userid != pseudonym(row.id) or row.password_hash:
            raise Forbidden(f"a player who has left is called {pseudonym(row.id)} and has no password")
    elif not USERID.match(row.userid) or names.reserved(row.userid):
        raise Forbidden("nobody can have this userid here; rename the player before the export")


def _address(row: Address, world: World) -> None:
    if parse_addr(row.addr) != row.addr:
        raise Forbidden("this is no address as the server writes it")


def _contact(row: Contact, world: World) -> None:
    addr = f"x{row.addr}" if row.addr.startswith("@") else row.addr  # of `-@proton.me`, until 2026-11-28
    if row.signups < 0 or (parse_addr(addr) is None and not _MARK.fullmatch(row.addr)):
        raise Forbidden("this is no address, or no count of letters to it")


def _failing(row: Failing, world: World) -> None:
    if not _NUMBERS.fullmatch(row.hards):
        raise Forbidden("'hards' is not a list of times")


def _preference(row: Preference, world: World) -> None:
    if row.name in COUNTS:
        good = bool(_NUMBER.fullmatch(row.value))
    elif row.name.startswith(BLOCKED):
        # Until 2026-11-28 a player could block a name that nobody can have.
        good = row.name == f"{BLOCKED}{row.value.lower()}" and 0 < len(row.value) <= 20 and row.value.isprintable()
    else:
        setting = preferences.find(row.name)
        good = setting.name == row.name and setting.read(row.value).lower() == row.value.lower()
    if not good:
        raise Forbidden(f"this is no value of the setting '{row.name[:30]}'")


def _seek(row: Seek, world: World) -> None:
    _require_rules(row.rules, world.catalogue)
    _require_clock(row.clock)
    if not 0 <= row.keep <= 1000 or row.first not in ("", "me", "you") or row.unrated not in (0, 1):
        raise Forbidden("'keep' is not negative, 'first' is me, you or nothing, 'unrated' is 0 or 1")


def _board(number: int, player: int, world: World) -> Game:
    game = world.game(number)
    if not game or not game.number_of(player):
        raise Forbidden("it is of no board of this player that stands above this line")
    return game


def _plan(row: Plan, world: World) -> None:
    game = _board(row.game, row.player, world)
    if plans.write(plans.parse(row.text, game.rules, row.ply, world.catalogue)) != row.text or not row.text:
        raise Forbidden("the queue is not written as the server writes it")


def _submitted(row: Submitted, world: World) -> None:
    game = _board(row.game, row.player, world)
    if family_of(game.rules, world.catalogue).move(game.rules, row.text) != row.text:
        raise Forbidden("the move is not written as the server writes it")


def _analysis(row: Analysis, world: World) -> None:
    if _board(row.game, row.player, world).state != States.OVER:
        raise Forbidden("only a game that is over is analysed")


def _judged(row: Judged, world: World) -> None:
    chances = row.chances.split()
    known = all(re.fullmatch("[0-9]{1,3}", one) and int(one) <= 100 for one in chances)
    if not known or len(chances) != len(row.moves.split()) + 1:
        raise Forbidden("'chances' is not a list of percentages, one more than 'moves'")


def _hint(row: Hint, world: World) -> None:
    game = _board(row.game, row.player, world)
    moves = f"{row.after} {row.move}".strip()
    if " ".join(boards.ahead(game, (), moves.split(), world.catalogue)) != moves:
        raise Forbidden("its moves are not written as the server writes them")


def _tried(row: Tried, world: World) -> None:
    if not world.player(row.player):
        raise Forbidden("its player is not above this line")
    if min(row.day, row.solved) < 0 or row.tries < 1:
        raise Forbidden("one of its numbers is not possible")


def _deferred(row: Deferred, world: World) -> None:
    if not _NUMBERS.fullmatch(row.boards) or row.count < 0:
        raise Forbidden("'boards' is not a list of numbers, or 'count' is negative")


def _outage(row: Outage, world: World) -> None:
    if not 0 <= row.begin <= row.end:
        raise Forbidden("it ends before it begins")


def _vacation(row: Vacation, world: World) -> None:
    # One that was ended early may be shorter than its days, which were taken all the same; one that began while the
    # machine's clock was ahead is longer (store/pulse.py).
    if not 1 <= row.days <= vacations.AT_ONCE or not 0 <= row.end - row.begin <= (vacations.AT_ONCE + 1) * DAY:
        raise Forbidden(f"it ends before it begins, or lasts longer than {vacations.AT_ONCE} days")
    if row.automatic not in (0, 1) or row.told not in (0, 1, 2):
        raise Forbidden("'automatic' is 0 or 1, and 'told' 0, 1 or 2")


def _tournament(row: Tournament, world: World) -> None:
    format, options = tournaments.parse(row.format)
    checked(format.options, options)
    _require_rules(row.rules, world.catalogue)
    _require_clock(row.clock)
    if row.stage not in STAGES or row.every not in ("", *editions.MONTHS) or row.unrated not in (0, 1):
        raise Forbidden("its stage, 'every' or 'unrated' is not one that there is")
    if drafts.named(row.name) != row.name:
        raise Forbidden("the name is not written as the server writes it")
    if row.director and not world.player(row.director):
        raise Forbidden("its director is not above this line")
    if not 0 <= row.least <= row.most <= 10_000 or row.edition < 1 or row.previous >= row.id:
        raise Forbidden("'least', 'most', 'edition' or 'previous' is not possible")
    if row.rating:
        terms.span(row.rating)


def _contest(number: int, world: World) -> Tournament:
    tournament = world.tournament(number)
    if not tournament:
        raise Forbidden(f"there is no tournament {number} above this line")
    return tournament


def _entry(row: Entry, world: World) -> None:
    _contest(row.tournament, world)
    if row.seat < 0 or row.always not in (0, 1) or (row.stopped or 0) < 0:
        raise Forbidden("one of its numbers is not possible")


def _fixture(row: Fixture, world: World) -> None:
    _contest(row.tournament, world)
    if row.number < 1 or min(row.round, row.pool, row.stake) < 0 or row.void not in (0, 1):
        raise Forbidden("one of its numbers is not possible")


def _rung(row: Rung, world: World) -> None:
    if not tournaments.parse(_contest(row.tournament, world).format)[0].endless:
        raise Forbidden("only a ladder has rungs")
    if min(row.wins, row.place) < 0:
        raise Forbidden("one of its numbers is not possible")


def _overruled(row: Overruled, world: World) -> None:
    game = world.game(row.game)
    if not game or game.state != States.OVER or row.winner not in (None, 0, 1, 2):
        raise Forbidden("it is of no board that is over and stands above this line")


def _logged(row: Logged, world: World) -> None:
    _contest(row.tournament, world)
    if row.what not in LOGGED:
        raise Forbidden(f"'{row.what[:20]}' is nothing that a log says")


def _later(row: Later, world: World) -> None:
    _contest(row.tournament, world)
    if row.by and not world.player(row.by):
        raise Forbidden("its words are of nobody who stands above this line")
    try:
        facts = json.loads(row.facts)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise Forbidden("'facts' is not an object")


CHECKS: Mapping[type[Any], Callable[[Any, World], None]] = {
    Player: _player,
    Address: _address,
    Contact: _contact,
    Failing: _failing,
    Preference: _preference,
    Seek: _seek,
    Plan: _plan,
    Submitted: _submitted,
    Analysis: _analysis,
    Judged: _judged,
    Hint: _hint,
    Tried: _tried,
    Deferred: _deferred,
    Outage: _outage,
    Vacation: _vacation,
    Tournament: _tournament,
    Entry: _entry,
    Fixture: _fixture,
    Rung: _rung,
    Overruled: _overruled,
    Logged: _logged,
    Later: _later,
}
"""What each kind of row has to be beyond its types; the others (a tally, news) have only numbers and words."""


def require_standing(tournament: Tournament, world: World) -> None:
    """Raises Forbidden if the rows of a tournament, each possible by itself, do not make one."""
    state = standing.whole(tournament, world)
    seated = [entry.seat for entry in state.entries if entry.seat]
    if len(seated) != len(state.by_seat):
        raise Forbidden("two players have the same seat")
    for fixture in state.fixtures:
        first, second = state.by_seat.get(fixture.first), state.by_seat.get(fixture.second)
        stake = not fixture.stake or fixture.stake in state.rungs
        if not first or (fixture.second and not second) or first == second or not stake:
            raise Forbidden(f"game {fixture.number} pairs seats that nobody has")
        game = state.games.get(fixture.game)
        if fixture.game and not game:
            raise Forbidden(f"board {fixture.game} is none of its boards")
        if game and (not second or (game.player1, game.player2) != (first.player, second.player)):
            raise Forbidden(f"board {game.id} has other players than game {fixture.number}")
    played = sorted(fixture.game for fixture in state.fixtures if fixture.game)
    if played != sorted(state.games):
        raise Forbidden("each of its boards must be in one of its games, and in one only")
    if any(rung not in state.by_seat for rung in state.rungs):
        raise Forbidden("a rung is of a seat that nobody has")
    begun = state.format.endless and tournament.stage == Stages.RUNNING
    if begun and (len(state.rungs), len({one.place for one in state.rungs.values()})) != (len(seated), len(seated)):
        raise Forbidden("each player of a ladder must have a rung, and no two the same place")
    state.field  # noqa: B018 - raises Forbidden for results that cannot be


def due_at(tournament: Tournament, world: World, now: int) -> int | None:
    """When the tournament is looked after next: when its row says so, but not later than its state asks for. Else a
    row without a time, or with one in a thousand years, would leave it alone for ever."""
    state, at = standing.whole(tournament, world), None
    if tournament.stage == Stages.ENTRY:
        at = now if entries.begins_with(state, len(state.entries)) else tournament.until or None
    elif tournament.stage == Stages.RUNNING and state.format.endless:
        at = editions.idle_at(state, now)
    elif tournament.stage == Stages.RUNNING and (not state.playing() or any(one.waits for one in state.fixtures)):
        at = now + 1
    return min((one for one in (tournament.due, at) if one is not None), default=None)
