"""The target of binary labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Block, Vector, lock
from aucbench.errors import DataError, one_class, require_both_classes
from aucbench.stats.labels import counted, label_vector, plain_signs, several, shown_labels, usual
from aucbench.stats.vectors import even_classes

ORDERED = "; or, if they are in an order, read them as grades, --labels grades"
REST = "rest"  # as `negative`: every label that is not positive
LAST = "last"  # as `pos_label`: the larger label, which functions of scikit-learn take


@dataclass(frozen=True, eq=False)
class RowTarget:
    """A target with a value for each row: what its kinds share.

    They are frozen dataclasses with a field `weights`, whose arrays cannot be written.
    """

    of_rows: ClassVar[tuple[str, ...]] = ("y",)  # fields with a value for each row

    def __post_init__(self) -> None:
        lock(self, *vars(self))

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(getattr(self, self.of_rows[0]).size)

    def take(self, block: Block) -> Self:
        """Return some rows, in the order given.

        Raises
        ------
        DataError
            As `require_pairs`.
        """
        arrays = {name: getattr(self, name) for name in (*self.of_rows, "weights")}
        taken = {name: x[block] for name, x in arrays.items() if x is not None}
        some = replace(self, **{name: np.ascontiguousarray(x) for name, x in taken.items()})
        some.require_pairs()
        return some

    def require_pairs(self) -> None:
        """Raise `DataError` when no two rows can be compared."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Labels(RowTarget):
    """Binary labels of both classes, and what each row counts for.

    Attributes
    ----------
    y : array of shape (n,), int8 in {-1, +1}
        The label of each row.
    weights : array of shape (n,), or None
        What each row counts for, above 0; None: all count the same. A pair of rows counts for the
        product of their weights.
    """

    what: ClassVar[str] = "labels"  # for people

    y: NDArray[np.int8]
    weights: Vector | None = None

    @property
    def numbers(self) -> dict[str, int]:
        """How much there is of it, by name."""
        return {"n_pos": self.n_pos}

    @property
    def size(self) -> str:
        """The same for people."""
        return f"{self.n_pos} positive ({self.n_pos / self.n:.1%})"

    @property
    def strata(self) -> NDArray[np.int8]:
        """What the parts of a split have in the same shares: the classes."""
        return self.y

    @cached_property
    def n_pos(self) -> int:
        """n_+, the number of positives."""
        return int(np.count_nonzero(self.y > 0))

    @property
    def n_neg(self) -> int:
        """n_-, the number of negatives."""
        return self.y.size - self.n_pos

    @property
    def p(self) -> float:
        """n_+ / n, the share of positives (called r in the SHT-AUC paper)."""
        return self.n_pos / self.y.size

    @cached_property
    def shares(self) -> Vector:
        """The share of each row in the weight of its class, (n,): 1/n_y without weights."""
        positive = self.y > 0
        if self.weights is None:
            return np.where(positive, 1.0 / self.n_pos, 1.0 / self.n_neg)
        weights = even_classes(self.weights, positive)
        masses = weights[positive].sum(), weights[~positive].sum()
        shares: Vector = weights / np.where(positive, *masses)
        return shares

    @cached_property
    def counts(self) -> tuple[float, float]:
        """How many rows of equal weight tell as much, positive and negative (Kish).

        1 / Σ a_i² with the shares a_i in the class: n_+ and n_- without weights.
        """
        if self.weights is None:
            return float(self.n_pos), float(self.n_neg)
        squares, positive = self.shares**2, self.y > 0
        return 1.0 / float(squares[positive].sum()), 1.0 / float(squares[~positive].sum())

    @staticmethod
    def of(
        y: Any, positive: Any = None, negative: Any = None, weights: Vector | None = None
    ) -> Labels:
        """Check labels and encode them as -1 and +1.

        Parameters
        ----------
        y : array of shape (n,)
            The labels. Text loses the spaces around it.
        positive, negative : label or list of labels, optional
            The two classes, see `Classes.of`.
        weights : array of shape (n,), optional
            As the attribute, checked by `aucbench.stats.vectors.row_weights`.

        Raises
        ------
        DataError
            When a label is missing, when there is only one class, or when it is not clear which
            labels are positive.
        """
        raw = label_vector(y)
        if positive is None and negative is None and (mask := plain_signs(raw)) is not None:
            return Labels.of_mask(mask, weights)
        return Labels.of_mask(Classes.of(counted(raw), positive, negative).holds(raw), weights)

    @staticmethod
    def of_mask(mask: NDArray[np.bool_], weights: Vector | None = None) -> Labels:
        """Labels from a mask of the positive rows.

        Raises
        ------
        DataError
            When there is only one class.
        """
        labels = Labels(np.where(mask, np.int8(1), np.int8(-1)), weights)
        labels.require_pairs()
        return labels

    def require_pairs(self) -> None:
        """Raise `DataError` when there is only one class."""
        require_both_classes(self.n_pos, self.n)


@dataclass(frozen=True, slots=True)
class Classes:
    """Which labels are positive, and which are negative."""

    positive: tuple[Any, ...]  # both together are all labels that occur
    negative: tuple[Any, ...]

    def holds(self, raw: NDArray[Any]) -> NDArray[np.bool_]:
        """Return the mask of the positive rows among labels that `label_vector` returned."""
        return np.isin(raw, [*self.positive])

    @staticmethod
    def of(counts: Mapping[Any, int], positive: Any = None, negative: Any = None) -> Classes:
        """Divide the labels that occur into two classes.

        Two labels need no options if they are -1 and 1, 0 and 1, truth values, or a pair of
        words such as no and yes. Two others need the name of one of them. More than two need
        both options.
        """
        labels = sorted(counts, key=lambda label: (str(type(label)), label))
        chosen = several(positive)
        if chosen is not None and isinstance(negative, str) and negative == REST:
            others: list[Any] | None = [label for label in labels if label not in chosen]
        else:
            others = several(negative)
        for name, wanted in (("positive", chosen), ("negative", others)):
            for label in wanted or ():
                if label not in counts:
                    known = shown_labels(counts, labels)
                    raise DataError(f"{name}={label!r} is no label: the labels are {known}")
        if chosen is None and others is None:
            chosen = usual(labels)
            others = None if chosen is None else [one for one in labels if one not in chosen]
        if chosen is None and others is not None and len(labels) <= 2:
            chosen = [label for label in labels if label not in others]
        if others is None and chosen is not None and len(labels) <= 2:
            others = [label for label in labels if label not in chosen]
        if len(labels) == 1 and (chosen is None or others is None):
            raise one_class(counts[labels[0]], repr(labels[0]))
        if chosen is None or others is None:
            raise DataError(
                f"the labels are {shown_labels(counts, labels)}; say which are positive and which "
                f"are negative, {_example(counts, labels, chosen)}"
            )
        if both := [label for label in chosen if label in others]:
            raise DataError(f"the label {both[0]!r} is both positive and negative; give it once")
        if left := [label for label in labels if label not in chosen and label not in others]:
            raise DataError(
                f"neither positive nor negative is {shown_labels(counts, left)}; name these labels "
                "too, or say that all others are negative: --negative rest (in Python "
                "negative='rest')"
            )
        return Classes(tuple(chosen), tuple(others))


def ordered_classes(counts: Mapping[Any, int], pos_label: Any = None) -> tuple[Any, ...]:
    """Return the labels that occur in their order; of two, the positive one last.

    Parameters
    ----------
    counts : mapping of label to int
        How often each label occurs.
    pos_label : label, optional
        The positive one of two; `LAST` stands for the larger one. None: labels such as 0 and 1, or
        no and yes, say it.

    Raises
    ------
    DataError
        When there is one label; when `pos_label` is none of two labels, or is given for more; when
        it is None, and two labels do not say which is positive.
    """
    labels = sorted(counts)
    if len(labels) < 2:
        raise one_class(sum(counts.values()), repr(next(iter(labels), None)))
    last = isinstance(pos_label, str) and pos_label == LAST and LAST not in labels
    if len(labels) > 2 and (pos_label is None or last):
        return tuple(labels)
    if len(labels) > 2:
        raise DataError(
            f"pos_label={pos_label!r} says which of two classes is positive, and y has "
            f"{len(labels)} classes; leave it out"
        )
    known = shown_labels(counts, labels)
    if pos_label is None and not usual(labels):
        rare = min(labels, key=lambda label: counts[label])
        raise DataError(
            f"the labels are {known}; say which is positive, for example pos_label={rare!r}, or "
            f"pos_label={LAST!r} for the larger one"
        )
    wanted = labels[-1:] if last else [pos_label] if pos_label is not None else usual(labels)
    positive = [label for label in labels if label in (wanted or ())]
    if not positive:
        way = f"; what hands over labels as 0 and 1, as cross_val_predict, takes y == {pos_label!r}"
        raise DataError(
            f"pos_label={pos_label!r} is no label: the labels are {known}"
            + way * ({*labels} == {0, 1})
        )
    return (*(label for label in labels if label not in positive), *positive)


def label_places(labels: NDArray[Any], known: Sequence[Any]) -> NDArray[np.int32]:
    """Return the place of each label (n,) among those that are known.

    Raises
    ------
    DataError
        When there is another one.
    """
    if strange := {*counted(labels)} - {*known}:
        raise DataError(
            f"there is a label {min(strange, key=str)!r} and the known ones are {[*known]}; give "
            "labels as they were given at first"
        )
    places = np.zeros(labels.size, np.int32)
    for place, label in enumerate(known):
        places[labels == label] = place
    return places


def side_of(y: Any, positive: Any = None) -> NDArray[np.int8]:
    """Encode the labels of some rows as -1 and +1; a class may be missing."""
    raw = label_vector(y)
    if positive is not None:
        mask = np.isin(raw, several(positive) or [])
    elif strange := {*raw.tolist()} - {-1, 0, 1}:
        raise DataError(
            f"there is a label {min(strange, key=str)!r}; say with positive= which labels are "
            "positive"
        )
    else:
        mask = raw > 0
    return np.where(mask, np.int8(1), np.int8(-1))


def _example(counts: Mapping[Any, int], labels: Sequence[Any], chosen: list[Any] | None) -> str:
    """Return how to name the classes: as asked, or with the rarest label as the positive one."""
    first = chosen or [min(labels, key=lambda label: counts[label])]
    words = {str(label).casefold() for label in first}
    alike = [label for label in labels if str(label).casefold() in words]
    others = [label for label in labels if label not in alike]
    named = ",".join(map(str, alike))
    if len(labels) == 2:
        return f"for example --positive {named} (in Python positive={first[0]!r})"
    return (
        f"for example --positive {named} --negative {','.join(map(str, others[:2]))}, or "
        f"--positive {named} --negative {REST} (in Python positive={alike!r}, "
        f"negative={REST!r}); or give each class a score of its own, --labels classes (in Python "
        "labels='classes', or Categories.of(y) as y)" + (ORDERED if _are_numbers(counts) else "")
    )


def _are_numbers(counts: Mapping[Any, int]) -> bool:
    return all(isinstance(label, int | float) and not isinstance(label, bool) for label in counts)
