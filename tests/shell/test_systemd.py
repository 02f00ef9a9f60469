"""systemd's protocols over real sockets."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mailbot.shell.systemd import READY, STOPPING, WATCHDOG, listen_sockets, notify, watchdog_seconds


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A unix socket's path has room for 107 octets, which pytest's own folders may exceed."""
    with TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize("abstract", [False, True])
@pytest.mark.parametrize("state", [READY, STOPPING, WATCHDOG, "STATUS=two words"])
def test_states_arrive(short_dir: Path, state: str, abstract: bool) -> None:
    path = f"@mailbot-test-{os.getpid()}" if abstract else str(short_dir / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path.replace("@", "\0") if abstract else path)
        manager.settimeout(10)
        assert notify(state, {"NOTIFY_SOCKET": path})
        assert manager.recv(100) == state.encode()


@pytest.mark.parametrize(
    "environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:3"}, {"NOTIFY_SOCKET": "/no/such"}]
)
def test_without_systemd_nothing_happens(environ: dict[str, str]) -> None:
    assert not notify(READY, environ)


WATCHDOGS = [
    ({}, None),
    ({"WATCHDOG_USEC": "30000000"}, 15.0),
    ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"}, 15.0),
    ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"}, None),
    ({"WATCHDOG_USEC": "0"}, None),
    ({"WATCHDOG_USEC": "soon"}, None),
]


@pytest.mark.parametrize(("environ", "seconds"), WATCHDOGS)
def test_watchdog_seconds(environ: dict[str, str], seconds: float | None) -> None:
    assert watchdog_seconds(environ, 42) == seconds


def test_a_socket_is_taken_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        address = opened.getsockname()
        fd = os.dup(opened.fileno())
    [ours] = listen_sockets({"LISTEN_FDS": "1", "LISTEN_PID": "42"}, 42, first=fd)
    with ours, socket.create_connection(address, timeout=10):
        assert ours.getsockname() == address
        assert (ours.family, ours.type, ours.getblocking()) == (socket.AF_INET, socket.SOCK_STREAM, False)
        assert not ours.get_inheritable()


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"LISTEN_FDS": "1"},
        {"LISTEN_FDS": "1", "LISTEN_PID": "43"},
        {"LISTEN_FDS": "x", "LISTEN_PID": "42"},
        {"LISTEN_FDS": "0", "LISTEN_PID": "42"},
    ],
)
def test_sockets_of_others_are_left_alone(environ: dict[str, str]) -> None:
    assert listen_sockets(environ, 42) == []
