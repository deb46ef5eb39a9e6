"""Whether the mean rank of the three best solvers is better than the best one alone.

Both are judged by the scores of the comparison on its test rows, with the interval of the paired
difference that a table has: DeLong's, and that over splits. No fit is done for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from aucbench.errors import ParameterError
from aucbench.report.findings import Findings
from aucbench.report.inside import folds_of
from aucbench.stats import Difference, Interval, within
from aucbench.stats.rows import Fold, Rows

MEMBERS = 3
STACK = "the stack"


@dataclass(frozen=True, slots=True)
class Stacking:
    """The stack of a comparison, beside its best solver.

    Attributes
    ----------
    places : tuple of int
        Numbers of the solvers in it, the best first.
    names : tuple of str
        Of these solvers.
    difference : Difference
        Stack less best.
    auc : Interval
        Of the stack.
    """

    places: tuple[int, ...]
    names: tuple[str, ...]
    difference: Difference
    auc: Interval

    @property
    def better(self) -> bool:
        """Whether the whole interval of the difference is above 0."""
        return bool(self.difference.low > 0)

    @property
    def sentence(self) -> str:
        """What is said of it."""
        found = self.difference
        interval = f"{found.effect:+.4f}, 95 % interval {found.low:+.4f} to {found.high:+.4f}"
        what = f"The mean rank of {', '.join(self.names)}"
        if self.better:
            return f"{what} is better than {self.names[0]} alone ({interval}): it is the model."
        return (
            f"{what} is not better than {self.names[0]} alone beyond the interval ({interval}): "
            "the model is not a stack."
        )


def stacking(findings: Findings) -> Stacking:
    """Return the stack of the three best solvers of a comparison on one data set.

    Raises
    ------
    ParameterError
        When fewer than two solvers could be fitted to each training part, or no scores are known.
    """
    evidence = findings.evidence
    places = [j for j in findings.order if evidence.group(0, j).complete][:MEMBERS]
    folds = folds_of(evidence, {j: evidence.group(0, j) for j in places})
    if len(places) < 2 or not folds:
        raise ParameterError(
            "a stack needs two solvers that could be fitted to each training part; name others, or "
            "leave --stack out"
        )
    names = tuple(evidence.solvers[j] for j in places)
    best = folds[places[0]]
    stack = {key: mean_rank([_labelled(folds[j][key]) for j in places]) for key in best}
    ratio, repeats = evidence.ratio(0), evidence.repeats(0)
    compared = within({STACK: stack, names[0]: best}, ratio, repeats=repeats, by=findings.chosen)
    own = next(solver for solver in compared.solvers if solver.name == STACK)
    difference = compared.pair(STACK, names[0]).verdict
    return Stacking(tuple(places), names, difference, own.interval)


def _labelled(rows: Rows) -> Fold:
    """Return test rows with labels, or raise `ParameterError`."""
    if isinstance(rows, Fold):
        return rows
    raise ParameterError("a stack ranks rows with labels of two classes; leave --stack out")


def mean_rank(folds: Sequence[Fold]) -> Fold:
    """Return the same test rows with the mean of their ranks by several solvers."""
    first = folds[0]
    ranks = [rankdata(fold.scores) for fold in folds]
    return Fold(first.positive, np.mean(ranks, axis=0), first.weights, first.groups)
