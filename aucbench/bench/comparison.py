"""`compare`: a plan from arguments, run on this host; the face for Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aucbench.bench.engines import make_engine
from aucbench.bench.plan.plan import Plan, choices, with_features
from aucbench.bench.runner import run
from aucbench.infra.store import Store
from aucbench.registry.specs import split_specs


def compare(
    solvers: str | Iterable[str],
    data: str | Iterable[str],
    *,
    preprocess: str = "maxabs",
    features: str | Iterable[str] = (),
    objective: str | None = None,
    projector: str | None = None,
    positive: Any = None,
    drop: Sequence[str | int] = (),
    splits: int = 5,
    repeats: int = 1,
    passes: float | None = None,
    seconds: float | None = None,
    gap_tol: float = 1e-6,
    seed: int = 0,
    tune: bool = False,
    timeout: float | None = None,
    memory: float | None = None,
    jobs: int | None = None,
    out: Path | None = None,
) -> tuple[dict[str, Any], ...]:
    """Fit every solver on every stratified split of every data set, each in its own process.

    Parameters
    ----------
    solvers : str or iterable of str
        Specifications as `sht-auc[k=50,blocks=4],logistic`. A solver that is no plugin yet
        can be tried with `aucbench.solve`.
    data : str or iterable of str
        Specifications, files, or URLs with `#sha256=`.
    features : str or iterable of str
        Feature maps after the preprocessing, as `nystroem[rank=50]`; each gives cells of its own.
    tune : bool
        Tune each solver over its published grid, on the training rows only.
    timeout, memory : float, optional
        Seconds of wall time and megabytes of a cell; see `Plan`.
    jobs : int, optional
        Cells at once; as many as cores when left out.
    out : Path, optional
        Folder that keeps the results; what it holds already is not run again.
    preprocess, objective, projector, positive, drop, splits, repeats, passes, seconds,
    gap_tol, seed :
        See `Plan`.

    Returns
    -------
    tuple of dict
        The record of each cell, whatever happened to it, in the order of the plan; see
        `aucbench.bench.results.record.make_record`.

    Raises
    ------
    AucbenchError
        Before the first fit, when the arguments make no sense.
    """
    plan = Plan(
        _specs(data),
        choices(_specs(solvers), tune=tune),
        _specs(preprocess),
        objective,
        projector,
        positive,
        tuple(drop),
        splits,
        repeats,
        (seed,),
        passes,
        seconds,
        gap_tol,
        timeout=timeout,
        memory=memory,
    )
    plan = with_features(plan, _specs(features))
    with ExitStack() as stack:
        folder = out or Path(stack.enter_context(TemporaryDirectory(prefix="aucbench-"))) / "out"
        store = stack.enter_context(Store(folder, create=True))
        return tuple(sorted(run(plan, store, make_engine(jobs=jobs)), key=_Order(plan)))


class _Order:
    """Place of a record in its plan."""

    def __init__(self, plan: Plan) -> None:
        self._of = {_names(cell.to_json()): number for number, cell in enumerate(plan.cells())}

    def __call__(self, record: dict[str, Any]) -> int:
        return self._of[_names(record)]


def _names(cell: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(cell[key] for key in ("dataset", "preprocess", "seed", "split", "solver"))


def _specs(given: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(split_specs(given) if isinstance(given, str) else given)
