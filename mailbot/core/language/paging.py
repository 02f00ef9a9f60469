"""Long lists: how many lines a letter takes, and how to ask for the rest.

The answer to a mail that proves nothing is shorter, because anybody could have sent it. `-from=51` shows the lines from
the 51st on.
"""

import re
from collections.abc import Sequence

from mailbot.core.effects import Unreadable
from mailbot.core.world import Asked, World

_FROM = re.compile(r"-from=([0-9]{1,6})\Z")


def most(asked: Asked, world: World) -> int:
    """How many lines of a list the answer to this command shows."""
    return world.caps.proved_list_lines if asked.proved else world.caps.list_lines


def start(asked: Asked) -> int:
    """How many lines to skip. Unreadable for any other option, unless the game word in front is a variant, which has
    options of its own."""
    first = 1
    for mark in asked.args.get("options", ()):
        if found := _FROM.match(mark):
            first = int(found[1])
        elif not asked.game:
            raise Unreadable(f"There is no option '{mark[:20]}' here; -from=51 lists the lines from the 51st on.")
    return max(first, 1) - 1


def rest(asked: Asked, shown: int, words: Sequence[str]) -> str:
    """The command that lists the lines after the first `shown`; `words`: those after its name."""
    return " ".join([*([asked.game] if asked.game else []), asked.name, *words, f"-from={shown + 1}"])
