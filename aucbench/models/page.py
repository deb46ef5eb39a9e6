"""The page of a model: chapters of the report, made of what the model says of itself.

Design
  a. Nothing is computed of rows here, since a model has none. What was not kept is named under
     "Limits".
  b. Chapters are the parts of every report, so that the page looks like that of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from aucbench.metrics import Aim
from aucbench.models.assessment import SMALLEST, Assessment, Cut, Effect
from aucbench.models.calibration import Reliability
from aucbench.models.explain import (
    SHARED,
    WHATS,
    card_parts,
    explanation,
    how_far,
    join_labels,
    kind_of,
    ranking_of,
    share_text,
    sizes_of,
    warning_lines,
)
from aucbench.models.model import Model
from aucbench.models.shape import Axis, EffectShape
from aucbench.report.document import NOTHING, Cell, Chapter, Grid, grid
from aucbench.report.render import InlinePage, sections_to_html
from aucbench.report.sections import Chart
from aucbench.stats import LEVEL, Interval, wilson

SHOWN = 20  # weights
NAMED = 3  # columns that a sentence names
PER = 1000  # rows, in which flags and costs are counted
SURE = 0.05  # adjusted p-value below which groups differ
SEEN, SAID = "share of positives", "model"
ADDED = "added to the score"
YEAR, EPOCH = 31_556_952.0, 1970  # seconds of a mean year


def page_of(model: Model, title: str = "") -> InlinePage:
    """Return the page of a model, one file in UTF-8 that opens without a network.

    Parameters
    ----------
    title : str
        What stands above it; empty: the solver.

    Raises
    ------
    MissingExtraError
        When Jinja2 is not installed.
    """
    if len(model.functions) > 1:
        from aucbench.models import class_page

        return class_page.page_of(model, title)
    title = title or f"Model: {model.provenance.get('solver', 'of unknown origin')}"
    content = sections_to_html(
        title,
        [*_facts(model)],
        chapters(model),
        answer=[*_answer(model)],
        warnings=[*_warnings(model)],
    )
    return InlinePage(content, title)


def chapters(model: Model) -> list[Chapter]:
    """Return what is known of a model; a chapter without content is not there."""
    told = (
        ("Scorecard", card_parts(model)),
        ("Thresholds", _thresholds(model)),
        ("Ranking", _ranking(model)),
        ("Probabilities", _probabilities(model)),
        ("What matters", matters(model)),
        ("What each column adds", shape_parts(model)),
        ("Effects", _effects(model)),
        ("Groups of rows", _groups(model)),
        ("All warnings", _all_warnings(model)),
        ("Origin", _origin(model)),
        ("Limits", _limits(model)),
    )
    made = ((title, tuple(parts)) for title, parts in told)
    return [Chapter(title, "", parts) for title, parts in made if parts]


def _facts(model: Model) -> Iterator[str]:
    about = model.provenance
    if "n" in about:
        share = f" ({about['n_pos'] / about['n']:.1%})" if "n_pos" in about else ""
        yield (
            f"Learnt from {about.get('data', 'a table')}: {sizes_of(about)}{share}, {model.width} "
            "columns."
        )
    if about.get("label"):
        positive = f"; positive: {join_labels(model.labels[1])}" if model.decides else ""
        yield f"Label: {about['label']}{positive}."


def _answer(model: Model) -> Iterator[str]:
    if model.auc is not None:
        yield f"{model.measure} {share_text(model.auc)} on {model.auc_rows}."
    yield from _decision(model)
    if model.function.assessment is not None and (most := _sure(model.function.assessment)):
        verb = "matters" if len(most) == 1 else "matter"
        yield f"{', '.join(most)} {verb} most."


def _decision(model: Model) -> Iterator[str]:
    """Yield what becomes of a score."""
    point = model.function.operating
    positive = join_labels(model.labels[1]) if model.decides else ""
    if not model.decides:
        yield f"The model ranks rows: {ranking_of(model)}."
    elif point is None:
        yield f"A row whose score is at least {model.function.threshold:.6g} counts as {positive}."
    else:
        yield (
            f"A row whose score is at least {model.function.threshold:.6g} counts as {positive}: "
            f"{share_text(point.flags, percent=True)} of the rows. The threshold was chosen for "
            f"{point.aim}."
        )
        yield (
            f"Of these rows {share_text(point.precision, percent=True)} are positive, and they are "
            f"{share_text(point.sensitivity, percent=True)} of all positives."
        )


def _sure(known: Assessment) -> list[str]:
    """Return the columns without which the AUC falls for sure, the largest first."""
    return [one.column for one in known.importance if one.drop.low > 0][:NAMED]


def _warnings(model: Model) -> Iterator[str]:
    if model.function.assessment is not None:
        for one in model.function.assessment.groups:
            if one.p is not None and one.p < SURE and one.auc.estimate < (one.others or 0.0):
                yield (
                    f"{one.column} = {one.level}: the AUC of these {one.rows} rows is "
                    f"{one.auc.estimate:.3f}, that of the others {one.others:.3f} "
                    f"(p = {one.p:.2g})."
                )
    yield from warning_lines(model)


def _all_warnings(model: Model) -> Iterator[str]:
    """Yield each warning, where those above the page are of kinds."""
    told, shown = model.provenance.get("warnings", ()), {*warning_lines(model)}
    if any(warning not in shown for warning in told):
        yield from told


def _thresholds(model: Model) -> Iterator[str | Grid]:
    known, point = model.function.assessment, model.function.operating
    if point is not None:
        own = Cut(threshold=model.function.threshold, tp=point.tp, fp=point.fp)
        rows, positives = point.tp + point.fp + point.fn + point.tn, point.tp + point.fn
        cuts = [] if known is None else [known.cuts[k] for k in known.flags]
        if known is not None and known.rows != rows:
            cuts = []  # they were counted on other rows
        cuts = sorted({own, *cuts}, key=lambda cut: (-cut.threshold, cut.tp + cut.fp))
        yield _cut_grid(model, cuts, own, rows, positives)
        yield f"The line in bold is the threshold of the model. Counted on {point.rows}."


def _cut_grid(model: Model, cuts: Sequence[Cut], own: Cut, rows: int, positives: int) -> Grid:
    costs = _costs(model.function.operating.aim) if model.function.operating is not None else None
    header = [f"flags of {PER} rows", "threshold", "sensitivity", "specificity", "precision"]
    header += ["false per right one", *([f"cost of {PER} rows"] if costs else [])]
    lines: list[list[Cell]] = []
    for cut in cuts:
        flagged, missed = cut.tp + cut.fp, positives - cut.tp
        negatives = rows - positives
        line: list[Cell] = [PER * flagged / rows, cut.threshold]
        line += [cut.tp / positives, 1 - cut.fp / negatives]
        line += [cut.tp / flagged if flagged else None, cut.fp / cut.tp if cut.tp else None]
        lines.append(line)
        if costs:
            line.append(PER * (costs[0] * cut.fp + costs[1] * missed) / rows)
    forms = (".3g", ".6g", ".3f", ".4f", ".3f", ".3g", ".4g")
    return grid(header, lines, forms[: len(header)], best=[cut == own for cut in cuts])


def _costs(aim: Aim) -> tuple[float, float] | None:
    if aim.cost_fp is None or aim.cost_fn is None:
        return None
    return aim.cost_fp, aim.cost_fn


def _ranking(model: Model) -> Iterator[str | Chart]:
    known = model.function.assessment
    if known is None or not model.decides:
        return
    solver = str(model.provenance.get("solver", SAID))
    roc = {solver: roc_of(known)}
    yield Chart("ROC curve", "false positive rate", "sensitivity", roc, diagonal=True)
    tp, fp = (np.array([getattr(cut, name) for cut in known.cuts], float) for name in ("tp", "fp"))
    recall, share = tp / known.positives, known.positives / known.rows
    pr = {solver: ([*recall], [*tp / (tp + fp)]), "rows taken blindly": ([0, 1], [share, share])}
    yield Chart("Precision and sensitivity", "sensitivity", "precision", pr)


def roc_of(known: Assessment) -> tuple[list[float], list[float]]:
    """Return false positive rates and sensitivities of the ROC curve."""
    negatives = known.rows - known.positives
    fpr = [cut.fp / negatives for cut in known.cuts]
    return [0.0, *fpr], [0.0, *(cut.tp / known.positives for cut in known.cuts)]


def _probabilities(model: Model) -> Iterator[str | Grid | Chart]:
    if not model.decides:
        return
    if model.function.calibrator is None:
        yield "The model was not calibrated: it gives scores, and no probabilities."
        return
    how = type(model.function.calibrator).__name__.lower()
    curve = model.function.reliability
    if curve is None:
        yield f"Probabilities by {how} calibration."
        return
    yield (
        f"Probabilities by {how} calibration. The expected calibration error is {curve.error:.3g}; "
        f"true probabilities would have {curve.chance:.3g} by chance."
    )
    yield from _reliability(curve)


def _reliability(curve: Reliability) -> Iterator[Grid | Chart]:
    said = [group.probability for group in curve.groups]
    seen = [group.positive for group in curve.groups]
    yield Chart(
        "Reliability curve",
        "probability",
        "share of positives",
        {SEEN: (said, [one.estimate for one in seen])},
        bands={SEEN: ([one.low for one in seen], [one.high for one in seen])},
        diagonal=True,
    )
    yield grid(
        ("rows", "probability", "positive", "95 % interval"),
        [
            [group.rows, group.probability, group.positive.estimate, range_of(group.positive)]
            for group in curve.groups
        ],
        ("d", ".4f", ".4f", ""),
        spans=[*map(span_of, seen)],
    )


def matters(model: Model) -> Iterator[str | Grid]:
    """Yield what the columns are worth, and the weights."""
    known = model.function.assessment
    if known is not None and known.importance:
        some = f" of {known.columns}" if len(known.importance) < known.columns else ""
        yield f"{how_far(known)}, with 95 % intervals. {SHARED[known.how]}"
        yield grid(
            (WHATS[known.how].removesuffix("s"), f"fall of the {known.measure}", "95 % interval"),
            [[one.column, one.drop.estimate, range_of(one.drop)] for one in known.importance],
            ("", ".4f", ""),
            spans=[span_of(one.drop) for one in known.importance],
            title=f"{len(known.importance)}{some} {WHATS[known.how]}",
        )
    features = explanation(model)["features"]
    if kind_of(model) == "kernel":
        yield "A kernel machine: its weights belong to landmarks, not to features."
    if features and not (kind_of(model) == "additive" and model.function.shapes):
        yield _weights(model, features)


def _weights(model: Model, features: Sequence[dict[str, Any]]) -> Grid:
    some = features[:SHOWN]
    title = f"{len(some)} of {len(features)} features" if len(features) > SHOWN else ""
    if model.function.weights is None:
        lines: list[list[Cell]] = [[one["name"], one["importance"]] for one in some]
        shares = ("feature", "share of the splits")
        return grid(shares, lines, ("", ".4f"), title=title or "Features")
    lines = [[one["name"], one["weight"], one["spread"], one["importance"]] for one in some]
    header = ("feature", "weight", "spread", "|weight| × spread")
    return grid(header, lines, ("", "+.4g", ".4g", ".4g"), title=title or "Weights")


def _effects(model: Model) -> Iterator[str | Grid | Chart]:
    known = model.function.assessment
    if known is None or not known.effects:
        return
    unit = "probability" if model.function.calibrator is not None else "score"
    yield (
        f"Model: the mean {unit} when a column is set to a value in all rows. Share of positives: "
        "among rows held out that have the value, with 95 % intervals; other columns differ there "
        "too."
    )
    yield from (_chart(one, unit) for one in known.effects if _is_numeric(one))
    yield from (_level_grid(one, unit) for one in known.effects if not _is_numeric(one))


def _is_numeric(effect: Effect) -> bool:
    return effect.kind == "numeric" and sum(one.value is not None for one in effect.places) > 1


def _chart(effect: Effect, unit: str) -> Chart:
    places = [one for one in effect.places if one.value is not None]
    x, seen = [one.value for one in places], [wilson(p.positives, p.rows, LEVEL) for p in places]
    lines: dict[str, Any] = {SAID: (x, [one.predicted for one in places])}
    if unit == "score":
        return Chart(effect.column, effect.column, unit, lines)
    lines[SEEN] = (x, [one.estimate for one in seen])
    band = {SEEN: ([one.low for one in seen], [one.high for one in seen])}
    return Chart(effect.column, effect.column, unit, lines, bands=band)


def _level_grid(effect: Effect, unit: str) -> Grid:
    lines: list[list[Cell]] = []
    spans = []
    for place in effect.places:
        seen = wilson(place.positives, place.rows, LEVEL)
        name = place.name or f"{place.value:.4g}"
        lines.append([name, place.rows, place.predicted, seen.estimate, range_of(seen)])
        spans.append(span_of(seen))
    header = (effect.column, "rows", f"{unit} by the model", SEEN, "95 % interval")
    forms = ("", "d", ".4f", ".4f", "")
    return grid(header, lines, forms, spans=spans, title=effect.column)


def _groups(model: Model) -> Iterator[str | Grid]:
    known = model.function.assessment
    if known is None or not known.groups:
        return
    yield (
        f"AUC of the rows held out that share a value, at least {SMALLEST} of them, with 95 % "
        f"intervals. Others: the AUC of all other rows. p: of “both are equal”, adjusted for "
        f"{len(known.groups)} groups."
    )
    lines: list[list[Cell]] = []
    for one in known.groups:
        counts: list[Cell] = [one.column, one.level, one.rows, one.positives]
        lines.append([*counts, one.others, one.p, one.auc.estimate, range_of(one.auc)])
    header = ("column", "value", "rows", "positives", "others", "p", "AUC", "95 % interval")
    forms = ("", "", "d", "d", ".4f", ".2g", ".4f", "")
    yield grid(header, lines, forms, spans=[span_of(one.auc) for one in known.groups])


def _origin(model: Model) -> Iterator[str | Grid]:
    about = model.provenance
    yield from about.get("choice", ())
    names = ("solver", "features", "data", "data_hash", "seed", "date", "aucbench")
    told: list[list[Cell]] = [[name, str(about[name])] for name in names if name in about]
    others = dict(about.get("versions", {}))
    told += [[name, number] for name, number in others.items() if name not in about]
    if told:
        yield grid(("what", "value"), told, ("", ""))
    if left := about.get("left_out"):
        yield grid(
            ("column", "why"), [[*one] for one in left.items()], ("", ""), title="Columns left out"
        )


def _limits(model: Model) -> Iterator[str]:
    lacking = {
        "assessment": "curves, importance, effects and groups",
        "operating": "what its threshold does",
        "auc": "its AUC",
    }
    if not model.decides:
        lacking = {"auc": f"its {model.measure}"}
    absent = [what for name, what in lacking.items() if getattr(model, name) is None]
    if absent:
        yield (
            f"The file does not say {', '.join(absent)}: nothing of this was kept when it was made."
        )
    if model.auc is not None:
        yield (
            f"The {model.measure} and its interval are of models fitted to a part of the rows, as "
            "a fit to all rows leaves none to judge it."
        )
    if model.function.operating is not None:
        yield (
            "Intervals say what other rows of the same kind would give. They know nothing of "
            "change."
        )
    if model.function.assessment is not None and model.function.assessment.effects:
        yield (
            "An effect is what the model makes of a column, and no cause: a column may stand for "
            "another one."
        )


def span_of(one: Interval | None) -> tuple[float, float, float] | None:
    """Return low, value and high, which a page draws; None where one is not known."""
    if one is None or np.isnan([one.low, one.estimate, one.high]).any():
        return None
    return one.low, one.estimate, one.high


def range_of(one: Interval) -> str:
    """Return the interval as text."""
    return NOTHING if np.isnan(one.low) else f"{one.low:.4f} to {one.high:.4f}"


def shape_parts(model: Model, most: int | None = None) -> Iterator[str | Grid | Chart]:
    """Yield what each column adds to the score; nothing where the model is no sum of effects."""
    if not model.function.shapes:
        return
    yield (
        "The score is the sum of these effects, and each is 0 in the mean over the training rows. "
        "Effects of columns that say the same are shared between them."
    )
    some = model.function.shapes[:most]
    curves = [shape for shape in some if is_curve(shape)]
    yield from map(_curve_chart, curves)
    if (gaps := _missing_cells(curves)) is not None:
        yield gaps
    others = [shape for shape in some if not is_curve(shape)]
    yield from (_heat_map(one) if len(one.axes) > 1 else _level_lines(one) for one in others)


def is_curve(shape: EffectShape) -> bool:
    """Whether a line can be drawn: one column of numbers or dates."""
    return len(shape.axes) == 1 and len(line_of(shape.axes[0])[0]) > 1


def line_of(axis: Axis) -> tuple[list[int], list[float], str]:
    """Return the places of a line, their numbers, dates as years, and what these are."""
    places = axis.line
    numbers = [float(axis.values[k] or 0.0) for k in places]
    if axis.kind == "date":
        return places, [EPOCH + x / YEAR for x in numbers], f"{axis.column}, year"
    return places, numbers, axis.column


def _curve_chart(shape: EffectShape) -> Chart:
    places, x, name = line_of(shape.axes[0])
    lines = {shape.name: (x, [shape.effect[k] for k in places])}
    return Chart(shape.name, name, ADDED, lines)


def _missing_cells(shapes: Sequence[EffectShape]) -> Grid | None:
    """Return what missing cells add."""
    known = [
        (shape, k)
        for shape in shapes
        for k, value in enumerate(shape.axes[0].values)
        if value is None
    ]
    if not known:
        return None
    lines: list[list[Cell]] = [
        [shape.name, shape.axes[0].rows[k], shape.effect[k]] for shape, k in known
    ]
    header, forms = ("column", "rows", ADDED), ("", "d", "+.4f")
    return grid(header, lines, forms, title="Missing cells")


def _level_lines(shape: EffectShape) -> Grid:
    [axis] = shape.axes
    lines: list[list[Cell]] = [
        [text, axis.rows[k], shape.effect[k]] for k, text in enumerate(axis.texts)
    ]
    header, forms = (axis.column, "rows", ADDED), ("", "d", "+.4f")
    return grid(header, lines, forms, title=shape.name)


def _heat_map(shape: EffectShape) -> Grid:
    """Return a heat map: a line for each place of the first column, shaded by what it adds."""
    first, second = shape.axes
    most = max(map(abs, shape.effect)) or 1.0
    lines: list[list[Cell]] = [
        [text, *row.tolist()] for text, row in zip(first.texts, shape.table, strict=True)
    ]
    return grid(
        (f"{first.column} \\ {second.column}", *second.texts),
        lines,
        ("", *["+.2f"] * len(second.values)),
        shades=[[None, *(row / most).tolist()] for row in shape.table],
        title=shape.name,
    )
