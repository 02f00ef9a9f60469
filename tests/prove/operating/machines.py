"""Machines with Debian 12 and its own systemd, started by systemd-nspawn: what `make operator` tries things out on.

A base folder is made once by debootstrap, with the packages of the scenario downloaded, and kept. Each machine is an
overlay over it that goes with the program. The machines share a network of their own, which leads nowhere else: no mail
of the scenario can leave it, and no package comes from outside.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any, TypeVar

T = TypeVar("T")

RELEASE = "bookworm"
PLAIN = "systemd,systemd-sysv,dbus,sudo,ca-certificates,python3,iproute2,iputils-ping,libnss-myhostname"
"""What a rented machine has already."""

NEEDED = ("systemd-nspawn", "debootstrap", "unshare", "nsenter", "ip", "chroot", "apt-get", "openssl", "git")
PATIENCE = 90.0
CACHE = "MAILBOT_OPERATOR_CACHE"
"""The variable that names the folder for the base; without it a folder in the temporary one."""


class Missing(Exception):
    """It cannot be tried here; the text says why."""


class Failed(Exception):
    """A command failed; the text is what it printed."""


def until(found: Callable[[], T], what: str, patience: float = PATIENCE) -> T:
    """Asks again and again until the answer is true; the answer."""
    end = time.monotonic() + patience
    while not (answer := found()):
        if time.monotonic() > end:
            raise Failed(f"waited in vain for {what}")
        time.sleep(0.1)
    return answer


def host(*command: str, **more: Any) -> str:
    """Runs a command here; what it printed."""
    done = subprocess.run(command, text=True, capture_output=True, check=False, **more)
    if done.returncode:
        raise Failed(f"{' '.join(command[:4])}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout


# ---- the base


def cannot() -> str:
    """Why the scenario cannot run here; empty if it can."""
    if sys.platform != "linux":
        return "this is not Linux"
    if os.geteuid():
        return "not root"
    if absent := [name for name in NEEDED if not shutil.which(name)]:
        return f"not installed: {' '.join(absent)}"
    if not _sources():
        return f"apt is not configured for Debian 12 ({RELEASE})"
    return ""


def _sources() -> list[str]:
    """Where this machine gets its packages, as lines for another machine's sources.list."""
    told = host("apt-get", "indextargets", "--format", "$(CREATED_BY)|deb $(REPO_URI) $(RELEASE) $(COMPONENT)")
    lines = {line.partition("|")[2] for line in told.splitlines() if line.startswith("Packages|")}
    return sorted(line for line in lines if line.split()[2].split("-")[0] == RELEASE)


def cache() -> Path:
    folder = Path(os.environ.get(CACHE) or Path(gettempdir()) / "mailbot-operator")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def base(packages: Sequence[str]) -> Path:
    """A folder with Debian 12, and these packages downloaded, not installed. Made once and kept."""
    wanted = " ".join(sorted({*packages}))
    folder = cache() / f"base-{hashlib.sha256((PLAIN + wanted).encode()).hexdigest()[:12]}"
    if folder.exists():
        return folder
    making = folder.with_suffix(".making")
    shutil.rmtree(making, ignore_errors=True)
    try:
        _fetch(making, packages)
    except Failed as error:
        raise Missing(f"Debian cannot be fetched: {error}") from None
    making.rename(folder)
    return folder


def _fetch(making: Path, packages: Sequence[str]) -> None:
    sources = _sources()
    main = next(line for line in sources if line.split()[2] == RELEASE).split()[1]
    host("debootstrap", "--variant=minbase", f"--include={PLAIN}", RELEASE, str(making), main)
    (making / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
    ways = [line for line in host("apt-config", "dump").splitlines() if line.startswith("Acquire::")]
    (making / "etc/apt/apt.conf.d/50way").write_text("\n".join(ways) + "\n")
    # The operator says yes to apt, and answers no questions of packages but those that the documents speak of.
    (making / "etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true";\n')
    (making / "etc/dpkg/dpkg.cfg.d/quick").write_text("force-unsafe-io\n")
    shutil.copy("/etc/resolv.conf", making / "etc/resolv.conf")
    inside = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
    host("chroot", str(making), "apt-get", "update", env=inside)
    for package in sorted({*packages}):
        host("chroot", str(making), "apt-get", "install", "--download-only", package, env=inside)
    quiet = "debconf debconf/frontend select Noninteractive\n"
    host("chroot", str(making), "debconf-set-selections", env=inside, input=quiet)
    (making / "etc/resolv.conf").unlink()
    (making / "etc/machine-id").write_text("")


def wheels(*locks: Path) -> Path:
    """A folder with what these locks name, fetched as this machine's pip is configured."""
    folder = cache() / "wheels"
    folder.mkdir(exist_ok=True)
    for lock in locks:
        stamp = folder / f"{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}.fetched"
        if not stamp.exists():
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder), "--require-hashes"]
            try:
                host(*pip, "--python-version", "3.11", "--only-binary=:all:", "--requirement", str(lock))
            except Failed as error:
                raise Missing(f"Python packages cannot be fetched: {error}") from None
            stamp.touch()
    return folder


# ---- a network of their own


def alone() -> None:
    """Goes on in namespaces of its own: mounts, processes and network. Everything made there ends with the program."""
    if os.environ.get("MAILBOT_OPERATOR_ALONE"):
        return
    again = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    os.environ["MAILBOT_OPERATOR_ALONE"] = "1"
    os.execvp(again[0], [*again, sys.executable, *sys.orig_argv[1:]])


def network(*addresses: str) -> None:
    """A switch that the machines are plugged into. The program has these addresses on it."""
    host("ip", "link", "set", "lo", "up")
    host("ip", "link", "add", "switch", "type", "bridge")
    host("ip", "link", "set", "switch", "up")
    for address in addresses:
        host("ip", "address", "add", address, "dev", "switch")
    # Only the newer kind of control groups, as a machine of today has it, and a folder of ours in it.
    host("umount", "--recursive", "/sys/fs/cgroup")
    host("mount", "-t", "cgroup2", "none", "/sys/fs/cgroup")
    host("mount", "-t", "tmpfs", "none", "/run")


@dataclass
class Machine:
    """A machine that boots. `root`: its files, as they are seen from here."""

    name: str
    addresses: tuple[str, ...]
    place: Path
    root: Path = field(init=False)
    shared: dict[str, Path] = field(default_factory=dict)
    said: str = ""
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def cable(self) -> str:
        """The name of its network."""
        return self.name.partition(".")[0]

    @property
    def _group(self) -> Path:
        """Its control group."""
        return Path("/sys/fs/cgroup") / f"mailbot-operator-{self.cable}"

    def make(self, lower: Path, nameserver: str) -> None:
        """Its disk and its cable."""
        self.root = self.place / self.name / "root"
        upper, work = self.place / self.name / "upper", self.place / self.name / "work"
        for folder in (self.root, upper, work):
            folder.mkdir(parents=True)
        layers = f"lowerdir={lower},upperdir={upper},workdir={work}"
        host("mount", "-t", "overlay", "overlay", "-o", layers, str(self.root))
        (self.root / "etc/hostname").write_text(self.name + "\n")
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")
        (self.root / "etc/resolv.conf").write_text(f"nameserver {nameserver}\n")
        host("ip", "netns", "add", self.cable)
        host("ip", "link", "add", f"{self.cable}-out", "type", "veth", "peer", "name", "eth0", "netns", self.cable)
        host("ip", "link", "set", f"{self.cable}-out", "master", "switch", "up")
        for device in ("lo", "eth0"):
            host("ip", "-n", self.cable, "link", "set", device, "up")
        for address in self.addresses:
            host("ip", "-n", self.cable, "address", "add", address, "dev", "eth0")
        host("ip", "-n", self.cable, "route", "add", "default", "dev", "eth0")

    def boot(self) -> None:
        """Starts it, and waits until systemd has started everything."""
        self._group.mkdir(exist_ok=True)
        binds = [f"--bind-ro={path}:{name}" for name, path in self.shared.items()]
        console = (self.place / self.name / "console").open("ab")
        options = ["--quiet", "--boot", "--register=no", "--keep-unit", "--link-journal=no", "--resolv-conf=off"]
        # systemd's own filters then tell the kernel's log of each call that they refuse.
        options += [
            "--timezone=off",
            "--setenv=SYSTEMD_LOG_SECCOMP=1",
            f"--network-namespace-path=/run/netns/{self.cable}",
        ]
        self._process = subprocess.Popen(
            ["systemd-nspawn", f"--directory={self.root}", f"--machine={self.cable}", *options, *binds],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=console,
            preexec_fn=lambda: (self._group / "cgroup.procs").write_text("0"),
        )
        self.booted()

    def booted(self) -> None:
        def running() -> bool:
            try:
                return self.run("systemctl is-system-running || true").strip() in ("running", "degraded")
            except (Failed, OSError):
                return False

        until(running, f"{self.name} to boot")

    def _first(self) -> str:
        """The id of its process 1."""
        assert self._process
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if not children:
            raise Failed(f"{self.name} is not running")
        return children[0]

    def run(self, script: str, typed: str = "", code: int | None = 0) -> str:
        """Types this as root; what was printed. `typed`: what programs are told. `code`: what it must exit with."""
        names = ["--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup"]
        inside = [
            "env",
            "-i",
            "HOME=/root",
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "TERM=dumb",
        ]
        inside += ["LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "bash", "-euo", "pipefail", "-c", script]
        done = subprocess.run(
            ["nsenter", "--target", self._first(), *names, "--", *inside],
            input=typed,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=900,
        )
        self.said = done.stdout
        if code is not None and done.returncode != code:
            raise Failed(
                f"{self.name}: {script.strip()[-300:]}\n  exit code {done.returncode}: {done.stdout.strip()[-1500:]}"
            )
        return done.stdout

    def reboot(self) -> None:
        """As an operator does it."""
        assert self._process
        self.run("systemctl reboot", code=None)
        self._process.wait(120)
        self.boot()

    def halt(self) -> None:
        """Switches it off, and takes it away."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None
        host("ip", "link", "delete", f"{self.cable}-out")
        host("ip", "netns", "delete", self.cable)
        for group in [*sorted(self._group.rglob("*/"), reverse=True), self._group]:
            with suppress(OSError):  # one in which a process still ends stays, and is empty then
                group.rmdir()
        host("umount", "--lazy", str(self.root))
