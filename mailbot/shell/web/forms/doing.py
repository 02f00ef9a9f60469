"""A page for each command: its form, its help beside it, and what the daemon answers.

`/do` lists the commands. A command that only looks is asked by a link, any other by a form that is sent once.
"""

import logging
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mailbot.core.caps import moment
from mailbot.core.commands import ROWS
from mailbot.core.effects import Letter
from mailbot.core.language import me
from mailbot.core.language.grammar import Row
from mailbot.core.language.masking import password_trouble
from mailbot.core.mail import charset
from mailbot.core.model import Player, States
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Proofs
from mailbot.shell.log.outcomes import Refused
from mailbot.shell.proof import failures
from mailbot.shell.proof.auth import Busy
from mailbot.shell.proof.budgets import ASKING, Spent, unaskable
from mailbot.shell.web import asking, seal, session
from mailbot.shell.web.asking import Told
from mailbot.shell.web.forms import fields, sheets
from mailbot.shell.web.forms.entering import BUSY, SPENT, UNWRITTEN, must_log_in
from mailbot.shell.web.forms.fields import Field
from mailbot.shell.web.forms.sheets import Sheet
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.web.seal import Sent
from mailbot.shell.web.session import Visit
from mailbot.shell.writer import Unwritten
from mailbot.store import seen

log = logging.getLogger("mailbot.web")

ASTRAY: Final = "I cannot read this form; nothing has been done."
WRONG_OLD: Final = "This is not your current password, or it is not taken at the moment."


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a filled-in form: the daemon's answer, or what is wrong, by field ("": with no single one)."""

    told: Told | None = None
    wrong: Mapping[str, str] = field(default_factory=dict)
    status: int = 200


def command(rooms: Rooms, sheet: Sheet, typed: Mapping[str, str], player: Player | None) -> Asked | str:
    """The filled-in sheet as a command of this player, or why it cannot be read."""
    read = asking.line(rooms, sheet.line(typed), player)
    own = player.userid.lower() if player else ""
    astray = read.name != sheet.row.name or (sheet.proved and own not in map(str.lower, read.userids))
    if astray or (sheet.proved and read.password != asking.PROOF):
        return ASTRAY
    if read.trouble:
        return read.trouble
    asked = asking.asked(read, player, Proofs.PASSWORD if player else Proofs.NOTHING)
    return replace(asked, args=me.named(asked.args, player)) if player else asked


async def done(rooms: Rooms, mine: Visit, sheet: Sheet, form: Sent) -> Outcome:
    """Does what the form asks for, unless something is wrong with it."""
    if form.trouble or mine.player is None:
        return Outcome(wrong={"": form.trouble or seal.FOREIGN}, status=403)
    if wrong := fields.troubles(sheet.fields(rooms.catalogue), form.fields):
        return Outcome(wrong=wrong, status=422)
    asked = command(rooms, sheet, form.fields, mine.player)
    if isinstance(asked, str):
        return Outcome(wrong={"": asked}, status=422)
    if asked.name in ASKING:
        if trouble := unaskable(asked.args["address"], rooms.own):
            return Outcome(wrong={"address": trouble}, status=422)
        try:
            rooms.budgets.spend("signup", mine.source, asked.args["address"], rooms.now(), page=True)
        except Spent:
            return Outcome(wrong={"": SPENT}, status=429)
    if sheet.row.sets_password:
        found = await _with_password(rooms, mine, asked, form)
        if isinstance(found, Outcome):
            return found
        asked = found
    text = asking.words(rooms, form.get("words"), mine.player) if sheet.row.may_have_body else ""
    outcome = await asked_once(rooms, mine.player, asked, form, text)
    if outcome.told and (said := outcome.told.refusal):
        at = blamed(said, form.fields, sheet.fields(rooms.catalogue))
        return replace(outcome, wrong={at: said})
    return outcome


async def asked_once(
    rooms: Rooms,
    player: Player,
    asked: Asked,
    form: Sent,
    text: str = "",
    token: Token | None = None,
    *,
    by_letter: bool = False,
) -> Outcome:
    """Asks the daemon. `by_letter`: the answer goes out as a letter, too."""
    try:
        told = await asking.ask(
            rooms,
            asked,
            once=f"{player.id}|{form.once}",
            text=text,
            token=token,
            by_letter=by_letter,
            kept=form.kept,
        )
    except Unwritten:
        return Outcome(wrong={"": UNWRITTEN}, status=503)
    if told.broken:
        return Outcome(wrong={"": asking.BROKEN}, status=500)
    if told.refusal:
        return Outcome(told, {"": told.refusal}, 422)
    return Outcome(told)


async def _with_password(rooms: Rooms, mine: Visit, asked: Asked, form: Sent) -> Asked | Outcome:
    """The command with the hash of the new password, if the current one is right: a browser that somebody has left
    open must not be enough to lock its owner out."""
    assert mine.player
    userid, new = mine.player.userid, form.get("new")
    if said := password_trouble(userid, new):
        return Outcome(wrong={"new": said}, status=422)
    mark = secrets.token_hex(6)
    try:
        player = await rooms.asker.at_page(userid, form.get("old"), mine.source, mark, rooms.now())
        args = {**asked.args, "version": player.password_version}
        asked = replace(asked, args=args, secret=(await rooms.auth.hash(new), ""))
        rooms.auth.free(userid, mine.source, rooms.now(), failures.of(player, rooms.reads))
        return asked
    except Refused as refused:
        log.log(refused.level, "page %s: refused: %s", mark, refused.why)
        return Outcome(wrong={"old": WRONG_OLD}, status=403)
    except Busy:
        return Outcome(wrong={"": BUSY}, status=503)


def blamed(said: str, typed: Mapping[str, str], known: Sequence[Field]) -> str:
    """The field that a refusal is about: the one whose words it repeats, else the last one that must be filled in."""
    asked = [one for one in known if typed.get(one.name) and one.kind not in ("words", "secret")]
    repeated = [one.name for one in asked if re.search(rf"(?<!\w){re.escape(typed[one.name])}(?!\w)", said)]
    needed = [one.name for one in asked if one.required and one.slot]
    return max(repeated, key=lambda name: len(typed[name]), default=(needed or [""])[-1])


def sent_before(rooms: Rooms, player: Player, form: Sent) -> bool:
    """Whether this form has been done already."""
    return seen.of(rooms.reads.db, asking.key_of(f"{player.id}|{form.once}")) is not None


def answer(rooms: Rooms, request: Request, mine: Visit, told: Told, form: Sent, title: str) -> Response:
    """The page that says what a form has done; of a form that came before, what it did then."""
    facts: dict[str, Any] = {"before": "", "boards": _boards(told.letters)}
    if told.again and mine.player:
        known = seen.of(rooms.reads.db, asking.key_of(f"{mine.player.id}|{form.once}"))
        zone = rooms.reads.zone(mine.player.id)
        facts["before"] = moment(known.at, zone) if known else "some time ago"
        facts["boards"] = known.boards.split() if known else []
    facts["boards"] = [(board, _page_of(rooms, board)) for board in facts["boards"]]
    shown = [asking.shown(rooms, letter.template, letter.facts) for letter in told.letters]
    return session.page(rooms, request, mine, "done", title=title, shown=shown, sent=told.sent, **facts)


def _page_of(rooms: Rooms, board: str) -> str:
    """Where its players see this board: one that has not begun is on the page with the challenge."""
    game = rooms.reads.game(int(board))
    return f"/board/{board}/do" if game and game.state == States.OFFERED else f"/board/{board}"


def _boards(letters: tuple[Letter, ...]) -> list[str]:
    """The boards that these letters are about. A puzzle has a number of its own."""
    found = (letter.facts.get("board") for letter in letters if letter.template != "puzzle")
    return list(dict.fromkeys(str(board) for board in found if board))


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    def page(
        request: Request,
        mine: Visit,
        row: Row,
        typed: Mapping[str, str],
        wrong: Mapping[str, str],
        at: str = "",
        status: int = 200,
        shown: Any = (),
    ) -> Response:
        """The command's page. `at`: the sheet that `typed` and `wrong` are about."""
        told = [{"sheet": sheet, "fields": sheet.fields(rooms.catalogue)} for sheet in sheets.sheets(row)]
        help_ = asking.shown(rooms, "help", {"topic": row.name, "asked": "", "other": False})
        facts = {"row": row, "slug": sheets.slug(row), "sheets": told, "help": help_, "shown": shown}
        return session.page(rooms, request, mine, "do", status, typed=typed, wrong=wrong, at=at, **facts)

    def found(request: Request) -> Row:
        row = sheets.named(request.path_params["slug"])
        if row is None:
            raise HTTPException(404, "There is no such command. /do lists them.")
        return row

    def sheet_of(row: Row, said: str) -> Sheet:
        """The sheet with this key; the first one without a key."""
        known = sheets.sheets(row)
        return next((sheet for sheet in known if sheet.key == said), known[0])

    async def palette(request: Request) -> Response:
        """All commands; with `?command=` the page of one."""
        said = " ".join(request.query_params.get("command", "").lower().split())[:40]
        known = {word: row for row in ROWS for word in (row.name, *row.aliases) if sheets.page_of(row)}
        if said in known:
            return RedirectResponse(sheets.page_of(known[said]), 303)
        mine = session.visit(rooms, request)
        rows = sorted((row for row in ROWS if sheets.page_of(row)), key=lambda row: row.name)
        pages = [(row, sheets.page_of(row)) for row in rows]
        return session.page(rooms, request, mine, "commands", rows=pages, said=said)

    async def shown(request: Request) -> Response:
        row = found(request)
        mine = session.visit(rooms, request)
        if mine.player is None and row.needs != "anyone":
            return must_log_in(request)
        typed = {name: charset.clean_line(said)[:1000] for name, said in request.query_params.items()}
        typed.pop(fields.SURE.name, None)  # whoever made the link is not who means it
        sheet = sheet_of(row, typed.get("sheet", ""))
        at = sheet.key
        if not sheet.looks or ("sheet" not in typed and sheet.slots):
            return page(request, mine, row, typed, {}, at)
        wrong = fields.troubles(sheet.fields(rooms.catalogue), typed)
        asked = command(rooms, sheet, typed, mine.player) if not wrong else ""
        if isinstance(asked, str):
            return page(request, mine, row, typed, wrong or {"": asked}, at, 422)
        told = asking.look(rooms, asked)
        if said := told.refusal:
            return page(request, mine, row, typed, {blamed(said, typed, sheet.fields(rooms.catalogue)): said}, at, 422)
        letters = [asking.shown(rooms, letter.template, letter.facts) for letter in told.letters]
        return page(request, mine, row, typed, {}, at, shown=letters)

    async def sent(request: Request) -> Response:
        row = found(request)
        mine = session.visit(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        if mine.player is None:
            return must_log_in(request)
        sheet = sheet_of(row, form.get("sheet"))
        if sheet.looks:
            raise HTTPException(405, "This form is for looking only.")
        outcome = await done(rooms, mine, sheet, form)
        if outcome.wrong or not outcome.told:
            kept = {name: said for name, said in form.fields.items() if name not in ("old", "new")}
            return page(request, mine, row, kept, outcome.wrong, sheet.key, outcome.status)
        response = answer(rooms, request, mine, outcome.told, form, row.name)
        if row.sets_password and (now := rooms.reads.player(mine.player.id)):
            session.begin(rooms, now, response)
        return response

    return [
        Route("/do", palette),
        Route("/do/{slug}", shown),
        Route("/do/{slug}", sent, methods=["POST"]),
    ]
