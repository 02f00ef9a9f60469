"""The wheel: what is in it, and that it runs where there is no checkout."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.package.installed import CHECKOUT, Installed, check, computer_moves
from tests.test_docs import broken_links

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "mailbot")
DATA = ("templates", "config")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [built] = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(autouse=True)
def _nothing_leads_to_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(CHECKOUT):
            monkeypatch.delenv(name)


def below(folder: Path, suffix: str = "") -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob(f"*{suffix}")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_what_is_in_the_wheel(unpacked: Path) -> None:
    """Two packages, and all that they read; from outside the packages, only what is listed."""
    tops = {path.name for path in unpacked.iterdir()}
    assert tops - {top for top in tops if top.endswith(".dist-info")} == set(PACKAGES)
    for package in PACKAGES:
        assert below(unpacked / package, ".py") == below(ROOT / package, ".py")
    for folder in DATA:
        assert below(unpacked / "mailbot" / folder) == below(ROOT / folder)
    documents = below(unpacked / "mailbot" / "docs")
    assert {"install.md", "web.md", "rules.md"} <= documents <= below(ROOT / "docs")
    others = below(unpacked / "mailbot") - below(unpacked / "mailbot", ".py")
    assert {name.split("/")[0] for name in others} == {"CHANGELOG.md", "docs", *DATA}


def test_the_documents_in_it_lead_to_one_another(unpacked: Path) -> None:
    for path in (unpacked / "mailbot").rglob("*.md"):
        assert not broken_links(path.read_text(), path.parent, unpacked), path.name


def test_it_runs_without_the_checkout(unpacked: Path, tmp_path: Path) -> None:
    """In an environment that has its dependencies from this one, and itself from the wheel only."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv/bin/python"
    paths = [str(unpacked), *dict.fromkeys(sysconfig.get_paths()[name] for name in ("purelib", "platlib"))]
    [site] = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "found.pth").write_text("\n".join(paths))
    where = [python, "-c", "import engine, mailbot; print(engine.__path__[0], mailbot.__path__[0])"]
    found = subprocess.run(where, check=True, capture_output=True, text=True, cwd=tmp_path).stdout.split()
    assert found == [str(unpacked / package) for package in PACKAGES]
    check(Installed(tmp_path, python, "-c", "from mailbot.shell.console.cli import main; main()", bots=False))


@pytest.mark.nightly
@pytest.mark.parametrize("installer", ["pip", "pipx"])
def test_it_installs(installer: str, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its extras, into an environment of its own, and plays there."""
    asked = f"{wheel}[bots,pictures,tournaments]"
    if installer == "pip":
        subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
        install = [str(tmp_path / "venv/bin/pip"), "install", "--quiet", asked]
    else:
        for name, folder in (("PIPX_HOME", "pipx"), ("PIPX_BIN_DIR", "venv/bin")):
            monkeypatch.setenv(name, str(tmp_path / folder))
        install = ["pipx", "install", asked]
    try:
        done = subprocess.run(install, capture_output=True, text=True, cwd=tmp_path, check=False)
    except FileNotFoundError:
        pytest.skip("pipx is not installed")
    if "No matching distribution" in done.stderr or "Failed to establish" in done.stderr:
        pytest.skip("no package index can be reached")
    assert not done.returncode, done.stderr
    server = Installed(tmp_path, tmp_path / "venv/bin/mailbot", bots=True)
    (tmp_path / "compiled").unlink()  # what earlier tests have compiled is of another place
    check(server)
    computer_moves(server)
