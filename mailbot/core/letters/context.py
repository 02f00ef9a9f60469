"""What a letter's template is told: from the facts of the outbox to names, boards, lists and examples.

Facts are all that a letter depends on, so that the same letter always becomes the same text, whatever has happened
to the game since.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from string import ascii_lowercase
from textwrap import wrap
from typing import Any

from engine.catalogue import Catalogue
from engine.families import CATALOGUE, family_of
from engine.family import Drawing, Family, Turn, name_of
from mailbot.core import caps, zones
from mailbot.core.games import asks
from mailbot.core.letters import bulk, formats, history, pictures, pieces, tables, times
from mailbot.core.model import States
from mailbot.core.players.preferences import looks
from mailbot.core.ratings import ended, terms

WIDTH = 78
COMMENT_LINES = 60
KEEP = "\x01"
"""Marks a blank line that belongs to a picture, while the blank lines round it are tidied."""


def context(
    facts: Mapping[str, Any],
    catalogue: Catalogue = CATALOGUE,
    made: Mapping[str, bytes | None] | None = None,
) -> dict[str, Any]:
    """The names a template may use: the facts themselves, and what a board letter shows. Text is marked (`pieces`).
    `made`: the pictures that go along with the letter, by key; None for one that could not be so large."""
    told: dict[str, Any] = {**facts, "comment": quoted(str(facts.get("comment", ""))), "looks": looks(facts)}
    if "rules" in facts and "players" in facts:
        told.update(_board(facts, catalogue, made or {}))
    if "late" in facts:
        told["late"] = [{**row, "words": quoted(row["words"])} for row in facts["late"]]
    if "away" in facts:
        told["away"] = times.away(facts)
    if "table" in facts:
        told["lines"] = tables.lines(facts)
    if "changes" in facts:
        told["changed"] = tables.lines({"table": "changes", "rows": facts["changes"]})
        told["plot"] = tables.plot(facts["course"])
    return told


def _board(facts: Mapping[str, Any], catalogue: Catalogue, made: Mapping[str, bytes | None]) -> dict[str, Any]:
    rules, moves = str(facts["rules"]), tuple(facts["moves"])
    game, family = catalogue.game(name_of(rules)), family_of(rules, catalogue)
    drawn = _drawn(family, rules, moves)
    position = drawn.position
    running = facts["state"] == States.RUNNING and position.outcome is None
    sides = family.sides(game, moves)
    viewer, players = int(facts["viewer"]), facts["players"]
    offer = facts["state"] in (States.OFFERED, States.DECLINED, States.LAPSED)
    told = {
        "title": game.title,
        "options": family.write(rules, catalogue),
        "sides": list(sides),
        "you": players[viewer - 1] if viewer else "",
        "opponent": players[2 - viewer] if viewer else "",
        "ply": len(position.turns),
        "left": position.left,
        "running": running,
        "your_turn": running and viewer == position.to_move and not facts.get("past"),
        "mover": players[position.to_move - 1] if position.to_move else "",
    }
    if "clock" in facts:
        told["terms"] = times.terms(facts["clock"])
    if "time" in facts and not facts.get("past") and "preview" not in facts:
        told["time_left"] = times.left(facts, viewer, players)
    if offer and ("rated" in facts or "unrated" in facts):
        told["rating_terms"] = terms.lines(facts)
    if offer:
        return told
    told["rating_change"] = ended.lines(facts)
    told |= {
        "picture": drawn.picture or "\n".join(wrap(_TOO_LARGE.format(board=facts["board"]), WIDTH)),
        "legend": [*_legend(drawn, sides, players, running=running), *drawn.legend] if drawn.picture else [],
        "move_list": move_list(position.turns, players),
        "example": drawn.example,
        "fitting": drawn.hints if running else (),
        "shot": _shot(facts, made, family),
        "in_words": _in_words(facts, family),
        "also": drawn.also,
        "happened": _happened(facts, viewer, players),
    }
    if facts.get("asks") == "undo":
        told["undo_to"], told["undo_gone"] = _undo(facts, viewer, players)
    if "times" in facts:
        told |= {"history": history.history(facts, position.turns), "used": history.used(facts)}
    if (facts["state"] == States.OVER and facts.get("past") is None) or facts.get("recorded"):
        whole = formats.played(facts, catalogue)
        told["record"] = formats.canonical(whole)
        told["tags"] = tags(whole)
        told["analysable"] = bool(moves) and family.has_computer(rules)
    if facts.get("recorded"):
        told["files"] = list(formats.files(whole, "", formats.BESIDE_TEXT))
        told["drawn"] = _drawn_file(facts, whole.name, made, family)
        told["labels"] = labels(whole, WIDTH - 2)
        told["record_lines"] = wrap(formats.canonical(whole), WIDTH - 2, break_on_hyphens=False)
    return told


_TOO_LARGE = (
    "The tiles of this board lie so far apart that a drawing would be too large for a letter. The moves are above. To"
    " get them as a file for other programs, send: record {board}"
)


def _shot(facts: Mapping[str, Any], made: Mapping[str, bytes | None], family: Family) -> tuple[str, str, str]:
    """The key of the board's picture, what it shows in words, and why there is none; each may be empty."""
    if not made or (key := pictures.board(facts).key) not in made:
        return "", "", ""
    if made[key] is None:
        return "", "", "This board is too large for a picture."
    return key, " ".join(told_in_words(family, facts["rules"], tuple(facts["moves"]), hints=False)), ""


def _drawn_file(facts: Mapping[str, Any], game: str, made: Mapping[str, bytes | None], family: Family) -> str:
    """What is said of the picture that was asked for with a record."""
    if "picture" in facts and not family.pictures:
        return "There are no pictures of this game."
    for one in pictures.wanted("record", facts):
        what = "film of the game" if one.form == "film" else "picture of the board"
        if made.get(one.key):
            return f"The {what} is attached, too: {pictures.file(game, one.form)}."
        why = "it is too large for this letter" if one.key in made else "the server could not make it"
        return f"There is no {what}: {why}."
    return ""


def _in_words(facts: Mapping[str, Any], family: Family) -> list[str]:
    """The position as sentences, for a reader who wants no drawing."""
    wants = looks(facts)
    if wants["board"] != "words":
        return []
    told = told_in_words(family, facts["rules"], tuple(facts["moves"]), hints=wants["hints"] == "on")
    return [part for line in told for part in wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)]


@lru_cache(maxsize=256)
def told_in_words(family: Family, rules: str, moves: tuple[str, ...], *, hints: bool) -> Sequence[str]:
    """The sentences; with `hints` it takes some ten milliseconds to find them."""
    return tuple(family.describe(rules, moves, hints=hints))


@lru_cache(maxsize=256)
def _drawn(family: Family, rules: str, moves: tuple[str, ...]) -> Drawing:
    """What both players see of a board: the same for both, and the costly part of their letters."""
    drawn = family.draw(rules, moves, bulk.MAX_DRAWN)
    legend = [part for line in drawn.legend for part in wrap(line, WIDTH, break_on_hyphens=False)]
    return drawn._replace(picture=drawn.picture.replace("\n\n", f"\n{KEEP}\n"), legend=legend)


EVENTS: Mapping[str, str] = {
    "asks_draw": "{who} offered {other} a draw.",
    "asks_undo": "{who} asked {other} for an undo.",
    "undone": "{who} agreed to the undo: {gone} taken back.",
    "agreed": "{who} agreed to the draw.",
    "refused_draw": "{who} declined the draw; the game goes on.",
    "refused_undo": "{who} did not agree to take the move back; the game goes on.",
}
"""What a question and its answer are told as."""


def _happened(facts: Mapping[str, Any], viewer: int, players: Sequence[str]) -> list[str]:
    """What the letter tells: the event, those that followed from the queue, and notes for this reader alone."""
    events = [facts, *facts.get("then", ())]
    told = [line for event in events for line in _event(event, viewer, players)]
    return told + [line for note in facts.get("notes", ()) for line in wrap(note, WIDTH, break_on_hyphens=False)]


def _event(facts: Mapping[str, Any], viewer: int, players: Sequence[str]) -> list[str]:
    """A sentence or two about one event."""
    by = int(facts.get("by", 0))
    who = "You" if by == viewer else players[by - 1]
    if facts.get("event") == "again":
        return ["This board waits for you. Answer this letter and no older one."]
    if facts.get("event") == "flag":
        return times.flag(facts, viewer, players)
    if facts.get("event") == "grant":
        whom = "you" if by != viewer else players[2 - by]
        return wrap(f"{who} gave {whom} {times.duration(facts['seconds'])} more.", WIDTH)
    if facts.get("event") == "reminder":
        return wrap(f"Your time on this board runs: {times.duration(facts['seconds'])} left.", WIDTH)
    if said := EVENTS.get(str(facts.get("event"))):
        taken = facts.get("gone", ())
        gone = _whose(taken, len(facts.get("moves", ())), viewer, players) + (" are" if len(taken) > 1 else " is")
        said = said.format(who=who, other="you" if by != viewer else players[2 - by], gone=gone)
        return wrap(said, WIDTH, break_on_hyphens=False)
    if facts.get("event") == "start":
        said = f"{who} accepted the challenge, and the game has begun."
    elif facts.get("event") == "paired":
        said = "The tournament has paired you, and the game has begun."
        if by:
            other = "you" if by != viewer else players[2 - by]
            said = f"{who} challenged {other} on the ladder, where nobody can refuse. The game has begun."
    elif facts.get("event") == "returned":
        said = f"{who} {'are' if by == viewer else 'is'} back in the tournament, and the game runs again."
    elif facts.get("event") == "at once":
        ready = f"{players[2 - by]} takes" if by == viewer else f"{players[by - 1]} challenged you, and you take"
        said = f"{ready} every challenge at once, so the game has begun."
    elif facts.get("event") == "taken":
        whose = f"{players[2 - by]}'s" if by == viewer else "your"
        said = f"{who} took {whose} open offer {facts['offer']}, and the game has begun."
    elif facts.get("event") == "resign" and facts.get("queued"):
        said = "You resigned, as you had queued." if by == viewer else f"{who} resigned."
    elif facts.get("event") != "move":
        return []
    elif facts["played"] == "swap":
        said = f"{who} swapped: the two players change seats, and the tiles stay."
    else:
        filled = facts["auto"].replace(",", ", ")
        auto = f"; {filled} {'were' if ',' in filled else 'was'} filled automatically" if filled else ""
        said = f"{who} played {facts['played']}{auto}."
    if facts.get("queued") and facts.get("event") == "move":
        said = (
            said.replace("You played ", "Your queued move was played: ") if by == viewer else f"{said} It was queued."
        )
    if dropped := facts.get("dropped"):
        said += f" The second tile, {dropped}, was not placed: the first one ended the game."
    return wrap(said, WIDTH, break_on_hyphens=False)


def _undo(facts: Mapping[str, Any], viewer: int, players: Sequence[str]) -> tuple[int, str]:
    """The ply to which the open undo request goes back, and the turns that go with it."""
    moves = facts["moves"]
    ply = asks.back_to(len(moves), int(facts["to_move"]), int(facts["asks_by"]))
    return ply, _whose(moves[ply:], ply, viewer, players)


def _whose(moves: Sequence[str], ply: int, viewer: int, players: Sequence[str]) -> str:
    """Turns and whose they are, `your b2,c9 and ann's a1`. `ply`: plies played before the first of them."""
    said = []
    for at, move in enumerate(moves, ply):
        number = at % 2 + 1
        said.append(f"{'your' if number == viewer else players[number - 1] + chr(39) + 's'} {move}")
    return " and ".join(said)


def _legend(drawn: Drawing, sides: Sequence[str], players: Sequence[str], *, running: bool) -> list[str]:
    """How the board is to be read."""
    pairs = zip(players, drawn.marks, sides, strict=True)
    said = ", ".join(f"{player} has {mark} ({side})" for player, mark, side in pairs)
    line = said + (f"; {drawn.free}." if running else ".")
    return wrap(line, WIDTH, break_on_hyphens=False)


def move_list(turns: Sequence[Turn], players: Sequence[str]) -> list[str]:
    """The moves in two columns, one a player, numbered by ply, with the auto moves they caused."""
    cells = []
    for ply, turn in enumerate(turns, 1):
        auto = f" +{turn.auto}" if turn.auto else ""
        cells.append(f"{ply:3} {turn.move}{auto}")
    head = [f"    {player}" for player in players]
    pairs = [head, *(cells[i : i + 2] for i in range(0, len(cells), 2))]
    half = max([24, *(len(pair[0]) + 2 for pair in pairs)])
    if half > WIDTH // 2:
        return [line for pair in pairs[1:] for cell in pair for line in _hanging(cell)]
    lines: list[str] = []
    for pair in pairs:
        lines += _beside(pair[0], half, pair[1] if len(pair) == 2 else "")
    return lines


def _beside(left: str, half: int, right: str) -> list[str]:
    """Two cells in a line; a long right one goes on below itself."""
    parts = [right]
    if len(right) > WIDTH - half:
        parts = wrap(right, WIDTH - half, subsequent_indent="    ", break_on_hyphens=False, drop_whitespace=False)
    return [f"{left if not i else '':{half}}{part}".rstrip() for i, part in enumerate(parts)]


def _hanging(cell: str) -> list[str]:
    return wrap(
        cell.replace(",", ", "),
        WIDTH,
        subsequent_indent="      ",
        initial_indent=cell[: len(cell) - len(cell.lstrip())],
    )


def quoted(text: str) -> list[str]:
    """A player's words, folded and marked, so that nothing in them can pass for ours or for a command."""
    lines = [part for line in text.strip("\n").split("\n") for part in (wrap(line, WIDTH - 4) or [""])]
    if len(lines) > COMMENT_LINES:
        lines = [*lines[:COMMENT_LINES], "[shortened]"]
    return [f"  | {line}".rstrip() for line in lines] if text.strip() else []


def tags(game: formats.Played) -> list[str]:
    """The record with tags, a line each; the moves folded."""
    return [*labels(game, WIDTH), *wrap(f"Moves {' '.join(game.moves)}", WIDTH, break_on_hyphens=False)]


def labels(game: formats.Played, width: int) -> list[str]:
    """The tags alone."""
    return [line for name, value in formats.tags(game) for line in wrap(f'[{name} "{value}"]', width)]


def tidy(text: str) -> str:
    """The letter without the blank lines that templates leave behind, never two in a row, none at the end; and with
    the sentences folded that long names have made too long. Pictures, tables and commands stay as they are."""
    lines = [part for line in text.split("\n") for part in (_folded(line) if len(line) > WIDTH else [line])]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").replace(KEEP, "") + "\n"


def last(facts: Mapping[str, Any]) -> str:
    """The end of a letter that fills a cap, from its fact `last`."""
    return (
        "\n".join(
            wrap(
                caps.told(**facts["last"], zone=zones.of(facts)), WIDTH, break_long_words=False, break_on_hyphens=False
            )
        )
        + "\n"
    )


_WORD = re.compile(r"\b[A-Za-z]++\b")
_WORDS = 4
"""So many words that could not stand in a picture make a sentence."""


def _is_sentence(line: str) -> bool:
    words = (word for word in _WORD.findall(line) if _tells(word))
    return not line.startswith("  ") and len(list(islice(words, _WORDS))) == _WORDS


def _tells(word: str) -> bool:
    """Whether its small letters at the end are more than the marks of a picture (`o`, `x`) and one letter."""
    small = word[len(word.rstrip(ascii_lowercase)) :]
    return bool(small[:-1].strip("ox"))


def _folded(marked: str) -> list[str]:
    before, line, after = pieces.edges(marked)
    if len(pieces.plain(line)) <= WIDTH or not _is_sentence(line):
        return [marked]
    lines = wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
    lines[0], lines[-1] = before + lines[0], lines[-1] + after
    return lines


def indent(lines: Iterable[str], by: int = 2) -> str:
    """The lines, moved to the right."""
    return "\n".join(f"{' ' * by}{line}" if line else "" for line in lines)
