"""Which workers the settings ask for."""

import logging
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path

from mailbot.shell.config.load import Config
from mailbot.shell.config.preflight import check_fleet
from mailbot.shell.minds.pool import Pool
from mailbot.shell.minds.work import Minds, code_folder

log = logging.getLogger("mailbot.minds")


def minds_of(
    config: Config, compiled: Path, changed: Callable[[], object], tell: Callable[[str], Awaitable[object]]
) -> Minds:
    """`compiled`: the folder for compiled code. `changed` is called when there are more places or fewer, `tell` with a
    sentence for the operator. Raises ConfigError if the fleet cannot be joined."""
    bots = config.bots
    workers = bots.workers if find_spec("numba") else 0
    here = Pool(workers, code_folder(compiled) if workers else None, seconds=bots.seconds)
    if bots.fleet:
        check_fleet(config)
        from mailbot.shell.minds.fleet import Fleet  # needs an extra

        return Fleet(bots, here, changed=changed, tell=tell)
    if workers < bots.workers:
        log.warning("there are no computer players: numba is not installed")
    return here
