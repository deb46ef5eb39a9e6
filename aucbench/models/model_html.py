"""What a model shows of itself: a line of text, and in a notebook what it is and does."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING

from aucbench.data.showing import Span, bars, folded, heading, listed, paragraphs, spans
from aucbench.errors import shown
from aucbench.models.explain import kind_of, most_counting, ranking_of, sizes_of, warning_lines
from aucbench.stats import Interval

if TYPE_CHECKING:
    from aucbench.models.model import Model

FEATURES = 8  # of the chart of what counts most
WARNINGS = 4  # that are shown at once
SHARES = ("sensitivity", "specificity", "precision", "flags")


def line(model: Model) -> str:
    """Return what the model is, in one line."""
    about = model.provenance
    origin = f" of {about['data']}" if "data" in about else ""
    auc = "" if model.auc is None else f", {model.measure} {_share(model.auc)}"
    solver = about.get("solver", "a model")
    return shown(f"<Model {solver}: {model.width} columns{origin}{auc}>")


def as_html(model: Model) -> str:
    """Return its origin, its quality with intervals, what counts most, and warnings."""
    about = model.provenance
    warnings = [f"warning: {warning}" for warning in warning_lines(model)]
    more = warnings[WARNINGS:]
    choice = folded("Why this solver", paragraphs(about["choice"])) if "choice" in about else ""
    rest = folded(f"{len(more)} more warnings", paragraphs(more)) if more else ""
    told = (listed(_facts(model)), paragraphs(warnings[:WARNINGS]), rest)
    head = heading(line(model).strip("<>"))
    return "".join((head, *told, _quality(model), _features(model), choice))


def _facts(model: Model) -> Iterator[tuple[str, str]]:
    about = model.provenance
    if "n" in about:
        yield "learnt from", f"{about.get('data')}: {sizes_of(about)}"
    if about.get("label"):
        yield "label", str(about["label"])
    if model.auc_rows:
        yield "judged by", model.auc_rows
    if not model.decides:
        yield "scores", ranking_of(model)
        return
    positive, negative = (" or ".join(map(str, s)) for s in (model.positive, model.negative))
    yield "decision", f"score ≥ {model.threshold:.6g}: {positive}, else {negative}"
    point = model.operating
    if point is not None:
        yield "chosen for", str(point.aim)
        yield (
            "at this threshold",
            (f"{point.tp} found, {point.fn} missed, {point.fp} false, {point.tn} left out rightly"),
        )


def _quality(model: Model) -> str:
    known = {} if model.auc is None else {model.measure: model.auc}
    if model.operating is not None:
        known |= {name: getattr(model.operating, name) for name in SHARES}
    lines = [
        Span(name, x.estimate, x.low, x.high, name == model.measure)
        for name, x in known.items()
        if not isnan(x.estimate)
    ]
    return spans("on rows that did not train it, with 95 % intervals", lines)


def _features(model: Model) -> str:
    signed = most_counting(model)[:FEATURES]
    what = "share of the splits" if kind_of(model) == "trees" else "weight × spread"
    return bars(f"what counts most: {what}", signed)


def _share(share: Interval) -> str:
    if isnan(share.low):
        return f"{share.estimate:.4f}"
    return f"{share.estimate:.4f} ({share.low:.3f} to {share.high:.3f})"
