"""Cells that run in this process, of toy solvers."""

import sys

import pytest
from toys import SOLVERS, Bench


@pytest.fixture
def toys(site):
    """The modules of this process; that of the toy solvers is imported when one is asked for."""
    site.add("toys", toys=SOLVERS)
    return sys.modules


@pytest.fixture
def bench(toys, tmp_path):
    return Bench(tmp_path / "bench")
