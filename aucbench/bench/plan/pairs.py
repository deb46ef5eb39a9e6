"""The pairs of a plan, as text; the column of their groups is one that the reader takes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from aucbench.bench.cell import COLUMN, GROUP, column_of
from aucbench.bench.plan.errors import PlanError, require_text, with_place
from aucbench.datasets.reading import ReadOptions
from aucbench.registry.specs import Spec, anchored, parse_spec, short

ALL = "all"
OF_ORDER = TIME, GRADE = "time", "grade"


def checked_pairs(pairs: Any, reading: ReadOptions) -> tuple[str | None, ReadOptions]:
    """Return the pairs, and the reading, which takes the column of their groups.

    So `group[column=user]` is the same as `group` with `groups="user"`. None, and `all`, stand for
    the pairs that the target has by itself: those of times and of grades are named here, so that
    they are measured by their own measure.

    Raises
    ------
    PlanError
        When the text is malformed, or two columns of groups are named.
    """
    if pairs is None or pairs == ALL:
        return _own(reading), reading
    require_text(pairs, "pairs", "pairs")
    spec = with_place(("pairs",), parse_spec, anchored(pairs), value=pairs)
    named, column = _divided(spec)
    if column is None:
        return str(named), reading
    if reading.groups not in (None, column):
        raise PlanError(
            f"{short(pairs)} takes its groups from {column}, and groups names {reading.groups}; "
            "name one column",
            "pairs",
        )
    return str(named), with_place(("pairs",), lambda: replace(reading, groups=column))


def _own(reading: ReadOptions) -> str | None:
    """Return the pairs of the target that is read; None for those of labels."""
    if reading.event is not None:
        return TIME
    return GRADE if reading.labels == "grades" else None


def written(pairs: Any) -> Any:
    """Return the text of pairs of aucbench, such as `Fpr(max=0.1)`; anything else as it is.

    Raises
    ------
    PlanError
        When they are an object of another class, which a process of a cell could not make again.
    """
    if pairs is None or isinstance(pairs, str):
        return pairs
    from aucbench.pairs import aucbench_pairs

    known = {kind: name for name, kind in aucbench_pairs().items()}
    if type(pairs) not in known:
        raise PlanError(
            f"got {pairs!r} as pairs, wanted text; name a class in a file as ./mine.py:Class, or "
            "register it",
            "pairs",
        )
    params = {f.name: v for f in fields(pairs) if (v := getattr(pairs, f.name)) != f.default}
    return str(Spec(known[type(pairs)], params))


def _divided(spec: Spec) -> tuple[Spec, Any]:
    """Return the specification, and the column that it names.

    `group` needs none beside its name; others would be about all rows without it.
    """
    column = column_of(spec)
    if spec.name != GROUP:
        return spec, column
    others = {name: value for name, value in spec.params.items() if name != COLUMN}
    return replace(spec, params=others, unnamed=()), column
