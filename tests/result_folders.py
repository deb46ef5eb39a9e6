"""Results folders and records: of small runs, made once a session, and written ones of any size."""

from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from toys import cells_in_process, record_of

from aucbench import compare
from aucbench.bench import Choice, Plan, Store, make_engine, run
from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.papers.comparison import compare as compare_with_paper
from aucbench.papers.experiments import experiments, paper
from aucbench.papers.parts import Protocol, Scale
from aucbench.papers.results import Results, index_records
from aucbench.registry.specs import Spec
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame

DATASETS, SPLITS = ("breast-cancer", "digits-8", "digits-3"), 3


@pytest.fixture(scope="session")
def results_folder(tmp_path_factory):
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
def records(results_folder):
    return [*Store(results_folder).records()]


@pytest.fixture(scope="session")
def frame(results_folder):
    return read_frame(results_folder, stale=True)


@pytest.fixture(scope="session")
def findings(frame):
    return findings_of(frame)


@pytest.fixture(scope="session")
def compared():
    """Three solvers on six data sets, two folds of each, as `compare` returns them."""
    sets = [f"digits-{digit}" for digit in range(6)]
    with cells_in_process():
        return compare("logistic,svm-or,constant", sets, splits=2, passes=2, quiet=True)


def with_cell(record, **changes):
    if "dataset" in changes:
        changes["dataset"] = Spec(changes["dataset"])
    return replace(record, cell=replace(record.cell, **changes))


def failed(record, status, reason, log=None):
    """The record of a cell that ended so, without an AUC."""
    return replace(
        record,
        status=Status(status=status, reason=reason),
        measures=Measures(),
        process=replace(record.process, log=log),
    )


def written_folder(folder, datasets, solvers, failing=(), seed=0):
    """Write a folder with a plan, without a run; solver j is about 0.01 j worse than the first.

    `failing` has places (data set, solver), by numbers.
    """
    choices = tuple(map(Choice, solvers))
    plan = Plan.of({"data": datasets, "solvers": choices, "splits": 2, "passes": 10})
    rng = np.random.default_rng(seed)
    easy = rng.uniform(0.75, 0.95, len(datasets))
    with Store(folder, create=True) as store:
        for cell in plan.cells():
            place = datasets.index(str(cell.dataset)), solvers.index(str(cell.solver))
            value = easy[place[0]] - 0.01 * place[1] + rng.normal(0, 0.004)
            store.write(_record(cell, place, value, failed=place in failing))
        listed = f"data = {[*datasets]}\nsolvers = {[*solvers]}\n"
        store.keep_plan(f"{listed}splits = 2\n[budget]\npasses = 10\n")
    return folder


def _record(cell, place, value, *, failed):
    name = sha256(repr(cell).encode()).hexdigest()[:32]
    sizes = {"n_train": 100, "n_test": 50, "data": f"{place[0]:032x}", "division": "2 folds"}
    if failed:
        return record_of(cell, name, status="timeout", reason="killed after 5 s", **sizes)
    cost = {"fit_seconds": 0.1 / (1 + place[1]), "nnz": 5, "passes": 10.0}
    return record_of(cell, name, auc=float(value), **cost, **sizes)


def verdict_of(findings):
    """The words of all pairs in either order, who may be the best, and the means."""
    pairs = [*findings.pairs, *(pair.flipped() for pair in findings.pairs)]
    words = {(pair.a, pair.b): pair.word for pair in pairs}
    names = findings.frame.solvers
    leading = {names[number] for number in findings.leading}
    means = findings.values.mean(axis=0).round(6).tolist()
    return words, leading, dict(zip(names, means, strict=True))


def paper_experiment(name, place, scale=Scale.FULL, protocol=Protocol.CLEAN):
    """Return an experiment of a paper by its place, such as "table 1"."""
    kind, number = place.split()
    [one] = experiments(paper(name), **{kind: int(number)}, scale=scale, protocol=protocol)
    return one


def paper_file(name, place):
    """Return an experiment of the file of a paper, which a test may make smaller."""
    return paper(name).plain["experiments"][place]


def cells_of(experiment):
    return [cell for plan in experiment.plans for cell in plan.cells()]


def run_experiment(experiment, folder, **smaller):
    """Run an experiment, with other fields of its plans; return its results and what is shown."""
    plans = tuple(replace(plan, **smaller) for plan in experiment.plans)
    experiment = replace(experiment, plans=plans)
    with Store(folder, create=True) as store, cells_in_process():
        records = [record for p in plans for record in run(p, store, make_engine())]
    assert {record.why for record in records} == {""}
    results = Results(experiment, index_records(records), Store(folder))
    return results, compare_with_paper(results)


class GivenResults(Results):
    """Results that are given: values by line and measure."""

    def __init__(self, experiment, values):
        super().__init__(experiment, {}, None)
        object.__setattr__(self, "_values", values)

    def series(self, line, measure="auc"):
        return {(run,): float(x) for run, x in enumerate(self._values(line, measure))}

    def ratio(self, line):
        return 0.25
