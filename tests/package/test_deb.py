"""The Debian package, built, judged by lintian, and installed, upgraded, removed and purged under a real systemd."""

import shutil
import subprocess
from pathlib import Path

import pytest

from mailbot import __version__
from tests.package.conftest import run
from tests.test_docs import ROOT

pytestmark = pytest.mark.nightly

UNIT = """
[Service]
Type=oneshot
ExecStart=/bin/sh /test/deb.sh /test/old.deb /test/new.deb
ExecStopPost=systemctl poweroff --force
StandardOutput=file:/test/log
StandardError=file:/test/log
"""


def newer(package: Path, folder: Path) -> Path:
    """The same package with a higher version."""
    run("dpkg-deb", "--raw-extract", package, folder)
    [source] = folder.glob("usr/lib/mailbot/lib/python3*/site-packages/mailbot/__init__.py")
    for path in (source, folder / "DEBIAN/control"):
        path.write_text(path.read_text().replace(__version__, f"{__version__}.1", 1))
    built = folder.with_suffix(".deb")
    run("dpkg-deb", "-Znone", "--build", folder, built)
    return built


def test_the_life_of_the_package(package: Path, debian: Path, tmp_path: Path) -> None:
    if not shutil.which("systemd-nspawn"):
        pytest.skip("not installed: systemd-nspawn")
    root = tmp_path / "root"
    run("cp", "--archive", debian, root)
    (root / "test").mkdir()
    shutil.copy(ROOT / "tests/package/deb.sh", root / "test")
    shutil.copy(package, root / "test/old.deb")
    shutil.move(newer(package, tmp_path / "newer"), root / "test/new.deb")
    units = root / "etc/systemd/system"
    (units / "test.service").write_text(UNIT)
    (units / "multi-user.target.wants").mkdir(exist_ok=True)
    (units / "multi-user.target.wants/test.service").symlink_to("/etc/systemd/system/test.service")
    boot = ["systemd-nspawn", f"--directory={root}", "--machine=mailbot-package", "--boot", "--private-network"]
    more = ["--register=no", "--keep-unit", "--resolv-conf=off", "--link-journal=no"]
    subprocess.run([*boot, *more], capture_output=True, check=False, timeout=1800)
    log = root / "test/log"
    if not log.exists():
        pytest.skip("systemd does not boot in a container here")
    assert log.read_text().endswith("all is well\n"), log.read_text()[-3000:]
    shutil.rmtree(tmp_path)  # gigabytes
