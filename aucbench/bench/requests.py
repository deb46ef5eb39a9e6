"""Requests for supervised jobs, whose functions in the worker are named by strings.

The parent imports this module. So it imports no plugin and reads no data.
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
NO_FILES: Mapping[str, str] = {}


def resolve_job(
    names: Mapping[str, Sequence[Spec | str]],
    grids: Iterable[tuple[Spec, Tuning]] = (),
    limits: Limits = NO_LIMITS,
) -> Job:
    """Job that looks up specifications by kind, and solvers with their grids."""
    named = {kind: [*map(str, specs)] for kind, specs in names.items()}
    request = {"names": named, "grids": [[str(spec), listed(tuning)] for spec, tuning in grids]}
    return Job(f"{JOBS}:resolve", request, limits)


def data_job(cell: Cell, limits: Limits = NO_LIMITS) -> Job:
    """Job that reads the data set of a cell: its hash, its sizes, and its target in a file."""
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
    files: Mapping[str, str] = NO_FILES,
) -> Job:
    """Job that fits one cell and scores its test rows.

    Parameters
    ----------
    cell : Cell
    data : str
        Hash of its data set; other rows are refused.
    target : KeptTarget
        Deals the rows to splits; the request contains only what is known of the training rows.
    limits, step : Limits
        Of the fit, and of the preparation of its rows, which the cells of a split share.
    code : str or None
        `code_fingerprint` of the parent; a host with other code refuses the cell.
    files : mapping of str to str
        Fingerprints of the files that it needs, by path; a cell whose file has changed is refused.

    Raises
    ------
    DataError
        When the rows cannot be dealt to its splits.
    """
    first = _read_step(cell, step)
    learnt, held, labels = target.packed_parts(cell)
    request = {
        "data": first.key,
        "hash": data,
        "dataset": cell.dataset,
        "features": cell.features,
        "split": cell.split,
        "seed": cell.seed,
        "learnt": learnt,
        "held": held,
        "target": labels,
    }
    second = Step(_key("split", request), f"{JOBS}:split", request, step)
    asked = {"cell": cell.to_json(), "data": first.key, "rows": second.key, "code": code}
    asked |= {"target": labels, "files": dict(files)}
    return Job(f"{JOBS}:cell", asked, limits, (first, second))


def _read_step(cell: Cell, limits: Limits) -> Step:
    request = {
        "dataset": cell.dataset,
        "reading": cell.reading.to_json(),
        "folder": str(Path.cwd()),  # relative paths start here
    }
    return Step(_key("data", request), f"{JOBS}:read", request, limits)


def _key(name: str, request: Mapping[str, Any]) -> str:
    return f"{name}-{json_hash(request)}"
