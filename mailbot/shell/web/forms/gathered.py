"""Pages that gather forms of several commands: offers, settings, a tournament.

Each form goes to the page of its command, which does it and says what is wrong (forms/doing.py). Only the settings are
one form for all of them, which changes what differs.
"""

from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core.commands import BY_NAME
from mailbot.core.contests import Stages, Tournament
from mailbot.core.model import Player
from mailbot.core.players import preferences
from mailbot.core.players.preferences import PREFERENCES, Setting
from mailbot.shell.web import asking, seal, session
from mailbot.shell.web.forms import doing, sheets
from mailbot.shell.web.forms.entering import must_log_in
from mailbot.shell.web.forms.fields import Field
from mailbot.shell.web.forms.sheets import Sheet
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.web.seal import Sent

Shown = dict[str, Any]
"""A sheet as templates want it."""


def forms(rooms: Rooms, command: str, said: str = "", **typed: str) -> list[Shown]:
    """The sheets of a command. `said`: the words on the button; `typed`: what is filled in, and not shown."""
    return [_shown(rooms, sheet, said, typed) for sheet in sheets.sheets(BY_NAME[command])]


def _shown(rooms: Rooms, sheet: Sheet, said: str, typed: Mapping[str, str]) -> Shown:
    known = sheet.fields(rooms.catalogue)
    return {
        "sheet": sheet,
        "slug": sheets.slug(sheet.row),
        "fields": [one for one in known if one.name not in typed],
        "given": {one.name: typed[one.name] for one in known if one.name in typed},
        "said": said or sheet.title,
    }


def _field(setting: Setting) -> Field:
    name = setting.name.replace(" ", "_")
    if setting.numbers or setting.parse or not setting.choices:
        return Field(name, setting.name, listed=setting.choices, hint=f"{setting.help} ({setting.allowed})")
    choices = tuple((word, word) for word in setting.choices)
    return Field(name, setting.name, "choice", choices=choices, hint=setting.help)


SETTINGS: Final = tuple((one, _field(one)) for one in PREFERENCES)


def acts(rooms: Rooms, tournament: Tournament, player: Player) -> list[Shown]:
    """What the player may do in a tournament."""
    n = str(tournament.id)
    entry = rooms.reads.entry(tournament.id, player.id)
    found: list[Shown] = []
    if tournament.director == player.id and tournament.stage in Stages.OPEN:
        for one in forms(rooms, "tournament", n=n):
            if one["sheet"].proved and "create" not in one["sheet"].slots:
                found.append(one)
    if entry is None and tournament.stage in Stages.OPEN:
        found += forms(rooms, "join", "Enter", n=n)
    elif entry and tournament.stage in Stages.AHEAD:
        found += forms(rooms, "leave", "Leave", n=n)
    elif entry and tournament.stage == Stages.RUNNING and entry.stopped is None:
        found += [one for one in forms(rooms, "challenge", n=n) if one["given"]]
        found += forms(rooms, "withdraw", "Give the tournament up", n=n)
    elif entry and tournament.stage == Stages.RUNNING:
        found += forms(rooms, "return", "Come back", n=n)
    return found


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def offers(request: Request) -> Response:
        mine = session.visit(rooms, request)
        if mine.player is None:
            return must_log_in(request)
        listed = asking.look(rooms, asking.plain(mine.player, "seeks", {"options": ()}))
        rows = [row for letter in listed.letters for row in letter.facts.get("rows", ())]
        facts: Shown = {
            "rows": rows,
            "seek": forms(rooms, "seek"),
            "challenge": [one for one in forms(rooms, "challenge") if "userid1" in one["sheet"].slots],
            "game": request.query_params.get("game", "")[:20],
        }
        return session.page(rooms, request, mine, "offers", **facts)

    def settings_page(
        request: Request, mine: session.Visit, typed: Mapping[str, str], wrong: Mapping[str, str], status: int = 200,
        changed: tuple[str, ...] = (),
    ) -> Response:  # fmt: skip
        assert mine.player
        player, now = mine.player, rooms.reads.preferences(mine.player.id)
        held = {field.name: preferences.value(now, setting.name) for setting, field in SETTINGS}
        facts = {
            "fields": [field for _, field in SETTINGS],
            "held": held,
            "typed": {**held, **typed},
            "wrong": wrong,
            "changed": changed,
            "addresses": [one for one in rooms.reads.addresses(player.id) if one.state in ("current", "suspended")],
            "blocked": rooms.reads.blocked(player.id),
            "vacation": _letters(rooms, player, "vacation", {"when": ()}),
            "parts": {
                name: forms(rooms, name)
                for name in ("vacation", "add", "change address", "change password", "block", "unblock")
            },
            "leaving": [one for name in ("signoff", "unsubscribe", "delete") for one in forms(rooms, name)],
        }
        return session.page(rooms, request, mine, "settings", status, **facts)

    async def settings(request: Request) -> Response:
        mine = session.visit(rooms, request)
        return settings_page(request, mine, {}, {}) if mine.player else must_log_in(request)

    async def change(request: Request) -> Response:
        mine = session.visit(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        if mine.player is None:
            return must_log_in(request)
        if form.trouble:
            return settings_page(request, mine, {}, {"": form.trouble}, 403)
        now = rooms.reads.preferences(mine.player.id)
        (sheet,) = sheets.sheets(BY_NAME["set"])
        wrong: dict[str, str] = {}
        changed: list[str] = []
        status = 200
        for setting, field in SETTINGS:
            said = form.line(field.name)
            shown = form.line(f"was-{field.name}")  # the page may be older than a change by mail, which stays
            if field.name not in form.fields or said in (shown, preferences.value(now, setting.name)):
                continue
            # The first change stands for the form: a row for each would let one browser fill the disk.
            once = f"{form.once}|{field.name}" if changed else form.once
            one = Sent({"setting": f"{setting.name} {said or setting.default}"}, once, kept=not changed)
            outcome = await doing.done(rooms, mine, sheet, one)
            if outcome.told and outcome.told.again:
                break
            if outcome.wrong:
                wrong[field.name], status = next(iter(outcome.wrong.values())), outcome.status
            elif outcome.told:
                changed.append(setting.name)
        kept = {name: form.get(name) for name in wrong}
        return settings_page(request, mine, kept, wrong, status, tuple(changed))

    async def tournament(request: Request) -> Response:
        mine = session.visit(rooms, request)
        if mine.player is None:
            return must_log_in(request)
        found = rooms.reads.tournament(request.path_params["n"])
        if found is None:
            raise HTTPException(404, f"There is no tournament {request.path_params['n']}.")
        facts: Shown = {"tournament": found, "forms": acts(rooms, found, mine.player)}
        return session.page(rooms, request, mine, "tournament_forms", **facts)

    return [
        Route("/offers", offers, name="offers"),
        Route("/settings", settings, name="settings"),
        Route("/settings", change, methods=["POST"]),
        Route("/tournament/{n:number}/do", tournament),
    ]


def _letters(rooms: Rooms, player: Player, command: str, args: Mapping[str, Any]) -> list[Any]:
    told = asking.look(rooms, asking.plain(player, command, args))
    return [asking.shown(rooms, one.template, one.facts) for one in told.letters]
