"""The two reasons why the engine refuses a text: it cannot be read, or the rules forbid it.

Each error carries one sentence for the player that says what was wrong and what would be right.
"""


class EngineError(ValueError):
    """Base of both refusals; `str(error)` is the sentence. `index`: the refused move in a list, if it was one."""

    index: int | None = None


class Unreadable(EngineError):
    """The text has no meaning here: a letter that does not exist, an unknown option, three placements."""


class Forbidden(EngineError):
    """The text is clear, but the rules of the game forbid it."""


def clip(text: str, width: int = 24) -> str:
    """A player's words as an error sentence may repeat them: one line, printable, at most `width` characters."""
    words = "".join(c if c.isprintable() else " " for c in text[: 4 * width])
    line = " ".join(words.split())
    return line if len(line) <= width and len(text) <= 4 * width else line[: width - 1] + "…"
