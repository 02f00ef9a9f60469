"""Moves for later: queued for what the opponent may play, or submitted, to be seen before they are played."""

from mailbot.core import tokens
from mailbot.core.effects import Drop, Effect, Forbidden, Letter, Put, Say
from mailbot.core.games import boards, plans, timing, turn
from mailbot.core.language.grammar import Row
from mailbot.core.language.masking import HIDDEN, clip, plain
from mailbot.core.model import Game, Plan, Submitted, Tally
from mailbot.core.world import Asked, Request, World

LONGEST_USUAL = 20
"""Characters of most passwords. Our copy of the line hides the password, so we can only guess its length."""


def queue(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Keeps a plan in place of the old one, shows it, or (`none`) ends it. The opponent hears nothing of it."""
    game, number = boards.require_newest(request, asked, world)
    kept = world.plan(game.id, asked.by)
    said = " ".join((str(asked.args.get("plan", "")), *asked.args.get("more", ()))).lower()
    if said == "none":
        if not kept:
            raise Forbidden(f"Nothing is queued for you on board {game.id}.")
        return [Drop(kept), _queue(game, number, "withdrawn", kept, request.now, world)]
    below = plans.going_on(request.text) if said else request.text
    text = f"{said}\n{below}" if said else below
    own_turn = game.to_move == number
    ply = game.ply + (2 if own_turn else 1)
    if request.sender:  # not from the page
        before = max(asked.line.lower().find(said[:8]), len("queue ")) if said else 0
        password = LONGEST_USUAL - len(HIDDEN) if HIDDEN in asked.line[:before] else 0
        plans.require_unbroken(text.split("\n"), before, password)
    shown = "\n".join(map(plain, text.split("\n")))  # a refusal repeats what is no plan
    lines = plans.parse(shown, game.rules, ply, world.catalogue)
    if not lines:
        return [_queue(game, number, "shown" if kept else "nothing", kept, request.now, world)]
    if own_turn and any(line[0].expected == plans.ANY for line in lines):
        raise Forbidden(
            f"It is your turn on board {game.id}, so you need not queue this move: play it."
            " You can queue answers to what comes after it: if MOVE then MOVE."
        )
    plan = Plan(game.id, asked.by, ply, plans.write(lines), request.now)
    told = _queue(game, number, "replaced" if kept else "kept", plan, request.now, world)
    return [Put(plan), told, *_left_undone(request, below)]


def _left_undone(request: Request, read: str) -> list[Effect]:
    """What stands under a queue and is no part of it: a command, which shows by its password, starred out, or words.
    `read`: the lines that are part of it."""
    line = next((line.strip() for line in request.text.split("\n") if HIDDEN in line), "")
    if line:
        told = f"The line below your queue was not done: '{clip(plain(line))}'. Send it by itself, or above the queue."
    elif len(read.split()) < len(request.text.split()):
        told = "The words below your queue went to nobody: your opponent hears nothing of a queue."
    else:
        return []
    return [Say(Letter("notice", "Left undone", {"said": told}))]


def _queue(game: Game, number: int, what: str, plan: Plan | None, now: int, world: World) -> Effect:
    """The plan as it was understood."""
    players = boards.names(game, world)
    tree = plans.tree(plans.read(plan.text), players[2 - number]) if plan else []
    told = {"what": what, "tree": tree, "after": _own(game, number, plan), **timing.facts(game, now, world)}
    return Say(boards.news("queue", game, world.texts(game.id), players, number, **told))


def _own(game: Game, number: int, plan: Plan | None) -> bool:
    """Whether the player has still to move before the plan begins."""
    return plan is not None and game.to_move == number


def submit(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Shows the asker what the board would be, and keeps the move until it is confirmed."""
    game, played = turn.require_turn(request, asked, world)
    number = game.to_move
    moves = world.texts(game.id)
    last, _, outcome = boards.onward(game, moves, world)(played)
    text, left = plans.without_queue(request.text, "when you have moved")
    kept = Submitted(game.id, asked.by, game.ply + 1, played, text)
    before = world.submitted(game.id, asked.by)
    other = before is not None and before.ply == kept.ply and before.text != kept.text
    several = [Put(Tally(asked.by, _several(game), request.now, 1))] if other else []
    by_name = bool(several or world.tally(asked.by, _several(game)))
    shown = [*moves, last.move]
    more = {
        "move": kept.text,
        **({"several": True} if by_name else {}),
        "auto": last.auto,
        "dropped": last.dropped,
        "ends": outcome.reason if outcome else "",
        "by": number,
        "comment": text,
        **timing.facts(game, request.now, world),
    }
    letter = boards.news("submitted", game, shown, boards.names(game, world), number, **more)
    return [Put(kept), *several, Say(letter), *left]


def _several(game: Game) -> str:
    """The name of the tally that says that several moves were submitted for this turn."""
    return f"submitted several {game.id} {game.stamp}"


def confirm(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Plays the submitted move; words under `confirm` take the place of those that came with it. All letters about this
    turn have one token, so after several moves an answer must name its move."""
    game, _ = turn.require_turn(request, asked, world)
    kept = world.submitted(game.id, asked.by)
    if kept is None or kept.ply != game.ply + 1:
        raise Forbidden(f"You have submitted no move on board {game.id} that could be confirmed.")
    if asked.by_letter and world.tally(asked.by, _several(game)):
        raise Forbidden(
            f"You have submitted several moves for this turn of board {game.id}, the last one {kept.text}."
            " Answer with the move that you want to play."
        )
    text, left = plans.without_queue(request.text)
    return [*turn.play(game, kept.text, text if text.strip() else kept.comment, "", request, world), *left]


ROWS = (
    Row(
        "queue",
        (
            "board userid password plan more*",
            "board userid password",
            "board plan more*",
            "board",
            "plan more*",
            "",
        ),
        queue,
        "moves for later: played when your opponent has moved",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY,
    ),
    Row(
        "submit",
        ("board userid password move", "board move", "move"),
        submit,
        "see the board after a move before you play it",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY,
    ),
    Row(
        "confirm",
        ("board userid password", "board", ""),
        confirm,
        "play the move you have submitted",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY,
    ),
)
