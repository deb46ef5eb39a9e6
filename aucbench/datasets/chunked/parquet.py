"""Row groups of Parquet files as parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Rows, Stored, Vector, rows
from aucbench.data.inputs import SINGLE
from aucbench.data.targets import REST, Classes
from aucbench.data.understood import Remark, Understood
from aucbench.datasets.arrow import frame_of_table, pyarrow
from aucbench.datasets.chunked.footers import DATE, OTHER, TEXT, Footer, common_kinds, kind_of_type
from aucbench.datasets.chunked.levels import (
    HEAD,
    DateRange,
    Texts,
    codes_of,
    counts_of,
    dates_of,
    distinct,
    encoding_of,
)
from aucbench.datasets.endings import short_reason
from aucbench.datasets.gaps import named_labels
from aucbench.datasets.label import column_at, find_label
from aucbench.datasets.reading import NO_COLUMN, ReadOptions
from aucbench.datasets.tables import Encoding
from aucbench.datasets.tables.cells import MARKS, MISSING
from aucbench.datasets.targets import as_labels
from aucbench.errors import DataError, one_class
from aucbench.scale.parts import PIECE, Columns, Piece
from aucbench.stats.vectors import require_exact

LARGEST = 256 << 20  # bytes of a row group as numbers that is decoded at once
MOST_NAMED = 8  # row groups that a remark names
MOST_LABELS = 1000  # different ones
BUFFER = 1 << 20  # bytes that are read ahead in each column of a larger one
NO_CLASSES = Classes((), ())
CODED = (TEXT, DATE)  # kinds of columns of which features are made


@dataclass(frozen=True, slots=True)
class Feature:
    """A column that is read: `kind` is float32, float64, text or date."""

    name: str
    kind: str

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its numbers, or of its codes."""
        return np.dtype(np.float64 if self.kind in CODED else self.kind)


@dataclass(frozen=True, eq=False)
class ParquetParts:
    """Row groups of Parquet files.

    Attributes
    ----------
    files : tuple of Footer
    groups : tuple of (int, int)
        The file and the row group of each part.
    features : tuple of Feature
        The columns of the table that are read.
    label, why : str
        The column of the labels, and why it was taken.
    classes : Classes
        The labels of both classes.
    weights : str, or None
        The column of the weights of rows.
    encoding : Encoding, or None
        Makes features of the columns where some hold text or dates.
    dropped : tuple of (str, str)
        Columns that are not read, and why.
    skipped : tuple of str
        Row groups that could not be decoded and were left out, as `skip_bad` allows.
    """

    files: tuple[Footer, ...]
    groups: tuple[tuple[int, int], ...]
    features: tuple[Feature, ...]
    label: str
    why: str = ""
    classes: Classes = NO_CLASSES
    weights: str | None = None
    encoding: Encoding | None = None
    dropped: tuple[tuple[str, str], ...] = ()
    skipped: tuple[str, ...] = ()

    @staticmethod
    def of(
        footers: Sequence[Footer],
        asked: ReadOptions,
        columns: Sequence[str | int] | None = None,
        *,
        skip_bad: bool = False,
    ) -> ParquetParts:
        """Open files whose footers were read; raises as `open_parts`."""
        kinds = common_kinds(footers)
        groups = [(f, g) for f, footer in enumerate(footers) for g in range(len(footer.rows))]
        plain = ParquetParts(tuple(footers), tuple(groups), (), next(iter(kinds)))
        head = plain._head([*kinds])
        label = find_label(head, asked.target, [*map(str, asked.drop)])
        name = [*kinds][label.at]
        features, dropped, weights = _features(kinds, name, asked, columns)
        bare = replace(plain, features=features, label=name, why=label.why, weights=weights)
        if skip_bad:
            bare = bare._without_bad()
        classes = bare._classes(asked)
        whole = replace(bare, classes=classes, dropped=dropped)
        if all(feature.kind not in CODED for feature in features):
            return whole
        coded = whole._with_encoding(asked, head)
        if columns is not None:
            coded._require_numbers()
        return coded

    def _head(self, columns: list[str]) -> Any:
        """Return the first rows as a data frame."""
        for i, size in enumerate(self.sizes):
            if size:
                f, g = self.groups[i]
                with self._damaged(i), _opened(self.files[f], BUFFER) as parquet:
                    batch = next(parquet.iter_batches(HEAD, [g], columns, use_threads=False))
                    return frame_of_table(pyarrow().Table.from_batches([batch]))
        raise DataError("there is no row in it; give files with rows")

    def _require_numbers(self) -> None:
        """Refuse a column of dates, and of texts that are no numbers; 45 % is one."""
        assert self.encoding is not None
        for column in self.encoding.schema.columns:
            if column.kind != "numeric":
                raise DataError(
                    f"column {column.name!r} holds {'dates' if column.kind == 'date' else 'text'}, "
                    "wanted numbers; write numbers in it"
                )

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self.sizes)

    @property
    def d(self) -> int:
        """Number of features."""
        return len(self.features) if self.encoding is None else self.encoding.d

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        own = tuple(feature.name for feature in self.features)
        return own if self.encoding is None else self.encoding.names

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of rows of each part."""
        return tuple(self.files[f].rows[g] for f, g in self.groups)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of names, sizes, times and footers of the files, and of what is read of them."""
        files = [(file.path, file.size, file.changed, file.digest) for file in self.files]
        asked = (self.groups, self.features, self.label, self.classes, self.weights, self.dropped)
        return sha256(repr((files, asked)).encode()).hexdigest()

    @property
    def understood(self) -> Understood:
        """What was taken from the files, for people."""
        columns = [] if self.encoding is None else self.encoding.schema.columns
        kinds = Counter([column.kind for column in columns] or ["numeric"] * len(self.features))
        return Understood(
            label=f"column {self.label!r}, {self.why}",
            positive=self.classes.positive,
            negative=self.classes.negative,
            kinds=dict(kinds.most_common()),
            dropped=dict(self.dropped),
            remarks=self._remarks,
        )

    @property
    def _remarks(self) -> tuple[Remark, ...]:
        """A remark on the row groups that were left out."""
        if not self.skipped:
            return ()
        what = f"{len(self.skipped)} row group(s) cannot be decoded and are left out"
        return (Remark(f"{what}: {'; '.join(self.skipped[:MOST_NAMED])}"),)

    def where(self, i: int, row: int) -> str:
        """Say for people where row `row` of part i is."""
        f, g = self.groups[i]
        return self.files[f].where(g, row)

    def read(self, i: int) -> Iterator[Piece]:
        """Yield the rows of part i.

        Raises
        ------
        DataError
            When the file has changed or is damaged, or a cell or a label is missing.
        """
        named = [feature.name for feature in self.features]
        more = [self.label, *([] if self.weights is None else [self.weights])]
        first = 0
        for table in self._tables(i, [*dict.fromkeys([*named, *more])]):
            yield self._piece(table, i, first)
            first += table.num_rows

    def labels(self, i: int) -> NDArray[np.int8]:
        """Return the labels of part i; only their column is read. Raises as `read`."""
        parts, first = [np.empty(0, np.int8)], 0
        for table in self._tables(i, [self.label]):
            parts.append(self._labels(table.column(self.label), i, first))
            first += table.num_rows
        return np.concatenate(parts)

    def _piece(self, table: Any, i: int, first: int) -> Piece:
        arrays = tuple(
            self._column(table.column(feature.name), feature, i, first) for feature in self.features
        )
        y = self._labels(table.column(self.label), i, first)
        weights = self._weights(table, i, first)
        X: Rows | Columns = Columns(arrays)
        if self.encoding is not None:
            self._refuse_gaps(arrays, i, first)
            X = self.encoding(rows(np.column_stack(arrays)))
        return Piece(X, y, weights, part=i, first=first)

    def _refuse_gaps(self, arrays: Sequence[Stored], i: int, first: int) -> None:
        """Refuse what is no finite number; an encoding would fill it as a missing cell."""
        for feature, array in zip(self.features, arrays, strict=True):
            if not (finite := np.isfinite(array)).all():
                row = int(np.argmin(finite))
                raise DataError(
                    f"{self.where(i, first + row)} has {array[row]} in {feature.name!r}; impute "
                    "it, or leave the rows or the column out"
                )

    def _column(self, values: Any, feature: Feature, i: int, first: int) -> Stored:
        """Return the numbers of a column, or its codes."""
        self._require_values(values, feature.name, i, first)
        if feature.kind == TEXT:
            assert self.encoding is not None
            return codes_of(values, feature.name, self.encoding.schema)
        if feature.kind == DATE:
            return dates_of(values)
        numbers = _flat(values)
        if numbers.dtype.kind in "iu" and numbers.dtype.itemsize == 8:
            require_exact(f"column {feature.name!r} from {self.where(i, first)} on", numbers)
        out: Stored = np.ascontiguousarray(numbers, feature.dtype)
        return out

    def _require_values(self, values: Any, name: str, i: int, first: int) -> None:
        if values.null_count:
            row = first + int(np.flatnonzero(values.is_null().to_numpy())[0])
            raise DataError(
                f"{self.where(i, row)} has no value in {name!r}; impute it, or leave the "
                "rows or the column out"
            )

    def _labels(self, values: Any, i: int, first: int) -> NDArray[np.int8]:
        """Return the classes of labels, -1 or 1; none is missing, as `_classes` has seen."""
        signs = dict.fromkeys(self.classes.negative, -1) | dict.fromkeys(self.classes.positive, 1)
        if kind_of_type(values.type) in (*CODED, OTHER):
            levels, at = distinct(values)
            y = np.array([signs.get(level, 0) for level in levels], np.int8)[at]
        else:  # four times as fast
            numbers, y = _flat(values), np.zeros(len(values), np.int8)
            for label, sign in signs.items():
                y += sign * (numbers == label).view(np.int8)
        if not y.all():
            row = int(np.flatnonzero(y == 0)[0])
            raise DataError(
                f"{self.where(i, first + row)} has the label {values[row].as_py()!r}, which is of "
                f"neither class ({self.understood.classes}); name it with positive or negative"
            )
        return y

    def _weights(self, table: Any, i: int, first: int) -> Vector | None:
        if self.weights is None:
            return None
        name = self.weights
        weights = self._column(table.column(name), Feature(name, "float64"), i, first)
        bad = np.flatnonzero(~((weights > 0) & np.isfinite(weights)))
        if bad.size:
            raise DataError(
                f"{self.where(i, first + int(bad[0]))} has the weight {weights[bad[0]]:g}; wanted "
                "a number above 0"
            )
        return weights.astype(np.float64, copy=False)

    def _tables(self, i: int, columns: list[str]) -> Iterator[Any]:
        """Yield columns of part i as tables of Arrow: one, or several of a large row group."""
        f, g = self.groups[i]
        file, count = self.files[f], self.files[f].rows[g]
        if not count:
            return
        large = sum(feature.dtype.itemsize for feature in self.features) * count > LARGEST
        with self._damaged(i), _opened(file, BUFFER if large else 0) as parquet:
            if not large:
                table = parquet.read_row_group(g, columns, use_threads=False)
                file.metadata()  # raises where it has changed meanwhile
                yield table
                return
            batches = parquet.iter_batches(PIECE, [g], columns, use_threads=False)
            for batch in batches:
                file.metadata()
                yield pyarrow().Table.from_batches([batch])

    @contextmanager
    def _damaged(self, i: int) -> Iterator[None]:
        """Turn what Arrow raises on damaged bytes into an error that says where they are."""
        f, g = self.groups[i]
        try:
            yield
        except (DataError, GeneratorExit, MemoryError):
            raise
        except Exception as error:
            self.files[f].metadata()
            raise DataError(
                f"{self.files[f].shown}: row group {g}, which begins at byte "
                f"{self.files[f].begin_of(g)}, cannot be decoded ({short_reason(error)}); write "
                "the file anew, or leave such row groups out with skip_bad (--skip-bad)"
            ) from error

    def _classes(self, asked: ReadOptions) -> Classes:
        """Return the classes of all labels that occur; only their column is read."""
        counts: Counter[Any] = Counter()
        for i in range(len(self.groups)):
            first = 0
            for table in self._tables(i, [self.label]):
                values = table.column(self.label)
                if values.null_count:
                    row = first + int(np.flatnonzero(values.is_null().to_numpy())[0])
                    raise DataError(
                        f"{self.where(i, row)} has no label; every row needs one, so leave such "
                        "rows out of the file, or name a label such as None with --positive or "
                        "--negative (in Python positive=, negative=)"
                    )
                counts += counts_of(values)
                first += len(values)
                if len(counts) > MOST_LABELS:
                    raise DataError(
                        f"column {self.label!r} has more than {MOST_LABELS} different values, "
                        "which are no labels; say which column holds the labels with --target "
                        "COLUMN (in Python target=)"
                    )
        gaps = MISSING.difference(MARKS, named_labels(asked)).intersection(map(str, counts))
        if gaps:
            raise DataError(
                f"the label is missing in {sum(counts[gap] for gap in gaps)} rows: the column "
                f"{self.label!r} has {min(gaps)!r}; if that is a label, name it with --positive or "
                "--negative (in Python positive=, negative=)"
            )
        some = np.array([*counts])
        positive, negative = (
            one if one == REST else as_labels(one, some) for one in (asked.positive, asked.negative)
        )
        classes = Classes.of(counts, positive, negative)
        if not (classes.positive and classes.negative):
            raise one_class(counts.total(), f"{next(iter(counts))!r} in column {self.label!r}")
        return classes

    def _with_encoding(self, asked: ReadOptions, head: Any) -> ParquetParts:
        """Return it with what columns of text and of dates hold, which one reading counts."""
        coded: dict[str, Texts | DateRange] = {
            feature.name: (Texts if feature.kind == TEXT else DateRange)(feature.name)
            for feature in self.features
            if feature.kind in CODED
        }
        for i in range(len(self.groups)):
            first = 0
            for table in self._tables(i, [*coded]):
                for name, column in coded.items():
                    values = table.column(name)
                    self._require_values(values, name, i, first)
                    column.add(values)
                first += table.num_rows
        names = [feature.name for feature in self.features]
        return replace(self, encoding=encoding_of(names, coded, head, self.n, asked.decimal))

    def _without_bad(self) -> ParquetParts:
        """Return it without the row groups that cannot be decoded."""
        columns = [*(feature.name for feature in self.features), self.label]
        columns += [] if self.weights is None else [self.weights]
        good, skipped = [], []
        for i, place in enumerate(self.groups):
            try:
                for table in self._tables(i, columns):
                    table.validate(full=True)
                good.append(place)
            except Exception as error:
                self.files[place[0]].metadata()
                skipped.append(str(error))
        return replace(self, groups=tuple(good), skipped=tuple(skipped))


def _features(
    kinds: dict[str, str], label: str, asked: ReadOptions, columns: Sequence[str | int] | None
) -> tuple[tuple[Feature, ...], tuple[tuple[str, str], ...], str | None]:
    """Return the columns that are features, those that are left out and why, and the weights."""
    names = [name for name in kinds if name != label]
    weights = None if asked.weights is None else names[column_at(asked.weights, names, len(names))]
    wanted = () if asked.drop == (NO_COLUMN,) else asked.drop
    dropped = {names[column_at(one, names, len(names))]: "as asked" for one in wanted}
    dropped |= {} if weights is None else {weights: "weights"}
    left = [name for name in names if name not in dropped]
    if columns is not None:
        left = [[*kinds][column_at(one, [*kinds], len(kinds))] for one in columns]
    if asked.text == "drop":
        dropped |= {name: "holds text" for name in left if kinds[name] == TEXT}
        left = [name for name in left if kinds[name] != TEXT]
    if odd := [name for name in left if kinds[name] == OTHER]:
        raise DataError(
            f"{len(odd)} column(s) hold neither numbers nor text nor dates, first {odd[0]!r}; "
            f"write them as numbers, or leave them out with drop={odd[0]!r} (--drop)"
        )
    if not left:
        raise DataError("no feature is left; give columns besides the labels")
    features = tuple(Feature(name, _stored(kinds[name])) for name in left)
    return features, tuple(dropped.items()), weights


def _stored(kind: str) -> str:
    """Return how a kind is read: float32 has small whole numbers exactly."""
    if kind in CODED:
        return kind
    single = np.dtype(kind) in SINGLE or kind == "float16"
    return "float32" if single else "float64"


def _flat(values: Any) -> NDArray[Any]:
    """Return a column of Arrow as an array, without a copy where its memory is one piece."""
    if values.num_chunks == 1:
        array: NDArray[Any] = values.chunk(0).to_numpy(zero_copy_only=False)
        return array
    whole: NDArray[Any] = values.to_numpy()
    return whole


@contextmanager
def _opened(file: Footer, buffer: int) -> Iterator[Any]:
    """Give a file that is the one that was opened; its pages are checked by their sums, if any."""
    arrow = pyarrow()
    metadata = file.metadata()
    with (
        arrow.OSFile(file.path) as content,
        arrow.parquet.ParquetFile(
            content,
            metadata=metadata,
            buffer_size=buffer,
            pre_buffer=False,
            page_checksum_verification=True,
        ) as parquet,
    ):
        yield parquet
