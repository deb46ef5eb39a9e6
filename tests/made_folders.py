"""Results folders of any size, whose records are written and not run."""

from hashlib import sha256

import numpy as np
from toys import record_of

from aucbench.bench import Choice, Plan
from aucbench.bench.results.store import Store
from aucbench.data.understood import Understood

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


def made_folder(folder, datasets, solvers, splits=2, failing=(), pending=(), seed=0):
    """Write a folder with a plan, in which the first two data sets are a family.

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
    told = {"machine": MACHINE, "plugin": ("somebody's", "1.0", "somebody.solver"), **sizes}
    if failed:
        return record_of(cell, name, status="timeout", reason="killed after 5 s", **told)
    cost = {"fit_seconds": 0.1 / (1 + place[1]), "nnz": 5, "passes": 10.0}
    return record_of(cell, name, auc=float(value), parameters={"k": 3}, **cost, **told)
