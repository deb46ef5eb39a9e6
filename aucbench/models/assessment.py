"""What held-out rows say about a score function: plain values, kept with the model.

A model holds no training rows, so that its page cannot compute anything of them later. What the
page shows is computed when the model is fitted. A group of fewer than `SMALLEST` rows is never
shown by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from aucbench.stats import Interval

SMALLEST = 10  # rows of a group, a level or a bin
SHUFFLED, REMOVED = "shuffled", "removed"  # the values of a column; the effect in a score


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What a threshold does to held-out rows.

    Attributes
    ----------
    threshold : float
    tp, fp : int
        True and false positives: rows of each class whose score is at least the threshold.
    """

    threshold: float
    tp: int
    fp: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Importance:
    """The importance of a column: how far the AUC falls without it.

    Attributes
    ----------
    column : str
        Its name; of an effect of two columns both, as in "age × income".
    drop : Interval
        AUC less the AUC with the values of the column shuffled, or with the effect removed.
    """

    column: str
    drop: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgroup:
    """The AUC of some of the rows.

    Attributes
    ----------
    column, level : str
        What these rows share.
    rows, positives : int
    auc : Interval
        NaN if they have one class.
    others : float or None
        AUC of all other rows; None if they have one class.
    p : float or None
        p-value of "both AUCs are equal", adjusted for the number of groups (Holm); None if there is
        none.
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
    """What held-out rows say about a score function.

    Attributes
    ----------
    rows, positives : int
        Held-out rows, of which cuts and groups are counted.
    cuts : tuple of Cut
        Points of the ROC curve, by falling threshold.
    flags : tuple of int
        Which cuts flag round shares of the rows, for a table.
    sampled : int
        Rows by which importance is measured.
    importance : tuple of Importance
        The largest first.
    columns : int
        Columns, or effects, from which those of `importance` were chosen.
    groups : tuple of Subgroup
    measure : str
        What falls without a column, for people: the measure of the pairs that were trained.
    how : str
        Whether the values of a column were "shuffled" (permutation importance), or its effect was
        "removed" from a score that is a sum of effects.
    """

    rows: int
    positives: int
    cuts: tuple[Cut, ...]
    flags: tuple[int, ...]
    sampled: int
    importance: tuple[Importance, ...]
    columns: int
    groups: tuple[Subgroup, ...]
    measure: str = "AUC"
    how: str = SHUFFLED
