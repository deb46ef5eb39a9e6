"""`load`: read a data set by its path, by its name in the folder AUCBENCH_DATA, or by URL.

Design
  a. The catalogue has rules for names. So a rule is used for a set that was given by name, and
     for a file that a MANIFEST.csv beside it lists. Any other file is read as it is: a user's
     own bank.csv is not the bank set of the catalogue.
  b. A set of a collection is a table like that of a file, but it has a rule of its own: if it has
     two classes, the rarer one is positive. Its prefix comes before files and plugins.
  c. The layout depends on the data, not on the format: dense when at least a third of the
     entries are non-zero, else CSR (arrays.py, `in_faster_layout`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.data import Data
from aucbench.data.targets import REST, Classes, Labels, counted, label_vector
from aucbench.datasets import changepoint, formats, idx
from aucbench.datasets.catalogue import Entry
from aucbench.datasets.collections import Member, rarer
from aucbench.datasets.endings import naming, without_compression
from aucbench.datasets.examine import examine
from aucbench.datasets.formats import Table, Wanted
from aucbench.datasets.label import column_at
from aucbench.datasets.located import name_of, source_of
from aucbench.datasets.manifest import manifest_row, verify
from aucbench.datasets.parsed import read_once
from aucbench.datasets.raw import Published
from aucbench.datasets.reading import require_text_options
from aucbench.datasets.roles import Roles, with_test_rows
from aucbench.datasets.tasks import divide, require_task
from aucbench.datasets.textfile import is_number
from aucbench.errors import DataError


def load(
    source: str | os.PathLike[str],
    *,
    positive: Any = None,
    negative: Any = None,
    task: str | None = None,
    seed: int | None = None,
    drop: str | int | Sequence[str | int] | None = (),
    target: str | int | None = None,
    drop_suspicious: bool = False,
    folds: str | None = "",
    encode: str = "auto",
    decimal: str = ".",
    separator: str | None = None,
    groups: str | int | None = None,
    time: str | int | None = None,
    weights: str | int | None = None,
    test: str | None = None,
) -> Data:
    """Read a data set.

    The ending says the format, and each file may be compressed (.xz, .bz2, .gz, or .zip with one
    file in it):

    - svmlight: .svm, .svmlight, .libsvm, or an unknown ending;
    - text with cells: .csv, .tsv, or .txt if the lines are not svmlight; with or without a header;
    - Parquet: .parquet; Feather and Arrow: .feather, .arrow; Excel with one sheet: .xlsx;
    - npz: X and y, or data, indices, indptr, shape and y.

    A table may hold truth values, categories, dates and missing cells. Then `Data.schema` says
    what its columns are, and the rows are codes; `Data.encoded` makes features of them.

    Two kinds of sets are several files under one name: the four idx files of MNIST, and the
    files of a changepoint set (`load_changepoint`), which has `Breakpoints` instead of labels.

    Parameters
    ----------
    source : str or path
        The name of a set in the folder AUCBENCH_DATA or in the catalogue, a path,
        https://...#sha256=HEX, or a set of a collection such as keel:glass1
        (`aucbench.datasets.collections`). A set of the catalogue that is not in the folder is
        downloaded once into the user's cache.
    positive, negative : label or list of labels, optional
        The two classes, see `Classes.of`. They replace the rule of the catalogue, and that the
        rarer class of a set of a collection is positive. Text such as "3" also means the numeric
        label 3.
    task : "first" or "halves", optional
        Divide the classes of a set with three or more as a paper did: the first one is negative
        and the others are positive, or a random half of them is positive. It replaces the same
        rules.
    seed : int, optional
        Decides which half task="halves" draws; the default is 0.
    drop : sequence of names or numbers
        Features to leave out. They replace those of the catalogue. Numbers count the features
        from 0, without the label column. ("none",) or None drops nothing.
    target : name or number, optional
        The label column of a table. The default is the column called y, label, target or class,
        or else the first or last column if it is the only one with two values. For npz it is
        the name of the array of labels.
    drop_suspicious : bool
        Leave out the columns of a table that `Data.understood` would warn about: those that are
        constant, different in every row, hold days as numbers, or tell the label alone.
    folds : str, optional
        For changepoint sets only: the column with the fold of each sequence, see
        `load_changepoint`. The default is "fold" if the set has it. None or "none" means no
        folds.
    groups, time, weights : name or number, optional
        Columns that are no features, see `Data.of`. Numbers count as those of `drop`. A time is a
        number or a date.
    test : str, optional
        A file, a name or an address whose rows are the test rows, with the columns of the source
        in any order. `Data.folds` is 0 for them, and -1 for the rows of the source.
    encode, decimal, separator :
        See `Reading`.

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
        When encode, decimal or separator has another value than `Reading` takes, or when task
        and seed make no sense.

    Notes
    -----
    What has been read is kept in the user's cache, so that a second call maps it from there. The
    paths, sizes and times of the files decide; see `AUCBENCH_CACHE` and `AUCBENCH_PARSED_MB`.
    """
    require_text_options(encode, decimal, separator)
    require_task(task, seed)
    path, entry = source_of(source)
    columns: dict[str, Any] = {"groups": groups, "time": time, "weights": weights}
    if isinstance(path, Path) and (name := changepoint.set_name(path)):
        _refuse_given(name, positive=positive, negative=negative, target=target, task=task)
        _refuse_given(name, separator=separator, decimal=decimal if decimal != "." else None)
        _refuse_given(name, **columns, test=test)
        column, out = changepoint.OWN_FOLDS if folds == "" else folds, left_out(drop, entry)
        read = partial(changepoint.load_parts, path, column, out)
        named = partial(_named, path, "a changepoint set", read)
        return read_once(parts(path), [column, out], named)
    if folds != "":
        raise DataError(f"folds={folds!r} is for changepoint sets; leave it out for {path}")
    if task is not None and (positive is not None or negative is not None):
        raise DataError(f"task={task} says which classes are positive; leave one of both out")
    asked = columns | {"positive": positive, "negative": negative, "task": task, "seed": seed}
    asked |= {"drop": drop, "drop_suspicious": drop_suspicious, "target": target, "test": test}
    asked |= {"encode": encode, "decimal": decimal, "separator": separator}
    sets = [path] if test is None else [path, source_of(test)[0]]
    files = [file for one in sets for file in parts(one)]
    # The name is enough: the list of the catalogue lies beside the code, whose content counts.
    known = "" if entry == Entry(name=entry.name) else entry.name
    known = str(path) if isinstance(path, Member) else known
    read = partial(_read, path, entry, **asked)
    return read_once(files, [known, asked], partial(_named, path, None, read))


def _read(
    path: Path | Published | Member,
    entry: Entry,
    *,
    positive: Any,
    negative: Any,
    task: str | None,
    seed: int | None,
    drop: str | int | Sequence[str | int] | None,
    target: str | int | None,
    drop_suspicious: bool,
    encode: str,
    decimal: str,
    separator: str | None,
    groups: str | int | None,
    time: str | int | None,
    weights: str | int | None,
    test: str | None,
) -> Data:
    """Read rows with labels, as `load` does."""
    named = (*left_out(drop, entry), *(c for c in (groups, time, weights) if c is not None))
    wanted = Wanted(target, 0, separator, decimal, tuple(map(str, named)))
    table, tested = _table(path, wanted), None
    if test is not None:
        same = replace(wanted, target=table.target if target is None else target)
        table, tested = with_test_rows(table, _table(source_of(test)[0], same), test)
    roles = Roles.of(table, decimal, groups=groups, time=time, weights=weights)
    table = without_columns(table, [*left_out(drop, entry), *roles.columns])
    y = label_vector(table.y)
    counts, label = counted(y), table.label
    if task is not None:
        positive, negative, why = divide(counts, task, seed)
        label = f"{label}, {why}"
    elif isinstance(path, Member) and positive is None and negative is None:
        positive = rarer(counts)
        label += "" if positive is None else ", whose rarer class is positive"
    classes = Classes.of(counts, *class_names(positive, negative, entry, y))
    signs = Labels.of_mask(classes.holds(y)).y
    found = examine(
        table, signs > 0, encode=encode, decimal=decimal, drop_suspicious=drop_suspicious
    )
    relevant = relevant_columns(entry, found.names)
    data = Data.of(found.X, signs, relevant=relevant, **roles.values)
    asked = {str(c): "as asked" if drop else entry.drop[str(c)] for c in left_out(drop, entry)}
    understood = replace(
        found.understood,
        label=label,
        positive=tuple(map(str, classes.positive)),
        negative=tuple(map(str, classes.negative)),
        dropped={**asked, **found.understood.dropped, **roles.named},
        warnings=(*table.warnings, *found.understood.warnings),
    )
    return replace(
        data,
        rows=data.rows if found.schema else data.rows.in_faster_layout(),
        names=found.names,
        folds=tested,
        dropped=tuple(name for name, _ in found.schema.dropped) if found.schema else (),
        schema=found.schema,
        understood=understood,
    )


def _named(path: Path | Published | Member, form: str | None, read: Callable[[], Data]) -> Data:
    with naming(path, form):
        return read()


def relevant_columns(entry: Entry, names: Sequence[str] | None) -> list[int] | None:
    """Return the numbers of the features that are known to matter; None where none is known.

    Several features may have one name, such as two probes of a gene; then all of them count.
    """
    known = frozenset(entry.relevant)
    return [j for j, name in enumerate(names or ()) if name in known] or None


def _refuse_given(name: str, **options: Any) -> None:
    given = [option for option, value in options.items() if value is not None]
    if given:
        raise changepoint.no_labels(name, f"leave out {' and '.join(given)}")


def parts(path: Path | Published | Member) -> Sequence[Path]:
    """Return the files that are read for a set."""
    if isinstance(path, Member):
        return path.fetch(progress=True)
    if isinstance(path, Published):
        return path.paths
    if changepoint.set_name(path):
        return changepoint.parts(path)
    if _is_idx(path):
        return [file for pair in idx.pairs(path) for file in pair]
    names = _names_beside(path)
    return [path, names] if names.is_file() else [path]


def _is_idx(path: Path) -> bool:
    return without_compression(path.name).endswith(idx.MARK)


def _table(path: Path | Published | Member, wanted: Wanted) -> Table:
    if not isinstance(path, Path):
        return path.table(wanted)
    if _is_idx(path):
        if wanted.target is not None:
            raise DataError(
                f"target={wanted.target!r} is for tables, but an idx set has its labels in another "
                "file; leave it out"
            )
        if replace(wanted, others=()) != Wanted():
            raise DataError("separator and decimal are for tables, not for an idx set")
        return idx.read_idx(path)
    if not path.stat().st_size:
        raise DataError(f"{path} is empty; give a file with data")
    verify(path)
    names = feature_names(path)
    width = manifest_row(path).get("features", "")
    least = len(names) if names else int(width) if width.isdecimal() else 0
    table = formats.read_table(path, replace(wanted, width=least))
    if names is None:
        return table
    if len(names) != np.shape(table.X)[1]:
        raise DataError(
            f"{path} has {np.shape(table.X)[1]} features, but the file of names beside it has "
            f"{len(names)}; give one name per feature"
        )
    return replace(table, names=names)


def feature_names(path: Path) -> tuple[str, ...] | None:
    """Return the first field of each line of NAME.features.txt beside the file, or None."""
    beside = _names_beside(path)
    if not beside.is_file():
        return None
    verify(beside)
    lines = beside.read_text(encoding="utf-8").splitlines()
    return tuple(line.split("\t")[0] for line in lines)


def _names_beside(path: Path) -> Path:
    return path.with_name(f"{name_of(path)}.features.txt")


def left_out(drop: str | int | Sequence[str | int] | None, entry: Entry) -> Sequence[str | int]:
    """Return the columns to leave out: those asked for, or else those of the catalogue.

    ("none",) and None mean that nothing is left out.
    """
    if drop is None:
        return []
    wanted = [drop] if isinstance(drop, str | int) else [*drop]
    return [] if wanted == ["none"] else wanted or [*entry.drop]


def without_columns(table: Table, drop: Sequence[str | int]) -> Table:
    """Return the table without the columns `drop`, by name or number."""
    d = np.shape(table.X)[1]
    dropped = {column_at(wanted, table.names, d) for wanted in drop}
    return table.keeping([j for j in range(d) if j not in dropped]) if dropped else table


def class_names(positive: Any, negative: Any, entry: Entry, y: Any) -> tuple[Any, Any]:
    """Return the labels of both classes: those asked for, or else those of the catalogue."""
    if positive is None and negative is None and entry.positive:
        return [*entry.positive], REST
    return as_labels(positive, y), negative if negative == REST else as_labels(negative, y)


def as_labels(positive: Any, y: Any) -> Any:
    """Return `positive` with text as numbers where the labels y are numeric.

    The command line gives text.
    """
    if isinstance(positive, Collection) and not isinstance(positive, str | bytes):
        return [as_labels(label, y) for label in positive]
    numeric = np.asarray(y).dtype.kind in "fiub"
    if numeric and isinstance(positive, str) and is_number(positive):
        number = float(positive)
        return int(number) if number.is_integer() else number
    return positive
