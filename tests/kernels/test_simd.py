"""AUCBENCH_SIMD: every level gives the same bits, and a level that is not there is refused."""

import json
import os
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest

from aucbench.data.sorting import SORTS
from aucbench.kernels import simd

BITS = Path(__file__).resolve().parents[1] / "kernel_bits.py"


def run(*code, **variables):
    names = {name: value for name, value in os.environ.items() if name not in variables}
    return subprocess.run(
        [sys.executable, "-P", *code],  # the aucbench of this process, not of this folder
        capture_output=True,
        text=True,
        check=False,
        env={**names, **variables},
    )


@pytest.mark.slow  # a Python for each level, which has it for life
def test_every_level_and_every_sort_gives_the_same_bits():
    levels = simd.levels()
    ways = [*zip(levels, cycle(SORTS), strict=False), (levels[0], SORTS[1])]
    found = {}
    for level, named in ways:
        done = run(BITS, AUCBENCH_SIMD=level, AUCBENCH_SORT=named)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["level"] == level
        found[level, named] = told["hashes"]

    first, *others = found.values()
    assert len(first) > 50
    for other in others:
        assert other == first


def test_a_level_that_is_not_there_is_refused_in_one_sentence():
    called = "import sys; from aucbench.cli import main; sys.argv[1:] = ['list']; main()"
    done = run("-c", called, AUCBENCH_SIMD="avx9")

    assert done.returncode == 2
    assert done.stderr.startswith("error: AUCBENCH_SIMD is 'avx9'")
    assert len(done.stderr.splitlines()) == 1


def test_without_a_name_the_highest_level_is_in_use():
    done = run("-c", "from aucbench.kernels import simd; print(simd.level())", AUCBENCH_SIMD="")

    assert done.stdout.strip() == simd.levels()[-1]
