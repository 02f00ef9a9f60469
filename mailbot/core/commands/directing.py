"""The command `tournament`: to see one, and for its director to create one and to act in it."""

from mailbot.core import tournaments
from mailbot.core.contests import Stages
from mailbot.core.effects import Effect, NotAllowed, Say
from mailbot.core.hosting import drafts, entries, letters, rulings, views
from mailbot.core.hosting.editions import MONTHS
from mailbot.core.language import paging
from mailbot.core.language.grammar import Row
from mailbot.core.world import Asked, Request, World

_FORMS = (
    "n part",
    "n",
    "create userid password title",
    "act n userid password",
    "result board userid password verdict",
    "replace n userid password otherUserid toUserid",
    "timing n userid password otherUserid time",
    "withdrawal n userid password otherUserid",
)

_ACTS = ("act", "result", "replace", "timing", "withdrawal")

_KNOWN = (
    *(row.name for row in tournaments.FORMATS),
    *(option for row in tournaments.FORMATS for option in row.options),
    *MONTHS,
    *rulings.ACTS,
    *rulings.ABOUT_PLAYERS,
    *("create", "result", "draw"),
    *(name for name in drafts.OPTIONS if name not in ("max", "min")),  # those are names of people, too
)
"""Words that may stand in a director's line."""


def tournament(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Shows a tournament, or does what its director wants."""
    if {*asked.args} <= {"n", "part", "options"}:
        part = str(asked.args.get("part", "")).lower()
        page = views.Page(paging.start(asked) + 1 if asked.args.get("options") else 0, paging.most(asked, world))
        return [Say(views.shown(entries.find(asked.args["n"], world), part, asked.by, world, page))]
    return _direct(request, asked, world)


def _direct(request: Request, asked: Asked, world: World) -> list[Effect]:
    """What a director does. NotAllowed without a proof, and for everybody else."""
    if not asked.sure:
        raise NotAllowed("For that I need your password")
    if "create" in asked.args:
        return _create(request, asked, world)
    said = {slot: str(word).lstrip("#").rstrip(",") for slot, word in asked.args.items() if slot != "options"}
    number = int(said.pop("n", "") or said.pop("board"))
    act = said.pop(next(slot for slot in said if slot in _ACTS)).lower()
    more = [said[slot] for slot in ("otherUserid", "toUserid", "time", "verdict") if slot in said]
    ruled = rulings.rule(act, number, more, request.text.strip(), asked.by, request.now, world)
    return [*ruled.effects, ruled.told(f"Tournament: {act}")]


def _create(request: Request, asked: Asked, world: World) -> list[Effect]:
    drafts.require_director(asked.by, world)
    title = str(asked.args["title"]).strip('"')
    made, effects = drafts.created(title, asked.args["options"], request.text.strip(), asked.by, request.now, world)
    enter = f"Players enter with: join {made.id} NAME PASSWORD."
    if made.stage == Stages.DRAFT:
        enter = f"It is a draft: nobody can enter before you send: tournament open {made.id} NAME PASSWORD."
    said = [
        f"You have created tournament {made.id}, {made.title}: {letters.format_said(made)}. Each"
        f" game: {letters.terms(made)}.",
        f"{enter} It then runs by itself; what you may do: help directing",
    ]
    return [*effects, Say(letters.letter(made, "created", said))]


ROWS = (
    Row(
        "tournament",
        _FORMS,
        tournament,
        "show a tournament: its table, games, rules or log; or direct one",
        needs="known",
        options=True,
        quoted=True,
        long=True,
        may_have_body=True,
        known=_KNOWN,
    ),
)
