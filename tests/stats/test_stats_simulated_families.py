"""The simulation of related data sets, `examples/simulate_families.py`."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def families(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return import_module("simulate_families")


def test_data_sets_of_a_family_are_related(families):
    rng = np.random.default_rng(0)
    sample = families.Sample.draw(400, rng)
    assert len(sample.y) == 1500
    of_one = [sample.y[sample.family == g] for g in range(3, 400, 4)]
    first = np.corrcoef([y[0] for y in of_one], [y[1] for y in of_one])[0, 1]
    assert first == pytest.approx(families.SHARED, abs=0.15)
    assert np.var(sample.y) == pytest.approx(1.0, abs=0.25)


def test_families_that_are_counted_hold_and_tables_do_not(families, monkeypatch):
    monkeypatch.setattr(families, "FAMILIES", (30,))
    monkeypatch.setattr(families, "DRAWN", 20)
    [line] = families.slopes(60)
    held = [float(cell.split()[0]) for cell in line[2:]]
    assert held[0] < 0.8 < 0.9 <= held[4]
    assert held[1] < 0.7 < 0.86 <= held[5]
    [line] = families.words(60)
    false = [float(cell.split()[0]) for cell in line[1:]]
    assert false[1] <= 0.15 < 0.25 < false[0]
    assert false[3] <= 0.15 < 0.25 < false[2]
