"""What `aucbench fit` prints, in at most 30 lines: the table, the comparison, and the decision.

Everything else that is known of a model is in its explanation.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from math import isnan
from typing import Any

from aucbench.data import Data, Labels, Survival
from aucbench.data.understood import by_kind, remark_of
from aucbench.models.candidates import Candidate, Place, best_of
from aucbench.models.model import Model
from aucbench.models.operating import Operating
from aucbench.registry.specs import short
from aucbench.report.grid import NOTHING, align_columns
from aucbench.scale import ChunkedData
from aucbench.stats import Interval

INDENT = "  "
PER = 10_000  # rows for which flags are predicted
MOST_SOLVERS, MOST_CLASSES = 6, 6  # lines
OF_TABLE, OF_FIT = 4, 3  # lines of warnings
WIDEST_SOLVER = 36  # characters
SIGNIFICANT = 0.05  # adjusted p-value below which groups differ
WARNING, WARNINGS = "warning: ", "warnings; aucbench explain shows them"


def describe_table(source: str, data: Data | ChunkedData) -> Iterator[str]:
    """Yield what was understood of a table: its size, label, classes, columns, and warnings.

    Parameters
    ----------
    source : str
        Its name or path.
    """
    understood = data.understood
    kinds = f" ({understood.features})" if len(understood.kinds) > 1 else ""
    yield f"{short(source)}: {data.n} rows{_positives(data)}, {data.d} columns{kinds}"
    warnings = []
    for line in understood.lines():
        if line.startswith(WARNING):
            warnings.append(line)
        else:
            yield f"{INDENT}{line}"
    yield from _limited(warnings, OF_TABLE, WARNINGS)


def _positives(data: Data | ChunkedData) -> str:
    if not isinstance(data.target, Labels):
        return ""
    return f", {data.target.n_pos} positive ({100 * data.target.n_pos / data.n:.3g} %)"


def describe_fit(model: Model, shown: Container[str] = ()) -> Iterator[str]:
    """Yield which solvers were compared, why one was chosen, and what the model decides.

    Parameters
    ----------
    shown : container of str
        Lines that were shown before.
    """
    about = model.provenance
    candidates = [Candidate.of_plain(one) for one in about.get("comparison", ())]
    if len(candidates) > 1:
        yield from _table(candidates, model.measure)
    yield from map(str, about.get("choice", ()))
    yield ""
    yield from describe_decision(model)
    warnings = (f"{WARNING}{line}" for line in warning_lines(model))
    new = [line for line in warnings if line not in shown]
    yield from _limited(new, OF_FIT, WARNINGS)


def describe_decision(model: Model) -> Iterator[str]:
    """Yield how good a model is, what it decides, and what that promises."""
    if model.auc is not None:
        yield f"{model.measure} {share_text(model.auc)} on {model.auc_rows}"
    if not model.decides:
        timed = model.provenance.get("target") == Survival.what
        higher = "an earlier event" if timed else "a higher grade"
        yield f"the model ranks rows: a higher score means {higher}"
    elif len(model.functions) > 1:
        yield from _classes(model)
    else:
        yield from _decision(model)


def warning_lines(model: Model) -> Iterator[str]:
    """Yield what may be wrong: a line for each kind of warning about columns."""
    if model.keeps_rows:
        yield (
            "The file holds training rows, scaled: the landmarks of the kernel. Whoever has the "
            "file can read them."
        )
    for label, single in by_class(model):
        of, known = f" of {label} against the rest" if label else "", single.function.assessment
        for one in known.groups if known else ():
            if one.p is not None and one.p < SIGNIFICANT and one.auc.estimate < (one.others or 0.0):
                yield (
                    f"{one.column} = {one.level}: the AUC{of} of these {one.rows} rows is "
                    f"{one.auc.estimate:.3f}, that of the others {one.others:.3f} "
                    f"(p = {one.p:.2g})."
                )
    about = model.provenance
    remarks = [remark_of(*one) for one in about.get("remarks", ())]
    own = {remark.text for remark in remarks}
    yield from (warning for warning in about.get("warnings", ()) if warning not in own)
    yield from by_kind(remarks)


def _limited(lines: Sequence[str], most: int, rest: str) -> Iterator[str]:
    """Yield lines; if there are more than so many, the last one counts the rest."""
    few = lines if len(lines) <= most else lines[: most - 1]
    yield from few
    if len(few) < len(lines):
        yield f"{INDENT}and {len(lines) - len(few)} more {rest}"


def _table(candidates: Sequence[Candidate], measure: str) -> Iterator[str]:
    settings: dict[str, list[Candidate]] = {}
    for one in candidates:
        settings.setdefault(one.name, []).append(one)
    shown = {id(best_of(of_solver)) for of_solver in settings.values()}
    order = [one for one in candidates if id(one) in shown or one.place is Place.CHOSEN]
    order.sort(key=lambda one: -1.0 if one.auc is None else one.auc, reverse=True)
    lines = [("solver", measure, "95 % interval", "")]
    lines += [(_short(one), *_numbers(one), _place(one)) for one in order]
    head, *rows = align_columns(lines, right={1, 2}).split("\n")
    yield head
    yield from _limited(rows, MOST_SOLVERS, "solvers")
    if rest := len(candidates) - len(order):
        yield f"{INDENT}and {rest} other settings of these solvers"


def _short(one: Candidate) -> str:
    """Return its specification; without the parameters if it is too long for a terminal."""
    return one.solver if len(one.solver) <= WIDEST_SOLVER else f"{one.name}[…]"


def _numbers(one: Candidate) -> tuple[str, str]:
    auc = "" if one.auc is None else f"{one.auc:.4f}"
    span = "" if one.low is None or one.high is None else f"{one.low:.3f}–{one.high:.3f}"
    return auc, span


def _place(one: Candidate) -> str:
    return f"{one.place}: {one.reason}" if one.place is Place.FAILED and one.reason else one.place


def _classes(model: Model) -> Iterator[str]:
    yield "a row gets the class with the largest probability; each class against the rest:"
    pairs = zip(model.labels, model.functions, strict=True)
    lines = [
        f"{INDENT}{join_labels(labels)}: AUC {share_text(function.auc)}"
        for labels, function in pairs
        if function.auc is not None
    ]
    yield from _limited(lines, MOST_CLASSES, "classes")


def _decision(model: Model) -> Iterator[str]:
    negative, positive = map(join_labels, model.labels)
    point = model.function.operating
    chosen = "" if point is None else f"; chosen for {point.aim}"
    yield f"score ≥ {model.function.threshold:.6g}: {positive}, else {negative}{chosen}"
    if point is not None:
        yield from _promise(point)


def _promise(point: Operating) -> Iterator[str]:
    yield (
        f"{INDENT}on {point.tp + point.fp + point.fn + point.tn} held-out rows: {point.tp} true "
        f"positives, {point.fp} false positives, {point.fn} false negatives, {point.tn} true "
        "negatives"
    )
    for name in ("sensitivity", "specificity", "precision"):
        yield f"{INDENT}{name:<11} {share_text(getattr(point, name))}"
    flags = point.expected(PER)
    yield (
        f"{INDENT}of the next {PER} rows like these, {flags.low:.0f} to {flags.high:.0f} are "
        "flagged"
    )


def by_class(model: Model) -> Iterator[tuple[str, Model]]:
    """Yield the label and the model of each class against the rest; of one score "" and itself."""
    if len(model.functions) == 1:
        yield "", model
        return
    for k, labels in enumerate(model.labels):
        yield join_labels(labels), model.against_rest(k)


def join_labels(labels: Sequence[Any]) -> str:
    """Return the labels of a class as text."""
    return " or ".join(str(label) for label in labels)


def share_text(share: Interval) -> str:
    """Return a share with its interval: 0.81 (95 %: 0.7 to 0.9)."""
    if isnan(share.estimate):
        return NOTHING
    value, low, high = (f"{x:.4g}" for x in (share.estimate, share.low, share.high))
    return value if isnan(share.low) else f"{value} ({100 * share.level:g} %: {low} to {high})"
