"""The short version of the power-cut proof; `make prove` runs the long one."""

import shutil

import pytest

from tests.prove.power import Disk, Op, prove


@pytest.mark.skipif(not shutil.which("gcc"), reason="the recorder is a piece of C")
def test_a1_a_power_cut_loses_nothing_that_was_acknowledged() -> None:
    images, ops, wrong = prove(30)
    assert wrong == []
    assert images == 30
    assert ops > 300


def test_the_disk_of_the_proof_keeps_what_was_synced_and_not_more() -> None:
    disk = Disk()
    for op in (Op("W", "a", 0, b"sure"), Op("S", "a", 0, b""), Op("W", "a", 4, b"loose"), Op("W", "b", 0, b"never")):
        disk.do(op)
    assert disk.sure == {"a": b"sure"}
    disk.do(Op("U", "a", 0, b""))
    disk.do(Op("S", ".", 0, b""))
    assert disk.sure == {}
