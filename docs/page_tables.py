"""Read the tables and code blocks of a page, so that figures and tests use what stands there."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

NUMBER = re.compile(r"-?\d(?:[\d ]*\d)?(?:\.\d+)?(?:e-?\d+)?")


class Table(NamedTuple):
    """A table of a page; cells are the text between two bars."""

    header: list[str]
    rows: list[list[str]]

    def text(self, column: int) -> list[str]:
        """Return a column without the marks of code."""
        return [row[column].replace("`", "") for row in self.rows]

    def numbers(self, column: int, place: int = 0) -> np.ndarray:
        """Return the number at a place of each cell of a column; NaN where there is none."""
        found = [numbers_in(row[column]) for row in self.rows]
        return np.array([each[place] if len(each) > place else np.nan for each in found])


def numbers_in(cell: str) -> list[float]:
    """Return the numbers of a cell; a space between digits groups them."""
    plain = cell.replace("−", "-").replace("–", " – ").replace(" ", " ")
    return [float(found.replace(" ", "")) for found in NUMBER.findall(plain)]


def tables(page: str) -> list[Table]:
    """Return the tables of a page in their order."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", page + "\n", re.MULTILINE):
        lines = [re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in block.splitlines()]
        header, _, *rows = [[cell.strip() for cell in line] for line in lines]
        found.append(Table(header, rows))
    return found


def table(page: str, heading: str) -> Table:
    """Return the one table of a page with a heading that begins with a text."""
    [found] = [t for t in tables(page) if any(name.startswith(heading) for name in t.header)]
    return found


def code(page: str, holding: str) -> str:
    """Return the one Python block of a page that holds a text."""
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    [found] = [block for block in blocks if holding in block]
    return str(found)
