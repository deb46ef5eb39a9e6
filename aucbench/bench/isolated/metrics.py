"""The job of a metric of a third party: its values on test rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.bench.worker.blame import sentence_of
from aucbench.errors import PluginError
from aucbench.processes.kept import Kept
from aucbench.processes.room import Room
from aucbench.registry import get_function
from aucbench.registry.metrics import checked_value
from aucbench.registry.shapes import takes_weights
from aucbench.registry.visits import tell

Request = Mapping[str, Any]
UNWEIGHTED = (
    "the test rows have weights, which it does not take; add the parameter weights=None after "
    "y and scores"
)


def values(request: Request, room: Room, steps: Mapping[str, Kept]) -> dict[str, Any]:
    """Call a metric on test rows, request["numbers"]; say its value on each, or the reason.

    The arrays are files: y0.npy (1 for positive rows, else 0), scores0.npy and weights0.npy, then
    y1.npy and so on. They cannot be written. How it says so: see `aucbench.processes.isolated`.
    """
    tell(request["homes"])
    metric = get_function("metrics", request["name"])
    folder = Path(request["folder"])
    for number in request["numbers"]:
        room.line({"begin": number})
        files = (folder / f"{name}{number}.npy" for name in ("y", "scores", "weights"))
        rows = [np.asarray(np.load(file, mmap_mode="r")) for file in files]
        room.line({"end": _value(metric, *rows)})
    return {}


def _value(metric: Any, y: Any, scores: Any, weights: Any) -> float | str:
    """Return the value, or the reason why there is none."""
    weighted = takes_weights(metric)
    if not weighted and np.ptp(weights) > 0.0:
        return UNWEIGHTED
    try:
        return checked_value(metric, metric(y, scores, *([weights] * weighted)))
    except PluginError as error:
        return str(error)
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit and panics of extensions are no Exception
        return sentence_of(error)
