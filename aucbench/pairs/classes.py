"""The pairs of three or more classes, which have a column of scores for each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from aucbench.data import Categories, Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.targets import Labels
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.pairs.kinds import labelled
from aucbench.pairs.members import Members


@dataclass(frozen=True)
class ByClass:
    """Pairs of a row of class k and a row of another class, on column k of the scores (n, K).

    With `each="classes"`, each ordered pair of classes counts the same, and in it each pair of
    rows: the share of these pairs in order is Hand and Till's M. With `each="rest"`, each class
    counts the same, and each row of the rest: the share is the one-vs-rest AUC. A loss of these
    pairs is the mean over k of the loss of class k against the rest, see `solve`.

    Parameters
    ----------
    each : {"classes", "rest"}
        What counts the same.

    Raises
    ------
    ParameterError
        When `each` is something else.

    References
    ----------
    Hand & Till, "A simple generalisation of the area under the ROC curve for multiple class
    classification problems", Machine Learning 45, 2001.
    """

    each: Literal["classes", "rest"] = "classes"

    kind: ClassVar[str] = "class"

    def __post_init__(self) -> None:
        if self.each not in ("classes", "rest"):
            raise ParameterError(f"each is {self.each!r}; give classes or rest")

    @property
    def measure(self) -> str:
        """The metric that is the share of these pairs in order."""
        return "hand-till" if self.each == "classes" else "one-vs-rest"

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Refuse: there is no one vector of scores; see `of_each`.

        Raises
        ------
        UnsupportedError
            Always.
        """
        raise UnsupportedError(
            "pairs of classes have a column of scores for each class; take their members class by "
            "class, by of_each"
        )

    def labels(self, data: Data) -> Iterator[Labels]:
        """Yield for each class k the labels of k against the rest, weighted as the pairs count.

        Raises
        ------
        DataError
            When the target is not of three or more classes.
        """
        target = data.target
        if not isinstance(target, Categories):
            raise DataError(
                f"the pairs are those of three or more classes, and the target is {target.what}; "
                "leave --pairs class out, or read each label as a class with --labels classes"
            )
        for k in range(target.k):
            yield target.against_rest(k, even=self.each == "classes")

    def of_each(self, data: Data) -> Iterator[Members]:
        """Yield for each class k the pairs on column k; the mean over k is over all pairs."""
        for labels in self.labels(data):
            yield labelled(replace(data, target=labels), ALL)


@dataclass(frozen=True, eq=False)
class Weighted:
    """Pairs of a positive and a negative, each of which counts for the product of its weights.

    They are those of class k against the rest, for a solver that draws pairs and takes no weights
    of rows: each pair is drawn by what it counts.

    Attributes
    ----------
    weights : array of shape (n,)
        What each row counts for, above 0.
    """

    weights: Vector

    kind: ClassVar[str] = "class"
    measure: ClassVar[str] = "auc"

    def take(self, block: Block) -> Weighted:
        """Return the same for some rows, as `Data.take` asks for it."""
        return Weighted(self.weights[block])

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return all pairs of two classes as one block."""
        labels = Labels(data.labels.y, self.weights)
        return labelled(replace(data, target=labels, pairs=None), rows)
