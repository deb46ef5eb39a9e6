"""Table 3: the linear and the kernel ROC-SVM on three imbalanced data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Final

from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import AUC, Claim, Entry, Grid, Protocol, Published, Scale
from aucbench.papers.ranges import Range, deviation_of
from aucbench.papers.results import SECONDS, Results
from aucbench.papers.roc_svm import protocol as of
from aucbench.papers.roc_svm.protocol import FEW, OPEN, decided, runs_of

RUNS: Final = 30
QUICK_RUNS: Final = 3
HOLDOUT: Final = 0.2
LAMS: Final = (0.1, 0.01, 0.001, 0.0001)
QUICK_LAMS: Final = (0.01, 0.001)
SETS: Final = {  # ours by their names
    "Skin Segmentation": "sample[data=skin,n=100000,seed=0]",
    "Bank Marketing": "bank",
    "Accelerometer": "accelerometer",
}
QUICK_SKIN: Final = "sample[data=skin,n=20000,seed=0]"
SOLVERS: Final = {
    "Linear": "roc-svm",
    "Radial": "roc-svm-nystrom[rank=300,kernel=rbf,gamma=median,landmarks=kmeans,loss=incomplete]",
    "linear, exact (svm-or)": "svm-or",
}
# Seconds, and AUC in %, each with its deviation.
PUBLISHED: Final = {
    ("Skin Segmentation", "Linear"): ((8.38, 2.09), (94.64, 1.96)),
    ("Skin Segmentation", "Radial"): ((5.82, 0.15), (98.53, 1.40)),
    ("Bank Marketing", "Linear"): ((0.43, 0.04), (74.71, 9.25)),
    ("Bank Marketing", "Radial"): ((46.33, 9.61), (76.04, 7.94)),
    ("Accelerometer", "Linear"): ((3.54, 0.12), (88.53, 9.15)),
    ("Accelerometer", "Radial"): ((1.60, 0.38), (89.92, 21.61)),
}


def table_3(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table 3; quick: three splits, two values of λ, and a fifth of the rows of skin."""
    quick = scale is Scale.QUICK
    lams = QUICK_LAMS if quick else LAMS
    sets = SETS | ({"Skin Segmentation": QUICK_SKIN} if quick else {})
    grid = Grid(
        rows={name: (dataset,) for name, dataset in sets.items()},
        methods={name: of.tuned(spec, lams) for name, spec in SOLVERS.items()},
        features="standard",
        more={"holdout": HOLDOUT, "repeats": QUICK_RUNS if quick else RUNS, **of.BUDGET},
    )
    return Experiment(
        title="training time and test AUC of the ROC-SVM on three imbalanced data sets",
        notes=tuple(_notes(lams, quick=quick)),
        plans=(grid.plan,),
        entries=tuple(_entries(grid)),
        shown=lambda results: of.times_table(
            ("row", "column"),
            (
                (row, column, runs_of(results, grid.line(column, row), SECONDS), seconds[0])
                for (row, column), (seconds, _) in PUBLISHED.items()
            ),
        ),
        claims=lambda results: claims_of(grid, results),
    )


def _notes(lams: Sequence[float], *, quick: bool) -> Iterator[str]:
    yield (
        f"Each run is a random split that holds {HOLDOUT:.0%} of each class out; the paper does "
        "not say its share. The runs share rows, which the intervals allow for. Features are "
        "standardised by the training rows; the paper does not say whether it scales them."
    )
    yield (
        "Of skin, 100 000 rows are drawn once, with the shares of the classes, as in the paper. Of "
        "bank, the length of the call is left out, which is known only after its outcome; the AUC "
        "of the paper shows that it does the same. Its categories are one-hot coded, which makes "
        "62 features, where the paper has 18 (19 in its text). Of accelerometer, standing is the "
        "positive class."
    )
    yield (
        "The radial model has 300 landmarks, the centres of k-means, as in the paper. The width of "
        "its kernel is not printed; here 1/γ is the median of ‖x − z‖² over pairs of rows. It "
        "is solved to its certified optimum, and not by AdaMax."
    )
    yield of.grid_note(lams)
    yield of.BUDGET_NOTE
    yield of.TIMES_NOTE
    yield (
        "The numbers in parentheses are called standard errors below the table and standard "
        "deviations in the same caption. They are read as standard deviations over the splits."
    )
    if quick:
        yield (
            f"Quick: {QUICK_RUNS} splits of {RUNS}, {len(QUICK_LAMS)} values of λ of {len(LAMS)}, "
            "and 20 000 rows of skin."
        )


def _entries(grid: Grid) -> Iterator[Entry]:
    for row in grid.rows:
        for column in grid.methods:
            seconds, auc = PUBLISHED.get((row, column), (None, None))
            for measure, published in (
                (AUC, auc and of.auc_printed(auc, RUNS)),
                (SECONDS, seconds and Published(*seconds, RUNS)),
            ):
                yield Entry(
                    row=row,
                    column=column,
                    measure=measure,
                    line=grid.line(column, row),
                    published=published or None,
                )


def claims_of(grid: Grid, results: Results) -> list[Claim]:
    """Test what section 4.2 says of table 3."""
    ratio = HOLDOUT / (1 - HOLDOUT)
    both = {name: (grid.line("Radial", name), grid.line("Linear", name)) for name in grid.rows}
    slower = {
        name: of.times(results, *lines, ratio)
        for name, lines in both.items()
        if runs_of(results, lines[0], SECONDS)
    }
    bank, *others = "Bank Marketing", "Skin Segmentation", "Accelerometer"
    radial, linear = (
        deviation_of([*runs_of(results, line).values()]) for line in both["Accelerometer"]
    )
    seconds = "seconds of the radial model divided by those of the linear one"
    return [
        decided(
            "The radial model has a higher AUC than the linear one on all three sets (section 4.2)",
            {f"on {name}": of.gain(results, *lines, ratio) for name, lines in both.items()},
            "AUC of the radial model minus that of the linear one",
            holds=lambda r: r.low > 0,
            fails=lambda r: r.high <= 0,
        ),
        decided(
            "On skin and accelerometer the radial model trains faster than the linear one "
            "(section 4.2)",
            {f"on {name}": slower[name] for name in others if name in slower},
            seconds,
            holds=lambda r: r.high < 1,
            fails=lambda r: r.low >= 1,
            why="a step of the linear model reads 3 or 6 features, and one of the radial model 300",
        ),
        decided(
            "On bank the radial model trains more slowly than the linear one (section 4.2)",
            {f"on {bank}": slower[bank]} if bank in slower else {},
            seconds,
            holds=lambda r: r.low > 1,
            fails=lambda r: r.high <= 1,
        ),
        varies_more(radial, linear),
    ]


def varies_more(radial: Range, linear: Range) -> Claim:
    """Compare the deviations of the AUC of both models by their intervals."""
    statement = (
        "On accelerometer the AUC of the radial model varies more than that of the linear one "
        "(section 4.2)"
    )
    if isnan(radial.low) or isnan(linear.low):
        return Claim(statement, None, FEW)
    told = f"the standard deviation is {radial} for the radial model, {linear} for the linear one"
    apart = radial.low > linear.high or radial.high < linear.low
    if not apart:
        return Claim(statement, None, f"{OPEN}: {told}")
    return Claim(statement, radial.low > linear.high, told)
