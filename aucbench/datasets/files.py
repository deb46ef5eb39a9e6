"""`load`: read a data set by its path, its name in the folder AUCBENCH_DATA, its URL, or a table.

A rule of the catalogue is used for a set that was given by name, and for a file that a MANIFEST.csv
beside it lists. Any other file is read as it is: a user's own bank.csv is not the bank set of the
catalogue. In a set of a collection, the rarer one of two classes is positive.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import Rows, rows
from aucbench.data.inputs import stored_type
from aucbench.data.layouts import to_faster_layout
from aucbench.data.understood import Remark, Understood
from aucbench.datasets import changepoint
from aucbench.datasets.catalogue import Entry
from aucbench.datasets.collections import Member
from aucbench.datasets.drawing import sample_rows
from aucbench.datasets.endings import naming
from aucbench.datasets.formats import Wanted
from aucbench.datasets.gaps import Gaps, kept_words, named_labels, with_gaps, words_of
from aucbench.datasets.located import source_of
from aucbench.datasets.memory import Held, frame_of, is_table
from aucbench.datasets.reading import (
    COLUMNS,
    OF_SET,
    Loading,
    ReadOptions,
    require_no_other_rows,
)
from aucbench.datasets.roles import EVENT, read_as_text_in_one, roles_of, with_test_rows
from aucbench.datasets.sources import File
from aucbench.datasets.suspects import outliers_of_columns, sentinels, suspects
from aucbench.datasets.table import Table
from aucbench.datasets.tables import Column, Schema, is_numeric
from aucbench.datasets.tables.changes import changes_of_test_rows
from aucbench.datasets.targets import read_target
from aucbench.datasets.textfile import AsText
from aucbench.errors import DataError

Source = File | Member | Held
TESTS = "the table of test rows"


def load(source: Any, reading: ReadOptions | None = None, **options: Any) -> Data:
    """Read a data set.

    The ending says the format, and each file may be compressed (.xz, .bz2, .gz, or .zip with one
    file in it):

    - svmlight: .svm, .svmlight, .libsvm, or an unknown ending;
    - text with cells: .csv, .tsv, or .txt if the lines are not svmlight; with or without a header;
    - Parquet: .parquet; Feather and Arrow: .feather, .arrow; Excel with one sheet: .xlsx;
    - npz: X and y, or data, indices, indptr, shape and y.

    A table may hold truth values, categories, dates and missing cells. Then `Data.schema` says
    what its columns are, and the rows are codes; `encode_table` makes features of them.

    Two kinds of sets are several files under one name: the four idx files of MNIST, and the
    files of a changepoint set (`load_changepoint`), which has `Breakpoints` instead of labels.

    Parameters
    ----------
    source : str, path or table
        The name of a set in the folder AUCBENCH_DATA or in the catalogue, a path,
        https://...#sha256=HEX, or a set of a collection such as keel:glass1
        (`aucbench.datasets.collections`). A set of the catalogue that is not in the folder is
        downloaded once into the user's cache. Or a table in memory: a data frame of pandas or
        polars, a table of pyarrow, or another one that hands over its columns as Arrow.
    reading : ReadOptions, optional
        How it is read, and what its columns mean.
    **options
        Fields of `reading` in place of it, and these:

    task : "first" or "halves", optional
        Divide the classes of a set with three or more as a paper did: the first one is negative
        and the others are positive, or a random half of them is positive. It replaces the rule of
        the catalogue, and that the rarer class of a set of a collection is positive, as `positive`
        does.
    seed : int, optional
        Decides which half task="halves" draws; the default is 0.
    folds : str, optional
        For changepoint sets only: the column with the fold of each sequence, see
        `load_changepoint`. The default is "fold" if the set has it. None or "none" means no
        folds.
    test : str or table, optional
        As of `ReadOptions`, or a table. `Data.folds` is 0 for its rows, and -1 for those of the
        source.

    Raises
    ------
    DataError
        When the file cannot be read or downloaded, when it does not hold binary labels and finite
        numbers, or when an option does not fit the kind of set.
    UnknownNameError
        When neither the folder nor the catalogue nor the collection has a set of this name.
    MissingExtraError
        When the file or the collection needs a package that is not installed.
    ParameterError
        When an option has a value that it cannot have.
    """
    wanted = (reading.options() if reading else {}) | options
    tests = Held(frame_of(wanted.pop("test")), TESTS) if is_table(wanted.get("test")) else None
    asked = Loading(**wanted)
    if tests is not None:
        require_no_other_rows(asked.rows, TESTS)
    origin = _origin(source)
    if isinstance(origin, File) and (name := changepoint.set_name(origin.path)):
        return _changepoints(origin, name, asked)
    if asked.folds != OF_SET:
        raise DataError(f"folds={asked.folds!r} is for changepoint sets; leave it out for {origin}")
    if asked.task is not None and asked.labels != "two":
        raise DataError(
            f"task={asked.task} makes two classes, and labels={asked.labels} does not; leave one "
            "of both out"
        )
    if asked.task is not None and (asked.positive is not None or asked.negative is not None):
        raise DataError(f"task={asked.task} says which classes are positive; leave one of both out")
    tested = tests if asked.test is None else source_of(asked.test)
    with naming(origin):
        return _read(origin, tested, asked)


def _origin(source: Any) -> Source:
    if is_table(source):
        return Held(frame_of(source))
    if isinstance(source, str | os.PathLike):
        return source_of(source)
    raise DataError(
        f"got {type(source).__name__}, wanted a path, a name or a table; collect a lazy frame, and "
        "give arrays to Data.of"
    )


def _changepoints(origin: File, name: str, asked: Loading) -> Data:
    without = ("positive", "negative", "task", "separator", "decimal", "test", "labels", "rows")
    strange = [option for option in (*without, *COLUMNS) if option in asked.options()]
    if strange:
        raise changepoint.no_labels(name, f"leave out {' and '.join(strange)}")
    folds = changepoint.OWN_FOLDS if asked.folds == OF_SET else asked.folds
    drop = asked.left_out(origin.entry.drop)
    with naming(origin, "a changepoint set"):
        return changepoint.load_parts(origin.path, folds, drop)


def _read(origin: Source, tested: Source | None, asked: Loading) -> Data:
    """Read rows with labels."""
    entry = origin.entry
    drop = asked.left_out(entry.drop)
    others = (asked.groups, asked.time, asked.weights, asked.event)
    role = "target" if asked.time_to_event is None else "time_to_event"
    target = getattr(asked, role)
    wanted = Wanted(
        target,
        0,
        asked.separator,
        asked.decimal,
        tuple(map(str, (*drop, *(column for column in others if column is not None)))),
        asked.unlabelled,
        tuple(map(str, asked.missing)),
        role,
        cells=AsText(words=kept_words(asked)),
        words=named_labels(asked),
    )
    table, folds = origin.table(wanted), None
    if tested is not None:
        same = replace(wanted, target=table.target if target is None else target)
        test = tested.table(same)
        if texts := read_as_text_in_one(table, test):
            cells = replace(wanted.cells, columns=frozenset(texts))
            table = origin.table(replace(wanted, cells=cells))
            test = tested.table(replace(same, cells=cells))
        table, folds = with_test_rows(table, test, str(tested))
    table, gaps, unused = with_gaps(table, asked)
    values, roles = roles_of(table, asked)
    table = table.without([*drop, *roles])
    meant = read_target(origin, table, values.pop(EVENT, None), asked)
    if (kept := sample_rows(meant.target, asked.rows)) is not None:
        table, meant = table.taking(kept), meant.taking(kept)
        values = {name: array[kept] for name, array in values.items()}
    seen = _examined(table, meant.high, asked, gaps)
    known: dict[str, Any] = {"relevant": relevant_columns(entry, seen.names), **values}
    data = Data.of(seen.X, meant.target, dtype=stored_type(seen.X), **known)
    of_matrix = () if hasattr(table.X, "iloc") else outliers_of_columns(data.rows, seen.names)
    changed = () if folds is None else _changed(data.rows, seen, folds >= 0)
    left = {str(c): "as asked" if asked.drop else entry.drop[str(c)] for c in drop}
    understood = replace(
        seen.understood,
        label=meant.label,
        positive=meant.positive,
        negative=meant.negative,
        labels=meant.classes,
        dropped={**left, **seen.understood.dropped, **{str(c): role for c, role in roles.items()}},
        first_index=table.first,
        remarks=(
            *map(Remark, (*table.warnings, *changed)),
            *unused,
            *seen.understood.remarks,
            *of_matrix,
        ),
    )
    return replace(
        data,
        rows=data.rows if seen.schema else to_faster_layout(data.rows),
        names=seen.names,
        folds=folds,
        dropped=tuple(name for name, _ in seen.schema.dropped) if seen.schema else (),
        schema=seen.schema,
        understood=understood,
    )


def _changed(coded: Rows, seen: _Examined, test: NDArray[np.bool_]) -> Iterator[str]:
    """Yield a sentence on each column of a table whose test rows are unlike the training rows."""
    if coded.is_sparse or seen.names is None:
        return
    plain = [Column(name, "numeric") for name in seen.names]
    yield from changes_of_test_rows(seen.schema.columns if seen.schema else plain, coded, test)


@dataclass(frozen=True, slots=True)
class _Examined:
    """The features of a file."""

    X: Any  # the features, or the codes of a table that does not hold numbers only
    names: tuple[str, ...] | None
    schema: Schema | None  # what the columns of such a table are
    understood: Understood  # without what is known of the labels


def _examined(
    table: Table, positive: NDArray[np.bool_], asked: ReadOptions, gaps: Gaps
) -> _Examined:
    """Look at the features of a table, and code them if they are not all numbers.

    `gaps` are the cells that mean a missing one, by column, which are missing in it already. Only
    tables are checked: their columns have a meaning each, pixels and words have none.
    """
    if not hasattr(table.X, "iloc"):
        return _Examined(table.X, table.names, None, Understood(kinds={"numeric": table.d}))
    frame = table.X.set_axis(table.names or tuple(map(str, table.X.columns)), axis=1)
    schema = _schema(frame, asked, gaps)
    codes = None if schema is None else schema.codes(frame)
    meant = frame if schema is None or codes is None else _meant(frame, schema, codes)
    kinds = ["numeric"] * table.d if schema is None else [c.kind for c in schema.columns]
    understood = Understood(
        kinds=dict(Counter(kinds).most_common()),
        dropped=dict(schema.dropped) if schema else {},
        remarks=(
            *suspects(meant, positive),
            *sentinels(meant, frame),
            *(schema.remarks if schema else ()),
        ),
    )
    if schema is None:
        return _Examined(table.X, table.names, None, understood)
    return _Examined(rows(codes), schema.names, schema, understood)


def _schema(frame: Any, asked: ReadOptions, gaps: Gaps) -> Schema | None:
    """Return what the columns are; None where all of them are numbers without a gap.

    Where cells mean a missing one, there is a schema all the same: it reads new tables so too.
    """
    if not frame.shape[1] or (not gaps and is_numeric(frame)):
        return None
    schema = Schema.of(frame, asked.decimal, asked.text, words_of(asked.missing, frame.columns))
    own = (replace(c, gaps=(*gaps.get(c.name, ()), *c.gaps)) for c in schema.columns)
    return replace(schema, columns=tuple(own))


def _meant(frame: Any, schema: Schema, codes: Any) -> Any:
    """Return the kept columns as what they mean: numbers, dates, and texts of categories.

    Free text is not there.
    """
    import pandas as pd

    columns = {}
    for j, column in enumerate(schema.columns):
        if column.kind == "category":
            columns[column.name] = frame[column.name]
        elif column.kind == "date":
            columns[column.name] = (1e6 * codes[:, j]).astype("datetime64[us]")
        elif column.kind != "text":
            columns[column.name] = codes[:, j]
    return pd.DataFrame(columns, index=frame.index)


def relevant_columns(entry: Entry, names: Sequence[str] | None) -> list[int] | None:
    """Return the numbers of the features that are known to matter; None where none is known.

    Several features may have one name, such as two probes of a gene; then all of them count.
    """
    known = frozenset(entry.relevant)
    return [j for j, name in enumerate(names or ()) if name in known] or None
