"""Cells as supervised jobs: what is asked of the functions of the workers, named by string.

The parent imports this module: it imports no plugin and reads no data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.cell import Cell, Tuning, listed
from aucbench.infra.supervise.records import Job, Limits, Step, json_hash

if TYPE_CHECKING:
    from aucbench.judge.targets import KeptTarget
    from aucbench.registry.specs import Spec

JOBS = "aucbench.fit.jobs"
NO_LIMITS = Limits()


def resolve_job(
    names: Mapping[str, Sequence[Spec | str]],
    grids: Iterable[tuple[Spec, Tuning]] = (),
    limits: Limits = NO_LIMITS,
) -> Job:
    """Look up specifications by kind ("solvers", "objectives", ...), and solvers with grids."""
    named = {kind: [*map(str, specs)] for kind, specs in names.items()}
    request = {"names": named, "grids": [[str(spec), listed(tuning)] for spec, tuning in grids]}
    return Job(f"{JOBS}:resolve", request, limits)


def data_job(cell: Cell, limits: Limits = NO_LIMITS) -> Job:
    """Read the data set of a cell: its hash, its sizes, and its target in a file."""
    step = _read_step(cell, limits)
    request = {**step.request, "key": step.key}
    return Job(f"{JOBS}:data", request, limits, (step,), handed=(step.key,))


def cell_job(
    cell: Cell,
    data: str,
    target: KeptTarget,
    limits: Limits = NO_LIMITS,
    step: Limits = NO_LIMITS,
    *,
    code: str | None = None,
) -> Job:
    """Fit one cell and score its test rows.

    Parameters
    ----------
    cell : Cell
    data : str
        Hash of its data set; rows that have another one are refused.
    target : KeptTarget
        Deals the rows; the request holds the target of the training rows only.
    limits, step : Limits
        Of the fit, and of the preparation of its rows, which the cells of a split share.
    code : str or None
        `code_fingerprint` of who planned the cell; a host with another one refuses it.

    Raises
    ------
    DataError
        When the rows cannot be dealt to its splits.
    """
    first = _read_step(cell, step)
    learnt, labels = target.learnt(cell)
    request = {
        "data": first.key,
        "hash": data,
        "dataset": cell.dataset,
        "features": cell.features,
        "split": cell.split,
        "seed": cell.seed,
        "learnt": learnt,
        "target": labels,
    }
    second = Step(_key("split", request), f"{JOBS}:split", request, step)
    asked = {"cell": cell.to_json(), "data": first.key, "rows": second.key, "code": code}
    asked["target"] = labels
    return Job(f"{JOBS}:cell", asked, limits, (first, second))


def _read_step(cell: Cell, limits: Limits) -> Step:
    request = {
        "dataset": cell.dataset,
        "positive": cell.positive,
        "drop": cell.drop,
        "folder": str(Path.cwd()),  # where a relative path was meant
    }
    return Step(_key("data", request), f"{JOBS}:read", request, limits)


def _key(name: str, request: Mapping[str, Any]) -> str:
    return f"{name}-{json_hash(request)}"
