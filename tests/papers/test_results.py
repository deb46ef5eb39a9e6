"""Results of experiments: the support against the truth, and descents of the AUM paper."""

from dataclasses import replace

import numpy as np
import pytest

from aucbench import compare
from aucbench.bench import Store
from aucbench.bench.cell import Choice
from aucbench.bench.evaluation.targets import KeptTarget
from aucbench.bench.plan.plan import Plan
from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.packed import known_of, pack_arrays, unpack_known
from aucbench.datasets.simulated import outbreak_support
from aucbench.papers.descents import figure_5 as five
from aucbench.papers.parts import Experiment, Line
from aucbench.papers.results import MEASURES, Fit, Results
from aucbench.registry import get_dataset

pytestmark = pytest.mark.usefixtures("in_process")

SMALL = "outbreak[k=3,r=0.3,n=120,d=12,mu=2.0,seed=1]"
TRUTH = outbreak_support(3, 0.3, 120, 12, 2.0, 1)


def noise(n=200, d=4, **more):
    X, positive = np.random.default_rng(0).standard_normal((n, d)), np.arange(n) % 4 > 0
    return Data.of(X + 0.5 * positive[:, None], positive, **more)


@pytest.mark.parametrize("solver", ["sht-auc", "sto-iht"])
def test_the_support_is_measured_against_the_truth(tmp_path, solver):
    asked = {"features": "standard+unit", "splits": 2, "out": tmp_path / "out"}
    record, *_ = compare(f"{solver}[k=3]", SMALL, **asked)
    with Store(tmp_path / "out") as store:
        kept = store.scores(record.id)
        fit = Fit(Results(Experiment(title="toy"), {}, store), Line(), (0, 0, 0), record)
        f1, jaccard, recall = (
            MEASURES[f"support-{name}"].read(fit) for name in ("f1", "jaccard", "recall")
        )
    np.testing.assert_array_equal(kept["relevant"], TRUTH)
    assert kept["w"].shape == (12,)  # the intercept of sto-iht is no feature
    chosen = {*np.flatnonzero(kept["w"])}
    assert len(chosen) == record.measures.nnz == 3
    common = len(chosen & {*TRUTH})
    assert common >= 2  # the shift of 2 deviations is hard to miss
    expected = (2 * common / 6, common / len(chosen | {*TRUTH}), common / 3)
    assert (f1, jaccard, recall) == pytest.approx(expected)


@pytest.mark.parametrize(("truncated", "value"), [(False, 2 / 3), (True, 1.0)])
def test_small_weights_count_as_0_if_a_method_is_truncated(truncated, value):
    arrays = {"w": np.array([1.0, 5e-4]), "relevant": np.array([0])}
    store = type("Store", (), {"scores": lambda *_: arrays})()
    record = type("One", (), {"id": "", "sizes": type("Sizes", (), {"data": None})})
    fit = Fit(Results(Experiment(title=""), {}, store), Line(truncated=truncated), (0,), record)
    assert MEASURES["support-f1"].read(fit) == pytest.approx(value)


def test_no_worker_learns_which_features_are_relevant():
    data = get_dataset(SMALL)
    both = (data, replace(data, relevant=None))
    target, bare = (KeptTarget(pack_arrays(known_of(one)), data.n) for one in both)
    cell = next(Plan.of({"data": (SMALL,), "solvers": (Choice("sht-auc"),)}).cells())
    nothing = Rows(np.empty(0), None, None, target.learnt(cell).size, 0)
    assert (target.has_relevant, bare.has_relevant) == (True, False)
    assert unpack_known(nothing, target.packed_parts(cell)[2]).relevant is None


def test_figure_5_has_a_row_for_each_descent_that_takes_a_step():
    few = five.measure_descents(noise(), n=30, seed=1, searches=["first_min", "linear"])["rows"]
    assert [row["method"] for row in few] == ["first_min", "linear"]
    first, linear, all_ = five.measure_descents(noise(), n=30, seed=3)["rows"]
    assert [row["method"] for row in (first, linear, all_)] == [*five.SEARCHES]
    assert first["steps"] == all_["steps"] >= 1
    assert first["events"] < all_["events"]
    assert linear["events"] <= 30
    apart = Data.of(np.arange(10.0)[:, None], np.arange(10) > 4)
    assert five.measure_descents(apart, n=10, seed=0)["rows"] == []
