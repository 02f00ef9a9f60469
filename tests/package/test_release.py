"""A release: one version everywhere, and the same bytes wherever it is built."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mailbot import __version__
from tests.test_docs import ROOT, files, short

TAGS = [("v9.9.9", "The tag v9.9.9 is not v"), (f"v{__version__}", "is unreleased"), (None, ".whl")]


def test_the_changelog_begins_with_the_version() -> None:
    [newest, *_] = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert re.fullmatch(rf"{re.escape(__version__)} \((unreleased|\d{{4}}-\d\d-\d\d)\)", newest)
    assert "version =" not in (ROOT / "pyproject.toml").read_text().partition("[project.optional")[0]


def built(folder: Path, umask: int, changed: int) -> dict[str, str]:
    """The hashes of what is built in a copy of the project whose files were changed at some time."""
    for path in files():
        copy = folder / short(path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        os.utime(copy, (changed, changed))
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", "dist"],
        cwd=folder,
        check=True,
        capture_output=True,
        umask=umask,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1770000000"},
    )
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "dist").iterdir()}


def test_two_builds_are_the_same_to_the_byte(tmp_path: Path) -> None:
    one = built(tmp_path / "one", 0o022, 1_600_000_000)
    two = built(tmp_path / "another/folder", 0o077, 1_700_000_000)
    assert sorted(path.rpartition("-py3")[0] or path for path in one) == [
        f"mailbot_games-{__version__}",
        f"mailbot_games-{__version__}.tar.gz",
    ]
    assert one == two


@pytest.mark.nightly
@pytest.mark.parametrize(("tag", "says"), TAGS)
def test_make_release_asks_for_the_tag_of_the_version(tag: str | None, says: str, tmp_path: Path) -> None:
    if not (shutil.which("git") and shutil.which("make") and (ROOT / ".git").exists()):
        pytest.skip("git, make or the history is not there")
    git = ["git", "-C", str(tmp_path / "clone"), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", tmp_path / "clone"], check=True)
    shutil.copyfile(ROOT / "Makefile", tmp_path / "clone/Makefile")
    (tmp_path / "clone/CHANGELOG.md").write_text(f"## {__version__} (unreleased)\n")
    if tag:
        subprocess.run([*git, "tag", tag], check=True)
    make = ["make", "-o", ".venv/ready-to-run", f"BIN={Path(sys.executable).parent}", "release"]
    done = subprocess.run(make, cwd=tmp_path / "clone", capture_output=True, text=True, check=False)
    assert says in done.stdout and bool(done.returncode) == bool(tag), done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("make"), reason="make is not there")
def test_setting_up_needs_no_history(tmp_path: Path) -> None:
    """An empty time of the commit, as a copy without one had it, stops whatever is built."""
    shutil.copyfile(ROOT / "Makefile", tmp_path / "Makefile")
    plain = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    make = ["make", "--eval", "show: ; @echo time $${SOURCE_DATE_EPOCH-unset}", "show"]
    done = subprocess.run(make, cwd=tmp_path, env=plain, capture_output=True, text=True, check=False)
    assert "time unset" in done.stdout.splitlines(), done.stdout + done.stderr
