"""The cells of a column: what is missing, and what texts mean as numbers, dates or truth values."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector

# The texts that pandas takes for a missing cell, and three marks that are usual in tables.
MARKS = frozenset("?-.")
MISSING = MARKS | {
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan"),
    *("NULL", "null", "None", "na", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}
TRUTH = (("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"))
_TRUE, _FALSE = ({pair[k] for pair in TRUTH} for k in (0, 1))
LONG = 16  # digits of a whole number that float64 may round
UNITS = "$€£¥%"
_BLANKS = "' \u00a0\u202f"  # what may stand between groups of digits, besides the other mark
_NUMBER = {  # by the decimal mark
    point: re.compile(
        rf"""(?:[+-]?(?:[$€£¥]\ ?)?|[$€£¥]\ ?[+-])
        (?=\{point}?\d)
        (?:\d{{1,3}}(?P<mark>[\{group}{_BLANKS}])\d{{3}}(?:(?P=mark)\d{{3}})*|\d*)
        (?:\{point}\d*)?(?:[eE][+-]?\d+)?
        (?:\ ?[$€£¥%])?""",
        re.VERBOSE | re.ASCII,
    )
    for point, group in ((".", ","), (",", "."))
}
_MINUS = "\u2212"  # which programs that write numbers for people take for a hyphen
_UNIT = re.compile(r"(?P<number>(?!0\d).*\d\)?)\s?(?P<unit>[^\s\d,.()$€£¥%+-][^\s\d]{0,11})")
_PLURAL = 4  # letters from which a unit that ends in s may be a plural, such as years
ISO = "ISO8601"
_ISO = re.compile(r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d.*)?)?", re.ASCII)
_DAYS = (
    *("%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y"),
    *("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
PER_SECOND = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}  # units of the dates of pandas
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799  # of the years 1 to 9999
FORMATS = tuple(day + time for day, time in product(_DAYS, _TIMES))


def distinct_cells(series: Any, kept: Collection[str] = ()) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct texts of a column without missing ones, and the number of each cell.

    Texts are stripped of blanks at both ends. A missing cell has the number -1; `kept` are texts
    of `MISSING` that are none.
    """
    import pandas as pd

    missing = MISSING.difference(kept)
    numbers, values = pd.factorize(series)
    known: dict[str, int] = {}
    texts = (_text(value) for value in values)
    table = [-1 if text in missing else known.setdefault(text, len(known)) for text in texts]
    return [*known], np.array([*table, -1], dtype=np.int64)[numbers]


def mark_missing(series: Any, gaps: Sequence[str], decimal: str) -> tuple[Any, list[str]]:
    """Return a column in which cells that are one of `gaps` are missing, and the gaps that it had.

    A cell is one of them if it has the same text, or is the same number or date.
    """
    held = {gap: _equal(series, gap, decimal) for gap in gaps}
    hits = [gap for gap, mask in held.items() if mask.any()]
    if not hits:
        return series, hits
    plain = series.convert_dtypes() if series.dtype.kind in "iu" else series  # not through float64
    return plain.mask(np.logical_or.reduce([held[gap] for gap in hits])), hits


def _equal(series: Any, gap: str, decimal: str) -> NDArray[np.bool_]:
    import pandas as pd

    kind = getattr(series.dtype, "kind", "O")
    if kind == "M":
        day = pd.to_datetime(gap, errors="coerce", utc=True)
        return np.equal(seconds(series), np.nan if pd.isna(day) else day.timestamp())
    own = (numbers([gap], mark)[0] for mark in (decimal, "."))
    number = next((value for value in own if not np.isnan(value)), np.nan)
    if kind in "iufb":
        same: NDArray[np.bool_] = series.to_numpy(np.float64, na_value=np.nan) == number
        return same
    texts, at = distinct_cells(series)
    meant = np.array([text == gap for text in texts], np.bool_)
    if not np.isnan(number):
        meant |= numbers(texts, decimal) == number
    marked: NDArray[np.bool_] = np.append(meant, np.False_)[at]
    return marked


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():  # whole numbers beside a missing cell
        return str(int(value))
    return str(value).strip()


def truths(texts: Sequence[str]) -> Vector:
    """Return 1 for true, yes, t or y, 0 for their opposites and NaN for other texts."""
    words = [text.lower() for text in texts]
    return np.array([1.0 if word in _TRUE else 0.0 if word in _FALSE else np.nan for word in words])


def are_truths(texts: Sequence[str]) -> bool:
    """Return whether all texts are of one pair of truth values, whatever their case."""
    words = {text.lower() for text in texts}
    return bool(words) and any(words <= {*pair} for pair in TRUTH)


def numbers(texts: Sequence[str], decimal: str, unit: str = "") -> Vector:
    """Return texts as numbers with the given decimal mark; NaN where a text is no number.

    Thousands may be set apart by the other mark, an apostrophe or a blank. A number in brackets is
    negative, as in accounting. A sign of a currency or of percent does not count. With a `unit`,
    of `units`, this one may follow the number, and a text of another one is no number.
    """
    return np.array([_number(text, decimal, unit) for text in texts])


def _number(text: str, decimal: str, unit: str) -> float:
    text = text.replace(_MINUS, "-")
    if unit and (own := _unit_of(text)):
        if own != unit:
            return np.nan
        split = _UNIT.fullmatch(text)
        text = split["number"] if split else text
    in_brackets = text.startswith("(") and text.endswith(")")
    text = text[1:-1].strip() if in_brackets else text
    if not _NUMBER[decimal].fullmatch(text) or (in_brackets and ("-" in text or "+" in text)):
        return np.nan
    drop = str.maketrans("", "", other_mark(decimal) + _BLANKS + UNITS)
    value = float(text.translate(drop).replace(",", "."))
    return -value if in_brackets else value


def are_codes(texts: Sequence[str]) -> bool:
    """Return whether texts are digits, of which one has a leading zero: 0123 is not 123.

    Words without a digit may stand among them.
    """
    coded = [text for text in texts if any(map(str.isdigit, text))]
    zeros = any(len(text) > 1 and text[0] == "0" for text in coded)
    return zeros and all(text.isascii() and text.isdigit() for text in coded)


def rounded(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts are whole numbers that float64 does not hold."""
    long = (len(text) >= LONG and re.fullmatch(r"[+-]?\d+", text, re.ASCII) for text in texts)
    return np.array(
        [
            bool(whole) and int(float(text)) != int(text)
            for text, whole in zip(texts, long, strict=True)
        ],
        np.bool_,
    )


def units(texts: Sequence[str]) -> dict[str, str]:
    """Return the units of numbers, each with a text that has it; "" for none.

    A unit is the signs of currencies and of percent, or a short word after the number.
    """
    return {_unit_of(text): text for text in texts}


def _unit_of(text: str) -> str:
    split = _UNIT.fullmatch(text)
    if split is None:
        return "".join(mark for mark in text if mark in UNITS)
    unit = split["unit"].casefold()
    return unit.removesuffix("s") if len(unit) >= _PLURAL else unit


def other_mark(decimal: str) -> str:
    """Return the other one of the decimal marks . and ,"""
    return "." if decimal == "," else ","


def readable_twice(texts: Sequence[str], decimal: str) -> str | None:
    """Return a number such as 1,234 if nothing but the decimal mark says that it is not 1.234."""
    other = other_mark(decimal)
    marked = [text for text in texts if other in text]
    return marked[0] if marked and np.isfinite(numbers(texts, other)).all() else None


def dates(texts: Sequence[str], form: str) -> Vector:
    """Return texts as seconds since 1970 in UTC; NaN where a text has another format."""
    import pandas as pd

    read = pd.to_datetime(pd.Series(texts, dtype=object), format=form, errors="coerce", utc=True)
    return seconds(read)


def seconds(series: Any) -> Vector:
    """Return dates of pandas as seconds since 1970; a time zone becomes UTC.

    A date before the year 1 or after the year 9999, which no calendar of Python has, is infinite.
    """
    import pandas as pd

    if isinstance(series.dtype, pd.ArrowDtype):  # its dates have no zone to ask for
        series = pd.to_datetime(series.astype(object), utc=True)
    zoned = series.dt.tz_convert(None) if series.dt.tz is not None else series
    moments: NDArray[Any] = zoned.to_numpy(copy=True)
    unit, _ = np.datetime_data(moments.dtype)
    missing, rough = np.isnat(moments), moments.astype(np.int64) / PER_SECOND[unit]
    beyond = ~missing & ((rough < FIRST_SECOND) | (rough > LAST_SECOND))
    moments[beyond] = 0  # else microseconds overflow
    numbers: Vector = moments.astype("datetime64[us]").astype(np.int64) / 1e6
    numbers[missing], numbers[beyond] = np.nan, np.inf
    return numbers


def date_formats(text: str) -> list[str]:
    """Return the known formats in which a text is a date."""
    if _ISO.fullmatch(text):
        return [ISO]
    return [form for form in FORMATS if _fits(text, form)]


def _fits(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)
    except ValueError:
        return False
    return True
