"""Twenty-five messy tables, and what becomes of each: it is understood, or refused in a sentence.

A table has 24 rows; `cells` returns those of row i. `SAID` is in the error of a table that is
refused, else in the lines that say what was understood.
"""

import re
from dataclasses import dataclass, field

import pytest

from aucbench.datasets import load
from aucbench.errors import DataError

ROWS = range(24)
COLORS = ("red", "blue", "green")
LABELS = ("yes", "Yes", "YES ", "maybe")
NOTE = "customer {} wrote a long letter about this"


def sick(i):
    return int(i % 4 == 0)


@dataclass(frozen=True)
class Messy:
    """A table, how it is read, and what is expected."""

    header: str
    cells: object
    said: str
    refused: bool = False
    options: dict = field(default_factory=dict)
    names: tuple = ()
    ending: str = ".csv"
    encoding: str = "utf-8"

    def write(self, folder):
        path = folder / f"messy{self.ending}"
        lines = [self.header, *map(self.cells, ROWS)]
        path.write_bytes(("\n".join(lines) + "\n").encode(self.encoding))
        return path


def refused(header, cells, said, **more):
    return Messy(header, cells, said, refused=True, **more)


BOTH = {"positive": ("yes", "Yes", "YES"), "negative": "maybe"}
TABLES = {
    "text columns": Messy(
        "age,color,buys",
        lambda i: f"{20 + i % 9},{COLORS[i % 3]},{'yes' if sick(i) else 'no'}",
        "positive 'yes', negative 'no'",
        names=("age", "color=blue", "color=green", "color=red"),
    ),
    "spelled labels": refused(
        "age,buys",
        lambda i: f"{i % 9},{LABELS[i % 4]}",
        r"'YES' \(6\), 'Yes' \(6\), 'maybe' \(6\), 'yes' \(6\); .*--positive YES,Yes,yes --neg",
        options={"positive": "yes", "target": "buys"},
    ),
    "spelled labels, both named": Messy(
        "age,buys",
        lambda i: f"{i % 9},{LABELS[i % 4]}",
        "negative 'maybe'",
        options={**BOTH, "target": "buys"},
        names=("age",),
    ),
    "a label that is neither": refused(
        "age,buys",
        lambda i: f"{i % 9},{LABELS[i % 4]}",
        r"neither positive nor negative is 'YES' \(6\), 'Yes' \(6\)",
        options={"positive": "yes", "negative": "maybe", "target": "buys"},
    ),
    "several columns with two values": refused(
        "age,sex,sick",
        lambda i: f"{i % 9},{i % 2},{sick(i)}",
        "any of the columns 'sex', 'sick', which have two values; say .*--target",
    ),
    "a named target": Messy(
        "age,sex,sick",
        lambda i: f"{i % 9},{i % 2},{sick(i)}",
        "label: column 'sick', as asked",
        options={"target": "sick"},
        names=("age", "sex"),
    ),
    "no column with two values": refused(
        "age,state", lambda i: f"{i % 9},{i % 5}", "no column has two values"
    ),
    "one class": refused(
        "age,y", lambda i: f"{i % 9},1", "all 24 labels are positive; give rows of both classes"
    ),
    "a missing label": refused(
        "age,y", lambda i: f"{i % 9},{'' if i == 2 else sick(i)}", "label is missing in line 4"
    ),
    "decimal commas": refused(
        "age;size;y",
        lambda i: f"{i % 9};{i % 5},5;{sick(i)}",
        "'0,5' in line 2, which looks like a number with the decimal mark",
    ),
    "decimal commas, as said": Messy(
        "age;size;y",
        lambda i: f"{i % 9};{i % 5},5;{sick(i)}",
        "positive '1', negative '0'",
        options={"decimal": ","},
        names=("age", "size"),
    ),
    "thousands": Messy(
        "income,y",
        lambda i: f'"{1 + i % 7},{200 + i}",{sick(i)}',
        "'1,200' is read as 1200",
        names=("income",),
    ),
    "missing cells": Messy(
        "age,size,y",
        lambda i: f"{i % 9},{'NA' if i == 3 else i % 5 + 0.5},{sick(i)}",
        "positive '1', negative '0'",
        names=("age", "size", "size is missing"),
    ),
    "dates": Messy(
        "age,when,y",
        lambda i: f"{i % 9},2024-0{1 + i % 9}-1{i % 9},{sick(i)}",
        "positive '1', negative '0'",
        names=("age", "when month", "when weekday", "when days"),
    ),
    "free text": refused(
        "age,note,y",
        lambda i: f"{i % 9},{NOTE.format(i)},{sick(i)}",
        "'note' holds free text.*--drop",
        options={"text": "refuse"},
    ),
    "free text, left out": Messy(
        "age,note,y",
        lambda i: f"{i % 9},{NOTE.format(i)},{sick(i)}",
        r"left out: note \(as asked\)",
        options={"drop": ["note"]},
        names=("age",),
    ),
    "a name twice": refused(
        "age,age,y", lambda i: f"{i % 9},{i % 5},{sick(i)}", "columns 1 and 2 have the same name"
    ),
    "a cell too many": refused(
        "age,size,y",
        lambda i: f"{i % 9},{i % 5}{',1' if i == 5 else ''},{sick(i)}",
        "line 7 has 4 cells",
    ),
    "infinite numbers": refused(
        "age,size,y",
        lambda i: f"{i % 9},{'inf' if i == 5 else i % 5},{sick(i)}",
        "'size' has an infinite number, in line 7",
    ),
    "another encoding": refused(
        "age,town,y",
        lambda i: f"{i % 9},caf\u00e9 {i % 3},{sick(i)}",
        "line 2 is not UTF-8 text.*iconv",
        encoding="latin-1",
    ),
    "tabs": Messy(
        "age\tsize\ty",
        lambda i: f"{i % 9}\t{i % 5}\t{sick(i)}",
        "column 'y', which has the name",
        ending=".tsv",
        names=("age", "size"),
    ),
    "a column that knows the label": Messy(
        "age,paid,y",
        lambda i: f"{i % 9},{5 * sick(i) + i % 3},{sick(i)}",
        "column 'paid' is suspicious: tells the label alone, with an AUC of 1.000",
        names=("age", "paid"),
    ),
}


def test_there_are_twenty_two_tables():
    assert len(TABLES) == 22


@pytest.mark.parametrize("name", TABLES)
def test_a_messy_table_is_understood_or_refused(name, tmp_path):
    table = TABLES[name]
    path = table.write(tmp_path)
    if table.refused:
        with pytest.raises(DataError, match=table.said) as caught:
            load(path, **table.options)
        assert "messy" in str(caught.value)
        return
    data = load(path, **table.options)
    lines = "\n".join(data.understood.lines())
    assert data.n == len(ROWS)
    assert re.search(table.said, lines), lines
    assert (data.encoded() if data.schema else data).names == table.names
