"""The methods of the paper as solvers, with their grids, budgets and features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aucbench.bench.plan.fields import Choice

STEPS = tuple(float(xi) for xi in range(1, 101, 9))  # "[1 : 9 : 100]"
RIDGES = tuple(10.0**e for e in range(-5, 6))  # "10^[−5:5]"
SPDAM_RIDGES = RIDGES[:7]  # "10^[−5:1]"
BATCH = 0.1  # of the rows
SPDAM_PASSES, SOLAM_PASSES, ONE_PASS = 50.0, 15.0, 1.0


SMALL = ("diabetes", "fourclass", "german")  # the small sets, by their names in section 5.2
SCALED = (*SMALL, "splice", "usps")  # those that LIBSVM has with features in [−1, 1]


@dataclass(frozen=True, slots=True)
class Group:
    """Methods of one budget and one scaling, by their names in the paper."""

    methods: Mapping[str, Choice]
    passes: float | None  # None: the default, which exact methods do not use up
    taken: bool  # whether the paper took the numbers from Gao et al. (2013)


def features_of(name: str, *, taken: bool) -> str:
    """Return the feature map of a data set; rows of numbers that were taken have any length."""
    if taken:
        return "min-max" if name in SCALED else "none"
    return "min-max+unit" if name in SMALL else "unit-centred"


def spdam(lam: float | None = None, batch: float = BATCH, sampling: str = "uniform") -> Choice:
    """Return SPDAM as published, tuned over its grid, or with a ridge λ."""
    ridge = "" if lam is None else f",lam={lam:g}"
    spec = f"spdam[batch={batch:g},sampling={sampling}{ridge}]"
    return Choice(spec, tune={"lam": SPDAM_RIDGES} if lam is None else False)


GROUPS = (
    Group({"SPDAM": spdam()}, SPDAM_PASSES, taken=False),
    Group(
        {"regSOLAM": Choice("reg-solam", tune={"xi": STEPS, "lam": RIDGES})},
        SOLAM_PASSES,
        taken=False,
    ),
    Group(
        {
            "OPAUC": Choice("opauc", tune=True),
            "OAMseq": Choice("oam-seq", tune=True),
            "OAMgra": Choice("oam-gra", tune=True),
            "online Uni-Exp": Choice("uni-exp", tune=True),
        },
        ONE_PASS,
        taken=True,
    ),
    Group(
        {"B-SVM-OR": Choice("svm-or", tune=True), "B-LS-SVM": Choice("ls-svm", tune=True)},
        None,
        taken=True,
    ),
)
METHOD = {name: choice for group in GROUPS for name, choice in group.methods.items()}
