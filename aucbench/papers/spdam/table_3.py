"""Table 3: test AUC of eight methods on eleven data sets."""

from __future__ import annotations

from aucbench.bench.plan.plan import Choice, Plan
from aucbench.papers.experiment import Entry, Experiment, Line, Protocol, Published, Scale

RUNS = 25  # five times five folds

# Means and standard deviations as table 3 prints them.
PUBLISHED = {
    "diabetes": {"SPDAM": (0.8275, 0.0302), "B-LS-SVM": (0.8325, 0.0329)},
}
METHODS = {
    "SPDAM": Choice("spdam[batch=0.1]", tune=True),
    "B-LS-SVM": Choice("ls-svm", tune=True),
}
UNIT = "unit"


def table_3(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table 3; quick: two repeats and three inner folds."""
    sets = tuple(PUBLISHED)
    quick = scale is Scale.QUICK
    plan = Plan(
        sets,
        tuple(METHODS.values()),
        (UNIT,),
        splits=5,
        repeats=2 if quick else 5,
        inner_splits=3 if quick else 5,
    )
    entries = tuple(
        Entry(
            row=name,
            column=method,
            line=Line((name,), METHODS[method], UNIT),
            published=Published(*numbers, runs=RUNS),
        )
        for name, methods in PUBLISHED.items()
        for method, numbers in methods.items()
    )
    return Experiment(
        paper="spdam",
        place="table 3",
        title="test AUC on benchmark data sets",
        scale=scale,
        protocol=protocol,
        plans=(plan,),
        entries=entries,
    )
