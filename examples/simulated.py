"""What the simulations beside this file share: shares with their errors, and named tables.

A simulation is a module `simulate_*.py` with a function `tables(effort)`, which returns tables by
the names of their files. `effort` scales the repetitions: 1 is what docs/statistics.md shows.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import TypeAlias

from aucbench.report.document import markdown
from aucbench.report.grid import Grid

Tables: TypeAlias = Mapping[str, Grid]
Simulation: TypeAlias = Callable[[float], Tables]


def repeated(count: int, effort: float) -> int:
    """Return how often something is drawn: at least ten times."""
    return max(10, round(count * effort))


def share(value: float, count: int) -> str:
    """Return a share of `count` independent tables with its Monte-Carlo standard error."""
    error = sqrt(max(value * (1.0 - value), 0.25 / count) / count)
    return f"{value:.3f} ± {error:.3f}".replace("0.", ".")


def mean(values: Sequence[float], digits: int = 1) -> str:
    """Return the mean of independent tables with its Monte-Carlo standard error."""
    middle = sum(values) / len(values)
    variance = sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)
    return f"{middle:.{digits}f} ± {sqrt(variance / len(values)):.{max(digits, 2)}f}"


def rate(values: Sequence[float]) -> str:
    """Return the mean of shares, one of each independent table, with its standard error."""
    return mean(values, 3).replace("0.", ".")


def print_tables(simulation: Simulation) -> None:
    """Print the tables of a simulation in Markdown; its effort may be given on the command line."""
    parser = ArgumentParser(description="Print tables in Markdown.")
    parser.add_argument("effort", nargs="?", type=float, default=1.0, help="1: as in the documents")
    for name, table in simulation(parser.parse_args().effort).items():
        sys.stdout.write(f"{name}\n\n{markdown([table])}\n\n")


def grid(header: Sequence[str], lines: Sequence[Sequence[str]], words: int = 1) -> Grid:
    """Return a table whose first columns, that many, are words."""
    return Grid(header, lines, numeric=range(words, len(header)))
