"""The job of a metric of a plugin: its values on test rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.bench.codec import load
from aucbench.bench.worker.blame import place_of
from aucbench.errors import PluginError
from aucbench.processes.child import Room
from aucbench.registry import get_metric
from aucbench.registry.discovery import describe_error
from aucbench.registry.shapes import checked_value, takes_weights
from aucbench.registry.specs import Spec

Request = Mapping[str, Any]
Steps = Mapping[str, Path]
UNWEIGHTED = (
    "the test rows have weights, which it does not take; add the parameter "
    "sample_weight=None after y and scores"
)


def values(request: Request, room: Room, steps: Steps) -> dict[str, Any]:
    """Call a metric on test rows, request["numbers"]; say its value on each, or the reason.

    The arrays are files: y0.npy (1 for positive rows, else 0), scores0.npy and weights0.npy, then
    y1.npy and so on. They cannot be written. How it says so: see `aucbench.processes.isolated`.
    """
    metric = get_metric(load(request["spec"], Spec))
    folder, weighted = Path(request["folder"]), takes_weights(metric)
    for number in request["numbers"]:
        room.line({"begin": number})
        files = (folder / f"{name}{number}.npy" for name in ("y", "scores", "weights"))
        rows = [np.asarray(np.load(file, mmap_mode="r")) for file in files]
        if weighted or np.ptp(rows[2]) == 0.0:
            value = _value(metric, rows if weighted else rows[:2])
        else:
            value = UNWEIGHTED
        room.line({"end": value})
    return {}


def _value(metric: Any, arguments: Sequence[Any]) -> float | str:
    """Return the value of a metric of a plugin; a sentence where it raises."""
    try:
        return checked_value(metric, metric(*arguments))
    except PluginError as error:
        return str(error)
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit and panics of extensions are no Exception
        place = place_of(error)
        return f"it raised {describe_error(error)}" + (f", {place}" if place else "")
