"""The kinds of pairs: groups, survival times and grades."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from aucbench.data import Data
from aucbench.data.arrays import ALL, Block, Vector
from aucbench.data.grades import Grades
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError, ParameterError
from aucbench.pairs.censoring import Censoring
from aucbench.pairs.members import Members
from aucbench.stats.vectors import even_classes


class Pairs(Protocol):
    """Which pairs of rows count, and how much: a frozen dataclass of parameters.

    Attributes
    ----------
    kind : str
        "group", "range", "order" or "class"; `Needs.pairs` of a solver lists those it trains on.
    measure : str
        The metric that the pairs are judged by.
    """

    kind: ClassVar[str]

    @property
    def measure(self) -> str:
        """The name, mostly a class attribute."""
        ...

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return the pairs within a block of rows.

        Raises
        ------
        DataError
            When the rows have no such pairs.
        """
        ...


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError(f"{name} is {value!r}; give one of {', '.join(choices)}")


@dataclass(frozen=True)
class Group:
    """Pairs of a positive and a negative of the same group, such as a user or a query.

    With `each="pair"`, π_ij ∝ v_i v_j over all such pairs. With `each="group"`, f is the mean over
    the groups of the mean loss in each. A group of one class has no pair. It is left out and
    counted.

    Adding a constant to the scores of a group changes nothing. So a feature that is constant in
    each group has the gradient 0, and cannot help.

    Parameters
    ----------
    column : str, optional
        The column of a file with the group of each row; None: the groups of the rows, by which
        they are also divided.
    each : {"pair", "group"}
        What counts the same.

    Raises
    ------
    ParameterError
        When `each` is something else.
    """

    column: str | None = None
    each: Literal["pair", "group"] = "pair"

    kind: ClassVar[str] = "group"
    measure: ClassVar[str] = "gauc"

    def __post_init__(self) -> None:
        _one_of("each", self.each, ("pair", "group"))

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return one block for each group with both classes.

        Raises
        ------
        DataError
            When the rows have no labels or no groups, or when no group has both classes.
        """
        return labelled(data, rows, groups_of(data, rows), self.each)


def groups_of(data: Data, rows: Block) -> NDArray[np.int64]:
    """Return the group of each row of a block."""
    if data.groups is None:
        raise DataError(
            "the pairs are those within groups, and the rows have none; name their column with "
            "--groups (in Python Data.of(..., groups=...))"
        )
    return data.groups[rows].astype(np.int64)


def labelled(
    data: Data,
    rows: Block,
    groups: NDArray[np.int64] | None = None,
    each: Literal["pair", "group"] = "pair",
) -> Members:
    """Return the pairs of a positive and a negative, of the same group where there are groups."""
    y, v = data.labels.y[rows], weights_of(data, rows)
    if data.weights is not None:
        v = even_classes(v, y > 0)
    block = np.zeros(y.size, np.int64) if groups is None else groups
    weight: Literal["equal"] | None = "equal" if each == "group" else None
    nothing = "all labels are of one class" if groups is None else "no group has rows of both"
    nothing += "" if groups is None else " classes"
    return Members.of_blocks(y.size, np.arange(y.size), block, y > 0, v, weight, nothing)


def weights_of(data: Data, rows: Block) -> Vector:
    """Return what each row of a block counts for."""
    return _weights(data.weights, data.n, rows)


def _weights(weights: Vector | None, n: int, rows: Block) -> Vector:
    return np.ones(n)[rows] if weights is None else weights[rows]


@dataclass(frozen=True)
class Time:
    """Comparable pairs of survival times: the row whose event came first should score higher.

    Rows i and j are comparable if i has an event, and t_i < t_j, or t_i = t_j and j is censored.
    Two events at one time are not. A larger score means an earlier event, which is a risk. The
    share of comparable pairs in order is Harrell's C. With `weight="ipcw"` a pair counts
    Ĝ(t_i)⁻², where Ĝ is the Kaplan–Meier curve of the censoring times of the rows: Uno's C.

    Parameters
    ----------
    tau : float, optional
        Only events before this time count, t_i < τ.
    weight : {"none", "ipcw"}
        Whether a pair counts by the probability of being uncensored.

    Raises
    ------
    ParameterError
        When a parameter is out of its range.

    References
    ----------
    Van Belle et al., "Support vector methods for survival analysis", 2011; Pölsterl, Navab &
    Katouzian, "Fast training of support vector machines for survival analysis", ECML 2015. Uno et
    al., "On the C-statistics for evaluating overall adequacy of risk prediction procedures with
    censored survival data", Statistics in Medicine 30, 2011.
    """

    tau: float | None = None
    weight: Literal["none", "ipcw"] = "none"

    kind: ClassVar[str] = "order"
    measure: ClassVar[str] = "cindex"

    def __post_init__(self) -> None:
        _one_of("weight", self.weight, ("none", "ipcw"))
        if self.tau is not None and not self.tau > -inf:
            raise ParameterError(f"tau is {self.tau!r}; give a time")

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return the comparable pairs.

        Raises
        ------
        DataError
            When the target is not survival times, when no two rows can be compared, or when
            censoring leaves no row at the time of an event (with `weight="ipcw"`).
        """
        target = data.target
        if not isinstance(target, Survival):
            raise DataError(
                "the pairs are those of survival times, and the rows have none; name their columns "
                "with --time-to-event and --event"
            )
        return self.of(target, rows)

    def of(
        self, target: Survival, rows: Block = ALL, censoring: Censoring | None = None
    ) -> Members:
        """Return the comparable pairs of survival times, see `members`.

        `censoring` is that of other rows, such as those that a model learnt from; None: of these.
        """
        t, event = target.time[rows], target.event[rows]
        v = _weights(target.weights, target.n, rows)
        upper = event if self.tau is None else event & (t < self.tau)
        shares = np.where(upper, v, 0.0)
        if self.weight == "ipcw":
            curve = Censoring.of(t, event) if censoring is None else censoring
            shares *= curve.weights(t, upper)
        key = np.unique(np.stack([t, ~event]), axis=1, return_inverse=True)[1].reshape(-1)
        within = "" if self.tau is None else f" before tau = {self.tau:g}"
        counts = f"{int(upper.sum())} events{within} and {t.size - int(event.sum())} censored rows"
        return Members.of_keys(key, shares, v, nothing=f"no two rows can be compared: {counts}")


@dataclass(frozen=True)
class Grade:
    """Pairs of rows of different grades: the higher grade should score higher.

    With `each="pair"`, π_ij ∝ v_i v_j where y_i > y_j. With `each="grades"`, each pair of grades
    counts the same. With `each="group"`, f is the mean over the groups of the mean loss in each,
    and a group of one grade is left out and counted. With a gain G, a pair counts G(y_i) − G(y_j)
    besides: G(y) = y (linear), or 2^y − 1 (exp2).

    Parameters
    ----------
    column : str, optional
        The column of a file with the group of each row, such as a query; None: the groups of the
        rows, if they have some.
    each : {"pair", "grades", "group"}
        What counts the same.
    gain : {"none", "linear", "exp2"}
        How much a difference of grades counts.
    across : bool
        Compare rows of different groups too; else pairs are those of one group.

    Raises
    ------
    ParameterError
        When a parameter is something else, or a gain is given together with another
        `each` than "pair".

    References
    ----------
    Joachims, "Training linear SVMs in linear time", KDD 2006; Lee & Lin, "Large-scale linear
    RankSVM", Neural Computation 26, 2014.
    """

    column: str | None = None
    each: Literal["pair", "grades", "group"] = "pair"
    gain: Literal["none", "linear", "exp2"] = "none"
    across: bool = False

    kind: ClassVar[str] = "order"
    measure: ClassVar[str] = "grade-auc"

    def __post_init__(self) -> None:
        _one_of("each", self.each, ("pair", "grades", "group"))
        _one_of("gain", self.gain, ("none", "linear", "exp2"))
        if self.gain != "none" and self.each != "pair":
            raise ParameterError(f"gain={self.gain} and each={self.each} are two weights; give one")
        if self.across and self.each == "group":
            raise ParameterError(
                "each=group counts groups, and across=true compares rows of different ones; give "
                "one"
            )
        if self.across and self.column is not None:
            raise ParameterError(
                f"column={self.column} names groups, and across=true compares rows of different "
                "ones; give one"
            )

    def members(self, data: Data, rows: Block = ALL) -> Members:
        """Return the pairs of different grades.

        Raises
        ------
        DataError
            When the target is not grades, or when no two rows can be compared.
        """
        alone = self.each != "group" and (
            self.column is None and (self.across or data.groups is None)
        )
        group = None if alone else groups_of(data, rows)
        return self.of(_grades_of(data)[rows], weights_of(data, rows), group)

    def of(self, grades: Vector, v: Vector, group: NDArray[np.int64] | None = None) -> Members:
        """Return the pairs of different grades; v is what each row counts for, see `members`."""
        values, rank = np.unique(grades, return_inverse=True)
        many = f"{grades.size} rows have {values.size} different grades"
        nothing = f"no two rows can be compared: {many}" + (
            "" if group is None else ", and no group has two"
        )
        if self.gain != "none":
            return _gained(_gains(values, self.gain), rank, v, group, nothing)
        if self.each == "grades":
            v = _even(rank, v, group)
        even = self.each == "group"
        return Members.of_keys(values.size - 1 - rank, v, v, group, nothing, even=even)


def _grades_of(data: Data) -> Vector:
    if isinstance(data.target, Labels):
        return data.target.y.astype(np.float64)
    if not isinstance(data.target, Grades):
        raise DataError(
            f"the pairs are those of grades, and the target is {data.target.what}; give an ordered "
            "number for each row"
        )
    return data.target.y


def _gains(values: Vector, gain: str) -> Vector:
    if gain == "linear":
        return values
    if values[-1] > 1000.0 or values[0] < 0.0:
        raise DataError(
            f"the gain 2^y − 1 needs grades from 0 to 1000, got {values[0]:g} to {values[-1]:g}; "
            "take gain=linear"
        )
    return np.exp2(values) - 1.0


def _gained(
    gains: Vector,
    rank: NDArray[np.intp],
    v: Vector,
    group: NDArray[np.int64] | None,
    nothing: str,
) -> Members:
    """Return one block for each threshold t, y ≥ t against y < t, which counts G_t − G_{t−1}."""
    n, steps = rank.size, np.diff(gains)
    level = np.repeat(np.arange(steps.size), n)
    upper = np.tile(rank, steps.size) > level
    shares = np.tile(v, steps.size) * np.where(upper, np.repeat(steps, n), 1.0)
    block = level if group is None else level * (int(group.max()) + 1) + np.tile(group, steps.size)
    return Members.of_blocks(
        n, np.tile(np.arange(n), steps.size), block, upper, shares, None, nothing
    )


def _even(rank: NDArray[np.intp], v: Vector, group: NDArray[np.int64] | None) -> Vector:
    """Return v divided by what the rows of the same grade, and of the same group, count."""
    place = rank if group is None else group * (int(rank.max()) + 1) + rank
    place = np.unique(place, return_inverse=True)[1]
    even: Vector = v / np.bincount(place, v)[place]
    return even
