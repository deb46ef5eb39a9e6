"""Table 3: test AUC of eight methods on eleven data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import isnan

import numpy as np

from aucbench.bench.plan.plan import Plan
from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Entry, Line, Protocol, Published, Scale
from aucbench.papers.results import Results
from aucbench.papers.spdam.convergence import at
from aucbench.papers.spdam.methods import (
    GROUPS,
    METHOD,
    PUBLISHED,
    SMALL,
    Group,
    features_of,
)
from aucbench.report.sections import Table
from aucbench.stats.resampled import corrected_difference
from aucbench.stats.words import ROPE

RUNS = 25  # five times five folds

QUICK = (*SMALL, "splice", "usps")
FULL = (*QUICK, "a9a", "ijcnn1")
LARGE = FULL[len(SMALL) + 1 :]  # of these, fewer points of a grid are tried
SOME, ALL = 24, 132  # points of a grid; regSOLAM has 132
HALVES = {Scale.QUICK: 5, Scale.FULL: 20}  # random halves of the digits of usps
SPDAM, EXACT = "SPDAM", "B-LS-SVM"
PASSES = (5.0, 15.0, 50.0)  # of SPDAM, after which its AUC is shown
UNKNOWN = "the paper does not say which classes are positive"
LEFT_OUT = {
    "mnist": f"{UNKNOWN}, and 25 runs of all methods take about seven hours of one core",
    "acoustic": f"the file is not at hand, and {UNKNOWN}",
    "covtype": f"the file is not at hand, and {UNKNOWN}",
    "sector": f"{UNKNOWN}, and rows of 55197 centred features take 4.2 GB",
}


NOTES = (
    "Protocol: five repeats of five folds; hyperparameters by inner folds of the training rows of "
    "each run; feature maps are fitted to training rows only. The folds here are stratified, of "
    "which the paper says nothing. There is no protocol of published code, because the code of "
    "this paper is not public. (That of the authors for SOLAM chooses hyperparameters once, on "
    "the first of the 25 training sets, so that they have seen test rows of the other runs.)",
    "The columns have two scalings. The paper ran SPDAM and regSOLAM itself, and took the other "
    "six columns from Gao et al. (2013). Its own two have rows of length 1 for the small sets; "
    "the six have rows of any length. fourclass tells them apart. The exact minimiser of the "
    "pairwise square has AUC 0.831 with features in [−1, 1], where the paper prints 0.8309 for "
    "B-LS-SVM, and 0.823 with rows of length 1 besides, where it prints 0.8223 for SPDAM.",
    "The paper does not say that features of the small sets are scaled to [−1, 1] before rows "
    "are, but they must be. With raw features and rows of length 1 the exact minimiser has AUC "
    "0.690 on diabetes and 0.784 on fourclass, and with features divided by their largest "
    "magnitude 0.701 and 0.784. With [−1, 1] it has 0.830 and 0.823 (published for SPDAM: 0.8275 "
    "and 0.8223). LIBSVM has these sets in that form too (diabetes_scale, fourclass_scale, "
    "german.numer_scale). The map min-max makes it of training rows; a9a and ijcnn1 are as "
    "LIBSVM has them.",
    "For the large sets the paper prints (x − mean(x))/‖x‖, which can be read in several ways. "
    "The map unit-centred here subtracts the mean of each feature over the training rows, and "
    "then divides the row by its new length. Published code of the authors for SOLAM and SPAM "
    "writes the mean of the entries of each row, which is no leak, in a line that is switched "
    "off. For the exact minimiser both readings agree to 0.003 on splice, a9a and ijcnn1.",
    "Budgets: SPDAM has 50 passes, and ends with a certified relative gap of 1e-6; evaluations "
    "of the gap are counted. regSOLAM has 15 passes, as in published code of the authors. OPAUC, "
    "OAM and Uni-Exp have one pass, for which they are made. The paper says nothing of budgets. "
    "The table of budgets shows SPDAM after fewer passes. Its published AUC on ijcnn1, 0.9132, "
    "is below that of every batch method; so low are runs that end after 5 to 15 passes.",
    "Grids: λ of SPDAM, and λ and ξ of regSOLAM, are those of the paper; the others are those of "
    "the solvers here, from the papers of these methods. regSOLAM adds its ridge to p(1 − p) "
    "times the pairwise square and SPDAM to the pairwise square, so that one number λ is a "
    "larger ridge for regSOLAM.",
    "mnist, acoustic, covtype, usps and sector have more than two classes, which the paper "
    "divides at random. usps here has the digits 5-9 as positive. The published code of the "
    "authors for SOLAM and SPAM counts one class in both groups, so that of ten digits four are "
    "positive and six negative; whether it made this table is not known. The other six columns "
    "have the halves of Gao et al. So not even SPDAM (0.9854) and B-LS-SVM (0.9634) of the "
    "published row of usps can be compared with each other.",
    "OAM is implemented as it is generally described, because its paper leaves details open. On "
    "splice the AUC of OAMseq is higher here than published. On ijcnn1 it is lower: tuning takes "
    "the least C of the grid, 2^−10, with AUC 0.89 for OAMseq and 0.90 for OAMgra, while C = 2^−16 "
    "has 0.921 for both on the same rows (published: 0.9209 and 0.9100). Steps "
    "here grow with the number of rows seen; how the published code weighs them is not known.",
)


def of_scale(scale: Scale) -> tuple[str, ...]:
    """Return what is smaller here than in the paper."""
    if scale is Scale.QUICK:
        return (
            "Quick: diabetes, fourclass, german, splice and usps; two repeats of five folds; three "
            "inner folds; 24 points of each grid. Of the 132 points of regSOLAM, 24 often miss the "
            "best.",
        )
    return (
        "Full: the repeats and inner folds of the paper. On the four small sets 132 points of each "
        "grid are tried, which is all of regSOLAM; on usps, a9a and ijcnn1 24 of them, to keep the "
        "cost.",
    )


def table_3(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table 3; quick: five sets, two repeats, three inner folds, 24 points of a grid."""
    sets = QUICK if scale is Scale.QUICK else FULL
    return Experiment(
        title="test AUC on benchmark data sets",
        notes=(*NOTES, *of_scale(scale)),
        plans=(
            *(_plan((name,), group, scale) for name in sets for group in GROUPS),
            *_halves(scale),
        ),
        entries=tuple(
            Entry(
                row=name,
                column=method,
                line=_line(name, method),
                published=Published(*numbers, runs=RUNS),
                why=UNKNOWN if name == "usps" else "",
                left_out=""
                if name in sets
                else LEFT_OUT.get(name, "the quick run leaves this set out"),
            )
            for name, printed in PUBLISHED.items()
            for method, numbers in printed.items()
        ),
        shown=partial(_shown, sets, scale),
        claims=partial(_claims, sets),
    )


def _plan(names: tuple[str, ...], group: Group, scale: Scale, repeats: int | None = None) -> Plan:
    quick, name = scale is Scale.QUICK, names[0].partition("[")[0]
    return Plan(
        names,
        tuple(group.methods.values()),
        (features_of(name, taken=group.taken),),
        splits=5,
        repeats=repeats or (2 if quick else 5),
        inner_splits=3 if quick else 5,
        tune_evals=SOME if quick or name in LARGE else ALL,
        passes=group.passes,
    )


def _halves(scale: Scale) -> Iterator[Plan]:
    """Yield the plans of the exact minimiser on random halves of usps, for both scalings."""
    for taken in (True, False):
        yield _plan(_drawn(scale), Group({EXACT: METHOD[EXACT]}, None, taken=taken), scale, 1)


def _drawn(scale: Scale) -> tuple[str, ...]:
    return tuple(f"usps[task=halves,seed={seed}]" for seed in range(HALVES[scale]))


def _line(name: str, method: str) -> Line:
    group = next(group for group in GROUPS if method in group.methods)
    return Line((name,), group.methods[method], features_of(name, taken=group.taken))


def _shown(sets: Sequence[str], scale: Scale, results: Results) -> list[Table | str]:
    """Return the AUC of SPDAM after fewer passes, and that of usps for random halves."""
    budgets = [
        [
            name,
            *(
                _mean([at(curve, passes) for curve in results.curves(_line(name, SPDAM))])
                for passes in PASSES
            ),
            f"{PUBLISHED[name][SPDAM][0]:.4f}",
        ]
        for name in sets
    ]
    halves = []
    for taken, method in ((True, EXACT), (False, SPDAM)):
        features = features_of("usps", taken=taken)
        lines = (Line((name,), METHOD[EXACT], features) for name in _drawn(scale))
        means = [float(np.nanmean(values)) for values in map(results.values, lines) if values.size]
        ends = [f"{f(means):.4f}" if means else "–" for f in (min, np.median, max)]
        halves.append(
            [features, str(len(means)), *ends, method, f"{PUBLISHED['usps'][method][0]:.4f}"]
        )
    return [
        "SPDAM by its budget: mean test AUC after so many passes of the fit with the chosen λ",
        Table(("data set", *(f"{passes:g} passes" for passes in PASSES), "published"), budgets),
        "usps by the classes that are positive: mean test AUC of the exact minimiser of the "
        "pairwise square on random halves of the digits, and the published number that has "
        "these features",
        Table(("features", "halves", "lowest", "median", "highest", "method", "published"), halves),
    ]


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.4f}" if values else "–"


def _claims(sets: Sequence[str], results: Results) -> list[Claim]:
    return [
        _similar(sets, results, "SPDAM"),
        _similar(sets, results, "regSOLAM"),
        Claim(
            "On mnist and covtype SPDAM and regSOLAM are significantly better than the other "
            "methods (section 5.3).",
            None,
            "both sets are left out, and their classes are not said",
        ),
    ]


def _similar(sets: Sequence[str], results: Results, method: str) -> Claim:
    """Test whether a method differs by more than the rope from the exact minimiser."""
    statement = f"{method} has a test AUC similar to that of {EXACT} (section 5.3)."
    differences = {}
    for name in sets:
        line = _line(name, method)
        a, b = results.values(line), results.values(_line(name, EXACT))
        if a.size == b.size > 0:
            repeats = results.repeats(line)
            one = corrected_difference(a, b, results.ratio(line), repeats=repeats)
            if not isnan(one.low):
                differences[name] = one
    if not differences:
        return Claim(statement, None, f"there are no two runs of {method} and {EXACT}")
    other = {name: d for name, d in differences.items() if d.low > ROPE or d.high < -ROPE}
    told = ", ".join(
        f"{name} {d.effect:+.4f} ({d.low:+.4f} to {d.high:+.4f})"
        for name, d in (other or differences).items()
    )
    where = "some differences lie" if other else "no difference lies"
    because = f"{where} outside ±{ROPE} with the whole 95 % interval: {told}"
    return Claim(statement, not other, because)
