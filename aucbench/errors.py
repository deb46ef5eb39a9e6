"""One exception tree, and what counts as a number, wherever a user or a plugin gives one.

Everything that aucbench raises on purpose derives from `AucbenchError`, so that a
harness can tell "the user can mend this" from a bug. Where Python has a class for the
same mistake the error derives from it too (`DataError` is a `ValueError`), so that code
that knows nothing of aucbench catches it. Each message says what came, what was wanted
and the way out, in one sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from math import isfinite
from numbers import Integral, Real

INTERRUPTED = 130  # exit code by which shells know Ctrl-C
MOST_LISTED = 100  # names that a message lists
FEW_LISTED = 8  # names, if there are more
MOST = 2**31 - 1  # of what a kernel counts
LARGE = 1e100  # of factors and offsets whose squares are summed


class AucbenchError(Exception):
    """Root of all errors that aucbench raises on purpose."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What it says, line by line; only an error about several things has more than one."""
        return (str(self),)


class CollapsedWarning(UserWarning):
    """A fit is at its minimum, w = 0, whose scores say nothing."""


class UnevenPartsWarning(UserWarning):
    """Parts of the rows have other shares of the classes, so that their order matters."""


class DataError(AucbenchError, ValueError):
    """The rows or the labels cannot be used as they are."""


class NoPairsError(DataError):
    """No two of the rows can be compared."""


class ParameterError(AucbenchError, ValueError):
    """A parameter has a value, or a combination of values, that makes no sense."""


class UnknownNameError(AucbenchError, LookupError):
    """No plugin, data set or parameter has this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        names = sorted(known)
        close = get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        listed = ", ".join(names) or "none"
        if len(names) > MOST_LISTED:
            near = get_close_matches(name, names, n=FEW_LISTED, cutoff=0.4) or names[:FEW_LISTED]
            listed = f"{', '.join(near)} and {len(names) - len(near)} more"
        super().__init__(f"unknown {kind} {name!r}: {hint}known are: {listed}")


class PluginError(AucbenchError):
    """A plugin could not be imported, or two of them claim the same name."""


class PluginChoiceError(PluginError):
    """It is for the user to choose: two plugins claim a name, or its plugin is switched off."""


class UnsupportedError(AucbenchError):
    """The solver cannot do what was asked of it (needs, objective, projector)."""


class MissingExtraError(AucbenchError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str):
        super().__init__(f"{what} needs an optional package: pip install 'aucbench[{extra}]'")


def written_at(function: object) -> str:
    """Return " (file, line 12)" of a function or method; empty where Python did not compile it."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({code.co_filename}, line {code.co_firstlineno})"


def require_at_least(low: float, **values: float | None) -> None:
    """Raise `ParameterError` unless each named value is finite and >= low; None passes."""
    for name, value in values.items():
        if value is not None and not (_is_number(name, value) and value >= low):
            raise ParameterError(f"{name} must be at least {low}, got {short(value)}")


def _is_number(name: str, value: object) -> bool:
    """Whether a number is finite; raise `ParameterError` if it is none that a float holds."""
    number = float_of(value)
    if number is None:
        wanted = "a number" if whole_of(value) is None else "a number that a float holds"
        raise ParameterError(f"{name} must be {wanted}, got {short(value)}")
    return isfinite(number)


def require_above(low: float, **values: float | None) -> None:
    """Raise `ParameterError` unless each named value is finite and > low; None passes."""
    for name, value in values.items():
        if value is not None and not (_is_number(name, value) and value > low):
            raise ParameterError(f"{name} must be greater than {low}, got {short(value)}")


def require_whole(low: int, **values: int | None) -> None:
    """Raise `ParameterError` unless each named value is an integer >= low; None passes."""
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ParameterError(f"{name} must be a whole number, got {short(value)}")
        require_at_least(low, **{name: value})


def require_count(low: int, **values: int | None) -> None:
    """As `require_whole`, of 32 bits, in which kernels count: rows, features, steps or trees."""
    require_whole(low, **values)
    for name, value in values.items():
        if value is not None and value > MOST:
            raise ParameterError(f"{name} must be at most {MOST}, got {short(value)}")


def require_at_most(high: float, **values: float | None) -> None:
    """Raise `ParameterError` unless each named value is a number <= high; None passes."""
    for name, value in values.items():
        if value is not None and not (_is_number(name, value) and value <= high):
            raise ParameterError(f"{name} must be at most {high}, got {short(value)}")


def require_share(**values: float) -> None:
    """Raise `ParameterError` unless each named value is a number in (0, 1]."""
    for name, value in values.items():
        if not (_is_number(name, value) and 0 < value <= 1):
            raise ParameterError(f"{name} must be in (0, 1], got {short(value)}")


def require_known(what: str, names: Collection[str], known: Collection[str]) -> None:
    """Raise for a text in place of a set, and `UnknownNameError` for a name that is not known."""
    if isinstance(names, str):
        raise ParameterError(f"got one text {names!r}, wanted a set of each {what}: {{{names!r}}}")
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known)


def require_both_classes(n_pos: int, n: int) -> None:
    """Raise `NoPairsError` unless n labels, of which `n_pos` are positive, are of two classes."""
    if not 0 < n_pos < n:
        raise one_class(n, "positive" if n_pos else "negative")


def one_class(n: int, label: str) -> NoPairsError:
    """Return the refusal of n labels that are all the same."""
    if not n:
        return NoPairsError("there are no rows; give rows of both classes")
    if n == 1:  # scikit-learn asks for this word in its checks of estimators
        return NoPairsError(f"there is 1 sample, whose label is {label}; give rows of both classes")
    return NoPairsError(f"all {n} labels are {label}; give rows of both classes")


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


def shown(text: str) -> str:
    """Return `text` on one line, with characters that are not printable written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def join_reason(error_type: str | None, reason: str | None) -> str:
    """Return class of the error, if there was one, and reason, as in "ValueError: k is 0"."""
    return ": ".join(part for part in (error_type, reason) if part)


def short(value: object) -> str:
    """Return a value as text that fits into a sentence."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of a class of a plugin, or of an int of more than 4300 digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:59]}…"


def is_number(text: str) -> bool:
    """Return whether a text is a number; unlike Python, as other programs: not 1_000 or ١٢."""
    if "_" in text or not text.isascii():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
