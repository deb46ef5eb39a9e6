"""Records as one flat table: CSV, Parquet or JSON.

Each entry of an inner object has its own column, such as `parameters.k`. A backslash escapes a
dot or a backslash of a key. Lists, such as the curve, are JSON text in CSV and Parquet.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

from aucbench.bench.cell import Cell
from aucbench.bench.results.convergence import Optima, flat_row
from aucbench.bench.results.record import Record
from aucbench.errors import MissingExtraError, ParameterError
from aucbench.store.files import format_csv_text, not_writable, own_file, require_writable

INT64 = range(-(2**63), 2**63)

Row = dict[str, Any]
Columns = Mapping[str, Sequence[Any]]


def export(records: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Write the records to `path`, in the format that its ending names; return their number.

    In a CSV file each text is on one line, and characters that cannot be printed are escaped. A
    text that a spreadsheet would run as a formula (it starts with = + - @) gets an apostrophe in
    front. A column of a Parquet file with values of several types holds JSON text.
    """
    write = FORMATS.get(path.suffix.lower())
    if write is None:
        raise ParameterError(
            f"cannot export to {path}: its ending is {path.suffix!r}; let it end in "
            f"{', '.join(FORMATS)}"
        )
    if write is _write_parquet and find_spec("pyarrow") is None:
        raise MissingExtraError("an export to Parquet", "parquet")
    require_writable(path)
    try:
        rows = [flat(record) for record in records]
        names = ["id", *sorted(set().union(*rows) - {"id"})]
        columns = {name: [row.get(name) for row in rows] for name in names}
        with own_file(path) as file:
            write(columns, file)
    except OSError as error:
        raise not_writable(path, error) from error
    return len(rows)


def table_rows(
    records: Callable[[], Iterable[Record]],
    wanted: Mapping[Cell, str],
    *,
    interim: bool | None = None,
) -> Iterator[Row]:
    """Yield the flat rows of records; the column `stale` says whether a record still counts.

    The column `interim` says whether the run has not ended; None: it is not known.

    `records` is called twice, since rows are judged beside each other; stale ones judge no others.
    `wanted` has the present ids of cells. A record of such a cell is stale if it has another id; of
    any other cell nothing is said.
    """

    def stale(record: Record) -> bool | None:
        known = wanted.get(record.cell)
        return None if known is None else known != record.id

    optima = Optima(record for record in records() if not stale(record))
    for record in records():
        yield {"stale": stale(record), "interim": interim, **flat_row(record, optima)}


def write_list(rows: Iterable[Row], path: Path) -> None:
    """Write rows to a JSON file as a list, complete or not at all."""
    with own_file(path) as file:
        file.write(_json_list(rows))


def flat(record: Mapping[str, Any]) -> Row:
    """Return the record with its inner objects spread over dotted keys."""
    row = {}
    for key, value in record.items():
        name = key.replace("\\", "\\\\").replace(".", "\\.")
        if isinstance(value, dict):
            row.update({f"{name}.{inner}": v for inner, v in flat(value).items()})
        else:
            row[name] = value
    return row


def _type(value: Any) -> str:
    if value is None:
        return "null"
    if type(value) is int:
        return "int" if value in INT64 else "json"
    return {bool: "bool", float: "float", str: "str"}.get(type(value), "json")


def _kind(values: Sequence[Any]) -> str:
    """Return the type of a column: one of `_type`, and JSON text where there are several."""
    types = {_type(value) for value in values} - {"null"}
    if types == {"int", "float"}:
        return "float"
    return types.pop() if len(types) == 1 else "json" if types else "null"


def _write_csv(columns: Columns, file: BinaryIO) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow([format_csv_text(name) for name in columns])
    table.writerows([_csv(value) for value in row] for row in zip(*columns.values(), strict=True))
    text.detach()


def _csv(value: Any) -> str:
    if value is None:
        return ""
    return format_csv_text(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def _write_json(columns: Columns, file: BinaryIO) -> None:
    rows = zip(*columns.values(), strict=True)
    file.write(_json_list(dict(zip(columns, row, strict=True)) for row in rows))


def _json_list(rows: Iterable[Row]) -> bytes:
    """Return a list with a line for each row."""
    lines = ",\n".join(json.dumps(row, allow_nan=False) for row in rows)
    return (f"[\n{lines}\n]\n" if lines else "[]\n").encode("ascii")


def _write_parquet(columns: Columns, file: BinaryIO) -> None:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    types = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "null": pa.null()}
    kinds = [_kind(values) for values in columns.values()]
    arrays = [
        pa.array([_parquet(value, kind) for value in values], types.get(kind, pa.string()))
        for kind, values in zip(kinds, columns.values(), strict=True)
    ]
    write_table(pa.table(arrays, names=[*map(_valid, columns)]), file)


def _parquet(value: Any, kind: str) -> Any:
    if value is None or kind in ("bool", "int"):
        return value
    if kind == "float":
        return float(value)
    return _valid(value) if kind == "str" else json.dumps(value, allow_nan=False)


def _valid(text: str) -> str:
    """`text` with surrogates, which UTF-8 cannot hold, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


FORMATS = {".csv": _write_csv, ".parquet": _write_parquet, ".json": _write_json}
