"""From a row of the outbox to the finished letter: templates, reply tokens, thread and message ids.

Nothing here depends on the clock or on chance, so a letter that is sent again is the same to the byte.
"""

import hmac
from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from mailbot.core import pages, tokens, zones
from mailbot.core.commands import BY_NAME, ROWS
from mailbot.core.letters import pictures, pieces
from mailbot.core.letters.context import context, indent, last, tidy
from mailbot.core.letters.outgoing import Message, Shown
from mailbot.core.letters.pictures import Wanted
from mailbot.core.mail.addresses import Own
from mailbot.core.mail.quoting import MARKER
from mailbot.core.players.preferences import looks
from mailbot.core.tokens import Token
from mailbot.shell.config.shipped import shipped
from mailbot.shell.post.attachments import attached
from mailbot.shell.post.compose import compose
from mailbot.shell.post.layout import Layout, loaded
from mailbot.shell.proof import passwords
from mailbot.store import hung, outbox
from mailbot.store.reads import Reads

NAME = "mailbot"

FOOT = "\nFewer letters? Send: help letters\n"
"""The last line of every letter to a player."""

QUIET_FOOT = """
Your letters are off: you get answers to your mails, no news of your games.
To get letters again: set {userid} PASSWORD quiet off
"""
"""The same for a player who has switched letters off, perhaps long ago, and may expect them."""

NO_FOOT = frozenset({"confirm", "goodbye", "signedoff", "stop", "unsubscribed"})
"""Letters to somebody who may not be a player, a player's last letter, and the letters about unsubscribing."""


def templates() -> Path:
    """The folder of the templates."""
    return shipped("templates")


def environment(folder: Path | None = None) -> Environment:
    """Text templates; a missing name is an error, never an empty text."""
    env = Environment(
        loader=loaded(folder or templates()),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - plain text
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    env.filters["indent_lines"] = indent
    env.filters["piece"] = pieces.piece
    return env


def _helping(own: Own, catalogue: Catalogue) -> Environment:
    """Templates with all functions for help pages except `letter`, which draws a letter."""
    env = environment()
    env.globals.update(
        address=own.address,
        postmaster=own.postmaster,
        rows=[row for row in ROWS if not row.takes_over],
        row=BY_NAME,
        games={row.name: row for row in catalogue.games},
    )
    env.globals.update(pages.table(catalogue))
    return env


def rules_page(game: str, own: Own, catalogue: Catalogue = CATALOGUE) -> str:
    """The help page on a game."""
    return pieces.plain(tidy(_helping(own, catalogue).get_template(f"help/{game}.txt").render()))


class Letterbox:
    """Renders letters. `keys`: the server's secrets by id; the newest signs. `page`: the address of the page for
    browsers, "" without one. `computers`: whether computer players play here."""

    def __init__(
        self,
        own: Own,
        reads: Reads,
        keys: Mapping[int, bytes],
        catalogue: Catalogue = CATALOGUE,
        *,
        computers: bool = True,
    ) -> None:
        self.own = own
        self._reads = reads
        self._keys = keys
        self._newest = max(keys)
        self._catalogue = catalogue
        self.page = ""
        self._env = _helping(own, catalogue)
        self._env.globals.update(letter=self._sample, computers=computers)
        self._layout = Layout(templates(), own.message_domain)

    def over(self, reads: Reads) -> "Letterbox":
        """The same letterbox over another connection, for use in another thread."""
        other = copy(self)
        other._reads = reads
        return other

    def octets(self, row: outbox.Entry) -> bytes:
        """The letter as it is sent."""
        return compose(self.letter(row))

    def letter(self, row: outbox.Entry) -> Message:
        """The letter of this row. Exceptions of templates pass on."""
        answers = row.answers or None
        root = f"<{row.thread}-{row.player}@{self.own.message_domain}>" if row.thread else None
        made = hung.contents(self._reads.db, row.pictures) if row.pictures else {}
        answered = row.token is not None and row.token.kind not in tokens.AT_PAGE
        marked = self.marked(row.template, row.facts, made, has_token=answered, link=self._link(row))
        if row.player and row.template not in NO_FOOT:
            marked += self._foot(row)
        html = ""
        if looks(row.facts)["letters"] != "text":
            html = self._layout.html(marked, row.subject, answered=answered, made=made)
        return Message(
            to=row.address,
            from_name=NAME,
            from_addr=self.own.address,
            reply_to=self._reply_to(row) if answered else None,
            subject=row.subject,
            text=(f"{MARKER}\n\n" if answered else "") + pieces.plain(marked),
            message_id=f"<{self._mark(f'message {row.id}')}@{self.own.message_domain}>",
            date=row.created,
            in_reply_to=answers or root,
            references=tuple(known for known in (root, answers) if known),
            auto="auto-replied" if answers else "auto-generated",
            loop=self.own.domain,
            **self._list_headers(row),
            attachments=attached(row.template, row.facts, self.own.domain, made, self._catalogue),
            html=html,
            shown=self._shown(html, made),
        )

    def _foot(self, row: outbox.Entry) -> str:
        quiet = looks(row.facts)["quiet"] == "on"
        reader = self._reads.player(row.player) if quiet else None
        return QUIET_FOOT.format(userid=reader.userid) if reader else FOOT

    def pictures(self, template: str, facts: Mapping[str, Any]) -> tuple[Wanted, ...]:
        """All pictures of a letter that can be made, each once: of its board, and of the boards in help pages."""
        found = list(pictures.wanted(template, facts, self._catalogue))
        if looks(facts)["letters"] == "picture":
            for told in ({"template": template, "facts": facts}, *facts.get("parts", ())):
                if told["template"] == "help":
                    found += pages.pictures(self.marked("help", told["facts"], {}, has_token=False))
        return tuple(dict.fromkeys(found))

    def _shown(self, html: str, made: Mapping[str, bytes | None]) -> tuple[Shown, ...]:
        """The pictures that this HTML shows."""
        return tuple(
            Shown(cid, f"board-{number}.png", pictures.MEDIA_TYPE, png)
            for number, (cid, png) in enumerate(((self._layout.cid(key), png) for key, png in made.items()), 1)
            if png and f'"cid:{cid}"' in html
        )

    def _list_headers(self, row: outbox.Entry) -> dict[str, str]:
        """For unrequested letters: where they belong, and how to stop them (F1, RFC 2369, RFC 2919)."""
        if not row.news:
            return {}
        game = str(row.facts.get("rules", NAME)).split()[0]
        stop = self._token_address(Token(tokens.UNSUBSCRIBE, row.player, 0, 0), row.epoch)
        return {
            "list_id": f"{game}.{self.own.message_domain}",
            "list_help": f"mailto:{self.own.address}?subject=help",
            "list_unsubscribe": f"mailto:{stop}?subject=unsubscribe",
        }

    def text(self, template: str, facts: Mapping[str, Any], *, has_token: bool) -> str:
        """The text of a letter."""
        return pieces.plain(self.marked(template, facts, {}, has_token=has_token))

    def marked(
        self,
        template: str,
        facts: Mapping[str, Any],
        made: Mapping[str, bytes | None],
        *,
        has_token: bool,
        link: str = "",
    ) -> str:
        """The text with the marks of `pieces`; plain text and HTML are made from it. `link`: where its board is on the
        page."""
        told = context(facts, self._catalogue, made) | {"has_token": has_token, "link": link}
        if "parts" in facts:
            zone = {zones.FACT: facts[zones.FACT]} if zones.FACT in facts else {}
            told["parts"] = [
                {
                    **part,
                    "text": self.marked(part["template"], part["facts"] | zone, made, has_token=has_token).strip("\n"),
                }
                for part in facts["parts"]
            ]
        if isinstance(nonce := facts.get("nonce"), str) and nonce:  # else it has been sent, and the seed is gone
            told["password"] = passwords.generated(self._keys[self._newest], nonce)
        text = tidy(self._env.get_template(f"letters/{template}.txt").render(told))
        return f"{text}\n{last(facts)}" if "last" in facts else text

    def _sample(self, facts: Mapping[str, Any]) -> str:
        """A letter about a board as a help page shows it, without the note to reply above."""
        return pieces.piece(self.text("board", facts, has_token=True).strip("\n"), "drawing")

    def _link(self, row: outbox.Entry) -> str:
        """What the letter opens on the page: the log-in, or its board; with a token that plays the turn, if that is the
        reader's."""
        facts, page = row.facts, self.page
        if row.token and row.token.kind in tokens.AT_PAGE:
            return f"{page}/enter/{self._token_text(row.token, row.epoch)}"
        if not page or "board" not in facts or looks(facts)["links"] != "on":
            return ""
        if row.token and row.token.kind == tokens.PLAY and facts.get("to_move") == facts["viewer"]:
            return f"{page}/turn/{self._token_text(row.token._replace(kind=tokens.LINK), row.epoch)}"
        return f"{page}/board/{facts['board']}"

    def _reply_to(self, row: outbox.Entry) -> str | None:
        return None if row.token is None else self._token_address(row.token, row.epoch)

    def _token_address(self, token: Token, epoch: int) -> str:
        """The reply address for this token."""
        return self.own.token_address(self._token_text(token, epoch))

    def _token_text(self, token: Token, epoch: int) -> str:
        """The token as text; `epoch`: the player's, of the time at which the letter was written."""
        return tokens.write(token, self._keys[self._newest], self._newest, tokens.epoch_of(token.kind, epoch))

    def _mark(self, what: str) -> str:
        return hmac.digest(self._keys[self._newest], what.encode(), "sha256")[:12].hex()
