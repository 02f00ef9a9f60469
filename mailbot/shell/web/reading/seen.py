"""What anybody may see: asked of the commands as a stranger asks them, and sent once to a browser that keeps it.

Theory of operation. A page is decided by what its template is told. So the digest of that is its ETag, and a page that
a browser still has costs no rendering and no transfer. Nothing here says for how long a page may be kept: browsers and
servers in front ask each time (`no-cache`), because the next move may come at any time.
"""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request as Asking
from starlette.responses import Response

from engine.errors import Forbidden, Unreadable
from mailbot.core.commands import BY_NAME
from mailbot.core.effects import Letter, NotAllowed, Say
from mailbot.core.handle import sentence
from mailbot.core.world import Asked, Request
from mailbot.shell.post.letterbox import templates
from mailbot.shell.web.keeping import CACHED, is_known, unchanged
from mailbot.shell.web.rooms import Rooms


def letters(rooms: Rooms, command: str, of: str = "", /, **args: Any) -> list[Letter]:
    """What a stranger hears who sends this command, `of` this game. Raises HTTPException with the sentence of the
    refusal."""
    asked = Asked(command, of, args)
    try:
        effects = BY_NAME[command].run(Request(rooms.now()), asked, rooms.reads)
    except (Unreadable, Forbidden, NotAllowed) as refused:
        raise HTTPException(404, sentence(str(refused))) from None
    return [effect.letter for effect in effects if isinstance(effect, Say)]


def first(request: Asking) -> int:
    """The number in `?from=`, 0 without one."""
    said = request.query_params.get("from", "")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 7 else 0


def page(rooms: Rooms, request: Asking, template: str, status: int = 200, **told: Any) -> Response:
    """The page, or only word that the browser's copy is still good."""
    own = _of_page(template, told)
    return unchanged(own) if is_known(request, own) else whole(rooms, request, template, status, **told)


def whole(rooms: Rooms, request: Asking, template: str, status: int = 200, **told: Any) -> Response:
    """The page, for whoever keeps it."""
    response = rooms.page(request, template, status, **told)
    response.headers.update({**CACHED, "ETag": _of_page(template, told)})
    return response


def _of_page(template: str, told: dict[str, Any]) -> str:
    return tag(f"{looks()} {template} {sorted(told.items())}")


def file(content: bytes, media_type: str, name: str, known_as: str = "") -> Response:
    """A file to keep, in the same way. `known_as`: its tag, if it does not follow from the content."""
    own = known_as or tag(content.decode("latin-1"))
    headers = {**CACHED, "ETag": own, "Content-Disposition": f'inline; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)


def tag(what: str) -> str:
    """An ETag, the same for the same text and for no other."""
    return f'"{sha256(what.encode("utf-8", "surrogatepass")).hexdigest()[:32]}"'


@lru_cache(maxsize=1)
def looks() -> str:
    """Changes when any template of a page does, as after an upgrade."""
    found: list[Path] = sorted((templates() / "page").iterdir())
    return sha256(b"".join(path.read_bytes() for path in found if path.is_file())).hexdigest()
