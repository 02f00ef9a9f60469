"""Attached files: zipfile reads back the archive, and the email package the letter."""

import random
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from mailbot.core.letters.outgoing import Attachment, Message
from mailbot.shell.console import postman
from mailbot.shell.post.attachments import attached
from mailbot.shell.post.compose import Unfit, compose

SITE = "games.example.net"
LETTER = Message(
    to="ann@example.org",
    from_name="Lambo",
    from_addr="mailbot@games.example",
    subject="Your games",
    text="Here they are.\n",
    message_id="<m12.7.ann@games.example>",
    date=1_795_230_000,
    loop="games.example",
)
NOTE = Attachment("note.txt", "text/plain; charset=utf-8", "Grüße\n".encode())


def facts(board: int, **more: Any) -> dict[str, Any]:
    known = {"board": board, "rules": "lambo", "moves": ["c1", "a2,a3"], "players": ["ann", "bob"], "state": "over"}
    return {**known, "winner": 1, "reason": "bob resigned", "started": 0, "changed": 86_400, **more}


def part(template: str, facts: dict[str, Any]) -> dict[str, Any]:
    return {"template": template, "line": "", "facts": facts}


ALL = {"records": [facts(2), facts(1, state="running", winner=None, reason="")], "archive": "records.zip"}
EVERYTHING = ["lambo-1.sgf", "lambo-1.txt", "lambo-2.json", "lambo-2.sgf", "lambo-2.txt"]


@pytest.mark.parametrize(
    ("template", "known", "names"),
    [
        ("show", facts(1), []),
        ("record", facts(1), ["lambo-1.json", "lambo-1.sgf"]),
        ("record", facts(1, state="running"), ["lambo-1.sgf"]),
        ("records", ALL, ["records.zip"]),
        ("several", {"parts": [part("show", facts(1)), part("notice", {"said": "x"})]}, []),
        (
            "several",
            {"parts": [part("record", facts(1)), part("record", facts(2)), part("record", facts(1))]},
            ["lambo-1.json", "lambo-1.sgf", "lambo-2.json", "lambo-2.sgf"],
        ),
    ],
)
def test_what_goes_along(template: str, known: dict[str, Any], names: list[str]) -> None:
    assert [one.name for one in attached(template, known, SITE, {})] == names


def test_the_archive_opens_and_is_always_the_same() -> None:
    (one,) = attached("records", ALL, SITE, {})
    (again,) = attached("records", {**ALL, "records": ALL["records"][::-1]}, SITE, {})
    assert one == again
    with ZipFile(BytesIO(one.content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == EVERYTHING
        assert {(info.date_time, info.external_attr >> 16, info.create_system) for info in archive.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 0o644, 3)
        }
        assert archive.read("lambo-2.txt").decode().endswith("\nlambo: c1 a2,a3\n")


# ---- as a mail

CONTENTS = {
    "nothing": b"",
    "a letter": b"a",
    "a line end": b"\r\n",
    "every octet": bytes(range(256)),
    "noise": random.Random(1).randbytes(5000),
}


def parsed(raw: bytes) -> EmailMessage:
    assert max(map(len, raw.split(b"\r\n"))) <= 78 and raw.isascii() and b"\n" not in raw.replace(b"\r\n", b"")
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


@pytest.mark.parametrize("text", ["Here they are.\n", "Grüße, and a long line: " + "x" * 100 + "\n", "\n", "--\n"])
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_read_back(text: str, content: bytes) -> None:
    files = (Attachment("a.bin", "application/octet-stream", content), NOTE)
    message = parsed(compose(replace(LETTER, text=text, attachments=files)))
    assert message.get_content_type() == "multipart/mixed"
    assert message.defects == [] and message["MIME-Version"] == "1.0"
    first, *rest = message.iter_parts()
    assert first.get_content_type() == "text/plain" and first.get_content().replace("\r\n", "\n") == text
    assert [(one.get_filename(), one.get_content_type(), one.get_payload(decode=True)) for one in rest] == [
        ("a.bin", "application/octet-stream", content),
        ("note.txt", "text/plain", NOTE.content),
    ]
    assert all(one.get_content_disposition() == "attachment" for one in rest)
    assert message["Auto-Submitted"] == "auto-generated"


def test_our_own_mail_program_shows_files() -> None:
    letter = parsed(compose(replace(LETTER, attachments=(NOTE,))))
    assert postman.files(letter) == {"note.txt": NOTE.content}
    assert postman.shown(letter).endswith("\n\nHere they are.\n[attached: note.txt, 8 octets]")
    assert postman.files(parsed(compose(LETTER))) == {}
    assert postman.text(letter) == postman.text(parsed(compose(LETTER)))


def test_the_same_letter_is_the_same_bytes_and_another_has_another_boundary() -> None:
    letter = replace(LETTER, attachments=(NOTE,))
    assert compose(letter) == compose(replace(letter))
    other = parsed(compose(replace(letter, message_id="<other@games.example>")))
    assert other.get_boundary() != parsed(compose(letter)).get_boundary()


def test_a_text_that_knows_the_boundary_cannot_use_it() -> None:
    mark = parsed(compose(replace(LETTER, attachments=(NOTE,)))).get_boundary()
    text = f"Before.\n--{mark}--\nAfter.\n"
    message = parsed(compose(replace(LETTER, text=text, attachments=(NOTE,))))
    assert message.get_boundary() != mark
    assert [one.get_content().replace("\r\n", "\n") for one in message.iter_parts()] == [text, NOTE.content.decode()]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 'a".txt'),
        ("name", "a\r\nBcc: b.txt"),
        ("name", "../a.txt"),
        ("name", ".txt"),
        ("name", ""),
        ("name", "x" * 61),
        ("name", "a.txt\n"),
        ("media_type", "text/plain\r\nBcc: x@example.org"),
        ("media_type", "text"),
        ("media_type", ""),
    ],
)
def test_a_file_that_could_start_a_header_is_refused(field: str, value: str) -> None:
    with pytest.raises(Unfit):
        compose(replace(LETTER, attachments=(replace(NOTE, **{field: value}),)))
