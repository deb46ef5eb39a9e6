"""What a model says of itself: plain values, lines for people, and a summary in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.bench.text import aligned
from aucbench.data import Survival, showing
from aucbench.data.arrays import Vector
from aucbench.data.showing import folded, heading, listed, paragraphs
from aucbench.data.understood import by_kind, remark_of
from aucbench.errors import shown
from aucbench.models.assessment import DEALT, TAKEN_OUT, Assessment
from aucbench.models.model import Model
from aucbench.models.score_function import finite
from aucbench.models.scorecard import BASE, MISSING, OTHERS
from aucbench.models.shape import EffectShape, sparkline
from aucbench.report.document import Cell, Grid, grid, text
from aucbench.stats import Interval

if TYPE_CHECKING:
    from aucbench.models.model import Model

SHOWN = 20  # features, or effects, in the text
PER = 10_000  # rows in which flags are counted
WHATS = {DEALT: "columns", TAKEN_OUT: "effects"}  # what has an importance
SHARED = {
    DEALT: "Columns that say the same share their worth.",
    TAKEN_OUT: "Columns that say the same share their effect, and so their worth.",
}
MAPS = 3  # effects of two columns whose map is drawn
WIDE = 16  # blocks of a curve
LEVELS = 3  # of a category that a line names
INDENT = "  "
FEATURES = 8  # of the chart of what counts most
WARNINGS = 4  # that are shown at once
SHARES = ("sensitivity", "specificity", "precision", "flags")


def how_far(known: Assessment) -> str:
    """Return what the importance of a column is."""
    how = {
        DEALT: "the cells of a column are dealt out anew among",
        TAKEN_OUT: "an effect is taken out of the score, on",
    }
    return (
        f"How far the {known.measure} falls when {how[known.how]} {known.judged} rows that the "
        "model has not seen"
    )


def explanation(model: Model) -> dict[str, Any]:
    """Return what is known of a model, as JSON holds it.

    Returns
    -------
    dict
        kind : "linear", "additive", "kernel" or "trees".
        features : list of {name, weight, spread, importance}, most important first: |weight| times
            the standard deviation of the feature over the training rows, or the share of the
            splits of trees. Empty for a kernel.
        shapes : list of {name, importance, axes, effect}
            Of a model whose score is a sum of effects: see `EffectShape`. The importance is the
            fall of the measure when the effect is taken out.
        threshold, operating, auc, auc_rows, calibration, reliability, scorecard, keeps_rows,
        provenance :
            As the attributes of `Model`.
    """
    if len(model.functions) > 1:
        from aucbench.models import class_page

        return class_page.explanation(model)
    plain = model.to_tree()
    return {
        "kind": kind_of(model),
        "features": features_of(model),
        "columns": list(model.columns or ()),
        "negative": list(model.labels[0]) if model.decides else [],
        "positive": list(model.labels[1]) if model.decides else [],
        "threshold": model.function.threshold,
        "operating": plain["functions"][0]["operating"],
        "auc": plain["auc"],
        "auc_rows": model.auc_rows,
        "calibration": plain["functions"][0]["calibrator"],
        "reliability": plain["functions"][0]["reliability"],
        "scorecard": plain.get("scorecard"),
        "shapes": plain_shapes(model),
        "keeps_rows": model.keeps_rows,
        "provenance": plain["provenance"],
    }


def kind_of(model: Model) -> str:
    """Return "linear", "additive", "kernel" or "trees"."""
    if model.function.trees is not None:
        return "trees"
    if model.feature_names() is None:
        return "kernel"
    return "linear" if _keeps_columns(model) else "additive"


def feature_weights(model: Model) -> Vector | None:
    """Return what each feature counts: |weight| × spread, or its share of the splits of trees.

    Returns
    -------
    array of shape (d,), or None
        None for a kernel.
    """
    if model.function.trees is not None:
        used = model.function.trees.feature[model.function.trees.feature >= 0]
        return np.bincount(used, minlength=model.function.trees.d) / max(1, used.size)
    if model.feature_names() is None:
        return None
    spread = (
        1.0
        if model.function.spread is None
        else np.where(np.isnan(model.function.spread), 1.0, model.function.spread)
    )
    return np.asarray(np.abs(np.asarray(model.function.weights)) * spread)


def raw_weights(model: Model) -> Vector | None:
    """Return what each feature before the maps counts: the sum over those that are made of it.

    A feature of two columns counts half for each. None for a kernel.
    """
    counts, known = feature_weights(model), model.terms()
    if counts is None or known is None:
        return counts
    raw = np.zeros(len(model.raw_names))
    of_term = np.bincount(known.owner, counts[: known.owner.size], len(known.columns))
    for columns, count in zip(known.columns, of_term, strict=True):
        raw[[*columns]] += count / len(columns)
    return raw


def most_counting(model: Model) -> list[tuple[str, float]]:
    """Return what counts most with the sign of its weight, the most important first.

    Of a model on splines or bins, columns count and not their functions, and there is no sign.
    """
    if kind_of(model) == "additive":
        counts = raw_weights(model)
        assert counts is not None  # it is no kernel
        pairs = zip(model.raw_names, counts.tolist(), strict=True)
        return sorted(pairs, key=lambda one: -one[1])
    return [
        (one["name"], -one["importance"] if one.get("weight", 0.0) < 0 else one["importance"])
        for one in features_of(model)
        if one["importance"] is not None
    ]


def _keeps_columns(model: Model) -> bool:
    """Whether there is one feature for each before the maps."""
    known = model.terms()
    return known is None or known.owner.size == len(model.raw_names)


def features_of(model: Model) -> list[dict[str, Any]]:
    """Return the features of a model, the most important first, as `explanation` lists them."""
    names, counts = model.feature_names(), feature_weights(model)
    if names is None or counts is None:
        return []
    features = [{"name": name, "importance": x} for name, x in zip(names, counts, strict=True)]
    if model.function.weights is not None:
        w = np.asarray(model.function.weights)
        spread = np.full(w.size, np.nan) if model.function.spread is None else model.function.spread
        features = [
            {"name": one["name"], "weight": w[j], "spread": spread[j], **one}
            for j, one in enumerate(features)
        ]
    plain: list[dict[str, Any]] = finite(features)
    return sorted(plain, key=lambda one: -one["importance"])


def lines(model: Model) -> Iterator[str]:
    """Yield the explanation for people, a line at a time."""
    if len(model.functions) > 1:
        from aucbench.models import class_page

        yield from class_page.lines(model)
        return
    about = model.provenance
    yield f"{about.get('solver', 'a model')}, features {about.get('features', 'as they are')}"
    yield from origin_lines(about)
    for sentence in about.get("choice", ()):
        yield f"  {sentence}"
    if model.auc is not None:
        yield f"{about.get('measure', 'AUC')} {share_text(model.auc)} on {model.auc_rows}"
    yield from _operating(model)
    yield from _calibration(model)
    yield from _weights(model) if model.scorecard is None else _card(model)
    yield from shape_lines(model)
    yield from (f"warning: {line}" for line in warning_lines(model))


def warning_lines(model: Model) -> Iterator[str]:
    """Yield what may be wrong: a line for each kind of warning about columns."""
    if model.keeps_rows:
        yield (
            "the file holds training rows, scaled: the landmarks of the kernel. Whoever has the "
            "file can read them."
        )
    about = model.provenance
    remarks = [remark_of(*one) for one in about.get("remarks", ())]
    own = {remark.text for remark in remarks}
    yield from (warning for warning in about.get("warnings", ()) if warning not in own)
    yield from by_kind(remarks)


def origin_lines(about: Mapping[str, Any]) -> Iterator[str]:
    """Yield from which table a model was learnt, and who made it."""
    if "n" in about:
        data = about.get("data", "a table")
        yield f"learnt from {data}: {sizes_of(about)}"
    if about.get("pairs"):
        yield f"pairs that count: {about['pairs']}"
    if about.get("monotone"):
        yield f"effects that must be so: {about['monotone'].replace(',', ', ')}"
    if about.get("label"):
        yield f"label: {about['label']}"
    if about.get("left_out"):
        left = ", ".join(f"{name} ({why})" for name, why in about["left_out"].items())
        yield f"left out: {left}"
    makers = [f"aucbench {about['aucbench']}" if "aucbench" in about else ""]
    makers += [str(about.get("date", "")), f"seed {about['seed']}" if "seed" in about else ""]
    if any(makers):
        yield f"made by {', '.join(filter(None, makers))}"


def sizes_of(about: Mapping[str, Any]) -> str:
    """Return how many rows a model learnt from, and of which kind."""
    for name, what in (("n_pos", "positive"), ("n_events", "events"), ("grades", "grades")):
        if name in about:
            return f"{about['n']} rows, {about[name]} {what}"
    return f"{about['n']} rows"


def _operating(model: Model) -> Iterator[str]:
    if not model.decides:
        yield f"it ranks rows: {ranking_of(model)}"
        return
    positive, negative = (join_labels(labels) for labels in (model.labels[1], model.labels[0]))
    yield f"score ≥ {model.function.threshold:.6g}: {positive}, else {negative}"
    point = model.function.operating
    if point is None:
        return
    yield f"  chosen for {point.aim}"
    yield f"  by {point.rows}"
    width = len(str(max(point.tp, point.fp, point.fn, point.tn)))
    yield f"  {point.tp:>{width}} found, {point.fn:>{width}} missed"
    yield f"  {point.fp:>{width}} false, {point.tn:>{width}} left out rightly"
    for name in ("sensitivity", "specificity", "precision", "flags"):
        yield f"  {name:<11} {share_text(getattr(point, name))}"
    flags = point.expected(PER)
    yield f"  of the next {PER} rows like these, {flags.low:.0f} to {flags.high:.0f} are flagged"


def ranking_of(model: Model) -> str:
    """Return what the scores of a model that ranks rows say."""
    timed = model.provenance.get("target") == Survival.what
    return f"a higher score means {'an earlier event' if timed else 'a higher grade'}"


def _calibration(model: Model) -> Iterator[str]:
    if not model.decides:
        return
    if model.function.calibrator is None:
        yield "no probabilities: it was not calibrated"
        return
    how = f"probabilities by {type(model.function.calibrator).__name__.lower()} calibration"
    if (curve := model.function.reliability) is None:
        yield how
        return
    yield f"{how}; on the rows held out, in groups:"
    for group in curve.groups:
        share = share_text(group.positive)
        yield f"  {group.rows} rows: probability {group.probability:.4g}, positive {share}"
    yield (
        f"  expected calibration error {curve.error:.3g}; true probabilities would give "
        f"{curve.chance:.3g} by chance"
    )


def _weights(model: Model) -> Iterator[str]:
    kind, features = kind_of(model), features_of(model)
    if kind == "kernel":
        yield "a kernel machine: its weights belong to landmarks, not to features"
        return
    if (
        kind == "additive" and model.function.shapes
    ):  # the weights of splines say nothing by themselves
        return
    weight = "weight" if model.function.spread is None else "weight × spread"
    head = "share of splits" if kind == "trees" else weight
    yield f"{head}, of {len(features)} features:"
    for one in features[:SHOWN]:
        sign = "-" if one.get("weight", 0.0) < 0 else " "
        yield f"  {sign}{one['importance']:.4g}  {one['name']}"
    if len(features) > SHOWN:
        yield f"  and {len(features) - SHOWN} more; --json has all"


def card_parts(model: Model) -> Iterator[str | Grid]:
    """Yield what points mean, what rounding costs, and the points of cells that rows had."""
    card, point = model.scorecard, model.function.operating
    if card is None or point is None:
        return
    yield f"{card.scaling}; a row has {card.base} to {card.most} points, the sum of those below."
    yield (
        f"The AUC of the points is {card.auc:.4f}, and {card.exact:.4f} before they were rounded, "
        f"on {point.rows}."
    )
    table: list[list[Cell]] = [[BASE, "", card.base, None, None]]
    for one in card.lines:
        share = None if one.rows is None else (one.positives or 0) / one.rows
        if share is not None or one.value not in (MISSING, OTHERS):
            table.append([one.attribute, one.value, one.points, one.rows, share])
    header = ("attribute", "value", "points", "rows", "share of positives")
    yield grid(header, table, ("", "", "d", "d", ".3f"))
    yield "Cells that few rows had, or none, have points too: the file of points has all."


def _card(model: Model) -> Iterator[str]:
    yield "scorecard:"
    for part in card_parts(model):
        indent = "" if isinstance(part, str) else INDENT
        yield from (f"{indent}{line}" for line in text([part]).splitlines())


def share_text(share: Interval, *, percent: bool = False) -> str:
    """Return a share with its interval: 0.81 (95 %: 0.7 to 0.9), or in per cent."""
    if np.isnan(share.estimate):
        return "-"
    scale, unit, digits = (100.0, " %", 3) if percent else (1.0, "", 4)
    told, low, high = (f"{scale * x:.{digits}g}" for x in (share.estimate, share.low, share.high))
    if np.isnan(share.low):
        return f"{told}{unit}"
    return f"{told}{unit} ({100 * share.level:g} %: {low} to {high})"


def join_labels(labels: Sequence[Any]) -> str:
    """Return the labels of a class as text."""
    return " or ".join(str(label) for label in labels)


def plain_shapes(model: Model) -> list[dict[str, Any]]:
    """Return the shapes as JSON holds them, with name and importance."""
    worth = drops(model)
    return [
        {"name": shape.name, "importance": worth.get(shape.name), **asdict(shape)}
        for shape in model.function.shapes
    ]


def drops(model: Model) -> dict[str, float]:
    """Return how far the measure falls without each effect, where that is known."""
    known = model.function.assessment
    if known is None or known.how != TAKEN_OUT:
        return {}
    return {one.column: one.drop.estimate for one in known.importance}


def shape_lines(model: Model) -> Iterator[str]:
    """Yield a line for each effect, those without which the measure falls most first."""
    if not model.function.shapes:
        return
    worth = drops(model)
    ranked = sorted(model.function.shapes, key=lambda shape: -worth.get(shape.name, -np.inf))
    yield head(model)
    lines = [_cells(shape, worth.get(shape.name)) for shape in ranked[:SHOWN]]
    maps = [shape for shape in ranked[:SHOWN] if len(shape.axes) > 1][:MAPS]
    told = aligned(lines, (1,)).splitlines()
    for shape, line in zip(ranked, told, strict=False):
        yield f"{INDENT}{line}"
        if shape in maps:
            yield from (f"{INDENT}{INDENT}{row}" for row in _map(shape))
    if len(ranked) > SHOWN:
        yield f"{INDENT}and {len(ranked) - SHOWN} more; --json has all"


def head(model: Model) -> str:
    """Return what the lines of effects show."""
    fall = f"fall of the {model.measure} without it, " if drops(model) else ""
    return f"effects on the score: {fall}curve, lowest to highest"


def _cells(shape: EffectShape, drop: float | None) -> list[str]:
    span = f"{min(shape.effect):+.3g} to {max(shape.effect):+.3g}"
    fall = "" if drop is None else f"{drop:.4f}"
    return [shape.name, fall, _curve(shape), span]


def _curve(shape: EffectShape) -> str:
    """Return blocks of the curve with its ends; the levels of a category; nothing of a map."""
    if len(shape.axes) > 1:
        return ""
    [axis], numbers, effect = shape.axes, shape.axes[0].line, shape.effect
    named = [k for k in range(len(effect)) if k not in numbers]
    some = sorted(named, key=lambda k: -effect[k])
    levels = [f"{axis.texts[k]} {effect[k]:+.3g}" for k in some[:LEVELS]]
    levels += ["…"] if len(some) > LEVELS else []
    if not numbers:
        return ", ".join(levels)
    picked = [
        numbers[k] for k in np.linspace(0, len(numbers) - 1, min(WIDE, len(numbers))).astype(int)
    ]
    blocks = sparkline([effect[k] for k in picked], min(effect), max(effect))
    ends = f"{axis.texts[numbers[0]]} {blocks} {axis.texts[numbers[-1]]}"
    return ", ".join([ends, *levels])


def _map(shape: EffectShape) -> Iterator[str]:
    """Yield a line of blocks for each place of the first column."""
    first, second = (axis.texts for axis in shape.axes)
    low, high = min(shape.effect), max(shape.effect)
    blocks = [sparkline(row.tolist(), low, high) for row in shape.table]
    yield from aligned(zip(first, blocks, strict=True), (0,)).splitlines()
    yield f"{shape.axes[1].column} from {second[0]} to {second[-1]}"


def line(model: Model) -> str:
    """Return what the model is, in one line."""
    if len(model.functions) > 1:
        from aucbench.models import class_page

        return class_page.line(model)
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
    positive, negative = map(join_labels, (model.labels[1], model.labels[0]))
    yield "decision", f"score ≥ {model.function.threshold:.6g}: {positive}, else {negative}"
    point = model.function.operating
    if point is not None:
        yield "chosen for", str(point.aim)
        yield (
            "at this threshold",
            (f"{point.tp} found, {point.fn} missed, {point.fp} false, {point.tn} left out rightly"),
        )


def _quality(model: Model) -> str:
    known = {} if model.auc is None else {model.measure: model.auc}
    if model.function.operating is not None:
        known |= {name: getattr(model.function.operating, name) for name in SHARES}
    lines = [(name, _share(x)) for name, x in known.items() if not isnan(x.estimate)]
    return showing.grid(["on rows that did not train it", "with 95 % interval"], lines)


def _features(model: Model) -> str:
    lines = [(name, f"{value:.3g}") for name, value in most_counting(model)[:FEATURES]]
    what = "share of the splits" if kind_of(model) == "trees" else "weight × spread"
    return showing.grid(["what counts most", what], lines, (1,)) if lines else ""


def _share(share: Interval) -> str:
    if isnan(share.low):
        return f"{share.estimate:.4f}"
    return f"{share.estimate:.4f} ({share.low:.3f} to {share.high:.3f})"
