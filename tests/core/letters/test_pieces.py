"""A letter's text as blocks: what is marked, what the form shows, and that the plain text loses nothing."""

import pytest

from mailbot.core.letters import pieces
from mailbot.core.letters.pieces import CELL, NUMBER, ROW, blocks, piece, plain

KINDS = [
    ("", []),
    ("One line.", ["prose"]),
    ("YOUR FIRST GAME", ["title"]),
    ("YOUR TURN.", ["prose"]),
    ("bob says:\n\n  | Hello\n  |\n  | there", ["prose", "said"]),
    ("By password:\n  move 1 bob PASSWORD b4", ["prose", "code"]),
    ("  > resign 1", ["asked"]),
    ("> show 1\n\nText", ["asked", "prose"]),
    ("a\n\n" + "-" * 72 + "\n\nb", ["prose", "rule", "prose"]),
    ("How:\n  1. Send\n     more\n  2. Wait", ["prose", "items"]),
    ("- one\n  more\n- two", ["items"]),
    ("  letters  picture\n        how they look\n  board    normal", ["terms"]),
    ("  id  player  since\n   1  ann     2026", ["code"]),
    ("  -size=n     the number\n              of tiles\n* -kill       you win", ["terms"]),
    (f"{ROW}{CELL}game  {NUMBER}  ply\n{ROW}{CELL}lambo {NUMBER}    4\n{CELL}-size", ["table"]),
    (piece("Lambo, board 1", "head") + "\ntext", ["head", "prose"]),
]


@pytest.mark.parametrize(("text", "kinds"), KINDS)
def test_kinds(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in blocks(text)] == kinds


def test_tables_have_cells() -> None:
    (table,) = blocks(f"{ROW}{CELL}game  {NUMBER}  ply\n{ROW}{CELL}lambo {NUMBER}    4\n{CELL}-size")
    assert table.rows == ((("game", False), ("ply", True)), (("lambo -size", False), ("4", True)))


def test_terms_have_explanations() -> None:
    (terms,) = blocks("  letters  picture\n        how they look\n* -kill    you win")
    assert terms.rows == (
        (("letters", False), ("picture how they look", False)),
        (("* -kill", False), ("you win", False)),
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ann played b4.\nIt is YOUR TURN.", ["ann played b4.", "It is YOUR TURN."]),
        ("What you write under it goes to ann with the move. Instead of a move\nyou may write", ["one"]),
        ("you may write `resign 1`, `help`, or `help lambo` for the rules, yes.\nBy password:", ["two", "lines"]),
    ],
)
def test_prose_flows_where_it_was_folded(text: str, lines: list[str]) -> None:
    (prose,) = blocks(text)
    assert len(prose.lines) == len(lines)


def test_words_are_unfolded_as_they_were_written() -> None:
    long = "word " * 40
    (said,) = blocks("  | short\n  |\n" + "\n".join(f"  | {line}" for line in _folded(long)))
    assert said.lines == ("short", "", long.strip())


def _folded(text: str) -> list[str]:
    from textwrap import wrap

    return wrap(text, 74)


def test_a_piece_changes_no_text() -> None:
    for text in ("", "\n\n", "\n a\n\nb \n\n", "   x"):
        assert plain(piece(text, "board", "key", "what", "")) == text


def test_a_drawing_keeps_its_indent() -> None:
    (block,) = blocks("    " + piece("/\\\n    \\/", "drawing"))
    assert block.lines == ("    /\\", "    \\/")


def test_a_board_has_its_legend_below() -> None:
    (block,) = blocks(piece("  1\n\n  2\n\nann has o.\nMore of it.", "board", "k", "alt", ""))
    assert block.lines == ("  1", "", "  2")
    assert [one.text for one in block.inside] == ["ann has o. More of it."]
    assert block.values == ("k", "alt", "")


@pytest.mark.parametrize(
    ("text", "news"),
    [
        (
            piece("Lambo 1", "head") + "\n" + piece("ann played b4.\nYour turn.", "news") + "\nmore",
            "ann played b4. Your turn.",
        ),
        ("bob says:\n\n  | Hello `you`", "bob says: Hello you"),
        ("  code only", "code only"),
        ("word " * 60, "word " * 28 + "…"),
    ],
)
def test_what_a_mailbox_shows(text: str, news: str) -> None:
    assert pieces.news(blocks(text)) == news
