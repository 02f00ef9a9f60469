"""Knock-out: who loses a match is out. The better seeds have the byes, and the best two can meet in the final only.

A match is two games with sides swapped; if they end equal, two more; then one game whose first mover is drawn by lot,
in which a draw counts for the second mover. All matches of a round take each of these steps together. The games of a
step are played one after the other: else a player could copy the opponent's moves from one board to the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from mailbot.core.tournaments.field import DONE, PAIR, WAIT, Decision, Field, Option, Pairing, Result, Row, said
from mailbot.core.tournaments.places import SHARED

OPTIONS = {"third": Option(0, 0, 1)}
STEPS = (2, 4, 5)
"""Games of a match after each step."""


def order(size: int) -> list[int]:
    """The seeds in the order of the bracket; neighbours meet. `size` is a power of two."""
    seeds = [1]
    while len(seeds) < size:
        seeds = [seed for one in seeds for seed in (one, 2 * len(seeds) + 1 - one)]
    return seeds


@dataclass(slots=True)
class Match:
    """`one` is the better seed; None stands for nobody. `step`: the step in play, from 0, and `open` its games that are
    not over. `winner` is None in a match that is decided if both have withdrawn."""

    one: str | None
    two: str | None
    results: list[Result] = field(default_factory=list)
    step: int = 0
    open: tuple[Pairing, ...] = ()
    decided: bool = False
    winner: str | None = None

    def win(self, winner: str | None) -> None:
        """Decides the match."""
        self.decided, self.winner, self.open = True, winner, ()

    @property
    def players(self) -> list[str]:
        """Who is there."""
        return [name for name in (self.one, self.two) if name is not None]

    @property
    def losers(self) -> list[str]:
        """Who is out; both, if both withdrew."""
        return [name for name in self.players if name != self.winner] if self.decided else []


def rounds(field: Field) -> list[list[Match]]:
    """The rounds so far, each with its matches in the order of the bracket; the match for the third place stands behind
    the final. Raises Forbidden for a result that is not of its round."""
    size = 1 << (len(field.names) - 1).bit_length()
    seeds = {name: number for number, name in enumerate(field.names)}
    names: list[str | None] = [field.names[seed - 1] if seed <= len(seeds) else None for seed in order(size)]
    left = list(field.results)
    found: list[list[Match]] = []
    while len(names) > 1:
        pairs = [names[index : index + 2] for index in range(0, len(names), 2)]
        if field.options["third"] and len(pairs) == 1 and found:
            pairs.append([next(iter(match.losers), None) for match in found[-1]])
        number = len(found) + 1
        here = [result for result in left if result.round == number]
        left = [result for result in left if result.round != number]
        matches = [
            Match(one, two)
            for one, two in (sorted(pair, key=lambda name: seeds.get(name or "", len(seeds))) for pair in pairs)
        ]
        _play(field, number, matches, here)
        found.append(matches)
        if not all(match.decided for match in matches):
            break
        names = [match.winner for match in matches[: len(names) // 2]]
    if left:
        raise field.refusal(left[0], f"round {left[0].round} has not begun, or there is no such round")
    return found


def _play(field: Field, number: int, matches: Sequence[Match], here: Sequence[Result]) -> None:
    """Gives the matches of a round their results, and sees what is open and who has won."""
    for result in here:
        both = {result.first, result.second}
        match = next((match for match in matches if {match.one, match.two} == both), None)
        if match is None:
            raise field.refusal(result, f"{said(result.pairing)} is not a game of round {number}")
        match.results.append(result)
    for match in matches:
        _judge(field, number, match)
    playing = [match for match in matches if not match.decided]
    step = min((match.step for match in playing), default=0)
    for match in playing:
        if match.step > step:
            if len(match.results) > STEPS[match.step - 1]:
                early = match.results[-1]
                raise field.refusal(
                    early, f"{said(early.pairing)} cannot have gone on: round {number} waits for others"
                )
            match.open = ()


def _judge(field: Field, number: int, match: Match) -> None:
    one, two, results = match.one, match.two, match.results
    there = [name for name in match.players if field.plays(name, number)]
    if one is None or two is None or len(there) < 2:
        if any(result.second is not None for result in results) or len(results) > 1:
            raise field.refusal(results[-1], f"{said(results[-1].pairing)} is not a game of round {number}")
        match.win(next(iter(there), None))
        return
    swapped = [Pairing(number, one, two), Pairing(number, two, one)]
    lot = swapped[0] if field.lot(number, one, two) else swapped[1]
    whole = [*swapped, *swapped, lot]
    scores = [result.score if result.first == one else 1 - result.score for result in results]
    match.step = next((step for step, games in enumerate(STEPS) if len(results) < games), len(STEPS) - 1)
    while match.step and not _equal(match, scores, STEPS[match.step - 1], lot):
        match.step -= 1
    left = whole[: STEPS[match.step]]
    for result in results:
        if result.pairing not in left:
            raise field.refusal(result, f"{said(result.pairing)} is a game too many in round {number}")
        left.remove(result.pairing)
    match.open = tuple(left)
    if not left:
        drawn = lot.second if sum(scores) * 2 == len(scores) else None
        match.win(drawn or (one if sum(scores) * 2 > len(scores) else two))
    elif not all(gone := [field.withdrawn.get(name) == number for name in (one, two)]) and any(gone):
        match.win(two if gone[0] else one)
    elif any(gone):
        match.win(None)


def _equal(match: Match, scores: Sequence[float], games: int, lot: Pairing) -> bool:
    """Whether the match can have been equal after so many games. Results have no order, so any that fit will do."""
    if len(scores) <= games:
        return len(scores) == games and sum(scores) * 2 == games
    by_first = [
        [score for result, score in zip(match.results, scores, strict=True) if result.first == name]
        for name in (match.one, match.two)
    ]
    if games == STEPS[0]:
        return any(first + second == 1 for first in by_first[0] for second in by_first[1])
    last = by_first[lot.first == match.two]
    return any((sum(scores) - score) * 2 == games for score in last)


def pairings(field: Field) -> Decision:
    """The next step of the round, or the next round."""
    found = rounds(field)
    playing = [match for match in found[-1] if not match.decided]
    if not playing:
        return Decision(DONE)
    over = min(len(match.results) for match in playing)
    if any(len(match.results) > over and len(match.players) == 2 for match in found[-1]):
        return Decision(WAIT)
    fresh = [match.open[0] for match in playing if match.open and len(match.results) == over]
    alone = [match.players[0] for match in found[-1] if len(match.players) == 1 and not over]
    byes = [Pairing(len(found), name, None) for name in alone if field.plays(name, len(found))]
    return Decision(PAIR, (*fresh, *byes))


def table(field: Field) -> list[Row]:
    """Who came further stands higher; who went out in the same round shares a place. Points are matches won, byes
    among them."""
    found = rounds(field)
    last = (len(field.names) - 1).bit_length()
    passed: dict[str, tuple[int, bool, bool]] = {}
    outlook: dict[str, tuple[int, int]] = {}
    for number, matches in enumerate(found, 1):
        bracket = matches[: 1 << (last - number)]
        through = sum(not match.decided or match.winner is not None for match in bracket)
        for match in bracket:
            for name in match.players:
                won = match.winner == name
                passed[name] = (number - (not won), won or not match.decided, False)
                ahead = _worst(last, number + won, len(field.names), bool(field.options["third"]))
                outlook[name] = (through + 1, through + 1) if name in match.losers else (1, ahead)
        if field.options["third"] and number == last - 1:
            outlook |= {name: (3, 4) for match in bracket for name in match.losers}
        for match in matches[len(bracket) :]:
            for name in match.players if match.decided else ():
                passed[name] = (number - 2, False, match.winner == name)
                outlook[name] = (3, 3) if match.winner in (name, None) else (4, 4)
    ordered = sorted(passed, key=lambda name: ([-int(part) for part in passed[name]], name))
    places: dict[tuple[int, bool, bool], int] = {}
    for place, name in enumerate(ordered, 1):
        places.setdefault(passed[name], place)
    rows = []
    for name, following in zip(ordered, [*ordered[1:], None], strict=True):
        parted = None
        if following is not None:
            mine, theirs = passed[name], passed[following]
            parted = SHARED if mine == theirs else "third_place" if mine[:2] == theirs[:2] else "round"
        rounds_won = passed[name][0]
        rows.append(
            Row(places[passed[name]], name, float(rounds_won), {"rounds": float(rounds_won)}, parted, *outlook[name])
        )
    return rows


def _worst(last: int, number: int, entrants: int, third: bool) -> int:
    """The place of a player who loses in this round at the latest."""
    if number > last:
        return 1
    if third and number == last - 1:
        return min(4, entrants)
    return min((1 << (last - number)) + 1, entrants)
