"""Who sits in front of the browser: a signed cookie says it, and nothing about it is stored.

Theory of operation. The cookie of a player who is logged in is a token (core/tokens.py) of its own kind. It ends after
DAYS, with a new password, and with whatever else revokes the player's tokens. Somebody who is not logged in gets a
random cookie as soon as a page has a form, because a form is bound to a cookie (seal.py).
"""

import secrets
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from mailbot.core import tokens
from mailbot.core.model import DAY, Player
from mailbot.core.players import limits
from mailbot.core.tokens import Token
from mailbot.shell.web import seal
from mailbot.shell.web.rooms import Rooms

DAYS: Final = 30
"""A log-in lasts as long."""
STRANGER: Final = "visit"
"""The beginning of a cookie that proves nothing; no token begins with it."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a browser. `player`: who is logged in. `cookie`: what its forms are bound to; `fresh`: the browser
    does not have it yet. `source`: the IP address, "" if unknown."""

    player: Player | None
    cookie: str
    fresh: bool
    source: str


def secure(rooms: Rooms) -> bool:
    """Whether browsers reach the page over TLS."""
    return rooms.url.startswith("https://")


def name(rooms: Rooms) -> str:
    """The name of the cookie. With `__Host-` a browser takes it over TLS only, and from no neighbouring host."""
    return "__Host-mailbot" if secure(rooms) else "mailbot"


def visit(rooms: Rooms, request: Request) -> Visit:
    """Who asks. A cookie that is no longer good counts as none."""
    said = _cookie(rooms, request)
    source = request.client.host if request.client else ""
    if player := _player(rooms, said):
        return Visit(player, said, False, source)
    known = said.startswith(STRANGER) and said.isalnum() and len(said) == len(STRANGER) + 32
    return Visit(None, said if known else STRANGER + secrets.token_hex(16), not known, source)


def _cookie(rooms: Rooms, request: Request) -> str:
    """The value of the one cookie with our name, "" if there is none or another. Only blanks and tabs are taken off a
    name: to a browser a no-break space belongs to it, and so a neighbouring host may set such a cookie for us."""
    pairs = (one.strip(" \t").partition("=") for said in request.headers.getlist("cookie") for one in said.split(";"))
    mine = [value for key, _, value in pairs if key == name(rooms)]
    return mine[0] if len(mine) == 1 else ""


def _player(rooms: Rooms, said: str) -> Player | None:
    unverified = tokens.read(said)
    if unverified is None or unverified.token.kind != tokens.SESSION:
        return None
    token, player = unverified.token, rooms.reads.player(unverified.token.player)
    if player is None or player.state not in ("active", "off") or token.stamp != player.password_version:
        return None
    good = tokens.verify(unverified, rooms.keys, player.token_epoch)
    return player if good and 0 <= rooms.now() // DAY - token.ref < DAYS else None


def begin(rooms: Rooms, player: Player, response: Response) -> None:
    """Logs the browser in as this player."""
    newest = max(rooms.keys)
    token = Token(tokens.SESSION, player.id, rooms.now() // DAY, player.password_version)
    _set(rooms, response, tokens.write(token, rooms.keys[newest], newest, player.token_epoch), DAYS * DAY)


def end(rooms: Rooms, response: Response) -> None:
    """Logs the browser out."""
    _set(rooms, response, "", 0)


def _set(rooms: Rooms, response: Response, said: str, seconds: int | None) -> None:
    response.set_cookie(
        name(rooms), said, max_age=seconds, path="/", secure=secure(rooms), httponly=True, samesite="lax"
    )


def page(rooms: Rooms, request: Request, mine: Visit, template: str, status: int = 200, **told: Any) -> Response:
    """A page that only this browser may see: with `player`, and with `seal()`, which belongs into each of its forms."""
    response = rooms.page(request, template, status, **facts(rooms, mine), **told)
    own(rooms, mine, response)
    return response


def facts(rooms: Rooms, mine: Visit) -> dict[str, Any]:
    """What a template with forms needs. Use `own` on the response. `unheard`: the player gets no letters: `off`, signed
    off, `quiet`, or `lost`, if they come back."""
    unheard = ""
    if mine.player is not None and not limits.hears(mine.player.id, rooms.reads):
        quiet = rooms.reads.preferences(mine.player.id).get("quiet") == "on"
        unheard = "off" if mine.player.state == "off" else "quiet" if quiet else "lost"
    return {"player": mine.player, "unheard": unheard, "seal": lambda: seal.hidden(rooms, mine.cookie)}


def own(rooms: Rooms, mine: Visit, response: Response) -> None:
    """Marks a response as meant for this browser only."""
    response.headers["Cache-Control"] = "no-store"
    if mine.fresh:
        _set(rooms, response, mine.cookie, None)
