"""Metrics of third parties, whose functions never run here; as all code of plugins, under limits.

A value that a metric does not give is NaN, and `failures` says why. A metric in which `MOST_ENDS`
processes have ended is not asked again, so that one that hangs costs minutes and no more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucbench.bench.isolated.resolved import ResolvedName, resolve_name, supervised
from aucbench.hookspecs import PROJECT
from aucbench.kernels.vectors import Vector
from aucbench.processes.isolated import MOST_ENDS, UNRETURNED, Process, ended
from aucbench.processes.records import Job, Outcome
from aucbench.processes.scratch import Scratch
from aucbench.registry import get_pairs
from aucbench.registry.discovery import enabled
from aucbench.registry.lookup import owner
from aucbench.registry.specs import FILE_MARK, parse_spec, short
from aucbench.stats.measures import MEASURES, Measure, measure
from aucbench.stats.rows import Fold, Rows

BATCH = 10  # values that one process computes within the limits of a call
NAME = re.compile(r"\s*([\w.:-]*)")
Value = tuple[float, str]  # NaN with the reason


def measure_of(spec: str) -> Measure:
    """Return a measure by its specification: a built-in one, or that of a plugin.

    The measures of pairs take kernels along, and are imported where one of them is asked for.
    """
    own = spec.strip().removeprefix(f"{PROJECT}:")
    name = NAME.match(own)
    if name is not None and name[1] in MEASURES:
        return measure(own)
    from aucbench.metrics.group_ranges import NAME as GROUPED_RANGE
    from aucbench.metrics.pairs import PAIRED
    from aucbench.metrics.pairs import measure_of as built_in

    third = any(not entry.builtin for entry in enabled())
    loose = FILE_MARK in own
    if not (third or loose) or name is None or name[1] in {*PAIRED, GROUPED_RANGE}:
        return built_in(own)
    metric = resolve_name("metrics", own)
    return _measure_by(metric, short(metric.name))


def default_measure(pairs: str | None) -> str:
    """Return the measure that is used where none is named: that of the pairs, or the AUC."""
    if pairs is None:
        return "auc"
    owned = owner("pairs", parse_spec(pairs).name)
    if owned is not None and owned[0].builtin:
        from aucbench.metrics.pairs import measured_by

        return measured_by(get_pairs(pairs))
    return str(resolve_name("pairs", pairs).about["measure"])


@lru_cache(maxsize=64)
def _measure_by(metric: ResolvedName, name: str) -> PluginMeasure:
    smaller = not metric.about["greater_is_better"]
    return PluginMeasure(name, _elsewhere, smaller=smaller, metric=metric)


@dataclass(frozen=True, slots=True)
class PluginMeasure(Measure):
    """A metric that a plugin of a third party registers."""

    metric: ResolvedName = field(kw_only=True)  # what is known of it
    _known: dict[bytes, Value] = field(default_factory=dict, compare=False, repr=False)
    _ends: list[Outcome] = field(default_factory=list, compare=False, repr=False)

    def __call__(self, y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Return the value on rows, NaN where there is none; `failures` says why."""
        return float(self.values([Fold(y, scores, weights)])[0])

    def values(self, folds: Sequence[Rows | None]) -> Vector:
        """Return the value on each fold, NaN where there is none."""
        labelled = [fold if isinstance(fold, Fold) else None for fold in folds]
        asked = {_digest(fold): fold for fold in labelled if fold and fold.has_both_classes}
        new = [(key, fold) for key, fold in asked.items() if key not in self._known]
        with supervised() as process:
            for first in range(0, len(new), BATCH):
                self._ask(process, new[first : first + BATCH])
        none = (nan, "")
        return np.array([self._known.get(_digest(f), none)[0] if f else nan for f in labelled])

    def failure(self, rows: Rows) -> str:
        """Return why these rows have no value; empty when they have one, or were not asked for."""
        return self._known.get(_digest(rows), (nan, ""))[1] if isinstance(rows, Fold) else ""

    @property
    def failures(self) -> tuple[str, ...]:
        """One sentence for each different reason for which there was no value."""
        reasons = Counter(reason for _, reason in self._known.values() if reason)
        total = len(self._known)
        return tuple(
            f"{self.metric.called} has no value on {count} of {total} fits: {reason}"
            for reason, count in reasons.most_common()
        )

    def _ask(self, process: Process, waiting: Sequence[tuple[bytes, Fold]]) -> None:
        left = {number: key for number, (key, _) in enumerate(waiting)}
        why = UNRETURNED
        with Scratch() as scratch:
            for number, (_, fold) in enumerate(waiting):  # as files, since they may be large
                np.save(scratch.path / f"y{number}.npy", fold.positive.astype(np.int8))
                np.save(scratch.path / f"scores{number}.npy", fold.scores)
                np.save(scratch.path / f"weights{number}.npy", fold.weights)

            def job(done: Sequence[int]) -> Job:
                numbers = [number for number in range(len(waiting)) if number not in done]
                return self.metric.job("values", folder=str(scratch.path), numbers=numbers)

            for piece in process.in_turn(job, self._ends):
                why = ended(piece.ended) if piece.ended else UNRETURNED
                if piece.key is None:  # the call never began
                    break
                if isinstance(piece.key, int) and (key := left.pop(piece.key, None)) is not None:
                    value: Any = why if piece.found is None else piece.found
                    known = isinstance(value, float) and isfinite(value)
                    self._known[key] = (value, "") if known else (nan, str(value))
            else:
                if len(self._ends) >= MOST_ENDS:
                    why = f"it is not asked again, since {MOST_ENDS} processes have ended in it"
        self._known.update(dict.fromkeys(left.values(), (nan, why)))


def _elsewhere(*_: Any) -> float:
    raise AssertionError("the function of a plugin is called in a process of its own")


def _digest(fold: Fold) -> bytes:
    digest = blake2b(digest_size=16)
    for array in (fold.positive, fold.scores, fold.weights):
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()
