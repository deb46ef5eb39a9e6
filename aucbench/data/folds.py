"""Divide rows into folds: those of the source of the data, or others that groups and times allow.

Each part of a split needs rows of both classes. A division in which one lacks a class is refused as
a whole: a mean over the other splits would be that of other rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aucbench.data.arrays import Index
from aucbench.data.breakpoints import Breakpoints
from aucbench.data.categories import Categories
from aucbench.data.data import Data, ties_of
from aucbench.data.kinds import Target
from aucbench.data.row_roles import Parts, held_out, windows
from aucbench.data.survival import Survival
from aucbench.data.targets import Labels
from aucbench.errors import DataError, require_whole

Split = tuple[Index, Index]  # numbers of the rows to learn from, and of those held out
FEWEST = 2  # chunks for each split, so that whole chunks are held out
SORTED = 1e-3  # p-value below which chunks are no random samples of the rows


def splits(
    data: Data,
    count: int,
    seed: int,
    holdout: float | None = None,
    *,
    ranks_within_groups: bool = False,
) -> list[Split]:
    """Return for each split the rows to learn from and the rows that are held out.

    They are those of the source of the data if it has some; with `holdout`, one split that holds
    this share of the rows out; else they are `drawn`. A source may divide a group, such as a known
    user, only if rows are ranked within their groups.
    """
    if data.folds is not None:
        ties = data.times, None if ranks_within_groups else data.groups
        return _with_pairs(data, _of_source(data.folds, count, holdout, *ties))
    if holdout is None:
        return list(drawn(data, count, seed))
    rng = np.random.default_rng(seed)
    parts = held_out(data.target.strata, holdout, rng, data.groups, data.times)
    return _with_pairs(data, [parts])


def splits_of_chunks(
    data: Data, sizes: ArrayLike, count: int, seed: int, holdout: float | None = None
) -> list[Split] | None:
    """Return `splits` in which each chunk is on one side, so that a fit reads its own chunks only.

    None if there are too few chunks, if a side would lack a class, or if the chunks are no random
    samples of the rows, by a χ² test of the classes. Rows of a sorted file differ more between
    chunks than within them. So the AUC of rows in whole chunks would not be that of new rows.

    Parameters
    ----------
    data : Data
        The target and what else divides rows.
    sizes : array of shape (k,)
        Number of rows of each chunk.
    """
    from scipy.stats import chi2_contingency

    k = np.asarray(sizes)
    if np.count_nonzero(k) < FEWEST * max(1, count):
        return None
    number = np.repeat(np.arange(k.size, dtype=np.int32), k)
    values, stratum = np.unique(data.target.strata, return_inverse=True)
    counts = np.bincount(number * values.size + stratum, minlength=k.size * values.size)
    if chi2_contingency(counts.reshape(k.size, -1)[k > 0]).pvalue < SORTED:
        return None
    with suppress(DataError):  # a side of a split lacks a class
        return splits(replace(data, groups=number), count, seed, holdout)
    return None


def describe_division(
    data: Data, count: int, holdout: float | None, ties: Sequence[str] = ()
) -> str:
    """Return how rows are divided, for people: "5 folds", "share of 0.2 by groups".

    Parameters
    ----------
    ties : sequence of str
        What keeps rows on one side of a split, besides the groups and the times of the data.
    """
    if data.folds is not None:
        return "test file" if (data.folds < 0).any() else f"{count} own folds"
    every = [*(name for name in ("groups", "times") if name in ties_of(data)), *ties]
    divided = f"{count} folds" if holdout is None else f"share of {holdout:g}"
    return f"{divided} by {' and '.join(every)}" if every else divided


def _of_source(
    folds: Index,
    count: int,
    holdout: float | None,
    times: Index | None,
    groups: Index | None,
) -> Iterator[Parts]:
    own = int(folds.max()) + 1
    if holdout is not None:
        raise DataError(
            f"the data come with {own} fold(s), and a share of {holdout} shall be held out; ask "
            "for one of both"
        )
    if own != count:
        raise DataError(
            f"the data come with {own} folds, but {count} splits were asked for; ask for {own}, or "
            "load the data with folds=none to have random folds"
        )
    for fold in range(own):
        rest, held = folds != fold, folds == fold
        if groups is not None and (both := np.intersect1d(groups[rest], groups[held]).size):
            raise DataError(
                f"{both} group(s) have training rows and test rows; take their rows out of one of "
                "both, leave the groups out, or rank rows within their groups (pairs: group)"
            )
        if times is not None and times[rest].max() >= times[held].min():
            raise DataError(
                "some training rows are not earlier than all test rows; give later test rows, or "
                "leave the times out"
            )
        yield rest, held


def drawn(data: Data, count: int, seed: int) -> Iterator[tuple[Index, Index]]:
    """Yield folds: random ones, those of groups, or windows of time.

    With labels, random folds have the same share of positives. With groups, each group is in one
    fold, and shares are as equal as that allows (`StratifiedGroupKFold` of scikit-learn). With
    times, the folds are the `windows` of `aucbench.data.row_roles`, and the seed has no effect.
    """
    if data.times is not None:
        require_whole(1, folds=count)
        yield from _with_pairs(data, windows(data.times, count, data.groups))
        return
    require_whole(2, folds=count)
    least, what = rarest(data)
    _require_enough(least, what, count)
    if data.groups is not None:
        yield from _with_pairs(data, _of_groups(data, data.groups, count, seed))
        return
    strata = data.target.strata
    dealt = _stratified(strata, count, seed) if strata.any() else _shuffled(data.n, count, seed)
    folds = [(dealt != fold, dealt == fold) for fold in range(count)]
    yield from _with_pairs(data, folds)


def _require_enough(number: int, what: str, count: int) -> None:
    """Refuse more folds than there are rows, events or groups of which each fold needs one."""
    if number < 2:
        raise DataError(
            f"there are {number} {what}, and each fold needs one, so that no two folds can be had; "
            "give more rows, or test rows of their own (--test)"
        )
    if number < count:
        raise DataError(
            f"there are {number} {what}, fewer than the {count} folds; ask for at most {number} "
            "folds"
        )


def _stratified(y: NDArray[np.int8] | Index, count: int, seed: int) -> Index:
    """Return the fold of each row; the folds have the same share of each class, up to one row.

    They are those of `StratifiedKFold(count, shuffle=True, random_state=seed)` of scikit-learn,
    whose import takes longer than the start of a run may.
    """
    rng = np.random.RandomState(seed)
    classes, first, number = np.unique(y, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))[number]  # classes in the order of their first rows
    in_order = np.sort(number)
    sizes = [np.bincount(in_order[fold::count], minlength=classes.size) for fold in range(count)]
    folds = np.empty(y.size, np.int32)
    for one, of_fold in enumerate(np.transpose(sizes)):
        dealt = np.arange(count).repeat(of_fold)
        rng.shuffle(dealt)
        folds[number == one] = dealt
    return folds


def _shuffled(n: int, count: int, seed: int) -> Index:
    """Return the fold of each row, as `KFold(count, shuffle=True, random_state=seed)` does."""
    order = np.arange(n)
    np.random.RandomState(seed).shuffle(order)
    folds = np.empty(n, np.int32)
    folds[order] = np.arange(count).repeat([len(part) for part in np.array_split(order, count)])
    return folds


def drawn_few(data: Data, count: int, seed: int) -> list[Split]:
    """Do as `drawn`, but with as many folds as the rows, groups or times allow, at most `count`."""
    require_whole(2, folds=count)
    if data.groups is None and data.times is None:
        return list(drawn(data, min(count, max(2, rarest(data)[0])), seed))
    fewest = 2 if data.times is None else 1
    for fewer in range(count, fewest, -1):
        with suppress(DataError):
            return list(drawn(data, fewer, seed))
    return list(drawn(data, fewest, seed))


def drawn_parts(data: Data, count: int, seed: int) -> Iterator[tuple[Data, Data]]:
    """Do as `drawn_few`, but yield the rows themselves."""
    for rest, held in drawn_few(data, count, seed):
        yield data.take(rest), data.take(held)


def _of_groups(data: Data, groups: Index, count: int, seed: int) -> Iterator[Parts]:
    number = np.unique(groups).size
    _require_enough(number, "group(s)", count)
    # Imported here: scikit-learn takes a second, which only data with groups should cost.
    from sklearn.model_selection import StratifiedGroupKFold

    folds = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
    for _, numbers in folds.split(np.zeros(data.n), data.target.strata, groups):
        held = np.zeros(data.n, np.bool_)
        held[numbers] = True
        yield ~held, held


def _with_pairs(data: Data, parts: Iterable[Parts]) -> list[Split]:
    """Return the parts as row numbers; raise where one has no two rows to compare."""
    divisions = [*parts]
    for number, split in enumerate(divisions, 1):
        for rows, name in zip(split, ("training", "test"), strict=True):
            if lack := _lacking(data.target, rows):
                raise DataError(
                    f"split {number} of {len(divisions)} has {lack} among its {name} rows; "
                    "ask for fewer splits, or hold more rows out"
                )
    return [(_where(rest), _where(held)) for rest, held in divisions]


def _lacking(target: Target, rows: NDArray[np.bool_]) -> str:
    """Return what some rows lack; empty if they can be learnt from, and judged."""
    if isinstance(target, Labels):
        for side, word in ((-1, "negative"), (1, "positive")):
            if not (target.y[rows] == side).any():
                return f"no {word} row"
    elif isinstance(target, Categories):
        some = np.bincount(target.y[rows], minlength=target.k)
        return "" if some.all() else f"no row of class {target.names[some.argmin()]}"
    elif isinstance(target, Breakpoints):
        return "" if rows.any() else "no row"
    else:
        try:
            target.take(_where(rows))
        except DataError:
            return f"no two rows to compare by their {target.what}"
    return ""


def rarest(data: Data) -> tuple[int, str]:
    """Return how many folds the rows allow, and the words for what limits them."""
    if isinstance(data.target, Labels):
        return min(data.target.n_pos, data.target.n_neg), "row(s) of the rarer class"
    if isinstance(data.target, Categories):
        return int(data.target.counts.min()), "row(s) of the rarest class"
    if isinstance(data.target, Survival):
        return data.target.n_events, "event(s)"
    return data.n, "row(s)"


def _where(mask: NDArray[np.bool_]) -> Index:
    return np.flatnonzero(mask).astype(np.int32)
