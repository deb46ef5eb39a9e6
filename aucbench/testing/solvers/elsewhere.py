"""Fits in a process that orders sets in another way, and has other addresses.

Its warm process is opened for the first of them, and serves all that come after.
"""

from __future__ import annotations

import atexit
import os
import pickle
import sys
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from threadpoolctl import threadpool_limits

from aucbench.kernels.parallel import threads as own_threads
from aucbench.processes import Supervisor
from aucbench.processes.child import Room
from aucbench.processes.isolated import Process
from aucbench.processes.records import Job
from aucbench.registry.source_files import load_file
from aucbench.testing.laws import LawBroken, not_asked
from aucbench.testing.samples import Extent, extended, extent, sample
from aucbench.testing.solvers.fits import trajectory

HERE = "aucbench.testing.solvers.elsewhere"
LEARNING = {"sklearn.ensemble", "sklearn.linear_model", "sklearn.svm"}  # slow to import
SEED = "PYTHONHASHSEED"
Trace = list[list[Any]]  # (step, rows read, hash of what was learnt) of each state


def trace(solver: Any) -> Trace:
    """The first states of a fit by one thread, as plain values."""
    with threadpool_limits(1), own_threads(1):
        states = trajectory(solver, sample())[1]
    return [[int(t), int(seen), blake2b(w.tobytes()).hexdigest()] for t, seen, w in states]


def trace_elsewhere(solver: Any) -> Trace:
    """`trace`, made in another process with other hashes of texts.

    Raises
    ------
    LawBroken
        When that process ends without a result, or the fit fails there.
    NotAsked
        When no other process finds the class of the solver.
    """
    learning = tuple(sorted(LEARNING & sys.modules.keys()))
    outcome = _process(os.getpid()).run(Job(f"{HERE}:trace_of", _request(solver), preload=learning))
    if outcome.result is None:
        raise LawBroken(f"in another process it ended with {outcome.error_type or outcome.ending}: "
                        f"{outcome.reason}")  # fmt: skip
    if unknown := outcome.result.get("unknown"):
        not_asked(f"no other process finds it: {unknown}")
    return list(outcome.result["trace"])


def trace_of(request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    """The other side of `trace_elsewhere`: the job that fits a solver of another process."""
    try:
        # The name of the module may be known to the writer of the pickle only; `pickle` imports
        # the package above it, too.
        sys.modules[request["module"]] = _imported(request["module"], request["file"])
        package = request["module"].partition(".")[0]
        sys.modules.setdefault(package, ModuleType(package))
        solver = pickle.loads(b64decode(request["solver"]))
    except (AttributeError, ImportError) as error:
        return {"unknown": str(error)}
    with extended(Extent(**request["extent"])):
        return {"trace": trace(solver)}


def _request(solver: Any) -> dict[str, Any]:
    module = type(solver).__module__
    return {
        "solver": b64encode(pickle.dumps(solver)).decode(),
        "module": module,
        "file": str(getattr(sys.modules[module], "__file__", "")),
        "extent": asdict(extent()),
    }


def _imported(module: str, file: str) -> ModuleType:
    """The module of a solver, or the file that it is where no path leads to it."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        if not file:
            raise
        return load_file(Path(file))


@lru_cache(maxsize=1)
def _process(_: int) -> Process:
    """The warm process of this process, which ends with it."""
    process = Process(_with_other_hashes)
    atexit.register(process.close)
    return process


def _with_other_hashes() -> Supervisor:
    with patch.dict(os.environ, {SEED: "2" if os.environ.get(SEED) == "1" else "1"}):
        return Supervisor(preload=(HERE, *sorted(LEARNING & sys.modules.keys())))
