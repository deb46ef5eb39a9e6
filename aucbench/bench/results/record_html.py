"""What a record shows of itself in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import TYPE_CHECKING

from aucbench.data.showing import curve, heading, listed

if TYPE_CHECKING:
    from aucbench.bench.results.record import Record

DRAWN = {"test_auc": "test AUC", "train_auc": "training AUC", "objective": "objective"}


def as_html(record: Record) -> str:
    """Return what was run, what came of it, and the first curve that is known."""
    head = heading(f"{record.status.status}: {record.cell}")
    return head + listed(_facts(record)) + _curve(record)


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    measures, sizes = record.measures, record.sizes
    if not record.ok:
        yield "why", record.why
    if measures.auc is not None:
        yield "AUC", f"{measures.auc:.4f}"
    if measures.fit_seconds is not None:
        yield "fit", f"{measures.fit_seconds:.3g} s"
    if measures.stop is not None:
        yield "ended", measures.stop.lower()
    if sizes.n_train is not None:
        yield "rows", f"{sizes.n_train} to learn, {sizes.n_test} to test, {sizes.d} features"
    if record.parameters:
        yield "parameters", ", ".join(f"{name}={v}" for name, v in record.parameters.items())
    yield "id", record.id


def _curve(record: Record) -> str:
    def column(name: str) -> list[float]:
        values = (point.get(name) for point in record.curve)
        return [nan if value is None else float(value) for value in values]

    charts = (
        curve(f"{title} along the passes", column("passes"), column(name))
        for name, title in DRAWN.items()
    )
    return next(filter(None, charts), "")
