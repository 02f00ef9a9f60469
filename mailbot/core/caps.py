"""How many letters a reader gets, by kind, and what the last letter under a cap says.

Theory of operation. Every letter has a kind, and `rules` says how many of that kind one address gets within an hour or
a day. The last letter that a rule lets through says so (`Last`, worded by `told`). A letter beyond the cap gives way:

- An answer is not written. We keep only the number of such answers.
- A letter that another player caused joins the reader's digest of the day (mailbot.core.digest).
- News of a played move, consent to a game, and letters with a password are never capped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mailbot.core.effects import Kind, Kinds, Letter
from mailbot.core.model import DAY
from mailbot.core.zones import UTC, Zone

HOUR = 3600


@dataclass(frozen=True, slots=True)
class Caps:
    """Every cap; config/mailbot.toml explains each under the same name, in [limits].

    Numbers are letters to one address unless the name says otherwise. `source_percent`, `domain_percent`: the share of
    an hour's `stranger_letters_per_hour` that one network, and one domain of addresses, may use. `waiting_bytes`: size
    of the letters that wait for one address. `boards_per_day`: boards that one player offers or takes.
    """

    letters_per_hour: int = 20
    letters_per_day: int = 60
    looks_per_hour: int = 20
    same_letters_per_day: int = 3
    warnings_per_day: int = 1
    forgot_letters_per_hour: int = 1
    forgot_letters_per_day: int = 6
    stranger_letters_per_day: int = 5
    stranger_letters_per_hour: int = 200
    source_percent: int = 15
    domain_percent: int = 40
    consent_letters: int = 3
    consent_days: int = 30
    offers_per_hour: int = 15
    offers_per_day: int = 40
    words_per_hour: int = 20
    words_per_day: int = 60
    broadcasts_per_day: int = 10
    pair_letters_per_hour: int = 30
    pair_letters_per_day: int = 60
    boards_per_day: int = 100
    operator_letters_per_hour: int = 4
    waiting_bytes: int = 1_000_000
    list_lines: int = 50
    proved_list_lines: int = 300


DEFAULTS = Caps()


class Rule(NamedTuple):
    """At most `most` letters of these kinds within `window` seconds. `same`: only letters of one wording count."""

    most: int
    window: int
    kinds: tuple[Kind, ...]
    same: bool = False


UNCAPPED = frozenset({Kinds.GAME, Kinds.EVENT, Kinds.ACCOUNT, Kinds.SIGNUP, Kinds.DIGEST, Kinds.APPEAL})
"""Kinds without a rule here. Sign-ups have a budget at the door and a count for each address (commands/account.py)."""

FROM_OTHERS = frozenset({Kinds.GAME, Kinds.EVENT, Kinds.OFFER, Kinds.MESSAGE, Kinds.BROADCAST})
"""Kinds that another player can cause. They are counted for each pair of players, and beyond their caps they join the
digest. Only a letter with a board that has begun, gone on, gone back or ended is not counted (games/course.py)."""


def pair(reader: int, caps: Caps) -> tuple[tuple[str, int, int], ...]:
    """What counts the letters that one player causes for this reader: name of the tally, how many at most, within how
    many seconds."""
    return (
        (f"letters to {reader}", caps.pair_letters_per_hour, HOUR),
        (f"letters to {reader} in a day", caps.pair_letters_per_day, DAY),
    )


def waiting(kind: Kind, caps: Caps) -> int:
    """How large the letters that wait for an address may be for one more of this kind. Anybody can cause some with a
    forged From, so these leave half of it for the others, such as news of games."""
    return caps.waiting_bytes // 2 if kind in (Kinds.LOOK, Kinds.NEWCOMER, Kinds.SIGNUP) else caps.waiting_bytes


KEPT = frozenset({"approve", "password", "welcome", "confirm", "forgot", "goodbye", "digest", "report"})
"""Templates that go out however many letters wait for the address, because no other letter says what they say."""


def rules(kind: Kind, template: str, caps: Caps) -> Sequence[Rule]:
    """The rules for a letter of this kind."""
    if kind in UNCAPPED:
        return ()
    if template in ("forgot", "login"):
        return (
            Rule(caps.forgot_letters_per_hour, HOUR, (kind,), same=True),
            Rule(caps.forgot_letters_per_day, DAY, (kind,), same=True),
        )
    if template in ("logins", "strange", "unsubscribed"):
        return (Rule(caps.warnings_per_day, DAY, (kind,), same=True),)
    if template in ("mistyped", "misnamed", "outdated", "crowded"):
        return (Rule(caps.same_letters_per_day, DAY, (kind,), same=True),)
    refused = (Rule(caps.same_letters_per_day, DAY, (kind,), same=True),) if template == "refused" else ()
    table: Mapping[Kind, Sequence[Rule]] = {
        Kinds.NEWCOMER: (Rule(caps.stranger_letters_per_day, DAY, (Kinds.NEWCOMER,)),),
        Kinds.OPERATOR: (Rule(caps.operator_letters_per_hour, HOUR, (Kinds.OPERATOR,)),),
        Kinds.LOOK: (
            *refused,
            Rule(caps.looks_per_hour, HOUR, (Kinds.LOOK,)),
            Rule(caps.letters_per_day, DAY, (Kinds.LOOK,)),
        ),
        Kinds.MESSAGE: (
            Rule(caps.words_per_hour, HOUR, (Kinds.MESSAGE,)),
            Rule(caps.words_per_day, DAY, (Kinds.MESSAGE,)),
        ),
        Kinds.NOTICE: (  # apart from answers
            Rule(caps.letters_per_hour, HOUR, (Kinds.NOTICE,)),
            Rule(caps.letters_per_day, DAY, (Kinds.NOTICE,)),
        ),
        Kinds.BROADCAST: (Rule(caps.broadcasts_per_day, DAY, (Kinds.BROADCAST,)),),
        Kinds.OFFER: (Rule(caps.offers_per_hour, HOUR, (Kinds.OFFER,)), Rule(caps.offers_per_day, DAY, (Kinds.OFFER,))),
    }
    # Answers and refusals count apart: whoever has looked at much still hears that a move was wrong.
    answers = (*refused, Rule(caps.letters_per_hour, HOUR, (kind,)), Rule(caps.letters_per_day, DAY, (kind,)))
    return table.get(kind, answers)


class Last(NamedTuple):
    """This letter fills a cap: `most` within `window` seconds. The next one can go at `until` (unix seconds).

    `kind`: of the letter, or "pair" with the userid of `other`.
    """

    kind: str
    most: int
    window: int
    until: int
    same: bool = False
    other: str = ""


def last(kind: str, counted: Sequence[tuple[Rule, int, int]], now: int) -> Last | None:
    """What the letter must say if it fills a cap. `counted`: for each rule the number of letters within its window, not
    yet `most`, and when the oldest of them was written."""
    full = [
        Last(kind, rule.most, rule.window, (oldest if number else now) + rule.window, rule.same)
        for rule, number, oldest in counted
        if number + 1 >= rule.most
    ]
    return max(full, key=lambda one: one.until, default=None)


_DIGEST = "Until then such letters are put into one letter a day."
_SAID: Mapping[str, str] = {
    Kinds.NEWCOMER: "This is the last answer to this address before {until}: {most} {span} are the most for an address"
    " that belongs to no player. You can still sign up: signup NAME PASSWORD",
    Kinds.SIGNUP: "Nobody can have another letter of this kind sent to this address before {until}.",
    Kinds.LOOK: "This is the last answer before {until} to mails without a password: {most} {span} are the most."
    " Commands with your password still work, and so do answers to letters about your games.",
    Kinds.REFUSAL: "This is the last refusal before {until}: {most} {span} are the most. Correct commands are"
    " still done, and letters about your games still come.",
    Kinds.OPERATOR: "This is the last letter of this kind before {until}: {most} {span} are the most."
    " `mailbot doctor` shows how things stand.",
    Kinds.MESSAGE: f"This is the last letter with words of others before {{until}}: {{most}} {{span}} are the most."
    f" {_DIGEST}",
    Kinds.NOTICE: "This is the last notice before {until}: {most} {span} are the most.",
    Kinds.BROADCAST: f"This is the last broadcast before {{until}}: {{most}} {{span}} are the most. {_DIGEST}",
    Kinds.OFFER: f"This is the last letter about a challenge before {{until}}: {{most}} {{span}} are the most."
    f" {_DIGEST}",
    "pair": "{other} has caused {most} letters to you within {span}. The next one comes after {until}; until then"
    " all but moves is put into one letter a day. To get no words and no challenges from {other} any more:"
    " block YOU PASSWORD {other}",
}
_ANSWER = (
    "This is the last answer before {until}: {most} {span} are the most. What you send is still done. You still"
    " hear if it cannot be done, and letters about your games still come."
)
_SAME = "{what} comes {times} {span} at most, so not again before {until}."


def told(kind: str, most: int, window: int, until: int, same: bool, other: str, zone: Zone = UTC) -> str:
    """The note at the end of a letter that fills a cap: that it is the last, until when, and what still works."""
    refused = kind in (Kinds.REFUSAL, Kinds.LOOK)
    return (_SAME if same else _SAID.get(kind, _ANSWER)).format(
        until=moment(until, zone),
        most=most,
        span="an hour" if window == HOUR else "a day",
        other=other,
        times="once" if most == 1 else f"{most} times",
        what="An answer with these words" if refused else "This letter",
    )


def moment(at: int, zone: Zone = UTC) -> str:
    """A time as letters write it: `2026-03-02 14:20 UTC`."""
    return f"{zone.local(at):%Y-%m-%d %H:%M} {zone.label(at)}"


def noted(letter: Letter, note: Last | None) -> Letter:
    """The letter with this note among its facts."""
    if note is None:
        return letter
    return letter._replace(facts={**letter.facts, "last": note._asdict()})
