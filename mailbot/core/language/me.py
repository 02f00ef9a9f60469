"""The word `me`, which stands for the sender's own userid."""

from collections.abc import Mapping
from typing import Any, Final

from mailbot.core.model import Player

ME: Final = "me"
NAMED: Final = ("userid1", "userid2", "userid", "toUserid", "otherUserid")
"""The slots of a command in which it may occur."""


def named(args: Mapping[str, Any], asker: Player) -> Mapping[str, Any]:
    """The words of a command with the asker's userid instead of `me`."""
    userid = asker.userid

    def meant(said: Any) -> Any:
        if isinstance(said, tuple):
            return tuple(map(meant, said))
        return userid if str(said).lower() == ME else said

    return {slot: meant(said) if slot in NAMED else said for slot, said in args.items()}
