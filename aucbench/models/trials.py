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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias
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
from aucbench.optim.trials import Failure, Fit, Trial, try_on_folds
from aucbench.progress import Progress
from aucbench.registry import get_solver
from aucbench.registry.specs import Spec
from aucbench.scale import ChunkedData
from aucbench.solving.refusals import why_refused
from aucbench.solving.tuning import work_of


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitFit(Fit):
    """A fit to the training rows of a split, and the held-out rows that it scored.

    Which measure of these scores compares trials, the search knows.

    Attributes
    ----------
    model : Model
    learnt, rows : arrays
        Numbers of its training rows in the data set, and of the rows that it has not seen.
    scores : array of shape (m, K)
        Of these rows.
    collapsed : bool
        Whether w = 0 is certified to be the best in a range of the ROC curve.
    """

    model: Model
    learnt: Index
    rows: Index
    scores: Vector
    collapsed: bool = False

    def on(self, rows: Index) -> SplitFit:
        """Return the fit with some of its held-out rows."""
        scores = self.scores[np.searchsorted(self.rows, rows)]
        return replace(self, rows=rows, scores=scores)


SolverTrial: TypeAlias = Trial[Spec, SplitFit]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Opened:
    """The rows of a split, encoded and mapped: those to learn from, and features of those held.

    Rows that are read in chunks have no features here.
    """

    number: int
    prepared: Prepared
    learnt: Index
    held: Index
    features: Rows | None


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

    def run(self, specs: Sequence[Spec]) -> tuple[SolverTrial, ...]:
        """Return a trial for each specification.

        Raises
        ------
        AucbenchError
            When rows cannot be encoded or mapped; with `required`, when a model of a solver cannot
            be saved, or the solver is not for such rows.
        """
        self.progress.total += len(specs) * len(self.splits)
        trials = tuple(SolverTrial(spec) for spec in specs)
        with one_thread(), catch_warnings():
            simplefilter("ignore", CollapsedWarning)  # the model says so
            chains = [[trial] for trial in trials]
            try_on_folds(chains, range(len(self.splits)), self._opened, self._try, self.jobs)
        self.progress.total = (
            self.progress.done
        )  # a failed trial has skipped the splits that follow
        return trials

    def _opened(self, k: int) -> _Opened:
        learnt, held = self.splits[k]
        prepared = self.recipe.prepared(self.data, learnt, split=k)
        features = None
        if isinstance(self.data, Data):
            features = prepared.features_of(self.data.rows.take(held))
        return _Opened(number=k, prepared=prepared, learnt=learnt, held=held, features=features)

    def _try(self, spec: Spec, rows: _Opened, _: Any) -> tuple[SplitFit | Failure, None]:
        """Return a fit to a split, or why there is none."""
        name = f"{spec}, split {rows.number + 1}"
        self.progress.start(name)
        result: SplitFit | Failure
        try:
            if reason := why_refused(get_solver(spec), rows.prepared.mapped):
                raise UnsupportedError(reason)
            result = self._fitted(spec, rows)
        except AucbenchError as error:
            if self.required and isinstance(error, UnsupportedError):
                raise
            result = Failure(reason=str(error))
        self.progress.end(name, "ok" if isinstance(result, SplitFit) else "failed")
        return result, None

    def _fitted(self, spec: Spec, rows: _Opened) -> SplitFit | Failure:
        with counting() as tally:
            model, run = replace(self.recipe, solver=spec).fit_prepared(rows.prepared)
        self.check(model)
        train = rows.prepared.mapped
        if rows.features is None:  # rows that are read in chunks
            assert isinstance(self.data, ChunkedData)
            plain = replace(model, encoding=None, width=self.data.d, columns=None)
            scores = self.data.take(rows.held).scores(plain.scores)
        else:
            scores = np.column_stack([one.scores(rows.features) for one in model.functions])
        work = work_of(run, train, tally.numbers) if isinstance(train, Data) else 0.0
        if not np.isfinite(scores).all():
            reason = "the score of a held-out row is not finite; scale the features"
            return Failure(reason=reason, work=work, seconds=run.seconds)
        return SplitFit(
            model=model,
            learnt=rows.learnt,
            rows=rows.held,
            scores=scores,
            work=work,
            seconds=run.seconds,
            collapsed=run.collapsed,
        )
