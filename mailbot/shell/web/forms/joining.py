"""Becoming a player, and a password that is forgotten: what somebody may ask who has not logged in.

Both cost what a mail costs: the budgets of the client's network (shell/proof/budgets.py), three letters to an address,
and, for a forgotten password, the turn of a mail that proves nothing. Whether a letter goes out, no page says.
"""

import logging
import secrets
from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core import world
from mailbot.core.commands.account import MAX_ADDRESSES
from mailbot.core.language.grammar import SHORTEST
from mailbot.core.language.masking import HIDDEN, password_trouble
from mailbot.core.mail.addresses import Own, parse_addr
from mailbot.core.model import USERID
from mailbot.core.players import names
from mailbot.core.world import Asked
from mailbot.shell.proof import passwords
from mailbot.shell.proof.auth import Busy
from mailbot.shell.proof.budgets import OUR_OWN, Spent
from mailbot.shell.web import asking, seal, session
from mailbot.shell.web.forms.entering import BUSY, SPENT, UNWRITTEN
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.writer import Unwritten
from mailbot.store import unproved

ASKED: Final = (
    "A letter asks each address whether it agrees. Answer it, and the game begins: until then nobody can see your name,"
    " and you cannot log in."
    " No letter? An address is asked three times at most, so look among the unwanted mails, too."
)
FORGOTTEN: Final = "If this name is a player's, a letter for a new password is on its way to the player's addresses."

log = logging.getLogger("mailbot.web")


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def form(request: Request) -> Response:
        return page(request, session.visit(rooms, request), {}, {})

    def page(
        request: Request, mine: session.Visit, typed: Mapping[str, str], wrong: Mapping[str, str], status: int = 200
    ) -> Response:
        return session.page(rooms, request, mine, "join", status, typed=typed, wrong=wrong)

    async def join(request: Request) -> Response:
        mine = session.visit(rooms, request)
        sent = await seal.sent(rooms, request, mine.cookie)
        name, password, said = sent.line("name"), sent.get("password"), sent.line("address").split()
        typed = {"name": name, "address": " ".join(said)}
        if sent.trouble:
            return page(request, mine, typed, {"": sent.trouble}, 403)
        if wrong := _wrong(name, password, said, rooms.own):
            return page(request, mine, typed, wrong, 422)
        now = rooms.now()
        try:
            rooms.budgets.spend("signup", mine.source, said, now, page=True)
            nonce = "" if password else secrets.token_hex(16)
            made = password or passwords.generated(rooms.keys[max(rooms.keys)], nonce)
            secret = (await rooms.auth.hash(made), nonce)
            asked = Asked("signup", args={"userid": name, "address": tuple(said)}, secret=secret)
            # Whoever goes back and corrects a field asks for something else.
            told = await asking.ask(rooms, asked, once=f"0|{sent.once}|{name}|{' '.join(said)}")
        except Spent:
            return page(request, mine, typed, {"": SPENT}, 429)
        except Busy:
            return page(request, mine, typed, {"": BUSY}, 503)
        except Unwritten:
            return page(request, mine, typed, {"": UNWRITTEN}, 503)
        if told.broken or told.refusal:
            where = "name" if name.lower() in told.refusal.lower() else "address"
            return page(request, mine, typed, {where: told.refusal or asking.BROKEN}, 422)
        return session.page(rooms, request, mine, "said", said=ASKED, title=f"Welcome, {name}")

    async def forgot(request: Request) -> Response:
        return forgot_page(request, session.visit(rooms, request))

    def forgot_page(
        request: Request, mine: session.Visit, name: str = "", said: str = "", status: int = 200
    ) -> Response:
        return session.page(rooms, request, mine, "forgot", status, name=name, said=said)

    async def ask_for_it(request: Request) -> Response:
        mine = session.visit(rooms, request)
        sent = await seal.sent(rooms, request, mine.cookie)
        name = sent.line("name")
        if sent.trouble:
            return forgot_page(request, mine, name, sent.trouble, 403)
        if not USERID.match(name):
            return forgot_page(request, mine, name, "This cannot be a name.", 422)
        key = asking.key_of(f"0|{sent.once}|{name}")
        known = name if len(name) < SHORTEST or rooms.reads.player_named(name) else HIDDEN  # it may be a password
        waiting = world.Request(rooms.now(), (Asked("forgot", args={"userid": known}),), dedupe=key, mark=key[:12])
        try:
            rooms.budgets.spend("forgot", mine.source, [""], rooms.now(), page=True)
            put = await rooms.asker.later(waiting, mine.source)
        except Spent:
            return forgot_page(request, mine, name, SPENT, 429)
        except Unwritten:
            return forgot_page(request, mine, name, UNWRITTEN, 503)
        if put not in (unproved.Put.KEPT, unproved.Put.KNOWN):
            return forgot_page(request, mine, name, SPENT, 429)
        log.info("page %s: kept: forgot", key[:12])
        return session.page(rooms, request, mine, "said", said=FORGOTTEN, title="A forgotten password")

    return [
        Route("/join", form),
        Route("/join", join, methods=["POST"]),
        Route("/forgot", forgot),
        Route("/forgot", ask_for_it, methods=["POST"]),
    ]


def _wrong(name: str, password: str, addresses: list[str], own: Own) -> dict[str, str]:
    """What is wrong with the fields of a sign-up, before anything is asked."""
    found = {}
    if not USERID.match(name):
        found["name"] = "A name has 2 to 20 letters, digits, '_', '-' or '.', and a letter first."
    elif names.like_site(name):
        found["name"] = names.SITE
    if password and (said := password_trouble(name, password)):
        found["password"] = said
    if not addresses:
        found["address"] = "Your address is missing."
    elif len(addresses) > MAX_ADDRESSES:
        found["address"] = f"A player has at most {MAX_ADDRESSES} addresses."
    elif not all(map(parse_addr, addresses)):
        found["address"] = "No mail can be sent to this."
    elif own.among(addresses):
        found["address"] = OUR_OWN
    return found
