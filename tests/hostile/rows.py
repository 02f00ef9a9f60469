"""The hostile corpus: mails that an attacker might send, each with its expected result.

A row is one variant of an attack. Rows that differ in one word are a loop over these words, because every word is a
case of its own. Their server has the players ann, bob and cat, and board 1, on which ann is to move;
and bob directs tournament 1, which cat has entered.

The expected result (`Row.ends`): the SMTP code, and the letters that it may cause, as `kind>to`, in order; nothing in
the database may change. `*`: any code, but no letter to anybody else, and with a word after it no change.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from mailbot.core.mail.phrases import LANGUAGES

ANN, BOB, CAT, EVE = "ann@example.org", "bob@example.org", "cat@example.org", "eve@evil.example"
SERVER, DOMAIN = "mailbot@games.example.net", "games.example.net"
PASSWORD = {"ann": "correct-horse-1", "bob": "battery-staple-2", "cat": "dog-and-mouse-3"}
MOVE = f"move 1 ann {PASSWORD['ann']} b1"
"""What would be played if the attack did not matter."""

TOKEN = "TOKEN"
"""Stands for ann's reply address for board 1; the test puts it in."""

NOTHING = "250"
MALFORMED = "550 5.6.0"
REFUSED = "550 5.7.8"
NO_COMMAND = "550 5.7.1"


@dataclass(frozen=True, slots=True)
class Row:
    """One mail. `headers` and `body` with LF; `raw` instead of both. `ends`: see the module's own text."""

    topic: str
    name: str
    ends: str
    headers: str = ""
    body: str = ""
    mail_from: str = EVE
    to: str = SERVER
    raw: bytes = b""

    def content(self, id: str, date: str) -> bytes:
        """The mail itself, with this in its Message-ID and as its Date."""
        if self.raw or not self.headers:
            return self.raw
        text = self.headers.replace("{id}", id).replace("{date}", date)
        return f"{text}\n{self.body}\n".replace("\n", "\r\n").encode("utf-8", "surrogateescape")


def head(sender: str = ANN, subject: str = MOVE, more: str = "") -> str:
    return f"From: {sender}\nTo: {SERVER}\nSubject: {subject}\nMessage-ID: <{{id}}@example.org>\nDate: {{date}}\n{more}"


# ---- who says so: From headers that could be read in two ways

FROMS = (
    f"{ANN}, {EVE}",
    f"{EVE}, {ANN}",
    f"<{ANN}>, <{EVE}>",
    f"{ANN}\nFrom: {EVE}",
    f"{EVE}\nFrom: {ANN}",
    f"{ANN}\nfrom: {ANN}",
    f"players: {ANN};",
    f"players: {ANN}, {EVE};",
    f"{ANN} <{EVE}> <{ANN}>",
    f"<{EVE}><{ANN}>",
    f"{ANN})({EVE}",
    f"({ANN} {EVE}",
    f"{EVE} ({ANN}",
    f'"{ANN} <{EVE}>',
    f"@evil.example:{ANN}",
    f"<@evil.example:{ANN}>",
    "ann@example.org@evil.example",
    "ann@evil.example@example.org",
    '"ann@example.org" @evil.example',
    "ann@[192.0.2.1]",
    "ann@example.org.",
    "ann@.example.org",
    "ann@exam ple.org",
    "ann",
    "@example.org",
    "<>",
    "",
    "ann@localhost.localdomain..",
    "änn@example.org, ann@example.org",
    "ann@example。org",
    "änn@example.org <ann@example.org>",
    "=?utf-8?q?ann=40example.org?=",
    "=?utf-8?b?YW5uQGV4YW1wbGUub3Jn?=",
    f"=?utf-8?q?=3C{ANN}=3E?= <{EVE}",
    "ann\\@example.org",
    f"{'a' * 65}@example.org",
    f"ann@{'a' * 64}.org",
    f"ann@{'a.' * 130}org",
    "ann@example.org\x0b",
    "ann\x00@example.org",
)
# Read with certainty, but as somebody else: a stranger, who is told nothing.
STRANGERS = (
    f'"{ANN}" <{EVE}>',
    f"=?utf-8?q?{ANN.replace('@', '=40')}?= <{EVE}>",
    f"{EVE} ({ANN})",
    "ann@example.org.evil.example",
    "ann@examp1e.org",
    "ann+games@example.org",
    "a.nn@example.org",
    "ann@mail.example.org",
    "xn--nn-via@example.org",
    "ann@xn--exmple-cua.org",
    "änn@example.org",
    "ann@exämple.org",
    "аnn@example.org",  # Cyrillic a
    "ann@example.org\u200b",
    "Ann <ann\udcff@example.org>",
    "ｐostmaster@example.org",
)


def senders() -> Iterator[Row]:
    for value in FROMS:
        yield Row("sender", f"From: {value[:40]!r}", MALFORMED, head(value, "lambo challenge ann bob"))
    for value in STRANGERS:
        yield Row("sender", f"not ann: {value[:40]!r}", NOTHING, head(value, "lambo challenge ann bob"))
    for claim in ("pass", "dkim=pass header.d=example.org; dmarc=pass", "auth=pass smtp.auth=ann"):
        more = f"Authentication-Results: {DOMAIN}; {claim}\nReceived: from example.org by {DOMAIN}\n"
        yield Row("sender", f"forged results: {claim}", "250 look>ann@example.org", head(ANN, "resign 1", more))
    for other in ("Sender", "Reply-To", "Return-Path", "X-Original-From", "Resent-From", "On-Behalf-Of"):
        yield Row("sender", f"{other}: ann", NOTHING, head(EVE, "lambo challenge ann bob", f"{other}: {ANN}\n"))


# ---- machines, which are never answered

MACHINES = (
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated",
    "Auto-Submitted: auto-notified",
    "auto-submitted: AUTO-REPLIED (vacation)",
    "Precedence: bulk",
    "Precedence: list",
    "Precedence: junk",
    "Precedence: auto_reply",
    "List-Id: <people.example.org>",
    "List-Unsubscribe: <mailto:x@example.org>",
    "List-Post: NO",
    "List-Help: <mailto:x@example.org>",
    "List-Owner: <mailto:x@example.org>",
    "List-Archive: <https://example.org>",
    "List-Subscribe: <mailto:x@example.org>",
    "X-Auto-Response-Suppress: All",
    "X-Autoreply: yes",
    "X-Autorespond: on holiday",
    "X-Autoresponse: 1",
    "X-Mailbot-Loop: games.example.net",
    "X-Mailbot-Loop: another.example",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=x",
    "Content-Type: multipart/report; report-type=disposition-notification; boundary=x",
)
ROLES = (
    "mailer-daemon",
    "MAILER-DAEMON",
    "postmaster",
    "owner-people",
    "people-owner",
    "people-request",
    "people-bounces",
    "people-bounce",
    "noreply",
    "no-reply",
    "no_reply",
    "donotreply",
    "do-not-reply",
    "noreply-12345",
)
OURS = (
    SERVER,
    SERVER.upper(),
    f"mailbot+p1-1-1-1-{'a' * 20}@{DOMAIN}",
    f"bounce@{DOMAIN}",
    f"bounce+b1-1-1-0-{'a' * 20}@{DOMAIN}",
    f"postmaster@{DOMAIN}",
    f"abuse@{DOMAIN}",
)


def machines() -> Iterator[Row]:
    for line in MACHINES:
        yield Row("machine", line[:60], NOTHING, head(ANN, MOVE, f"{line}\n"))
        yield Row(
            "machine", f"to a letter: {line[:50]}", NOTHING, head(ANN, "Re: Lambo 1", f"{line}\n"), "b1", to=TOKEN
        )
    for local in ROLES:
        yield Row("machine", f"from {local}", NOTHING, head(f"{local}@example.org", "signup robot some-password-1"))
    for own in OURS:
        yield Row("machine", f"from ourselves: {own[:30]}", NOTHING, head(own, "help"), mail_from=own)
    for null in ("", "<>"):
        yield Row("machine", f"null sender {null!r}", NOTHING, head(ANN, MOVE), mail_from=null)
        yield Row("machine", f"null sender {null!r}, help", NOTHING, head(EVE, "help"), mail_from=null)
    for language, phrases in LANGUAGES.items():
        for away in phrases.away.split("|")[:2]:
            subject = f"=?utf-8?q?{''.join(f'={octet:02X}' for octet in away.encode())}?= Lambo 1"
            yield Row("machine", f"{language}: {away}", NOTHING, head(ANN, subject), "b1", to=TOKEN)
    yield Row("machine", "too many hops", "554", head(ANN, MOVE, "Received: from a by b\n" * 60))
    yield Row(
        "machine",
        "our own Message-ID",
        NOTHING,
        head(ANN, MOVE).replace("@example.org>\nDate", f"@mailbot.{DOMAIN}>\nDate"),
    )


# ---- words that want to be headers, lines or somebody else

LINE_ENDS = ("=0D=0A", "=0A", "=0D", "=E2=80=A8", "=C2=85", "=0B", "=00", "=1B")
INJECTED = (
    "signup eve{x}Bcc:_victim=40victim.example some-password-1",
    "signup eve some-password-1{x}Bcc:_victim=40victim.example",
    "signup eve some-password-1 eve=40evil.example{x}To:_victim=40victim.example",
    "help{x}Bcc:_victim=40victim.example",
    "help lambo{x}{x}a page of mine",
    "forgot ann{x}Bcc:_victim=40victim.example",
    "games ann{x}Bcc:_victim=40victim.example",
    "lambo challenge ann bob{x}Bcc:_victim=40victim.example",
)


def injections() -> Iterator[Row]:
    for subject in INJECTED:
        for end in LINE_ENDS:
            said = subject.format(x=end).replace(" ", "_")
            yield Row("injection", f"{subject.partition('{')[0]} {end}", "*", head(EVE, f"=?utf-8?q?{said}?="))


LOOKALIKES = (
    "аnn",  # Cyrillic a
    "ann\u200b",
    "a\u0308nn",
    "ａｎｎ",
    "ɑnn",
    "ann\u00ad",
    "\u202eann",
    "Αnn",
    "ann\ufe0f",
    "a𝗇n",
    "ANN",
    "aNn",
    "gone-1",
    "GONE-7",
    "uct1",
    "UCT9",
    "me",
    "ann.",
    "a",
    "1ann",
    "-ann",
    "ann bob",
    "a" * 21,
    "ann@example.org",
)


def lookalikes() -> Iterator[Row]:
    for userid in LOOKALIKES:
        octets = "".join(f"={octet:02X}" for octet in f"signup {userid} some-password-1".encode())
        yield Row("lookalike", f"signup {userid!r}", "* nobody", head(EVE, f"=?utf-8?q?{octets}?="))


# ---- letters that were not answered by whoever got them


def letters() -> Iterator[Row]:
    """`TOKEN` with changes; the test knows the address and makes these of it."""
    of_ann = (
        "another mac", "ply 3", "ply 0", "board 2", "kind a", "kind f", "kind c", "kind o", "kind u", "kind d",
        "kind m", "key 2", "key 0",
    )  # fmt: skip
    of_nobody = (
        "cut", "longer", "player 2", "kind b", "kind x", "leading zero", "no dashes", "twice", "space", "quoted",
        "percent", "unicode K",
    )  # fmt: skip
    for change in (*of_ann, *of_nobody):  # ann hears that her answer was not taken
        ends = REFUSED + (" notice>ann@example.org" if change in of_ann else "")
        yield Row("letter", f"token: {change}", ends, head(ANN, "Re: Lambo 1"), "b1", to=f"{TOKEN}:{change}")
    for sender in (BOB, CAT, EVE, "ann@example.com"):
        ends = REFUSED + " notice>ann@example.org"
        yield Row("letter", f"ann's letter answered by {sender}", ends, head(sender, "Re: Lambo 1"), "b1", to=TOKEN)
    for words in ("set quiet on", "delete", "change password", "add x@y.example", "resign 2", "signoff"):
        ends = "* refused"
        yield Row("letter", f"ann's letter says {words}", ends, head(ANN, "Re: Lambo 1"), words, to=TOKEN)


# ---- a password where no form has it; what an answer says of it is in test_secrets.py

LOOKS = (
    "games ann {word}", "games {word} ann", "list ann {word}", "preview 1 ann {word} a1", "help ann {word}",
    "lambo challange bob {word}", "lambo challenge ann bob --nagtime=3 --forfeittime=14", "show {word}",
    "lambo challenge {word} bob", "history 1 1", "standings",
    "rating {word}", "rating ann {word}",
)  # fmt: skip
UNREAD = ("{word} games ann", "{word}", "frobnicate {word}", "games ann, {word}")
GIVEN_UP = ("postmaster", "Mail-Bot", "ADMIN", "no.reply", "root1", "operator", "support", "abuse", "webmaster")


def slips() -> Iterator[Row]:
    for line in LOOKS:
        subject = line.format(word=PASSWORD["ann"])
        yield Row("slip", f"from ann: {line}", "250 look>ann@example.org", head(ANN, subject))
        yield Row("slip", f"from a stranger: {line}", "*", head(EVE, subject))
        yield Row("slip", f"in the body: {line}", "250 look>ann@example.org", head(ANN, ""), subject)
    for line in UNREAD:
        subject = line.format(word=PASSWORD["ann"])
        ends = "250 look>ann@example.org" if line.startswith("games") else NO_COMMAND
        yield Row("slip", f"unread: {line}", ends, head(ANN, subject))
    for line in ("games ann {word}", "b1 {word}", "{word} b1", "{word}", "resign 2 {word}"):
        body = line.format(word=PASSWORD["ann"])
        yield Row("slip", f"as an answer: {line}", "* refused", head(ANN, "Re: Lambo 1"), body, to=TOKEN)
    for userid in GIVEN_UP:
        yield Row("slip", f"signup {userid}", "* nobody", head(EVE, f"signup {userid} some-password-1"))


# ---- mails that are broken, or bombs


def nested(depth: int) -> str:
    inner = "Content-Type: text/plain\n\nb1\n"
    for level in range(depth):
        inner = f'Content-Type: multipart/mixed; boundary="b{level}"\n\n--b{level}\n{inner}\n--b{level}--\n'
    return inner


def numbered(word: str, count: int) -> str:
    return "".join(word.replace("#", str(n)) for n in range(count))


ATTRIBUTES = "<p " + numbered("a# ", 9_000) + ">"
HTML_BOMBS = (
    ("9,000 attributes of one tag", ATTRIBUTES),
    ("9,000 attributes with values", "<p " + numbered("a#='>' ", 9_000) + ">"),
    ("formatting left open in front of paragraphs", "<p>" + numbered("<b class=#>", 2_000) + "</p><p>x" * 4_000),
    ("tables in cells", "<table><td>" * 9_000 + "</table>" * 9_000),
    ("ends that close nothing", "<table><td>" + "<b>" * 9_000 + "</div></p>" * 9_000),
    ("a style sheet without end", "<style>" + "a{b:c}" * 20_000),
    ("comments", "<!-- -- -- >" * 20_000),
    ("long entities", "&" + "a" * 30 + ";" * 200_000),
    ("a number without end", "&#" + "1" * 200_000 + ";"),
)
TEXT_BOMBS = (
    ("marks with invisible characters between", "a" + ("\u0316\u0301" * 6 + "\u200b") * 7_000),
    ("marks with controls between", "a" + ("\u0316\u0301" * 6 + "\x01") * 7_000),
    ("characters that grow", "\ufdfa" * 80_000),
    ("a line of commands", "queue 1 " + "if a1 then b2 " * 15_000),
)


CHARSETS = (
    "utf-7", "utf-16", "utf-32", "x-unknown", "iso-2022-jp", "hz-gb-2312", "zlib", "base64", "rot13", "idna",
    "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "../../etc/passwd", "a" * 500,
)  # fmt: skip


def bombs() -> Iterator[Row]:
    top = head(ANN, "", "MIME-Version: 1.0\n")
    mixed = top + "Content-Type: multipart/mixed; boundary=b\n"
    for depth in (12, 30, 60, 200, 2000):
        yield Row(
            "bomb",
            f"{depth} levels",
            MALFORMED,
            top + nested(depth).partition("\n\n")[0] + "\n",
            nested(depth).partition("\n\n")[2],
        )
    for parts in (120, 1000, 5000):
        body = "".join(f"--b\nContent-Type: text/x-{n}\n\nx\n" for n in range(parts)) + "--b--\n"
        yield Row("bomb", f"{parts} parts", MALFORMED, mixed, body)
    for count in (2000, 20000):
        yield Row("bomb", f"{count} headers", MALFORMED, top + "X-A: b\n" * count, "b1")
    for size in (70_000, 500_000):
        yield Row("bomb", f"a header of {size}", MALFORMED, top + f"X-A: {'b' * size}\n", "b1")
    for charset in CHARSETS:
        more = f'Content-Type: text/plain; charset="{charset}"\n'
        yield Row("bomb", f"charset {charset[:20]}", "* quiet", top + more, "\\u0062\\u0031 +AGI-1", to=TOKEN)
    for encoding in ("base64", "quoted-printable", "uuencode", "x-gzip", "8bit", "binary", "7bit; x"):
        more = f"Content-Type: text/plain\nContent-Transfer-Encoding: {encoding}\n"
        yield Row("bomb", f"encoding {encoding}", "* quiet", top + more, "====\n=ZZ=\n" * 1000, to=TOKEN)
    for tag in ("<div>", "<table><tr><td>", "<blockquote>", "<b", "<!--", "<script>", "&#", "<style>", "<p style='"):
        more = "Content-Type: text/html; charset=utf-8\n"
        yield Row("bomb", f"{tag} times 20000", "* quiet", top + more, tag * 20_000, to=TOKEN)
    for name, html in HTML_BOMBS:
        more = "Content-Type: text/html; charset=utf-8\n"
        yield Row("bomb", name, "* quiet", top + more, html, to=TOKEN)
        parts = f"--b\n{more}\n{html}\n" * 4
        yield Row(
            "bomb",
            f"{name}, in four parts",
            "* quiet",
            top + "Content-Type: multipart/mixed; boundary=b\n",
            parts,
            to=TOKEN,
        )
    for name, text in TEXT_BOMBS:
        yield Row("bomb", name, "* quiet", top + "Content-Type: text/plain; charset=utf-8\n", text, to=TOKEN)
    deep = nested(10).replace("\nb1\n", "\n" + "--" * 450_000)
    first, _, rest = deep.partition("\n\n")
    yield Row("bomb", "a megabyte ten levels deep", "* quiet", f"{top}{first}\n", rest, to=TOKEN)
    near = "--b no boundary\n" * 30_000
    yield Row(
        "bomb", "lines like a boundary", MALFORMED, top + "Content-Type: multipart/mixed; boundary=b\n", near, to=TOKEN
    )
    for line in (">" * 100_000, "a " * 100_000, "On x wrote: " * 20_000, ":" * 100_000, "\n" * 100_000):
        yield Row("bomb", f"a text of {line[:8]!r}", "* quiet", top, line, to=TOKEN)
    for raw in (
        b"", b"\r\n", b"\r\n\r\n", b"no header at all\r\n", b": nothing\r\n\r\n", b"From\r\n\r\n", b"\x00\r\n",
        b"\xff\xfe\r\n\r\n",
        b"From: ann@example.org\nSubject: help\n\n", b"From: ann@example.org\rSubject: help\r\r",
        b"From: ann@example.org\r\n Subject: help\r\n\r\n", b"From: ann@example.org\r\nSubject help\r\n\r\n",
        b" From: ann@example.org\r\n\r\n", b"From : ann@example.org\r\nFrom: eve@evil.example\r\n\r\n",
        b"From: ann@example.org\r\nSubject: a\r\nSubject: b\r\n\r\n",
    ):  # fmt: skip
        yield Row("broken", repr(raw[:50]), MALFORMED, raw=raw)


# ---- tournaments: bob directs the first one, and cat is in it; ann may look, and enter with a password

UNPROVED = (
    "join 1", "leave 1 cat", "withdraw 1", "challenge 1 cat", "tournament start 1 bob", "tournament create ann",
    "tournament 99999999999999999999", "record tournament 1 -from=-1",
)  # fmt: skip
FORBIDDEN = (
    "join 1 ann {word} -always", "leave 1 ann {word}", "tournament start 1 ann {word}",
    "tournament cancel 1 ann {word}", "tournament note 1 ann {word}", "tournament withdraw 1 ann {word} cat",
    "tournament replace 1 ann {word} cat ann", "tournament time 1 ann {word} cat 999999d",
    "tournament result 1 ann {word} 1",
    'tournament create ann {word} "lambo 1: ann - bob" -format=swiss,rounds=999999 -game=lambo -max=4',
)  # fmt: skip


def tournaments() -> Iterator[Row]:
    """Nobody directs, enters or leaves without a password, nor with a password that is not the director's."""
    for line in UNPROVED:
        yield Row("tournament", f"from ann: {line}", "250 look>ann@example.org", head(ANN, line))
    yield Row("tournament", "from a stranger", NOTHING, head(EVE, "join 1 ann"))
    for line in FORBIDDEN:
        said = line.format(word=PASSWORD["ann"])
        yield Row("tournament", f"ann's: {line}", "250 refusal>ann@example.org", head(ANN, said), "Because I say so.")
    yield Row("tournament", "as an answer", "* refused", head(ANN, "Re: Lambo 1"), "tournament start 1 bob", to=TOKEN)


# ---- much for little: lines that anybody can write in ann's name, each of which is answered to her

MUCH = (
    "games ann ann ann ann ann ann ann ann ann ann all",
    "games ann bob cat ann bob cat all",
    "list lambo palago mambo",
    "show 1 1 1 1 1 1 1 1 1 1 1 1",
    "history 1 1 1 1 1 1 1 1 1 1",
    "record 1 1 1 1 1 1 1 1 1 1 1",
    "help commands",
    "standings",
    "rating",
    "seeks",
    "lambo challenge ann bob",
    "forgot ann",
)


def floods() -> Iterator[Row]:
    """Ten lines of one kind: one of them is done, and answered in one letter."""
    for line in MUCH:
        kind = {"lambo challenge ann bob": "game", "forgot ann": "notice"}.get(line, "look")
        lines = "\n".join([line] * 10)
        same = "* " if kind == "game" else f"{NOTHING} {kind}>{ANN}"
        yield Row("flood", f"ten times {line[:30]}", same.strip(), head(ANN, "multiple"), lines)
        if line.startswith(("show", "list", "games", "history", "record", "standings", "seeks")):
            yield Row("flood", f"a stranger, ten times {line[:30]}", NOTHING, head(EVE, "multiple"), lines)


ROWS: tuple[Row, ...] = tuple(
    row
    for topic in (senders, machines, injections, lookalikes, letters, slips, tournaments, bombs, floods)
    for row in topic()
)
