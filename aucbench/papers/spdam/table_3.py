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
from aucbench.papers.spdam.methods import GROUPS, METHOD, SMALL, Group, features_of
from aucbench.papers.spdam.published import NOTES, PUBLISHED, of_scale
from aucbench.sections import Table
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
            one = corrected_difference(a, b, results.ratio(line))
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
