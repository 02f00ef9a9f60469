"""Characters (C3): allow-listed charsets, encoded words, clean text."""

import email.header
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailbot.core.mail import charset
from tests.core.mail.mailrows import work

SAMPLES = [
    ("utf-8", "utf-8", "Zug über Łódź 動"),
    ("UTF8", "utf-8", "Zug"),
    ("us-ascii", "utf-8", "höchst falsch deklariert"),
    ("iso-8859-1", "cp1252", "Größe – “so”"),
    ("iso-8859-2", "iso8859_2", "Łódź"),
    ("iso-8859-15", "iso8859_15", "5 €"),
    ("windows-1251", "cp1251", "ход"),
    ("koi8-r", "koi8_r", "ход"),
    ("koi8-u", "koi8_u", "хід"),
    ("gb2312", "gb18030", "走子"),
    ("gbk", "gb18030", "走子"),
    ("gb18030", "gb18030", "走子"),
    ("big5", "big5hkscs", "走子"),
    ("euc-kr", "cp949", "수"),
    ("ks_c_5601-1987", "cp949", "수"),
    ("iso-2022-jp", "iso2022_jp", "手を打つ"),
    ("shift_jis", "cp932", "手を打つ"),
    ("euc-jp", "euc_jp", "手を打つ"),
]


@pytest.mark.parametrize(("label", "codec", "text"), SAMPLES)
def test_c3_declared_charsets_are_read(label: str, codec: str, text: str) -> None:
    assert charset.decode(text.encode(codec), label) == text
    assert charset.decode(text.encode(codec), f" {label.upper()} ") == text


@pytest.mark.parametrize(
    "label", ["utf-7", "unicode_escape", "punycode", "idna", "rot13", "hex", "zip", "undefined", "x\0y", "", "utf-16"]
)
def test_c3_other_charsets_are_read_as_utf_8(label: str) -> None:
    assert charset.decode("größer".encode(), label) == "größer"
    assert charset.decode(rb"\ud800 +2AA-", label) == r"\ud800 +2AA-"
    assert charset.decode(b"a\xffb", label) == "a\ufffdb"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b4,c11", "b4,c11"),
        ("b4\u200b,\u200dc11\ufeff", "b4,c11"),
        ("\u202eb4\u202c,\u2066c11\u2069", "b4,c11"),
        ("b4\u00ad,c11", "b4,c11"),
        ("\uff42\uff14\uff0c\uff43\uff11\uff11", "b4,c11"),
        ("b4,\u00a0c11\u202f!\u3000", "b4, c11 ! "),
        ("a\x00b\x07c\x1b[0m\x7f", "abc[0m"),
        ("a\tb", "a b"),
        ("ä\tb\x9b", "ä b"),
        ("a\r\nb\rc\nd\u2028e\u2029f\x85g", "a\nb\nc\nd\ne\nf\ng"),
        ("a\ud800b\udcffc", "a\ufffdb\ufffdc"),
        ("e\u0301", "é"),
        ("x\ufe0f\u034f\u3164\u2800y", "xy"),
        ("z" + "\u0301" * 100, "ź" + "\u0301" * (charset.MAX_MARKS - 1)),
    ],
)
def test_c3_clean(text: str, expected: str) -> None:
    assert charset.clean(text) == expected


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet=st.characters(categories=("Cf", "Cc", "Cs", "Zs", "Zl", "Zp", "Mn"))))
def test_c3_clean_text_holds_nothing_hidden(text: str) -> None:
    clean = charset.clean(text)
    assert {unicodedata.category(c) for c in clean.replace("\n", "")} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
    assert all(c == " " for c in clean if unicodedata.category(c) == "Zs")
    assert unicodedata.is_normalized("NFKC", clean)
    clean.encode("utf-8")


def test_c3_a_password_typed_with_another_keyboard_is_the_same_password() -> None:
    """NFKC changes what is typed, so it must change it everywhere the same way."""
    assert charset.clean_line("ｓｅｃｒｅｔ１２") == charset.clean_line("secret12")
    assert charset.clean_line("e\u0301toile") == charset.clean_line("étoile")


def test_c1_marks_without_end_and_characters_that_grow() -> None:
    """40,000 marks of two classes in turn keep `unicodedata.normalize` busy for more than a second."""
    assert len(charset.clean("a" + "\u0301\u0316" * 100_000)) <= 1 + charset.MAX_MARKS
    assert len(charset.clean("\ufdfa" * 200_000)) == charset.MAX_TEXT


@pytest.mark.parametrize("between", ["\u200b", "\u00ad", "\x01", "\x7f", "\ufe0f", "\u202e"])
def test_c1_what_is_taken_out_does_not_divide_a_run_of_marks(between: str) -> None:
    """19,000 times twelve marks and a zero width space kept `unicodedata.normalize` busy for a minute."""
    assert len(charset.clean("a" + ("\u0316\u0301" * 6 + between) * 1_000)) <= 1 + charset.MAX_MARKS


@pytest.mark.parametrize("letter", ["\uff9e", "\uff9f", "\u3099"])
def test_c1_a_letter_that_becomes_a_mark_is_one(letter: str) -> None:
    """NFKC makes marks of the half-width voiced sound marks, so they must not end a run."""
    assert len(charset.clean("a" + f"\u0315{letter}" * 30_000)) <= 1 + charset.MAX_MARKS


def test_c1_what_would_be_cut_off_is_not_normalized(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []

    class Counted:
        category = staticmethod(unicodedata.category)
        combining = staticmethod(unicodedata.combining)

        @staticmethod
        def normalize(form: str, text: str) -> str:
            given.append(len(text))
            return unicodedata.normalize(form, text)

    monkeypatch.setattr(charset, "unicodedata", Counted)
    assert len(charset.clean("\ufdfa" * 200_000)) == charset.MAX_TEXT
    assert sum(given) < 10_000


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(["é", "e\u0301", "\u1100\u1161", "\u11a8", "\u0301", "a", " ", "\ufdfa"]), min_size=1))
def test_c3_a_long_text_is_normalized_in_pieces_that_do_not_join(unit: list[str]) -> None:
    text = charset.clean("".join(unit) * (20_000 // len(unit)))
    assert unicodedata.is_normalized("NFKC", text)
    assert text.replace("\n", "") == unicodedata.normalize("NFKC", text).replace("\n", "")


WORDS = [
    ("lambo move 1", "lambo move 1"),
    ("=?utf-8?Q?Z=C3=BCge_1?=", "Züge 1"),
    ("=?UTF-8?B?WsO8Z2U=?=", "Züge"),
    ("=?iso-8859-1?q?Z=FCge?= board 12", "Züge board 12"),
    ("=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"),
    ("=?utf-8?Q?a?=   =?iso-8859-1?Q?b?=", "ab"),
    ("=?utf-8?Q?a?= x =?utf-8?Q?b?=", "a x b"),
    ("=?utf-8?B?5g==?= =?utf-8?B?iYs=?=", "手"),  # one character cut in two, as some mailers do
    ("=?iso-2022-jp?B?GyRCPGobKEI=?=", "手"),
    ("=?utf-8*en?Q?a?=", "a"),
    ("=?utf-8?Q?a b?=", "a b"),
    ("=?utf-8?Q?bad=ZZ?=", "bad=ZZ"),
    ("=?utf-8?B?A?=", ""),
    ("=?utf-8?X?a?=", "=?utf-8?X?a?="),
    ("=?utf-8?Q?a", "=?utf-8?Q?a"),
    ("=?UTF-8?Q?=0D=0ABcc:_x?=", "Bcc: x"),
    ("=?unicode_escape?Q?=5Cud800?=", r"\ud800"),
    ("Z\xc3\xbcge", "Züge"),
    ("Z\xfcge", "Züge"),
    ("", ""),
]


@pytest.mark.parametrize(("value", "expected"), WORDS)
def test_c3_encoded_words(value: str, expected: str) -> None:
    assert charset.header_text(value) == expected


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(categories=("L", "N", "Po")), min_size=1, max_size=80))
def test_c3_what_the_standard_library_encodes_is_read(text: str) -> None:
    encoded = email.header.Header(text, "utf-8", maxlinelen=60).encode()
    assert charset.header_text(encoded.replace("\n", "")) == charset.clean_line(text)


@pytest.mark.parametrize("unit", ["=?", "=?utf-8?Q?a?= ", "=?utf-8?B?", "?=", "=?a?b?c"])
def test_c1_encoded_words_are_linear(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (2_000, 4_000))
    assert work(lambda: charset.header_text(long)) <= 2.5 * work(lambda: charset.header_text(short)) + 20


@pytest.mark.parametrize("label", sorted(charset._CODECS))
def test_every_octet_is_read_as_the_codec_reads_it(label: str) -> None:
    raw = bytes(range(256))
    assert charset.decode(raw, label) == raw.decode(charset._CODECS[label], errors="replace")
