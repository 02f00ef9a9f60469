"""Quoted text never counts, written text does (C4): attributions, headers and signatures of many mailers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailbot.core.mail import quoting
from mailbot.core.mail.phrases import LANGUAGES, every
from tests.core.mail.mailrows import work

LAMBO = "Lambo Server <mailbot+p1-3-12-7-abcdefghijklmnop@games.example.org>"
WRAPPED = "Lambo Server <\nmailbot+p1-3-12-7-abcdefghijklmnop@games.example.org>"

ATTRIBUTIONS = [
    ("English, Gmail", f"On Wed, Nov 12, 2025 at 10:00 AM {WRAPPED} wrote:"),
    ("English, Gmail wrapped at the verb", f"On Wed, Nov 12, 2025 at 10:00 AM {LAMBO}\nwrote:"),
    ("English, over three lines", "On Wednesday,\nNovember 12, 2025 at 10:00 AM Lambo Server\n<mailbot@x.org> wrote:"),
    ("English, Apple Mail", f"On 12 Nov 2025, at 10:00, {LAMBO} wrote:"),
    ("English, Thunderbird", "On 12/11/2025 10:00, Lambo Server wrote:"),
    ("English, Yahoo", f"    On Wednesday, November 12, 2025 at 10:00:00 AM GMT+1, {LAMBO} wrote:  "),
    ("English, mutt", "On Wed, Nov 12, 2025 at 10:00:00AM +0100, Lambo Server wrote:"),
    ("English, K-9", f"On 12 November 2025 10:00:00 CET, {LAMBO} wrote:"),
    ("English, short", "Lambo Server wrote:"),
    ("German, Gmail", f"Am Mi., 12. Nov. 2025 um 10:00 Uhr schrieb {WRAPPED}:"),
    ("German, Thunderbird", "Am 12.11.25 um 10:00 schrieb Lambo Server:"),
    ("German, Apple Mail", f"Am 12.11.2025 um 10:00 schrieb {LAMBO}:"),
    ("German, K-9", f"Am 12. November 2025 10:00:00 MEZ schrieb {LAMBO}:"),
    ("German, mutt", "Lambo Server schrieb am Mittwoch, den 12. November 2025:"),
    ("French, Gmail", f"Le mer. 12 nov. 2025 à 10:00, {WRAPPED} a écrit :"),
    ("French, Thunderbird", "Le 12/11/2025 à 10:00, Lambo Server a écrit :"),
    ("Spanish, Gmail", f"El mié, 12 nov 2025 a las 10:00, {WRAPPED} escribió:"),
    ("Spanish, Apple Mail", f"El 12 nov 2025, a las 10:00, {LAMBO} escribió:"),
    ("Italian, Gmail", f"Il giorno mer 12 nov 2025 alle ore 10:00 {WRAPPED} ha scritto:"),
    ("Italian, Thunderbird", "Il 12/11/2025 10:00, Lambo Server ha scritto:"),
    ("Dutch, Gmail", f"Op wo 12 nov 2025 om 10:00 schreef {WRAPPED}:"),
    ("Dutch, Apple Mail", f"Op 12 nov. 2025 om 10:00 heeft {LAMBO} het volgende geschreven:"),
    ("Portuguese, Gmail", f"Em qua., 12 de nov. de 2025 às 10:00, {WRAPPED} escreveu:"),
    ("Portuguese, of Portugal", f"{LAMBO} escreveu (quarta, 12/11/2025 à(s) 10:00):"),
    ("Swedish, Gmail", f"Den ons 12 nov. 2025 kl 10:00 skrev {WRAPPED}:"),
    ("Swedish, Apple Mail", f"12 nov. 2025 kl. 10:00 skrev {LAMBO}:"),
    ("Danish, Gmail", f"Den ons. 12. nov. 2025 kl. 10.00 skrev {WRAPPED}:"),
    ("Danish, Thunderbird", "Den 12.11.2025 kl. 10.00 skrev Lambo Server:"),
    ("Norwegian, Gmail", f"ons. 12. nov. 2025 kl. 10:00 skrev {WRAPPED}:"),
    ("Polish, Gmail", f"śr., 12 lis 2025 o 10:00 {WRAPPED} napisał(a):"),
    ("Polish, Thunderbird", "W dniu 12.11.2025 o 10:00, Lambo Server pisze:"),
    ("Polish, Apple Mail", f"Wiadomość napisana przez {LAMBO}\nw dniu 12 lis 2025, o godz. 10:00:"),
    ("Russian, Gmail", f"ср, 12 нояб. 2025 г. в 10:00, {WRAPPED}:"),
    ("Russian, Thunderbird", "12.11.2025 10:00, Lambo Server пишет:"),
    ("Russian, Mail.ru", f"Среда, 12 ноября 2025, 10:00 +03:00 от {LAMBO}:"),
    ("Japanese, Gmail", f"2025年11月12日(水) 10:00 {WRAPPED}:"),
    ("Japanese, Apple Mail", f"2025/11/12 10:00、{LAMBO}のメール:"),
    ("Japanese, old", "Lambo Serverさんは書きました:"),
    ("Chinese, Gmail", f"{LAMBO} 于2025年11月12日周三 10:00写道:"),
    ("Korean, Gmail", f"2025년 11월 12일 (수) 오전 10:00, {LAMBO}님이 작성:"),
    ("Czech, Gmail", f"st 12. 11. 2025 v 10:00 odesílatel {WRAPPED} napsal:"),
    ("Czech, Thunderbird", "Dne 12. 11. 25 v 10:00 Lambo Server napsal(a):"),
    ("Finnish, Gmail", f"ke 12. marrask. 2025 klo 10.00 {WRAPPED} kirjoitti:"),
    ("Hungarian, Gmail", f"{LAMBO} ezt írta (időpont: 2025. nov. 12., Sze, 10:00):"),
    ("Romanian, Gmail", f"În mie., 12 nov. 2025 la 10:00, {WRAPPED} a scris:"),
    ("Turkish, Gmail", f"{LAMBO}, 12 Kas 2025 Çar, 10:00 tarihinde şunu yazdı:"),
    ("Ukrainian, Gmail", f"ср, 12 лист. 2025 р. о 10:00 {WRAPPED} пише:"),
    ("Greek, Gmail", f"Στις Τετ 12 Νοε 2025 στις 10:00, {WRAPPED} έγραψε:"),
    ("unknown language, dated", f"Klik 12 Xyz 2025 10:00 {LAMBO}:"),
]
OLD = "lambo move 12 alice secretpw a1,c12\n\nb9\n"
MARKED = "> lambo move 12 alice secretpw a1,c12\n>\n> b9\n"
SHAPES = [
    ("above", "b4,c11\n\nNice game.\n\n{attribution}\n\n{marked}", "b4,c11\n\nNice game."),
    ("above, tight", "b4,c11\n{attribution}\n{marked}", "b4,c11"),
    ("above, unmarked", "b4,c11\n\n{attribution}\n\n{old}", "b4,c11"),
    ("above and below", "b4,c11\n\n{attribution}\n{marked}\nc5,a9\n", "b4,c11"),
    ("below", "{attribution}\n{marked}\nb4,c11\n\nNice game.\n-- \nAlice\na1", "b4,c11\n\nNice game."),
    ("between", "{attribution}\n{marked}\nb4,c11\n\n> more\n> b9\n\nThanks\n", "b4,c11\n\nThanks"),
    ("below a wrapped quotation", "{attribution}\n{marked}> tail\na1,b9\n> x\nb9\n\nb4,c11", "b4,c11"),
    ("below, unmarked", "{attribution}\n\n{old}\nb4,c11\n", ""),
    ("nothing but the quotation", "\n{attribution}\n\n{marked}", ""),
    ("nothing but the quotation, unmarked", "{attribution}\n{old}", ""),
]


@pytest.mark.parametrize(("shape", "body", "expected"), SHAPES, ids=[shape for shape, *_ in SHAPES])
@pytest.mark.parametrize(("name", "attribution"), ATTRIBUTIONS, ids=[name for name, _ in ATTRIBUTIONS])
def test_c4_attributions(name: str, attribution: str, shape: str, body: str, expected: str) -> None:
    assert quoting.top(body.format(attribution=attribution, marked=MARKED, old=OLD)) == expected


BLOCKS = [
    ("English", "From: Lambo Server <m@x.org>\nSent: Wednesday, 12 November 2025 10:00\nTo: Alice\nSubject: Lambo"),
    ("English, bold", "*From:* Lambo Server <m@x.org>\n*Sent:* Wednesday\n*To:* Alice\n*Subject:* Lambo"),
    ("English, spread", "From: Lambo Server <m@x.org>\n\nSent: Wednesday\n\nTo: Alice\n\nSubject: Lambo"),
    ("English, address below", "From: Lambo Server\n<m@x.org>\nDate: Wednesday\nTo: Alice"),
    ("German", "Von: Lambo Server <m@x.org>\nGesendet: Mittwoch, 12. November 2025 10:00\nAn: Alice\nBetreff: Lambo"),
    (
        "German, GMX",
        "Gesendet: Mittwoch, 12. November 2025 um 10:00 Uhr\nVon: m@x.org\nAn: alice@x.org\nBetreff: Lambo",
    ),
    ("French", "De : Lambo Server <m@x.org>\nEnvoyé : mercredi 12 novembre 2025 10:00\nÀ : Alice\nObjet : Lambo"),
    ("Spanish", "De: Lambo Server <m@x.org>\nEnviado el: miércoles, 12 de noviembre\nPara: Alice\nAsunto: Lambo"),
    ("Italian", "Da: Lambo Server <m@x.org>\nInviato: mercoledì 12 novembre 2025 10:00\nA: Alice\nOggetto: Lambo"),
    ("Dutch", "Van: Lambo Server <m@x.org>\nVerzonden: woensdag 12 november 2025 10:00\nAan: Alice\nOnderwerp: Lambo"),
    ("Portuguese", "De: Lambo Server <m@x.org>\nEnviada em: quarta-feira\nPara: Alice\nAssunto: Lambo"),
    ("Swedish", "Från: Lambo Server <m@x.org>\nSkickat: den 12 november 2025 10:00\nTill: Alice\nÄmne: Lambo"),
    ("Danish", "Fra: Lambo Server <m@x.org>\nSendt: 12. november 2025 10:00\nTil: Alice\nEmne: Lambo"),
    ("Polish", "Od: Lambo Server <m@x.org>\nWysłano: środa, 12 listopada 2025 10:00\nDo: Alice\nTemat: Lambo"),
    ("Russian", "От: Lambo Server <m@x.org>\nОтправлено: 12 ноября 2025 г. 10:00\nКому: Alice\nТема: Lambo"),
    ("Japanese", "差出人: Lambo Server <m@x.org>\n送信日時: 2025年11月12日 10:00\n宛先: Alice\n件名: Lambo"),
    ("unknown language", "Wer: Lambo <m@x.org>\nWann: 12. 11. 2025\nWem: Alice\nWas: Lambo"),
    ("Outlook's old line", "-----Original Message-----"),
    ("Outlook's old line, German", "-----Ursprüngliche Nachricht-----"),
    ("a line in no language", "-------- Xyzzy plugh --------"),
    ("Outlook mobile", "________________________________\nFrom: Lambo"),
    ("Gmail forward", "---------- Forwarded message ---------\nFrom: Lambo"),
    ("Apple forward", "Begin forwarded message:"),
    ("Apple forward, German", "Anfang der weitergeleiteten Nachricht:"),
    ("Apple forward, French", "Début du message réexpédié :"),
    ("our own marker", quoting.MARKER),
    ("our own marker, mangled", "*-- Reply above this line --*"),
    ("our own marker, without its dashes", "reply above this line"),
    ("signature", "-- "),
    ("signature, stripped", "--"),
    ("signature, made a long dash", "—"),
    ("ruled", "======"),
]


@pytest.mark.parametrize(("name", "block"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_c4_behind_a_block_of_headers_nothing_counts(name: str, block: str) -> None:
    assert quoting.top(f"b4,c11\n\nNice game.\n\n{block}\n\n{OLD}") == "b4,c11\n\nNice game."
    assert quoting.top(f"b4,c11\n{block}\n{OLD}") == "b4,c11"
    assert quoting.top(f"{block}\n\n{OLD}") == ""
    assert quoting.top(f"{block}\n\n{OLD}\n> x\n\nb4,c11") == "", "not even below a marked quotation"


PHONES = [
    "Sent from my iPhone", "Sent from Yahoo Mail on Android", "Sent from Outlook for Android", "Get Outlook for iOS",
    "Sent from my Android device with K-9 Mail. Please excuse my brevity.", "Von meinem iPhone gesendet",
    "Gesendet von Outlook für Android", "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Envoyé de mon iPhone", "Envoyé depuis mon appareil mobile Samsung", "Enviado desde mi iPhone",
    "Inviato da iPhone", "Verstuurd vanaf mijn iPhone", "Enviado do meu iPhone", "Skickat från min iPhone",
    "Sendt fra min iPhone", "Wysłane z iPhone'a", "Отправлено с iPhone", "iPhoneから送信", "发自我的 iPhone",
]  # fmt: skip


@pytest.mark.parametrize("phone", PHONES)
def test_c4_phone_signatures(phone: str) -> None:
    assert quoting.top(f"b4,c11\n\n{phone}\n\n> On 12 Nov 2025, Lambo wrote:\n> {OLD}") == "b4,c11"
    assert quoting.top(f"b4,c11\n{phone}") == "b4,c11"
    assert quoting.top(f"\n{phone}\n\n> b9\n\nb4,c11\n") == "b4,c11", "written below, as one can on a phone"
    assert quoting.top(f"{phone}\n\nb4,c11") == ""


PLAIN = [
    ("one line", "b4,c11", "b4,c11"),
    ("blank edges", "\n\n  \nb4,c11\n\n\n\nThanks\n \n", "b4,c11\n\nThanks"),
    ("empty", "", ""),
    ("an indented line", " b4,c11\n   so", "b4,c11\n   so"),
    ("several commands", "lambo move 1 a b a1,c12\nlambo show 1", "lambo move 1 a b a1,c12\nlambo show 1"),
    ("a colon", "b4,c11\nMy plan:\nto win", "b4,c11\nMy plan:\nto win"),
    ("two colons", "b4,c11\nNote: x\nTo do: y", "b4,c11\nNote: x\nTo do: y"),
    ("a year", "lambo show 2025\nsee you in 2025", "lambo show 2025\nsee you in 2025"),
    ("an address", "signup alice secretpw alice@example.org", "signup alice secretpw alice@example.org"),
    ("a quotation mark in a line", "b4,c11 > better", "b4,c11 > better"),
    ("a command above a colon", "lambo move 2025 a b a1,c12\nBob wrote:\n> x", "lambo move 2025 a b a1,c12"),
    ("no attribution", "b4,c11\n> b9", "b4,c11"),
    ("indented quotation", "b4,c11\n   > b9", "b4,c11"),
    ("quotation by initials", "BL> b9\n\nb4,c11", "b4,c11"),
    ("bars", "| b9\n\nb4,c11", "b4,c11"),
    ("escaped mark", "&gt; b9\n\nb4,c11", "b4,c11"),
    ("marker inside a quotation", f"> {quoting.MARKER}\n> b9\n\nb4,c11", "b4,c11"),
    ("own text right under a quotation", "> b9\nb4,c11", ""),
    ("a greeting above inline answers", "Hi Wim,\n\n> at 5?\n\nYes, at 5!\n\n> bye", "Hi Wim,\n\nYes, at 5!"),
    ("a sentence above inline answers", "Hi Wim, fine.\n\n> at 5?\n\nYes!", "Hi Wim, fine."),
    ("two lines above", "Hi Wim,\nthanks,\n\n> at 5?\n\nYes!", "Hi Wim,\nthanks,"),
    ("a move and a comma above", "b4,\n> b9\n\nc11", "b4,"),
    ("unmarked mail below a marked one", f"> b9\n\n-----Original Message-----\n\n{OLD}", ""),
    ("too far down", "\n" * quoting.MAX_LINES + "b4,c11", ""),
    ("long line", "x" * 5000, "x" * 5000),
    ("long quoted line", ">" + "x" * 5000 + "\n\nb4,c11", "b4,c11"),
]


@pytest.mark.parametrize(("name", "text", "expected"), PLAIN, ids=[name for name, *_ in PLAIN])
def test_c4_lines(name: str, text: str, expected: str) -> None:
    assert quoting.top(text) == expected


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["", "> q", ">> q", "own", "own:", "--", "From: x", "Sent: y", "On 1 Jan 2025 x wrote:", "|q"]),
        max_size=14,
    )
)
def test_c4_only_unmarked_lines_come_through_and_in_order(lines: list[str]) -> None:
    found = [line for line in quoting.top("\n".join(lines)).split("\n") if line]
    assert not any(line.startswith((">", "|")) for line in found)
    waiting = iter(lines)
    assert all(line in waiting for line in found)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["", "hello", "> q", "On 1 Jan 2025, x wrote:", "Sent from my x"]), max_size=6))
def test_c4_what_stands_behind_a_marker_never_counts(lines: list[str]) -> None:
    before = "\n".join(lines)
    for foreign in (quoting.MARKER, "-----Original Message-----", "From: x@y.z\nSent: 2025\nTo: y"):
        assert "b9" not in quoting.top(f"{before}\n{foreign}\nb9\n\n> x\n\nb9")


@pytest.mark.parametrize(
    "unit",
    ["\n", "On a,\n", "wrote:\n", ":\n", "On 1.1.2025 a@b\n", "a: b@c 2025\n", "From: x\n", "> x\n", ">", "x", " ", "-",
     "On ", "> x\nb\n\n", "a:", "<", "\n:\n", "*", "Sent from "],
)  # fmt: skip
def test_c1_quotations_are_linear(unit: str) -> None:
    """The libraries of H7 need more than 15 s for some of these."""
    half, full = (unit * (size // len(unit)) for size in (4_000, 8_000))
    assert work(lambda: quoting.top(full)) <= 2.5 * work(lambda: quoting.top(half)) + 100
    assert work(lambda: quoting.top(unit * (256_000 // len(unit)))) <= 200 * quoting.MAX_LINES


def test_every_language_has_every_phrase() -> None:
    for name, row in LANGUAGES.items():
        for column, phrases in row._asdict().items():
            assert all(phrase and phrase == phrase.strip() for phrase in phrases.split("|")), (name, column)
            assert {phrase.casefold() for phrase in phrases.split("|")} <= set(every(column)), (name, column)


def test_after_hundreds_of_lines_with_a_colon_we_stop_reading() -> None:
    """Each takes 20 us, and a mail of 12 KB had two thousand."""
    some, many = (quoting.top("x: y\n" * number + "b4,c11") for number in (quoting.MAX_LOOKED, quoting.MAX_LOOKED + 1))
    assert some.endswith("b4,c11")
    assert many == "x: y\n" * (quoting.MAX_LOOKED - 1) + "x: y"
