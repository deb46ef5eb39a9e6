"""`Reading`: how a file is read. The words are those of `datasets.load`, plans and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

from aucbench.errors import ParameterError, UnknownNameError

Plain = str | int | float | bool
PlainLabels = Plain | tuple[Plain, ...] | None
SUITE = "suite:"  # before the name of several data sets, see `aucbench.datasets.catalogue`
ENCODE = ("auto", "none")
MARKS = (".", ",")
SEPARATORS = ("tab", "space")
PLAIN_WANTED = "text, a finite number, true or false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a file is read.

    Attributes
    ----------
    target : str or int, optional
        Label column of files, by name or by number from 0.
    positive : label or tuple of labels, optional
        Labels of files that count as positive.
    negative : label or tuple of labels, optional
        Labels of files that count as negative; rest means all others.
    drop : tuple of str or int
        Columns of files to leave out; none alone also keeps those that the catalogue leaves out.
    drop_suspicious : bool
        Leave out the columns of tables that a warning is about.
    encode : "auto" or "none"
        auto: tables may hold text, dates and missing cells; none: numbers only.
    decimal : "." or ","
        Decimal mark of tables: a point or a comma.
    separator : str, optional
        Of the cells of text files: a character, tab, or space for any number of blanks.
        [default: found in the first lines]
    groups : str or int, optional
        Column of files that is no feature; rows that share a value are on one side of each split.
    time : str or int, optional
        Column of files that is no feature; training rows are earlier than test rows.
    weights : str or int, optional
        Column of files that is no feature; rows count for it, in the AUC and in training.
    test : str, optional
        File, name or address of test rows, in place of splits.

    Raises
    ------
    ParameterError
        When a value is none of these.
    """

    target: str | int | None = None
    positive: PlainLabels = None
    negative: PlainLabels = field(default=None, metadata={"alone": ("rest",)})
    drop: tuple[str | int, ...] = ()
    drop_suspicious: bool = False
    encode: str = "auto"
    decimal: str = "."
    separator: str | None = None
    groups: str | int | None = None
    time: str | int | None = None
    weights: str | int | None = None
    test: str | None = None

    def __post_init__(self) -> None:
        require_text_options(self.encode, self.decimal, self.separator)
        for name in ("positive", "negative"):
            object.__setattr__(self, name, plain_labels(getattr(self, name), name))
        object.__setattr__(self, "drop", _columns(self.drop))
        if not isinstance(self.drop_suspicious, bool):
            raise ParameterError(f"drop_suspicious is true or false, got {self.drop_suspicious!r}")
        for name in ("target", "groups", "time", "weights"):
            if (column := getattr(self, name)) is not None:
                _require_column(name, column)
        if self.test is not None and not isinstance(self.test, str):
            raise ParameterError(f"test is the name of a file with test rows, got {self.test!r}")

    def given(self) -> dict[str, Any]:
        """Return the values that differ from the defaults, by name."""
        return {
            f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default
        }

    def __str__(self) -> str:
        """Return the options that are given, for people."""
        shown = (f"{name}={value!r}" for name, value in self.to_json().items())
        return ", ".join(shown) or "default reading"

    def to_json(self) -> dict[str, Any]:
        """Return `given` as JSON holds it, with lists in place of tuples."""
        return {
            name: [*value] if isinstance(value, tuple) else value
            for name, value in self.given().items()
        }

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Reading:
        """Inverse of `to_json`.

        Raises
        ------
        UnknownNameError
            When there is no option of a name.
        ParameterError
            When a value makes no sense.
        """
        known = [f.name for f in fields(Reading)]
        for name in plain:
            if name not in known:
                raise UnknownNameError("option of reading files", name, known)
        return Reading(**plain)


def require_text_options(encode: str, decimal: str, separator: str | None) -> None:
    """Raise `ParameterError` unless these are values of `Reading`."""
    if encode not in ENCODE:
        raise ParameterError(f"encode must be {' or '.join(ENCODE)}, got {encode!r}")
    if decimal not in MARKS:
        raise ParameterError(f"decimal must be {' or '.join(MARKS)}, got {decimal!r}")
    one = isinstance(separator, str) and len(separator) == 1 and separator not in '"\r\n'
    if separator is not None and separator not in SEPARATORS and not one:
        raise ParameterError(
            f"separator must be one character, {' or '.join(SEPARATORS)}, got {separator!r}"
        )


def plain_labels(labels: Any, name: str) -> PlainLabels:
    """Return labels as None, one plain value, or a tuple of them.

    Raises
    ------
    ParameterError
        When one of them is neither text nor a finite number nor a switch.
    """
    if labels is None:
        return None
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        return plain_value(labels, name)
    return tuple(plain_value(label, name) for label in labels)


def plain_value(value: Any, name: str) -> Plain:
    """Return one plain value; raises as `plain_labels`."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, str | int) or (isinstance(value, float) and isfinite(value)):
        return value
    raise ParameterError(f"{name} has the value {value!r}, wanted {PLAIN_WANTED}")


def _columns(given: Any) -> tuple[str | int, ...]:
    if isinstance(given, str) or not isinstance(given, list | tuple):
        raise ParameterError(f"drop must be a list of columns, got {given!r}")
    for column in given:
        _require_column("drop", column)
    return tuple(given)


def _require_column(name: str, column: Any) -> None:
    if isinstance(column, bool) or not isinstance(column, str | int):
        raise ParameterError(f"{name} holds {column!r}, wanted the name or number of a column")
