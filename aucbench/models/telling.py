"""What commands ask of a model, whether it has two classes or more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from aucbench.models.classes import ClassesScored, ClassModel
from aucbench.models.incoming import NOTHING, Scored, label_of
from aucbench.models.incoming import answered as answered_by_one
from aucbench.models.incoming import scored as scored_by_one
from aucbench.models.model import Model

if TYPE_CHECKING:
    from pandas import DataFrame

    from aucbench.report.inline_page import InlinePage

MOST_COUNTED = 8  # classes whose rows are counted in a line


def scored(
    model: Model | ClassModel,
    frame: Any,
    *,
    named: bool = True,
    uneven: Mapping[int, int] = NOTHING,
) -> Scored | ClassesScored:
    """Score the rows of a data frame; parameters and errors are those of `incoming.scored`."""
    if isinstance(model, ClassModel):
        return model.scored(frame, named=named, uneven=uneven)
    return scored_by_one(model, frame, named=named, uneven=uneven)


def answered(model: Model | ClassModel, result: Scored | ClassesScored) -> DataFrame:
    """Return a data frame with scores, decision and problem of each row."""
    if isinstance(model, ClassModel):
        assert isinstance(result, ClassesScored)
        return model.answered(result)
    assert isinstance(result, Scored)
    answer: DataFrame = answered_by_one(model, result)
    return answer


class Decided:
    """How many rows have which decision."""

    def __init__(self, model: Model | ClassModel):
        self._model, self._count = model, Counter[Any]()

    def add(self, answer: DataFrame) -> None:
        """Count the decisions of some rows; a row without a score has none."""
        decisions = answer.get("decision", ())
        self._count.update(decision for decision in decisions if decision is not None)

    def __str__(self) -> str:
        """Return ": " and the counts, of the positive class or of all; empty without decisions."""
        if isinstance(self._model, Model):
            return f": {self._flagged} {self._positive}" if self._model.decides else ""
        told = [f"{self._count[label]} {label}" for label in self._model.labels[:MOST_COUNTED]]
        more = len(self._model.labels) - MOST_COUNTED
        return ": " + ", ".join(told) + (f" and {more} more classes" if more > 0 else "")

    def surprise(self, scored: int) -> str:
        """Return what is strange about the number of flagged rows; mostly empty."""
        if isinstance(self._model, ClassModel) or self._model.operating is None:
            return ""
        return self._model.operating.surprise(self._flagged, scored)

    @property
    def _positive(self) -> Any:
        assert isinstance(self._model, Model)
        return label_of(self._model.positive, "positive")

    @property
    def _flagged(self) -> int:
        return self._count[self._positive]


def lines(model: Model | ClassModel) -> Iterator[str]:
    """Yield the explanation for people, a line at a time."""
    from aucbench.models import class_lines, explain

    return class_lines.lines(model) if isinstance(model, ClassModel) else explain.lines(model)


def explanation(model: Model | ClassModel) -> dict[str, Any]:
    """Return what is known of a model, as JSON holds it."""
    from aucbench.models import class_lines, explain

    if isinstance(model, ClassModel):
        return class_lines.explanation(model)
    return explain.explanation(model)


def page_of(model: Model | ClassModel, title: str = "") -> InlinePage:
    """Return the page of a model; parameters and errors are those of `page.page_of`."""
    from aucbench.models import class_page, page

    if isinstance(model, ClassModel):
        return class_page.page_of(model, title)
    return page.page_of(model, title)
