"""The Debian package, and a Debian to install it on."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import gettempdir

import pytest

from mailbot import __version__
from tests.test_docs import ROOT

NEEDED = ("make", "git", "dpkg-buildpackage", "dh", "dh_installsysusers", "lintian", "debootstrap")
INCLUDE = "systemd,systemd-sysv,dbus,python3"
"""What the package depends on: nothing is fetched while it is installed."""


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> str:
    """What a command prints; it must succeed. `more` goes into its environment."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **more})
    assert not done.returncode, f"{command}: {(done.stdout + done.stderr)[-3000:]}"
    return done.stdout


@pytest.fixture(scope="package")
def package() -> Path:
    """`make deb`, which fails if lintian finds an error."""
    if absent := [name for name in NEEDED if not shutil.which(name)]:
        pytest.skip(f"not installed: {' '.join(absent)}")
    if os.geteuid() or not (ROOT / ".git").exists():
        pytest.skip("needs root, and the history of the project")
    run("make", "deb")
    [built] = (ROOT / "dist").glob(f"mailbot_{__version__}*.deb")
    return built


@pytest.fixture(scope="package")
def debian(package: Path) -> Path:
    """The folder of a Debian 12 with systemd and Python, made once and kept."""
    kept = Path(gettempdir()) / "mailbot-debian-12"
    if not kept.exists():
        making = kept.with_suffix(".making")
        shutil.rmtree(making, ignore_errors=True)
        try:
            run("debootstrap", "--variant=minbase", f"--include={INCLUDE}", "bookworm", making)
        except AssertionError as error:
            pytest.skip(f"debootstrap could not make a base: {str(error)[-300:]}")
        making.rename(kept)
    return kept
