"""`ReadOptions`: how a file is read. Plans and commands have the same words.

There is one `ReadOptions` for all data sets of a plan, and one `Loading` for each `datasets.load`,
with what stands in the brackets of one data set only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

from aucbench.errors import ParameterError, require_whole, short

Plain = str | int | float | bool
PlainLabels = Plain | tuple[Plain, ...] | None
SUITE = "suite:"  # before the name of several data sets, see `aucbench.datasets.catalogue`
MARKS = (".", ",")
WORDS = {  # of options that take one of a few words
    "decimal": MARKS,
    "text": ("hash", "drop", "refuse"),
    "unlabelled": ("refuse", "skip"),
    "labels": ("two", "classes", "grades"),
}
COLUMNS = ("target", "groups", "time", "weights", "time_to_event", "event")  # fields that name one
SEPARATORS = ("tab", "space")
FEWEST_ROWS = 4  # that can be drawn: two of each class, for a training and a test row
NO_COLUMN = "none"  # alone: nothing is dropped, also of what the catalogue leaves out
TASKS = ("first", "halves")
OF_SET = ""  # the folds of a changepoint set, if it has some
PLAIN_WANTED = "text, a finite number, true or false"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How a file is read.

    Attributes
    ----------
    positive : label or tuple of labels, optional
        Labels of files that are positive.
    negative : label or tuple of labels, optional
        Labels of files that are negative; rest means all others.
    target : str or int, optional
        Label column of files, by name or by number from 0.
    drop : tuple of str or int
        Columns of files to drop; none alone also keeps those that the catalogue drops.
    decimal : "." or ","
        Decimal mark of numbers in tables: a point or a comma.
    missing : tuple of str
        Cells of tables to read as missing: VALUE in all columns, or COLUMN=VALUE in one;
        COLUMN!=NA reads NA as text; repeatable.
    text : "hash", "drop" or "refuse"
        What to do with columns of free text. hash: read them as hashed words and pairs of words;
        drop: drop them; refuse: an error.
    unlabelled : "refuse" or "skip"
        What to do with rows of tables without a label. refuse: an error; skip: drop them.
    separator : str, optional
        Separator of the cells of text files: a character, tab, or space for any number of blanks.
        [default: found in the first lines]
    groups : str or int, optional
        Column of files with the groups of rows: each group is on one side of each split. It is no
        feature.
    time : str or int, optional
        Column of files with times: training rows are earlier than test rows. It is no feature.
    weights : str or int, optional
        Column of files with weights of rows, in the AUC and in training. It is no feature.
    test : str, optional
        File, name or address of test rows, in place of splits.
    labels : "two", "classes" or "grades"
        Kind of the labels. two: two classes; classes: each label is a class with a score of its
        own, if there are three or more; grades: ordered numbers, of which a higher one is better.
    time_to_event : str or int, optional
        Column of files with the time for which each row was observed, in place of labels; a row
        with an earlier event shall have a higher score.
    event : str or int, optional
        Column of files that says whether the event happened at that time: 1 or 0, or two words, of
        which --positive names the one of an event.
    rows : int, optional
        Read at most so many rows, always the same ones; the rarer of two classes keeps its share,
        or 100 rows if it has them. [default: all]

    Raises
    ------
    ParameterError
        When a value is none of these, or one is without another that it needs.
    """

    positive: Plain | tuple[Plain, ...] | None = None
    negative: Plain | tuple[Plain, ...] | None = field(default=None, metadata={"alone": ("rest",)})
    target: str | int | None = None
    drop: tuple[str | int, ...] = ()
    decimal: str = "."
    missing: tuple[Plain, ...] = field(default=(), metadata={"whole": True})
    text: str = "hash"
    unlabelled: str = "refuse"
    separator: str | None = None
    groups: str | int | None = None
    time: str | int | None = None
    weights: str | int | None = None
    test: str | None = None
    labels: str = "two"
    time_to_event: str | int | None = None
    event: str | int | None = None
    rows: int | None = None

    def __post_init__(self) -> None:
        for name, words in WORDS.items():
            if (word := getattr(self, name)) not in words:
                raise ParameterError(f"{name} must be {' or '.join(words)}, got {word!r}")
        separator = self.separator
        one = isinstance(separator, str) and len(separator) == 1 and separator not in '"\r\n'
        if separator is not None and separator not in SEPARATORS and not one:
            raise ParameterError(
                f"separator must be one character, {' or '.join(SEPARATORS)}, got {separator!r}"
            )
        for name in ("positive", "negative"):
            object.__setattr__(self, name, plain_labels(getattr(self, name), name))
        object.__setattr__(self, "missing", _cells(self.missing))
        if not isinstance(self.drop, str | int | list | tuple):
            raise ParameterError(f"drop must be a list of columns, got {self.drop!r}")
        drop = (self.drop,) if isinstance(self.drop, str | int) else tuple(self.drop)
        object.__setattr__(self, "drop", drop)
        for column in self.drop:
            _require_column("drop", column)
        for name in COLUMNS:
            if (column := getattr(self, name)) is not None:
                _require_column(name, column)
        if self.test is not None and not isinstance(self.test, str):
            raise ParameterError(f"test is the name of a file with test rows, got {self.test!r}")
        require_whole(FEWEST_ROWS, rows=self.rows)
        if self.test is not None:
            require_no_other_rows(self.rows, f"test={self.test!r}")
        self._require_one_target()

    def _require_one_target(self) -> None:
        """Refuse options that are about another target than the one that is asked for."""
        if (self.time_to_event is None) != (self.event is None):
            one, other = ("time_to_event", "event")[:: 1 if self.event is None else -1]
            raise ParameterError(
                f"{one} is given without {other}; name both columns, the one of times and the one "
                "that says whether the event happened then"
            )
        if self.event is not None and str(self.event) == str(self.time_to_event):
            raise ParameterError(
                f"time_to_event and event both name {self.event!r}; one column has the times, and "
                "another one says whether the event happened then"
            )
        if self.event is not None and (self.labels != "two" or self.target is not None):
            other = "target" if self.labels == "two" else f"labels={self.labels}"
            raise ParameterError(
                f"time_to_event and event stand in place of labels; leave {other} out"
            )
        if self.labels != "two" and (self.positive is not None or self.negative is not None):
            has = "an order" if self.labels == "grades" else "all of them"
            raise ParameterError(
                f"positive and negative divide labels into two classes, but labels={self.labels} "
                f"has {has}; leave one of both out"
            )

    @property
    def ranks(self) -> bool:
        """Whether the target is an order without classes: times of events, or grades."""
        return self.event is not None or self.labels == "grades"

    def options(self) -> dict[str, Any]:
        """Return the values that differ from the defaults, by name."""
        return {
            f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default
        }

    def __str__(self) -> str:
        """Return the options that are given, for people."""
        given = ((name, [*v] if isinstance(v, tuple) else v) for name, v in self.options().items())
        return ", ".join(f"{name}={value!r}" for name, value in given) or "default reading"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading(ReadOptions):
    """What `datasets.load` takes."""

    drop: Any = ()
    task: str | None = None
    seed: int | None = None
    folds: str | None = OF_SET

    def __post_init__(self) -> None:
        drop = (NO_COLUMN,) if self.drop is None else self.drop
        object.__setattr__(self, "drop", (drop,) if isinstance(drop, str | int) else drop)
        ReadOptions.__post_init__(self)  # no super(): a class with slots is made anew
        if self.task is not None and self.task not in TASKS:
            raise ParameterError(f"task must be {' or '.join(TASKS)}, got {self.task!r}")
        require_whole(0, seed=self.seed)
        if self.seed is not None and self.task != "halves":
            raise ParameterError(
                f"seed={self.seed} draws task=halves; leave it out, or give this task"
            )

    def left_out(self, usual: Iterable[str]) -> list[str | int]:
        """Return the columns to leave out: those asked for, or else the usual ones."""
        return [] if self.drop == (NO_COLUMN,) else [*(self.drop or usual)]


def require_no_other_rows(rows: int | None, tests: str) -> None:
    """Refuse `rows` beside test rows of their own."""
    if rows is not None:
        raise ParameterError(
            f"rows={rows} draws the rows of one table, and {tests} is another one with test rows; "
            "leave one of both out"
        )


def plain_labels(labels: Any, name: str) -> PlainLabels:
    """Return labels as None, one plain value, or a tuple of them."""
    if labels is None:
        return None
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        return plain_value(labels, name)
    return tuple(plain_value(label, name) for label in labels)


def plain_value(value: Any, name: str) -> Plain:
    """Return text, a number or a switch; refuse any other value."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, str | int) or (isinstance(value, float) and isfinite(value)):
        return value
    raise ParameterError(f"{name} has the value {value!r}, wanted {PLAIN_WANTED}")


def _cells(missing: Any) -> tuple[Plain, ...]:
    """Return cells as a tuple; a mapping of columns to cells becomes texts such as "age=-999"."""
    if isinstance(missing, Mapping):
        each = ((name, plain_labels(own, "missing")) for name, own in missing.items())
        return tuple(
            f"{name}={cell}"
            for name, own in each
            for cell in (own if isinstance(own, tuple) else (own,))
        )
    cells = plain_labels(missing, "missing")
    return cells if isinstance(cells, tuple) else () if cells is None else (cells,)


def _require_column(name: str, column: Any) -> None:
    if isinstance(column, bool) or not isinstance(column, str | int):
        raise ParameterError(f"{name} holds {short(column)}, wanted the name or number of a column")
