"""Tables in memory: data frames of pandas and polars, tables of pyarrow, and others like them.

They are read as a Parquet file is, so that a table has the same rows, features and warnings in a
file and in memory. All but those of pandas hand their columns over as Arrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aucbench.datasets import arrow
from aucbench.datasets.catalogue import NOT_KNOWN, Entry
from aucbench.datasets.formats import Wanted
from aucbench.datasets.table import Table, frame_table
from aucbench.datasets.textfile import refuse_twins
from aucbench.errors import DataError

STREAM = "__arrow_c_stream__"  # how other libraries hand over a table


def is_table(one: Any) -> bool:
    """Return whether an object is a table with columns: of pandas, polars, pyarrow or their kin."""
    return (hasattr(one, "iloc") or hasattr(one, STREAM)) and hasattr(one, "columns")


def frame_of(table: Any) -> Any:
    """Return a table as a data frame of pandas whose columns have texts as names.

    Raises
    ------
    DataError
        When it has cells that are no single values, or a column name twice.
    MissingExtraError
        When it is no frame of pandas, and pyarrow is not installed.
    """
    if hasattr(table, "iloc"):
        names = [*map(str, table.columns)]
        refuse_twins(names)
        return table.set_axis(names, axis=1)
    library = arrow.pyarrow("reading a table that is no data frame of pandas")
    try:
        columns = library.table(table)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise DataError(
            f"the table cannot be read ({error}); turn it into a data frame of pandas"
        ) from error
    return arrow.frame_of_table(columns)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A table in memory, as a source of rows."""

    frame: Any  # of pandas
    what: str = "the table"
    entry: Entry = NOT_KNOWN

    def __str__(self) -> str:
        return self.what

    def table(self, wanted: Wanted) -> Table:
        """Divide it into features and labels."""
        if wanted.separator is not None:
            raise DataError(
                f"separator={wanted.separator!r} is for text files with cells; leave it out"
            )
        frame = self.frame.reset_index(drop=True)
        return frame_table(frame, wanted, named=True)
