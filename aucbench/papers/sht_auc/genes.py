"""The gene experiments: the two sets, the methods, and the genes that are known to be related.

The protocol of the paper has rows of unit length, 20 random divisions ("trials") and 5 folds of
each. Its code never uses 12 of the 62 (14 of the 72) rows of a trial for the folds, and then takes
as test set rows that were in the folds by which it chose the parameters. Here the folds are those
of all rows, and the parameters are chosen inside the training rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aucbench.bench.plan.plan import Choice, Plan
from aucbench.data.arrays import Index
from aucbench.papers.experiment import Line, Scale

SETS = {"colon": "Colon Cancer", "leukemia": "Leukemia"}  # as the paper calls them
FEATURES = "unit"
PASSES = 100.0  # of the published code
K = (1, *range(5, 51, 5), *range(60, 101, 10), *range(200, 501, 100))
BLOCKS = (1, 2, 3, 5, 10)  # blocks of 5 to 50 of the some 50 training rows; the paper: b of 1 to 40
DECADES = tuple(10.0**p for p in range(-5, 3))
XI = tuple(float(xi) for xi in range(1, 101, 9))
R = tuple(10.0**p for p in range(-1, 6))
TRIALS = 20
FOLDS = 5
POINTS = 20  # of each grid that are tried; all methods have the same number

THRESHOLDING: dict[
    str, tuple[str, dict[str, tuple[float, ...]]]
] = {  # method: solver and what is tuned besides k
    "SHT-AUC": ("sht-auc", {"blocks": BLOCKS}),
    "StoIHT": ("sto-iht", {"blocks": BLOCKS}),
    "HSG-HT": ("hsg-ht", {"tau": (1.0, 10.0, 100.0, 1000.0)}),
}
OTHERS = {
    "SPAM-ℓ1": Choice("spam-l1", {"xi": DECADES, "l1": DECADES}),
    "SPAM-ℓ2": Choice("spam-l2", {"xi": DECADES, "l2": DECADES}),
    "FSAUC": Choice("fsauc", {"eta": tuple(2.0**p for p in range(-10, 11)), "R": R}),
    "SOLAM": Choice("solam", {"xi": XI, "R": R}),
}
METHODS = {
    **{name: Choice(solver, {"k": K, **more}) for name, (solver, more) in THRESHOLDING.items()},
    **OTHERS,
}

# Table IV: the markers of leukemia among the probe sets of Golub et al., by accession. Five of the
# table (ALL's KIAA0220 and others) have no probe set of their own in the published code.
LEUKEMIA_GENES = (
    *("M19507_at", "M22324_at", "M23197_at", "U41813_at", "X13293_at", "M84371_rna1_s_at"),
    *("J03779_at", "X82240_rna1_at", "U22376_cds2_s_at", "U26266_s_at", "U79262_at"),
    *("M91036_rna1_at", "U01317_cds4_at", "S73591_at", "M19508_xpt3_s_at", "D63878_at"),
    *("Z49835_s_at", "M13560_s_at", "U66559_at", "S53911_at", "L33930_s_at", "D21260_at"),
    *("Z83821_cds2_at", "X00274_at", "U19261_at", "X79536_at", "M96326_rna1_at", "X77737_at"),
    *("Z15115_at", "L06797_s_at", "U62962_at", "K03460_at", "X68277_at", "X99325_at"),
    *("X01703_at", "M11722_at", "U05255_s_at"),
)
# Table V: the markers of colon cancer among the genes of Alon et al. The published code calls the
# 14th marker Hsa.558, but its number is that of Hsa.1254.
COLON_GENES = (
    *("Hsa.1036", "Hsa.290", "Hsa.994", "Hsa.3328", "Hsa.24944", "Hsa.549", "Hsa.13522"),
    *("Hsa.7348", "Hsa.1280", "Hsa.3068", "Hsa.2957", "Hsa.1902", "Hsa.865", "Hsa.42746"),
    *("Hsa.1098", "Hsa.2806", "Hsa.558", "Hsa.1254", "Hsa.68", "Hsa.256", "Hsa.957", "Hsa.2846"),
    *("Hsa.45604", "Hsa.25451", "Hsa.393", "Hsa.891", "Hsa.3295", "Hsa.338", "Hsa.5821"),
    *("Hsa.109", "Hsa.2794", "Hsa.5633", "Hsa.831", "Hsa.13491", "Hsa.80", "Hsa.9251"),
)
GENES = {"colon": COLON_GENES, "leukemia": LEUKEMIA_GENES}


def related(dataset: str, names: Sequence[str]) -> Index:
    """Return the numbers of the features of a set that stand for genes of table IV or V.

    Parameters
    ----------
    dataset : str
        A key of `GENES`.
    names : sequence of str
        The feature names; two probes may have one name, and then both count.
    """
    known = frozenset(GENES[dataset])
    return np.array([j for j, name in enumerate(names) if name in known], dtype=np.int32)


def notes(scale: Scale) -> tuple[str, ...]:
    """Return the protocol in sentences."""
    return (
        f"Rows have unit length; nothing is fitted to test rows. Parameters are chosen by "
        f"{_inner(scale)} folds of the training rows, among {_points(scale)} points of each grid. "
        f"Each fit has {PASSES:g} passes, as in the published code.",
        "The published code divides the rows of a trial into 50 and 12 (58 and 14 for leukemia), "
        "chooses parameters by folds of the 50, and then permutes the rows once more. So its test "
        "rows overlap the rows by which it chose. All 5 folds of a trial have the same test rows.",
        "The leukemia set here has the 25 rows of AML as its positive class, and the paper the 47 "
        "of ALL. The AUC of w for one is that of -w for the other, and the losses are symmetric.",
    )


def _inner(scale: Scale) -> int:
    return 3 if scale is Scale.QUICK else FOLDS


def _points(scale: Scale) -> int:
    return 8 if scale is Scale.QUICK else POINTS


def repeats(scale: Scale) -> int:
    """Return the number of trials."""
    return 1 if scale is Scale.QUICK else TRIALS


def line(dataset: str, choice: Choice) -> Line:
    """Return the line of a method on a set."""
    return Line((dataset,), choice, FEATURES)


def fixed(method: str, k: int) -> Choice:
    """Return a method of thresholding with a given k; its other parameters are tuned."""
    solver, more = THRESHOLDING[method]
    return Choice(f"{solver}[k={k}]", more)


def plan(choices: Sequence[Choice], scale: Scale, trials: int) -> Plan:
    """Return a plan of the protocol above."""
    return Plan(
        tuple(SETS),
        tuple(choices),
        (FEATURES,),
        splits=FOLDS,
        repeats=trials,
        passes=PASSES,
        inner_splits=_inner(scale),
        tune_evals=_points(scale),
    )
