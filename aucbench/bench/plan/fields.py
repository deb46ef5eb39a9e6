"""The fields of a plan, before they are checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

from aucbench.bench.cell import Scalar, Tuning, solver_label
from aucbench.bench.plan.errors import PlanError, checked_spec, every
from aucbench.datasets.reading import Reading
from aucbench.ranges import GAP_TOL, Range
from aucbench.registry.specs import Spec

# Fast, strong and unlike each other on the sets of docs/defaults.md: a loss of rows, one of pairs,
# few features, a kernel, and trees.
DEFAULT_SOLVERS = ("logistic", "svm-or", "sht-auc", "roc-svm-nystrom", "hist-gradient-boosting")
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


@dataclass(frozen=True)
class PlanFields:
    """The fields of a `Plan`.

    Attributes
    ----------
    datasets : tuple of str
        Names with their parameters, files, addresses with `#sha256=`, or suites, in place of which
        the plan has their members.
    solvers : tuple of Choice
        The solvers that are compared.
    features : tuple of str
        Feature maps, fitted on the training rows and applied to both parts; `a+b` is b after a.
    objective, projector, reading, gap_tol, tune_evals, inner_splits, repeat_fits :
        See `Cell`.
    splits : int or None
        Number of folds, at least 2. None: 5, or 1 with `holdout` or a test file.
    holdout : float or None
        Share of the rows, in (0, 1), that each repeat draws anew as its test set; no folds then.
    repeats, seeds :
        Repeat r of seed s is shuffled, and its solvers are run, with seed s + r.
    passes, seconds : float or None
        Budget of a fit, the first reached; 50 passes when neither is given.
    timeout : float
        Seconds of wall time after which a cell is killed, tuning included; 0: never.
    memory : float or None
        Megabytes (10**6 bytes) above what an idle cell takes.
    """

    datasets: tuple[str, ...]
    solvers: tuple[Choice, ...] = field(default_factory=lambda: choices(DEFAULT_SOLVERS))
    features: tuple[str, ...] = DEFAULT_FEATURES
    objective: str | None = None
    projector: str | None = None
    reading: Reading = field(default_factory=Reading)
    splits: int | None = None
    repeats: int = 1
    seeds: tuple[int, ...] = (0,)
    passes: float | None = None
    seconds: float | None = None
    gap_tol: float = GAP_TOL
    tune_evals: int = 20
    inner_splits: int = 3
    repeat_fits: int = 1
    timeout: float = DEFAULT_TIMEOUT
    memory: float | None = None
    holdout: float | None = None
