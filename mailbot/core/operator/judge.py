"""What the operator may do to a board or a player, and what the players concerned are told.

Every action takes its words as texts, from the command line or from a mail, and returns a Ruling: its effects, a
sentence for the operator, and what the log may say. It refuses like a command and then changes nothing. The players get
the reason (`why`) in the operator's own words. The board, which everybody may see, says only that the operator decided
so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from mailbot.core.caps import moment
from mailbot.core.commands import account
from mailbot.core.contests import Stages
from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, Letter, Post, Put, Rename, Retire, Unreadable
from mailbot.core.games import boards, clocks, course, plans, timing
from mailbot.core.hosting import drafts, rulings, withdrawals
from mailbot.core.language.typed import quoted
from mailbot.core.mail.addresses import consent_key, mailbox_key, parse_addr
from mailbot.core.mail.charset import clean
from mailbot.core.model import BLOCKED, DAY, USERID, Contact, Game, Outage, Player, Preference, States
from mailbot.core.players import bots, names
from mailbot.core.ratings import ended
from mailbot.core.world import Request, World

ANNULLED = "the operator annulled it"
OVER = "the game is over"
LONGEST = 1000
"""Characters of a reason."""


class Ruling(NamedTuple):
    """`said`: a sentence for the operator. `about`: the board or the player by number, for the log."""

    said: str
    about: str
    effects: list[Effect]


Words = Mapping[str, str]


# -- boards -----------------------------------------------------------------------------------------------------


def end(words: Words, now: int, world: World) -> Ruling:
    """Ends a running game, or gives an annulled one a result. `winner`: 1, 2, draw, or a userid of its players."""
    game = _board(words, world)
    annulled = game.state == States.OVER and game.winner is None
    if not annulled:
        boards.require_running(game, world)
    players = boards.names(game, world)
    seats = {"1": 1, "2": 2, players[0].lower(): 1, players[1].lower(): 2, "draw": 0}
    winner = seats.get(words["winner"].lower())
    if winner is None:
        raise Unreadable(f"The winner of board {game.id} is 1 ({players[0]}), 2 ({players[1]}) or draw.")
    drops, notes = plans.cleared(game, OVER, world)
    game = course.over(game, winner, course.DECIDED, now, timing.of(game, now, world))
    said = f"Board {game.id} is over: {f'{players[winner - 1]} has won' if winner else 'a draw'}."
    done = "has given this game a result, so it counts again" if annulled else "has ended this game"
    told = _tell(game, world.texts(game.id), done, notes, words, now, world)
    return Ruling(said, f"board {game.id}", [*drops, *told])


def annul(words: Words, now: int, world: World) -> Ruling:
    """Ends the game if it is running, and excludes it from all standings."""
    game = _board(words, world)
    _require_no_tournament(game, world)
    if game.state != States.OVER:
        boards.require_running(game, world)
    elif game.winner is None:
        raise Forbidden(f"Board {game.id} counts for nobody already.")
    drops, notes = plans.cleared(game, OVER, world)
    game = course.over(game, None, ANNULLED, now, timing.of(game, now, world))
    done = "has annulled this game: it counts for nobody"
    told = _tell(game, world.texts(game.id), done, notes, words, now, world)
    return Ruling(f"Board {game.id} is annulled.", f"board {game.id}", [*drops, *told])


def back(words: Words, now: int, world: World) -> Ruling:
    """Takes the last `plies` back (default: one). A finished game runs again; with 0, from its last position."""
    game = _board(words, world)
    if game.state != States.OVER:
        boards.require_running(game, world)
    if game.state == States.OVER:
        _require_no_tournament(game, world)
    plies = _number(words.get("plies") or "1", "plies")
    if plies > game.ply:
        raise Forbidden(f"Board {game.id} has only {game.ply} plies.")
    if not plies and game.state == States.RUNNING:
        raise Forbidden(f"Board {game.id} is running; say how many plies are to be taken back.")
    for player in (world.player(game.player1), world.player(game.player2)):
        if player and player.state == "gone":
            raise Forbidden(f"A player of board {game.id} has left for good, so it cannot go on.")
    moves = world.moves(game.id)
    left = [move.text for move in moves[: game.ply - plies]]
    if boards.position(game, left, world.catalogue).outcome:
        raise Forbidden(f"In that position board {game.id} is over by the rules; take more plies back.")
    drops, notes = plans.cleared(game, "moves were taken back", world)
    for wish in boards.wishes(game, world):
        notes[game.number_of(wish.player)].append("The analysis you had asked for is not made: the game goes on.")
    game, gone = boards.rewound(game, moves, len(left), now, world)
    count = f"{plies} moves" if plies > 1 else "move"
    done = f"has taken back the last {count} of this game" if plies else "has opened this game again"
    said = f"Board {game.id} stands at ply {game.ply} again; {boards.names(game, world)[game.to_move - 1]} is to move."
    return Ruling(said, f"board {game.id}", [*drops, *gone, *_tell(game, left, done, notes, words, now, world)])


def clock(words: Words, now: int, world: World) -> Ruling:
    """Sets how much time a player has on a board: `player` is 1, 2 or a userid, `time` like 3d or 12h."""
    game = _board(words, world)
    boards.require_running(game, world)
    if game.flag_at is None:
        raise Forbidden(f"Board {game.id} has no clock.")
    players = boards.names(game, world)
    number = {"1": 1, "2": 2, players[0].lower(): 1, players[1].lower(): 2}.get(words["player"].lower())
    if number is None:
        raise Unreadable(f"The player of board {game.id} is 1 ({players[0]}) or 2 ({players[1]}).")
    seconds = clocks.time(words["time"])
    game = course.given(game, number, seconds, now, timing.of(game, now, world))
    done = f"has set the clock of {players[number - 1]} on this board to {words['time'].lower()}"
    told = _tell(game, world.texts(game.id), done, {1: [], 2: []}, words, now, world)
    return Ruling(f"{players[number - 1]} has {words['time'].lower()} on board {game.id}.", f"board {game.id}", told)


def outage(words: Words, now: int, world: World) -> Ruling:
    """Keeps an outage: from `begin` to `end` (2026-12-01T14:00, UTC) all clocks stood. The next letters tell of it."""
    begin, end = (_moment(words[slot], slot) for slot in ("begin", "end"))
    if end > now:
        raise Forbidden("An outage cannot end in the future.")
    if not clocks.SHORTEST_OUTAGE <= end - begin <= clocks.LONGEST:
        raise Forbidden("An outage lasts an hour at least and 365 days at most.")
    said = f"All clocks stood from {moment(begin)} to {moment(end)}."
    return Ruling(said, "an outage", [Put(Outage(world.fresh("outage"), begin, end))])


def _moment(word: str, what: str) -> int:
    try:
        return int(datetime.strptime(word, "%Y-%m-%dT%H:%M").replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise Unreadable(f"For '{what}' I need a time like 2026-12-01T14:00 (UTC).") from None


def _require_no_tournament(game: Game, world: World) -> None:
    """Forbidden for a game that a tournament waits for or has counted."""
    tournament = world.tournament(game.event) if game.event else None
    ended = world.logged(tournament.id, "over") if tournament and game.state == States.OVER else []
    if tournament and tournament.stage == Stages.OVER and any(game.changed <= line.at for line in ended):
        raise Forbidden(f"{tournament.title} is over with the result of board {game.id}, so that stays as it is")
    if tournament and tournament.stage == Stages.RUNNING:
        raise Forbidden(
            f"Board {game.id} counts in {tournament.title}; while that is running, decide it with: tournament result"
            f" {game.id} 1 (or 2, or draw)"
        )


def tournament(words: Words, now: int, world: World) -> Ruling:
    """What a director can do, in the operator's name; and `director`, which names one. `which`: the number of the
    tournament, or of the board for `result`; for `create` the name, and then the options as one text."""
    act, which, why = words["act"].lower(), words["which"].lstrip("#"), words["why"]
    more = [words[slot] for slot in ("who", "what") if words.get(slot)]
    if act == "create":
        made, effects = drafts.created(which, quoted(" ".join(more).split()), why, 0, now, world)
        return Ruling(f"Tournament {made.id} is created.", f"tournament {made.id}", effects)
    ruled = rulings.rule(act, _number(which, "which"), more, why, 0, now, world)
    return Ruling(ruled.said, f"{act} {which}", ruled.effects)


def _board(words: Words, world: World) -> Game:
    number = _number(words["board"].lstrip("#"), "board")
    game = world.game(number)
    if game is None:
        raise Unreadable(f"There is no board {number}.")
    return game


def _number(word: str, what: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise Unreadable(f"For '{what}' I need a whole number.")
    return int(word)


def _tell(
    game: Game, moves: list[str], done: str, notes: Mapping[int, list[str]], words: Words, now: int, world: World
) -> list[Effect]:
    """Stores the board and sends it to both players, at once, whatever their settings."""
    players = boards.names(game, world)
    told: dict[str, Any] = {"event": "ruling", "by": 0, "done": done, "comment": words["why"]}
    told |= timing.facts(game, now, world)
    posts = [
        Post(
            game.player(number),
            boards.news("admin", game, moves, players, number, **told, notes=notes[number]),
            Kinds.ACCOUNT,
        )
        for number in (1, 2)
    ]
    return [Put(game), *posts]


# -- players ----------------------------------------------------------------------------------------------------


def lock(words: Words, now: int, world: World) -> Ruling:
    """Refuses all that the player sends from now on. Open offers and challenges end; the boards stay, and the
    operator is told which."""
    player = _player(words["userid"], world)
    if player.state == "locked":
        raise Forbidden(f"{player.userid} is locked already.")
    running = world.games_of(player.id, (States.RUNNING,))
    clocked = any(game.flag_at is not None for game in running)
    said = f"{player.userid} is locked."
    if running:
        numbers = ", ".join(str(game.id) for game in running)
        said += f" Still running, with an opponent who waits: board {numbers} (see: end, annul)."
    if clocked:
        said += " Clocks run on."
    games = "go on, and where there is a clock your time runs," if clocked else "stay as they are"
    done = (
        "has locked your account: what you send is refused, and nobody can challenge you. Your games"
        f" {games} until the operator decides about them"
    )
    return Ruling(
        said,
        f"player {player.id}",
        [
            Put(player._replace(state="locked")),
            *boards.without_offers(player.id, now, world, others=True),
            *withdrawals.without_director(player.id, now, world),
            _note(player, done, words),
        ],
    )


def unlock(words: Words, now: int, world: World) -> Ruling:
    """Accepts the player's mails again. Letters from before the lock can no longer be answered, so the boards are sent
    again."""
    player = _player(words["userid"], world)
    if player.state != "locked":
        raise Forbidden(f"{player.userid} is not locked.")
    player = player._replace(state="active")
    done = (
        "has unlocked your account: you can play again, with your old password. Older letters can "
        "no longer be answered; the boards that wait for you are in a letter of their own"
    )
    effects = [_note(player, done, words), *account.revoked(player)]
    return Ruling(f"{player.userid} is unlocked.", f"player {player.id}", effects)


def rename(words: Words, now: int, world: World) -> Ruling:
    """Gives the player `old` another userid; blocks of the old name now block the new one. The old name also disappears
    from the ends of games (`ann resigned`), so that no trace of it is left when the player leaves."""
    player, fresh = _player(words["old"], world), words["new"]
    old = player.userid
    if not USERID.match(fresh):
        raise Unreadable("The new name needs 2 to 20 letters, digits, '_', '-' or '.', beginning with a letter.")
    other = world.player_named(fresh)
    if bots.is_bot(player.id):
        raise Forbidden(f"The computer player {old} keeps its name.")
    if fresh == old or names.reserved(fresh) or (other and other.id != player.id):
        raise Forbidden(f"The name '{fresh}' is taken.")
    if names.like_site(fresh):
        raise Forbidden(names.SITE)
    player = player._replace(userid=fresh)
    blocks = world.blocks_of(old)
    done = (
        f"has given you another name: you are {fresh} now, and no longer {old}. Your games and your password stay as "
        "they are; in a line with your password write the new name"
    )
    effects: list[Effect] = [Put(player), *(Drop(block) for block in blocks)]
    effects += [Put(Preference(block.player, f"{BLOCKED}{fresh.lower()}", fresh)) for block in blocks]
    effects.append(Rename(player.id, old))
    effects += [] if old.lower() == fresh.lower() else [Retire(old)]
    effects.append(_note(player, done, words))
    effects += _tell_opponents(player, old, world)
    return Ruling(f"{old} is called {fresh} now.", f"player {player.id}", effects)


def address(words: Words, now: int, world: World) -> Ruling:
    """Sends a player's letters to another address as soon as it agrees: the old mailbox is gone, and cannot agree. If
    it is not, it can stop this. No answer shows an address."""
    player = _player(words["userid"], world)
    if player.state not in ("active", "off"):
        raise Forbidden(f"{player.userid} is {player.state}.")
    wanted = account.to_ask([words["address"]])
    if wanted[0].lower() in {one.addr.lower() for one in world.addresses(player.id) if one.state == "current"}:
        raise Forbidden(
            f"Letters of {player.userid} go there already. None go to an address from which they come back."
        )
    contact, caps = world.contact(consent_key(wanted[0])), world.caps
    if contact and contact.signups >= caps.consent_letters and now - contact.last < caps.consent_days * DAY:
        again = "mailbot admin forgive ADDRESS"
        raise Forbidden(f"It has been asked {contact.signups} times lately. It can be asked again after: {again}")
    facts = {"comment": words["why"]}
    effects, told = account.changing(player, wanted, Request(now), world, facts, approved=True)
    said = f"The new address of {player.userid} is asked; as soon as it agrees, all letters go there and nowhere else."
    return Ruling(said, f"player {player.id}", [*effects, Post(player.id, told, Kinds.ACCOUNT)])


def _tell_opponents(player: Player, old: str, world: World) -> list[Effect]:
    """Opponents must know who writes to them, but only the player is told the reason."""
    games = world.games_of(player.id, (States.OFFERED, States.RUNNING))
    met = {game.player(3 - game.number_of(player.id)): game.id for game in reversed(games)}
    said = "{0} has another name now: {1}. Your games with {1} go on as they are."
    return [
        Post(
            other,
            Letter("notice", f"{old} is now {player.userid}", {"said": said.format(old, player.userid)}),
            Kinds.NOTICE,
        )
        for other in sorted(met)
    ]


def forgive(words: Words, now: int, world: World) -> Ruling:
    """An address that was asked for its consent too often may be asked again. No answer shows the address."""
    addr = parse_addr(words["address"])
    if addr is None:
        raise Unreadable("That is not one mail address.")
    counted = {consent_key(addr), mailbox_key(addr)}
    contacts = [contact for by in counted if (contact := world.contact(by)) and contact.signups]
    if not contacts:
        raise Forbidden("That address has not been asked for its consent lately.")
    said = f"That address had been asked {sum(one.signups for one in contacts)} times; the count begins anew."
    return Ruling(said, "an address", [Put(Contact(one.addr, 0)) for one in contacts])


def _player(userid: str, world: World) -> Player:
    player = world.player_named(userid)
    if player is None or player.state == "gone":
        raise Unreadable(f"There is no player '{clean(userid)[:20]}'.")
    return player


def _note(player: Player, done: str, words: Words) -> Post:
    facts = {"you": player.userid, "done": done, "comment": words["why"]}
    return Post(player.id, Letter("admin", "Your account", facts), Kinds.ACCOUNT)


# -- the table --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Doing:
    """One action. `form`: its words; one in brackets may be left out. `reasoned`: whether somebody is told a reason."""

    form: str
    run: Callable[[Words, int, World], Ruling]
    reasoned: bool = True


DOINGS: Mapping[str, Doing] = {
    "end": Doing("board winner", end),
    "annul": Doing("board", annul),
    "back": Doing("board [plies]", back),
    "clock": Doing("board player time", clock),
    "outage": Doing("begin end", outage, reasoned=False),
    "tournament": Doing("act which [who] [what]", tournament, reasoned=False),
    "lock": Doing("userid", lock),
    "unlock": Doing("userid", unlock),
    "rename": Doing("old new", rename),
    "address": Doing("userid address", address),
    "forgive": Doing("address", forgive, reasoned=False),
}


def rule(name: str, words: Words, now: int, world: World) -> Ruling:
    """Carries out the action with this name, which must be in the table. Raises Unreadable or Forbidden."""
    doing = DOINGS[name]
    why = clean(words.get("why", "")).strip()
    if missing := [slot for slot in doing.form.split() if slot[0] != "[" and not words.get(slot)]:
        form, lacks = (said.replace("userid", "name") for said in (doing.form, missing[0]))
        raise Unreadable(f"For '{name}' I need: {form}; '{lacks}' is missing.")
    if doing.reasoned and not why:
        raise Unreadable(f"Give a reason for '{name}': the players are told.")
    if len(why) > LONGEST:
        raise Unreadable(f"The reason is too long: {LONGEST} characters at most.")
    ruling = doing.run({**words, "why": why}, now, world)
    return ruling._replace(effects=ended.followed(ruling.effects, world))
