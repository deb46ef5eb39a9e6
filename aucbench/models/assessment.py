"""What rows that did not train a model say of it: plain values, kept with the model.

A model holds no training rows, so that its page cannot compute anything of them later. What the
page shows is computed when the model is fitted. A group of fewer than `SMALLEST` rows is never told
of by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from aucbench.stats import Interval

SMALLEST = 10  # rows of a group, a level or a bin
DEALT, TAKEN_OUT = "dealt", "taken out"  # of the cells of a column, and of the effect of a score


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What a threshold does to the rows held out.

    Attributes
    ----------
    threshold : float
    tp, fp : int
        Positives and negatives whose score is at least this.
    """

    threshold: float
    tp: int
    fp: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Importance:
    """What a column is worth: how far the AUC falls without it.

    Attributes
    ----------
    column : str
        Its name; of an effect of two columns both, as in "age × income".
    drop : Interval
        AUC less the AUC with the cells of the column permuted, or with the effect taken out.
    """

    column: str
    drop: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A value of a column, or a bin of its values.

    Attributes
    ----------
    name : str
        The level, or the date; empty for a number.
    value : float or None
        Mean of the values of a bin; None for a level.
    rows, positives : int
        Rows that have it, and those of them that are positive.
    predicted : float
        Mean of what the model says of rows whose cell is replaced by this value: a probability, or
        a score where the model has no probabilities.
    """

    name: str
    value: float | None
    rows: int
    positives: int
    predicted: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The shape of the effect of a column (partial dependence), beside what was seen.

    Attributes
    ----------
    column : str
    kind : str
        "numeric", "boolean", "category" or "date".
    places : tuple of Place
    """

    column: str
    kind: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgroup:
    """The AUC of some of the rows.

    Attributes
    ----------
    column, level : str
        What these rows share.
    rows, positives : int
    auc : Interval
        NaN where they have one class.
    others : float or None
        AUC of all other rows; None where they have one class.
    p : float or None
        Of "both AUCs are equal", adjusted for the number of groups (Holm); None where it cannot be
        had.
    """

    column: str
    level: str
    rows: int
    positives: int
    auc: Interval
    others: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What rows that did not train a model say of it.

    Attributes
    ----------
    rows, positives : int
        Rows held out, by which cuts and groups are counted.
    cuts : tuple of Cut
        Points of the ROC curve, by falling threshold.
    flags : tuple of int
        Which cuts flag round shares of the rows, for a table.
    judged : int
        Rows by which importance is measured.
    importance : tuple of Importance
        The largest first.
    columns : int
        Columns, or effects, from which those of `importance` were chosen.
    effects : tuple of Effect
        In the order of `importance`.
    groups : tuple of Subgroup
    measure : str
        What falls by the importance of a column, for people: that of the pairs that were trained.
    how : str
        How a column was taken away: its cells were "dealt" out anew, or its effect was "taken out"
        of a score that is a sum of effects.
    """

    rows: int
    positives: int
    cuts: tuple[Cut, ...]
    flags: tuple[int, ...]
    judged: int
    importance: tuple[Importance, ...]
    columns: int
    effects: tuple[Effect, ...]
    groups: tuple[Subgroup, ...]
    measure: str = "AUC"
    how: str = DEALT
