"""Tables and figure of the page on more rows than memory, from `benchmarks/scale.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from page_history import duration

FILE = Path(__file__).with_name("data") / "scale.json"
STEPS = {  # what a reading does: its name on the page
    "reading": "decode all columns, nothing else",
    "survey": "the first reading: counts, sums, ranges, a sample",
    "1024 bins": "an evaluation of the hinge in 1024 bins",
    "4096 bins": "in 4096 bins",
    "16384 bins": "in 16 384 bins",
}


def measured() -> dict[tuple[int, str], dict[str, Any]]:
    """Return what was measured, by rows and what was done."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return {(one["n"], one["what"]): one for one in told}


def sizes() -> list[int]:
    """Return the numbers of rows."""
    return sorted({n for n, _ in measured()})


def power(n: int) -> str:
    """Return a power of ten as people write it."""
    return "10" + str(len(str(n)) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def readings() -> Iterator[str]:
    """Yield the table of what one reading takes."""
    kept = measured()
    yield f"| one reading | {' | '.join(f'{power(n)} rows' for n in sizes())} |"
    yield f"|---|{'---|' * len(sizes())}"
    for key, name in STEPS.items():
        cells = []
        for n in sizes():
            own, plain = (kept[n, "readings"][k]["seconds"] for k in (key, "reading"))
            ratio = "" if key == "reading" else f" ({own / plain:.1f}×)"
            cells.append(f"{duration(own)}{ratio}")
        yield f"| {name} | {' | '.join(cells)} |"


def fits() -> Iterator[str]:
    """Yield the table of fits to a certified relative gap of 1e-4."""
    yield "| rows | file | solver | readings | seconds | CPU | gap | memory beyond the base |"
    yield "|---|---|---|---|---|---|---|---|"
    for (n, what), one in sorted(measured().items()):
        if what not in ("readings", "memory"):
            yield (
                f"| {power(n)} | {one['bytes'] / 1e9:.2f} GB | `{what}` | {one['readings']} "
                f"| {one['seconds']:.1f} | {one['cpu']:.1f} | {one['gap']:.0e} "
                f"| {one['megabytes']:.0f} MB |"
            )


def beside() -> Iterator[str]:
    """Yield the table of svm-or in parts and in memory, in turns."""
    yield "| rows | in parts, from the file | in memory, once it is read | ratio |"
    yield "|---|---|---|---|"
    for (n, what), one in sorted(measured().items()):
        if what == "memory":
            own, other = duration(one["in parts"]), duration(one["in memory"])
            yield f"| {power(n)} | {own} | {other} | {one['ratio']:.2f} |"


def per_row(what: str, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of rows, and nanoseconds of wall time for each."""
    kept = measured()
    n = np.array(sizes(), dtype=float)
    each = [kept[int(m), what] for m in n]
    seconds = np.array([one[key]["seconds"] if key else one["seconds"] for one in each])
    return n, 1e9 * seconds / n
