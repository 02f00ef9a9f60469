"""A position in words, line by line, for a reader who listens: exactly what a drawing shows."""

from collections.abc import Iterable, Iterator, Mapping
from textwrap import fill

from engine.hex.groups import Group, deciding, groups
from engine.hex.notation import SWAP, Placement, write_move
from engine.hex.position import Position, fits, winning
from engine.hex.variants import GAMES

_MOST_THREATS = 6
"""The most winning turns that are listed one by one for each seat."""


def describe(position: Position, hints: bool = False, found: Mapping[int, str] | None = None) -> list[str]:
    """The whole position as sentences, one a line, not wrapped. The first says whose turn it is, or how the game ended.
    `hints`: also list the turns that would end the game, which takes a while. `found`: the position's `fits`."""
    told = [_state(position), _last(position)]
    if hints and position.outcome is None:
        told += _threats(position)
    own = groups(position)
    letters = {cell: letter for letter, cell in position.tiles}
    for group in deciding(position, own):
        told.append(f"{_seat(position, group.seat)}'s {_size(group)} decided the game: cells {_list(group.cells)}.")
    for seat in (1, 2):
        told += _groups(position, [group for group in own if group.seat == seat], seat, letters)
    told += fitting(position, _ENDLESS, found)
    left = position.left
    told.append(f"{_many(left, 'tile is', 'tiles are')} left in the pool." if left else "The pool is empty.")
    return told


_ENDLESS = 1 << 20


def fitting(position: Position, columns: int = 78, found: Mapping[int, str] | None = None) -> list[str]:
    """A paragraph for each set of letters that fits the same cells, then the null points; nothing after the game.
    `found`: the position's `fits`."""
    if position.outcome:
        return []
    by_letters: dict[str, list[int]] = {}
    for cell, letters in (fits(position) if found is None else found).items():
        by_letters.setdefault(letters, []).append(cell)
    told = []
    for letters, cells in sorted(by_letters.items(), key=lambda row: (-len(row[0]), row[0])):
        who = f"{_list(letters)} {'fits' if len(letters) == 1 else 'fit'}"
        who = who if letters else "Null points, where nothing fits"
        told.append(fill(f"{who}: {', '.join(map(str, cells))}.", columns, subsequent_indent="  "))
    return told


def _state(position: Position) -> str:
    game = GAMES[position.rules.game]
    if position.outcome is None:
        owed = _many(position.owed, "tile", "tiles")
        swap = ", or swap" if position.may_swap else ""
        mover = _seat(position, position.seat_of(position.to_move))
        return f"{game.title}, ply {position.ply + 1}: {mover} is to lay {owed}{swap}."
    winner = position.outcome.winner
    ended = f"{_seat(position, position.seat_of(winner))} wins" if winner else "a draw"
    return f"{game.title}, after {_many(position.ply, 'turn', 'turns')}: {ended}: {position.outcome.reason}."


def _last(position: Position) -> str:
    if not position.turns:
        return "No turn has been played."
    turn = position.turns[-1]
    if turn.move == SWAP:
        return "The last turn was a swap: the players changed seats."
    mover = 3 - position.seat_of(position.to_move)
    auto = f", and {_list(map(_text, turn.auto))} followed" if turn.auto else ""
    return f"The last turn was {_seat(position, mover)}'s: {_list(map(_text, turn.move))}{auto}."


def _groups(position: Position, own: list[Group], seat: int, letters: Mapping[int, str]) -> list[str]:
    """A line for each group with a bridge, and one line for all groups of a single corner."""
    name = _seat(position, seat)
    if not own:
        return [f"{name} has no group."]
    told = []
    for group in own:
        if group.bridges:
            tiles = _list(f"{letters[cell]}{cell}" for cell in group.cells)
            told.append(f"{name} has a {_size(group)} on {tiles}, {_ends(group)}.")
    single = [f"{_list(map(str, group.cells))}, {_ends(group)}" for group in own if not group.bridges]
    if single:
        told.append(f"{name} has {_many(len(single), 'tip', 'tips')} without a bridge: {'; '.join(single)}.")
    return told


def _size(group: Group) -> str:
    return f"group of {_many(group.bridges, 'bridge', 'bridges')}"


def _ends(group: Group) -> str:
    return f"open at {_list(map(str, group.open))}" if group.open else "open nowhere"


def _threats(position: Position) -> Iterator[str]:
    mover = position.seat_of(position.to_move)
    for seat in (mover, 3 - mover):
        wins = winning(position, seat)
        if wins is None:
            yield "There are too many turns to say which of them win."
            return
        some = "; ".join(map(write_move, wins[:_MOST_THREATS]))
        more = f"; and {len(wins) - _MOST_THREATS} more" if len(wins) > _MOST_THREATS else ""
        if wins and seat == mover:
            yield f"{_seat(position, seat)} can win this turn: {some}{more}."
        elif wins:
            yield f"{_seat(position, seat)} could win if the turn were {_seat(position, seat)}'s: {some}{more}."


def _seat(position: Position, seat: int) -> str:
    return GAMES[position.rules.game].seats[seat - 1]


def _text(placement: Placement) -> str:
    return f"{placement.letter}{placement.cell}"


def _many(n: int, one: str, more: str) -> str:
    return f"{n} {one if n == 1 else more}"


def _list(words: Iterable[object]) -> str:
    """`a, b and c`."""
    texts = [str(word) for word in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""
