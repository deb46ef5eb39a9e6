"""A small results folder, and doctored copies of it."""

import shutil

import pytest
from report_results import DATASETS, SPLITS
from toys import cells_in_process

from aucbench.bench import Choice, Plan, Store, make_engine, run
from aucbench.bench.options import ShowOptions
from aucbench.report.collecting import frame_of
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """Three solvers, one of them tuned, on three data sets of scikit-learn; 27 cells."""
    folder = tmp_path_factory.mktemp("report") / "results"
    solvers = (
        Choice("sht-auc[k=10]"),
        Choice("logistic", tune={"C": (0.1, 1.0, 10.0)}),
        Choice("hist-gradient-boosting[max_iter=20]"),
    )
    plan = Plan.of({"data": DATASETS, "solvers": solvers, "splits": SPLITS, "passes": 10})
    with Store(folder, create=True) as store, cells_in_process():
        assert all(record.ok for record in run(plan, store, make_engine()))
    return folder


@pytest.fixture(scope="session")
def records(results):
    return [*Store(results).records()]


@pytest.fixture(scope="session")
def frame(results):
    return read_frame(results, stale=True)


@pytest.fixture(scope="session")
def findings(frame):
    return findings_of(frame)


@pytest.fixture
def scored(results):
    """Return a function that makes findings of records, with the scores of the folder."""

    def made(records, **settings):
        store = Store(results)
        some = frame_of(records, scores=store.scores)
        return findings_of(some, ShowOptions(**settings))

    return made


@pytest.fixture
def doctored(results, tmp_path):
    """Return a function that copies the folder with changed records; None leaves one out."""

    def copy(change, name="doctored"):
        folder = tmp_path / name
        shutil.copytree(results, folder)
        shutil.rmtree(folder / "cells")
        with Store(folder, create=True) as store:
            for record in Store(results).records():
                if (changed := change(record)) is not None:
                    path = results / "scores" / record.id[:2] / f"{record.id}.npz"
                    store.write(changed, path.read_bytes() if changed.ok else None)
        return folder

    return copy
