"""The one door: handles every command, from whatever source."""

from dataclasses import replace

from engine.errors import Forbidden, Unreadable
from engine.families import CATALOGUE
from mailbot.core.commands import BY_NAME
from mailbot.core.effects import Effect, Letter, NotAllowed, Say
from mailbot.core.games import boards, plans, timing
from mailbot.core.language import me
from mailbot.core.language.grammar import Row
from mailbot.core.mail.addresses import key
from mailbot.core.model import Player, States
from mailbot.core.tokens import ANSWER, CONFIRM, LINK, Token
from mailbot.core.world import Asked, Proofs, Request, World

ONE_TURN = "The link of a letter plays one turn and does nothing else; for anything else answer the letter."

REFUSALS = {Unreadable: "unreadable", Forbidden: "forbidden", NotAllowed: "notallowed"}


_WORDED = frozenset(["challenge", "rematch", "take", "accept", "decline", "propose", "undo", "resign", "grant"])
"""Commands about a game whose words go to the opponent; those with a move look for a queue themselves."""
_TALK = frozenset(["chat", "message"])
"""Words about moves, perhaps of a game that is over."""


def handle(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The effects of one command: its changes and letters, or the one letter that refuses it."""
    row = BY_NAME.get(asked.name)
    try:
        if asked.trouble or row is None:
            raise Unreadable(asked.trouble or "I found no command in your mail.")
        if asked.proof == Proofs.WANTING:
            answer = ", or an answer to the Reply-To address of a letter" if row.tokens else ""
            raise NotAllowed(f"For '{row.name}' I need your password{answer}.")
        if asked.proof == Proofs.PASSWORD and (player := world.player(asked.by)) and player.state in ("gone", "locked"):
            raise NotAllowed("This account takes no commands any more")  # since its password was checked
        if asked.proof == Proofs.LINK and LINK not in row.tokens:
            raise NotAllowed(ONE_TURN)
        if row.name in _WORDED or row.name in _TALK:
            text, left = plans.without_queue(request.text, "when the game goes on", named=row.name in _TALK)
            return [*row.run(replace(request, text=text), asked, world), *left]
        return row.run(request, asked, world)
    except (Unreadable, Forbidden, NotAllowed) as refused:
        kind = next(name for error, name in REFUSALS.items() if isinstance(refused, error))
        return [Say(_refusal(kind, sentence(str(refused)), row, request, asked, world))]


def _with_password(row: Row, asked: Asked, world: World) -> str:
    """The line to send instead of a command that came without proof; "" if we cannot tell it from that command."""
    player = world.player(asked.by)
    known = {**asked.args, "userid": player.userid if player else "NAME", "password": "PASSWORD"}
    forms = [[slot.rstrip("*+") for slot in form.split()] for form in row.forms]
    forms = [slots for slots in forms if "password" in slots and all(slot in known for slot in slots)]
    if not forms:
        return ""
    slots = max(forms, key=lambda slots: sum(bool(asked.args.get(slot)) for slot in slots))
    words = [said if isinstance(said := known[slot], str) else " ".join(said) for slot in slots]
    return " ".join(filter(None, [asked.game if row.game else "", row.name, *words]))


def parted(request: Request, other_key: str) -> tuple[Request | None, Request | None]:
    """A mail in two parts: the commands whose asker is known, and the others. The second part has its own dedupe key.
    The text belongs to the last command."""

    def part(asked: list[Asked], dedupe: str) -> Request | None:
        kept = replace(request, asked=tuple(asked), player=next((one.by for one in asked if one.by), 0), dedupe=dedupe)
        last = asked[-1:] == [request.asked[-1]]
        return (kept if last else replace(kept, text="", unread="")) if asked else None

    proved, not_proved = ([one for one in request.asked if bool(one.proof) is wanted] for wanted in (True, False))
    first, second = part(proved, request.dedupe), part(not_proved, other_key)
    return (replace(first, undone="") if first and second else first), second


def spoken_for(request: Request, world: World) -> Request | None:
    """A mail that proves nothing, with the player at its From as the asker; None if the mail is to do nothing."""
    players = world.players_at(request.sender)
    asked = tuple(one for said in request.asked if (one := asked_by(said, players)))
    return replace(request, asked=asked, player=asked[0].by) if asked else None


def asked_by(said: Asked, players: list[Player]) -> Asked | None:
    """The command with its asker: the player at the address whom it names, or the first. If no player has the address,
    only commands that anyone may send are left."""
    named = {key(str(said.args.get(slot, ""))) for slot in me.NAMED}
    player = min(players, key=lambda player: key(player.userid) not in named, default=None)
    if player:
        args = me.named(said.args, player)
        return replace(said, by=player.id, proof=said.proof or Proofs.FROM, args=args)
    row = BY_NAME.get(said.name)
    return said if row and row.needs == "anyone" else None


_FIRST = {name.split()[0] for name in BY_NAME} | CATALOGUE.words().keys()
"""Words that a line to send begins with."""


def sentence(said: str) -> str:
    """Capitalise a clause and close it with a full stop. Leave a placement such as `c1` as it is, and put no full stop
    after a line to send, which stands behind a colon: people copy it as it is."""
    capital = said[:1] if said[1:2].isdigit() else said[:1].upper()
    last, line = said.rpartition(" ")[2], said.rpartition(": ")[2].split()
    to_send = ": " in said and line[0].lower() in _FIRST
    closed = said[-1:] in ".!?)" or (len(last) > 3 and last.isupper()) or to_send
    return capital + said[1:] + ("" if closed else ".")


def _answered(request: Request, asked: Asked, world: World) -> Token | None:
    """The token of the letter that was answered, so that a reply to the refusal still counts. The letter that asks an
    address for its consent goes to nobody else."""
    if not request.token or asked.proof != Proofs.TOKEN:
        return None
    kind, ref, stamp = request.token
    player = asked.by
    if kind == CONFIRM:
        address = world.address(ref)
        player = address.player if address and address.state == "pending" and not asked.by else 0
    return Token(kind, player, ref, stamp) if player else None


def _refusal(kind: str, said: str, row: Row | None, request: Request, asked: Asked, world: World) -> Letter:
    """One sentence; the right form; and, where a turn or a question still waits, the board to answer again."""
    wanting = asked.proof == Proofs.WANTING and not asked.trouble
    send = _with_password(row, asked, world) if row and wanting else ""
    usage = row.usage if row and not asked.by_letter and not send and (kind == "unreadable" or wanting) else []
    facts = {"kind": kind, "said": said, "line": asked.line, "usage": usage, "command": row.name if row else ""}
    facts["send"] = send
    facts["answering"] = request.token[0] if request.token and asked.proof == Proofs.TOKEN else ""
    try:
        game = boards.find(request, asked, world)
    except (Unreadable, Forbidden, NotAllowed, ValueError):
        return Letter("refused", "Not done", facts, _answered(request, asked, world))
    if facts["answering"] == ANSWER and game.state != States.OFFERED:
        facts["answering"] = ""  # no answer brings the offer back
        if game.state not in boards.PLAYED:
            return Letter("refused", "Not done", facts)
    number = game.number_of(asked.by)
    waits = asked.name in ("move", "resign", "submit", "confirm", "") or game.asks_by == 3 - number
    if not number or game.state != States.RUNNING or not waits:
        return Letter("refused", "Not done", facts, _answered(request, asked, world))
    facts |= timing.facts(game, request.now, world)
    return boards.news("refused", game, world.texts(game.id), boards.names(game, world), number, **facts)
