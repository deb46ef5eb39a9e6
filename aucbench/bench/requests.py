"""Requests for supervised jobs, whose functions in the worker are named by strings.

The parent imports this module. So it imports no plugin and reads no data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aucbench.bench.cell import Cell, Choice, Tuning
from aucbench.bench.codec import dump
from aucbench.datasets.reading import ReadOptions
from aucbench.processes.records import Fence, Job, Limits, json_hash
from aucbench.registry.specs import Spec, short

if TYPE_CHECKING:
    from aucbench.bench.evaluation.targets import KeptTarget

JOBS = "aucbench.bench.worker.jobs"
NO_LIMITS = Limits()
NO_FILES: Mapping[str, str] = {}


def resolve_job(
    kind: str,
    spec: Spec,
    tuning: Tuning = False,
    limits: Limits = NO_LIMITS,
    replaced: Iterable[str] = (),
    preload: tuple[str, ...] = (),
    fence: Fence | None = None,
) -> Job:
    """Job that resolves a specification of a kind, and the grid of a tuned solver.

    `replaced` says whether the solver runs on another "objective" or "projector" than its own.
    """
    choice = dump(Choice(spec, tuning))
    request = {"kind": kind, "choice": choice, "replaced": [*replaced]}
    return Job(f"{JOBS}:resolve", request, limits, preload=preload, fence=fence)


def data_job(cell: Cell, limits: Limits = NO_LIMITS) -> Job:
    """Job that reads the data set of a cell: its hash, its sizes, and its target in a file.

    It is a step of cells, too.
    """
    request = {
        "dataset": dump(cell.dataset),
        "reading": dump(cell.reading),
        "folder": str(Path.cwd()),  # relative paths start here
    }
    return Job(f"{JOBS}:read", request, limits, key=_key("data", request))


def cell_job(
    cell: Cell,
    data: str,  # hash of its data set; other rows are refused
    target: KeptTarget,  # divides the rows; the request has only what is known of training rows
    limits: Limits = NO_LIMITS,
    step: Limits = NO_LIMITS,  # of the preparation of its rows, which the cells of a split share
    *,
    code: str | None = None,  # `code_fingerprint`; a host with other code refuses the cell
    files: Mapping[str, str] = NO_FILES,  # that it needs, with fingerprints; none may have changed
    read: Limits | None = None,  # of reading its data set, if that has to be done again
    preload: tuple[str, ...] = (),
    trusted: bool = False,  # whether the plugins that it uses are those of aucbench
    fence: Fence | None = None,  # of its process, and of that which prepares its rows
) -> Job:
    """Job that fits one cell and scores its test rows.

    It does not get the name of the data set, nor how that is read.
    """
    first = data_job(cell, read or step)
    learnt, held, labels = target.packed_parts(cell)
    request = {
        "data": first.key,
        "hash": data,
        "dataset": short(cell.dataset),
        "features": dump(cell.features),
        "split": cell.split,
        "seed": cell.seed,
        "learnt": learnt,
        "held": held,
        "target": labels,
        "monotone": cell.monotone,
    }
    second = Job(
        f"{JOBS}:split",
        request,
        step,
        key=_key("split", request),
        preload=preload,
        fence=fence,
        trusted=trusted,
    )
    nameless = dump(replace(cell, dataset=Spec(""), reading=ReadOptions()))
    asked: dict[str, Any] = {"cell": nameless, "code": code, "files": dict(files)}
    asked |= {"data": first.key, "rows": second.key, "target": labels}
    return Job(
        f"{JOBS}:cell",
        asked,
        limits,
        (first, second),
        preload=preload,
        fence=fence,
        trusted=trusted,
    )


def _key(name: str, request: Mapping[str, Any]) -> str:
    return f"{name}-{json_hash(request)}"
