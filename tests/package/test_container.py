"""The container: built from Containerfile on a Debian of our own, and run as docs/install.md says."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.package.conftest import run
from tests.test_docs import ROOT

pytestmark = pytest.mark.nightly

CANNOT = ("OCI runtime error", "OCI permission denied", "unshare failed", "Temporary failure resolving")
"""What is said where the kernel allows no container, or where Debian's packages cannot be reached."""


def test_the_container(package: Path, debian: Path, tmp_path: Path) -> None:
    if absent := [name for name in ("podman", "buildah", "unshare") if not shutil.which(name)]:
        pytest.skip(f"not installed: {' '.join(absent)}")
    run("tar", "--directory", debian, "--create", "--file", tmp_path / "base.tar", ".")
    script = ["unshare", "--mount", "sh", str(ROOT / "tests/package/container.sh"), str(tmp_path), str(ROOT)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr)[-4000:]
    if done.returncode and any(word in said for word in CANNOT):
        pytest.skip(f"no container runs here: {said[-400:]}")
    assert done.stdout.endswith("all is well\n"), said
    shutil.rmtree(tmp_path)  # gigabytes
