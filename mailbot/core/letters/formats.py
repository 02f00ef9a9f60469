"""A game as a file, in three forms: tagged text, an Abstract Play game record (JSON), and SGF FF[4].

Each is a function of the game alone, so the same game always becomes the same bytes. None holds a word that the players
said to each other: a record is made to be passed on. docs/records.md tells what stands where.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from engine.catalogue import Catalogue
from engine.families import CATALOGUE, family_of
from engine.family import name_of
from mailbot.core.model import States

LAYOUT = "1"
"""Counts up when the private SGF properties change their meaning; stands in AP."""

NO_GAME = "0"
"""SGF's GM: none of the games that have a number there. Without it a reader would take the file for Go."""

RESULTS: Mapping[int | None, str] = {1: "1-0", 2: "0-1", 0: "1/2-1/2", None: "*"}
SCORES: Mapping[int, tuple[int, int]] = {1: (1, 0), 2: (0, 1), 0: (0, 0)}
"""Of both players by winner: who has more has won; equal is a draw."""
SGF_RESULTS: Mapping[int | None, str] = {1: "W+", 2: "B+", 0: "0", None: "Void"}


@dataclass(frozen=True, slots=True)
class Played:
    """A game that runs or is over. `winner`: 1, 2, 0 (draw), None while it runs or when it counts for nobody.
    `began`, `ended`: unix seconds; `ended` is the last event of a game that still runs. `occasion`: the tournament, and
    the round or 0; nothing for a game of none."""

    board: int
    rules: str
    moves: tuple[str, ...]
    players: tuple[str, str]
    over: bool
    winner: int | None
    reason: str
    began: int
    ended: int
    catalogue: Catalogue = CATALOGUE
    occasion: tuple[str, int] | None = None

    @property
    def event(self) -> list[tuple[str, str]]:
        """The tournament and the round, as far as there are any, under the names that SGF has for them."""
        name, number = self.occasion or ("", 0)
        return [(tag, value) for tag, value in (("EV", name), ("RO", str(number or ""))) if value]

    @property
    def name(self) -> str:
        """What its files are called, without the ending."""
        return f"{name_of(self.rules)}-{self.board}"

    @property
    def title(self) -> str:
        """The game's name for people."""
        return self.catalogue.game(name_of(self.rules)).title

    @property
    def sides(self) -> tuple[str, str]:
        """The seats that player 1 and 2 have taken, the swap counted."""
        family = family_of(self.rules, self.catalogue)
        return family.sides(self.catalogue.game(name_of(self.rules)), self.moves)


def played(facts: Mapping[str, Any], catalogue: Catalogue = CATALOGUE) -> Played:
    """The game of the facts that letters about a board carry."""
    one, two = facts["players"]
    over = facts["state"] == States.OVER
    return Played(
        facts["board"],
        facts["rules"],
        tuple(facts["moves"]),
        (one, two),
        over,
        facts["winner"] if over else None,
        facts["reason"],
        facts["started"],
        facts["changed"],
        catalogue,
        tuple(facts["occasion"]) if "occasion" in facts else None,
    )


def canonical(game: Played) -> str:
    """The game as one line that the engine reads back: the rules, a colon, the moves."""
    return " ".join([f"{game.rules}:", *game.moves])


def tags(game: Played) -> list[tuple[str, str]]:
    """What is known of the game besides its moves."""
    rows = [("Game", game.rules), ("Board", str(game.board))]
    rows += [({"EV": "Event", "RO": "Round"}[tag], value) for tag, value in game.event]
    rows += [
        (f"Player{number}", f"{name} ({side})")
        for number, name, side in zip((1, 2), game.players, game.sides, strict=True)
    ]
    rows.append(("Date", f"{day(game.began)} - {day(game.ended)}" if game.over else day(game.began)))
    rows.append(("Result", RESULTS[game.winner]))
    return [*rows, ("Termination", game.reason)] if game.reason else rows


def text(game: Played, site: str) -> str:
    """The tags, and below them the canonical line, whole."""
    labels = [*tags(game)[:2], ("Site", site), *tags(game)[2:]]
    return "\n".join([*(f'[{name} "{value}"]' for name, value in labels), "", canonical(game), ""])


def abstract_play(game: Played, site: str) -> str | None:
    """The Abstract Play game record 1.0.0 (github.com/AbstractPlay/recranks, gamerecord.json): moves by rounds, in each
    one move a player. That layout has no unfinished games, nor any without a result: for these there is None."""
    if game.winner is None:
        return None
    header = {
        "game": {"name": game.title, "variants": game.rules.split()[1:]},
        "site": {"name": site, "gameid": game.board},
        "date-start": _moment(game.began),
        "date-end": _moment(game.ended),
        "date-generated": _moment(game.ended),  # not now, or each copy of the game would differ
        "players": [
            {"name": name, "userid": name, "result": score}
            for name, score in zip(game.players, SCORES[game.winner], strict=True)
        ],
        "termination": game.reason,
        **({"event": game.occasion[0], "round": str(game.occasion[1] or "")} if game.occasion else {}),
    }
    rounds = [[*game.moves[at : at + 2], None][:2] for at in range(0, len(game.moves), 2)]
    return json.dumps({"header": header, "moves": rounds}, indent=2, ensure_ascii=False) + "\n"


def sgf(game: Played, site: str) -> str:
    """SGF FF[4]. White is player 1, who moved first, whatever the colours on the board and whether or not the players
    swapped. Each node has one private property, MOVE; the players take turns."""
    days = dict.fromkeys((day(game.began), day(game.ended)))
    root = [
        ("FF", "4"),
        ("CA", "UTF-8"),
        ("AP", f"mailbot:{LAYOUT}"),
        ("GM", NO_GAME),
        ("GN", f"{game.title} {game.board}"),
        ("RU", game.rules),
        ("PW", game.players[0]),
        ("PB", game.players[1]),
        ("DT", ",".join(days)),
        ("PC", site),
        *game.event,
        *([("RE", SGF_RESULTS[game.winner])] if game.over else ()),
        *([("GC", game.reason)] if game.reason else ()),
    ]
    head = "".join(f"{name}[{escaped(value)}]" for name, value in root)
    return "\n;".join([f"(;{head}", *(f"MOVE[{escaped(move)}]" for move in game.moves)]) + "\n)\n"


def escaped(value: str) -> str:
    """A value that cannot end its property: SGF escapes with a backslash. Line breaks become blanks."""
    return " ".join(value.replace("\\", "\\\\").replace("]", "\\]").splitlines())


def day(at: int) -> str:
    """A date, ISO 8601, UTC."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Form(NamedTuple):
    """A kind of file. `write` takes the game and the server's name; None: this game has no such file."""

    ending: str
    media_type: str
    write: Callable[[Played, str], str | None]


FORMS = (
    Form("txt", "text/plain; charset=utf-8", text),
    Form("json", "application/json", abstract_play),
    Form("sgf", "application/octet-stream", sgf),
)


BESIDE_TEXT = ("json", "sgf")
"""The forms that go along with a letter which has the text in it."""


def files(game: Played, site: str, endings: tuple[str, ...] = ("txt", "json", "sgf")) -> dict[str, tuple[str, bytes]]:
    """The files of a game by name: the media type and the bytes."""
    written = ((form, form.write(game, site)) for form in FORMS if form.ending in endings)
    return {f"{game.name}.{form.ending}": (form.media_type, content.encode()) for form, content in written if content}
