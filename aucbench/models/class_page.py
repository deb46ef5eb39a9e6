"""The page of a model of three or more classes: the classes side by side, and each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aucbench.models.class_lines import DECISION, measure_of, warnings
from aucbench.models.classes import ClassModel
from aucbench.models.explain import share_text
from aucbench.models.model import Model
from aucbench.models.page import matters, range_of, roc_of, span_of
from aucbench.models.shape_page import shape_parts
from aucbench.report.document import Chapter, Grid, grid
from aucbench.report.inline_page import InlinePage
from aucbench.report.render import sections_to_html
from aucbench.report.sections import Chart

MOST_LINES = 30  # of a chart
FEW = 6  # effects of each class


def page_of(model: ClassModel, title: str = "") -> InlinePage:
    """Return the page of a model; parameters and errors are those of `page.page_of`."""
    title = title or f"Model: {model.provenance.get('solver', 'of unknown origin')}"
    told = {"answer": [*_answer(model)], "warnings": [*warnings(model)]}
    content = sections_to_html(title, [*_facts(model)], chapters(model), **told)
    return InlinePage(content, title)


def chapters(model: ClassModel) -> list[Chapter]:
    """Return what is known of a model; a chapter without content is not there."""
    told: list[tuple[str, list[str | Grid | Chart]]] = [("Classes", [*_classes(model)])]
    for label, one in zip(model.labels, model.models, strict=True):
        told.append((f"Class {label} against the rest", [*matters(one), *shape_parts(one, FEW)]))
    told.append(("Origin", [*_origin(model)]))
    return [Chapter(title, "", tuple(parts)) for title, parts in told if parts]


def _facts(model: ClassModel) -> Iterator[str]:
    about = model.origin
    if "n" in about:
        yield (
            f"Learnt from {about.get('data', 'a table')}: {about['n']} rows, {len(model.labels)} "
            f"classes, {model.width} columns."
        )
    if about.get("label"):
        yield f"Label: {about['label']}."


def _answer(model: ClassModel) -> Iterator[str]:
    if model.auc is not None:
        yield f"{measure_of(model)} {share_text(model.auc)} on {model.auc_rows}."
    yield f"{DECISION[0].upper()}{DECISION[1:]}."


def _classes(model: ClassModel) -> Iterator[Grid | Chart]:
    yield grid(
        ("class", "share of the rows", "AUC against the rest", "95 % interval"),
        [_line(label, one) for label, one in zip(model.labels, model.models, strict=True)],
        ("", ".1%", ".4f", ""),
        spans=[None if one.auc is None else span_of(one.auc) for one in model.models],
    )
    known = zip(model.labels, model.models, strict=True)
    curves = {str(label): roc_of(one.assessment) for label, one in known if one.assessment}
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


def _origin(model: ClassModel) -> Iterator[str]:
    about = model.provenance
    yield from map(str, about.get("choice", ()))
    made = [f"aucbench {about['aucbench']}" if "aucbench" in about else "", about.get("date", "")]
    if any(made):
        yield f"Made by {', '.join(filter(None, made))}."
