"""Runs a command under the seccomp filter that systemd would make from a unit file.

    python confined.py UNIT COMMAND...

It reads SystemCallFilter, SystemCallErrorNumber and RestrictAddressFamilies from the unit, and systemd's groups (@...)
from syscalls.txt beside this file. It needs Linux and libseccomp.so.2, which apt brings to every Debian. If it cannot
set the filter, it says why and exits with 77.
"""

import ctypes
import errno
import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

CANNOT = 77
KILL, ALLOW, ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
EQUAL = 4

GROUPS = Path(__file__).with_name("syscalls.txt")


class Comparison(ctypes.Structure):
    """scmp_arg_cmp of seccomp_rule_add(3)."""

    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def settings(unit: str) -> list[tuple[str, str]]:
    """Keys and values of a unit file in their order; the sections do not matter here."""
    return re.findall(r"^([A-Za-z]+)=(.*)$", unit, re.MULTILINE)


def groups(text: str) -> dict[str, list[str]]:
    """@name -> calls, and names of other groups."""
    joined = re.sub(r"\n +", " ", text)
    return {name: words.split() for name, words in re.findall(r"^(@[\w-]+): (.*)$", joined, re.MULTILINE)}


def calls(word: str, known: dict[str, list[str]]) -> Iterator[str]:
    """The calls that a word of SystemCallFilter stands for. KeyError for a group that does not exist."""
    if word.startswith("@"):
        for inner in known[word]:
            yield from calls(inner, known)
    else:
        yield word


def allowed(unit: str, known: dict[str, list[str]]) -> set[str]:
    """What the lines of SystemCallFilter leave, read in order: the first one allows, `~` takes away, others add."""
    lines = [value for key, value in settings(unit) if key == "SystemCallFilter"]
    assert lines and not lines[0].startswith("~"), "written for filters that begin with what is allowed"
    found = set(calls("@default", known))  # systemd.exec(5): allowed without being said
    for line in lines:
        named = {call for word in line.removeprefix("~").split() for call in calls(word, known)}
        found = found - named if line.startswith("~") else found | named
    return found


def confine(unit: str) -> None:
    """From here on this process, and all it starts, is under the unit's filter. Raises OSError where that fails."""
    values = dict(settings(unit))
    refused = values.get("SystemCallErrorNumber")
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ERRNO | getattr(errno, refused) if refused else KILL))
    families = values.get("RestrictAddressFamilies", "").split()
    for call in allowed(unit, groups(GROUPS.read_text())):
        number = library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:  # not on this machine
            continue
        if call == "socket" and families:
            for family in families:
                only = Comparison(0, EQUAL, getattr(socket, family), 0)
                done = library.seccomp_rule_add_array(context, ALLOW, number, 1, ctypes.byref(only))
                assert not done, family
        else:
            assert not library.seccomp_rule_add_array(context, ALLOW, number, 0, None), call
    if done := library.seccomp_load(context):
        raise OSError(-done, os.strerror(-done))


def main(unit: str, *command: str) -> NoReturn:
    try:
        confine(Path(unit).read_text())
    except OSError as error:
        print(f"no seccomp filter here: {error}", file=sys.stderr)
        sys.exit(CANNOT)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
