"""The help pages: complete, rendered as players get them, and true where the engine or the parser can check them."""

import math
import re
from functools import cache
from pathlib import Path

import pytest

from engine.hex import variants
from engine.hex.notation import write_move
from engine.hex.position import apply, legal_moves, replay
from engine.hex.rules import options
from mailbot.core import pages
from mailbot.core.commands import ROWS
from mailbot.core.games import clocks
from mailbot.core.language import topics as table
from mailbot.core.language.script import read
from mailbot.core.language.topics import topics
from mailbot.core.mail.addresses import Own
from mailbot.shell.post.letterbox import Letterbox, templates
from tests import naive

TOPICS = topics(ROWS)
NAMED = [row for row in ROWS if not row.takes_over]


@cache
def page(topic: str) -> str:
    box = Letterbox(Own("games.example.net"), None, {1: b"k" * 32})  # type: ignore[arg-type]  # no page asks the store
    return box.text("help", {"topic": topic, "asked": "", "other": False}, has_token=False)


def test_pages_and_topics_are_the_same() -> None:
    files = {path.stem for path in (templates() / "help").glob("*.txt") if not path.name.startswith("_")}
    assert files == {topic.replace(" ", "_") for topic in set(TOPICS.values())}


@pytest.mark.parametrize(
    ("said", "meant", "certain"),
    [
        ("blind", "words", True),
        ("digest", "letters", True),
        ("ratings", "ratings", True),
        ("holiday", "vacation", True),
        ("options", "options", True),
        ("options for lambo", "options", True),
        ("my lost password", "forgot", True),
        ("lost password", "forgot", True),
        ("stop", "unsubscribe", True),
        ("strategy lambo", "strategy lambo", True),
        ("strategy palago", "strategy lambo", True),
        ("tips", "strategy", True),
        ("cold fronts", "wedges", True),
        ("uct2", "computer", True),
        ("mamba", "mambo", True),
        ("change password", "change password", True),
        ("tutorail", "tutorial", False),
        ("xylophone", "topics", False),
    ],
)
def test_other_words_for_a_page(said: str, meant: str, certain: bool) -> None:
    assert table.found(said, TOPICS) == (meant, certain)


def test_every_word_for_a_page_has_one() -> None:
    """No word stands for two pages, and no other word hides a page of that name."""
    words = [word for words in table._ALSO.values() for word in words.split()]
    assert len(words) == len(set(words))
    assert not {word for word in words if word in {*table.PAGES, *(row.name for row in NAMED)}}


def test_an_unknown_topic_gets_a_short_index() -> None:
    assert len(page("topics").strip("\n").split("\n")) <= 40
    assert len(page("commands")) > 3 * len(page("topics"))


@pytest.mark.parametrize("topic", sorted(set(TOPICS.values())))
def test_page_fits_and_is_rendered(topic: str) -> None:
    lines = page(topic).split("\n")
    assert [line for line in lines if len(line) > 78 or line != line.rstrip()] == []
    assert re.findall(r"[{}]|None|Undefined|<function", page(topic)) == []
    assert len("".join(lines)) > 300


def test_help_fits_a_screen_and_answers_in_six_lines() -> None:
    lines = page("help").strip("\n").split("\n")
    assert len(lines) <= 24
    at = lines.index("How do I play?")
    assert [line.strip()[:2] for line in lines[at + 1 : at + 8]] == ["1.", "2.", "3.", "4.", "5.", "6.", ""]


def test_the_worked_example_of_the_ratings() -> None:
    """Each of the two formulas of Glicko-2, without the volatility, which hardly moves in one game."""
    phi = 60 / 173.7178
    g = 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)
    expected = 1 / (1 + math.exp(-g * (1612 - 1598) / 173.7178))
    after = 1 / (1 / (phi**2 + 0.06**2) + g**2 * expected * (1 - expected))
    won, lost = (173.7178 * after * g * (score - expected) for score in (1, 0))
    told = " ".join(page("ratings").split())
    assert f"anna should win {100 * expected:.0f} games of 100" in told
    assert f"anna 1612 -> {1612 + won:.0f} ({won:+.0f}), ben 1598 -> {1598 - won:.0f} ({-won:+.0f})" in told
    assert f"anna 1612 -> {1612 + lost:.0f} ({lost:+.0f}), ben 1598 -> {1598 - lost:.0f} ({-lost:+.0f})" in told


@pytest.mark.parametrize("row", NAMED, ids=lambda row: row.name)
def test_every_command_has_its_usage_and_summary(row: pages.Row) -> None:
    own = page(row.name).split("\n")
    table = page("commands").split("\n")
    for usage in row.usage:
        assert f"  {usage}" in table
        assert any(usage in line for line in own)
    assert f"      {row.summary}" in table
    assert all(f"'{alias}'" in page(row.name) for alias in row.aliases)


@pytest.mark.parametrize("game", variants.CATALOGUE.games, ids=lambda game: game.name)
def test_every_game_variant_and_option_is_explained(game: variants.Game) -> None:
    for topic in ("rules", game.name):
        words = page(topic).split()
        told = " ".join(words)
        assert game.description in told
        for option in options(game.name):
            assert option.spelling in words
            assert option.help in told
        for variant in variants.CATALOGUE.named(game.name):
            assert f"-{variant.name}" in words
            assert variant.description in told
            assert f"(stands for {variant.options})" in told


@pytest.mark.parametrize(
    ("game", "line"),
    [
        ("lambo", "  -size=n            the number of tiles in the pool, 4 to 200; 48 unless said"),
        ("lambo", "* -no_contain        a closed group need not contain anything; the default"),
        ("lambo", "  -anywhere          the second tile of a turn goes next to any tile"),
        ("mambo", "* -kill              you win when an enemy group is dead"),
        ("mambo", "  -no_kill           dead groups decide nothing"),
    ],
)
def test_defaults_are_marked(game: str, line: str) -> None:
    assert line in pages.option_lines(variants.GAMES[game])


def test_a_variant_of_the_operator_appears_by_itself() -> None:
    row = variants.Variant("tiny", "mambo", "-mamba -size=20", "a Mamba for the tea break")
    more = variants.with_variants([row])
    assert "  -tiny              a Mamba for the tea break (stands for -mamba -size=20)" in pages.table(more)[
        "variants_of"
    ]("mambo")


# Examples: what looks like a command is read as one, what looks like a move could be played.

_STARTS = {word.split()[0] for row in NAMED for word in (row.name, *row.aliases)} | set(variants.CATALOGUE.words())


def examples(topic: str) -> list[str]:
    """Indented or quoted lines, and ends of lines behind `send:` and the like, that begin with a command word; without
    the remarks behind them."""
    usages = {usage for row in NAMED for usage in row.usage}
    found = []
    for line in page(topic).split("\n"):
        bare = re.split(r" {2,}", re.sub(r"^  +(> )?(Subject: )?|^.*? Subject: ", "", line))[0]
        shown = line.startswith("  ") and line[2:] not in usages and not line.startswith("      ")
        if inline := re.match(r"\S.*\b(?:send|Subject|To [^:]+): (\S.*)", line):
            bare, shown = inline[1], True
        if bare != line and shown and bare.split() and bare.split()[0] in _STARTS:
            found.append(bare)
    return found


EXAMPLES = sorted({(topic, line) for topic in set(TOPICS.values()) if topic != "commands" for line in examples(topic)})


def test_examples_are_found() -> None:
    """At least one on every page of a command, or the next test checks nothing."""
    assert {row.name for row in NAMED} - {"help", "move"} <= {topic for topic, _ in EXAMPLES}
    assert ("move", "lambo move 12 anna PASSWORD a14,b4") in EXAMPLES
    assert len(EXAMPLES) > 40


def typed(line: str) -> str:
    """The line with passwords in the place of the words that stand for them."""
    return re.sub(r"\bNEWPASSWORD\b", "sesame-open-2", re.sub(r"\bPASSWORD\b", "sesame-open-1", line))


@pytest.mark.parametrize(("topic", "line"), EXAMPLES)
def test_examples_are_commands(topic: str, line: str) -> None:
    (command,) = read(typed(line), "", "", ROWS, variants.CATALOGUE.words()).commands
    assert command.trouble == ""
    if command.name == "challenge" and "n" not in command.args:
        options, _ = clocks.chosen(command.args["options"], "none")
        variants.parse(" ".join([command.game, *options]))


@cache
def playable() -> frozenset[str]:
    """Every move that can be played, and every turn's automatic tiles, somewhere in the games the pages show."""
    found: set[str] = set()
    for rules, moves in pages.SHOWN.values():
        for ply in range(len(moves)):
            position = replay(variants.parse(rules), moves[:ply])
            found |= {write_move(move) for move in legal_moves(position)}
            found.add(write_move(apply(position, moves[ply]).turns[-1].auto))
    return frozenset(found)


@pytest.mark.parametrize("topic", sorted(set(TOPICS.values())))
def test_moves_on_the_page_are_legal(topic: str) -> None:
    told = pages.told("first", 3) if topic == "words" else ""  # which names tiles that lie there
    moves = set(re.findall(r"(?<![\w,-])[a-f]\d+(?:,[a-f]\d+)*(?!\w)", page(topic).replace(told, "")))
    assert moves - playable() == set()
    assert moves or topic not in ("tutorial", "move", "preview", "lambo", "mambo")


def test_tutorial_speaks_of_the_threats_there_are() -> None:
    """After ply 4 there are two pairs of cells where Dark wins, and ben's two tiles leave one of them."""
    rules, moves = pages.SHOWN["first"]
    elsewhere = replay(variants.parse(rules), [*moves[:4], "b10,b24"])
    wins = {
        frozenset(cell for _, cell in move)
        for move in legal_moves(elsewhere)
        if (end := apply(elsewhere, move).outcome) and end.winner == 2
    }
    assert wins == {frozenset({1, 2}), frozenset({15, 30})}
    assert "cells 1 and 2, the other at cells 15 and 30" in page("tutorial")
    assert '[Result "0-1"]' in page("tutorial")


def test_figures_show_what_the_page_says() -> None:
    """Judged by the naive reader of pictures."""
    seen = {
        name: naive.look("lambo" if name == "hole" else "mambo", [(word[0], int(word[1:])) for word in tiles.split()])
        for name, tiles in pages.FIGURES.items()
    }
    for name, nulls in (("dead by tiles", 0), ("dead by a null point", 1)):
        dead = [group for group in seen[name].groups if seen[name].dead(group)]
        assert 2 in {group.colour for group in dead}
        assert len(seen[name].nulls) == nulls
    for name, worth in (("empty loop", [1]), ("loop", [4])):
        assert [seen[name].loops(group) for group in seen[name].groups if group.size > 1] == [worth]
    hole = naive.middle(2)
    assert hole not in seen["hole"].filled
    assert set(naive.neighbours(hole)) == set(seen["hole"].filled)


def test_shown_games_end_as_told() -> None:
    small = pages.news("small", 4, 2)
    assert (small["state"], small["winner"], small["reason"]) == ("over", 2, "Dark closed a group of 1 bridge")
    assert pages.news("mambo", 8, 1)["auto"] and pages.news("mambo", 8, 1)["winner"] == 2
    assert all(pages.news("first", ply, 1)["state"] == "running" for ply in range(6))


@pytest.mark.parametrize("path", sorted((templates() / "help").glob("*.txt")), ids=lambda path: path.stem)
def test_no_line_of_a_help_page_is_too_long(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 78 and "{" not in line] == []
