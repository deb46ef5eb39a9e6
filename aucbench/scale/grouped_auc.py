"""The grouped AUC of rows in chunks: pairs of a positive and a negative of one group.

A group may have rows in any part, and there may be too many groups for bins of each. So each
reading takes the groups whose hash is its number, with scores and labels of 17 bytes a row, and the
pairs of each group are counted in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.data.arrays import Vector
from aucbench.errors import DataError
from aucbench.scale.auc_bins import scores_of
from aucbench.scale.engines import Engine
from aucbench.scale.parts import Columns, Parts, Piece

MANY = 3  # times the room that one reading may take, as groups differ in size
MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class GroupedAuc:
    """The grouped AUC.

    Attributes
    ----------
    per_pair, per_group : float
        The share of all pairs in order, and the mean of the AUCs of the groups.
    groups, left_out : int
        Groups with both classes, and groups of one class.
    n_pos, n_neg : int
        Rows of each class, of all groups.
    readings : int
    """

    per_pair: float
    per_group: float
    groups: int
    left_out: int
    n_pos: int
    n_neg: int
    readings: int


def grouped_auc(parts: Parts, engine: Engine, room: int) -> GroupedAuc:
    """Return the grouped AUC of parts whose first column is the score, and the second the group.

    Raises
    ------
    DataError
        When a score or group is NaN, no group has both classes, or a reading does not fit.
    """
    rounds = -(-parts.n // room)
    twice = pairs = left_out = n_pos = n_neg = 0
    aucs: list[Vector] = []
    for number in range(rounds):
        score, group, positive = _taken(parts, engine, number, rounds, room)
        own, p, q = counted_groups(score, group, positive)
        n_pos, n_neg = n_pos + int(p.sum()), n_neg + int(q.sum())
        both = (p > 0) & (q > 0)
        left_out += int(both.size - np.count_nonzero(both))
        twice += sum(own[both].tolist())
        pairs += sum((p[both] * q[both]).tolist())
        aucs.append(own[both] / (2.0 * p[both] * q[both]))
    values = np.concatenate(aucs) if aucs else np.empty(0)
    if not values.size:
        raise DataError("no group has rows of both classes; check the groups and the target")
    mean = fsum(values.tolist()) / values.size
    return GroupedAuc(twice / (2 * pairs), mean, values.size, left_out, n_pos, n_neg, rounds)


def _taken(
    parts: Parts, engine: Engine, number: int, rounds: int, room: int
) -> tuple[Vector, Vector, NDArray[np.bool_]]:
    """Return the rows of the groups of one reading."""
    taken: list[tuple[Any, ...]] = []
    size = 0
    for i, answers in engine.scan(parts, of_groups, number, rounds):
        for bad, *answer in answers:
            if bad >= 0:
                raise DataError(f"{parts.where(i, bad)} has a NaN; give a score and a group")
            taken.append(tuple(answer))
            size += answer[0].size
        if size > MANY * room:
            raise DataError(
                f"groups of more than {size} rows must be in memory together, and there is room "
                f"for {room}; give more memory"
            )
    score, group, positive = (np.concatenate(column) for column in zip(*taken, strict=True))
    return score, group, positive


def of_groups(piece: Piece, number: int, rounds: int) -> tuple[Any, ...]:
    """Return a row with NaN or -1, and score, group and class of the rows of one reading."""
    score, group = scores_of(piece), _second(piece)
    bad = np.flatnonzero(np.isnan(score) | np.isnan(group))
    if bad.size:
        return piece.first + int(bad[0]), score[:0], group[:0], piece.y[:0] > 0
    if rounds > 1:
        bits = (group + 0.0).view(np.uint64)  # -0.0 becomes 0.0
        keys = (bits ^ bits >> np.uint64(32)) * MIX >> np.uint64(33)
        rows = np.flatnonzero(keys % np.uint64(rounds) == number)
        return -1, score[rows], group[rows], piece.y[rows] > 0
    return -1, score, group, piece.y > 0


def _second(piece: Piece) -> Vector:
    own = piece.rows
    column = own.arrays[1] if isinstance(own, Columns) else own.dense().stored[1 :: own.d]
    return np.ascontiguousarray(column, np.float64)


def counted_groups(
    score: Vector, group: Vector, positive: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return 2 #{s_i > s_j} + #{s_i = s_j}, and the rows of both classes, of each group."""
    if not score.size:
        return (np.empty(0, np.int64),) * 3
    order = np.lexsort((score, group))
    score, group, up = score[order], group[order], positive[order].astype(np.int64)
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    ties = np.flatnonzero(np.append(True, (score[1:] != score[:-1]) | (group[1:] != group[:-1])))
    p, q = np.add.reduceat(up, ties), np.add.reduceat(1 - up, ties)  # of each tied run
    own = np.searchsorted(ties, starts)  # the first run of each group
    before = np.cumsum(q) - q
    runs = np.diff(own, append=ties.size)
    below = before - np.repeat(before[own], runs)
    return (
        np.add.reduceat(p * (2 * below + q), own),
        np.add.reduceat(p, own),
        np.add.reduceat(q, own),
    )
