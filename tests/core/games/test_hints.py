"""The letter of a hint, and when it is sent."""

from html.parser import HTMLParser

import pytest

from mailbot.core.games import hints
from mailbot.core.letters import pieces
from mailbot.core.mail.addresses import Own
from mailbot.core.model import Game, Hint, Player, States
from mailbot.core.world import World
from mailbot.shell.post.layout import Layout
from mailbot.shell.post.letterbox import Letterbox, templates

GAME = Game(12, "lambo", 1, -3, States.RUNNING, 3, 2, 1, None, "", 0, 0, category="lambo", unrated="as offered")
MOVES = ["b1", "c8,b21"]
HINT = Hint(12, 1, "b1 c8,b21", 5, "b9,c10")


class Board:
    """One board of ann's against uct3, as the world."""

    def __init__(self, game: Game = GAME, moves: list[str] = MOVES) -> None:
        self.one, self.moves = game, moves

    def game(self, game: int) -> Game | None:
        return self.one if game == self.one.id else None

    def texts(self, game: int) -> list[str]:
        return self.moves

    def player(self, player: int) -> Player:
        return Player(player, "ann" if player > 0 else "uct3", "active", "", 1, 1, 0)


def world(game: Game = GAME, moves: list[str] = MOVES) -> World:
    return Board(game, moves)  # type: ignore[return-value]  # as much of it as a hint asks for


def marked(game: Game = GAME, hint: Hint = HINT, *, has_token: bool = True, link: str = "") -> str:
    box = Letterbox(Own("games.example.net"), None, {1: b"k" * 32})  # type: ignore[arg-type]  # asks the store nothing
    letter = hints.letter(game, hint, [hint], world(game))
    return box.marked(letter.template, letter.facts, {}, has_token=has_token, link=link)


class Shown(HTMLParser):
    """The texts of a page, in their order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.feed(page.partition("<body")[2])

    def handle_data(self, data: str) -> None:
        self.texts += [data.strip()] if data.strip() else []


def test_the_html_of_a_hint_shows_the_board_and_how_to_play_it() -> None:
    text = marked(link="https://games.example.net/turn/x")
    page = Layout(templates(), "games.example.net").html(text, "Lambo 12: ann - uct3", answered=True, made={})
    shown = Shown(page).texts
    in_order = [
        "A HINT: the computer proposes b9,c10.",
        "This is a preview; nothing has been played.",
        "To play it, answer this letter with:",
        "b9,c10",
        "By password: move 12 ann PASSWORD b9,c10",
        "You can get 2 more hints in this game.",
        "Open the board",
    ]
    assert [one for one in shown if one in in_order] == in_order
    [drawn] = [one for one in shown if "`--oo" in one]
    assert shown.index(in_order[1]) < shown.index(drawn) < shown.index(in_order[2])
    assert 'href="https://games.example.net/turn/x"' in page
    assert "A HINT: the computer proposes b9,c10." in pieces.news(pieces.blocks(text)), "what a mailbox shows of it"


def test_without_a_reply_address_the_letter_names_the_whole_command() -> None:
    text = pieces.plain(marked(has_token=False))
    assert "To play it, send:\n  move 12 ann PASSWORD b9,c10\n" in text
    assert "answer this letter" not in text


def test_a_hint_that_ends_the_game_is_a_preview_of_the_end() -> None:
    game = GAME._replace(rules="lambo -size=6")
    text = pieces.plain(marked(game))
    assert "nothing has been played" in text and "is over" not in text and "free cell" not in text


@pytest.mark.parametrize(
    ("changed", "moves", "stands"),
    [
        ({}, MOVES, True),
        ({"taken_back": 7}, MOVES, True),  # a question was asked and refused, or the player came back to this position
        ({"asks": "draw", "asks_by": 1}, MOVES, True),
        ({"ply": 4}, [*MOVES, "b9,c10", "a2,a1"], False),
        ({"ply": 2}, ["b1", "c8,b22"], False),
        ({"ply": 1, "to_move": 2}, MOVES[:1], False),
        ({"state": States.OVER, "to_move": 0, "winner": 2}, MOVES, False),
        ({"unrated": ""}, MOVES, False),
        ({"event": 4}, MOVES, False),
        ({"player1": 2}, MOVES, False),
    ],
)
def test_a_hint_stands_while_its_turn_is_still_to_be_played(
    changed: dict[str, object], moves: list[str], stands: bool
) -> None:
    game = GAME._replace(**changed)  # type: ignore[arg-type]
    assert hints.stands(HINT, world(game, moves)) == stands
    assert not hints.stands(HINT._replace(game=99), world(game, moves))
