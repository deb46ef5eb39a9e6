"""The worked table of additive models: one command from data to a file."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "additive.py"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    return runpy.run_path(str(SCRIPT))


def test_small_sets_have_three_splits_and_each_row_is_in_one(script):
    y = np.where(np.arange(90) % 3, -1, 1)
    parts = list(script["splits"](y))

    assert len(parts) == 3
    assert (np.sum(parts, axis=0) == 1).all()
    assert all((y[part] > 0).sum() == 10 for part in parts)
    assert len(list(script["splits"](np.tile(y, 30)))) == 1


@pytest.mark.nightly
@pytest.mark.slow
def test_the_table_of_two_methods(script, data_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(data_folder))
    given = [str(tmp_path), "--tasks", "fourclass", "--methods", "linear", "splines"]
    monkeypatch.setattr(sys, "argv", ["additive.py", *given])
    script["main"]()

    table = pd.read_csv(tmp_path / "additive.csv").set_index("method")
    assert table.auc["splines"] > table.auc["linear"] + 0.05
    assert (table.certified == 1.0).all()
