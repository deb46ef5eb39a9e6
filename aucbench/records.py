"""The results of a run and of a check: frozen records and the status enums.

`Stop` says why `solve` ended; its value is a sentence for people. `CellStatus` says how a cell
of a benchmark ended; its value is the word that is stored, and the reason has its own field.
`Verdict` says how the check of one law ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from aucbench.contract import Model
    from aucbench.solving.scoring import Scorer


class Stop(Enum):
    """Why `solve` ended."""

    FINISHED = "The solver finished."
    PASSES = "The number of passes over the data was reached."
    SECONDS = "The time limit was reached."
    STALLED = "The solver can go no further, and did not show that it is at its optimum."
    CERTIFIED = "The certified optimality gap is within the tolerance."
    INVALID = "The solver returned a number that is not finite."


class CellStatus(StrEnum):
    """How one cell of a benchmark ended."""

    OK = "ok"
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    CRASH = "crash"
    ERROR = "error"
    INVALID = "invalid"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the learning curve; measuring it takes no time on the clock."""

    step: int
    passes: float  # rows seen / number of training rows
    seconds: float  # spent inside the solver, evaluation excluded
    objective: float | None  # f(w) + Omega(w) on the training rows; None: f is not listed
    gap: float | None  # certified, in units of the objective; inf: nothing is certified
    residual: float | None = None  # |gradient of the objective|, as the method reports it


@dataclass(frozen=True, slots=True)
class Run:
    """Result of `solve`: the last iterate, why `solve` ended, and the learning curve.

    A solver learns weights `w` or another `model`; the other one is None. Of three or more classes
    both are None, and `parts` has one run for each class. A run does not hold the
    problem, whose rows are the training rows; see `keeps_rows` for what may hold some of them.
    """

    w: NDArray[np.float64] | None
    scorer: Scorer
    stop: Stop
    points: tuple[Point, ...]
    model: Model | None = None
    cpu_seconds: float | None = None  # of all threads and ended child processes
    parts: tuple[Run, ...] = ()  # of three or more classes: the fit of each against the rest
    trained_on: str = ""  # other pairs than those of the target, such as class[each=rest]
    collapsed: bool = False  # in a range of the ROC curve, w = 0 is certified to be the best

    @property
    def seconds(self) -> float:
        """Seconds spent inside the solver."""
        return self.points[-1].seconds

    @property
    def nnz(self) -> int | None:
        """Number of non-zero weights without exempt ones (an intercept); None with a model."""
        if self.parts:
            counts = [part.nnz for part in self.parts]
            return None if None in counts else sum(filter(None, counts))
        if self.w is None:
            return None
        return int(np.count_nonzero(self.w[: self.w.size - self.scorer.features.exempt]))

    @property
    def keeps_rows(self) -> bool | None:
        """Whether scoring needs training rows, so that this object and its pickle contain some.

        True for kernels, whose landmarks are rows. False for weights of features, and for the
        trees of the baselines, whose thresholds are single numbers. None for a wrapped
        classifier: it is its own decision what it keeps.
        """
        if self.parts:
            each = {part.keeps_rows for part in self.parts}
            return True if True in each else None if None in each else False
        if self.model is not None:
            return self.model.keeps_rows
        return self.scorer.features.keeps_rows

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of raw rows `X`, shape (n, d) -> (n,): w . phi(x), or those of the model.

        Of K classes they have the shape (n, K): one score for each class.

        Raises
        ------
        DataError, PluginError
            As `Scorer`.
        """
        if self.parts:
            return np.column_stack([part.decision_function(X) for part in self.parts])
        return self.scorer(self, X)


class Verdict(StrEnum):
    """How the check of one law ended."""

    HOLDS = "holds"
    BROKEN = "BROKEN"
    WARNING = "warning"
    EXPECTED = "expected"
    NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Finding:
    """The check of one law.

    Attributes
    ----------
    kind : str
        As in `aucbench.testing.LAWS`, such as solvers.
    thing : str
        The name of what was checked.
    law : str
        The name of the law.
    verdict : Verdict
        holds; broken; warning (something that may be meant, and breaks nothing); expected (broken
        or a warning, as the plugin says); or not asked, where the law does not concern this plugin.
    reason : str
        One sentence; where the law holds it is empty, or says what was found.
    seconds : float
        Wall time of the check.
    extent : str
        The rows and columns that it was checked on, where they are not those of the sample.
    """

    kind: str
    thing: str
    law: str
    verdict: Verdict
    reason: str
    seconds: float
    extent: str = ""
