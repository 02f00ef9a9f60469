"""The HTML of letters: bounded, escaped, every board is a picture; a whole letter with a picture is small."""

from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.hex.notation import write_move
from mailbot.core.effects import Letter as Told
from mailbot.core.letters import pictures
from mailbot.core.letters.outgoing import Message, Shown
from mailbot.core.letters.pictures import Wanted
from mailbot.core.letters.pieces import blocks, piece
from mailbot.core.players import preferences
from mailbot.shell.post.compose import Unfit, compose
from mailbot.shell.post.layout import LARGEST, Layout, arranged, size_of
from mailbot.shell.post.letterbox import environment, templates
from tests.dialogues.play import PNG

LAYOUT = Layout(templates(), "games.example.net")
LETTER = Message(
    to="ann@example.org",
    from_name="mailbot",
    from_addr="mailbot@games.example.net",
    subject="Lambo 1",
    text="Hello\n",
    message_id="<1@games.example.net>",
    date=1_790_000_000,
    loop="games.example.net",
)


def html(text: str, *, answered: bool = True, made: dict[str, bytes | None] | None = None) -> str:
    return LAYOUT.html(text, "Lambo 1", answered=answered, made=made or {})


def test_every_template_that_draws_a_board_has_a_picture_of_it() -> None:
    drawing = {
        path.stem for path in (templates() / "letters").glob("*.txt") if "picture_and_moves()" in path.read_text()
    }
    assert drawing - {"_board"} == pictures.DRAWN


def test_a_letter_too_large_for_its_tables_is_plain_in_html() -> None:
    rows = "\n".join(f"\x05\x06{'cell' * 4}  \x06{'<&>' * 4}" for _ in range(900))
    page = html(rows)
    assert "<pre" in page and "&lt;&amp;&gt;" in page
    assert len(page.encode()) <= LARGEST


def test_a_letter_too_large_for_any_html_has_none() -> None:
    assert html("<&>\n" * 20_000) == ""


def test_everything_is_escaped() -> None:
    page = html("<b>\n\n  | <script>\n\n  <i>&\n\n> <u>\n\n" + piece("<hr>", "board", "", '"alt"', "<p>"))
    for written in ("<b>", "<script>", "<i>", "<u>", "<hr>\n"):
        assert written not in page.partition("reply above")[2]


def test_the_news_are_the_first_words_and_the_marker_only_where_an_answer_is_read() -> None:
    text = piece("ann played b4.", "news")
    for answered in (True, False):
        body = html(text, answered=answered).partition("<body")[2]
        assert body.index("ann played b4.") < body.index("<table")
        assert ("reply above this line" in body) == answered


def test_lists_of_moves_come_last_in_each_part() -> None:
    drawn = piece("  1", "board", "", "", "")
    text = "\n\n".join([piece("m", "moves"), drawn, piece("a fits", "told"), "end", "-" * 72, piece("n", "moves"), "b"])
    assert [block.kind for block in arranged(blocks(text))] == [
        "board",
        "prose",
        "told",
        "moves",
        "rule",
        "prose",
        "moves",
    ]


@pytest.mark.parametrize(("columns", "size"), [(10, "13"), (54, "9.8"), (78, "6.8"), (400, "5")])
def test_drawings_fit_a_narrow_phone(columns: int, size: str) -> None:
    assert size_of(columns) == size


def test_the_parts_of_a_letter() -> None:
    shown = (Shown("key@games.example.net", "board-1.png", "image/png", PNG),)
    message = message_from_bytes(compose(replace(LETTER, html="<p>Hello</p>", shown=shown)), policy=default)
    assert isinstance(message, EmailMessage)
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == ["multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png"]
    picture = list(message.walk())[-1]
    assert picture["Content-ID"] == "<key@games.example.net>"
    assert picture.get_payload(decode=True) == PNG
    assert not message.defects


def test_a_content_id_cannot_end_its_header() -> None:
    with pytest.raises(Unfit, match="Content-ID"):
        compose(replace(LETTER, html="x", shown=(Shown("a\r\nb@c", "b.png", "image/png", PNG),)))


@pytest.mark.parametrize(
    ("wants", "template", "kept"),
    [
        ({"letters": "text"}, "help", {"letters": "text"}),
        ({"board": "none"}, "show", None),
        ({"board": "words", "hints": "off"}, "show", {"board": "words", "hints": "off"}),
        ({"board": "none", "hints": "off"}, "board", {"board": "none", "hints": "off"}),
        ({"echo": "off"}, "board", None),
    ],
)
def test_what_a_letter_heeds(wants: dict[str, str], template: str, kept: dict[str, str] | None) -> None:
    assert preferences.for_reader(Told(template, "S", {"x": 1}), wants).facts.get("wants") == kept


@pytest.mark.skipif(not find_spec("PIL") or not find_spec("resvg_py"), reason="extra `pictures`")
@pytest.mark.parametrize("rules", ["lambo", "mambo"])
def test_a_whole_letter_with_a_picture_is_small(rules: str) -> None:
    from mailbot.shell.post.painter import paint
    from tests.engine.drawn import played  # needs the extra, too

    position = played(rules, 1, 200)
    made = paint(Wanted("still", rules, tuple(write_move(turn.move) for turn in position.turns), ("ann", "bob")))
    assert made and len(made) <= 25_000
    page = html(piece("  1", "board", "key", "alt " * 800, ""), made={"key": made})
    shown = (Shown("key@games.example.net", "board-1.png", "image/png", made),)
    assert len(compose(replace(LETTER, html=page, shown=shown, text="x" * 4000))) < 60_000


def test_a_running_server_keeps_its_templates(tmp_path: Path) -> None:
    """An upgrade changes the files before it restarts the server."""
    for name in ("letters/a.txt", "letters/b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("old")
    env = environment(tmp_path)
    assert env.get_template("letters/a.txt").render() == "old"
    for name in ("letters/a.txt", "letters/b.txt"):
        (tmp_path / name).write_text("{{ new }}")
    assert [env.get_template(f"letters/{name}.txt").render() for name in "ab"] == ["old", "old"]
