"""Certificates, ports and settings of a fleet on loopback."""

import socket
import subprocess
from pathlib import Path

from mailbot.shell.config.settings import BotsSection


def certificates(folder: Path) -> None:
    """ca.pem has signed own.pem; other.pem has signed itself."""
    new = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    for line in (
        f"{new} -x509 -days 2 -subj /CN=fleet -keyout ca.key -out ca.pem",
        f"{new} -x509 -days 2 -subj /CN=other -keyout other.key -out other.pem",
        f"{new} -subj /CN=machine -keyout own.key -out own.csr",
        "openssl x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out own.pem",
    ):
        subprocess.run(line.split(), cwd=folder, check=True, capture_output=True)


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fleet_of(folder: Path, port: int) -> BotsSection:
    """[bots] with the certificates in the folder."""
    return BotsSection(
        workers=0,
        seconds=2,
        fleet=f"tls://127.0.0.1:{port}",
        fleet_ca=folder / "ca.pem",
        fleet_cert=folder / "own.pem",
        fleet_key=folder / "own.key",
    )
