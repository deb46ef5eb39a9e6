"""A seed decides the model that `fit` saves, and the AUC is that of what is saved."""

import time
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

import aucbench
from aucbench.models import choosing, recipe

FITS = {"target": "y", "solver": "logistic,lightgbm", "tune": True, "splits": 2}


@pytest.fixture(autouse=True)
def little_work(monkeypatch):
    """Not all settings are tried."""
    monkeypatch.setattr(choosing, "WORK", 1e6)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 4))
    y = x[:, 0] * x[:, 1] + x[:, 2] + rng.normal(size=400) > 1
    return pd.DataFrame(x, columns=[*"abcd"]).assign(y=y.astype(int))


def content(model, path):
    """What is saved, without the day on which it was."""
    model.save(path)
    with ZipFile(path) as saved:
        return {name: saved.read(name) for name in saved.namelist()}


def test_neither_a_slow_clock_nor_threads_change_what_is_saved(table, tmp_path, monkeypatch):
    first, solve = aucbench.fit(table, jobs=1, **FITS), recipe.solve
    assert "setting(s) were left to try" in first.provenance["choice"][-1]

    def slow(*args, **options):
        time.sleep(0.02)
        return solve(*args, **options)

    monkeypatch.setattr(recipe, "solve", slow)
    second = aucbench.fit(table, jobs=2, **FITS)
    saved = [content(model, tmp_path / "m") for model in (first, second)]
    day = first.provenance["date"].encode(), second.provenance["date"].encode()
    other = {name: each.replace(day[1], day[0]) for name, each in saved[1].items()}
    assert saved[0] == other


def test_the_auc_of_a_model_is_that_of_the_parameters_that_it_saves(table):
    model = aucbench.fit(table, **FITS)
    again = aucbench.compare(table, target="y", solvers=model.provenance["solver"], splits=2)
    assert model.auc.estimate == pytest.approx(again.to_frame()["auc"].mean(), abs=1e-12)
    assert "which have helped to choose the solver" in model.auc_rows


def test_minutes_limit_the_search_before_it_starts_and_the_model_says_so(table):
    model = aucbench.fit(table, minutes=1e-3, **FITS)
    assert any("--minutes 0.001" in said for said in model.provenance["choice"])
