"""From words to the daemon's answer: a page asks in the words of a mail, and the same reader reads them.

Theory of operation. A form becomes the line that its player would send, with the player's userid and, in the place of
the password, a word that stands for the proof that the page has already (a session, or the link of a letter). The line
is read by `core.language.script`, entered by `Store.enter`, and the answers are heard instead of sent. So a page can do
what a mail can do and no more, and refuses it in the same words. What a command causes for others still goes by letter.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from markupsafe import Markup

from mailbot.core.commands import ROWS
from mailbot.core.converse import Answer, converse
from mailbot.core.effects import Letter, Post
from mailbot.core.language.courtesy import passed_on
from mailbot.core.language.passed import without_passwords
from mailbot.core.language.script import read
from mailbot.core.language.table import Command
from mailbot.core.model import Player
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Proof, Proofs, Request
from mailbot.shell.log import outcomes
from mailbot.shell.web.guard import charge, require_budget
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.writer import Unwritten, told_of
from mailbot.store.posting import Caused
from mailbot.store.store import Store

log = logging.getLogger("mailbot.web")

PROOF: Final = "by-this-page"
"""Stands in a line where a mail has the password. It is never compared with anything."""

BROKEN: Final = "The program broke over this. Nothing has changed, and the operator has been told."


TRAVELS: Final = frozenset({"approve", "archive", "delete", "password", "record", "records"})
"""Templates of answers that go to the player's addresses whoever asks: a proof must come from there, or the owner must
know of it, or they have an attachment."""


@dataclass(frozen=True, slots=True)
class Told:
    """The answers to what was asked. `sent`: those that went out as letters and are not to be shown. `again`: it had
    been done before, so nothing was done now. `broken`: the id under which it was set aside, because the code broke."""

    letters: tuple[Letter, ...] = ()
    sent: tuple[Letter, ...] = ()
    refused: int = 0
    again: bool = False
    broken: int = 0

    @property
    def refusal(self) -> str:
        """The sentence that refuses it, "" if it was done."""
        parts = [(one.template, one.facts) for one in self.letters]
        parts += [(one["template"], one["facts"]) for told in self.letters for one in told.facts.get("parts", ())]
        return next((str(facts["said"]) for template, facts in parts if template == "refused"), "")


def line(rooms: Rooms, said: str, player: Player | None = None, token: Token | None = None) -> Command:
    """The command that these words are: with `{me}` and `{proof}` where a mail has userid and password, or as the
    answer to a letter with this token. A line that cannot be read is a command with `trouble`."""
    names = rooms.reads.names([player] if player else [])
    said = said.replace("{me}", player.userid).replace("{proof}", PROOF) if player else said
    kind = token.kind if token else ""
    subject, text = ("", said) if token else (said, "")
    return read(subject, text, kind, ROWS, rooms.catalogue.words(), names).commands[0]


def asked(command: Command, player: Player | None, proof: Proof = Proofs.PASSWORD) -> Asked:
    """The command as this player asks it. Passwords to set are for the caller (`Asked.secret`)."""
    by = player.id if player else 0
    return Asked(command.name, command.game, command.args, by, proof, line=command.line, trouble=command.trouble)


def plain(player: Player, name: str, args: Mapping[str, Any], game: str = "") -> Asked:
    """A command of this player without a line."""
    return Asked(name, game, args, player.id, Proofs.PASSWORD)


def words(rooms: Rooms, text: str, player: Player | None) -> str:
    """The words of a form as they go on to others: without passwords, boards and quotations, as those of a mail."""
    names = rooms.reads.names([player] if player else [])
    return passed_on(without_passwords(text.strip("\n"), ROWS, rooms.catalogue.words(), names))


def key_of(once: str) -> str:
    """Under this key the store knows the filled-in form."""
    return sha256(f"page|{once}".encode()).hexdigest()


def look(rooms: Rooms, what: Asked, text: str = "") -> Told:
    """The answers to a command. Nothing is written, not even what a mail would change on its way. `text`: the words
    that belong to the command."""
    request = Request(now=rooms.now(), asked=(what,), player=what.by, text=text, looks=True)
    heard = [step for step in converse(request, rooms.reads) if isinstance(step, Answer)]
    return Told(tuple(one.letter for one in heard), refused=sum(one.refused for one in heard))


async def ask(
    rooms: Rooms,
    what: Asked,
    *,
    once: str,
    text: str = "",
    token: Token | None = None,
    by_letter: bool = False,
    kept: bool = True,
) -> Told:
    """Does it, durably, and returns the answers. `once`: the name of the filled-in form; a form that is sent again does
    nothing, if that name is `kept`. `text`: the words that belong to the command. `by_letter`: the answers go out as
    letters, too. What the writer works counts for the network of the request. Raises Unwritten."""
    key = key_of(once)
    request = Request(
        now=rooms.now(),
        asked=(what,),
        player=what.by,
        text=text,
        dedupe=key,
        mark=key[:12],
        token=(token.kind, token.ref, token.stamp) if token else None,
    )
    seconds, undone = 0.0, False

    def enter(store: Store) -> tuple[list[Answer], Caused | None]:
        nonlocal seconds, undone
        begun, heard = rooms.cpu(), list[Answer]()
        if store.poisonous(key):
            raise RuntimeError("the process died three times over this form")
        caused = store.enter(request, heard.append)
        done = caused and (by_letter or caused.letters or caused.held or caused.digested)
        undone = bool(caused and caused.refused and not done)
        if undone or not kept:
            store.forget(key)  # what has not been done can come again, and the disk does not fill
        for one in heard:
            if one.letter.templates & TRAVELS:
                store.reply(one, request)
            elif by_letter:
                store.queue(Post(one.player, one.letter, one.kind), request)
        seconds += rooms.cpu() - begun
        return heard, caused

    try:
        heard, caused = await rooms.writer.do(enter, key)
    except Unwritten:
        raise
    except Exception as error:
        told = told_of(error)
        id = await rooms.writer.do(lambda store: store.set_aside(request, told), key)
        log.error("page %s: %s", request.mark, outcomes.broken(request, id, error))
        return Told(broken=id)
    finally:
        charge(seconds)
    log.info("page %s: %s", request.mark, outcomes.done(request, caused))
    if undone:
        require_budget()  # many forms may have waited together, and a page for each refusal costs much
    letters = [one.letter for one in heard]
    return Told(
        tuple(letter for letter in letters if not letter.templates & TRAVELS),
        tuple(letter for letter in letters if letter.templates & TRAVELS),
        sum(one.refused for one in heard),
        again=caused is None,
    )


def shown(rooms: Rooms, template: str, facts: Mapping[str, Any]) -> Markup:
    """A letter's text as a part of a page."""
    return Markup(rooms.env.get_template("_letter.html").render(blocks=rooms.blocks(template, facts)))  # noqa: S704 - it escapes all
