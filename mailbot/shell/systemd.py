"""Tells systemd how we are, and takes the sockets that it opened: sd_notify(3) and sd_listen_fds(3), without a library.

Without systemd, nothing here does anything: the environment, given as a mapping, says whether systemd is there.
"""

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"
WATCHDOG: Final = "WATCHDOG=1"

FIRST_FD: Final = 3


def notify(state: str, environ: Mapping[str, str]) -> bool:
    """Sends a state such as `READY`, or `STATUS=...`; several states are one line each. Returns whether it was sent."""
    path = environ.get("NOTIFY_SOCKET", "")
    if not path.startswith(("/", "@")):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock, suppress(OSError):
        sock.connect("\0" + path[1:] if path.startswith("@") else path)
        sock.sendall(state.encode("utf-8"))
        return True
    return False


def watchdog_seconds(environ: Mapping[str, str], pid: int) -> float | None:
    """How often to send `WATCHDOG`: half the time that systemd allows; None if it does not watch this process."""
    usec, watched = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", str(pid))
    return int(usec) / 2e6 if usec.isdecimal() and int(usec) and watched == str(pid) else None


def listen_sockets(environ: Mapping[str, str], pid: int, first: int = FIRST_FD) -> list[socket.socket]:
    """The sockets that systemd opened for this process, for `create_server(sock=...)`; none without socket units."""
    count = environ.get("LISTEN_FDS", "")
    if environ.get("LISTEN_PID") != str(pid) or not count.isdecimal():
        return []
    sockets = [socket.socket(fileno=fd) for fd in range(first, first + int(count))]
    for sock in sockets:
        sock.set_inheritable(False)
        sock.setblocking(False)
    return sockets
