"""Laws of report sections: functions of the rows of a results folder."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucbench.bench.isolated.exchange import plain_section
from aucbench.bench.results.record import Record
from aucbench.errors import PluginError
from aucbench.testing.laws import LawBroken, Laws, require
from aucbench.testing.results import records, rows, sampled
from aucbench.testing.traces import require_nothing_left

laws = Laws("report_sections")


def made(f: Any, known: list[Record], name: str = "rows") -> dict[str, Any]:
    """Return the plain values of the section of these records."""
    try:
        return plain_section(f(rows(known)))
    except PluginError as error:
        raise LawBroken(f"{name}: {error}") from error


@laws("exact")
def returns_a_section(f: Any) -> None:
    """It returns a `Section`: of all rows, of a single one, and where every cell has failed.

    A cell that has failed has None in place of most numbers.
    """
    for name, known in sampled():
        made(f, known, name)


@laws("exact")
def leaves_nothing(f: Any) -> None:
    """It leaves nothing behind: no thread, process, file or changed setting, and prints nothing."""
    known = records()
    require_nothing_left(lambda: made(f, known))


@laws("exact")
def repeatable(f: Any) -> None:
    """The same rows give the same section, so that a report can be made again."""
    for name, known in sampled():
        require(made(f, known) == made(f, known), f"{name}: two calls differ")


@laws("exact")
def order_of_rows(f: Any) -> None:
    """The order of the rows does not matter. They come by their ids, which are hashes.

    So another version of a solver comes in another place.
    """
    known = records()
    order = np.random.default_rng(3).permutation(len(known))
    require(
        made(f, [known[i] for i in order]) == made(f, known),
        "shuffled rows give another section; sort what it shows",
    )
