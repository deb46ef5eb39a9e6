"""`Loading`: a `Reading` and what stands in the brackets of one data set only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from aucbench.datasets.reading import NO_COLUMN, Reading
from aucbench.errors import ParameterError, require_whole

TASKS = ("first", "halves")
OF_SET = ""  # the folds of a changepoint set, if it has some


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading(Reading):
    """What `datasets.load` takes."""

    drop: Any = ()
    task: str | None = None
    seed: int | None = None
    folds: str | None = OF_SET

    def __post_init__(self) -> None:
        drop = (NO_COLUMN,) if self.drop is None else self.drop
        object.__setattr__(self, "drop", (drop,) if isinstance(drop, str | int) else drop)
        Reading.__post_init__(self)  # no super(): a class with slots is made anew
        if self.task is not None and self.task not in TASKS:
            raise ParameterError(f"task must be {' or '.join(TASKS)}, got {self.task!r}")
        require_whole(0, seed=self.seed)
        if self.seed is not None and self.task != "halves":
            raise ParameterError(
                f"seed={self.seed} draws task=halves; leave it out, or give this task"
            )

    def left_out(self, usual: Iterable[str]) -> list[str | int]:
        """Return the columns to leave out: those asked for, or else the usual ones."""
        return [] if self.drop == (NO_COLUMN,) else [*(self.drop or usual)]
