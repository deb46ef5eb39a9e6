"""The pairs of a plan; the column of their groups is one that the reader takes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from aucbench.bench.cell import COLUMN, GROUP, column_of
from aucbench.bench.plan.errors import PlanError, read_spec, with_place
from aucbench.datasets.reading import ReadOptions
from aucbench.registry.specs import FIRST, Spec, short

ALL = Spec("all")
OF_ORDER = TIME, GRADE = "time", "grade"


def read_pairs(pairs: Any, reading: ReadOptions) -> tuple[Spec | None, ReadOptions]:
    """Return the pairs, and the reading, which takes the column of their groups.

    So `group[column=user]` is the same as `group` with `groups="user"`. None, and `all`, stand for
    the pairs that the target has by itself: those of times and of grades are named here, so that
    they are measured by their own measure.

    Raises
    ------
    PlanError
        When a text is malformed, an object is of a class that a process of a cell could not make
        again, or two columns of groups are named.
    """
    spec = spec_of_pairs(pairs)
    if spec is None or spec == ALL:
        return _own(reading), reading
    named, column = _divided(spec)
    if column is None:
        return named, reading
    if reading.groups not in (None, column):
        raise PlanError(
            f"{short(spec)} takes its groups from {column}, and groups names {reading.groups}; "
            "name one column",
            "pairs",
        )
    return named, with_place(("pairs",), lambda: replace(reading, groups=column))


def _own(reading: ReadOptions) -> Spec | None:
    """Return the pairs of the target that is read; None for those of labels."""
    if reading.event is not None:
        return Spec(TIME)
    return Spec(GRADE) if reading.labels == "grades" else None


def spec_of_pairs(pairs: Any) -> Spec | None:
    """Return the specification of pairs: of a text, or of an object such as `Fpr(max=0.1)`.

    It raises as `read_pairs`.
    """
    if pairs is None:
        return None
    if isinstance(pairs, str | Spec):
        return read_spec(pairs, "pairs", "pairs")
    from aucbench.pairs import aucbench_pairs

    known = {kind: name for name, kind in aucbench_pairs().items()}
    if type(pairs) not in known:
        raise PlanError(
            f"got {pairs!r} as pairs, wanted text; name a class in a file as ./mine.py:Class, or "
            "register it",
            "pairs",
        )
    params = {f.name: v for f in fields(pairs) if (v := getattr(pairs, f.name)) != f.default}
    return Spec(known[type(pairs)], params)


def _divided(spec: Spec) -> tuple[Spec, Any]:
    """Return the specification, and the column that it names.

    `group` needs none beside its name; others would be about all rows without it.
    """
    column = column_of(spec)
    if spec.name != GROUP:
        return spec, column
    others = {name: v for name, v in spec.params.items() if name not in (COLUMN, FIRST)}
    return replace(spec, params=others), column
