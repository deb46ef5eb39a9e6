"""The table and the figure of the page on growth, from what `benchmarks/growth.py` has kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from page_history import duration

FILE = Path(__file__).with_name("data") / "growth.json"
PASS = "pass of "
FAR = 0.25  # above the exponent of the method: more than the steps from cache to memory


def measured() -> list[dict[str, Any]]:
    """Return what was measured."""
    found: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def operations() -> Iterator[str]:
    """Yield the table of all that is no pass of a solver."""
    yield "| operation | cost of the method | exponent | sizes | time at the largest |"
    yield "|---|---|---|---|---|"
    for one in measured():
        if not one["what"].startswith(PASS):
            first, last = (
                f"{size:,}".replace(",", " ") for size in (one["sizes"][0], one["sizes"][-1])
            )
            yield (
                f"| {one['what']} | {_cost(one)} | {one['exponent']:.2f} | {first} to {last} "
                f"| {duration(one['seconds'][-1])} |"
            )


def passes() -> Iterator[str]:
    """Yield the table of the passes: the exponent in each size, and the cost where it is not 1."""
    found = [one for one in measured() if one["what"].startswith(PASS)]
    kept = {(one["what"], one["of"]): one for one in found}
    yield "| solver | rows n | features d | stored values | where the method is not linear |"
    yield "|---|---|---|---|---|"
    for what in dict.fromkeys(one["what"] for one in found):
        cells = [f"{kept[what, of]['exponent']:.2f}" if (what, of) in kept else "" for of in AXES]
        whys = [kept[what, of] for of in AXES if (what, of) in kept and kept[what, of]["why"]]
        told = "; ".join(f"{_cost(one)}: {one['why']}" for one in whys)
        yield f"| `{what.removeprefix(PASS)}` | {' | '.join(cells)} | {told} |"


AXES = ("n", "d", "nnz")


def _cost(one: dict[str, Any]) -> str:
    text: str = one["cost"]
    return text.replace("^2", "²").replace("^3", "³")


def per_size(what: str, of: str) -> tuple[np.ndarray, np.ndarray]:
    """Return sizes and nanoseconds for each unit of size."""
    [one] = [one for one in measured() if one["what"] == what and one["of"] == of]
    sizes = np.array(one["sizes"], dtype=float)
    return sizes, 1e9 * np.array(one["seconds"]) / sizes
