"""Results folders and records: of small runs, made once a session, and written ones of any size."""

from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from toys import cells_in_process, record_of

from aucbench import compare
from aucbench.bench import Choice, Plan, Store, make_engine, run
from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.data.understood import Understood
from aucbench.papers.comparison import compare as compare_with_paper
from aucbench.papers.experiments import experiments, paper
from aucbench.papers.parts import Protocol, Scale
from aucbench.papers.results import Results, index_records
from aucbench.registry.specs import Spec
from aucbench.report.findings import findings_of
from aucbench.report.folder import read_frame

DATASETS, SPLITS = ("breast-cancer", "digits-8", "digits-3"), 3
MACHINE = {
    **{"host": "secret-host", "cpu": "8086", "cores": 2, "threads": 1, "simd": "none"},
    "versions": {"aucbench": "0.2.0", "numpy": "2.1.0"},
}
KINDS = ({"numeric": 5}, {"numeric": 3, "category": 2}, {"category": 5})
PLAN = """\
data = {datasets}
solvers = {solvers}
splits = {splits}
[budget]
passes = 10
[suite]
families = {{ related = {related} }}
"""


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


def written_folder(folder, datasets, solvers, splits=2, failing=(), pending=(), seed=0):
    """Write a folder with a plan, in which the first two data sets are a family; nothing is run.

    `failing` and `pending` have places (data set, solver), by numbers. Solver j is about 0.01 j
    worse than the first one, and j + 1 times as fast.
    """
    plan = Plan.of(
        {"data": datasets, "solvers": tuple(map(Choice, solvers)), "splits": splits, "passes": 10}
    )
    rng = np.random.default_rng(seed)
    easy = rng.uniform(0.75, 0.95, len(datasets))
    with Store(folder, create=True) as store:
        for cell in plan.cells():
            place = datasets.index(str(cell.dataset)), solvers.index(str(cell.solver))
            if place not in pending:
                value = easy[place[0]] - 0.01 * place[1] + rng.normal(0, 0.004)
                store.write(_record(cell, place, value, failed=place in failing))
        store.keep_about({_hash(i): _about(i) for i in range(len(datasets))})
        listed = {"datasets": [*datasets], "solvers": [*solvers], "related": [*datasets[:2]]}
        store.keep_plan(PLAN.format(splits=splits, **listed))
    return folder


def _hash(dataset):
    return f"{dataset:032x}"


def _about(dataset):
    rows = 200 * 4 ** (dataset % 4)
    understood = Understood(kinds=KINDS[dataset % 3]).to_json()
    positive = rows * (2 + 9 * (dataset % 5)) // 100
    about = {"hash": _hash(dataset), "n": rows, "d": 5, "n_pos": positive, "dropped": 0}
    return {**about, "understood": understood}


def _record(cell, place, value, *, failed):
    name = sha256(repr(cell).encode()).hexdigest()[:32]
    sizes = {"n_train": 100, "n_test": 50, "d": 5, "data": _hash(place[0]), "division": "2 folds"}
    known = {"machine": MACHINE, "plugin": ("somebody's", "1.0", "somebody.solver"), **sizes}
    if failed:
        return record_of(cell, name, status="timeout", reason="killed after 5 s", **known)
    cost = {"fit_seconds": 0.1 / (1 + place[1]), "nnz": 5, "passes": 10.0}
    return record_of(cell, name, auc=float(value), parameters={"k": 3}, **cost, **known)


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
    """Results that are given: values by line and measure, and curves by line and y."""

    def __init__(self, experiment, values=None, curves=None):
        super().__init__(experiment, {}, None)
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_curves", curves)

    def series(self, line, measure="auc"):
        return {(run,): float(x) for run, x in enumerate(self._values(line, measure))}

    def curves(self, line, y, x="passes"):
        return dict(enumerate(self._curves(line, y)))

    def ratio(self, line):
        return 0.25
