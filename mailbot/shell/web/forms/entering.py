"""Logging in, with name and password or by a link in a letter, and logging out.

The password is checked as that of a mail is (shell/proof/asker.py): the same limits, the same work for a name that is
nobody's, the same letters about wrong passwords and locks. The page says one sentence whatever was wrong.
"""

import logging
import secrets
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mailbot.core import tokens
from mailbot.core.effects import Kinds, Letter, Post
from mailbot.core.mail.addresses import key
from mailbot.core.model import Player
from mailbot.core.tokens import Token
from mailbot.shell.log.outcomes import Refused
from mailbot.shell.proof.auth import Busy
from mailbot.shell.proof.budgets import Spent
from mailbot.shell.web import seal, session
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.writer import Unwritten
from mailbot.store import seen
from mailbot.store.store import Store

MINUTES: Final = 60
"""How long the link of a letter is good."""
WRONG: Final = "This name and this password do not belong together, or the name takes no password at the moment."
BUSY: Final = "Too many passwords are being checked. Nothing has been done; try again in some minutes."
UNWRITTEN: Final = "The server cannot write at the moment. Nothing has been done; try again in a moment."
SPENT: Final = "Too many letters of this kind were asked for within the hour. Nothing has been done; try again later."
SENT: Final = (
    "If this name is a player's, a letter with a link is on its way to the player's addresses. The server sends only a"
    " few of them in an hour and in a day. If none comes, use the link in the last one: it works for an hour. Or set a"
    " new password by mail: its Subject is 'forgot' and the name."
)
USED: Final = "This link has been used, or is older than an hour."
LOGGED_OUT: Final = (
    "You were not logged in any more, so this form has not been read. If you sent it twice, it may have been done the"
    " first time: log in and look."
)

log = logging.getLogger("mailbot.web")


def local(said: str) -> str:
    """Where to go after the log-in: a path of this page and nothing else."""
    fine = said.startswith("/") and not said.startswith("//") and said.isascii() and said.isprintable()
    return said if fine and "\\" not in said and len(said) <= 200 else "/me"


def must_log_in(request: Request) -> Response:
    """Sends somebody who is not logged in to the log-in and, after it, back to this page."""
    query = {"next": request.url.path, **({"sent": "1"} if request.method == "POST" else {})}
    return RedirectResponse(f"/login?{urlencode(query)}", 303, {"Cache-Control": "no-store"})


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    def asks(request: Request, mine: session.Visit, status: int = 200, said: str = "", **typed: str) -> Response:
        typed = {"name": "", "next": "", **typed}
        return session.page(rooms, request, mine, "login", status, said=said, typed=typed)

    async def login(request: Request) -> Response:
        mine = session.visit(rooms, request)
        said = LOGGED_OUT if "sent" in request.query_params else ""
        return asks(request, mine, said=said, next=request.query_params.get("next", "")[:200])

    async def log_in(request: Request) -> Response:
        mine = session.visit(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        typed = {"name": form.line("name")[:100], "next": form.get("next")[:200]}
        if form.trouble and mine.player:
            said = await seal.fields_of(request)
            if key(said.get("name", "").strip()) == key(mine.player.userid):  # the first of two taps has done it
                return RedirectResponse(local(said.get("next", "")), 303, {"Cache-Control": "no-store"})
        if form.trouble:
            return asks(request, mine, 403, form.trouble, **typed)
        mark = secrets.token_hex(6)
        password = form.get("password")
        try:
            player = await rooms.asker.at_page(typed["name"], password, mine.source, mark, rooms.now())
        except Refused as refused:
            log.log(refused.level, "page %s: refused: %s", mark, refused.why)
            return asks(request, mine, 403, WRONG, **typed)
        except Busy:
            return asks(request, mine, 503, BUSY, **typed)
        log.info("page %s: player %d logs in", mark, player.id)
        return entered(player, local(typed["next"]))

    async def link(request: Request) -> Response:
        """Sends a letter with a link, now or later, to somebody or to nobody: the answer is the same."""
        mine = session.visit(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        name = form.line("name")[:100]
        if form.trouble:
            return asks(request, mine, 403, form.trouble, name=name)
        try:
            rooms.budgets.spend("login", mine.source, [""], rooms.now(), page=True)
        except Spent:
            return asks(request, mine, 429, SPENT, name=name)
        found = rooms.reads.player_named(name)
        player = found if found and found.state in ("active", "off") else None
        number, version = (player.id, player.password_version) if player else (0, 1)
        token = Token(tokens.LOGIN, number, rooms.now() // 60, version)
        letter = Letter("login", "Log in", {"userid": ""}, token)
        try:
            kept = await rooms.asker.tell(Post(number, letter, Kinds.NOTICE), mine.source, secrets.token_hex(6), name)
        except Unwritten:
            return asks(request, mine, 503, UNWRITTEN, name=name)
        if not kept:  # whoever has that name
            return asks(request, mine, 429, SPENT, name=name)
        return session.page(rooms, request, mine, "said", said=SENT, title="Log in")

    async def enter(request: Request) -> Response:
        """What the link opens. It changes nothing, because mail programs open links, too."""
        mine = session.visit(rooms, request)
        player = holder(request.path_params["token"])
        if player is None:
            return asks(request, mine, 403, USED)
        return session.page(rooms, request, mine, "enter", who=player.userid)

    async def use_link(request: Request) -> Response:
        mine = session.visit(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        text = request.path_params["token"].lower()
        player = holder(text)
        if form.trouble and player and mine.player and player.id == mine.player.id:
            return RedirectResponse("/me", 303, {"Cache-Control": "no-store"})  # as above
        if form.trouble or player is None:
            return asks(request, mine, 403, form.trouble or USED)
        # A form whose answer was lost comes again, from the only browser that can send it, and logs it in.
        known, again = (sha256(f"login|{said}".encode()).hexdigest() for said in (text, f"{text}|{form.once}"))

        def use(store: Store) -> bool:
            first = store.remember(known, rooms.now(), known[:12], "log-in")
            return first and store.remember(again, rooms.now(), known[:12], "log-in")

        try:
            first = await rooms.writer.do(use)
        except Unwritten:
            return asks(request, mine, 503, UNWRITTEN)
        if not first and seen.of(rooms.reads.db, again) is None:
            return asks(request, mine, 403, USED)
        # Else a lock could outlast the owner's proof.
        rooms.auth.make_home(player.userid, mine.source, rooms.now(), player.password_version)
        log.info("page %s: player %d logs in by a link", known[:12], player.id)
        return entered(player, "/me")

    def holder(text: str) -> Player | None:
        """Whom this link logs in."""
        unverified = tokens.read(text)
        if unverified is None or unverified.token.kind != tokens.LOGIN:
            return None
        token, player = unverified.token, rooms.reads.player(unverified.token.player)
        if not tokens.verify(unverified, rooms.keys, player.token_epoch if player else 0) or player is None:
            return None
        good = token.stamp == player.password_version and 0 <= rooms.now() // 60 - token.ref <= MINUTES
        return player if good and player.state in ("active", "off") else None

    def entered(player: Player, to: str) -> Response:
        response = RedirectResponse(to, 303, {"Cache-Control": "no-store"})
        session.begin(rooms, player, response)
        return response

    async def logout(request: Request) -> Response:
        mine = session.visit(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        if form.trouble and mine.player:
            return session.page(rooms, request, mine, "said", 403, said=form.trouble, title="Log out")
        response = RedirectResponse("/", 303, {"Cache-Control": "no-store"})
        session.end(rooms, response)
        return response

    return [
        Route("/login", login, name="login"),
        Route("/login", log_in, methods=["POST"]),
        Route("/login/link", link, methods=["POST"]),
        Route("/enter/{token}", enter),
        Route("/enter/{token}", use_link, methods=["POST"]),
        Route("/logout", logout, methods=["POST"]),
    ]
