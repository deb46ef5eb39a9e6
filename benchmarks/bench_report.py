"""The report of a folder with 2000 cells: statistics, and the page; reading files is not in it."""

import numpy as np

from aucbench.bench.results.convergence import Descent, Optima
from aucbench.records import CellStatus
from aucbench.report.evidence import Condition, Evidence, Fit, FoldKey, Group
from aucbench.report.findings import findings_of
from aucbench.report.page import page_of
from aucbench.report.render import html

DATASETS, SOLVERS, SPLITS, REPEATS = 20, 10, 5, 2
N_TEST, POINTS = 300, 30
HERE = Condition("host", "cpu", 1, 1)


def fit(dataset, solver, fold):
    rng = np.random.default_rng([dataset, solver, *fold])
    passes = np.arange(1.0, POINTS + 1)
    train_auc = 0.9 - 0.3 / passes
    curve = np.column_stack([passes, 0.01 * passes, 1 / passes, train_auc, train_auc - 0.01])
    return Fit(
        id=f"{dataset},{solver},{fold.seed},{fold.split}",
        data=str(dataset),
        status=CellStatus.OK,
        why="",
        log="",
        auc=float(rng.uniform(0.8, 0.9)),
        seconds=float(rng.exponential()),
        nnz=float(rng.integers(1, 100)),
        passes=float(POINTS),
        n_train=4.0 * N_TEST,
        n_test=float(N_TEST),
        d=100.0,
        curve=curve,
        descent=Descent(),
        condition=HERE,
    )


def scores(of):
    dataset, solver, seed, split = map(int, of.id.split(","))
    y = np.where(np.random.default_rng([dataset, seed, split]).random(N_TEST) < 0.3, 1, -1)
    noise = np.random.default_rng([dataset, solver, seed, split]).standard_normal(N_TEST)
    return {"y": y, "scores": y + 2 * noise}


class Report:
    """A folder in memory."""

    def setup(self):
        folds = [FoldKey(seed, split) for seed in range(REPEATS) for split in range(SPLITS)]
        self.evidence = Evidence(
            tuple(f"set-{i}" for i in range(DATASETS)),
            tuple(f"solver-{j}" for j in range(SOLVERS)),
            {
                (i, j): Group({fold: fit(i, j, fold) for fold in folds})
                for i in range(DATASETS)
                for j in range(SOLVERS)
            },
            Optima(),
            scores=scores,
        )
        self.findings = findings_of(self.evidence)

    def time_findings(self):
        findings_of(self.evidence)

    def time_page(self):
        html(page_of(self.findings, folder="results"))

    def track_bytes(self):
        return len(html(page_of(self.findings, folder="results")))

    track_bytes.unit = "bytes"
