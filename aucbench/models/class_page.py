"""What a model of three or more classes says of itself: plain values, lines, and its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aucbench.errors import shown
from aucbench.models.explain import explanation as of_one
from aucbench.models.explain import kind_of, most_counting, origin_lines, share_text, warning_lines
from aucbench.models.model import Model
from aucbench.models.page import matters, range_of, roc_of, shape_parts, span_of
from aucbench.models.score_function import finite
from aucbench.report.document import Chapter, Grid, grid
from aucbench.report.render import InlinePage, sections_to_html
from aucbench.report.sections import Chart

MOST_LINES = 30  # of a chart
FEW = 6  # effects of each class
SHOWN = 5  # features of a class
DECISION = (
    "decision: the class with the largest probability against the rest; each class has a sigmoid "
    "calibration of its own"
)


def page_of(model: Model, title: str = "") -> InlinePage:
    """Return the page of a model; parameters and errors are those of `page.page_of`."""
    title = title or f"Model: {model.provenance.get('solver', 'of unknown origin')}"
    told = {"answer": [*_answer(model)], "warnings": [*warnings(model)]}
    content = sections_to_html(title, [*_facts(model)], chapters(model), **told)
    return InlinePage(content, title)


def chapters(model: Model) -> list[Chapter]:
    """Return what is known of a model; a chapter without content is not there."""
    told: list[tuple[str, list[str | Grid | Chart]]] = [("Classes", [*_classes(model)])]
    for label, one in each_class(model):
        told.append((f"Class {label} against the rest", [*matters(one), *shape_parts(one, FEW)]))
    told.append(("Origin", [*_origin(model)]))
    return [Chapter(title, "", tuple(parts)) for title, parts in told if parts]


def each_class(model: Model) -> Iterator[tuple[Any, Model]]:
    """Yield the label of each class, and the model of this class against the rest."""
    for k, labels in enumerate(model.labels):
        yield labels[0], model.against_rest(k)


def _facts(model: Model) -> Iterator[str]:
    about = model.provenance
    if "n" in about:
        yield (
            f"Learnt from {about.get('data', 'a table')}: {about['n']} rows, {len(model.labels)} "
            f"classes, {model.width} columns."
        )
    if about.get("label"):
        yield f"Label: {about['label']}."


def _answer(model: Model) -> Iterator[str]:
    if model.auc is not None:
        yield f"{measure_of(model)} {share_text(model.auc)} on {model.auc_rows}."
    yield f"{DECISION[0].upper()}{DECISION[1:]}."


def _classes(model: Model) -> Iterator[Grid | Chart]:
    yield grid(
        ("class", "share of the rows", "AUC against the rest", "95 % interval"),
        [_line(label, one) for label, one in each_class(model)],
        ("", ".1%", ".4f", ""),
        spans=[None if one.auc is None else span_of(one.auc) for _, one in each_class(model)],
    )
    known = each_class(model)
    curves = {
        str(label): roc_of(one.function.assessment)
        for label, one in known
        if one.function.assessment
    }
    if curves:
        some = dict([*curves.items()][:MOST_LINES])
        title = "ROC curves, each class against the rest"
        yield Chart(title, "false positive rate", "sensitivity", some, diagonal=True)


def _line(label: Any, one: Model) -> list[str | float | None]:
    about = one.provenance
    share = about["n_pos"] / about["n"] if "n_pos" in about else None
    if one.auc is None:
        return [str(label), share, None, ""]
    return [str(label), share, one.auc.estimate, range_of(one.auc)]


def _origin(model: Model) -> Iterator[str]:
    about = model.provenance
    yield from map(str, about.get("choice", ()))
    made = [f"aucbench {about['aucbench']}" if "aucbench" in about else "", about.get("date", "")]
    if any(made):
        yield f"Made by {', '.join(filter(None, made))}."


def measure_of(model: Model) -> str:
    """Return the name of what the model was judged by."""
    return str(model.provenance.get("measure", "Hand–Till M"))


def explanation(model: Model) -> dict[str, Any]:
    """Return what is known of a model, as JSON holds it.

    Returns
    -------
    dict
        kind : "classes".
        labels, auc, auc_rows, keeps_rows, provenance :
            As the attributes of `Model`.
        classes : list of K mappings
            As `aucbench.models.explain.explanation`, of each class against the rest.
    """
    plain = model.to_tree()
    return {
        "kind": "classes",
        "labels": [labels[0] for labels in model.labels],
        "measure": measure_of(model),
        "auc": plain["auc"],
        "auc_rows": model.auc_rows,
        "columns": [*(model.columns or ())],
        "keeps_rows": model.keeps_rows,
        "classes": [of_one(one) for _, one in each_class(model)],
        "provenance": finite(model.provenance),
    }


def line(model: Model) -> str:
    """Return what the model is, in one line."""
    about = model.provenance
    origin = f" of {about['data']}" if "data" in about else ""
    auc = "" if model.auc is None else f", {measure_of(model)} {model.auc.estimate:.4f}"
    solver = about.get("solver", "a model")
    return shown(
        f"<Model {solver}: {len(model.labels)} classes, {model.width} columns{origin}{auc}>"
    )


def lines(model: Model) -> Iterator[str]:
    """Yield the explanation for people, a line at a time."""
    about = model.provenance
    solver = about.get("solver", "a model")
    yield f"{solver}, features {about.get('features', 'as they are')}, {len(model.labels)} classes"
    yield from origin_lines(about)
    yield from (f"  {sentence}" for sentence in about.get("choice", ()))
    if model.auc is not None:
        yield f"{measure_of(model)} {share_text(model.auc)} on {model.auc_rows}"
    if about.get("trained_on"):
        yield f"trained on {about['trained_on']}: the solver ignores weights of rows"
    yield DECISION
    yield "each class against the rest, on rows that did not train it:"
    for label, one in each_class(model):
        yield f"  class {label}: {_share(one)}"
        yield f"    {_counts_most(one)}"
    yield from (f"warning: {warning}" for warning in warnings(model))


def warnings(model: Model) -> Iterator[str]:
    """Yield what may be wrong, each sentence once."""
    yield from dict.fromkeys(told for _, one in each_class(model) for told in warning_lines(one))


def _share(one: Model) -> str:
    told = [] if one.auc is None else [f"AUC {share_text(one.auc)}"]
    about = one.provenance
    if "n_pos" in about:
        told.append(f"{about['n_pos'] / about['n']:.1%} of the rows")
    return ", ".join(told) or "not judged"


def _counts_most(one: Model) -> str:
    """Return the features that count most for a class, with the signs of their weights."""
    features = most_counting(one)
    if not features:
        return f"a {kind_of(one)} machine: its weights belong to landmarks, not to features"
    what = {"trees": "share of splits"}.get(kind_of(one), "weight × spread")
    return f"{what}: {', '.join(f'{name} {count:.3g}' for name, count in features[:SHOWN])}"
