"""Laws of what plugins do with finished results: report sections and exporters.

Both are functions of the rows of a results folder.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.bench.isolated.exchange import contents_of, plain_section
from aucbench.bench.results.export import require_file_names
from aucbench.bench.results.record import Record
from aucbench.errors import PluginError
from aucbench.testing.laws import LawBroken, Laws, require
from aucbench.testing.results import records, rows, sampled
from aucbench.testing.traces import require_nothing_left

sections, exporters = Laws("report_sections"), Laws("exporters")


def section_of(f: Any, known: list[Record], name: str = "rows") -> dict[str, Any]:
    """Return the plain values of the section of these records."""
    try:
        return plain_section(f(rows(known)))
    except PluginError as error:
        raise LawBroken(f"{name}: {error}") from error


def files_of(f: Any, known: list[Record], name: str = "rows") -> dict[str, bytes]:
    """Return the contents of files that an exporter makes of these records."""
    try:
        contents = contents_of(f(rows(known)))
        require_file_names(contents, "it")
    except PluginError as error:
        raise LawBroken(f"{name}: {error}") from error
    return contents


@sections("exact")
def returns_a_section(f: Any) -> None:
    """It returns a `Section`: of all rows, of a single one, and where every cell has failed.

    A cell that has failed has None in place of most numbers.
    """
    for name, known in sampled():
        section_of(f, known, name)


@exporters("exact")
def returns_contents(f: Any) -> None:
    """It returns the content of one file, or of several by name.

    It does so for all rows, for a single one, and where every cell has failed. Such a cell has None
    in place of most numbers. A name leads into no other folder.
    """
    for name, known in sampled():
        files_of(f, known, name)


for _laws, _result_of in ((sections, section_of), (exporters, files_of)):

    @_laws("exact")
    def leaves_nothing(f: Any, result_of: Any = _result_of) -> None:
        """It leaves nothing behind: no thread, process, file or changed setting; it prints nothing.

        aucbench writes the files of an exporter, completely or not at all.
        """
        known = records()
        require_nothing_left(lambda: result_of(f, known))

    @_laws("exact")
    def repeatable(f: Any, result_of: Any = _result_of) -> None:
        """The same rows give the same, so that a report, or files of two runs, can be compared.

        Archives hold times, unless they are told not to.
        """
        for name, known in sampled():
            require(result_of(f, known) == result_of(f, known), f"{name}: two calls differ")


@sections("exact")
def order_of_rows(f: Any) -> None:
    """The order of the rows does not matter. They come by their ids, which are hashes.

    So another version of a solver comes in another place.
    """
    known = records()
    order = np.random.default_rng(3).permutation(len(known))
    require(
        section_of(f, [known[i] for i in order]) == section_of(f, known),
        "shuffled rows give another section; sort what it shows",
    )
