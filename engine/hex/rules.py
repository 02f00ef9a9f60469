"""The rules of one game as a frozen value, and the table of options that set them (docs/rules.md 2 and 3).

`OPTIONS` is the only list of options: the parser, the writer, the help rows and the ranges all read it.
"""

from dataclasses import dataclass
from typing import NamedTuple

SIZES = (4, 200)
"""Fewest and most tiles of a pool."""


@dataclass(frozen=True, slots=True)
class Rules:
    """All that the engine's decisions depend on. The first fields come with the game, the rest are options.

    `tileset`: a key of `tiles.TILESETS`. `placements`: tiles owed in a full turn. `started`: a first tile `a0` lies on
    the board at the start and the first turn is one tile. `close`: a closed group with at least one bridge wins.
    `loops`, `eat_enemy`: how many win, 0 for a game without. `largest`: what the largest group does for its owner when
    the tiles run out; "draws" makes every such ending a draw.
    """

    game: str
    tileset: str = "lambo"
    placements: int = 2
    started: bool = True
    close: bool = True

    size: int = 48
    anywhere: bool = False
    eat_enemy: int = 0
    eat_size: int = 0
    must_contain: bool = False
    auto: str = "none"
    kill: bool = False
    loops: int = 0
    largest: str = "wins"
    territory: bool = False
    swap: bool = False


class Option(NamedTuple):
    """One word that a player may write after a game's name, `-word` or `-word=value`.

    `games`: where it exists; empty means everywhere. Its value is `value` (a bare word), a number from `low` to `high`
    (`bare`: what the word alone means, if it may stand alone) or one of `choices`. `implies`: a (field, value) that it
    sets if no other option sets that field.
    """

    word: str
    field: str
    games: tuple[str, ...]
    help: str
    value: bool | None = None
    low: int = 0
    high: int = 0
    bare: int | None = None
    choices: tuple[str, ...] = ()
    implies: tuple[str, int] | None = None

    @property
    def spelling(self) -> str:
        """As the help shows it: `-size=n`, `-anywhere`, `-auto=none|limited|full`."""
        if self.choices:
            return f"-{self.word}={'|'.join(self.choices)}"
        return f"-{self.word}" if self.value is not None else f"-{self.word}=n"


_BRIDGE = ("lambo", "palago")
_COLOUR = ("mambo",)

OPTIONS: tuple[Option, ...] = (
    Option(
        "size", "size", (), "the number of tiles in the pool, 4 to 200; 48 unless said", low=SIZES[0], high=SIZES[1]
    ),
    Option("adjacent", "anywhere", _BRIDGE, "the second tile of a turn goes next to the first; the default", False),
    Option("anywhere", "anywhere", _BRIDGE, "the second tile of a turn goes next to any tile", True),
    Option(
        "eat_enemy",
        "eat_enemy",
        _BRIDGE,
        "a group that has eaten n enemy groups or more wins, and closing a group does not; without a number, 2",
        low=1,
        high=200,
        bare=2,
    ),
    Option(
        "eat_size",
        "eat_size",
        _BRIDGE,
        "only enemy groups of n bridges or more count as eaten; alone, it means -eat_enemy=2 as well",
        high=200,
        implies=("eat_enemy", 2),
    ),
    Option(
        "must_contain",
        "must_contain",
        _BRIDGE,
        "a group wins when it is closed and a closed enemy group lies inside it, however small",
        True,
    ),
    Option("no_contain", "must_contain", _BRIDGE, "a closed group need not contain anything; the default", False),
    Option(
        "auto",
        "auto",
        _COLOUR,
        "which cells fill themselves: limited, those with three decided corners of mixed colour; full, also those with "
        "two of one colour",
        choices=("none", "limited", "full"),
    ),
    Option("kill", "kill", _COLOUR, "you win when an enemy group is dead", True),
    Option("no_kill", "kill", _COLOUR, "dead groups decide nothing", False),
    Option("loops", "loops", _COLOUR, "a group with n loops wins; 0, loops decide nothing", high=200),
    Option(
        "largest",
        "largest",
        _COLOUR,
        "when the tiles run out, the owner of the largest group wins, or loses",
        choices=("wins", "loses"),
    ),
    Option(
        "territory",
        "territory",
        _COLOUR,
        "when the tiles run out, territory decides instead of the largest group",
        True,
    ),
    Option("no_territory", "territory", _COLOUR, "when the tiles run out, the largest group decides", False),
    Option("swap", "swap", (), "the second player may answer the first move with `swap` and so change seats", True),
)


def options(game: str) -> tuple[Option, ...]:
    """This game's options, in the order in which they are written."""
    return tuple(row for row in OPTIONS if not row.games or game in row.games)
