"""Maps inside the inner folds of tuning: which are fitted there, and to which rows."""

import sys
from functools import partial

import numpy as np
import pytest
from toys import DATA, cell, told

from aucbench import get_dataset
from aucbench.bench.worker.build import build
from aucbench.bench.worker.tune import inner_splits, tune
from aucbench.contract import NoMap
from aucbench.errors import PluginError
from aucbench.features import AppendOne, Chain, MaxAbs, Nystroem, Standard, Unit, UnitCentred
from aucbench.registry import get_features

pytestmark = pytest.mark.plain

SOURCE = '''
from dataclasses import dataclass, field, replace
import numpy as np
from aucbench.contract import FeatureMap
from aucbench.data.arrays import rows as checked
from aucbench.errors import DataError
from aucbench.hookspecs import hookimpl
FITS = []  # rows that a map of this process was fitted to, and the first number it drew
@dataclass(frozen=True)
class Target(FeatureMap):
    """φ(x)_j = mean label of the training rows with the value x_j; says nothing of `shared`."""
    learnt: tuple = field(default=(), compare=False)
    def fit(self, data, rng):
        FITS.append((data.rows.matrix.copy(), rng.random()))
        tables = []
        for column in data.rows.matrix.T:
            values, place = np.unique(column, return_inverse=True)
            means = np.bincount(place, data.y) / np.bincount(place)
            tables.append(dict(zip(values.tolist(), means.tolist())))
        return replace(self, learnt=tuple(tables))
    def __call__(self, rows):
        columns = rows.matrix.T.tolist()
        coded = [[t.get(x, 0.0) for x in c] for t, c in zip(self.learnt, columns)]
        return checked(np.array(coded).T)
@dataclass(frozen=True)
class Careless(Target):
    """The same, but it claims that it may be shared."""
    shared = True
@dataclass(frozen=True)
class Fails(Target):
    """Raises when it is fitted to less than all training rows."""
    refuses: bool = False
    def fit(self, data, rng):
        if data.n == 80:
            return super().fit(data, rng)
        raise (DataError if self.refuses else KeyError)("a category has one row")
@hookimpl
def aucbench_features():
    return {"target": Target, "careless": Careless, "fails": Fails}
'''


@pytest.fixture(autouse=True)
def maps(site):
    site.add("maps", target=SOURCE)


@pytest.fixture
def noise(tmp_path):
    """300 rows, of which a column says nothing but which row it is, and one says a little."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3 == 0
    noise, signal = rng.permutation(300), (rng.random(300) < 0.25) ^ y
    path = tmp_path / "noise.csv"
    lines = (f"{a},{int(b)},{int(c)}\n" for a, b, c in zip(noise, signal, y, strict=True))
    path.write_text("a,b,y\n" + "".join(lines))
    return str(path)


def fits():
    return sys.modules["maps_target"].FITS


def tuned(dataset=DATA, features="target", **given):
    return cell("sht-auc", dataset, tune=(("k", (1, 2)),), features=features, **given)


@pytest.mark.parametrize("features", ["target", "maxabs+target"])
def test_a_map_that_sees_labels_does_not_flatter_inner_folds(bench, noise, features):
    done = bench.run(tuned(noise, features))
    (tuning,) = told(done, "tuning")
    inner = [row["auc"] for row in tuning["table"]]
    assert max(inner) < 0.85
    assert done.result["auc"] == pytest.approx(max(inner), abs=0.15)
    (claimed,) = told(bench.run(tuned(noise, "careless")), "tuning")
    assert [row["auc"] for row in claimed["table"]] == [1.0, 1.0]  # what it costs to claim it


def test_each_inner_fold_is_mapped_by_what_its_rest_taught(bench):
    planned = tuned(seed=3, split=1)
    bench.steps(planned)
    _, block = bench.block("learnt")
    raw = get_dataset(DATA).take(block.array("learnt"))
    fits().clear()
    bench.run(planned)
    seen = fits()
    expected = [raw.take(rest).rows.matrix for rest, _ in inner_splits(raw, planned)]
    assert len(seen) == len(expected) == 3
    for (rows, _), rest in zip(seen, expected, strict=True):
        np.testing.assert_array_equal(rows, rest)


def test_the_built_in_maps_that_learn_something_are_fitted_inside():
    shared = [NoMap(), Unit(), AppendOne(), Chain((Unit(), NoMap())), get_features("none+unit")]
    inside = [MaxAbs(), Standard(), UnitCentred(), Nystroem(), Nystroem(landmarks="stratified")]
    mixed = [Chain((Unit(), Standard())), get_features("standard+unit")]
    assert all(phi.shared for phi in shared)
    assert not any(phi.shared for phi in [*inside, *mixed])


def test_a_map_that_fails_inside_is_an_error_and_one_that_refuses_skips_the_cell(bench):
    failed = bench.run(tuned(features="fails"))
    assert isinstance(failed.error, PluginError)
    assert "KeyError" in str(failed.error)
    assert not told(failed, "tuning")
    refused = bench.run(tuned(features="fails[refuses=true]")).result
    assert (refused["status"], "a category" in refused["reason"]) == ("skipped", True)


def test_tuning_shows_the_map_of_a_solver_no_held_row(monkeypatch):
    planned = cell("roc-svm-nystrom[rank=20]", tune=(("lam", (1.0, 0.1)),), passes=2.0)
    seen, choose = [], Nystroem.choose

    def spy(self, part, rng):
        seen.append(part.n)
        return choose(self, part, rng)

    monkeypatch.setattr(Nystroem, "choose", spy)
    tune(planned, partial(build, planned), get_dataset(DATA))
    assert seen == [80] * 6
