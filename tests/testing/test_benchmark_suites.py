"""The benchmarks for asv that packages of other authors inherit."""

import inspect
from itertools import product

import numpy as np
import pytest

import aucbench
from aucbench.testing import benchmarks

MEASURED = {
    "SolverSuite": ("solver", "sht-auc[k=5]"),
    "ObjectiveSuite": ("objective", "logistic"),
    "ProjectorSuite": ("projector", "box[lo=-1,hi=1]"),
    "PairsSuite": ("pairs", "group[each=group]"),
    "FeaturesSuite": ("features", "standard"),
    "DatasetSuite": ("dataset", "outbreak[n=40,d=30]"),
    "MetricSuite": ("metric", "auc"),
}
SUITES = {n: c for n, c in vars(benchmarks).items() if n.endswith("Suite")}
KINDS = ("time_", "peakmem_", "track_")


def measured(name):
    attribute, spec = MEASURED[name]
    return type("Measured", (SUITES[name],), {attribute: spec})


def runs(suite):
    """Call each benchmark with each parameter, as asv does; yield its name and answer."""
    names = [name for name in dir(suite) if name.startswith(KINDS)]
    for name, values in product(names, product(*getattr(suite, "params", ()))):
        instance = suite()
        if hasattr(instance, "setup"):
            instance.setup(*values)
        yield name, values, getattr(instance, name)(*values)


@pytest.mark.parametrize("name", SUITES)
def test_each_suite_measures_what_it_is_told(name):
    answers = [*runs(measured(name))]
    assert {kind for kind in KINDS for found, *_ in answers if found.startswith(kind)} >= {"time_"}
    tracked = [value for found, _, value in answers if found.startswith("track_")]
    assert all(0.8 < auc < 1 for auc in tracked)
    assert len(tracked) == (3 if name == "SolverSuite" else 0)


def test_every_suite_is_in_the_table_of_this_test():
    assert {*SUITES} == {*MEASURED}


@pytest.mark.parametrize("suite", SUITES.values(), ids=str)
def test_asv_does_not_run_a_suite_where_it_is_imported(suite):
    assert inspect.isabstract(suite)
    with pytest.raises(TypeError, match="abstract"):
        suite()


def test_dense_and_sparse_rows_are_the_same_rows_each_time():
    train, test = benchmarks.rows_of("digits-8")
    sparse, _ = benchmarks.rows_of("digits-8 as CSR")
    assert sparse.rows.is_sparse
    np.testing.assert_array_equal(sparse.rows.matrix.toarray(), train.rows.matrix)
    benchmarks.rows_of.cache_clear()
    np.testing.assert_array_equal(benchmarks.rows_of("digits-8")[1].rows.matrix, test.rows.matrix)
    assert train.n + test.n == aucbench.get_dataset("digits-8").n


def test_a_solver_can_be_an_instance():
    class Measured(benchmarks.SolverSuite):
        solver = aucbench.get_solver("sht-auc", k=3)
        passes = 2.0

    suite = Measured()
    suite.setup("breast-cancer")
    assert suite.track_auc("breast-cancer") > 0.8
