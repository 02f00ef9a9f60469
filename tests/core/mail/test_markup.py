"""HTML mails (C4): text, with quotations marked; linear work (C1)."""

import pytest

from mailbot.core.mail import markup, quoting
from tests.core.mail.mailrows import work

ROWS = [
    ("paragraphs", "<p>b4,c11</p><p>Thanks</p>", "b4,c11\nThanks"),
    ("outlook paragraphs", "<p class=MsoNormal>b4,c11<o:p></o:p></p><p class=MsoNormal>x</p>", "b4,c11\nx"),
    ("breaks", "b4,c11<br>Thanks<br/>bye", "b4,c11\nThanks\nbye"),
    ("gmail lines", "<div dir=ltr>b4,c11<div><br></div><div>Thanks</div></div>", "b4,c11\n\nThanks"),
    ("blanks", "  b4,\n   c11  \t x", "b4, c11 x"),
    ("pre", "<pre>a1\n  b2</pre>c3", "a1\n  b2\nc3"),
    ("inline", "b4<b>,</b><i>c11</i> <span>x</span>", "b4,c11 x"),
    ("entities", "a &lt; b &amp; c&nbsp;d", "a < b & c\u00a0d"),
    ("table", "<table><tr><td>a1</td><td>b2</td></tr><tr><td>c3</td></tr></table>", "a1 b2\nc3"),
    ("comment", "a<!-- b -->c", "ac"),
    ("script", "<style>a</style><script>b</script><title>t</title>c", "c"),
    ("hidden", "<div style='display:none'>a</div><div style='x; display: none'>b</div><i hidden>c</i>d", "d"),
    ("broken", "<p>b4,c11<div>x</b></i><table>", "b4,c11\nx"),
    ("empty", "", ""),
]


@pytest.mark.parametrize(("name", "html", "expected"), ROWS, ids=[name for name, *_ in ROWS])
def test_c4_html_to_text(name: str, html: str, expected: str) -> None:
    assert [line.rstrip(" ") for line in markup.to_text(html).strip("\n").split("\n")] == expected.split("\n")


QUOTES = [
    ("<div>b4,c11</div>", "<div class='gmail_quote'><div class=gmail_attr>On x wrote:</div>{}</div>", "b4,c11"),
    ("<div>b4,c11</div>", "<div class='gmail_quote gmail_quote_container'>{}</div>", "b4,c11"),
    ("b4,c11<br>", "<blockquote type=cite>{}</blockquote>", "b4,c11"),
    ("b4,c11<br>", "<div id=appendonsend></div><div>{}</div>", "b4,c11"),
    ("b4,c11<br>", "<hr><div id=divRplyFwdMsg><b>From:</b> x</div><div>{}</div>", "b4,c11"),
    ("b4,c11<br>", "<div id=divRplyFwdMsg><b>Desconocido:</b> x</div><div>{}</div>", "b4,c11"),
    ("b4,c11<br>", "<div class=moz-cite-prefix>Bob a scris:</div><blockquote>{}</blockquote>", "b4,c11"),
    ("b4,c11<br>", "<div id=ydp12_yahoo_quoted_34 class=yahoo_quoted>{}</div>", "b4,c11"),
    ("b4,c11<br>", "<div class=protonmail_quote>{}</div>", "b4,c11"),
    ("b4,c11<br>", "<div name=quote><b>Gesendet:</b> x {}</div>", "b4,c11"),
    ("b4,c11<br>", "<div style='border:none;border-top:solid #E1E1E1 1.0pt'>Wer: x</div>{}", "b4,c11"),
    ("b4,c11<br>", "<div data-marker='__QUOTED_TEXT__'>{}</div>", "b4,c11"),
    ("b4,c11<br>", "<div class=gmail_signature>Alice</div><blockquote>{}</blockquote>", "b4,c11"),
    ("", "<div class=moz-cite-prefix>On x wrote:</div><blockquote>{}</blockquote><p>b4,c11</p>", "b4,c11"),
    ("", "<blockquote>{}</blockquote>b4,c11<blockquote>{}</blockquote>bye", "b4,c11\n\nbye"),
    ("", "<div id=appendonsend></div>{}<p>b4,c11</p>", ""),
    ("", "<blockquote>{}", ""),
    ("", "<div class=gmail_quote>{}</div>", ""),
]


@pytest.mark.parametrize(("own", "quote", "expected"), QUOTES)
@pytest.mark.parametrize("old", ["a1,c12", "<div>a1,c12</div>", "<p>x</p><blockquote>a1,c12</blockquote>"])
def test_c4_quoted_html_never_counts(own: str, quote: str, expected: str, old: str) -> None:
    assert quoting.top(markup.to_text(own + quote.replace("{}", old))) == expected


BOMBS = [
    "<div>", "<p>", "<b>", "<b><p>", "<a><p>", "<font color=1><p>", "<table>x", "<table><tr><td>", "<select><option>",
    "<svg><desc>", "<template>", "<li><div>", "<!--", "<!--->", "<![CDATA[", "<?", "&amp;", "&", "</p>", "</br>",
    "<body a=1>", "<blockquote>", "<pre>", "x<i>y</i> ", "<br>", "<hr>", '<a href="', "<", "<x ", "\n", " ",
]  # fmt: skip


@pytest.mark.parametrize("unit", BOMBS)
def test_c1_html_is_linear(unit: str) -> None:
    """Calls at half and at full size; full size is past MAX_TAGS, so that depth is bounded too."""
    half, full = (unit * (size // len(unit)) for size in (60_000, 250_000))
    assert work(lambda: markup.to_text(full)) <= 5 * work(lambda: markup.to_text(half)) + 100
    assert work(lambda: markup.to_text(full)) <= 30 * markup.MAX_TAGS


def test_c1_html_is_cut_where_depth_would_cost() -> None:
    deep = markup.to_text("<div>x" * 200_000)
    assert deep.count("x") == markup.MAX_TAGS
