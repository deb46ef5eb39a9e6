"""The solvers of a plan, and what a plan has by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from aucbench.bench.cell import Scalar, Tuning, solver_label
from aucbench.bench.plan.errors import PlanError, checked_spec, every
from aucbench.ranges import Range
from aucbench.registry.specs import Spec

# Fast, strong and unlike each other on the sets of docs/defaults.md: a loss of rows, one of pairs,
# curves of columns, a kernel, and trees.
DEFAULT_SOLVERS = ("logistic", "svm-or", "additive", "roc-svm-nystrom", "hist-gradient-boosting")
SHAPED_SOLVERS = ("additive", "rank-svm", "ls-svm")  # of effects that have a shape
ORDER_SOLVERS = ("rank-svm", "svm-or", "ls-svm", "sht-auc")  # of times and grades
DEFAULT_FEATURES = ("auto",)
DEFAULT_SPLITS = 5
DEFAULT_TIMEOUT = 3600.0  # seconds; far more than a cell takes that makes progress
CHANGEPOINT_SOLVERS = (
    "aum",
    "interval-regression",
    "interval-regression[penalty=l1]",
    "constant",
)


@dataclass(frozen=True, slots=True, init=False)
class Choice:
    """A solver of a plan.

    Parameters
    ----------
    spec : str or Spec
        Such as `sht-auc[k=50]`; text is parsed here, once.
    tune : bool or mapping of str to values or Range
        True: tune over the published grid of the solver. A mapping: tune over this grid. False:
        take the solver with the parameters that `spec` gives.

    Raises
    ------
    PlanError
        When the text is malformed.
    """

    spec: Spec
    tune: Mapping[str, tuple[Scalar, ...] | Range] | bool

    def __init__(
        self,
        spec: str | Spec,
        tune: Mapping[str, tuple[Scalar, ...] | Range] | bool = False,
    ):
        object.__setattr__(self, "spec", checked_spec(spec))
        object.__setattr__(self, "tune", tune)

    @property
    def tuning(self) -> Tuning:
        """`tune` in a form that can be hashed, and that is equal for equal grids."""
        if isinstance(self.tune, bool):
            return self.tune
        axes = ((n, v if isinstance(v, Range) else tuple(v)) for n, v in self.tune.items())
        return tuple(sorted(axes, key=itemgetter(0)))

    @property
    def label(self) -> str:
        """Name of the solver in a table."""
        return solver_label(self.spec, self.tuning)


def choices(specs: Iterable[str | Spec], *, tune: bool = False) -> tuple[Choice, ...]:
    """Return the solvers of a plan from their specifications, all tuned or none."""
    return tuple(every(partial(numbered_choice, *one, tune) for one in enumerate(specs)))


def numbered_choice(number: int, spec: Any, tune: Any) -> Choice:
    """Return a `Choice`; an error says which solver of the plan it is about."""
    try:
        return Choice(spec, tune)
    except PlanError as error:
        place = ("solvers", number, *error.place)
        raise PlanError(str(error), *place, value=error.value) from error
