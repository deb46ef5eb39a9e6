"""Cells that may stand for a missing one: -999, 1900-01-01, "unknown". They are named, not changed.

A number or a date is named if it is the least or the largest one, occurs several times, and is far
from the others:

- Numbers of nines (99, -999, 9999) from 3 cells on, if their distance to the others is more than
  all of the others span, or if they leave a gap and are far more frequent than any near them; so
  are negative ones of nines and -1 where all others are at least 0.
- Dates that programs write for none, such as 1900-01-01, likewise, or a year from the others.
- Any other one if it has 5 cells and 1 % of all, and its distance is more than all of the others
  span.

So the ends of a scale, caps, zeros of amounts and the tails of a distribution have no remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import NDArray

from aucbench.data.understood import Remark

NINES = re.compile(r"-9|-?99+|-?9*8")  # of whole numbers; 9998 and 998 stand beside 9999 and 999
FEWEST = 3  # cells of one that programs write for none
FEWEST_OTHERS, SHARE = 5, 0.01  # cells of any other one, and their share
FEW_VALUES = 10  # different values among which others than nines have no meaning
GAP, OFTEN = 5.0, 3.0  # usual steps between values, and usual counts of a value
YEAR = 365.25 * 86400.0
DATES = frozenset(
    [
        *("0001-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01"),
        *("1900-12-31", "1901-01-01", "1970-01-01", "1999-12-31", "2099-12-31", "2199-12-31"),
        *("2999-12-31", "3000-01-01", "9999-01-01", "9999-12-31"),
    ]
)
WORDS = frozenset(
    [
        *("unknown", "unk", "not known", "missing", "undefined", "unspecified", "n.a.", "n.a"),
        *("not available", "not applicable", "not specified", "not stated", "not reported"),
        *("not recorded", "no data", "nodata", "no answer", "no response", "unavailable"),
        *("invalid", "blank", "empty", "nil", "void", "prefer not to say", "unbekannt", "k.a."),
        *("k. a.", "keine angabe", "fehlt", "inconnu", "non renseigné", "desconocido"),
        *("sconosciuto", "onbekend", "--", "---", "..", "...", "*", "#", "??", "???"),
        *("(blank)", "(empty)", "(null)", "(missing)", "#ref!", "#value!", "#div/0!", "#num!"),
        *("#name?", "#null!"),
    ]
)


@dataclass(frozen=True, slots=True)
class Values:
    """The different values of a column, ascending, and how often each occurs."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @property
    def step(self) -> float:
        """The median step between neighbours."""
        return float(np.median(np.diff(self.values))) if self.values.size > 1 else 0.0

    @property
    def span(self) -> float:
        """Distance of the largest and the least."""
        return float(self.values[-1] - self.values[0])

    def without(self, chosen: NDArray[np.bool_]) -> Values:
        """Return the others."""
        return Values(self.values[~chosen], self.counts[~chosen])

    def distance(self, value: float) -> float:
        """Return how far a value is from all of these; 0 if it lies between them."""
        return float(max(self.values[0] - value, value - self.values[-1], 0.0))


def sentinels(meant: Any, frame: Any) -> Iterator[Remark]:
    """Yield a remark on each column with cells that may stand for a missing one.

    Parameters
    ----------
    meant : DataFrame
        The columns as what they mean: numbers, dates, texts.
    frame : DataFrame
        The same columns, and others, as they stand in the file.
    """
    for j in range(meant.shape[1]):
        name, column = str(meant.columns[j]), meant.iloc[:, j]
        kind = getattr(column.dtype, "kind", "O")
        if kind in "fiuM":
            yield from _far(name, column, frame[name] if kind == "M" else None)
        elif kind != "b":
            yield from _words(name, column)


def _far(name: str, column: Any, cells: Any) -> Iterator[Remark]:
    """Yield a remark on numbers, or on dates, which stand as `cells` in the file."""
    date = cells is not None
    numbers = _seconds(column) if date else column.to_numpy(np.float64, na_value=np.nan)
    if not date and not _repeats_an_end(numbers):
        return  # which costs far less than to sort
    present = numbers[~np.isnan(numbers)]
    if present.size < FEWEST or not _repeats_an_end(present):
        return
    seen = Values(*np.unique(present, return_counts=True))
    found = _far_dates(seen, present.size) if date else _far_numbers(seen, present.size)
    told = []
    for value, others in found:
        if date:
            text, ends = _cell(cells, numbers == value), tuple(map(_day, others.values[[0, -1]]))
        else:
            text, ends = _plain(value), tuple(map(_plain, others.values[[0, -1]]))
        share = _share(int(np.count_nonzero(numbers == value)), numbers.size)
        told.append((f"{share} are {text}", f"--missing {quote(f'{name}={text}')}", ends))
    if told:
        what = " and ".join(said for said, _, _ in told)
        options = " ".join(option for _, option, _ in told)
        low, high = told[0][2]
        yield Remark(
            f"column {name!r}: {what}, far from the others, which go from {low} to {high}; if "
            f"that means a missing cell, say {options}",
            "sentinel",
            name,
            f"{what}: {options}",
        )


def _repeats_an_end(numbers: NDArray[Any]) -> bool:
    """Return whether the least or the largest value occurs several times; NaN does not count."""
    with catch_warnings(action="ignore", category=RuntimeWarning):  # all are NaN
        ends = np.nanmin(numbers), np.nanmax(numbers)
    return any(np.count_nonzero(numbers == end) >= FEWEST for end in ends)


def _far_numbers(seen: Values, n: int) -> Iterator[tuple[float, Values]]:
    """Yield the values that are far from the others, and the others."""
    styled = np.array([_is_nines(value) for value in seen.values])
    others = seen.without(styled)
    if others.values.size < 2:
        return
    outside = [j for j in np.flatnonzero(styled) if others.distance(seen.values[j]) > 0]
    for j in outside:
        if seen.counts[j] >= FEWEST and _stands_apart(seen.values[j], seen.counts[j], others):
            yield float(seen.values[j]), others
    if others.values.size <= FEW_VALUES:
        return
    for end in (0, -1):
        value, count = float(others.values[end]), int(others.counts[end])
        rest = others.without(others.values == value)
        if count < max(FEWEST_OTHERS, SHARE * n):
            continue
        alone = value == -1 and rest.values[0] >= 0
        if alone or (rest.distance(value) > rest.span and count >= OFTEN * np.median(rest.counts)):
            yield value, rest


def _is_nines(value: float) -> bool:
    return abs(value) < 1e15 and value.is_integer() and bool(NINES.fullmatch(str(int(value))))


def _stands_apart(value: float, count: int, others: Values) -> bool:
    distance = others.distance(value)
    if distance > others.span or (value < 0 <= others.values[0]):
        return True
    usual = max(float(np.median(others.counts)), 1.0)
    apart = others.values.size > 2 and distance >= GAP * others.step
    return bool(apart and count >= OFTEN * usual)


def _far_dates(seen: Values, n: int) -> Iterator[tuple[float, Values]]:
    written = np.array([_day(value) in DATES for value in seen.values])
    others = seen.without(written)
    if others.values.size < 2:
        return
    for j in np.flatnonzero(written):
        value, count = float(seen.values[j]), seen.counts[j]
        distance = others.distance(value)
        often = count >= OFTEN * np.median(others.counts)
        if count >= FEWEST and (distance > others.span > 0 or (distance > YEAR and often)):
            yield value, others
    for end in (0, -1):
        value, count = float(others.values[end]), int(others.counts[end])
        rest = others.without(others.values == value)
        far = rest.values.size > FEW_VALUES and rest.distance(value) > max(rest.span, YEAR)
        if far and count >= max(FEWEST_OTHERS, SHARE * n):
            yield value, rest


def _words(name: str, column: Any) -> Iterator[Remark]:
    """Yield a remark on levels that read like a missing cell."""
    counts = column.astype(object).value_counts()
    found = {
        str(level).strip(): int(count)
        for level, count in counts.items()
        if str(level).strip().lower() in WORDS
    }
    if not found or len(found) == len(counts):
        return
    shares = " and ".join(f"{_share(n, len(column))} are {text!r}" for text, n in found.items())
    options = " ".join(f"--missing {quote(f'{name}={text}')}" for text in found)
    yield Remark(
        f"column {name!r}: {shares}, a level of its own; if that means a missing cell, say "
        f"{options}",
        "word",
        name,
        f"{shares}: {options}",
    )


def _share(count: int, n: int) -> str:
    return f"{100 * count / n:.0f} %" if count >= 0.01 * n else f"{count} of {n} cells"


def _plain(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


def _day(value: float) -> str:
    return str(np.datetime64(int(value // 86400), "D"))


def _seconds(column: Any) -> NDArray[np.float64]:
    moments = column.to_numpy("datetime64[us]")
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 1e6)


def _cell(cells: Any, mask: NDArray[np.bool_]) -> str:
    """Return the first marked cell as it stands in the file."""
    cell = cells.iloc[int(np.flatnonzero(mask)[0])]
    return str(cell.date()) if hasattr(cell, "date") else str(cell).strip()
