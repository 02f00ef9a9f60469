"""A conversation: what a request changes, and the answer to each of its askers, however the answers travel.

Theory of operation. `converse` yields one step after another. The caller must carry out a `Change` before it takes the
next step, because each command reads the world as the one before it left it. The answers come last, one for each asker.
The caller decides how they travel: a letter answers a mail, and nobody hears the clock.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from mailbot.core.commands import BY_NAME
from mailbot.core.commands.settings import wake
from mailbot.core.due import ring
from mailbot.core.effects import Effect, Kind, Kinds, Letter, Say, Waiting
from mailbot.core.games import flags, vacations
from mailbot.core.handle import handle
from mailbot.core.hosting import standing, steps
from mailbot.core.letters import bulk
from mailbot.core.players import bounces, preferences, seen
from mailbot.core.ratings import ended
from mailbot.core.world import PROVED, Asked, Proof, Proofs, Request, World

MAX_BOARDS = 10
"""Boards drawn in one answer."""

MAX_LONG = 4
"""Commands in a mail that take long (`Row.long`): one may take some ten milliseconds, and meanwhile no other mail is
handled."""

GAME_TEMPLATES = frozenset({"board", "offer", "declined", "approve", "password", "welcome", "submitted"})
"""Answers that only a password or a reply token can cause, and that must arrive: no cap counts them."""


class Unheard(RuntimeError):
    """A bug: the code gives an answer that nobody can hear."""


class Change(NamedTuple):
    """What `player` (0: somebody not registered, or the clock) changes. There is no Say among the effects."""

    player: int
    effects: list[Effect]


class Answer(NamedTuple):
    """The answer to one asker: to `player`, or to the sender of the request if that is 0.

    `kind`: the kind under which a letter is counted. `refused`: how many of the commands were not done.
    """

    player: int
    letter: Letter
    kind: Kind
    refused: int


@dataclass(slots=True)
class _Told:
    """The answer to one asker: letters, each under the line of its command; a command's later letters have an empty
    line. `long`: those of the commands that take long."""

    letters: list[tuple[str, Letter]] = field(default_factory=list)
    long: list[Asked] = field(default_factory=list)


def converse(request: Request, world: World) -> Iterator[Change | Answer]:
    """Handles the commands in order, or a timer's effects. `world` must show each Change once it is made."""
    told: defaultdict[tuple[int, Proof], _Told] = defaultdict(_Told)
    to = (0, Proofs.NOTHING)
    waits: set[int] = set()
    known = {asked.by for asked in request.asked if asked.proof == Proofs.PASSWORD}
    yield from _judged(flags.first(request, world), request, world)
    for number, asked in enumerate(request.asked, 1):
        mine = request if number == len(request.asked) else replace(request, text="")
        to = (asked.by, Proofs.PASSWORD if asked.by in known else asked.proof)
        said: list[Letter] = []
        if left := _too_many(asked, told[to].long):
            told[to].letters.append((asked.line, Letter("notice", "Left out", {"said": left})))
            continue
        if not request.looks and (back := _woken(asked, request, world)):
            yield Change(asked.by, _silent(back, said, waits))
        done = handle(mine, asked, world)
        if late := flags.overtaken(done, request, world):
            yield from _judged(late, request, world)
            done = handle(mine, asked, world)
        effects = _silent(ended.followed(done, world), said, waits)
        # Several answers to one command go under it together.
        told[to].letters += [("" if place else asked.line, letter) for place, letter in enumerate(said)]
        yield from _followed(Change(asked.by, effects), request, world)
    if request.timer:
        said = []
        effects = ring(request.timer, request.now, world, request.found)
        effects = _silent(ended.followed(effects, world), said, waits)
        yield from _followed(Change(0, effects), request, world)
        told[to].letters += [("", letter) for letter in said]
    for player in waits:
        yield Change(player, [Waiting(player)])
    if request.undone and told[to].letters:  # the sender of a lone `forgot` hears nothing
        alone = "Without a password a mail gets one command"
        left = f"{alone}, so '{request.undone}' was not done. Send it in a mail of its own."
        told[to].letters.append(("", Letter("notice", "Left undone", {"said": left})))
    if request.unread:
        told[to].letters.append(("", Letter("notice", "Left unread", {"said": request.unread})))
    for (player, proof), one in told.items():
        if not one.letters:
            continue
        letter = one.letters[0][1] if len(one.letters) == 1 else _together(one.letters)
        kind = _kind(letter, proof) if player else Kinds.NEWCOMER
        likes = world.preferences(player) if player else {}
        if (reader := world.player(player) if player else None) and reader.state == "off":
            likes = {**likes, "quiet": "on"}  # and the letter says so
        if preferences.echoed(letter, likes):
            refused = sum(letter.template == "refused" for _, letter in one.letters)
            yield Answer(player, preferences.for_reader(letter, likes, world.zone(player), request.now), kind, refused)


def _judged(boards: Iterable[int], request: Request, world: World) -> Iterator[Change]:
    """The end of each of these boards whose time has run out, one after the other."""
    for board in boards:
        game = world.game(board)
        if game and (late := flags.due(game, request.now, world, request.at)):
            yield from _followed(Change(0, ended.followed(late, world)), request, world)


def _followed(change: Change, request: Request, world: World) -> Iterator[Change]:
    """The change, and what follows from it in tournaments. A change that ends no game of one costs nothing more.

    Somebody who has lost on time may be withdrawn, which ends games whose time has run out, too. They are judged before
    that, and withdraw others perhaps. In a large tournament in which nobody moves, this ends a thousand games at once.
    """
    yield change
    games = standing.ended(change.effects)
    while games:
        before, follows = len(games), steps.follow(games, request.now, world)
        late = flags.overtaken(follows, request, world)
        for board in late:
            if (game := world.game(board)) and (judged := flags.due(game, request.now, world, request.at)):
                yield Change(0, ended.followed(judged, world))
                games = [*games, *standing.ended(judged)]
        if len(games) == before:
            follows = steps.follow(games, request.now, world) if late else follows  # some have time again
            yield Change(0, ended.followed(follows, world))
            return


def _too_many(asked: Asked, before: list[Asked]) -> str:
    """Why this command is left out, or nothing; then it is counted if it takes long."""
    row = BY_NAME.get(asked.name)
    if row is None or not row.long or asked.trouble:
        return ""
    if asked == next((one for one in reversed(before) if one.name == asked.name), None):
        return "You have asked for this above."
    if len(before) >= MAX_LONG:
        return f"A mail has {MAX_LONG} commands at most that look at many boards. Send this one in a mail of its own."
    before.append(asked)
    return ""


def _silent(effects: list[Effect], said: list[Letter], waits: set[int]) -> list[Effect]:
    """The effects without the answers, which are appended to `said`, and without what goes at the end: the players who
    get the boards that wait for them are added to `waits`."""
    silent: list[Effect] = []
    for effect in effects:
        if isinstance(effect, Say):
            said.append(effect.letter)
        elif isinstance(effect, Waiting):
            waits.add(effect.player)
        else:
            silent.append(effect)
    return silent


def _woken(asked: Asked, request: Request, world: World) -> list[Effect]:
    """A player who had signed off, or could not be reached, and proves to be back gets letters again, from this answer
    on."""
    player = world.player(asked.by) if asked.proof in (Proofs.PASSWORD, Proofs.TOKEN, Proofs.LINK) else None
    if player is None or asked.name in ("signoff", "unsubscribe", "silence"):
        return []
    counted = [*vacations.returned(player.id, world), *seen.noted(player, request.now, world)]
    answered = bounces.answered(player.id, request.sender, world) if asked.proof == Proofs.TOKEN else []
    back = bounces.revived(player.id, world)
    return [*(wake(player, request.now, world) if player.state == "off" else []), *counted, *answered, *back]


def _together(answers: list[tuple[str, Letter]]) -> Letter:
    """Several answers as one letter, each under its command; with a reply token if exactly one is among them."""
    letters = [letter for _, letter in answers]
    boards = drawn = 0
    for number, (_, letter) in enumerate(answers):
        boards += "rules" in letter.facts
        drawn += bulk.estimate(letter.facts)
        if "rules" in letter.facts and (boards > MAX_BOARDS or (drawn > bulk.MAX_LETTER and number)):
            said = (
                f"a letter draws {MAX_BOARDS} boards at most" if boards > MAX_BOARDS else "this letter is long enough"
            )
            told = {"said": f"Not shown: {said}. Ask for this one by itself."}
            letters[number] = Letter("notice", letter.subject, told)
    lines = [line if letter.template != "refused" else "" for line, letter in answers]
    parts = [
        {"template": letter.template, "facts": letter.facts, "line": line}
        for line, letter in zip(lines, letters, strict=True)
    ]
    tokens = {letter.token for letter in letters if letter.token}
    token = tokens.pop() if len(tokens) == 1 else None  # an answer to two boards at once would play on the wrong one
    head = next((letter for letter in letters if token and letter.token == token), letters[0])  # an answer is about it
    return Letter("several", head.subject, {"parts": parts}, token, head.thread)


def _kind(letter: Letter, proof: Proof) -> Kind:
    """The kind under which an answer to a player is counted. `proof`: of the commands that it answers."""
    templates = letter.templates
    if proof not in PROVED:
        return Kinds.LOOK
    if proof != Proofs.LETTER and templates & GAME_TEMPLATES:
        return Kinds.GAME
    return Kinds.REFUSAL if letter.template == "refused" else Kinds.ANSWER
