"""A cell: one fit of one solver on one split, and the row that it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from math import inf, isfinite
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from aucbench.bench.plan import Cell, Settings
from aucbench.data import Data
from aucbench.errors import AucbenchError, DataError
from aucbench.loop import Recast, solve
from aucbench.metrics import auc
from aucbench.protocols import FeatureMap, Solver
from aucbench.records import CellStatus, Stop

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Split:
    """Preprocessed rows of one split."""

    train: Data
    test: Data


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of a cell after it ended; measured by the harness, not by the solver.

    Attributes
    ----------
    solver, dataset : str
        The specifications as the user gave them.
    repeat, split, seed : int
        Which fold of which shuffle; `seed` is that of the shuffle and of the solver.
    preprocess, with_objective, with_projector : str or None
        The options that apply to every solver.
    status, reason : CellStatus and str or None
        How it ended; a reason for every status but "ok".
    auc : float or None
        On the test rows.
    fit_seconds : float or None
        Inside the solver; neither preprocessing nor evaluation.
    nnz : int or None
        Non-zero weights, an intercept not counted.
    passes : float or None
        Rows seen / training rows.
    stop : str or None
        Name of the `Stop` that ended the fit.
    objective : float or None
        f(w) + Omega(w) on the training rows; None where no f is listed.
    n_train, n_test, d : int or None
        Size of the split.
    parameters : dict
        Hyperparameters of the solver that are plain values.
    """

    solver: str
    dataset: str
    repeat: int
    split: int
    seed: int
    preprocess: str
    with_objective: str | None
    with_projector: str | None
    status: CellStatus
    reason: str | None = None
    auc: float | None = None
    fit_seconds: float | None = None
    nnz: int | None = None
    passes: float | None = None
    stop: str | None = None
    objective: float | None = None
    n_train: int | None = None
    n_test: int | None = None
    d: int | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for strict JSON: what is not finite is null."""
        return {name: v if _is_plain(v) else None for name, v in asdict(self).items()}


def prepare(cell: Cell, data: Data, features: FeatureMap, settings: Settings) -> Split:
    """Training and test rows of a cell, preprocessed by what the training rows teach.

    Raises
    ------
    DataError
        When a class has fewer rows than there are splits, or preprocessing refuses.
    """
    smaller = min(data.target.n_pos, data.target.n_neg)
    if smaller < settings.splits:
        raise DataError(
            f"the smaller class of {cell.dataset} has {smaller} row(s), fewer than the "
            f"{settings.splits} splits; ask for fewer splits"
        )
    folds = StratifiedKFold(settings.splits, shuffle=True, random_state=cell.seed)
    train, test = list(folds.split(np.zeros(data.n), data.y))[cell.split]
    raw_train, raw_test = data.take(train.astype(np.int32)), data.take(test.astype(np.int32))
    fitted = features.fit(raw_train, np.random.default_rng([cell.seed, cell.split]))
    return Split(
        raw_train.with_rows(fitted(raw_train.rows)), raw_test.with_rows(fitted(raw_test.rows))
    )


def fit(cell: Cell, solver: Solver, split: Callable[[], Split], settings: Settings) -> Row:
    """Run one cell: whatever the solver or the preprocessing does, it ends as a row.

    Parameters
    ----------
    cell, solver, settings :
        What to run and how.
    split : function () -> Split
        The rows; called inside, so that a refusal to prepare them is a row as well.
    """
    row = _planned(cell, solver, settings)
    try:
        rows = split()
    except AucbenchError as refusal:
        return replace(row, status=CellStatus.SKIPPED, reason=str(refusal))
    except Exception as error:
        return replace(row, status=CellStatus.ERROR, reason=_first_line(error))
    row = replace(row, n_train=rows.train.n, n_test=rows.test.n, d=rows.train.d)
    try:
        return _measured(row, solver, rows, settings)
    except (Exception, SystemExit) as error:
        return replace(row, status=CellStatus.ERROR, reason=_first_line(error))


def _planned(cell: Cell, solver: Solver, settings: Settings) -> Row:
    return Row(
        **asdict(cell),
        preprocess=settings.preprocess,
        with_objective=settings.objective,
        with_projector=settings.projector,
        status=CellStatus.SKIPPED,
        reason="not run",
        parameters=_parameters(solver),
    )


def _measured(row: Row, solver: Solver, split: Split, settings: Settings) -> Row:
    run = solve(
        solver,
        split.train,
        passes=settings.passes,
        seconds=settings.seconds,
        gap_tol=settings.gap_tol,
        seed=row.seed,
        every=inf,
    )
    last = run.points[-1]
    row = replace(row, fit_seconds=run.seconds, passes=last.passes, stop=run.stop.name)
    if run.stop is Stop.INVALID:
        return replace(row, status=CellStatus.INVALID, reason=run.stop.value)
    scores = run.decision_function(split.test.rows)
    if np.isnan(scores).any():
        return replace(row, status=CellStatus.INVALID, reason="Scores of test rows are NaN.")
    return replace(
        row,
        status=CellStatus.OK,
        reason=None,
        auc=auc(split.test.y, scores),
        nnz=run.nnz,
        objective=last.objective,
    )


def _parameters(solver: Solver) -> dict[str, Any]:
    """Fields of the solver that JSON can hold; an infinite one as its name."""
    inner = solver.solver if isinstance(solver, Recast) else solver
    if not is_dataclass(inner):
        return {}
    values = {f.name: getattr(inner, f.name) for f in fields(inner)}
    kept = {name: v for name, v in values.items() if v is None or isinstance(v, Scalar)}
    return {name: v if _is_plain(v) else str(v) for name, v in kept.items()}


def _is_plain(value: Any) -> bool:
    return not isinstance(value, float) or isfinite(value)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
