"""The functions for help pages: tables of the rows that the parsers read, drawings, and example games.

Pages hold prose only. Whatever could become untrue when a row changes (usages, options, variants, boards, letters,
moves) is computed here when the page is rendered. A page with an illegal move does not render.
"""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from engine import figures
from engine.catalogue import Catalogue
from engine.families import CATALOGUE, family_of
from engine.family import Game
from mailbot.core.commands import ROWS
from mailbot.core.games.clocks import PRESETS
from mailbot.core.hosting import drafts
from mailbot.core.language.grammar import Row
from mailbot.core.language.script import MAX_COMMANDS
from mailbot.core.letters import pieces
from mailbot.core.letters.context import told_in_words
from mailbot.core.letters.lessons import LESSONS
from mailbot.core.letters.pictures import Wanted
from mailbot.core.model import States
from mailbot.core.players.preferences import PREFERENCES
from mailbot.core.ratings import ended, fold, terms
from mailbot.core.tournaments import FORMATS

WIDTH = 78

_UNBROKEN = "\u00a0"
"""A blank at which `wrap` does not break a line."""

SHOWN: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "first": ("lambo", ("b6", "a3,a12", "c16,a5", "a14,b4", "c15,b30", "c1,a2")),
    "small": ("lambo", ("c1", "a2,a3", "b8,c20", "b4")),
    "mambo": ("mambo", ("f0", "f2", "d1", "d5", "e9", "d10", "c3", "f12")),
    **LESSONS,
}
"""The example games of the pages: rules and moves. first: after ply 4 Dark has two threats. small: the smallest
possible win. mambo: the last move lays an automatic tile and kills."""

FIGURES: Mapping[str, str] = {
    "dead by tiles": "c1 d0 b4 e2 f3 a10",
    "dead by a null point": "c1 d0 b4 f3 f9 a10",
    "empty loop": "a0 b2 c3",
    "loop": "b0 c1 a2 c3 a6 b8",
    "hole": "a0 c1 b3 b8 a9 a10",
}
"""Mambo tiles: two dead X groups (docs/rules.md 3); O's loops, one empty and one round an X corner. Lambo: a hole."""

PLAYERS = ("ben", "anna")
BOARD = 12
STARTED, CHANGED = 1_772_409_600, 1_772_841_600

FAMILIES = {
    "play": "Playing",
    "later": "Moves for later",
    "offers": "Challenges",
    "reading": "Looking",
    "lists": "Looking",
    "rankings": "Looking",
    "records": "Looking",
    "seeks": "Open offers",
    "analyse": "Looking",
    "hint": "Playing",
    "puzzle": "Playing",
    "talk": "Talking",
    "timekeeping": "Time",
    "settings": "Being a player",
    "account": "Being a player",
    "leaving": "Being a player",
}

NEEDS = {
    "anyone": "Anyone may send it.",
    "known": "It needs no password when it comes from an address of yours.",
    "proof": "It needs your password.",
    "answer": "It needs your password, or is the answer to a letter.",
}


def table(catalogue: Catalogue = CATALOGUE) -> dict[str, Any]:
    """The functions and figures, by the names that templates use."""
    return {
        "families": families,
        "legend_of": lambda row: legend(row, catalogue),
        "board": board,
        "drawn": drawn,
        "abreast": abreast,
        "line": line,
        "figure": figure,
        "letters_of": letters_of,
        "figures": FIGURES,
        "shown": shown,
        "told": told,
        "shown_moves": lambda name: SHOWN[name][1],
        "ending": ending,
        "news": news,
        "options_of": lambda game: option_lines(catalogue.game(game), catalogue),
        "variants_of": lambda game: variant_lines(game, catalogue),
        "words_of": words,
        "most_commands": MAX_COMMANDS,
        "settings_of": lambda: PREFERENCES,
        "games_of": lambda: catalogue.games,
        "game_of": catalogue.game,
        "most_directed": drafts.DIRECTED,
        "most_created": drafts.A_DAY,
        "formats": lambda: [row.name for row in FORMATS],
        "clock_presets": lambda: list(PRESETS.items()),
        "rated": lambda: rated(catalogue),
    }


STRONGER, WEAKER, SURE = 1612, 1598, 60
"""The ratings of the worked example, and their deviation."""


def rated(catalogue: Catalogue = CATALOGUE) -> dict[str, Any]:
    """The numbers of the page on ratings, and its worked example: the ratings of the stronger and the weaker player
    after the stronger one has won, and after the weaker one has."""
    one, other = fold.Rating(STRONGER, SURE), fold.Rating(WEAKER, SURE)

    def after(score: float) -> list[str]:
        pairs = (one, fold.stepped(one, [(other, score, 0)])), (other, fold.stepped(other, [(one, 1 - score, 0)]))
        return [ended.changed(before.rating, before.rd, now.rating, now.rd) for before, now in pairs]

    return {
        "categories": list(terms.categories(catalogue)),
        "surest": round(fold.PROVISIONAL),
        "settled": fold.SETTLED,
        "pair_games": fold.PAIR_GAMES,
        "pair_days": fold.PAIR_DAYS,
        "fewest": fold.FEWEST_PLIES,
        "serial": fold.SERIAL // 3600,
        "excuses": fold.EXCUSES,
        "excuse_days": fold.EXCUSE_DAYS,
        "one": STRONGER,
        "other": WEAKER,
        "sure": SURE,
        "expected": round(100 * fold.expected(one, other)),
        "won": after(1),
        "lost": after(0),
    }


def families(rows: Sequence[Row] = ROWS) -> dict[str, list[Row]]:
    """The commands that a player can name, under the title of their family, in the order of the table."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if not row.takes_over:
            family = row.run.__module__.rpartition(".")[2]
            found.setdefault(FAMILIES.get(family, family.capitalize()), []).append(row)
    return found


def legend(row: Row, catalogue: Catalogue = CATALOGUE) -> list[str]:
    """Sentences on what the marks in this row's usages mean, and who may send the command."""
    slots = {slot for form in row.forms for slot in form.split()}
    told = []
    if row.game:
        told.append(f"'game' is {words(catalogue.names, 'or')}{'' if row.options else ', and may be left out'}.")
    if any(slot[-1] in "*+" for slot in slots):
        told.append("What is in [ ] may be left out; where there are dots, it may come several times.")
    if row.options:
        told.append("Options begin with '-': see help rules.")
    told.append(NEEDS["answer" if row.needs == "proof" and row.tokens else row.needs])
    if row.aliases:
        others = words([f"'{word}'".replace(" ", _UNBROKEN) for word in row.aliases], "or")
        told.append(f"For '{row.name}' you may also write {others}.")
    return [line.replace(_UNBROKEN, " ") for line in wrap(" ".join(told), WIDTH)]


def words(items: Any, last: str = "and") -> str:
    """`a, b and c`."""
    names = [str(item) for item in items]
    return f" {last} ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def hanging(head: str, text: str, indent: int = 20) -> list[str]:
    """A word or two, and their meaning beside them, or below them if they are too long."""
    lines = wrap(text, WIDTH - indent, break_on_hyphens=False)
    if len(head) + 2 > indent:
        return [head, *(f"{'':{indent}}{line}" for line in lines)]
    return [f"{head:{indent}}{lines[0]}", *(f"{'':{indent}}{line}" for line in lines[1:])]


def option_lines(game: Game, catalogue: Catalogue = CATALOGUE) -> list[str]:
    """A game's options with their defaults: a `*` before a word, or a value in brackets after it."""
    lines = []
    for spelling, said, held in family_of(game.name, catalogue).options(game.name):
        mark = "*" if held == "*" else " "
        text = said if held in ("", "*") else f"{said} [{held}]"
        lines += hanging(f"{mark} {spelling}", text, 21)
    return lines


def variant_lines(game: str, catalogue: Catalogue = CATALOGUE) -> list[str]:
    """A game's named variants, and the options that each one stands for."""
    lines = []
    for row in catalogue.named(game):
        stands = f" (stands for {row.options})" if row.options else ""
        lines += hanging(f"  -{row.name}", f"{row.description}{stands}", 21)
    return lines


def board(rules: str, moves: str, mark: bool = False) -> str:
    """The board after these moves, which HTML may show as a picture. Raises what the engine raises when one of them is
    not legal."""
    drawing, played = figures.after(rules, moves.split(), mark), tuple(moves.split())
    told = " ".join(told_in_words(family_of(rules), rules, played, hints=False))
    return pieces.piece(drawing, "drawing", _still(rules, played).key, told, rules, moves)


def _still(rules: str, moves: tuple[str, ...]) -> Wanted:
    return Wanted("still", rules, moves, ("", ""))


def pictures(marked: str) -> tuple[Wanted, ...]:
    """The pictures of the boards in a page, from its text with marks, each once."""
    drawn = [block.values for block in pieces.blocks(marked) if block.kind == "drawing" and block.values]
    return tuple(dict.fromkeys(_still(rules, tuple(moves.split())) for _, _, rules, moves in drawn))


def figure(game: str, tiles: str, labels: str = "") -> str:
    """Tiles on any cells, `a0 b12`, with texts in empty cells, `2=- 7=7`."""
    texts = {int(cell): text for cell, _, text in (word.partition("=") for word in labels.split())}
    return pieces.piece(figures.tiles(game, tiles.split(), texts), "drawing")


def letters_of(game: str) -> str:
    """Every tile of a game, side by side, with its letter below."""
    return pieces.piece(figures.letters(game), "drawing")


def shown(name: str, ply: int) -> str:
    """The move of this ply (from 1) in a game of `SHOWN`."""
    return SHOWN[name][1][ply - 1]


def line(name: str, plies: int) -> str:
    """The first moves of a game of `SHOWN`, in the form that `preview` takes."""
    return " ".join(SHOWN[name][1][:plies])


def drawn(name: str, plies: int) -> str:
    """The board of a game of `SHOWN` after `plies` plies."""
    return board(SHOWN[name][0], line(name, plies), mark=True)


def abreast(left: str, right: str) -> str:
    """The final boards of two games of `SHOWN`, side by side; both have the same number of lines."""
    halves = [figures.after(*SHOWN[name]).split("\n") for name in (left, right)]
    middle = max(map(len, halves[0])) + 4
    return pieces.piece("\n".join(f"{a:{middle}}{b}".rstrip() for a, b in zip(*halves, strict=True)), "drawing")


def told(name: str, ply: int) -> str:
    """A position of a game of `SHOWN` in words, as in a letter."""
    rules, moves = SHOWN[name]
    lines = family_of(rules).describe(rules, moves[:ply], hints=True)
    return "\n".join(
        part for line in lines for part in wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ")
    )


def ending(name: str) -> str:
    """Why a game of `SHOWN` ended, as a clause."""
    rules, moves = SHOWN[name]
    outcome = family_of(rules).replay(rules, moves).outcome
    return outcome.reason if outcome else ""


def news(name: str, ply: int, viewer: int, comment: str = "") -> dict[str, Any]:
    """The facts of the letter that tells player `viewer` of this ply (0: the start) of a game of `SHOWN`."""
    rules, moves = SHOWN[name]
    position = family_of(rules).replay(rules, moves[:ply])
    over = position.outcome
    turn = position.turns[-1] if position.turns else None
    return {
        "board": BOARD,
        "rules": rules,
        "moves": list(moves[:ply]),
        "players": list(PLAYERS),
        "viewer": viewer,
        "state": States.OVER if over else States.RUNNING,
        "to_move": 0 if over else position.to_move,
        "winner": over.winner if over else None,
        "reason": over.reason if over else "",
        "event": "move" if ply else "start",
        "by": 2 - ply % 2 if ply else 1,
        "comment": comment,
        "played": turn.move if turn else "",
        "auto": turn.auto if turn else "",
        "dropped": turn.dropped if turn else "",
        "started": STARTED,
        "changed": CHANGED,
    }
