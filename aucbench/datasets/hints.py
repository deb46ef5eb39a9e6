"""Columns that may be meant as groups or times, by their names and their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from aucbench.data.understood import Remark
from aucbench.datasets.reading import Reading
from aucbench.datasets.suspects import are_days, is_whole

WHO = (
    "patient|pat|customer|cust|client|user|subject|person|member|account|household|employee|"
    "student|donor|animal|device|vehicle|borrower|case|kunde|kunden|kund|card|visitor|player|"
    "owner|family"
)
NUMBER = "id|nr|no|num|number|key|code|hash|nummer|uuid"
GROUP = re.compile(rf"(id|pid|uid|mrn|ssn)|({WHO})s?_?({NUMBER})?|\w+_(id|uuid|nr|key)", re.ASCII)
TIME = re.compile(
    r"(^|_)(date|datetime|time|timestamp|stamp|ts|when|day|datum|created|started|at|on)(_|$)"
)
BIRTH = re.compile(r"birth|born|dob|geburt|death|died")
FEWEST_GROUPS, MOST_ROWS = 20, 20  # groups, and mean rows of one
FIRST = 1000  # rows that are looked at first
EPOCH = (9e8, 2.5e9)  # seconds since 1970 of the years 1998 to 2049


def hints(frame: Any, asked: Reading) -> Iterator[Remark]:
    """Yield a remark on columns that may be meant as groups or times, unless some are named."""
    names = [str(name) for name in frame.columns]
    if asked.groups is None:
        for j, name in enumerate(names):
            if GROUP.fullmatch(_snake(name)) and (sizes := _sizes(frame.iloc[:, j])):
                yield _group(name, *sizes)
    if asked.time is None and asked.test is None:
        times = [j for j, name in enumerate(names) if _is_time(_snake(name), frame.iloc[:, j])]
        yield from (_time(names[j]) for j in times)


def _snake(name: str) -> str:
    """Return a name such as PatientNr as patient_nr."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"\W+", "_", parted).lower()


def _sizes(column: Any) -> tuple[int, int] | None:
    """Return how many values name several rows, and how many rows there are; else None."""
    if getattr(column.dtype, "kind", "O") in "bM":
        return None
    rows, values = int(column.notna().sum()), int(column.nunique())
    repeated = FEWEST_GROUPS <= values <= 0.95 * rows and rows <= MOST_ROWS * values
    return (values, rows) if repeated else None


def _group(name: str, values: int, rows: int) -> Remark:
    return Remark(
        f"column {name!r} has {values} different values in {rows} rows, as one that names patients "
        f"or customers; if rows of one belong together, say --groups {name}, which keeps them on "
        "one side of each split and makes honest intervals",
        "groups",
        name,
        f"{values} values: --groups {name}",
    )


def _is_time(name: str, column: Any) -> bool:
    if BIRTH.search(name):
        return False
    kind = getattr(column.dtype, "kind", "O")
    if kind == "M":
        return True
    if is_whole(column.iloc[:FIRST]) and is_whole(column) and are_days(column):
        return True
    if kind not in "iuf" or not TIME.search(name):
        return False
    present = column.dropna().to_numpy(np.float64)
    scaled = present / (1000.0 if present.size and present.min() > 1e11 else 1.0)
    return bool(present.size) and bool((scaled > EPOCH[0]).all() and (scaled < EPOCH[1]).all())


def _time(name: str) -> Remark:
    return Remark(
        f"column {name!r} holds dates; if new rows will be later than these, say --time {name}, "
        "which tests on rows that are later than those learnt from",
        "time",
        name,
        f"--time {name}",
    )
