"""Metrics and kinds of pairs of third parties, whose functions never run here, but under limits.

What the process of a plugin returns is plain data. One that fails, hangs or crashes costs its own
answer.
A value that a metric does not give is NaN, and `failures` says why. A metric in which `MOST_ENDS`
processes have ended is not asked again, so that one that hangs costs minutes and no more.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from aucbench.bench.answers import is_unknown
from aucbench.bench.codec import dump, load
from aucbench.bench.engines.local import LocalEngine
from aucbench.bench.fingerprints import file_fingerprint, plugin_fingerprint
from aucbench.bench.in_turn import MOST_ENDS, UNRETURNED, ended, in_turn
from aucbench.bench.learning import modules_to_preload
from aucbench.bench.requests import resolve_job
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import Store
from aucbench.errors import (
    DataError,
    ParameterError,
    PluginChoiceError,
    PluginError,
    UnknownNameError,
)
from aucbench.hookspecs import PROJECT
from aucbench.metrics.measures import MEASURES, measure
from aucbench.processes import isolated
from aucbench.processes.isolated import Process
from aucbench.processes.records import Job, Limits, Outcome
from aucbench.processes.scratch import Scratch
from aucbench.registry import get_pairs
from aucbench.registry.discovery import ALLOWED, CALLED, enabled
from aucbench.registry.isolated_imports import within_limit
from aucbench.registry.lookup import owner, suggested_names
from aucbench.registry.specs import FILE_MARK, Spec, anchored, in_file, parse_spec, short
from aucbench.stats.measures import Measure
from aucbench.stats.rows import Fold, Rows
from aucbench.stats.vectors import Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray


JOBS = "aucbench.bench.worker.metric"
LIMITS = Limits(timeout=60.0, memory=4 * 10**9)
BATCH = 10  # values that one process computes within the limits of a call
NAME = re.compile(r"\s*([\w.:-]*)")
Value = tuple[float, str]  # NaN with the reason


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """A metric or a kind of pairs of a plugin, as it was when its name was resolved."""

    kind: str
    name: Spec  # its specification as it was asked for, with the whole path of a file
    qualified: Spec  # with its distribution
    version: str
    plugin: tuple[str, str]  # distribution and module; of a file its path, and its imported name
    fingerprint: str  # of the files of the plugin
    about: Mapping[str, Any] = field(compare=False)  # what else it says of itself

    @property
    def called(self) -> str:
        """How a sentence names it: "the metric acme:gain 1.0"."""
        return f"the {CALLED[self.kind]} {self.qualified} {self.version}"

    def job(self, function: str, **request: Any) -> Job:
        """Job of `aucbench.bench.worker.metric` that calls it, such as "values"."""
        asked = {"spec": dump(self.qualified), **request}
        return Job(f"{JOBS}:{function}", asked, LIMITS, preload=modules_to_preload(self.qualified))


def resolve_name(kind: str, spec: Spec) -> ResolvedName:
    """Resolve the name of a metric or of a kind of pairs, in a minute or what `within` allows.

    Raises `UnknownNameError`, `ParameterError` or `PluginError`.
    """
    key = (kind, anchored(spec), tuple(sys.path), os.environ.get(ALLOWED))
    found = _resolved(*key)
    if found.fingerprint != _fingerprint(found.qualified, found.plugin):  # a file has changed
        _resolved.cache_clear()
        found = _resolved(*key)
    return found


def supervised() -> AbstractContextManager[Process]:
    """Keep processes warm inside the context, if any is asked for; it may be nested."""
    return isolated.supervised(LocalEngine().open)


@lru_cache(maxsize=64)
def _resolved(kind: str, spec: Spec, path: tuple[str, ...], allowed: str | None) -> ResolvedName:
    with supervised() as process:
        answer = _answer(process, kind, spec)
    if answer["ok"]:
        distribution, version, module = answer["plugin"]
        plugin = (distribution, module)
        name, qualified = (load(answer[one], Spec) for one in ("name", "qualified"))
        code, about = _fingerprint(qualified, plugin), answer["about"]
        return ResolvedName(kind, name, qualified, version, plugin, code, about)
    called = CALLED[kind]
    if is_unknown(answer):
        raise UnknownNameError(
            "measure" if kind == "metrics" else called, str(spec), suggested_names(kind)
        )
    at_fault = answer["error"] in (PluginError.__name__, PluginChoiceError.__name__)
    raised = PluginError if at_fault else ParameterError
    raise raised(f"cannot use the {called} {spec}: {answer['reason']}")


def _answer(process: Process, kind: str, spec: Spec) -> dict[str, Any]:
    """Return what a worker answers about a name, see `resolved` of `aucbench.bench.worker`."""
    limits = replace(LIMITS, timeout=within_limit(LIMITS.timeout))
    outcome = process.run(resolve_job(kind, spec, limits=limits, preload=modules_to_preload(spec)))
    if outcome.result is None:
        return {"ok": False, "error": None, "plugin": None, "reason": ended(outcome)}
    return outcome.result


def _fingerprint(spec: Spec, plugin: tuple[str, str]) -> str:
    place = in_file(spec.name)
    return plugin_fingerprint(*plugin) if place is None else file_fingerprint(place[0])


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
    metric = resolve_name("metrics", parse_spec(own))
    return _measure_by(metric, short(metric.name))


def default_measure(pairs: Spec | None) -> str:
    """Return the measure that is used where none is named: that of the pairs, or the AUC."""
    if pairs is None:
        return "auc"
    owned = owner("pairs", pairs.name)
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

    def __call__(
        self, y: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the value on rows, NaN where there is none; `failures` says why."""
        return float(self.values([Fold(y, scores, sample_weight)])[0])

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

            for piece in in_turn(process, job, self._ends):
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


def metrics_of(record: Record, store: Store, measures: Sequence[Measure]) -> dict[str, Any]:
    """Return measures of the stored scores of a record by name.

    Cells do not know of it: which measures are asked for changes neither them nor their ids. A
    value is None when the cell is not ok, when its scores have no labels with them, or when
    there are too few rows for the measure.
    """
    needed = record.ok and any(measure.name != "auc" for measure in measures)
    arrays = store.scores(record.id, record.sizes.data) if needed else None
    return measured_values(arrays, measures)


def measured_values(
    arrays: Mapping[str, NDArray[Any]] | None, measures: Sequence[Measure]
) -> dict[str, Any]:
    """Return measures other than the AUC of arrays as `Store.scores` gives them.

    Where a metric of a plugin gives no value, `metric_failures` says why, by its name.
    """
    values: dict[str, Any] = {measure.name: None for measure in measures if measure.name != "auc"}
    failures: dict[str, str] = {}
    rows = None if arrays is None else _rows(arrays, values)
    for one in measures:
        if one.name not in values or rows is None:
            continue
        try:
            value = float(one.values([rows])[0])
        except DataError:
            continue  # None; the table says why
        values[one.name] = None if isnan(value) else value
        if why := one.failure(rows):
            failures[one.name] = why
    return {**values, "metric_failures": failures} if failures else values


def _rows(arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> Rows | None:
    """Return the test rows, if there is a measure of them."""
    from aucbench.metrics.rows import rows_of

    return rows_of(arrays) if values else None
