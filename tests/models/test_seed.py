"""A seed decides the model that `fit` saves, and the AUC is that of what is saved."""

from time import perf_counter, sleep
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

import aucbench
from aucbench.models import choosing
from aucbench.solving import halving, loop

pytestmark = pytest.mark.usefixtures("in_process")

FITS = {"target": "y", "solver": "logistic,lightgbm", "tune": True, "splits": 2}


@pytest.fixture(autouse=True)
def little_work(monkeypatch):
    """Not all points of lightgbm are tried."""
    monkeypatch.setattr(choosing, "WORK", 1e8)


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


def test_a_slow_clock_changes_nothing_that_is_saved(table, tmp_path, monkeypatch):
    first = aucbench.fit(table, **FITS)
    assert "Of 60 points of its grid" in first.provenance["choice"][-1]
    assert "60 were tried" not in first.provenance["choice"][-1]

    begin, solve = perf_counter(), loop.solve

    def slow(*args, **options):
        sleep(0.003)
        return solve(*args, **options)

    for module in (halving, choosing):
        monkeypatch.setattr(module, "perf_counter", lambda: begin + 50.0 * (perf_counter() - begin))
    monkeypatch.setattr("aucbench.bench.worker.measure.solve", slow)
    second = aucbench.fit(table, **FITS)
    saved = [content(model, tmp_path / "m") for model in (first, second)]
    day = first.provenance["date"].encode(), second.provenance["date"].encode()
    other = {name: each.replace(day[1], day[0]) for name, each in saved[1].items()}
    assert saved[0] == other


def test_the_auc_of_a_model_is_that_of_the_parameters_that_it_saves(table):
    model = aucbench.fit(table, **FITS)
    chosen = model.provenance["solver"]
    again = aucbench.compare(table, target="y", solvers=chosen, splits=2)
    assert model.auc.estimate == pytest.approx(again.to_frame()["auc"].mean(), abs=1e-12)
    assert "by fits with the parameters of the model" in model.auc_rows


def test_a_time_that_the_user_gives_ends_the_search_and_the_model_says_so(table):
    model = aucbench.fit(table, minutes=1e-3, **FITS)
    assert any("The time of --minutes was up" in said for said in model.provenance["choice"])
