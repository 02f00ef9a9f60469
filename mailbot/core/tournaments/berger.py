"""The Berger tables: who meets whom in which round when everybody meets everybody [FIDE C.05, annex 1].

Players are numbers from 1. In each pair the first one moves first.
"""

Round = list[tuple[int, int]]


def table(players: int) -> list[Round]:
    """The rounds for so many players. If they are odd in number, one of them has no game in each round."""
    even = players + players % 2
    return [[pair for pair in _round(even, number) if max(pair) <= players] for number in range(even - 1)]


def _round(even: int, number: int) -> Round:
    others = even - 1
    turn = number * (even // 2) % others
    top = (turn + 1, even) if number % 2 == 0 else (even, turn + 1)
    return [top, *(((turn + k) % others + 1, (turn - k) % others + 1) for k in range(1, even // 2))]


def double(players: int) -> list[Round]:
    """Everybody meets everybody twice, the second time with sides swapped. The last two rounds of the first cycle
    change places, so that nobody has the same side three times in a row."""
    once = table(players)
    again = [[(second, first) for first, second in pairs] for pairs in once]
    if len(once) > 1:
        once = [*once[:-2], once[-1], once[-2]]
    return once + again
