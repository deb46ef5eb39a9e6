"""Divide the classes of a set with more than two of them: the tasks of the source papers.

`task=first` is the task of the AUM line search paper (section 5.1): "the first class as negative
label, and the other classes as positive label". `task=halves` is that of the SPDAM paper (section
5.2): "randomly partitioning the data into two groups, where each group includes the same number of
classes".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from aucbench.errors import DataError, ParameterError, require_whole

TASKS = ("first", "halves")


class Division(NamedTuple):
    """The labels of both classes, and how they were divided, for people."""

    positive: list[Any]
    negative: list[Any]
    reason: str


def require_task(task: str | None, seed: int | None) -> None:
    """Raise `ParameterError` unless these are values of `datasets.load`."""
    if task is not None and task not in TASKS:
        raise ParameterError(f"task must be {' or '.join(TASKS)}, got {task!r}")
    require_whole(0, seed=seed)
    if seed is not None and task != "halves":
        raise ParameterError(f"seed={seed} draws task=halves; leave it out, or give this task")


def divide(labels: Collection[Any], task: str, seed: int | None = None) -> Division:
    """Divide labels into a positive and a negative class."""
    ordered = sorted(labels)
    if len(ordered) < 3:
        raise DataError(
            f"task={task} divides three or more classes, but there are {len(ordered)}; leave it out"
        )
    if task == "first":
        reason = f"task=first: the first of {len(ordered)} classes against the others"
        return Division(ordered[1:], ordered[:1], reason)
    seed = seed or 0
    drawn = np.random.default_rng(seed).permutation(len(ordered))[: len(ordered) // 2]
    positive = [ordered[at] for at in sorted(drawn)]
    negative = [label for label in ordered if label not in positive]
    reason = f"task=halves, seed={seed}: {len(positive)} of {len(ordered)} classes drawn"
    return Division(positive, negative, reason)
