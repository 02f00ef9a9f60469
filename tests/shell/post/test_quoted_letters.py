"""Answers to our own letters in HTML, as mail programs write them: nothing quoted is read as an answer (C4).

The letters are today's real ones, from a server without sockets. The programs quote them in their own ways (after their
habits, not recorded): with the picture, with its replacement text, or without it. See also tests/core/mail/corpus.
"""

import re
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.core.mail.mailrows import OWN, text_of
from tests.dialogues.play import PNG, Server, serving

WHO, WHEN = f"mailbot <{OWN.address}>", "Wed, Nov 12, 2025 at 10:00 AM"
HOSTILE = "</div></td></tr></table></blockquote>b9,c10\nresign 1\n<blockquote>lambo resign 1 bob sesame-bob-1"


@cache
def letters() -> dict[str, tuple[str, str]]:
    """Letters that can be answered, by name: their text and their HTML."""
    found: dict[str, tuple[str, str]] = {}

    async def play(server: Server) -> None:
        server.paint = lambda wanted: PNG

        async def say(who: str, subject: str, body: str = "", *, answer: str | None = None) -> None:
            sender = f"{who}@example.org"
            letter = next((m for m in reversed(server.letters.get(sender, [])) if m["Reply-To"]), None)
            if answer is None or letter is None:
                await server.accept(server.mail(sender, subject, body))
            else:
                await server.accept(server.reply(sender, letter, answer))
            server.new_letters()

        def keep(name: str, who: str) -> None:
            letter = server.letters[f"{who}@example.org"][-1]
            assert isinstance(letter, EmailMessage)
            assert letter["Reply-To"], name
            text, html = (str(body.get_content()) for kind in ("plain", "html") if (body := letter.get_body((kind,))))
            found[name] = text.replace("\r\n", "\n"), html.replace("\r\n", "\n")

        for who in ("ann", "bob"):
            await say(who, f"signup {who} sesame-{who}-1")
            keep("confirm", who)
            await say(who, "", answer="yes")
        await say("ann", "lambo challenge ann bob sesame-ann-1", HOSTILE)
        keep("offer", "bob")
        await say("bob", "", answer="accept")
        await say("ann", "", answer=f"b6\n\n{HOSTILE}")
        keep("turn", "bob")
        await say("bob", "", answer="a1,a99")
        keep("refused", "bob")
        await say("bob", "set bob sesame-bob-1 letters html")
        await say("bob", "showas bob sesame-bob-1 1")
        keep("without a picture", "bob")
        await say("bob", "set bob sesame-bob-1 board words")
        await say("bob", "showas bob sesame-bob-1 1")
        keep("in words", "bob")
        await say("bob", "forgot bob")
        keep("forgot", "bob")

    with TemporaryDirectory() as folder:
        serving(Path(folder), play)
    return found


def body_of(html: str) -> str:
    """What a program quotes of a page: its body, without the head."""
    return re.sub(r"(?s)^.*?<body([^>]*)>(.*)</body>.*$", r"<div\1>\2</div>", html)


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def as_text(html: str) -> str:
    """HTML as programs turn it into text: a ruled line for an hr, the description for a picture."""
    body = re.sub(r"(?s)<hr[^>]*>", "\n________________________________\n", body_of(html))
    body = re.sub(r'(?s)<img[^>]*alt="([^"]*)"[^>]*>', r"[image: \1]", body)
    return re.sub(r"\n\s*\n+", "\n\n", re.sub(r"(?s)<[^>]+>", "\n", body))


Program = Callable[[str, str, str], tuple[str, str]]
"""From an answer and the letter's text and HTML to the text and HTML of the mail; either may be empty."""


def gmail(answer: str, text: str, html: str) -> tuple[str, str]:
    said = "".join(f"<div>{escape(line)}</div>" for line in answer.split("\n"))
    return (
        f"{answer}\n\nOn {WHEN} {WHO} wrote:\n\n{quoted(as_text(html))}\n",
        f'<div dir="ltr">{said}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" '
        f'class="gmail_attr">On {WHEN} {escape(WHO)} wrote:<br></div><blockquote class="gmail_quote" '
        f'style="margin:0px 0px 0px 0.8ex">{body_of(html)}</blockquote></div>',
    )


def gmail_html_only(answer: str, text: str, html: str) -> tuple[str, str]:
    return "", gmail(answer, text, html)[1]


def outlook(answer: str, text: str, html: str) -> tuple[str, str]:
    head = f"From: {WHO}\nSent: Wednesday, 12 November 2025 10:00\nTo: bob@example.org\nSubject: Lambo 1: ann - bob\n"
    said = "".join(f'<p class="MsoNormal">{escape(line)}<o:p></o:p></p>' for line in answer.split("\n"))
    lines = "<br>".join(f"<b>{escape(line)}</b>" for line in head.strip().split("\n"))
    return (
        f"{answer}\n\n{head}\n{as_text(html)}",
        f'<html><body><div class="WordSection1">{said}<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;'
        f'padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal">{lines}</p></div></div>{body_of(html)}</div></body></html>',
    )


def outlook_html_only(answer: str, text: str, html: str) -> tuple[str, str]:
    return "", outlook(answer, text, html)[1]


def outlook_web(answer: str, text: str, html: str) -> tuple[str, str]:
    said = "".join(f'<div class="elementToProof">{escape(line)}</div>' for line in answer.split("\n"))
    return "", (
        f'<html><body>{said}<div id="appendonsend"></div><hr style="display:inline-block;width:98%"><div '
        f'id="divRplyFwdMsg" dir="ltr"><b>From:</b> {escape(WHO)}<br><b>Sent:</b> Wednesday<br></div>'
        f"<div>{body_of(html)}</div></body></html>"
    )


def apple(answer: str, text: str, html: str) -> tuple[str, str]:
    said = "".join(f"<div>{escape(line)}</div>" for line in answer.split("\n"))
    return (
        f"{answer}\n\n> On 12. Nov 2025, at 10:00, {WHO} wrote:\n> \n{quoted(as_text(html))}\n",
        f'<html><body style="overflow-wrap: break-word;">{said}<div><br><blockquote type="cite"><div>On 12. Nov 2025, '
        f'at 10:00, {escape(WHO)} wrote:</div><br class="Apple-interchange-newline"><div>{body_of(html)}</div>'
        "</blockquote></div><br></body></html>",
    )


def iphone(answer: str, text: str, html: str) -> tuple[str, str]:
    said = "<br>".join(map(escape, answer.split("\n")))
    return "", (
        f'<html><body dir="auto">{said}<br><br><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br><blockquote '
        f'type="cite">On 12. Nov 2025, at 10:00, {escape(WHO)} wrote:<br><br></blockquote></div><blockquote '
        f'type="cite"><div dir="ltr">{body_of(html)}</div></blockquote></body></html>'
    )


def thunderbird_below(answer: str, text: str, html: str) -> tuple[str, str]:
    said = "".join(f"<p>{escape(line)}</p>" for line in answer.split("\n"))
    return (
        f"On 12.11.25 10:00, {WHO} wrote:\n{quoted(as_text(html))}\n\n{answer}\n",
        f'<html><body><div class="moz-cite-prefix">On 12.11.25 10:00, {escape(WHO)} wrote:<br></div><blockquote '
        f'type="cite" cite="mid:1@example.org">{body_of(html)}</blockquote>{said}<div class="moz-signature">-- <br>Bob'
        "</div></body></html>",
    )


def yahoo(answer: str, text: str, html: str) -> tuple[str, str]:
    said = "".join(f'<div dir="ltr">{escape(line)}</div>' for line in answer.split("\n"))
    return "", (
        f'<html><body><div class="ydp1">{said}</div><div id="ydp2yahoo_quoted_3" class="yahoo_quoted"><div>On '
        f"Wednesday, {escape(WHO)} wrote:</div><div>{body_of(html)}</div></div></body></html>"
    )


def phone_in_plain_text(answer: str, text: str, html: str) -> tuple[str, str]:
    return f"{answer}\n\n-------- Original message --------\nFrom: {WHO}\nDate: 12.11.25\n\n{as_text(html)}", ""


def marks_nothing(answer: str, text: str, html: str) -> tuple[str, str]:
    """A program without any sign of a quotation: the ruled line over each of our letters is the only one."""
    said = "".join(f"<div>{escape(line)}</div>" for line in answer.split("\n"))
    return f"{answer}\n\n{as_text(html)}", f"<html><body>{said}{body_of(html)}</body></html>"


def marks_nothing_html_only(answer: str, text: str, html: str) -> tuple[str, str]:
    return "", marks_nothing(answer, text, html)[1]


PROGRAMS: tuple[Program, ...] = (
    gmail,
    gmail_html_only,
    outlook,
    outlook_html_only,
    outlook_web,
    apple,
    iphone,
    thunderbird_below,
    yahoo,
    phone_in_plain_text,
    marks_nothing,
    marks_nothing_html_only,
)
PICTURES: dict[str, Callable[[str], str]] = {
    "along": lambda html: html,
    "described": lambda html: re.sub(r'(?s)<img[^>]*alt="([^"]*)"[^>]*>', r"\1", html),
    "stripped": lambda html: re.sub(r"(?s)<img[^>]*>", "", html),
}
NAMES = ("confirm", "offer", "turn", "refused", "without a picture", "in words", "forgot")
ANSWERS = {"a move": "b4,c11\nNice game!", "nothing": ""}


def mail(text: str, html: str, *, picture: bool) -> bytes:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = "Bob <bob@example.org>", OWN.address, "Re: Lambo 1: ann - bob"
    message["Date"], message["Message-ID"] = "Wed, 12 Nov 2025 10:00:00 +0100", "<1@example.org>"
    if text:
        message.set_content(text)
        if html:
            message.add_alternative(html, subtype="html")
    else:
        message.set_content(html, subtype="html")
    if picture and html:
        part = message.get_body(("html",))
        assert part
        part.add_related(PNG, "image", "png", cid="<1@example.org>")
    return message.as_bytes()


@pytest.mark.parametrize("said", ANSWERS)
@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_c4_nothing_quoted_is_read(program: Program, picture: str, said: str) -> None:
    for name in NAMES:
        text, html = letters()[name]
        written = program(ANSWERS[said], text, PICTURES[picture](html))
        read = text_of(mail(*written, picture=picture == "along"))
        assert [line for line in read.split("\n") if line] == [line for line in ANSWERS[said].split("\n") if line], name


def test_c4_there_is_something_to_quote() -> None:
    """Guards the test above: each letter has what a reader could take for an answer."""
    assert tuple(letters()) == NAMES
    for name, words in {"offer": "accept", "turn": "resign 1", "refused": "a1,a99", "forgot": "password"}.items():
        assert words in letters()[name][1]
    assert 'alt="Lambo, ply 2' in letters()["turn"][1]


def test_players_words_are_escaped() -> None:
    for name in ("offer", "turn"):
        assert "&lt;/blockquote&gt;b9,c10" in letters()[name][1]
        assert "</blockquote>" not in letters()[name][1]
