"""What a mail can do, the page can do: every command has a page or a reason, and docs/parity.md lists them."""

from pathlib import Path

import pytest

from engine.families import CATALOGUE
from mailbot.core.commands import BY_NAME, ROWS
from mailbot.core.language.grammar import Row, fits
from mailbot.shell.web.forms import fields, sheets
from mailbot.shell.web.forms.sheets import Sheet
from tests.shell.web.visitor import House, at_home

TABLE = Path(__file__).parents[3] / "docs" / "parity.md"
HEAD = """\
# By mail and on the page

What a mail can do, the page can do. This table is made from the command rows; `pytest tests/shell/web/test_parity.py
--rewrite` writes it anew.

| command | by mail | on the page |
|---|---|---|
"""


def table() -> str:
    def line(row: Row) -> str:
        usage = "<br>".join(f"`{form}`".replace("|", "\\|") for form in row.usage)
        page = sheets.page_of(row)
        return f"| {row.name} | {usage} | {f'`{page}`' if page else sheets.reason(row)} |\n"

    return HEAD + "".join(map(line, ROWS))


def test_the_table_is_that_of_the_rows(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite"):
        TABLE.write_text(table())
    assert TABLE.read_text() == table()


def test_every_command_has_a_page_or_a_reason(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, stranger = await house.browser().log_in("ann"), house.browser()
        for row in ROWS:
            page, why = sheets.page_of(row), sheets.reason(row)
            assert bool(page) is not bool(why), row.name
            if page:
                shown = await ann.get(page)
                assert shown.status == 200 and "<form" in shown.text, row.name
                asked = (await stranger.get(page)).status
                assert asked == (200 if row.needs == "anyone" else 303), row.name
        listed = (await ann.get("/do")).text
        assert all(f'href="{sheets.page_of(row)}"' in listed for row in ROWS if sheets.page_of(row))
        for word, to in (("Change  Password", "/do/change-password"), ("stop", "/do/unsubscribe"), ("say", "/do/chat")):
            assert (await ann.get(f"/do?command={word.replace(' ', '+')}")).header("location") == to
        assert "no command with this name" in (await ann.get("/do?command=approve")).words

    at_home(tmp_path, story, "ann")


def test_only_what_answers_a_letter_of_its_own_has_no_page() -> None:
    assert {*sheets.BY_LETTER} == {row.name for row in ROWS if row.takes_over}


SHEETS = [sheet for row in ROWS if sheets.page_of(row) for sheet in sheets.sheets(row)]
EXAMPLES = {
    "board": "12",
    "board#": "12#4",
    "move": "a1,c12",
    "ask": "undo",
    "filter": "next",
    "n": "3",
    "time": "3d",
    "plan": "b4 c11",
    "when": "14",
    "title": "Autumn Cup",
    "address": "ann@example.org",
    "new": "new-password-1",
    "part": "table",
    "act": "open",
    "verdict": "1",
    "choice": "yes",
    "drawn": "film",
}


def filled(sheet: Sheet, left_out: frozenset[str] = frozenset()) -> dict[str, str]:
    typed = {"game": "lambo"}
    for field in sheet.fields(CATALOGUE):
        if field.slot and field.slot not in left_out:
            typed[field.name] = EXAMPLES.get(field.slot, "bob")
    return typed


@pytest.mark.parametrize("sheet", SHEETS, ids=[f"{sheet.row.name}: {' '.join(sheet.slots)}" for sheet in SHEETS])
def test_a_filled_in_sheet_is_a_line_of_its_form(sheet: Sheet) -> None:
    """Full, and with everything left out that may be; the words stand in the slots of a form of the row."""
    for left_out in (frozenset[str](), sheet.optional):
        words = sheet.line(filled(sheet, left_out)).replace('"Autumn Cup"', '"Autumn_Cup"').split()
        words = words[words.index(sheet.row.name.split()[0]) + len(sheet.row.name.split()) :]
        words = ["ann" if word == "{me}" else "by-this-page" if word == "{proof}" else word for word in words]
        wanted = [slot for slot in sheet.slots if slot.rstrip("*+") not in left_out]
        short = [slot.rstrip("*+") for slot in wanted if slot.rstrip("*+") != "more"]
        assert len(words) >= len(short), (words, short)
        assert all(fits(slot, word) for slot, word in zip(short, words, strict=False)), (words, short)
        forms = [{slot.rstrip("*+") for slot in form.split()} for form in sheet.row.forms]
        assert any({slot.rstrip("*+") for slot in wanted} <= form for form in forms)


def test_every_form_with_a_password_is_a_case_of_a_sheet() -> None:
    for row in ROWS:
        for form in row.forms if sheets.page_of(row) else ():
            slots = [slot.rstrip("*+") for slot in form.split()]
            if not {"password", "old"} & {*slots} or row.name == "signup":
                continue
            cases = [
                sheet
                for sheet in sheets.sheets(row)
                if (bare := [slot.rstrip("*+") for slot in sheet.slots])
                and [slot for slot in bare if slot in slots] == slots
                and {*bare} - {*slots} <= sheet.optional
            ]
            assert cases, form


def test_the_sheets_of_a_command_are_told_apart() -> None:
    for row in ROWS:
        keys = [sheet.key for sheet in sheets.sheets(row) if row.name != "signup"]
        assert len(keys) == len({*keys}), row.name
    assert {(sheet.row.name, sheet.key) for sheet in SHEETS if sheet.key} == {*sheets.TITLES}


def test_every_option_belongs_to_a_command_that_takes_options() -> None:
    assert all(BY_NAME[name].options for name in fields.OPTIONS)
    assert {row.name for row in ROWS if row.options} == {*fields.OPTIONS}
