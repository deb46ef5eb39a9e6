"""Cells as supervised jobs: what is asked of the functions of `jobs`.

Imported by the process of the user, so it imports no plugin and reads no data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aucbench.cell import Cell, Tuning
from aucbench.infra.supervise.records import Job, Limits, Step, digest

JOBS = "aucbench.fit.jobs"
FREE = Limits()


def resolve_job(
    names: Mapping[str, Sequence[str]],
    grids: Iterable[tuple[str, Tuning]] = (),
    limits: Limits = FREE,
) -> Job:
    """Look up specifications by kind ("solvers", "objectives", ...), and solvers with grids."""
    request = {"names": {kind: [*specs] for kind, specs in names.items()}, "grids": [*grids]}
    return Job(f"{JOBS}:resolve", request, limits)


def data_job(cell: Cell, limits: Limits = FREE) -> Job:
    """Read the data set of a cell and tell its hash; the arrays are not kept."""
    step = _data_step(cell, limits)
    return Job(f"{JOBS}:about", {"data": step.key}, limits, (step,))


def cell_job(
    cell: Cell,
    data: str | None,
    limits: Limits = FREE,
    step: Limits = FREE,
    *,
    code: str | None = None,
) -> Job:
    """Fit and measure one cell.

    Parameters
    ----------
    cell : Cell
    data : str or None
        Hash of its data set; rows that have another one are refused.
    limits, step : Limits
        Of the fit, and of the preparation of its rows, which the cells of a split share.
    code : str or None
        `code_fingerprint` of who planned the cell; a host with another one refuses it.
    """
    first = _data_step(cell, step)
    request = {
        "data": first.key,
        "hash": data,
        "dataset": cell.dataset,
        "preprocess": cell.preprocess,
        "splits": cell.splits,
        "split": cell.split,
        "seed": cell.seed,
    }
    second = Step(_key("split", request), f"{JOBS}:split", request, step)
    asked = {"cell": cell.to_json(), "data": first.key, "rows": second.key, "code": code}
    return Job(f"{JOBS}:cell", asked, limits, (first, second))


def _data_step(cell: Cell, limits: Limits) -> Step:
    request = {
        "dataset": cell.dataset,
        "positive": cell.positive,
        "drop": cell.drop,
        "folder": str(Path.cwd()),  # where a relative path was meant
    }
    return Step(_key("data", request), f"{JOBS}:data", request, limits)


def _key(name: str, request: Mapping[str, Any]) -> str:
    return f"{name}-{digest(request)}"
