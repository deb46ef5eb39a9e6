"""The rows of descents that a folder holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from aucbench.papers.results import Results

Row = Mapping[str, Any]


def rows_in(results: Results, names: Iterable[str]) -> list[Row]:
    """Return the rows of the measurements of these names that have a result."""
    known = results.documents
    return [row for name in names if name in known for row in known[name]["rows"]]
