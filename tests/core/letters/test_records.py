"""What `record` and `record all` leave out, in a world with more games than fit into a dialogue."""

import pytest

from engine.hex.variants import CATALOGUE
from mailbot.core.commands import records
from mailbot.core.effects import Effect, Letter, Say
from mailbot.core.mail.addresses import Own
from mailbot.core.model import Game, Player
from mailbot.core.world import Asked, Request
from mailbot.shell.post.letterbox import Letterbox

ANN, BOB = 1, 2


class Full:
    """A world in which ann and bob have played boards 1 to `count`, the last one ended last."""

    catalogue = CATALOGUE

    def __init__(self, count: int) -> None:
        self.count = count

    def game(self, number: int) -> Game | None:
        known = 0 < number <= self.count
        reason = "bob resigned"
        return Game(number, "lambo", ANN, BOB, "over", 3, 0, 0, 1, reason, 5, 1000 + number) if known else None

    def games_of(self, player: int, states: tuple[str, ...]) -> list[Game]:
        return [game for number in range(1, self.count + 1) if (game := self.game(number))]

    def texts(self, game: int) -> list[str]:
        return []

    def player(self, player: int) -> Player:
        return Player(player, {ANN: "ann", BOB: "bob"}[player], "active", "", 1, 0, 0)


def letters(effects: list[Effect]) -> list[Letter]:
    return [effect.letter for effect in effects if isinstance(effect, Say)]


@pytest.mark.parametrize(
    ("said", "boards", "left"),
    [
        (["1"], [1], ""),
        (["3", "#3", "3"], [3], ""),
        ([str(n) for n in range(1, 11)], list(range(1, 11)), ""),
        ([str(n) for n in range(1, 13)], list(range(1, 11)), "Left out: 11, 12."),
        ([*"1123456789", "10", "11"], list(range(1, 11)), "Left out: 11."),
    ],
)
def test_record_has_ten_boards(said: list[str], boards: list[int], left: str) -> None:
    asked = Asked("record", args={"board": tuple(said)}, by=ANN, proof="from")
    found = letters(records.record(Request(2000, (asked,)), asked, Full(20)))  # type: ignore[arg-type]
    assert [one.facts["board"] for one in found if one.template == "record"] == boards
    assert "".join(one.facts["said"] for one in found if one.template == "notice").endswith(left)
    assert [one.token for one in found if one.token] == []


@pytest.mark.parametrize(
    ("count", "first", "last", "left", "older"),
    [(1, 1, 1, 0, []), (300, 300, 1, 0, []), (301, 301, 2, 1, [1]), (330, 330, 31, 30, [30, 29])],
)
def test_record_all_has_the_newest(count: int, first: int, last: int, left: int, older: list[int]) -> None:
    asked = Asked("record all", by=ANN, proof="password")
    (letter,) = letters(records.record_all(Request(2000, (asked,)), asked, Full(count)))  # type: ignore[arg-type]
    kept = [game["board"] for game in letter.facts["records"]]
    assert (kept[0], kept[-1], letter.facts["left"], letter.facts["older"]) == (first, last, left, older)
    box = Letterbox(Own("games.example.net"), None, {1: b"k" * 32})  # type: ignore[arg-type]  # asks the store nothing
    text = box.text("records", letter.facts, has_token=False)
    assert ("`games ann finished`" in text) == bool(left)
    assert max(map(len, text.split("\n"))) <= 78
