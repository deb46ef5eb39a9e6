"""The experiments of the AUM paper: what is planned, a small run of each, and its statements."""

import json
from collections import namedtuple
from importlib import import_module
from itertools import pairwise
from math import comb, log

import numpy as np
import pytest
from command_line import done
from paper_results import made, told

from aucbench.datasets.located import Place
from aucbench.papers.aum import figure_5 as five
from aucbench.papers.parts import Scale
from aucbench.papers.results import Results

SEARCHES = ("first_min", "linear", "quadratic")


def aum(place, scale=Scale.QUICK):
    return made("aum", place, scale)


def test_figure_5_takes_the_sets_at_hand_and_names_the_others(monkeypatch):
    here = {"mnist", "cifar10"}
    monkeypatch.setattr(
        five, "place_of", lambda name: Place.CACHE if name in here else Place.DOWNLOAD
    )
    quick, full = aum("figure 5"), aum("figure 5", Scale.FULL)
    assert len(quick.measurements) == 2 * 6 * 4
    assert len(full.measurements) == 2 * 7 * 4
    assert max(one.request["n"] for one in full.measurements) == 10_000
    assert len({one.name for one in full.measurements}) == len(full.measurements)
    assert {one.dataset.name for one in full.measurements} == here
    [left_out] = [note for note in full.notes if "left out" in note]
    assert left_out.startswith("FashionMNIST, STL10")
    assert "`aucbench data fetch stl10`" in left_out
    here.clear()
    assert {one.dataset.name for one in aum("figure 5").measurements} == {"mnist"}


def test_the_first_class_of_each_set_is_the_negative_one():
    catalogued = import_module("aucbench.datasets.catalogue")
    for name, one_set in told("aum", "figure 5")["sets"].items():
        file, labels = one_set["file"], one_set["labels"]
        assert tuple(catalogued.entry_of(file).labels) == tuple(labels), name
        for one in aum("figure 5").measurements:
            if one.dataset.name == file:
                assert one.reading.positive == tuple(labels[1:])
                assert one.reading.negative == "rest"


def digits(folder, n=120):
    """Three classes as a file that a name finds."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = rng.standard_normal((n, 4)) + y[:, None]
    cells = [" ".join(f"{j + 1}:{x:.4f}" for j, x in enumerate(row)) for row in X]
    lines = (f"{label} {text}" for label, text in zip(y, cells, strict=True))
    (folder / "toy.svm").write_text("\n".join(lines) + "\n")


def sequences(folder, n=40):
    """A changepoint set with two folds."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2))
    middle = X[:, 0] + 0.5 * rng.standard_normal(n)
    features = ["sequenceID,a,b", *(f"s{k},{x[0]:.4f},{x[1]:.4f}" for k, x in enumerate(X))]
    errors = ["sequenceID,min_log_lambda,max_log_lambda,fp,fn,labels,fold"]
    for k, m in enumerate(middle):
        edges = ["-inf", f"{m - 1:.4f}", f"{m + 1:.4f}", "inf"]
        for (low, high), wrong in zip(pairwise(edges), ("2,0", "0,0", "0,3"), strict=True):
            errors.append(f"s{k},{low},{high},{wrong},4,{k % 2 + 1}")
    (folder / "chip.features.csv").write_text("\n".join(features) + "\n")
    (folder / "chip.errors.csv").write_text("\n".join(errors) + "\n")


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder with two small sets, and experiments of a few measurements on them."""
    digits(tmp_path)
    sequences(tmp_path)
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    for place, smaller in {
        "figure 5": {
            "sets": {"MNIST": {"file": "toy", "labels": [0, 1, 2]}},
            "sizes": [12, 100],
            "quadratic_to": 12,
            "seeds": [0, 1],
        },
        "figure 6": {"set": "chip", "folds": 2, "seeds": [0]},
    }.items():
        for key, value in smaller.items():
            monkeypatch.setitem(told("aum", place), key, value)
    return tmp_path


@pytest.mark.slow
def test_the_experiments_run_in_small_by_the_command(small):
    out = str(small / "out")
    ended = done("reproduce", "aum", "--out", out, "--jobs", 2)
    assert ended.stderr.count("4/4: 4 ok\n") == 1
    assert ended.stderr.count("2/2: 2 ok\n") == 1
    for place in ("figure 5", "figure 6"):
        for claim in told("aum", place)["claims"]:
            assert claim["statement"] in " ".join(ended.stdout.split())
    files = sorted((small / "out" / "reproduction").glob("*.json"))
    assert [path.name for path in files] == ["aum-figure-5-quick.json", "aum-figure-6-quick.json"]
    kept = json.loads(files[1].read_text())
    assert "2 measurements at once" in kept["machine"]
    titles = [part["chart"]["title"] for part in kept["section"]["parts"] if "chart" in part]
    assert titles == ["seconds of a descent, by method", "largest validation AUC, by method"]
    again = done("reproduce", "aum", "--out", out, "--quiet", "--no-run")
    assert again.stdout == ended.stdout


def descents(power, steps, seconds=None):
    """Descents whose events grow with a power of n; steps and seconds are given by search."""
    rng = np.random.default_rng(0)
    rows = []
    for n in (100, 1000, 10_000):
        for seed in range(4):
            for search in SEARCHES:
                events = {"linear": n, "quadratic": comb(n, 2)}.get(search, power(n))
                row = {"search": search, "n": n, "seed": seed}
                row["events"] = events * rng.uniform(0.95, 1.05)
                row["steps"] = steps[search] * rng.uniform(0.98, 1.02)
                row["search_seconds"] = (seconds or steps)[search]
                rows.append(row)
    return rows


One = namedtuple("One", "result")  # measurement
STEPS = {"first_min": 10.0, "linear": 100.0, "quadratic": 10.0}
SLOW = {"first_min": 1.0, "linear": 1.0, "quadratic": 5.0}


@pytest.mark.parametrize(
    ("power", "steps", "seconds", "holds"),
    [
        (lambda n: n * log(n), STEPS, SLOW, [True, True, True, True, True]),
        (lambda n: n**1.5, STEPS, SLOW, [True, False, True, True, True]),
        (lambda n: n**2.2, STEPS, SLOW, [False, False, True, True, True]),
        (lambda n: n, {**STEPS, "first_min": 20.0}, SLOW, [True, True, False, True, True]),
        (lambda n: n, {**STEPS, "linear": 10.0}, SLOW, [True, True, True, False, True]),
        (lambda n: n, STEPS, {**SLOW, "quadratic": 0.5}, [True, True, True, True, False]),
    ],
)
def test_the_statements_about_figure_5_follow_the_numbers(power, steps, seconds, holds):
    rows = descents(power, steps, seconds)
    measured = {one.name: One({"rows": []}) for one in aum("figure 5").measurements}
    measured[next(iter(measured))] = One({"rows": rows})
    found = Results({}, None, measured)
    assert [claim.holds for claim in aum("figure 5").claims(found)] == holds
