"""What can be played on a server: games, and named variants of them, whatever family they are of."""

from dataclasses import dataclass
from difflib import get_close_matches

from engine.errors import Unreadable, clip
from engine.family import Family, Game


@dataclass(frozen=True, slots=True)
class Variant:
    """A named set of options of one game: `-name` means `options`. `rated`: whether its games are rated."""

    name: str
    game: str
    options: str
    description: str
    rated: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What can be played here: the built-in games and variants, and those the operator added (`with_variants`).
    `families`: those of games that are not built in; a game of theirs stands in `games`, too."""

    games: tuple[Game, ...]
    variants: tuple[Variant, ...]
    families: tuple[Family, ...] = ()

    def game(self, name: str) -> Game:
        """The row with that name; case does not matter. Raises Unreadable with the nearest name."""
        key = name.lower()
        for row in self.games:
            if row.name == key:
                return row
        for variant in self.variants:
            if variant.name == key:
                raise Unreadable(f"{variant.name} is a variant of {variant.game}: write {variant.game} -{variant.name}")
        names = [row.name for row in self.games]
        near = get_close_matches(key[:40], names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names[:-1])} and {names[-1]}"
        raise Unreadable(f'there is no game "{clip(name)}" here; {hint}')

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the games."""
        return tuple(row.name for row in self.games)

    def words(self) -> dict[str, str]:
        """The words that name a game or a variant, and the text they mean: `mamba` is `mambo -mamba`."""
        named = {row.name: f"{row.game} -{row.name}" for row in self.variants}
        return {**named, **{row.name: row.name for row in self.games}}

    def named(self, game: str) -> tuple[Variant, ...]:
        """The variants of one game."""
        return tuple(row for row in self.variants if row.game == game)
