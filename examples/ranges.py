"""Train for the left end of the ROC curve: when it helps, and when w = 0 is the best.

    AUCBENCH_DATA=FOLDER python examples/ranges.py docs/data/ranges.json

FOLDER has the data sets, see `aucbench data list`. Each is divided five times into five folds.
`svm-or` is fitted to all pairs, to those with FPR ≤ β, and to both with equal weight (`rest=0.5`),
on columns of mean 0 and standard deviation 1 in the training rows. Its λ is the default one. What
is compared is the area under the ROC curve of the test rows up to β, divided by β: by chance it is
β/2. β* is the range up to which w = 0 is the minimum on all rows (`aucbench.pairs.least_range`).
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from aucbench import Data, get_dataset, solve
from aucbench.data.folds import splits
from aucbench.errors import CollapsedWarning
from aucbench.pairs import Fpr, least_range
from aucbench.registry import get_features
from aucbench.stats import measure

SETS = ("mammography", "spambase", "diabetes", "german")
RANGES = (0.02, 0.05, 0.1, 0.2)
REPEATS, FOLDS = 5, 5


def parts(data: Data, repeat: int) -> list[tuple[Data, Data]]:
    """Return training and test rows of each fold, with features at one scale."""
    out = []
    for learnt, held in splits(data, FOLDS, repeat, None):
        train, test = data.take(learnt), data.take(held)
        scaled = get_features("standard").fit(train, np.random.default_rng(0))
        out.append((train.with_rows(scaled(train.rows)), test.with_rows(scaled(test.rows))))
    return out


def judged(train: Data, test: Data, beta: float, rest: float) -> tuple[float, bool]:
    """Return the area up to β of the test rows over β, and whether w = 0 was the best."""
    pairs = None if rest == 1.0 else Fpr(max=beta, rest=rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollapsedWarning)
        run = solve("svm-or", replace(train, pairs=pairs), passes=200)
    area = measure(f"pauc[max_fpr={beta},scale=norm]")
    return float(area(test.labels.y, run.decision_function(test.rows))), run.collapsed


def of_set(name: str) -> dict[str, object]:
    """Return β* of a set, and what the three losses reach in each range."""
    data = get_dataset(name).encoded()
    rows = []
    folds = [part for repeat in range(REPEATS) for part in parts(data, repeat)]
    for beta in RANGES:
        row: dict[str, object] = {"beta": beta}
        for what, rest in (("range", 0.0), ("half", 0.5), ("all", 1.0)):
            values, collapsed = zip(*(judged(*fold, beta, rest) for fold in folds), strict=True)
            row[what] = round(float(np.mean(values)), 4)
            row[f"{what} collapsed"] = sum(collapsed)
        rows.append(row)
    return {"n": data.n, "positive": data.labels.n_pos, "least": least_range(data), "ranges": rows}


def main() -> None:
    """Write a file with the numbers of each set."""
    found = {name: of_set(name) for name in SETS}
    Path(sys.argv[1]).write_text(json.dumps({"folds": REPEATS * FOLDS, "sets": found}, indent=1))


if __name__ == "__main__":
    main()
