"""Laws of exporters: functions of the rows of a results folder that return contents of files."""

from __future__ import annotations

from typing import Any

from aucbench.bench.isolated.exchange import contents_of
from aucbench.bench.results.export import require_file_names
from aucbench.bench.results.record import Record
from aucbench.errors import PluginError
from aucbench.testing.laws import LawBroken, Laws, require
from aucbench.testing.results import records, rows, sampled
from aucbench.testing.traces import require_nothing_left

laws = Laws("exporters")


def made(f: Any, known: list[Record], name: str = "rows") -> dict[str, bytes]:
    """Return the contents of files that it makes of these records."""
    try:
        contents = contents_of(f(rows(known)))
        require_file_names(contents, "it")
    except PluginError as error:
        raise LawBroken(f"{name}: {error}") from error
    return contents


@laws("exact")
def returns_contents(f: Any) -> None:
    """It returns the content of one file, or of several by name.

    It does so for all rows, for a single one, and where every cell has failed. Such a cell has None
    in place of most numbers. A name leads into no other folder.
    """
    for name, known in sampled():
        made(f, known, name)


@laws("exact")
def leaves_nothing(f: Any) -> None:
    """It leaves nothing behind: no thread, process, file or changed setting, and prints nothing.

    aucbench writes the files, completely or not at all.
    """
    known = records()
    require_nothing_left(lambda: made(f, known))


@laws("exact")
def repeatable(f: Any) -> None:
    """The same rows give the same bytes, so that files of two runs can be compared.

    Archives hold times, unless they are told not to.
    """
    for name, known in sampled():
        require(made(f, known) == made(f, known), f"{name}: two calls differ")
