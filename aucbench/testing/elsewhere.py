"""Functions in a process that orders sets in another way, and has other addresses.

The warm process is opened for the first of them, and serves all that come after.
"""

from __future__ import annotations

import atexit
import os
import pickle
import sys
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any
from unittest.mock import patch

from aucbench.processes import Supervisor
from aucbench.processes.child import Room
from aucbench.processes.isolated import Process
from aucbench.processes.records import Job
from aucbench.registry.source_files import load_file
from aucbench.testing.laws import LawBroken, not_asked
from aucbench.testing.samples import Extent, extended, extent

HERE = "aucbench.testing.elsewhere"
LEARNING = {"sklearn.ensemble", "sklearn.linear_model", "sklearn.svm"}  # slow to import
SEED = "PYTHONHASHSEED"


def run_elsewhere(call: str, thing: Any) -> Any:
    """Return what the function `module:name` returns of a thing in another process.

    Raises
    ------
    LawBroken
        When that process ends without a result, or the function fails there.
    NotAsked
        When no other process finds the class or the function that the thing is of.
    """
    origin = thing.func if isinstance(thing, partial) else thing
    module = origin.__module__ if isinstance(origin, FunctionType) else type(origin).__module__
    try:
        pickled = pickle.dumps(thing)
    except (AttributeError, pickle.PicklingError) as error:
        not_asked(f"no other process finds it: {error}")
    request = {
        "call": call,
        "thing": b64encode(pickled).decode(),
        "module": module,
        "file": str(getattr(sys.modules[module], "__file__", "")),
        "extent": asdict(extent()),
    }
    learning = tuple(sorted(LEARNING & sys.modules.keys()))
    outcome = _process(os.getpid()).run(Job(f"{HERE}:answer", request, preload=learning))
    if outcome.result is None:
        raise LawBroken(f"in another process it ended with {outcome.error_type or outcome.ending}: "
                        f"{outcome.reason}")  # fmt: skip
    if unknown := outcome.result.get("unknown"):
        not_asked(f"no other process finds it: {unknown}")
    return outcome.result["answer"]


def answer(request: Mapping[str, Any], room: Room, steps: Mapping[str, Path]) -> dict[str, Any]:
    """The other side of `run_elsewhere`: the job of a thing of another process."""
    try:
        # The name of the module may be known to the writer of the pickle only; `pickle` imports
        # the package above it, too.
        sys.modules[request["module"]] = _imported(request["module"], request["file"])
        package = request["module"].partition(".")[0]
        sys.modules.setdefault(package, ModuleType(package))
        thing = pickle.loads(b64decode(request["thing"]))
    except (AttributeError, ImportError) as error:
        return {"unknown": str(error)}
    module, _, name = request["call"].partition(":")
    with extended(Extent(**request["extent"])):
        return {"answer": getattr(import_module(module), name)(thing)}


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
