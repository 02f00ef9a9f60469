"""Long lists: how many lines a letter takes, and how the rest is asked for.

The answer to a mail that proves nothing is shorter, since anybody could have sent it. `-from=51` brings the lines from
the 51st on.
"""

import re
from collections.abc import Sequence

from mailbot.core.effects import Unreadable
from mailbot.core.world import Asked, World

_FROM = re.compile(r"-from=([0-9]{1,6})\Z")


def most(asked: Asked, world: World) -> int:
    """Lines of lists in the answer to this command."""
    return world.caps.proved_list_lines if asked.proved else world.caps.list_lines


def start(asked: Asked) -> int:
    """How many lines to leave out in front. Unreadable for another option, unless a variant was named in front, which
    brings its own."""
    first = 1
    for mark in asked.args.get("options", ()):
        if found := _FROM.match(mark):
            first = int(found[1])
        elif not asked.game:
            raise Unreadable(f"There is no option '{mark[:20]}' here; -from=51 lists the lines from the 51st on.")
    return max(first, 1) - 1


def rest(asked: Asked, shown: int, words: Sequence[str]) -> str:
    """The command that lists what comes after so many lines; `words`: those behind its name."""
    return " ".join([*([asked.game] if asked.game else []), asked.name, *words, f"-from={shown + 1}"])
