"""The topics of `help`: the pages, and other words that players use for their contents."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from mailbot.core.language.grammar import Row

LESSONS = ("strategy", "strategy lambo", "strategy mambo", "threats", "holes", "wedges", "ladders", "territory")
"""Pages on how to play well."""

PAGES = (
    "help",
    "topics",
    "commands",
    "tutorial",
    "rules",
    "options",
    "letters",
    "computer",
    "words",
    "clocks",
    "directing",
    "ratings",
    *LESSONS,
)
"""Pages that are on no command and on no game."""

_ALSO: Mapping[str, str] = {
    "topics": "topic index contents pages",
    "commands": "command list-of-commands",
    "tutorial": "start begin beginner newbie example first-game getting-started how-to-play",
    "rules": "variants variant games-and-variants",
    "options": "option size swap pie -size -swap",
    "letters": "digest quiet fewer fewer-letters mail mails email emails e-mail notification notifications daily less",
    "computer": "bot bots ai uct uct1 uct2 uct3 uct4 uct5 robot engine level levels",
    "words": "blind accessibility accessible screenreader screen-reader listen ear drawing ascii",
    "strategy": "strategies tactics tactic advice tips play-well how-to-play-well how-to-win",
    "strategy lambo": "lambo-strategy strategy-palago palago-strategy",
    "strategy mambo": "mambo-strategy strategy-mamba strategy-mamboa strategy-mambogo",
    "threats": "threat double-threat two-threats disjoint-threats three-tips triskelion",
    "holes": "hole seki mutual-loss",
    "wedges": "wedge stray-wedge stray-wedges cold-front cold-fronts null-point null-points known-point known-points",
    "territory": "loop loops auto-moves auto-move automatic-tiles",
    "ratings": "elo glicko provisional rated unrated -unrated",
    "standings": "rank ranking rankings score scores result results statistics stats",
    "signoff": "pause",
    "vacation": "vacations holidays away absence",
    "grant": "give-time more-time",
    "clocks": "clock time times timeout -clock -noweekends",
    "tournaments": "competition competitions cup cups championship events",
    "tournament": "places tie-breaks",
    "directing": "director directors create-tournament swiss roundrobin round-robin knockout knock-out groups referee",
    "set": "setting preference preferences hints comments echo limit board-setting timezone time-zone summer-time utc",
    "change password": "password passwords",
    "change address": "address addresses",
    "forgot": "lost forgotten lost-password forgotten-password lock locked",
    "seek": "opponent opponents find-opponent offer offers",
    "propose": "draw draws",
    "undo": "takeback take-back mistake",
    "queue": "conditional conditional-moves if premove",
    "submit": "check",
    "move": "moves notation coordinates cell cells turn",
    "show": "board boards",
    "delete": "leave-for-good privacy erase",
    "resign": "quit give-up surrender",
    "block": "spam abuse ignore",
    "record": "sgf json export download",
    "record tournament": "trf trf16 csv",
}
"""Page, and the words that mean it; a dash also matches a blank."""


def topics(rows: Sequence[Row], catalogue: Catalogue = CATALOGUE) -> dict[str, str]:
    """Every topic, and its page."""
    named = [*PAGES, *(game.name for game in catalogue.games), *(row.name for row in rows if not row.takes_over)]
    also = {said: page for page, words in _ALSO.items() for word in words.split() for said in (word, _blanks(word))}
    aliases = {alias: row.name for row in rows if not row.takes_over for alias in row.aliases}
    of_games = {row.name: row.game for row in catalogue.variants}
    return {**also, **aliases, **of_games, **{name: name for name in named}}


def _blanks(word: str) -> str:
    return word.replace("-", " ").strip()


def found(said: str, known: Mapping[str, str]) -> tuple[str, bool]:
    """The page for these words, and whether it is certain. It is the page of all words together, else of the first word
    that means one, else of a similar word, else the index."""
    words = [said, *said.split()]
    if exact := next((word for word in words if word in known), ""):
        return known[exact], True
    near = get_close_matches(said[:40], known, 1, 0.7)
    return known[near[0]] if near else "topics", False
