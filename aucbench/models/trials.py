"""Trials of a fit: solvers with parameters, fitted to the training rows of the same splits.

Design
  a. The rows of a split are encoded and mapped once, for all trials of a round.
  b. A trial keeps its models and what they scored, and nothing is fitted twice: held-out scores
     compare the trials, and then choose the threshold and the calibration of the last fit.
  c. Trials run in this process, in threads. (Rejected: the supervised cells of a comparison. They
     keep a long run from a plugin that crashes, and read the rows again, cannot hand a model over,
     and take longer than most of these fits.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np

from aucbench.data import Data
from aucbench.data.arrays import Index, Rows, Vector
from aucbench.data.folds import Split
from aucbench.data.tally import counting
from aucbench.errors import AucbenchError, CollapsedWarning, UnsupportedError
from aucbench.models.maps import steps_of
from aucbench.models.model import Model
from aucbench.models.recipe import Prepared, Recipe, one_thread
from aucbench.optim.trees import portable
from aucbench.progress import Progress
from aucbench.registry import get_solver
from aucbench.registry.specs import Spec
from aucbench.scale import ChunkedData
from aucbench.solving.refusals import why_refused
from aucbench.solving.tuning import work_of

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitFit:
    """A fit to the training rows of a split, and the held-out rows that it scored.

    Attributes
    ----------
    model : Model
    learnt, rows : arrays
        Numbers of its training rows in the data set, and of the rows that it has not seen.
    scores : array of shape (m, K)
        Of these rows.
    work : float
        Numbers that the fit has read, see `work_of`.
    seconds : float
        Of the fit.
    collapsed : bool
        Whether w = 0 is certified to be the best in a range of the ROC curve.
    """

    model: Model
    learnt: Index
    rows: Index
    scores: Vector
    work: float
    seconds: float
    collapsed: bool = False

    def on(self, rows: Index) -> SplitFit:
        """Return the fit with some of its held-out rows."""
        scores = self.scores[np.searchsorted(self.rows, rows)]
        return replace(self, rows=rows, scores=scores)


@dataclass(frozen=True, kw_only=True, eq=False)
class Trial:
    """A solver with parameters.

    Attributes
    ----------
    spec : Spec
    parts : tuple of SplitFit
        One for each split, in their order; none if it could not be fitted to one of them.
    failure : str
        Why it could not.
    """

    spec: Spec
    parts: tuple[SplitFit, ...] = ()
    failure: str = ""

    @property
    def name(self) -> str:
        """Its specification."""
        return str(self.spec)

    @property
    def ok(self) -> bool:
        """Whether it was fitted to the training rows of each split."""
        return bool(self.parts)

    @property
    def work(self) -> float:
        """Numbers that all its fits have read."""
        return sum(part.work for part in self.parts)

    @property
    def seconds(self) -> float:
        """Mean seconds of a fit."""
        return float(np.mean([part.seconds for part in self.parts])) if self.parts else np.nan


def require_savable(model: Model) -> None:
    """Raise `UnsupportedError` when no file can hold the model."""
    for phi in chain(model.maps, *(function.maps for function in model.functions)):
        all(steps_of(phi))
    for function in model.functions:
        if function.unsaved is not None:
            portable(function.unsaved)


@dataclass(frozen=True, kw_only=True)
class Trier:
    """Fits trials to the splits of a data set.

    Attributes
    ----------
    data : Data or ChunkedData
    splits : sequence of (training rows, held-out rows)
    recipe : Recipe
        Feature map, limits and seed; each trial puts its solver in.
    jobs : int
        Threads.
    required : bool
        Whether each trial was asked for: one that cannot be used is an error then, and no failure.
    check : function (Model)
        Raises `UnsupportedError` when a model is not of use.
    progress : Progress
        Counts the fits.
    """

    data: Data | ChunkedData
    splits: Sequence[Split]
    recipe: Recipe
    jobs: int = 1
    required: bool = False
    check: Callable[[Model], object] = require_savable
    progress: Progress = field(default_factory=Progress)

    def run(self, specs: Sequence[Spec]) -> tuple[Trial, ...]:
        """Return a trial for each specification.

        Raises
        ------
        AucbenchError
            When rows cannot be encoded or mapped; with `required`, when a model of a solver cannot
            be saved, or the solver is not for such rows.
        """
        self.progress.total += len(specs) * len(self.splits)
        with one_thread(), catch_warnings():
            simplefilter("ignore", CollapsedWarning)  # the model says so
            tried = [*_map(partial(self._split, specs), range(len(self.splits)), self.jobs)]
        return tuple(
            _trial(spec, [of_split[j] for of_split in tried]) for j, spec in enumerate(specs)
        )

    def _split(self, specs: Sequence[Spec], k: int) -> list[SplitFit | str]:
        """Return what came of each specification on a split: a part, or why there is none."""
        learnt, held = self.splits[k]
        prepared = self.recipe.prepared(self.data, learnt, split=k)
        features = None
        if isinstance(self.data, Data):
            features = prepared.features_of(self.data.rows.take(held))
        jobs = self.jobs if len(self.splits) == 1 else 1

        def fit(spec: Spec) -> SplitFit | str:
            name = f"{spec}, split {k + 1}"
            self.progress.start(name)
            fitted = self._part(spec, prepared, learnt, held, features)
            self.progress.end(name, "ok" if isinstance(fitted, SplitFit) else "failed")
            return fitted

        return [*_map(fit, specs, jobs)]

    def _part(
        self, spec: Spec, prepared: Prepared, learnt: Index, held: Index, features: Rows | None
    ) -> SplitFit | str:
        """Return a fit to a split, or why there is none."""
        try:
            if reason := why_refused(get_solver(spec), prepared.mapped):
                raise UnsupportedError(reason)
            return self._fitted(spec, prepared, learnt, held, features)
        except UnsupportedError as error:
            if self.required:
                raise
            return str(error)
        except AucbenchError as error:
            return str(error)

    def _fitted(
        self,
        spec: Spec,
        prepared: Prepared,
        learnt: Index,
        held: Index,
        features: Rows | None,
    ) -> SplitFit | str:
        with counting() as tally:
            model, run = replace(self.recipe, solver=spec).fit_prepared(prepared)
        self.check(model)
        train = prepared.mapped
        if features is None:  # rows that are read in chunks
            assert isinstance(self.data, ChunkedData)
            plain = replace(model, encoding=None, width=self.data.d, columns=None)
            scores = self.data.take(held).scores(plain.scores)
        else:
            scores = np.column_stack([one.scores(features) for one in model.functions])
        if not np.isfinite(scores).all():
            return "the score of a held-out row is not finite; scale the features"
        return SplitFit(
            model=model,
            learnt=learnt,
            rows=held,
            scores=scores,
            work=work_of(run, train, tally.numbers) if isinstance(train, Data) else 0.0,
            seconds=run.seconds,
            collapsed=run.collapsed,
        )


def _trial(spec: Spec, parts: Sequence[SplitFit | str]) -> Trial:
    failure = next((part for part in parts if isinstance(part, str)), "")
    fitted = tuple(part for part in parts if isinstance(part, SplitFit))
    return Trial(spec=spec, failure=failure) if failure else Trial(spec=spec, parts=fitted)


def _map(function: Callable[[S], T], items: Iterable[S], jobs: int) -> Iterator[T]:
    """Yield the results in the order of the items, of so many threads."""
    every = [*items]
    if min(jobs, len(every)) < 2:
        yield from map(function, every)
        return
    with ThreadPoolExecutor(min(jobs, len(every))) as pool:
        yield from pool.map(function, every)
