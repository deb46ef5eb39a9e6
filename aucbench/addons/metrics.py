"""The jobs of metrics of third parties: what a metric is, and its values."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.about import scale_of
from aucbench.addons.blame import sentence_of
from aucbench.data.packed import unpack_arrays
from aucbench.errors import PluginError, UnknownNameError
from aucbench.registry import get_function, names
from aucbench.registry.lookup import find
from aucbench.registry.metrics import checked_value, origin
from aucbench.registry.shapes import takes_weights
from aucbench.registry.specs import Spec, parse_spec
from aucbench.registry.visits import tell

Request = Mapping[str, Any]
UNWEIGHTED = (
    "the test rows have weights, which it does not take; add the parameter weights=None after "
    "y and scores"
)


def found(request: Request, room: Path, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Say what a specification means: its canonical texts, its distribution, what is better.

    Returns
    -------
    dict
        `known` alone, the names of all metrics, when there is none of this name.

    Raises
    ------
    ParameterError, PluginError
        As `aucbench.registry.get_function`.
    """
    tell(request["homes"])
    asked = parse_spec(request["metric"])
    try:
        metric, claim = get_function("metrics", asked), find("metrics", asked.name)
    except UnknownNameError:
        known = names("metrics")
        if asked.name in known:  # it is a parameter that is unknown
            raise
        return {"known": known}
    given = getattr(metric, "keywords", {})
    return {
        "name": str(Spec(asked.name, given)),
        "qualified": str(Spec(claim.qualified, given)),
        "version": claim.entry.version,
        "distribution": claim.entry.distribution,
        "module": claim.entry.value,
        "greater_is_better": scale_of(origin(metric)).greater_is_better,
    }


def values(request: Request, room: Path, steps: Mapping[str, Path]) -> dict[str, Any]:
    """Call a metric on test rows; append {"begin": i} before each, and its value or the reason.

    The arrays are those of y (1 for positive rows, else 0), scores and weights, by number, as
    y0, scores0, weights0 and so on. They cannot be written.
    """
    tell(request["homes"])
    metric = get_function("metrics", request["metric"])
    arrays = unpack_arrays(b64decode(request["rows"]))
    with (room / "lines.jsonl").open("a", encoding="utf-8") as lines:
        for number in range(request["count"]):
            _write(lines, {"begin": number})
            rows = [arrays[f"{name}{number}"] for name in ("y", "scores", "weights")]
            _write(lines, {"end": number, **_value(metric, *rows)})
    return {}


def _value(metric: Any, y: Any, scores: Any, weights: Any) -> dict[str, Any]:
    for array in (y, scores, weights):
        array.flags.writeable = False
    weighted = takes_weights(metric)
    if not weighted and np.ptp(weights) > 0.0:
        return {"reason": UNWEIGHTED}
    try:
        return {"value": checked_value(metric, metric(y, scores, *([weights] * weighted)))}
    except PluginError as error:
        return {"reason": str(error)}
    except (MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # sys.exit and panics of extensions are no Exception
        return {"reason": sentence_of(error)}


def _write(lines: Any, line: Mapping[str, Any]) -> None:
    lines.write(json.dumps(line) + "\n")
    lines.flush()
