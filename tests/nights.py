"""Which of the values of a parameter each change tries, and which only the night."""

import pytest
from _pytest.mark import ParameterSet

NIGHTLY = pytest.mark.nightly


def first(values, count=1):
    """`count` values for each change, and the others for the night."""
    values = [*values]
    return [*values[:count], *(pytest.param(v, marks=NIGHTLY) for v in values[count:])]


def first_rows(rows, count=1):
    """The same of rows, which are values of several parameters."""
    rows = [*rows]
    return [*rows[:count], *(_row_at_night(row) for row in rows[count:])]


def some(values, names):
    """The values with these names for each change, and the others for the night."""
    return [v if v in names else pytest.param(v, marks=NIGHTLY) for v in values]


def _row_at_night(row):
    if isinstance(row, ParameterSet):
        return pytest.param(*row.values, id=row.id, marks=NIGHTLY)
    return pytest.param(*row, marks=NIGHTLY)
