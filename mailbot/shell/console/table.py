"""The computer player without mail: a game in the terminal, and games of the computer against itself."""

from collections.abc import Callable, Iterator

from engine.catalogue import Catalogue
from engine.errors import EngineError
from engine.hex import ascii as board
from engine.hex import notation, record, variants
from engine.hex.position import Position, apply, fits, replay, start
from engine.hex.rules import Rules
from engine.hex.tiles import TILESETS
from engine.hex.words import fitting
from engine.search import affordable, think
from mailbot.core.letters.analysis import comment
from mailbot.shell.minds.work import until

WIDTH = 78
HELP = "A move is a letter and a number, or two such pairs: b1 or b4,c11. Also: help (the rules), undo, record, quit."


class Table:
    """One game between a person and the computer. `say` prints, `ask` gives the person's next line or None at the end
    of the input; `seed` makes the computer's play repeatable; `help_page` is what `help` prints, the rules."""

    def __init__(
        self,
        rules: Rules,
        level: int,
        person: int,
        *,
        say: Callable[[str], object],
        ask: Callable[[str], str | None],
        seconds: float,
        folder: str | None,
        seed: int,
        help_page: str = "",
    ) -> None:
        affordable(rules)
        self._at = start(rules)
        self._level, self._person, self._seconds, self._seed = level, person, seconds, seed
        self._say, self._ask, self._folder, self._rules = say, ask, folder, help_page

    def play(self) -> None:
        """Plays until the game is over or the person leaves."""
        self._say(f"{variants.GAMES[self._at.rules.game].description}\n{HELP}")
        while self._at.outcome is None:
            if self._at.to_move == self._person:
                self._show()
                line = self._ask(f"Ply {len(self._at.turns) + 1}, your move: ")
                if line is None or line.strip().lower() in ("quit", "exit", "q"):
                    return
                self._carry_out(line.strip())
            else:
                thought = think(
                    self._at.rules, _texts(self._at), self._level, self._seed, until(self._seconds), self._folder
                )
                self._at = apply(self._at, thought.move)
                self._say(f"\nThe computer plays {thought.move}. {comment(thought)}")
        self._draw()
        winner = self._at.outcome.winner
        ending = "A draw" if not winner else "You have won" if winner == self._person else "The computer has won"
        self._say(f"{ending}: {self._at.outcome.reason}.\n{record.write(self._at.rules, self._at.turns)}")

    def _draw(self) -> None:
        """Prints the board and the meaning of its marks."""
        game = variants.GAMES[self._at.rules.game]
        marks = [f"'{mark}'" if mark.strip() else "blank corners" for mark in game.marks]
        person, computer = self._at.seat_of(self._person) - 1, self._at.seat_of(3 - self._person) - 1
        self._say(f"\n{board.draw(self._at, mark=True, newest=board.last_cells(self._at))}\n")
        self._say(f"You have {marks[person]}, the computer has {marks[computer]}.\n{board.legend(self._at)}".rstrip())

    def _show(self) -> None:
        self._draw()
        letters = {tile.letter for tile in TILESETS[self._at.rules.tileset]}
        if not all(set(found) == letters for found in fits(self._at).values()):
            self._say("\n".join(fitting(self._at, WIDTH)))

    def _carry_out(self, line: str) -> None:
        """Carries out the person's line: a move, or one of the few other words."""
        word = line.lower()
        if word == "undo":
            back = 2 if len(self._at.turns) >= 2 else 0
            self._at = replay(self._at.rules, _texts(self._at)[: len(self._at.turns) - back])
        elif word == "record":
            self._say(record.write(self._at.rules, self._at.turns))
        elif word in ("", "?"):
            self._say(HELP)
        elif word == "help":
            self._say(f"{HELP}\n{self._rules}")
        else:
            try:
                self._at = apply(self._at, line)
            except EngineError as error:
                self._say(f"{error}.")


def selfplay(rules: Rules, level: int, games: int, seed: int, seconds: float, folder: str | None) -> Iterator[Position]:
    """Games of a level against itself; yields each final position."""
    affordable(rules)
    for number in range(games):
        at = start(rules)
        while at.outcome is None:
            thought = think(rules, _texts(at), level, seed + number, until(seconds), folder)
            at = apply(at, thought.move)
        yield at


def _texts(at: Position) -> list[str]:
    return [notation.write_move(turn.move) for turn in at.turns]


def named(game: str, catalogue: Catalogue) -> Rules:
    """The rules of `lambo`, `mamba`, or `mambo -size=20`. Raises Unreadable, Forbidden."""
    first, *options = game.split()
    return variants.parse(" ".join([catalogue.words().get(first.lower(), first), *options]), catalogue)
