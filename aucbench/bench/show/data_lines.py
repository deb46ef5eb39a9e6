"""What is known of a data set, in lines for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aucbench.bench.text import shown
from aucbench.data.understood import Understood
from aucbench.hookspecs import hookimpl
from aucbench.registry.specs import short


class DataLines:
    """Writes what was understood of each data set, before the first cell; a listener."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    @hookimpl
    def aucbench_data_read(self, dataset: str, about: Mapping[str, Any]) -> None:
        """Write the lines of a data set."""
        for line in data_lines(dataset, about):
            self._write(shown(line))


def data_lines(dataset: str, about: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sizes of a data set, its label column, classes, left-out columns and warnings."""
    understood = Understood.from_json(about["understood"])
    kinds = f" ({understood.features})" if len(understood.kinds) > 1 else ""
    yield f"{short(dataset)}: {about['n']} x {about['d']}{kinds}, {_target(about)}"
    yield from (f"  {line}" for line in understood.lines())


def _target(about: Mapping[str, Any]) -> str:
    if "n_pos" in about:
        share = f"{about['n_pos'] / about['n']:.2%} positive"
    else:
        share = f"{about['breakpoints']} breakpoints"
    return share + (f", {about['dropped']} columns left out" if about["dropped"] else "")
