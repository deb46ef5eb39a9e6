"""What a model says about itself: sections of a document, which are shown as text or as a page.

Design
  a. Nothing is computed of rows here, since a model has none. What was not kept is named under
     "Limits".
  b. Of three or more classes each score function has its own sections. All else is the same for
     every model.
  c. There is one list of columns: the importance of each, and its effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from aucbench.errors import shown
from aucbench.models.assessment import REMOVED, SHUFFLED, SMALLEST, Assessment, Cut
from aucbench.models.effects import feature_weights
from aucbench.models.score_function import finite
from aucbench.models.scorecard import BASE, MISSING, OTHERS
from aucbench.models.shape import ADDED, EffectShape
from aucbench.models.summary import by_class, describe_decision, warning_lines
from aucbench.report.chart import Chart
from aucbench.report.document import Section
from aucbench.report.grid import NOTHING, Grid, Span, Value
from aucbench.report.html_page import InlinePage, make_fragment, make_page
from aucbench.stats import LEVEL, Interval, wilson

if TYPE_CHECKING:
    from aucbench.models.model import Model

Part = str | Grid | Chart
BLOCKS = "▁▂▃▄▅▆▇█"
SHORT, WARNINGS = "In short", "Warnings"  # titles of sections
SHOWN = 20  # columns
MOST_CURVES = 30  # of a chart of several classes
WIDE, LEVELS = 16, 3  # blocks of a curve, and levels of a category, in a line
PER = 1000  # rows in which flags and costs are counted
NAMED = 3  # columns that a sentence names
SEEN, SAID = "share of positives", "model"
YEAR, EPOCH = 31_556_952.0, 1970  # seconds of a mean year
SHARES = ("sensitivity", "specificity", "precision")
OF_SCORING = ("width", "encoding", "maps", "ranges")  # parts of a model that explain nothing


def sections(model: Model, *, brief: bool = False) -> list[Section]:
    """Return what is known of a model; a section without content is not there.

    Parameters
    ----------
    brief : bool
        Only those sections that a terminal or a notebook shows at once.
    """
    found: list[tuple[str, Iterator[Part]]] = [
        (SHORT, iter(["\n".join(summary_lines(model))])),
        (WARNINGS, warning_lines(model)),
        ("Scorecard", _points(model)),
        ("Classes", _classes(model)),
    ]
    own = BRIEF if brief else {**BRIEF, **DETAILS}
    for label, one in by_class(model):
        suffix = f": {label} against the rest" if label else ""
        found += [(f"{title}{suffix}", of(one)) for title, of in own.items()]
    found += [("Provenance", _provenance(model)), ("Limits", _limits(model))]
    made = ((title, tuple(parts)) for title, parts in found)
    return [Section(title, "", parts) for title, parts in made if parts]


def page_of(model: Model, title: str = "") -> InlinePage:
    """Return the page of a model, one file in UTF-8 that opens without a network.

    Parameters
    ----------
    title : str
        Title of the page. Default: the name of the solver.

    Raises
    ------
    MissingExtraError
        When Jinja2 is not installed.
    """
    title = title or f"Model: {model.provenance.get('solver', 'of unknown origin')}"
    return make_page(title, [], sections(model))


def describe_line(model: Model) -> str:
    """Return what the model is, in one line."""
    about = model.provenance
    origin = f" of {about['data']}" if "data" in about else ""
    classes = f"{len(model.labels)} classes, " if len(model.labels) > 2 else ""
    auc = "" if model.auc is None else f", {model.measure} {model.auc.estimate:.4f}"
    solver = about.get("solver", "a model")
    return shown(f"<Model {solver}: {classes}{model.width} columns{origin}{auc}>")


def as_html(model: Model) -> str:
    """Return what a notebook shows: all that is to be known first, other sections folded."""
    first = [*summary_lines(model), *(f"warning: {line}" for line in warning_lines(model))]
    others = [one for one in sections(model, brief=True) if one.title not in (SHORT, WARNINGS)]
    return make_fragment([describe_line(model).strip("<>"), *first, *others])


def explanation(model: Model) -> dict[str, Any]:
    """Return what is known of a model, as JSON holds it.

    Returns
    -------
    dict
        functions : list of K mappings
            weights, spread : list of float, or None
                Of the features in `feature_names`; None with trees.
            threshold, operating, calibrator, reliability, assessment, auc, shapes :
                As the attributes of `ScoreFunction`.
        labels, columns, auc, auc_rows, scorecard, provenance :
            As the attributes of `Model`.
        measure, keeps_rows :
            As its properties.
    """
    plain = model.to_tree()
    known = {name: value for name, value in plain.items() if name not in OF_SCORING}
    known |= {"measure": model.measure, "keeps_rows": model.keeps_rows}
    for function, tree in zip(model.functions, plain["functions"], strict=True):
        for name in ("score", "maps"):
            tree.pop(name)
        for name in ("weights", "spread"):
            array = getattr(function, name)
            tree[name] = None if array is None else finite(array.tolist())
    return known


def summary_lines(model: Model) -> Iterator[str]:
    """Yield what it was made of and why, how good it is, and what it decides."""
    about = model.provenance
    solver = about.get("solver", "A model of unknown origin")
    yield f"{solver}, features {about.get('features', 'as they are')}."
    if "n" in about:
        data = about.get("data", "a table")
        yield f"Trained on {data}: {describe_rows(model)}, {model.width} columns."
    if about.get("label"):
        yield f"Label: {about['label']}."
    if about.get("pairs"):
        yield f"Pairs that count: {about['pairs']}."
    if about.get("monotone"):
        yield f"Constraints on effects: {about['monotone'].replace(',', ', ')}."
    yield from about.get("choice", ())
    yield from describe_decision(model)
    calibrator = model.functions[0].calibrator
    if calibrator is not None:
        yield f"Probabilities by {type(calibrator).__name__.lower()} calibration."
    elif model.decides:
        yield "The model is not calibrated: it gives scores, and no probabilities."
    if len(model.functions) == 1 and (leading := _leading(model.function.assessment)):
        yield f"Most important: {', '.join(leading)}."


def describe_rows(model: Model) -> str:
    """Return the number of training rows, and of those of a kind."""
    about = model.provenance
    if len(model.labels) > 2:
        return f"{about['n']} rows, {len(model.labels)} classes"
    for name, what in (("n_pos", "positive"), ("n_events", "events"), ("grades", "grades")):
        if name in about:
            share = f" ({about[name] / about['n']:.1%})" if name == "n_pos" else ""
            return f"{about['n']} rows, {about[name]} {what}{share}"
    return f"{about['n']} rows"


def _leading(known: Assessment | None) -> list[str]:
    """Return the columns without which the AUC falls beyond chance, the largest first."""
    return [one.column for one in known.importance if one.drop.low > 0][:NAMED] if known else []


def _points(model: Model) -> Iterator[Part]:
    """Yield what points mean, what rounding costs, and the points of cells that rows had."""
    card = model.scorecard
    if card is None:
        return
    yield f"{card.scaling}; a row has {card.base} to {card.most} points, the sum of those below."
    yield card.quality
    lines: list[list[Value]] = [[BASE, "", card.base, None, None]]
    for one in card.lines:
        share = None if one.rows is None else (one.positives or 0) / one.rows
        if share is not None or one.value not in (MISSING, OTHERS):
            lines.append([one.attribute, one.value, one.points, one.rows, share])
    header = ("attribute", "value", "points", "rows", SEEN)
    yield Grid(header, lines, ("", "", "d", "d", ".3f"))
    yield "Cells that few rows had, or none, have points too: the file of points has all."


def _classes(model: Model) -> Iterator[Part]:
    """Yield the AUC of each class against the rest, and the ROC curves."""
    if len(model.functions) == 1:
        return
    each = [*by_class(model)]
    yield _with_intervals(
        ("class", "rows"),
        [[label, one.provenance.get("n_pos")] for label, one in each],
        ("", "d"),
        "AUC against the rest",
        [one.auc for _, one in each],
    )
    known = {label: one.function.assessment for label, one in each[:MOST_CURVES]}
    curves = {label: roc_of(one) for label, one in known.items() if one is not None}
    if curves:
        title = "ROC curves, each class against the rest"
        yield Chart(title, "false positive rate", "sensitivity", curves, diagonal=True)


def _thresholds(model: Model) -> Iterator[Part]:
    """Yield what other thresholds would do."""
    known, point = model.function.assessment, model.function.operating
    if point is None:
        return
    own = Cut(threshold=model.function.threshold, tp=point.tp, fp=point.fp)
    rows, positives = point.tp + point.fp + point.fn + point.tn, point.tp + point.fn
    same = known is not None and known.rows == rows  # counted on the same rows
    cuts = {own, *(known.cuts[k] for k in known.flags)} if known and same else {own}
    ordered = sorted(cuts, key=lambda cut: (-cut.threshold, cut.tp + cut.fp))
    header = [f"flagged of {PER} rows", "threshold", *SHARES, "false per true positive"]
    lines: list[list[Value]] = []
    for cut in ordered:
        flagged = cut.tp + cut.fp
        line: list[Value] = [PER * flagged / rows, cut.threshold]
        line += [cut.tp / positives, 1 - cut.fp / (rows - positives)]
        line += [cut.tp / flagged if flagged else None, cut.fp / cut.tp if cut.tp else None]
        lines.append(line)
    forms = [".3g", ".6g", ".3f", ".4f", ".3f", ".3g"]
    aim = point.aim
    if aim.cost_fp is not None and aim.cost_fn is not None:
        header, forms = [*header, f"cost of {PER} rows"], [*forms, ".4g"]
        for line, cut in zip(lines, ordered, strict=True):
            cost = aim.cost_fp * cut.fp + aim.cost_fn * (positives - cut.tp)
            line.append(PER * cost / rows)
    yield Grid(header, lines, forms, best=[cut == own for cut in ordered])
    yield f"The threshold of the model is {own.threshold:.6g}."


def _ranking(model: Model) -> Iterator[Part]:
    """Yield the ROC curve, and precision against sensitivity."""
    known = model.function.assessment
    if known is None or not known.cuts:
        return
    solver = str(model.provenance.get("solver", SAID))
    roc = {solver: roc_of(known)}
    yield Chart("ROC curve", "false positive rate", "sensitivity", roc, diagonal=True)
    tp, fp = (np.array([getattr(cut, name) for cut in known.cuts], float) for name in ("tp", "fp"))
    recall, share = tp / known.positives, known.positives / known.rows
    pr = {solver: ([*recall], [*tp / (tp + fp)]), "rows at random": ([0, 1], [share, share])}
    yield Chart("Precision and sensitivity", "sensitivity", "precision", pr)


def roc_of(known: Assessment) -> tuple[list[float], list[float]]:
    """Return false positive rates and sensitivities of the ROC curve."""
    negatives = known.rows - known.positives
    fpr = [cut.fp / negatives for cut in known.cuts]
    return [0.0, *fpr], [0.0, *(cut.tp / known.positives for cut in known.cuts)]


def _probabilities(model: Model) -> Iterator[Part]:
    """Yield the reliability curve."""
    curve = model.function.reliability
    if curve is None:
        return
    yield (
        f"The expected calibration error is {curve.error:.3g}; true probabilities would have "
        f"{curve.chance:.3g} by chance."
    )
    x = [group.probability for group in curve.groups]
    seen = [group.positive for group in curve.groups]
    lines, bands = {SEEN: (x, [one.estimate for one in seen])}, {SEEN: _band(seen)}
    yield Chart("Reliability curve", "probability", SEEN, lines, bands=bands, diagonal=True)


def _columns(model: Model) -> Iterator[Part]:
    """Yield the one list of columns; of a model without importance and effects its features."""
    function = model.function
    known, most = function.assessment, SHOWN
    if known is not None and known.importance:
        how = {
            SHUFFLED: "if the values of a column are shuffled (permutation importance)",
            REMOVED: "if the effect of a column is removed from the score",
        }
        yield (
            f"Importance: how far the {known.measure} falls on {known.sampled} held-out rows "
            f"{how[known.how]}. Correlated columns share their importance."
        )
    effects = {shape.name: effect_text(shape) for shape in function.shapes}
    drops = {one.column: one.drop for one in known.importance} if known is not None else {}
    names = [*dict.fromkeys((*drops, *effects))]
    if not names:
        yield from _features(model, most)
        return
    count, some = max(len(names), known.columns if known else 0), names[:most]
    yield _with_intervals(
        ("column", "effect"),
        [[name, effects.get(name)] for name in some],
        ("", ""),
        "importance",
        [drops.get(name) for name in some],
        title=f"{len(some)} of {count} columns" if count > len(some) else "",
    )


def _features(model: Model, most: int) -> Iterator[Part]:
    """Yield the features that count most, of a model without importance and effects."""
    names, counts, weights = model.feature_names(), feature_weights(model), model.function.weights
    if names is None or counts is None:
        yield "A kernel machine: its weights belong to landmarks, not to columns."
        return
    signed = counts if weights is None else np.copysign(counts, weights)
    order = np.argsort(-counts, kind="stable")[:most]
    title = f"{order.size} of {counts.size} features" if counts.size > order.size else ""
    what = "share of splits" if weights is None else "weight × spread"
    lines: list[list[Value]] = [[names[k], float(signed[k])] for k in order]
    yield Grid(("feature", what), lines, ("", ".4g"), title=title)


def effect_text(shape: EffectShape) -> str:
    """Return a curve of blocks with its ends, or some levels; then the lowest and the highest."""
    sign = "+" if shape.unit == ADDED else ""
    span = f"{min(shape.effect):{sign}.3g} to {max(shape.effect):{sign}.3g}"
    if len(shape.axes) > 1:
        return f"both columns: {span}"
    [axis], effect = shape.axes, shape.effect
    named = sorted({*range(len(effect))} - {*axis.line}, key=lambda k: -effect[k])
    levels = [f"{axis.texts[k]} {effect[k]:{sign}.3g}" for k in named[:LEVELS]]
    levels += ["…"] if len(named) > LEVELS else []
    if not axis.line:
        return ", ".join(levels)
    some = np.linspace(0, len(axis.line) - 1, min(WIDE, len(axis.line))).astype(int)
    blocks = sparkline([effect[axis.line[k]] for k in some], min(effect), max(effect))
    ends = f"{axis.texts[axis.line[0]]} {blocks} {axis.texts[axis.line[-1]]} ({span})"
    return ", ".join([ends, *levels])


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """Return one block for each value, from the lowest at `low` to the highest at `high`."""
    room = (high - low) or 1.0
    steps = (round((len(BLOCKS) - 1) * (value - low) / room) for value in values)
    return "".join(BLOCKS[min(max(step, 0), len(BLOCKS) - 1)] for step in steps)


def _effects(model: Model) -> Iterator[Part]:
    """Yield a curve for each number, a table for each category, a heat map for two columns."""
    found = model.function.shapes
    if not found:
        return
    unit = found[0].unit
    if unit == ADDED:
        yield (
            "The score is the sum of these effects, and each is 0 in the mean over the training "
            "rows. Correlated columns share their effect."
        )
    else:
        yield f"The mean {unit} if a column has this value in all rows (partial dependence)."
    yield from (_curve_chart(shape) for shape in found if is_curve(shape))
    yield from _named_places([shape for shape in found if len(shape.axes) == 1], unit)
    yield from (_heat_map(shape) for shape in found if len(shape.axes) > 1)


def _named_places(shapes: Sequence[EffectShape], unit: str) -> Iterator[Grid]:
    """Yield a table of levels, dates, single numbers and missing cells."""
    lines: list[list[Value]] = []
    for shape in shapes:
        [axis] = shape.axes
        for k in [k for k in range(len(shape.effect)) if k not in axis.line or not is_curve(shape)]:
            share = axis.positives[k] / axis.rows[k] if axis.positives else None
            lines.append([shape.name, axis.texts[k], axis.rows[k], share, shape.effect[k]])
    if lines:
        form = "+.4f" if unit == ADDED else ".4f"
        yield Grid(("column", "value", "rows", SEEN, unit), lines, ("", "", "d", ".3f", form))


def is_curve(shape: EffectShape) -> bool:
    """Whether a line can be drawn: one column of numbers or dates."""
    return len(shape.axes) == 1 and len(shape.axes[0].line) > 1


def _curve_chart(shape: EffectShape) -> Chart:
    """Return the chart of an effect, of a probability with the share of positives beside it."""
    [axis] = shape.axes
    x, name = [float(axis.values[k] or 0.0) for k in axis.line], axis.column
    if axis.kind == "date":
        x, name = [EPOCH + seconds / YEAR for seconds in x], f"{name}, year"
    lines: dict[str, Any] = {shape.name: (x, [shape.effect[k] for k in axis.line])}
    bands = {}
    if shape.unit == "probability" and axis.positives:
        seen = [wilson(axis.positives[k], axis.rows[k], LEVEL) for k in axis.line]
        lines = {SAID: lines[shape.name], SEEN: (x, [one.estimate for one in seen])}
        bands = {SEEN: _band(seen)}
    return Chart(shape.name, name, shape.unit, lines, bands=bands)


def _heat_map(shape: EffectShape) -> Grid:
    """Return a heat map: a line for each place of the first column, shaded by the effect."""
    first, second = shape.axes
    most = max(map(abs, shape.effect)) or 1.0
    lines: list[list[Value]] = [
        [text, *row.tolist()] for text, row in zip(first.texts, shape.table, strict=True)
    ]
    return Grid(
        (f"{first.column} \\ {second.column}", *second.texts),
        lines,
        ("", *["+.2f"] * len(second.values)),
        shades=[[None, *(row / most).tolist()] for row in shape.table],
        title=shape.name,
    )


def _groups(model: Model) -> Iterator[Part]:
    """Yield the AUC of groups of rows."""
    known = model.function.assessment
    if known is None or not known.groups:
        return
    yield (
        f"AUC of the held-out rows that share a value, at least {SMALLEST} of them. Others: the "
        f"AUC of all other rows. p: p-value of “both are equal”, adjusted for {len(known.groups)} "
        "groups."
    )
    yield _with_intervals(
        ("column", "value", "rows", "positives", "others", "p"),
        [[g.column, g.level, g.rows, g.positives, g.others, g.p] for g in known.groups],
        ("", "", "d", "d", ".4f", ".2g"),
        "AUC",
        [one.auc for one in known.groups],
    )


def _provenance(model: Model) -> Iterator[Part]:
    """Yield what the model was made of."""
    about = model.provenance
    known = {
        "solver": about.get("solver"),
        "features": about.get("features"),
        "trained on": about.get("trained_on"),
        "data": about.get("data"),
        "hash of the data": about.get("data_hash"),
        "seed": about.get("seed"),
        "date": about.get("date"),
        **{name: about.get(name) for name in ("aucbench",)},
        **about.get("versions", {}),
    }
    lines = [[name, str(value)] for name, value in known.items() if value not in (None, "")]
    if lines:
        yield Grid(("what", "value"), lines, ("", ""))
    if left := about.get("left_out"):
        pairs = [[*pair] for pair in left.items()]
        yield Grid(("column", "why it is left out"), pairs, ("", ""))


def _limits(model: Model) -> Iterator[str]:
    """Yield what the page does not know."""
    first = model.functions[0]
    lacking: dict[str, object] = {f"its {model.measure}": model.auc}
    if model.decides:
        lacking["curves, importance and groups"] = first.assessment
    absent = [what for what, known in lacking.items() if known is None]
    if absent:
        yield f"The file does not say {', '.join(absent)}: this was not kept when it was made."
    if model.auc is not None:
        yield (
            f"The {model.measure} and its interval are those of models fitted to a part of the "
            "rows, as a fit to all rows leaves none for a test. Intervals say what other rows of "
            "the same kind would give, and nothing of change."
        )
    if first.shapes:
        yield (
            "An effect is what the model makes of a column, and no cause: a column may stand for "
            "another one."
        )


Maker = Callable[["Model"], Iterator[Part]]
BRIEF: dict[str, Maker] = {"Thresholds": _thresholds, "Columns": _columns}
DETAILS: dict[str, Maker] = {
    "Effects": _effects,
    "Ranking": _ranking,
    "Probabilities": _probabilities,
    "Groups of rows": _groups,
}


def _band(seen: Sequence[Interval]) -> tuple[list[float], list[float]]:
    return [one.low for one in seen], [one.high for one in seen]


def _with_intervals(
    header: Sequence[str],
    lines: Sequence[Sequence[Value]],
    forms: Sequence[str],
    what: str,
    intervals: Sequence[Interval | None],
    title: str = "",
) -> Grid:
    """Return a table with a number and its interval at the end of each line."""
    whole, spans = list[list[Value]](), list[Span]()
    for line, one in zip(lines, intervals, strict=True):
        if one is None or isnan(one.low):
            whole.append([*line, None if one is None else one.estimate, NOTHING])
            spans.append(None)
        else:
            whole.append([*line, one.estimate, f"{one.low:.4f} to {one.high:.4f}"])
            spans.append((one.low, one.estimate, one.high))
    heads = (*header, what, "95 % interval")
    return Grid(heads, whole, (*forms, ".4f", ""), spans=spans, title=title)
