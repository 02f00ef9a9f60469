"""The games of tiles, their named variants, and rules written as text.

Text is a game's name and options, `mambo -mamba -loops=2`. Options apply from left to right: the name of a variant sets
what its row says, and an option after it may change that. Three contradictions are refused: two different variants;
two options that disagree (`-anywhere -adjacent`, `-size=40 -size=48`); -must_contain together with -eat_enemy or
-eat_size. Saying the same thing twice is harmless.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from engine import family
from engine.catalogue import Catalogue, Variant
from engine.errors import Forbidden, Unreadable, clip
from engine.hex.rules import Option, Rules, options


@dataclass(frozen=True, slots=True)
class Game(family.Game):
    """A game of tiles. `marks`: the characters that the corners of the two seats are drawn with; `rules`: the game when
    no option is given."""

    marks: tuple[str, str]
    rules: Rules

    @property
    def tileset(self) -> str:
        """Key of `tiles.TILESETS`."""
        return self.rules.tileset


_LAMBO = Rules("lambo")
_PALAGO = replace(_LAMBO, game="palago", largest="draws")
_MAMBO = Rules("mambo", tileset="mambo", placements=1, started=False, close=False, auto="limited", kill=True)

GAMES: dict[str, Game] = {
    row.name: row
    for row in (
        Game(
            "lambo",
            "Lambo",
            ("Light", "Dark"),
            "two tiles a turn; close a group of your colour with at least one bridge",
            (" ", "o"),
            _LAMBO,
        ),
        Game(
            "palago",
            "Palago",
            ("Light", "Dark"),
            "Lambo under its later name; when the tiles run out it is a draw",
            (" ", "o"),
            _PALAGO,
        ),
        Game(
            "mambo",
            "Mambo",
            ("O", "X"),
            "one tile a turn, colours must agree; leave an enemy group no room to grow",
            ("o", "x"),
            _MAMBO,
        ),
    )
}

VARIANTS: tuple[Variant, ...] = (
    Variant("mamboa", "mambo", "-loops=2", "as Mambo, and a group with two loops wins too", rated=True),
    Variant(
        "mamba",
        "mambo",
        "-auto=full -no_kill -loops=4 -largest=loses",
        "a group with four loops wins; when the tiles run out the largest group loses",
        rated=True,
    ),
    Variant(
        "mambogo",
        "mambo",
        "-auto=full -no_kill -territory",
        "all tiles are played; the group with the most territory wins",
        rated=True,
    ),
)

CATALOGUE = Catalogue(tuple(GAMES.values()), VARIANTS)

LONGEST_KEPT = 200
"""Rules of texts up to this length, in characters, are cached."""

_NUMBER = re.compile(r"[0-9]+\Z")
_NAME = re.compile(r"[a-z][a-z0-9_]{1,19}\Z")


def parse(text: str, catalogue: Catalogue = CATALOGUE) -> Rules:
    """Rules from a game's name and options; case does not matter.

    Raises Unreadable if a word is unknown or malformed, Forbidden if words contradict each other or a value is out of
    range.
    """
    return _kept(text) if catalogue is CATALOGUE and len(text) < LONGEST_KEPT else _parsed(text, catalogue)


@lru_cache(maxsize=1024)
def _kept(text: str) -> Rules:
    """Cached, because every mail about a board reads its rules again."""
    return _parsed(text, CATALOGUE)


def _parsed(text: str, catalogue: Catalogue) -> Rules:
    words = text.split()
    if not words:
        raise Unreadable(f"name a game: {' or '.join(row.name for row in catalogue.games)}")
    game = _tiled(words[0], catalogue)
    rules = _read(game.rules, words[1:], game, catalogue)
    if rules.must_contain and rules.eat_enemy:
        raise Forbidden("-must_contain and -eat_enemy or -eat_size exclude each other: choose one way of winning")
    return rules


def write(rules: Rules, catalogue: Catalogue = CATALOGUE) -> str:
    """The canonical text: `parse(write(rules)) == rules`.

    It names only the options that differ from the game, or from the variant that leaves the fewest differences.
    """
    game = _tiled(rules.game, catalogue)
    found: list[tuple[int, int, str]] = []
    for order, name in enumerate(["", *(row.name for row in catalogue.named(game.name))]):
        head = f"{game.name} -{name}" if name else game.name
        base = parse(head, catalogue)
        words = [_spelled(row, rules) for row in options(game.name) if _writes(row, rules, base)]
        text = " ".join([head, *words])
        if _reads_as(text, rules, catalogue):
            found.append((len(words), order, text))
    if not found:
        raise ValueError(f"no text says {rules}")
    return min(found)[2]


def with_variants(rows: Iterable[Variant], catalogue: Catalogue = CATALOGUE) -> Catalogue:
    """The catalogue with more variants; a row may build on an earlier one (`-mamba -size=30`).

    Raises Unreadable or Forbidden with a sentence about the first broken row.
    """
    for row in rows:
        name = clip(row.name)
        if not _NAME.match(row.name):
            raise Unreadable(f'"{name}" cannot name a variant: write 2 to 20 of a-z, 0-9 and _, a letter first')
        game = _tiled(row.game, catalogue).name
        if row.name in {old.name for old in catalogue.variants} | {old.name for old in catalogue.games}:
            raise Forbidden(f"there is already a game or variant called {name}: choose another name")
        if row.name in {option.word for option in options(game)}:
            raise Forbidden(f"-{name} is an option of {game}: choose another name for the variant")
        if not row.description.strip() or "\n" in row.description:
            raise Unreadable(f"the variant {name} needs a description of one line")
        parse(f"{game} {row.options}", catalogue)
        catalogue = replace(catalogue, variants=(*catalogue.variants, replace(row, game=game)))
    return catalogue


def _tiled(name: str, catalogue: Catalogue) -> Game:
    """The game of tiles of that name. Raises Unreadable as `Catalogue.game` does, and for a game that is none."""
    game = catalogue.game(name)
    if not isinstance(game, Game):
        raise Unreadable(f"{game.title} is no game of tiles")
    return game


def _read(rules: Rules, words: list[str], game: Game, catalogue: Catalogue) -> Rules:
    """`rules` changed by each word in turn."""
    rows = {row.word: row for row in options(game.name)}
    named = {row.name: row for row in catalogue.named(game.name)}
    said: dict[str, tuple[str, object]] = {}
    variant = ""
    for word in words:
        key, equals, value = word.lower().lstrip("-").partition("=")
        key = key.replace("-", "_")
        if word[0] != "-":
            hint = clip(word) if key in rows or key in named else "size=40"
            raise Unreadable(f'"{clip(word)}" is not an option: options begin with a dash, like -{hint}')
        if key in named:
            if equals:
                raise Unreadable(f"-{key} is the name of a variant and takes no value: write just -{key}")
            if variant not in ("", key):
                raise Forbidden(f"-{variant} and -{key} are different variants: choose one of them")
            variant = key
            rules = _read(rules, named[key].options.split(), game, catalogue)
            continue
        if key not in rows:
            raise Unreadable(_unknown(word, key, game, catalogue))
        row = rows[key]
        setting = _setting(row, value, bool(equals))
        spelled = f"-{key}{equals}{value}"
        before, was = said.setdefault(row.field, (spelled, setting))
        if was != setting:
            raise Forbidden(f"{clip(before)} and {clip(spelled)} contradict each other: choose one of them")
        rules = _set(rules, row, setting)
    return rules


def _set(rules: Rules, row: Option, setting: object) -> Rules:
    changes: dict[str, Any] = {row.field: setting}
    if row.implies and not getattr(rules, row.implies[0]):
        changes[row.implies[0]] = row.implies[1]
    return replace(rules, **changes)


def _setting(row: Option, value: str, given: bool) -> object:
    if row.value is not None:
        if given:
            raise Unreadable(f"-{row.word} takes no value: write just -{row.word}")
        return row.value
    if row.choices:
        if value not in row.choices:
            raise Unreadable(f"-{row.word} needs one of {', '.join(row.choices)}, like -{row.word}={row.choices[-1]}")
        return value
    if not given and row.bare is not None:
        return row.bare
    if not _NUMBER.match(value):
        raise Unreadable(
            f"-{row.word} needs a whole number from {row.low} to {row.high}, like -{row.word}={_like(row)}"
        )
    if len(value.lstrip("0")) > 9 or not row.low <= int(value) <= row.high:
        raise Forbidden(f"-{row.word}={clip(value, 12)} is out of range: it can be {row.low} to {row.high}")
    return int(value)


def _like(row: Option) -> int:
    return min(row.high, max(row.low, 40 if row.high == 200 and row.low > 1 else 2))


def _unknown(word: str, key: str, game: Game, catalogue: Catalogue) -> str:
    owners = [g.title for g in catalogue.games if key in {row.word for row in options(g.name)}]
    owners += [catalogue.game(v.game).title for v in catalogue.variants if v.name == key]
    if owners:
        return f"-{key} belongs to {' and '.join(owners)}; {game.title} has no such option"
    words = [row.word for row in options(game.name)] + [row.name for row in catalogue.named(game.name)]
    near = get_close_matches(key[:40], words, 1)
    hint = f"did you mean -{near[0]}?" if near else f"see `{game.name} help` for its options"
    return f'{game.title} has no option "{clip(word)}"; {hint}'


def _writes(row: Option, rules: Rules, base: Rules) -> bool:
    """Whether this row says how `rules` differs from `base`."""
    value = getattr(rules, row.field)
    return bool(value != getattr(base, row.field) and (row.value is None or row.value == value))


def _spelled(row: Option, rules: Rules) -> str:
    return f"-{row.word}" if row.value is not None else f"-{row.word}={getattr(rules, row.field)}"


def _reads_as(text: str, rules: Rules, catalogue: Catalogue) -> bool:
    try:
        return parse(text, catalogue) == rules
    except (Unreadable, Forbidden):
        return False
