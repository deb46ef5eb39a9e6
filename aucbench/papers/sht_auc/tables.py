"""Tables I and II: AUC, and F1 and Jaccard index of the support, on four simulated sets.

Both are made from the same cells, so that the second one needs no fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aucbench.kernels.vectors import Vector
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Claim, Entry, Grid, Line, Protocol, Published, Scale
from aucbench.papers.results import Results
from aucbench.papers.sht_auc.methods import (
    CLEAN_MAP,
    CLEAN_NOTES,
    FOR_AUC,
    HSG,
    LEAKY_MAP,
    PASSES,
    PUBLISHED_NOTES,
    SHT,
    STO,
    against,
    mean_over,
    measured_as,
    methods,
    methods_of,
    simulated,
    trials,
)

COLUMNS = (20, 40, 60, 80)  # k*, of both tables
RUNS = 25  # five trials of five folds: in the code, not in the paper
Cells = tuple[tuple[float, float], ...]  # as printed: mean and standard deviation
Lines = Mapping[tuple[str, int], Line]  # by method and k*

TABLE_1: dict[str, Cells] = {
    "SHT-AUC": ((0.551, 0.107), (0.675, 0.068), (0.766, 0.074), (0.820, 0.061)),
    "SPAM-ℓ1": ((0.560, 0.087), (0.621, 0.094), (0.697, 0.118), (0.763, 0.128)),
    "SPAM-ℓ2": ((0.537, 0.095), (0.597, 0.110), (0.653, 0.141), (0.752, 0.135)),
    "FSAUC": ((0.571, 0.107), (0.654, 0.083), (0.754, 0.079), (0.820, 0.071)),
    "SOLAM": ((0.523, 0.102), (0.628, 0.077), (0.732, 0.092), (0.740, 0.139)),
    "StoIHT": ((0.538, 0.096), (0.604, 0.087), (0.659, 0.091), (0.719, 0.092)),
    "HSG-HT": ((0.484, 0.094), (0.593, 0.089), (0.661, 0.116), (0.759, 0.083)),
}
F1: dict[str, Cells] = {
    "SHT-AUC": ((0.209, 0.046), (0.365, 0.078), (0.382, 0.053), (0.450, 0.072)),
    "SPAM-ℓ1": ((0.058, 0.053), (0.182, 0.137), (0.147, 0.102), (0.177, 0.126)),
    "SPAM-ℓ2": ((0.037, 0.019), (0.060, 0.053), (0.100, 0.085), (0.159, 0.065)),
    "FSAUC": ((0.100, 0.075), (0.202, 0.114), (0.222, 0.096), (0.320, 0.102)),
    "SOLAM": ((0.044, 0.021), (0.088, 0.039), (0.125, 0.064), (0.171, 0.064)),
    "StoIHT": ((0.089, 0.037), (0.163, 0.069), (0.231, 0.054), (0.237, 0.067)),
    "HSG-HT": ((0.089, 0.042), (0.157, 0.076), (0.228, 0.061), (0.249, 0.066)),
}
JACCARD: dict[str, Cells] = {
    "SHT-AUC": ((0.126, 0.047), (0.200, 0.043), (0.275, 0.051), (0.311, 0.032)),
    "SPAM-ℓ1": ((0.028, 0.040), (0.087, 0.076), (0.078, 0.060), (0.101, 0.059)),
    "SPAM-ℓ2": ((0.017, 0.021), (0.029, 0.020), (0.040, 0.034), (0.065, 0.033)),
    "FSAUC": ((0.037, 0.033), (0.117, 0.071), (0.146, 0.060), (0.210, 0.069)),
    "SOLAM": ((0.024, 0.029), (0.049, 0.032), (0.073, 0.027), (0.100, 0.072)),
    "StoIHT": ((0.051, 0.033), (0.093, 0.028), (0.122, 0.036), (0.146, 0.045)),
    "HSG-HT": ((0.046, 0.037), (0.096, 0.031), (0.127, 0.049), (0.171, 0.042)),
}

SHARE = 0.05  # r, of positives
TRIALS = {Scale.QUICK: 2, Scale.FULL: 5}
POINTS = {Scale.QUICK: 12, Scale.FULL: 50}  # of a grid; the paper has 40 to 147
INNER = {Scale.QUICK: 3, Scale.FULL: 5}
NOTES = {
    Scale.QUICK: "Quick: two trials of the five, 12 points of each grid and three inner folds.",
    Scale.FULL: "Each method tries 50 points of its grid, or all if it has fewer: 50 of 50 for "
    "SHT-AUC and StoIHT, 40 of 40 for HSG-HT, 50 of 96 for SPAM, of 84 for SOLAM and of 147 for "
    "FSAUC. The points that are left out are between those that are tried.",
}
INCONSISTENT = (
    "In a run the Jaccard index is F1/(2 − F1), a convex function, so that the mean of the first "
    "is at least that function of the mean of the second. In {} of the 28 places the paper prints "
    "a smaller one, so that the two halves of table II cannot come from the same runs there."
)


def table_1(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table I: the test AUC."""
    return _table(
        scale,
        protocol,
        "test AUC on simulated sets with a share of positives of 0.05",
        {AUC: TABLE_1},
        best_auc,
    )


def table_2(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table II: F1 and Jaccard index of the support."""
    return _table(
        scale,
        protocol,
        "how well the support is found on simulated sets",
        {"support-f1": F1, "support-jaccard": JACCARD},
        best_support,
        "Weights of at most 0.001 count as 0 for the methods without a hard threshold, as in "
        "footnote 2 of the paper. Which weights are that small depends on the length of the "
        "rows, which is 1 here.",
        INCONSISTENT.format(len(impossible())),
    )


def _table(
    scale: Scale,
    protocol: Protocol,
    title: str,
    printed: Mapping[str, Mapping[str, Cells]],
    claims: Callable[[Lines, Results], list[Claim]],
    *more: str,
) -> Experiment:
    clean = protocol is Protocol.CLEAN
    grid = Grid(
        rows={k: simulated(k, SHARE, TRIALS[scale], protocol) for k in COLUMNS},
        methods=methods(protocol, SHARE),
        features=CLEAN_MAP if clean else LEAKY_MAP,
        more={
            **({"splits": 5} if clean else {"holdout": 0.2, "repeats": 5}),
            "passes": PASSES,
            "tune_evals": POINTS[scale],
            "inner_splits": INNER[scale],
        },
    )
    return Experiment(
        title=title,
        notes=(*(CLEAN_NOTES if clean else PUBLISHED_NOTES), NOTES[scale], *more),
        plans=(grid.plan,),
        entries=tuple(
            Entry(
                row=method,
                column=f"k* = {k}",
                measure=measured_as(measure, method),
                line=grid.line(method, k),
                published=Published(mean, sd, RUNS),
            )
            for measure, numbers in printed.items()
            for method, cells in numbers.items()
            for k, (mean, sd) in zip(COLUMNS, cells, strict=True)
        ),
        claims=lambda results: claims(grid.lines, results),
    )


def best_auc(lines: Lines, results: Results) -> list[Claim]:
    """Test what section IV-A says of table I."""
    larger, dense = (40, 60, 80), ("SPAM-ℓ2", "SOLAM")
    sparse = tuple(method for method in FOR_AUC if method not in dense)

    def mean(methods: Sequence[str], ks: Sequence[int] = COLUMNS) -> Vector:
        return mean_over(results.values(lines[method, k]) for method in methods for k in ks)

    return [
        against(
            "SHT-AUC has the highest AUC for k* = 40, 60 and 80 (section IV-A, of table I)",
            mean([SHT], larger),
            {m: mean([m], larger) for m in methods_of(lines) if m != SHT},
            trials(lines),
        ),
        against(
            "StoIHT and HSG-HT, which are not for AUC, have a lower AUC than SHT-AUC "
            "(section IV-A, of table I)",
            mean([SHT]),
            {m: mean([m]) for m in (STO, HSG)},
            trials(lines),
        ),
        against(
            "SPAM-ℓ2 and SOLAM, which are not sparse, have a lower AUC than SHT-AUC, SPAM-ℓ1 and "
            "FSAUC have in the mean (section IV-A, of table I)",
            mean(sparse),
            {m: mean([m]) for m in dense},
            trials(lines),
        ),
    ]


def best_support(lines: Lines, results: Results) -> list[Claim]:
    """Test what section IV-A says of table II."""

    def means(measure: str, method: str) -> Vector:
        own = measured_as(measure, method)
        return mean_over(results.values(lines[method, k], own) for k in COLUMNS)

    return [
        against(
            f"SHT-AUC has the highest {title} of all methods (section IV-A, of table II)",
            means(measure, SHT),
            {m: means(measure, m) for m in methods_of(lines) if m != SHT},
            trials(lines),
        )
        for measure, title in (("support-f1", "F1"), ("support-jaccard", "Jaccard index"))
    ]


def impossible() -> list[tuple[str, int]]:
    """Return method and k* where the printed Jaccard index is too small for the printed F1.

    Half a unit of the last digit is allowed for rounding, of both.
    """
    return [
        (method, k)
        for method, cells in F1.items()
        for k, (f1, _), (jaccard, _) in zip(COLUMNS, cells, JACCARD[method], strict=True)
        if jaccard + 5e-4 < (f1 - 5e-4) / (2 - (f1 - 5e-4))
    ]
