"""Which family plays a game."""

from engine.catalogue import Catalogue
from engine.family import Family, name_of
from engine.hex.hexgames import HEXES
from engine.hex.variants import CATALOGUE

__all__ = ["CATALOGUE", "family_of"]


def family_of(rules: str, catalogue: Catalogue = CATALOGUE) -> Family:
    """The family of these rules, or of a game's name. A name that nobody knows is for the built-in family to refuse."""
    name = name_of(rules)
    return next((one for one in catalogue.families if name in one.games), HEXES)
