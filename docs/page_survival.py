"""The tables of survival machines side by side, from what `examples/survival.py` measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

FILE = Path(__file__).with_name("data") / "survival.json"
SIMULATED = "simulated"
METHODS = ("rank-svm", "svm-or", "ls-svm", "FastSurvivalSVM", "Cox")


def peers() -> Iterator[str]:
    """Yield C on each data set and the seconds of a fit, and then the seconds of larger sets."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    real = {name: row for name, row in known.items() if not name.startswith(SIMULATED)}
    yield f"| data set | {' | '.join(f'{name}: C, ms' for name in METHODS)} |"
    yield "|---" * (len(METHODS) + 1) + "|"
    for name, row in real.items():
        yield f"| {name} | {' | '.join(_cell(row, method) for method in METHODS)} |"
    yield ""
    yield from _large({name: row for name, row in known.items() if name not in real})


def _cell(row: Mapping[str, Mapping[str, float]], method: str) -> str:
    own = row[method]
    return f"{own['c']:.4f}, {1000 * own['seconds']:.0f}"


def _large(known: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Iterator[str]:
    yield "| simulated rows | `rank-svm`: seconds | FastSurvivalSVM: seconds | ratio |"
    yield "|---|---|---|---|"
    for name, row in known.items():
        ours, other = (row[method]["seconds"] for method in ("rank-svm", "FastSurvivalSVM"))
        rows = int(name.removeprefix(SIMULATED))
        yield f"| {rows} | {ours:.2g} | {other:.3g} | {other / ours:.0f} |"
