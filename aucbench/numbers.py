"""What a number is that a plugin or a user gives: one that a float holds."""

from __future__ import annotations

from numbers import Integral, Real


def float_of(value: object) -> float | None:
    """Return a real number as a float, also NaN and infinity; None for everything else.

    Whole numbers of more than 308 digits are None, and so are bools, texts, complex numbers,
    arrays, and numbers of a class that cannot be converted.
    """
    if type(value) is float:  # nearly all are
        return value
    try:
        # Any class can say that it is a number, and may raise anything when it is asked for it.
        return float(value) if isinstance(value, Real) and not isinstance(value, bool) else None
    except Exception:
        return None


def whole_of(value: object) -> int | None:
    """Return a whole number as an int; None for everything else, also for a bool."""
    if type(value) is int:
        return value
    try:
        return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    except Exception:
        return None


def short(value: object) -> str:
    """Return a value as text that fits into a sentence."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of a class of a plugin, or of an int of more than 4300 digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:59]}…"
