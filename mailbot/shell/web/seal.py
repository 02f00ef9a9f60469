"""Forms that only our own pages can send, and each only once.

Theory of operation. A form has a nonce, which begins with the minute in which its page was made, and an HMAC over the
nonce and the browser's cookie. Another site cannot know these, so its forms are refused (cross-site request forgery).
The nonce is also the name of the filled-in form (`once` of asking.ask): sent a second time, it does nothing.
"""

import hmac
import re
import secrets
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request

from mailbot.core.mail import charset
from mailbot.core.model import DAY
from mailbot.shell.web.rooms import Rooms

GOOD: Final = 7 * DAY
"""How long a form can be sent. Shorter than the time for which the store knows what was done (store.KEEP_DAYS)."""
MOST_FIELDS: Final = 200
FOREIGN: Final = (
    "This form did not come from a page that you have open here, or you have logged in or out since, or your browser"
    " keeps no cookies. Nothing has been done. Open the page again."
)
OLD: Final = "This page was open for more than a week. Nothing has been done. Look at it again, and send it again."
_ONCE = re.compile(r"([0-9a-f]{1,9})-[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Sent:
    """A form as it came, without its seal. `trouble`: why nothing may be done; "" if all is well. `kept`: whether it
    can be sent once only."""

    fields: dict[str, str] = field(default_factory=dict)
    once: str = ""
    trouble: str = ""
    kept: bool = True

    def get(self, name: str) -> str:
        """What was typed, or ""."""
        return self.fields.get(name, "")

    def line(self, name: str) -> str:
        """What was typed, as one line without blanks at its ends."""
        return " ".join(self.get(name).split())


def hidden(rooms: Rooms, cookie: str) -> Markup:
    """The fields that a form of this browser must have. Each call makes another form."""
    once = f"{rooms.now() // 60:x}-{secrets.token_hex(16)}"
    html = Markup('<input type="hidden" name="once" value="{}"><input type="hidden" name="seal" value="{}">')
    return html.format(once, _mark(rooms, cookie, once, max(rooms.keys)))


async def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form, which the guard has bounded. Of a field that comes several times the values are joined by
    blanks. Raises HTTPException for something that is no form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "This is not a form of this page.")
    try:
        pairs = parse_qsl((await request.body()).decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise HTTPException(400, "This is not a form of this page.") from None
    fields: dict[str, str] = {}
    for name, value in pairs:
        said = charset.clean(value)
        fields[name] = f"{fields[name]} {said}" if name in fields else said
    return fields


async def sent(rooms: Rooms, request: Request, cookie: str) -> Sent:
    """The form of this request. Raises HTTPException for something that is no form."""
    fields = await fields_of(request)
    once, mark = fields.pop("once", ""), fields.pop("seal", "")
    if not any(hmac.compare_digest(_mark(rooms, cookie, once, key).encode(), mark.encode()) for key in rooms.keys):
        return Sent(trouble=FOREIGN)
    found = _ONCE.fullmatch(once)
    age = rooms.now() - int(found[1], 16) * 60 if found else GOOD
    return Sent(fields, once, "" if -60 <= age < GOOD else OLD)


def _mark(rooms: Rooms, cookie: str, once: str, key: int) -> str:
    said = f"mailbot form|{cookie}|{once}".encode()
    return hmac.digest(rooms.keys[key], said, "sha256").hex()[:40]
