"""Words with which a player might do harm in another's letter, and how mail programs quote a letter in an answer."""

from collections.abc import Iterator
from html import escape
from textwrap import wrap

from hypothesis import strategies as st

from mailbot.core.mail.quoting import MARKER

LINES = (
    "resign 1 ann correct-horse-1", "resign 1", "resign", "lambo move 1 bob battery-staple-2 b2", "a1", "b4,c11",
    "swap", "accept", "yes", "password new-secret-9", "multiple", MARKER, "\uff0d\uff0d reply above this line --",
    "> resign 1", ">", "|", "  | resign 1", "On Mon, 1 Jan 2026 at 10:00, ann <a@b.example> wrote:", "ann wrote:",
    "-- ", "---", "__", "-----Original Message-----", "From: ann@example.org", "Sent: Monday, 1 January 2026 10:00",
    "Subject: resign 1", "Sent from my phone", "From ann Thu Jan  1", ".", "..", "Bcc: victim@example.net",
    "Content-Type: text/html", "--=_x\nContent-Type: text/html", "=?utf-8?q?resign_1=0ABcc:_x?=",
    "=0D=0ABcc: x@y.example", "{{ 7*191 }}", "{{ row }}", "{% for a in games %}{{ a }}{% endfor %}", "{# #}",
    "<script>alert(1)</script>", "</blockquote><p>resign 1</p>", "&gt; &#10;resign 1",
    "It is YOUR TURN: ply 1. Tiles left: 3 of 48.", "bob says:", "Lambo, board 1: ann against bob", "; MOVE[a1]) ]\\",
    '"}, {"', "x" * 1200, "long words " * 60, "x\n" * 70, "e" + "\u0301" * 90, "\u0338resign 1",
    "\u202eresign 1\u2066", "\u200bresign\u00ad 1", "\uff1e resign 1", "\x1b[2J", "\x01", "\U0001f600 \u05d0",
)  # fmt: skip
BREAKS = ("\n", "\n", "\n\n", "\r\n", "\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\0", " ", "\t", "\u3000")
SAID = st.lists(
    st.sampled_from(LINES) | st.text(st.characters(exclude_categories=("Cs",)), max_size=12), min_size=1, max_size=8
).flatmap(lambda lines: st.sampled_from(BREAKS).map(lambda mark: mark.join(lines)) | st.just("\n".join(lines)))

WROTE = "On Mon, 2 Mar 2026 at 10:00, mailbot <mailbot@games.example.net> wrote:"
BLOCK = "From: mailbot <mailbot@games.example.net>\nSent: Monday, 2 March 2026 10:00\nTo: bob\nSubject: {subject}\n"


def answers(text: str, subject: str, own: str) -> Iterator[tuple[str, str, str]]:
    """(what kind of mail program, media type, the body of its answer to the letter with the line `own`)"""
    lines = text.rstrip("\n").split("\n")
    quoted = "\n".join(f"> {line}".rstrip() for line in lines)
    broken = "\n".join(part for line in lines for part in wrap(f"> {line}", 58) or [">"])
    block = BLOCK.format(subject=subject)
    plain, markup = "text/plain", "text/html"
    yield "answer above", plain, f"{own}\n\n{WROTE}\n{quoted}\n"
    yield "answer above, no attribution", plain, f"{own}\n{quoted}\n"
    yield "answer below", plain, f"{WROTE}\n{quoted}\n\n{own}\n"
    yield "long lines broken", plain, f"{own}\n\n{WROTE}\n{broken}\n"
    yield "flowed", "text/plain; format=flowed", f"{own}\n\n{WROTE}\n" + broken.replace("\n", " \n")
    yield "Outlook", plain, f"{own}\n\n-----Original Message-----\n{block}\n{text}"
    yield "Outlook, a rule", plain, f"{own}\n\n{'_' * 32}\n{block}\n{text}"
    yield "Outlook, headers only", plain, f"{own}\n\n{block}\n{text}"
    yield "attribution, then no marks", plain, f"{own}\n\n{WROTE}\n\n{text}"
    yield "forwarded", plain, f"{own}\n\n---------- Forwarded message ---------\n{block}\n{text}"
    yield "her words copied", plain, f"{own}\n\n" + "\n".join(line for line in lines if line.startswith("  |"))
    if text.startswith(MARKER):
        yield "pasted", plain, f"{own}\n\n{text}"
        yield "pasted in HTML", markup, f"<div>{own}</div><br><div>{'<br>'.join(map(escape, lines))}</div>"
    yield "HTML", markup, f"<p>{own}</p><div>{WROTE}</div><blockquote>{'<br>'.join(map(escape, lines))}</blockquote>"
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in [*block.split("\n"), *lines])
    yield "Outlook, HTML", markup, f"<p>{own}</p><hr>{paragraphs}"
