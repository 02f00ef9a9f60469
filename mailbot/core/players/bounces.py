"""Letters that come back: what a report says, when an address counts as dead, and how it is revived.

Theory of operation (E1, E2). Only a report that carries the token of one of our letters counts, or what the relay
itself said; so nobody can mute a player with forged ones. A letter counts once. A hard failure says that there is no
such mailbox, a soft one that it did not work this time, or that the mailbox is full. A notice that a letter is late is
no failure: the letter may still arrive. Three hard ones within a week, or soft ones over a whole week without a gap of
one, and the address seems dead.

Others choose what stands in most letters, and could switch off an address with words that its filter refuses. So a
refusal of the letter, for its size or its words, does not count: the letter goes once more without the words of others,
because a move must arrive whatever its player writes under it. As many servers refuse words with the same code as an
unknown mailbox, an address that seems dead gets a probe, a letter of our own words alone. If that comes back, the
address is suspended: no letters go there. Opponents and the operator are told once a day of each player, however often
the address dies and comes back. The first proved command of its player ends that. An answer to a letter, sent from the
address that the letters go to, shows that they arrive, and begins the count anew.
"""

import re
from collections.abc import Iterable, Iterator

from mailbot.core.effects import Drop, Effect, Kinds, Letter, Post, Put, Say, Waiting
from mailbot.core.mail import mime
from mailbot.core.model import DAY, Address, Failing, Game, Player, States, Tally
from mailbot.core.players import limits
from mailbot.core.world import World

HARD, SOFT, TEXT = "hard", "soft", "text"
"""What a failure speaks of: the mailbox, this try, or the letter itself."""
SUSPENDED = "suspended"
"""The tally of how often others have been told of it."""
PROBE = "probe"
"""The letter of our own words alone, and the tally of how often a player got one."""
WEEK = 7 * DAY
MAX_HARD = 3

_CODES = re.compile(r"\b[45]\.\d{1,3}\.\d{1,3}\b")
_REPORTS = ("message/delivery-status", "message/global-delivery-status")
"""RFC 3464, and RFC 6533 for addresses that are not ASCII."""
_FIELD = re.compile(r"^(action|status)[ \t]*:(?:[ \t]|\r?\n[ \t])*([^\s;]+)", re.IGNORECASE | re.MULTILINE)
_STATUS = re.compile(r"([45])\.(\d{1,3})\.\d{1,3}\Z")
_CODE = re.compile(r"\b([45]\d\d)(?: |\Z)(?:([45]\.\d{1,3}\.\d{1,3}))?")
_MAILBOX = ("0", "1", "2", "4")
"""Second numbers of a status that speak of the mailbox or the way there (RFC 3463)."""
_FULL = "5.2.2"
"""The mailbox is full, which passes: its owner may clear it in a minute."""
_OF_LETTER = re.compile(r"[45]\.(?:2\.3|3\.4|[567]\.\d{1,3})\Z")
"""A status about the letter: too long, too big, its form, its words, and who may send what."""
_BARE = {"552": "5.3.4", "554": "5.7.1"}
"""What is meant by a code without a status: too big, and mostly the words."""


def read(content: bytes) -> str | None:
    """What a delivery report (RFC 3464) says about our letter: HARD, SOFT, TEXT, or None if it reports no failure."""
    try:
        parts = list(_leaves(mime.parse(content)))
    except mime.BrokenError:
        return None
    told = [part.body.decode("latin-1") for part in parts if part.media in _REPORTS]
    if not told:
        return None
    found = [(name.lower(), value.lower()) for name, value in _FIELD.findall(told[0][:20_000])]
    actions = {value for name, value in found if name == "action"}
    statuses = [value for name, value in found if name == "status"]
    if "failed" not in actions:
        return None
    if any(_is_hard(status) for status in statuses):
        return HARD
    return TEXT if any(_OF_LETTER.match(status) for status in statuses) else SOFT


def told(content: bytes) -> tuple[str | None, list[str]]:
    """The result of `read`, and at most ten codes (`5.1.1`) from the report."""
    codes = sorted(set(_CODES.findall(content[:100_000].decode("ascii", "replace"))))
    return read(content), codes[:10]


def of_answer(why: str) -> str | None:
    """The same of what a relay answered, `550 5.1.1`: HARD, SOFT, TEXT, or None if it is no code."""
    found = _CODE.match(why)
    if not found:
        return None
    status = found[2] or _BARE.get(found[1], f"{why[0]}.0.0")
    return HARD if _is_hard(status) else TEXT if _OF_LETTER.match(status) else SOFT


def _is_hard(status: str) -> bool:
    found = _STATUS.match(status)
    hard = found and found[1] == "5" and found[2] in _MAILBOX and status != _FULL
    return bool(hard and not _OF_LETTER.match(status))


def _leaves(part: mime.Part) -> Iterator[mime.Part]:
    yield part
    for child in part.children:
        yield from _leaves(child)


def after(row: Failing | None, address: int, kind: str, now: int) -> Failing:
    """The count after another failure. A week without one restarts it."""
    if row is None or now - row.last > WEEK:
        row = Failing(address, now, now, "")
    hards = [at for at in row.hards.split() if now - int(at) < WEEK]
    return Failing(address, row.since, now, " ".join([*hards, *([str(now)] if kind == HARD else [])]))


def seems_dead(row: Failing) -> bool:
    """Whether the failures are enough for a probe, or, if the last one was a probe, to suspend the address."""
    return len(row.hards.split()) >= MAX_HARD or row.last - row.since >= WEEK


def came_back(address: Address, kind: str, now: int, world: World, template: str) -> list[Effect]:
    """A letter of this template to a current address has come back."""
    row = after(world.failing(address.id), address.id, kind, now)
    if not seems_dead(row):
        return [Put(row)]
    if template != PROBE:
        return [Put(row), *_probe(address, now, world)]
    player = world.player(address.player)
    rest = [a for a in world.addresses(address.player) if a.state == "current" and a.id != address.id]
    effects: list[Effect] = [Drop(row), Put(address._replace(state="suspended"))]
    if player and rest:
        said = "Letters to one of your addresses keep coming back. We send no more there until you write."
        effects += [
            Post(player.id, Letter("notice", "Your addresses", {"said": said}), Kinds.ACCOUNT, a.addr) for a in rest
        ]
    if player and (told := limits.one_more(world.tally(player.id, SUSPENDED), player.id, SUSPENDED, 1, DAY, now)):
        effects += [Put(told), *([] if rest else _opponents(player, world))]
    return effects


def _probe(address: Address, now: int, world: World) -> list[Effect]:
    """At most once a day for each player."""
    tally = limits.one_more(world.tally(address.player, PROBE), address.player, PROBE, 1, DAY, now)
    if not tally:
        return []
    return [
        Put(tally),
        Post(address.player, Letter(PROBE, "Do our letters reach you?", {}), Kinds.ACCOUNT, address.addr),
    ]


def is_news(effects: Iterable[Effect]) -> bool:
    """Whether these effects of `came_back` tell somebody else about a dead address: then the operator is told, too."""
    rows = (effect.row for effect in effects if isinstance(effect, Put))
    return any(isinstance(row, Tally) and row.what == SUSPENDED for row in rows)


def _opponents(player: Player, world: World) -> list[Effect]:
    """Whoever plays with somebody who gets no letters is told so, in one letter, whatever the number of boards."""
    others: dict[int, list[Game]] = {}
    for game in world.games_of(player.id, (States.RUNNING,)):
        others.setdefault(game.player(3 - game.number_of(player.id)), []).append(game)
    told: list[Effect] = []
    for other, games in others.items():
        numbers = [game.id for game in games]
        clocks = ", but where there is a clock it runs on" if any(game.flag_at is not None for game in games) else ""
        which = f"board {numbers[0]}" if len(numbers) == 1 else f"boards {', '.join(map(str, numbers))}"
        said = (
            f"Letters to {player.userid} come back, so {player.userid} does not hear of your moves at the moment"
            f" ({which}). The games wait{clocks}. {player.userid} gets them all as soon as a mail comes."
        )
        told.append(Post(other, Letter("notice", f"{player.userid} cannot be reached", {"said": said}), Kinds.NOTICE))
    return told


def answered(player: int, sender: str, world: World) -> list[Effect]:
    """A letter was answered from this address, so its earlier failures no longer count."""
    counted = [
        world.failing(address.id)
        for address in world.addresses(player)
        if address.state == "current" and address.addr.lower() == sender.lower()
    ]
    return [Drop(row) for row in counted if row]


def revived(player: int, world: World) -> list[Effect]:
    """A player has proved to be there: suspended addresses get letters again, first the boards that wait."""
    own = world.addresses(player)
    dead = [address for address in own if address.state == "suspended"]
    if not dead:
        return []
    effects: list[Effect] = [Put(address._replace(state="current")) for address in dead]
    said = (
        "Letters to you had come back, so we sent no more. Now we send letters again, and the boards that wait for you."
    )
    effects.append(Say(Letter("notice", "Letters again", {"said": said})))
    return [*effects, Waiting(player)]
