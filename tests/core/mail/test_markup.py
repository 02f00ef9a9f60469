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
    (
        "struck out",
        "<p><s>b14</s> <del>b15</del></p><strike>b1</strike><i style='text-decoration: line-through'>a1</i>b16",
        "b16",
    ),
    ("hidden", "<div style='display:none'>a</div><div style='x; display: none'>b</div><i hidden>c</i>d", "d"),
    ("broken", "<p>b4,c11<div>x</b></i><table>", "b4,c11\nx"),
    ("attributes", "<p a='<b>' b=\"c>d\" e=/f hidden=no>x</p><p/title='>'/>b4<a\n=\nx></a>", "b4"),
    ("an end in a value", "<a href='</a>' title=\"'\">b4</a>", "b4"),
    ("of two attributes the first", "<p class=x class=gmail_quote>b4", "b4"),
    ("no tags", "b4 < c5 <3 <> </> <!x> <?y> <![CDATA[z]]>", "b4 < c5 <3 <>"),
    ("a comment that ends at once", "a<!-->b<!--->c<!-- d --!>e", "abce"),
    ("a comment without end", "a<!-- b", "a"),
    ("a tag without end", "a<b c='d", "a"),
    ("a style sheet without end", "a<style>b</styl>c", "a"),
    ("numbers", "&#98;&#x34;&#44;&#0;c&#1114112;11&#55296;", "b4,\ufffdc\ufffd11\ufffd"),
    ("no entity", "&xyz; &#; &#x; & a&b &" + "a" * 40, "&xyz; &#; &#x; & a&b &" + "a" * 40),
    ("a number without end", "&#" + "9" * 5000 + ";", "\ufffd" + "9" * 4993 + ";"),
    ("hidden, in other words", "<p STYLE='Display : None'>a</p><p style=DISPLAY:NONE>b</p><P HIDDEN>c</P>d", "d"),
    ("cells without ends", "<table><tr><td hidden>a<td>b4<tr><td>c5</table>d", "b4\nc5\nd"),
    ("items without ends", "<ul><li hidden>a<li>b4<li>c5</ul>", "b4\nc5"),
    ("a drawing", "<svg><text>a</text></svg>b<svg/>c", "bc"),
    ("head", "<html><head><title>a</title><meta x=y></head><body>b4</body></html>c5", "b4c5"),
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


NESTING = [
    ("<p>b4<table class=gmail_quote><tr><td>a1</div></p></span></td></tr></table>", "b4"),
    ("<div>b4<blockquote><table><td>a1</blockquote>a2</table>a3</blockquote></div>", "b4"),
    ("<div>b4<br><span class=gmail_quote><div>a1</span>a2</div>a3</span></div>", "b4"),
    ("<div><blockquote>a1</div>b4", "b4"),
    ("<b>b4<blockquote>a1</b>a2</blockquote>", "b4"),
    ("<table><tr><td>b4<td class=gmail_quote>a1<table><tr><td>a2</td></tr></table>a3</table>", "b4"),
]


@pytest.mark.parametrize(("html", "expected"), NESTING)
def test_c4_broken_nesting_does_not_open_a_quotation(html: str, expected: str) -> None:
    assert quoting.top(markup.to_text(html)) == expected


BOMBS = [
    "<div>", "<p>", "<b>", "<b><p>", "<a><p>", "<font color=1><p>", "<table>x", "<table><tr><td>", "<select><option>",
    "<svg><desc>", "<template>", "<li><div>", "<!--", "<!--->", "<![CDATA[", "<?", "&amp;", "&", "</p>", "</br>",
    "<b class=gmail_quote>x</b>", "<td></table>", "<p a b c d e f", "&#1;", "<p class='a b c d e'>", "<body a=1>",
    "<blockquote>", "<pre>", "x<i>y</i> ", "<br>", "<hr>", '<a href="', "<", "<x ", "\n", " ",
]  # fmt: skip


@pytest.mark.parametrize("unit", BOMBS)
def test_c1_html_is_linear(unit: str) -> None:
    """Calls at half and at full size; full size is past MAX_TAGS."""
    half, full = (unit * (size // len(unit)) for size in (60_000, 250_000))
    assert work(lambda: markup.to_text(full)) <= 5 * work(lambda: markup.to_text(half)) + 100
    assert work(lambda: markup.to_text(full)) <= 35 * markup.MAX_TAGS


def test_c1_no_more_than_so_many_tags_are_read() -> None:
    deep = markup.to_text("<b>x" * 200_000)
    assert deep.count("x") == markup.MAX_TAGS - 1


def test_c1_work_does_not_grow_with_the_attributes_of_a_tag() -> None:
    html = "<p " + " ".join(f"a{n}={n}" for n in range(9_000)) + ">b4"
    assert markup.to_text(html) == "b4"
    assert work(lambda: markup.to_text(html)) < 10 * markup.MAX_ATTRIBUTES


def test_c1_formatting_left_open_is_not_opened_again_in_every_paragraph() -> None:
    html = "<p>" + "".join(f"<b class={n}>" for n in range(1_000)) + "</p><p>x" * 1_000
    assert markup.to_text(html).count("x") == 1_000
    assert work(lambda: markup.to_text(html)) < 35 * 3_000


def test_c4_style_sheets_and_comments_in_front_do_not_count() -> None:
    front = f"<style>{'p {margin: 0} ' * 10_000}</style><!-- {'x' * 50_000} -->"
    assert markup.to_text(f"<head>{front}</head><p>b4,c11</p>") == "b4,c11\n"


def test_c4_a_picture_in_an_attribute_does_not_hide_what_stands_behind_it() -> None:
    assert markup.to_text(f"<img src='data:image/png;base64,{'A' * 150_000}'><p>b4,c11</p>") == "b4,c11\n"


def test_c1_no_more_than_so_many_characters_are_read() -> None:
    assert markup.to_text("x" * 200_000) == "x" * markup.MAX_HTML
    assert "b4" not in markup.to_text("<p title=''>x</p>" * 4_500 + "b4")


def test_c1_entities_are_read_at_the_beginning_of_a_value_only() -> None:
    assert work(lambda: markup.to_text(f"<p style='{'&ab' * 80_000}'>b4")) < 2_000
    assert markup.to_text("<p class='gmail&#95;quote'>b4").startswith(">")
    assert markup.to_text(f"<p style='{'&amp;' * 100};display:none'>a</p>b4") == "b4"
