"""Table 3: the linear and the kernel ROC-SVM on three imbalanced data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aucbench.bench.plan.plan import Choice, Plan
from aucbench.papers.experiment import AUC, Entry, Experiment, Line, Protocol, Scale
from aucbench.papers.roc_svm import protocol as of
from aucbench.papers.roc_svm.protocol import Cell, tuned

RUNS: Final = 30
QUICK_RUNS: Final = 3
HOLDOUT: Final = 0.2
LAMS: Final = (0.1, 0.01, 0.001, 0.0001)
QUICK_LAMS: Final = (0.01, 0.001)
STANDARD: Final = "standard"
SETS: Final = {  # ours by their names
    "Skin Segmentation": "sample[data=skin,n=100000,seed=0]",
    "Bank Marketing": "bank",
    "Accelerometer": "accelerometer",
}
QUICK_SKIN: Final = "sample[data=skin,n=20000,seed=0]"
SOLVERS: Final = {
    "Linear": "roc-svm",
    "Radial": "roc-svm-nystrom[rank=300,kernel=rbf,landmarks=kmeans,loss=incomplete]",
    "linear, exact (svm-or)": "svm-or",
}


@dataclass(frozen=True, slots=True)
class Printed:
    """What the paper prints in a line: seconds, and AUC in %, each with its deviation."""

    seconds: Cell
    auc: Cell


PUBLISHED: Final = {
    ("Skin Segmentation", "Linear"): Printed((8.38, 2.09), (94.64, 1.96)),
    ("Skin Segmentation", "Radial"): Printed((5.82, 0.15), (98.53, 1.40)),
    ("Bank Marketing", "Linear"): Printed((0.43, 0.04), (74.71, 9.25)),
    ("Bank Marketing", "Radial"): Printed((46.33, 9.61), (76.04, 7.94)),
    ("Accelerometer", "Linear"): Printed((3.54, 0.12), (88.53, 9.15)),
    ("Accelerometer", "Radial"): Printed((1.60, 0.38), (89.92, 21.61)),
}


def table_3(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table 3; quick: three splits, two values of λ, and a fifth of the rows of skin."""
    quick = scale is Scale.QUICK
    runs = QUICK_RUNS if quick else RUNS
    lams = QUICK_LAMS if quick else LAMS
    sets = SETS | ({"Skin Segmentation": QUICK_SKIN} if quick else {})
    solvers = {name: tuned(spec, lams) for name, spec in SOLVERS.items()}
    plan = Plan(
        tuple(sets.values()),
        tuple(solvers.values()),
        (STANDARD,),
        holdout=HOLDOUT,
        repeats=runs,
        **of.BUDGET,
    )
    return Experiment(
        paper=of.PAPER,
        place="table 3",
        title="training time and test AUC of the ROC-SVM on three imbalanced data sets",
        scale=scale,
        protocol=protocol,
        plans=(plan,),
        entries=tuple(_entries(sets, solvers)),
    )


def _entries(sets: dict[str, str], solvers: dict[str, Choice]) -> Iterator[Entry]:
    for row, dataset in sets.items():
        for column, choice in solvers.items():
            line = Line((dataset,), choice, STANDARD)
            theirs = PUBLISHED.get((row, column))
            yield Entry(
                row=row,
                column=column,
                measure=AUC,
                line=line,
                published=theirs and of.auc_printed(theirs.auc, RUNS),
            )
            yield Entry(
                row=row,
                column=column,
                measure=of.SECONDS,
                line=line,
                published=theirs and of.seconds_printed(theirs.seconds, RUNS),
            )
