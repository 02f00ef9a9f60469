"""Offering a game and answering the offer. The offer is the board already: accepting it makes it run."""

from dataclasses import replace

from engine.families import family_of
from mailbot.core import tokens
from mailbot.core.caps import moment
from mailbot.core.contests import Fixture, Stages, Tournament
from mailbot.core.effects import Effect, Forbidden, Kinds, Letter, NotAllowed, Post, Put, Say, Unreadable
from mailbot.core.games import asks, boards, clocks, course
from mailbot.core.hosting import entries, standing, steps
from mailbot.core.hosting.standing import Standing, userid
from mailbot.core.language.grammar import Row
from mailbot.core.model import DAY, Game, States
from mailbot.core.players import bots, limits, names
from mailbot.core.ratings import terms
from mailbot.core.tournaments import ladder
from mailbot.core.world import Asked, Proofs, Request, World

OPEN_OFFERS = 20
"""Offers a player may have waiting for an answer."""


def challenge(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Offers a game by the rules that the line names; or, with the number of a ladder, begins one there."""
    if "n" in asked.args:
        return _on_ladder(request, asked, world)
    if not asked.game:
        games = " or ".join(f"{name} challenge ..." for name in world.catalogue.names)
        raise Unreadable(f"Say which game you mean: {games}")
    options, unrated = terms.chosen(asked.args["options"])
    options, clock = clocks.chosen(options, world.clock)
    family = family_of(asked.game, world.catalogue)
    rules = family.read(" ".join((asked.game, *options)), world.catalogue)
    named = (asked.args["userid1"], asked.args["userid2"])
    return _offer(rules, clock, named, request, asked, world, unrated=unrated)


def _on_ladder(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Challenges somebody on a ladder: the game begins at once, as nobody can refuse it."""
    if not asked.sure:
        raise NotAllowed("For a challenge on a ladder I need your password")
    tournament = entries.find(asked.args["n"], world)
    effects = _challenged(tournament, asked.by, str(asked.args["otherUserid"]), request.now, world)
    return [Say(one.letter) if isinstance(one, Post) and one.player == asked.by else one for one in effects]


def _challenged(tournament: Tournament, player: int, name: str, now: int, world: World) -> list[Effect]:
    """The player challenges the one with this name. Raises NotAllowed; Forbidden with the rule, and until when."""
    state = standing.load(tournament, world)
    if not state.format.endless:
        raise Forbidden(f"In {tournament.title} the server pairs the games; only on a ladder players challenge others")
    if tournament.stage != Stages.RUNNING:
        raise Forbidden(f"{tournament.title} {Stages.SAID[tournament.stage]}: it has no games now")
    mine = entries.require_entry(tournament, player, world)
    other = world.player_named(name)
    theirs = world.entry(tournament.id, other.id) if other else None
    if theirs is None:
        raise NotAllowed(f"'{names.shown(name, player, world)[:20]}' is not on this ladder")
    if other and not limits.hears(other.id, world):
        raise Forbidden(f"At the moment {other.userid} cannot play")
    order = [entry.player for _, entry in state.table]
    found = {one.number: one for one in (*state.fixtures, *world.paired(tournament.id, mine.seat, theirs.seat))}
    games = [_met(one, state, world) for one in found.values()]
    away = {userid(theirs.player, world): row.end for row in world.vacations(theirs.player, now) if row.begin <= now}
    names_ = [userid(one, world) for one in order]
    try:
        ladder.challenge(names_, games, userid(player, world), userid(theirs.player, world), now, away)
    except ladder.Waits as waits:
        raise Forbidden(f"{waits}; you can challenge again from {moment(waits.until)} on") from None
    game, effects = steps.board_of(state, mine.seat, theirs.seat, 0, now, world, by=1)
    number = world.last_fixture(tournament.id) + 1
    return [Put(Fixture(tournament.id, number, number, mine.seat, theirs.seat, game.id, now)), *effects]


def _met(fixture: Fixture, state: Standing, world: World) -> ladder.Met:
    game = world.game(fixture.game)
    first, second = (userid(state.by_seat[seat].player, world) for seat in (fixture.first, fixture.second))
    return ladder.Met(first, second, game.changed if game and game.state == States.OVER else None)


def rematch(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Offers the opponent of a finished game another one by the same rules, the other player moving first; accepts if
    the opponent has offered just that."""
    game = boards.find(request, asked, world)
    number = boards.require_player(game, asked, world)
    boards.require_begun(game, world)
    if game.state == States.RUNNING:
        raise Forbidden(f"Board {game.id} is still being played; a rematch can follow when it is over.")
    clock = game.clock.removesuffix(f" {clocks.NO_VACATION}")  # that is for tournaments only
    again = (game.player2, game.player1, game.rules, clock, terms.offered_so(game))
    for offer in world.games_of(asked.by, (States.OFFERED,)):
        same = (offer.player1, offer.player2, offer.rules, offer.clock, terms.offered_so(offer)) == again
        if same and not boards.hidden(offer, asked.by):
            if offer.agreed & (3 - number):  # the seats are swapped
                raise Forbidden(f"You have offered this already, as board {offer.id}.")
            proved = replace(
                asked, args={"board": str(offer.id)}, proof=Proofs.PASSWORD
            )  # the letter is of another board
            return accept(replace(request, token=None), proved, world)
    one, two = boards.names(game, world)
    return _offer(game.rules, clock, (two, one), request, asked, world, unrated=terms.offered_so(game))


def _offer(
    rules: str, clock: str, named: tuple[str, str], request: Request, asked: Asked, world: World, *, unrated: bool
) -> list[Effect]:
    """Makes the board and asks by letter whoever has not yet agreed.

    Without a password only the player in whose name it came is asked at first, and the opponent when that one has
    agreed: anybody can write a From, and must not be able to send letters to others with it (P6).
    """
    found = [world.player_named(name) for name in named]
    if asked.by not in [player.id for player in found if player]:
        raise NotAllowed("A challenge can only be made by one of its two players.")
    if named[0].lower() == named[1].lower():
        raise Forbidden("A game needs two players; name your opponent as well as yourself.")
    with_bot = any(player and bots.is_bot(player.id) for player in found)
    for name in named:
        bots.require_known(name, world)
    if with_bot:
        family_of(rules, world.catalogue).require_computer(rules)
        limits.require_room_with_bots(asked.by, world)
    else:
        limits.require_room(asked.by, world)
        limits.require_hearing(asked.by, "somebody accepts your challenge", world)
    one, two = (
        player
        if player and player.id == asked.by
        else limits.welcome(player, name, rules, asked.by, request.now, world)
        for player, name in zip(found, named, strict=True)
    )
    open_offers = world.games_of(asked.by, (States.OFFERED,))
    proved = asked.sure
    mine = [(game, game.number_of(asked.by)) for game in open_offers]
    own = [game for game, n in mine if (game.agreed & n if proved else not game.agreed and game.asks_by == n)]
    if len(own) >= (OPEN_OFFERS if proved else 1):
        raise Forbidden(f"You have {len(own)} challenges waiting; let some be answered first.")
    agreed = (1 if asked.by == one.id else 2) if proved else 0
    rated = terms.agreed(rules, clock, world, unrated=unrated)
    players = (one.id, two.id)
    game = course.offered(world.fresh("game"), rules, players, request.now, agreed, clock=clock, rated=rated)
    by = 1 if asked.by == one.id else 2
    if not proved:
        game = game._replace(asks_by=by)
        more = {"with_bot": with_bot, **terms.facts(game, request.now, world)}
        return [Put(game), Say(boards.offer(game, (one.userid, two.userid), by, "", by, **more))]
    count = limits.one_more_board(asked.by, request.now, world)
    return [count, *_proposed(game, (one.userid, two.userid), by, request, world)]


def _proposed(game: Game, players: tuple[str, str], by: int, request: Request, world: World) -> list[Effect]:
    """Player `by` has agreed: the other one is asked, or has said beforehand that no asking is needed."""
    if limits.starts_at_once(game.player(3 - by), game.player(by), request.now, world):
        game, more = terms.begun(game, request.now, world)
        return boards.begin(game, by, request, world, "at once", **more)
    more = terms.facts(game, request.now, world)
    other = boards.offer(game, players, 3 - by, boards.heard(request.text, game, by, world), by, **more)
    return [
        Put(game),
        Say(boards.offer(game, players, by, request.text, by, **more)),
        Post(game.player(3 - by), other, Kinds.OFFER),
    ]


def accept(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Agrees to an offer; when both have, the game runs and both get the board. Or agrees to what is asked there."""
    if boards.find(request, asked, world).state == States.RUNNING and not _of_offer(request):
        return asks.agree(request, asked, world)
    game, number, players = _offered(request, asked, world)
    if game.agreed & number:
        raise Forbidden(f"You have accepted board {game.id} already; {players[2 - number]} has not answered yet.")
    if not bots.bot_of(game):
        limits.require_room(asked.by, world)
    if not game.agreed & (3 - number):
        other = world.player(game.player(3 - number))
        limits.welcome(other, players[2 - number], game.rules, asked.by, request.now, world)
        count = limits.one_more_board(asked.by, request.now, world)
        game = game._replace(agreed=game.agreed | number, changed=request.now, asks_by=0)
        return [count, *_proposed(game, players, number, request, world)]
    offered = game.player(3 - number)
    if not bots.is_bot(offered) and not limits.hears(offered, world):
        raise Forbidden(f"At the moment no letters reach {players[2 - number]}, so no game begins. Try again later.")
    game, more = terms.begun(game, request.now, world)
    return boards.begin(game, number, request, world, **more)


def decline(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Refuses an offer, or takes one's own back; or refuses what is asked on a running board."""
    if boards.find(request, asked, world).state == States.RUNNING and not _of_offer(request):
        return asks.refuse(request, asked, world)
    game, number, players = _offered(request, asked, world)
    effects = boards.without(game, number, players, request.now, boards.heard(request.text, game, number, world))
    more: dict[str, object] = {"by": number, "comment": request.text, "taken_back": bool(game.agreed & number)}
    return [*effects, Say(_declined(course.declined(game, request.now), players, number, more))]


def _declined(game: Game, players: tuple[str, str], viewer: int, more: dict[str, object]) -> Letter:
    return boards.news("declined", game, (), players, viewer, **more)


def _of_offer(request: Request) -> bool:
    """Whether the mail answers the letter of an offer."""
    return bool(request.token and request.token[0] == tokens.ANSWER)


def _offered(request: Request, asked: Asked, world: World) -> tuple[Game, int, tuple[str, str]]:
    game = boards.find(request, asked, world)
    number = boards.require_player(game, asked, world)
    if game.state in boards.PLAYED:
        raise Forbidden(f"Board {game.id} has been accepted already: it is {game.state}.")
    if game.state != States.OFFERED:
        ended = "has lapsed" if game.state == States.LAPSED else "was declined"
        raise Forbidden(f"The challenge of board {game.id} {ended}; make a new one.")
    return game, number, boards.names(game, world)


def lapse(game: Game, now: int, world: World) -> list[Effect]:
    """What becomes due of an offer nobody answered for `boards.OFFER_DAYS`."""
    if game.state != States.OFFERED or now < game.created + boards.OFFER_DAYS * DAY:
        return []
    players = boards.names(game, world)
    game = course.lapsed(game, now)
    return [
        Put(game),
        *(
            Post(game.player(number), _declined(game, players, number, {"by": 0, "comment": ""}), Kinds.OFFER)
            for number in (1, 2)
            if game.agreed & number
        ),
    ]


ROWS = (
    Row(
        "challenge",
        ("userid1 userid2 password", "userid1 userid2", "n otherUserid userid password", "n otherUserid"),
        challenge,
        "offer a game; name1 moves first",
        needs="known",
        game=True,
        options=True,
        may_have_body=True,
    ),
    Row(
        "rematch",
        ("board userid password", "board", ""),
        rematch,
        "offer the same game again, with the seats swapped",
        may_have_body=True,
        game=True,
        tokens=tokens.PLAY + tokens.AFTER,
    ),
    Row(
        "accept",
        ("board userid password", "board", ""),
        accept,
        "agree to a challenge, or to a draw or an undo",
        may_have_body=True,
        game=True,
        tokens=tokens.ANSWER + tokens.PLAY,
        aliases=("yes", "ok"),
        in_full=tokens.PLAY,
    ),
    Row(
        "decline",
        ("board userid password", "board", ""),
        decline,
        "refuse a challenge, a draw or an undo, or take your challenge back",
        may_have_body=True,
        game=True,
        tokens=tokens.ANSWER + tokens.PLAY,
        aliases=("no", "reject", "declined"),
    ),
)
