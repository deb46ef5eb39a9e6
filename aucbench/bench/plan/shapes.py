"""The shapes of effects that a plan asks for, as text."""

from __future__ import annotations

from typing import Any

from aucbench.bench.plan.errors import with_place


def checked_monotone(asked: Any) -> str | None:
    """Return shapes such as `income=+1,age=-1` as one text, equal for equal shapes.

    Raises
    ------
    PlanError
        When they are no shapes of columns.
    """
    if asked is None:
        return None
    from aucbench.data.shapes import asked_shapes, written_shapes  # it imports NumPy

    return written_shapes(with_place(("monotone",), asked_shapes, asked))
