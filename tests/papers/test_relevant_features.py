"""Features that are known to be relevant: from the data set to the measures of the support."""

from dataclasses import replace

import numpy as np
import pytest

from aucbench import compare
from aucbench.bench import Store
from aucbench.bench.evaluation import measures as judge
from aucbench.bench.worker.rows import data_hash
from aucbench.data import Data
from aucbench.data.arrays import Rows
from aucbench.data.packed import known_of, unpack_known, with_known
from aucbench.datasets.simulated import outbreak_support
from aucbench.papers.parts import Experiment, Line
from aucbench.papers.results import MEASURES, Fit, Results
from aucbench.registry import get_dataset, get_features

pytestmark = pytest.mark.usefixtures("in_process")

SMALL = "outbreak[k=3,r=0.3,n=120,d=12,mu=2.0,seed=1]"
TRUTH = outbreak_support(3, 0.3, 120, 12, 2.0, 1)


def toy(**more):
    rng = np.random.default_rng(0)
    return Data.of(rng.standard_normal((8, 4)), np.arange(8) % 2, **more)


def test_relevant_features_go_with_the_rows_and_not_with_other_columns():
    data = toy(relevant=[2, 0, 2])

    np.testing.assert_array_equal(data.relevant, [0, 2])
    np.testing.assert_array_equal(data.take(np.arange(4)).relevant, [0, 2])
    assert data.with_rows(data.rows).relevant is None
    assert not data.relevant.flags.writeable
    assert data_hash(data) == data_hash(toy())
    again = with_known(data.rows, known_of(data))
    np.testing.assert_array_equal(again.relevant, [0, 2])
    assert with_known(data.rows, known_of(toy())).relevant is None


def test_a_simulation_knows_its_relevant_features():
    np.testing.assert_array_equal(get_dataset(SMALL).relevant, TRUTH)


@pytest.mark.parametrize(
    ("spec", "kept"),
    [
        *((name, True) for name in ("none", "standard", "maxabs", "min-max", "unit")),
        *((name, True) for name in ("unit-centred", "auto", "append-one", "standard+unit")),
        ("nystroem", False),
        ("standard+nystroem", False),
    ],
)
def test_maps_say_whether_they_keep_the_columns(spec, kept):
    assert get_features(spec).keeps_columns is kept


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    """Records by solver and map, and their folder."""
    folder = tmp_path_factory.mktemp("fits") / "results"
    solvers = "sht-auc[k=3],sto-iht[k=3],hist-gradient-boosting"
    found = compare(
        solvers, SMALL, features=("standard+unit", "nystroem[rank=5]"), splits=2, out=folder, jobs=1
    )
    assert all(record.ok for record in found), [record.why for record in found]
    return {(r.cell.solver.name, str(r.cell.features)): r for r in found}, folder


@pytest.mark.parametrize("solver", ["sht-auc", "sto-iht"])
def test_the_support_is_measured_against_the_truth(fits, solver):
    records, folder = fits
    record = records[solver, "standard+unit"]
    with Store(folder) as store:
        kept = store.scores(record.id)
        results = Results(Experiment(title="toy"), {}, store)
        values = {
            name: MEASURES[f"support-{name}"].read(Fit(results, Line(), (0, 0, 0), record))
            for name in ("f1", "jaccard", "recall")
        }
    np.testing.assert_array_equal(kept["relevant"], TRUTH)
    assert kept["w"].shape == (12,)  # the intercept of sto-iht is no feature
    chosen = {*np.flatnonzero(kept["w"])}
    assert len(chosen) == record.measures.nnz == 3
    common = len(chosen & {*TRUTH})
    assert common >= 2  # the shift of 2 deviations is hard to miss
    assert values["f1"] == pytest.approx(2 * common / 6)
    assert values["jaccard"] == pytest.approx(common / len(chosen | {*TRUTH}))
    assert values["recall"] == pytest.approx(common / 3)


def test_weights_are_kept_only_beside_a_truth_and_up_to_a_size(tmp_path, monkeypatch):
    (record, *_) = compare("sht-auc[k=3]", "breast-cancer", splits=2, out=tmp_path / "a", jobs=1)
    with Store(tmp_path / "a") as store:
        assert "w" not in store.scores(record.id)
    monkeypatch.setattr(judge, "MOST_WEIGHTS", 11)
    (record, *_) = compare("sht-auc[k=3]", SMALL, splits=2, out=tmp_path / "b", jobs=1)
    with Store(tmp_path / "b") as store:
        assert "w" not in store.scores(record.id)


def test_no_worker_learns_which_features_are_relevant():
    from aucbench.bench.cell import Cell, Choice
    from aucbench.bench.evaluation.targets import KeptTarget
    from aucbench.bench.plan.plan import Plan
    from aucbench.data.packed import pack_arrays

    data = get_dataset(SMALL)
    target = KeptTarget(pack_arrays(known_of(data)), data.n)
    cell: Cell = next(Plan.of({"data": (SMALL,), "solvers": (Choice("sht-auc"),)}).cells())
    sent = target.packed_parts(cell)[2]

    assert target.has_relevant
    rows = Rows(np.empty(0), None, None, target.learnt(cell).size, 0)
    assert unpack_known(rows, sent).relevant is None
    bare = KeptTarget(pack_arrays(known_of(replace(data, relevant=None))), data.n)
    assert not bare.has_relevant
