"""What one column of a table is, and its codes: read from a column of a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.datasets.tables import cells
from aucbench.datasets.tables.texts import Texts, frequent, unpacked
from aucbench.errors import DataError
from aucbench.stats.vectors import numeric

NEARLY = 0.95  # share of cells that is taken for all, so that the others are mistakes
FEW = 20  # distinct texts that may be categories, however long they are
WORDS = 3  # words of a text, on average, from which it is free text
UNSEEN = -1.0  # the code of a level that the schema does not have
MOST_WORDS = 3  # different texts without a digit that stand for a missing number or date
MOST_UNITS = 3  # of numbers in a column, which are categories if there are several
SAMPLE = 5  # texts whose formats of dates are tried on all texts
LEVEL = "level"  # name of the index where cells are different texts, whose rows are not known
LINE = "line"  # name of the index of a frame whose rows know their line in the file


@dataclass(frozen=True, slots=True)
class Column:
    """What one column of a table is."""

    name: str
    kind: str  # "numeric", "boolean", "category", "date" or "text"
    # of a category, sorted; the code of a cell is the place of its text
    levels: tuple[str, ...] = ()
    format: str = ""  # the format of dates that are text: that of `datetime.strptime`, or "ISO8601"
    distinct: int = 0  # number of different values, without missing ones
    missing: float = 0.0  # share of the cells that are missing
    # of a category: share of the cells whose level no other cell has; about so many new cells have
    # a new level (Good & Turing)
    single: float = 0.0
    gaps: tuple[str, ...] = ()  # cells that mean a missing one, see `cells.mark_missing`
    unit: str = ""  # of numbers that are text, see `cells.units`
    kept: tuple[str, ...] = ()  # texts such as NA that mean no missing cell
    texts: str = ""  # of free text: the `Texts` of the table at hand, packed
    ngrams: tuple[str, ...] = ()  # of free text: frequent words and pairs of words
    buckets: tuple[int, ...] = ()  # their places by their hashes
    remark: str = ""  # how a cell was understood that could be understood in another way

    @property
    def word(self) -> str:
        """What a cell is, for people."""
        return {"numeric": "number", "boolean": "truth value"}.get(self.kind, self.kind)


LATER = ("single", "gaps", "unit", "kept", "texts", "ngrams", "buckets")  # empty: not in JSON


@dataclass(frozen=True, slots=True, eq=False)
class RawColumn:
    """A column of a frame: what pandas holds as numbers, or distinct texts."""

    name: str
    series: Any
    # (n,) numbers, truth values as 0 and 1, dates as seconds since 1970; NaN where one is missing
    values: Vector | None
    texts: Sequence[str] = ()  # without `values`: the distinct texts
    # (n,) without `values`: the number of the text of each cell, or -1 where one is missing
    at: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    kept: tuple[str, ...] = ()  # texts such as NA that mean no missing cell

    @staticmethod
    def of(series: Any, name: str, kept: tuple[str, ...] = ()) -> RawColumn:
        """Read a column."""
        kind = getattr(series.dtype, "kind", "O")
        if kind in "cmV":
            raise DataError(
                f"column {name!r} has the type {series.dtype}; turn it into numbers, or drop it"
            )
        if kind in "Mbiuf":
            date = kind == "M"
            values = cells.seconds(series) if date else series.to_numpy(np.float64, na_value=np.nan)
            raw = RawColumn(name, series, values)
            what = "a date outside of the years 1 to 9999" if date else "an infinite number"
            raw._refuse(np.isinf(values), what)
            return raw
        try:
            return RawColumn(name, series, None, *cells.distinct_cells(series, kept), kept)
        except TypeError as error:  # pandas compares the cells by their hashes
            raise DataError(
                f"column {name!r} has cells that are no single values ({error}); drop it"
            ) from error

    def column(self, decimal: str, text: str = "refuse") -> Column | str:
        """Return what the column is, or the reason to drop it.

        `text` says what becomes of free text, as in `ReadOptions`.
        """
        missing = float(np.mean(self._missing))
        if missing == 1.0:
            return "has no value"
        kind, more = self.kind_of_cells(decimal)
        words = more.get("gaps", ())
        missing += float(np.mean(self._marked(np.isin(self.texts, words)))) if words else 0.0
        distinct = len(self.texts) if self.values is None else int(self.series.nunique())
        distinct -= len(words)
        if kind == "category":
            if distinct == 1 and not missing:
                return "has one value"
            if self._is_prose():
                if text == "refuse":
                    raise self._prose()
                if text == "drop":
                    return "holds free text"
                kind, more = "text", self._hashed()
            elif distinct > FEW and distinct >= NEARLY * self._present:
                return "has another text in nearly each row"
            else:
                more["levels"] = tuple(sorted(self.texts))
                alone = np.bincount(self.at[self.at >= 0]) == 1
                more["single"] = float(np.count_nonzero(alone) / self.at.size)
        more |= {"distinct": distinct, "missing": missing, "kept": self.kept}
        return Column(self.name, kind, **more)

    def _hashed(self) -> dict[str, Any]:
        """Return what a column of free text keeps of its texts."""
        ngrams, texts = frequent(self.texts), Texts.of(self.texts).packed()
        return {"texts": texts, "ngrams": tuple(ngrams.values()), "buckets": tuple(ngrams)}

    def codes(self, column: Column, decimal: str) -> Vector:
        """Return the codes of the cells, shape (n,)."""
        if column.kind == "text":
            raw = self._as_text()
            return raw._each(unpacked(column.texts).places(raw.texts, UNSEEN))
        if self.values is not None:
            if self.series.dtype.kind in "iu":
                numeric(f"column {self.name!r}", self.series.fillna(0).to_numpy())
            return self._codes_of_values(self.values, column)
        if column.kind == "category":
            number = {text: float(k) for k, text in enumerate(column.levels)}
            return self._each([number.get(text, UNSEEN) for text in self.texts])
        table = {
            "numeric": lambda: cells.numbers(self.texts, decimal, column.unit),
            "boolean": lambda: cells.truths(self.texts),
            "date": lambda: cells.dates(self.texts, column.format or cells.ISO),
        }[column.kind]()
        if (bad := np.isnan(table)).any():
            wanted = f"a {column.word}" + (f" of the format {column.format}" * bool(column.format))
            wanted += f" of the unit {column.unit!r}" * bool(column.unit)
            self._refuse(self._marked(bad), f"{self._first(bad)!r}, which is not {wanted}")
        return self._each(table)

    def bound(self, column: Column) -> Column:
        """Return the column with the texts of this table, if it is one of free text."""
        if column.kind != "text":
            return column
        return replace(column, texts=Texts.of(self._as_text().texts).packed())

    def _as_text(self) -> RawColumn:
        """Return the column with distinct texts, also of cells that pandas holds as numbers."""
        if self.values is None:
            return self
        return RawColumn(self.name, self.series, None, *cells.distinct_cells(self.series))

    @property
    def kind(self) -> str:
        """What pandas holds: "numeric", "boolean", "date" or "text"."""
        if self.values is None:
            return "text"
        return {"b": "boolean", "M": "date"}.get(self.series.dtype.kind, "numeric")

    @property
    def _missing(self) -> NDArray[np.bool_]:
        return self.at < 0 if self.values is None else np.isnan(self.values)

    @property
    def _present(self) -> int:
        return int(np.count_nonzero(~self._missing))

    def _each(self, table: Sequence[float] | Vector) -> Vector:
        """Return the number of each cell from that of each text; a missing cell is NaN."""
        return np.append(table, np.nan)[self.at]

    def _marked(self, texts: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which cells hold one of the marked texts."""
        return np.append(texts, np.False_)[self.at]

    def _first(self, texts: NDArray[np.bool_]) -> str:
        return self.texts[int(np.flatnonzero(texts)[0])]

    def kind_of_cells(self, decimal: str) -> tuple[str, dict[str, Any]]:
        """Return the kind of the column, and further fields of a `Column`."""
        if self.values is not None:
            return self.kind, {}
        if self.series.dtype == "category":
            return "category", {}
        if cells.are_truths(self.texts):
            return "boolean", {}
        if cells.are_codes(self.texts):
            return "category", {"remark": self._remark_on_codes()}
        if known := self._without_words(decimal) or self._numeric(decimal):
            return known
        if form := self._date_format():
            return "date", form
        return "category", {"remark": self._remark_on_numbers(decimal)}

    def _without_words(self, decimal: str) -> tuple[str, dict[str, Any]] | None:
        """Return what a column of numbers or dates is in which a few words mean a missing cell.

        These are at most `MOST_WORDS` texts without a digit, in at most half of the cells.
        """
        is_word = np.array([not any(map(str.isdigit, text)) for text in self.texts], np.bool_)
        words = [text for text, meant in zip(self.texts, is_word, strict=True) if meant]
        count = int(np.count_nonzero(marked := self._marked(is_word)))
        if not 0 < len(words) <= MOST_WORDS or count > self._present / 2:
            return None
        if any(word in self.kept for word in words):
            return None
        places = np.append(np.where(is_word, -1, np.cumsum(~is_word) - 1), -1)
        others = [text for text in self.texts if text not in words]
        rest = RawColumn(self.name, self.series, None, others, places[self.at])
        kind, more = rest.kind_of_cells(decimal)
        if kind not in ("numeric", "date"):
            return None
        read = (
            f"column {self.name!r} holds {kind} cells and {' and '.join(map(repr, words))}, first "
            f"in {self._place(marked)}; {count} such cell(s) are read as missing"
        )
        remark = "; ".join(filter(None, [read, more.get("remark")]))
        return kind, {**more, "gaps": tuple(words), "remark": remark}

    def _numeric(self, decimal: str) -> tuple[str, dict[str, Any]] | None:
        """Return that the column holds numbers of one unit; None if it holds other texts.

        Raises
        ------
        DataError
            When nearly all texts are numbers, or all are with other signs or marks.
        """
        units = cells.units(self.texts)
        unit = next(iter(units), "")
        strange = np.isnan(cells.numbers(self.texts, decimal, unit))
        if len(units) <= 1 and not strange.any():
            long = cells.rounded(self.texts)
            what = "which float64 rounds, so that different cells become equal"
            self._refuse(self._marked(long), f"{self._first(long)}, {what}" if long.any() else "")
            return "numeric", {"unit": unit, "remark": self._remark_on_reading(unit, decimal)}
        bad = np.isnan(cells.numbers(self.texts, decimal))
        if not bad.any():
            first, second = [*units.values()][:2]
            raise DataError(
                f"column {self.name!r} has {first!r} and {second!r}, which are not of one unit; "
                f"write all in one, or leave the column out with drop={self.name!r} (--drop)"
            )
        other = cells.other_mark(decimal)
        if strange.any() and not np.isnan(cells.numbers(self.texts, other, unit)).any():
            raise DataError(
                f"column {self.name!r} has {self._first(bad)!r} in {self._place(self._marked(bad))}"
                f", which looks like a number with the decimal mark {other!r}; say "
                f"decimal={other!r} (--decimal) if it is one, or drop the column"
            )
        self._refuse_few(bad, "a number")
        return None

    def _remark_on_codes(self) -> str:
        code = next(text for text in self.texts if text[0] == "0" and len(text) > 1)
        return (
            f"column {self.name!r} holds digits with leading zeros, such as {code}, and is read as "
            "categories; write numbers without them"
        )

    def _remark_on_reading(self, unit: str, decimal: str) -> str:
        """Return how numbers were read that could be read in another way, or an empty text."""
        texts = [text for text in self.texts if text.startswith("(")][:1]
        if unit.strip(cells.UNITS):
            texts.append(self.texts[0])
        values = cells.numbers(texts, decimal, unit)
        read = [f"{text!r} is read as {v:.15g}" for text, v in zip(texts, values, strict=True)]
        if text := cells.readable_twice(self.texts, decimal):
            value, other = cells.numbers([text], decimal)[0], cells.other_mark(decimal)
            way = f"if it has decimals, say decimal={other!r}"
            read.append(f"{text!r} is read as {value:.0f}; {way}")
        return f"column {self.name!r}: {' and '.join(read)}" if read else ""

    def _remark_on_numbers(self, decimal: str) -> str:
        units = cells.units(self.texts)
        if "" not in units and 1 < len(units) <= MOST_UNITS:
            of_one = [cells.numbers(self.texts, decimal, unit) for unit in units]
            if not np.isnan(np.fmax.reduce(of_one)).any():
                first, second = [*units.values()][:2]
                return (
                    f"column {self.name!r} holds numbers of several units, such as {first!r} and "
                    f"{second!r}, so that it is read as categories"
                )
        text = np.isnan(cells.numbers(self.texts, decimal))
        count = np.count_nonzero(self._marked(text))
        if count > self._present / 2:
            return ""
        return (
            f"column {self.name!r} holds numbers and {count} text(s), first "
            f"{self._first(text)!r} in {self._place(self._marked(text))}, so that it is read as "
            "categories"
        )

    def _date_format(self) -> dict[str, Any]:
        """Return the format in which all texts are dates, and a remark if another one fits too."""
        forms = [form for text in self.texts[:SAMPLE] for form in cells.date_formats(text)]
        read = {form: np.isnan(cells.dates(self.texts, form)) for form in dict.fromkeys(forms)}
        fitting = [form for form, bad in read.items() if not bad.any()]
        if not read or fitting:
            remark = (
                f"column {self.name!r}: in {self.texts[0]!r} the month comes first, though it "
                "could be the day; write dates as 2020-12-31 to be sure"
            )
            more = {"remark": remark} if len(fitting) > 1 else {}
            return {"format": fitting[0], **more} if fitting else {}
        bad = np.logical_and.reduce([*read.values()])
        self._refuse_few(bad, "a date of a known format")
        if not bad.any():
            raise DataError(
                f"column {self.name!r} holds dates of several formats, such as "
                f"{self.texts[0]!r} and {self._first(read[forms[0]])!r}; write them as 2020-12-31, "
                f"or leave the column out with drop={self.name!r} (--drop)"
            )
        return {}

    def _refuse_few(self, bad: NDArray[np.bool_], wanted: str) -> None:
        """Refuse the marked texts if nearly all other cells are what is wanted."""
        wrong = self._marked(bad)
        if np.count_nonzero(wrong) <= (1 - NEARLY) * self._present:
            text = self._first(bad) if any(bad) else ""
            cell = f"{self.name}={text}"
            way_out = f"correct it, read it as missing with missing={cell!r} (--missing)"
            self._refuse(wrong, f"{text!r}, which is not {wanted}", way_out)

    @property
    def words(self) -> float:
        """Mean number of words of a different text."""
        return sum(len(text.split()) for text in self.texts) / max(len(self.texts), 1)

    def _is_prose(self) -> bool:
        return self.words >= WORDS and len(self.texts) > max(FEW, self._present / 2)

    def _prose(self) -> DataError:
        return DataError(
            f"column {self.name!r} holds free text: {len(self.texts)} different texts of "
            f"{self.words:.0f} words on average; read it as hashed words with text='hash' "
            f"(--text hash), or leave it out with drop={self.name!r} (--drop)"
        )

    def _refuse(self, wrong: NDArray[np.bool_], what: str, way_out: str = "correct it") -> None:
        """Raise `DataError` if a cell is marked as wrong."""
        if count := int(np.count_nonzero(wrong)):
            cells = "different text(s)" if self.series.index.name == LEVEL else "such cell(s)"
            raise DataError(
                f"column {self.name!r} has {what}, in {self._place(wrong)} ({count} {cells} of "
                f"{wrong.size}); {way_out}, or leave the column out with drop={self.name!r} "
                "(--drop)"
            )

    def _place(self, wrong: NDArray[np.bool_]) -> str:
        """Return where the first marked cell is."""
        i, index = int(np.flatnonzero(wrong)[0]), self.series.index
        if index.name == LEVEL:
            return "some row"
        return f"line {index[i]}" if index.name == LINE else f"row {i}"

    def _codes_of_values(self, values: Vector, column: Column) -> Vector:
        present = ~np.isnan(values)
        if column.kind == "category":
            return _codes_of_numbers(values, column)
        if present.any() and (column.kind == "date") != (self.series.dtype.kind == "M"):
            raise DataError(
                f"column {self.name!r} holds {self.kind} values, wanted the kind "
                f"{column.kind} as in the first table"
            )
        if column.kind == "boolean":
            self._refuse(present & (values != 0) & (values != 1), "a number other than 0 and 1")
        return values


def _codes_of_numbers(values: Vector, column: Column) -> Vector:
    """Return the levels of numbers; other readers take texts such as 01 for the number 1."""
    levels = cells.numbers(column.levels, ".")
    codes_first = sorted(range(levels.size), key=lambda k: not cells.are_codes([column.levels[k]]))
    number = {levels[k]: float(k) for k in codes_first if np.isfinite(levels[k])}  # 123 before 0123
    known, at = np.unique(values, return_inverse=True)
    table = [np.nan if np.isnan(value) else number.get(value, UNSEEN) for value in known]
    return np.array(table)[at]
