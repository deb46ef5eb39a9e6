"""Which solver a model is made of, and with which parameters: the search, and its choice.

Design
  a. The first round tries each candidate once. A further round tries the neighbours of the best
     point of a candidate on its path, such as a stronger penalty, if the held-out rows say that
     this can pay: if the candidate is behind the best trial by less than half of the standard error
     of the difference. It goes on as long as a neighbour is better.
  b. The search has a limit of work. Work is counted in numbers that are read, so that a seed
     decides the model, and no clock does. `--minutes` lowers the limit before the search starts.
  c. Of the trials that are close to the best one, a simpler kind of score is taken: weights of
     columns, then a sum of curves, then anything else. Close is what is behind by less than half of
     the standard error of the difference; of one kind the best one is taken. (Rejected: the whole
     standard error. On small tables it gives up more than it saves.)
  d. Large tables have fewer splits; a huge one has one.
  e. Which candidates there are if nobody names one is in `defaults.toml` of the plugins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from aucbench.bench.cell import ranks_within_groups
from aucbench.bench.measuring import default_measure, measure_of
from aucbench.data import Data, Grades, Survival
from aucbench.data.folds import Split, describe_division, splits, splits_of_chunks
from aucbench.data.kinds import Target
from aucbench.data.packed import arrays_of
from aucbench.data.targets import Labels
from aucbench.errors import DataError, UnsupportedError
from aucbench.metrics.pairs import measure_of as built_in_measure
from aucbench.metrics.rows import bare, rows_of
from aucbench.models.candidates import Candidate, Place
from aucbench.models.model import Model
from aucbench.models.options import FitOptions
from aucbench.models.trials import SolverTrial, SplitFit, Trier
from aucbench.ranges import DEFAULT_SPLITS, value_at
from aucbench.registry import get_pairs, get_solver
from aucbench.registry.defaults import class_needs, defaults, is_installed
from aucbench.registry.specs import Spec, parse_spec
from aucbench.report.frame import STANDING
from aucbench.scale import ChunkedData
from aucbench.solving.points import mappings
from aucbench.stats import Interval
from aucbench.stats.measures import Measure
from aucbench.stats.rows import Rows
from aucbench.stats.within import SplitTest, WithinDataset

FEWER_FOLDS, HELD_OUT = 3, 0.2  # of a large table, and of a huge one
MOST_HELD = 4_000_000  # held-out rows of those in chunks
LARGE, HUGE, MANY, GIANT = 1_000_000, 3_000_000, 20_000, 5 * 10**7  # numbers; MANY: rows
WORK = 8e9  # numbers that a search may read, about a minute of one core
WORK_OF_MINUTE = 6e9  # numbers, of the share of a minute that is for the search
CLOSE = 0.5  # standard errors of a difference
DISTINCT = float(ndtri(0.975))  # standard errors from which a difference is shown, at 95 %
ON_AXIS = (0.1, 0.3, 0.5, 0.7, 0.9)  # places on an axis without a list of values


@dataclass(frozen=True)
class SolverPath:
    """A solver with the points that a search may try, from one end of a path to the other.

    Attributes
    ----------
    points : tuple of Spec
    start : int
        Place of the first trial.
    """

    points: tuple[Spec, ...]
    start: int = 0

    @staticmethod
    def of(spec: str, *, tuned: bool) -> SolverPath:
        """Return a solver, if it is tuned with a path along the first axis of its space.

        The first axis of a published space is the one that matters most.
        """
        own = parse_spec(spec)
        solver = get_solver(own)
        axes = [axis for grid in mappings(solver.space)[:1] for axis in grid.items()]
        axes = [(name, axis) for name, axis in axes if name not in own.params]
        if not tuned or not axes:
            return SolverPath((own,))
        name, axis = axes[0]
        values = [*axis] if isinstance(axis, Sequence) else [value_at(axis, u) for u in ON_AXIS]
        default = getattr(solver, name, None)
        if default not in values:
            numbers = isinstance(default, int | float)
            values = sorted([*values, default]) if numbers else [default, *values]
        start = values.index(default)
        return SolverPath(tuple(_with(own, {name: value}, default) for value in values), start)


def _with(spec: Spec, values: Mapping[str, Any], default: Any) -> Spec:
    """Return a specification with these values; the default is left out."""
    return replace(
        spec, params={**spec.params, **{k: v for k, v in values.items() if v != default}}
    )


def auto_solvers(
    options: FitOptions, target: type[Target] = Labels, columns_per_row: float = 0.0
) -> tuple[str, ...]:
    """Return the solvers that `auto` stands for, for a table with so many columns for each row.

    With pairs they are those that train on them, with constraints on effects those that keep them,
    and a scorecard has those that give each bin a weight.

    Raises
    ------
    UnsupportedError
        When none of them trains on the pairs.
    """
    usual, fit = defaults()["solvers"], defaults()["fit"]
    without = fit["no-scorecard"] if options.scorecard.is_asked else ()
    if options.monotone is not None:
        return tuple(name for name in usual["shapes"] if name not in without)
    if options.pairs is not None:
        return _trained_on(options.pairs, [name for name in fit["pairs"] if name not in without])
    if options.scorecard.is_asked:
        return tuple(fit["scorecard"])
    if issubclass(target, Survival | Grades):
        return tuple(usual["order-pairs"])
    return tuple(
        path["solver"]
        for path in defaults()["candidates"]
        if is_installed(path["solver"])
        and columns_per_row >= path.get("columns_per_row", 0.0)
        and not ("unless" in path and is_installed(path["unless"]))
    )


def _trained_on(pairs: Spec, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the solvers that train on pairs."""
    needed = f"{get_pairs(pairs).kind}-pairs"
    trained = (name for name in names if needed in class_needs(name).capabilities)
    chosen = tuple(name for name in trained if is_installed(name))
    if not chosen:
        raise UnsupportedError(f"auto has no solver that trains on {pairs}; name one by --solver")
    return chosen


def paths_of(options: FitOptions, data: Data | ChunkedData) -> tuple[SolverPath, ...]:
    """Return the solvers that a search compares.

    Raises
    ------
    AucbenchError
        When there is no such solver, or it has no such parameter; and as `auto_solvers`.
    """
    search = options.search
    if not search.is_automatic:
        return tuple(SolverPath.of(spec, tuned=search.tuned) for spec in search.solver)
    if isinstance(data, ChunkedData):
        return tuple(SolverPath.of(spec, tuned=False) for spec in defaults()["fit"]["chunks"])
    named = auto_solvers(options, type(data.target), data.d / data.n)
    known = {own["solver"]: own for own in defaults()["candidates"]}
    return tuple(
        _path_of(known[name], data.n, tuned=search.tuned)
        if name in known
        else SolverPath.of(name, tuned=search.tuned)
        for name in named
    )


def _path_of(known: Mapping[str, Any], n: int, *, tuned: bool) -> SolverPath:
    """Return the path of a solver with settings to try; more rows start further along it."""
    points = tuple(Spec(known["solver"], point) for point in known.get("path", [{}]))
    start = sum(n >= rows for rows in known.get("rows", [])) + known.get("start", 0)
    return SolverPath(points, start) if tuned else SolverPath(points[start : start + 1])


def divide_rows(options: FitOptions, data: Data | ChunkedData) -> tuple[Sequence[Split], str]:
    """Return the splits of the rows, and how they are divided, for people."""
    count, holdout = split_options(options, data)
    within, seed = ranks_within_groups(options.pairs), options.search.seed
    if isinstance(data, Data):
        found = splits(data, count, seed, holdout, ranks_within_groups=within)
        return found, describe_division(data, count, holdout)
    rows = bare(data.target)
    whole = splits_of_chunks(rows, data.parts.sizes, count, seed, holdout)
    if whole is not None:
        return whole, describe_division(rows, count, holdout, ["row groups"])
    return splits(rows, count, seed, holdout), describe_division(rows, count, holdout)


def split_options(options: FitOptions, data: Data | ChunkedData) -> tuple[int, float | None]:
    """Return the number of splits and the held-out share, by the size of the table if unsaid.

    Without a search, a table has one split from a size on at which a fifth of its rows tells the
    AUC to three digits. So have rows in chunks.
    """
    search, numbers = options.search, data.n * data.d
    asked = (search.splits, search.holdout, options.read.test)
    usual = 1 if search.holdout is not None or options.read.test is not None else DEFAULT_SPLITS
    if any(value is not None for value in asked) or data.folds is not None:
        return (usual if search.splits is None else search.splits), search.holdout
    if isinstance(data, ChunkedData):
        return 1, min(HELD_OUT, MOST_HELD / data.n)
    if numbers <= (LARGE if search.tuned else GIANT):
        return usual, None
    if numbers <= HUGE or data.n <= MANY or data.times is not None:
        return FEWER_FOLDS, None
    return 1, HELD_OUT


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """Trials that were fitted to each split, compared by their held-out rows.

    Attributes
    ----------
    trials : tuple of Trial
        In the order in which they were made.
    failed : tuple of Trial
        Those that could not be fitted, or not be used.
    within : WithinDataset
    measure : Measure
    stopped : str
        Why the search did not try all that it would have; empty if it did.
    """

    trials: tuple[SolverTrial, ...]
    failed: tuple[SolverTrial, ...]
    within: WithinDataset
    measure: Measure
    stopped: str = ""

    @cached_property
    def best(self) -> SolverTrial:
        """The trial with the best mean."""
        return max(self.trials, key=self.gain)

    @cached_property
    def chosen(self) -> SolverTrial:
        """The best of the simplest kind that is close to the best."""
        close = [trial for trial in self.trials if self.behind(trial) <= CLOSE]
        return min(close, key=lambda trial: (complexity(trial.fits[0].model), -self.gain(trial)))

    def gain(self, trial: SolverTrial) -> float:
        """Return the mean of the measure, with a sign by which more is better."""
        return (-1.0 if self.measure.smaller else 1.0) * self.interval(trial).estimate

    def interval(self, trial: SolverTrial) -> Interval:
        """Return the measure of a trial on held-out rows."""
        return next(one.interval for one in self.within.solvers if one.name == str(trial.point))

    def behind(self, trial: SolverTrial) -> float:
        """Return by how many standard errors of the difference a trial is behind the best."""
        if trial is self.best:
            return 0.0
        pair = self.within.pair(str(self.best.point), str(trial.point))
        known = pair.delong if np.isfinite(pair.delong.low) else pair.resampled
        error = (known.high - known.low) / (2.0 * ndtri((1.0 + known.level) / 2.0))
        ahead = abs(self.gain(self.best) - self.gain(trial))
        return float(ahead / error) if error > 0 else np.inf * (ahead > 0)

    def candidates(self) -> list[Candidate]:
        """Return what is known of each trial, in the order in which they were made."""
        found = []
        for trial in self.trials:
            known = self.interval(trial)
            place = Place.SIMILAR if self.behind(trial) <= DISTINCT else Place.LOWER
            ends = (float(end) if np.isfinite(end) else None for end in (known.low, known.high))
            low, high = ends
            found.append(
                Candidate(
                    solver=str(trial.point),
                    place=Place.CHOSEN if trial is self.chosen else place,
                    auc=known.estimate,
                    low=low,
                    high=high,
                )
            )
        failed = (
            Candidate(solver=str(t.point), place=Place.FAILED, reason=str(t.failure))
            for t in self.failed
        )
        return [*found, *failed]


def complexity(model: Model) -> int:
    """Return 0 for a score of weights of columns, 1 for a sum of curves, and 2 for others."""
    if any(function.weights is None for function in model.functions):
        return 2
    if all(not function.maps for function in model.functions):
        return 0
    return 1 if all(model.terms(k) is not None for k in range(len(model.functions))) else 2


@dataclass(frozen=True, kw_only=True)
class Search:
    """Tries candidates on the same splits.

    Attributes
    ----------
    trier : Trier
    paths : tuple of SolverPath
    pairs : Spec or None
        Which pairs count.
    work : float
        Numbers that the fits may read after the first round.
    minutes : float or None
        What has lowered this limit.
    """

    trier: Trier
    paths: tuple[SolverPath, ...]
    pairs: Spec | None = None
    work: float = WORK
    minutes: float | None = None

    @staticmethod
    def of(options: FitOptions, trier: Trier) -> Search:
        """Return the search of a fit."""
        minutes = options.search.minutes
        return Search(
            trier=trier,
            paths=paths_of(options, trier.data),
            pairs=options.pairs,
            work=WORK if minutes is None else min(WORK, minutes * WORK_OF_MINUTE),
            minutes=minutes,
        )

    def run(self) -> Comparison:
        """Return the comparison of all trials.

        Raises
        ------
        DataError
            When no solver could be fitted to each training part.
        AucbenchError
            As `Trier.run`, and as `SplitTest.of_rows`.
        """
        tried: dict[Spec, SolverTrial] = {}
        specs, left_out = [one.points[one.start] for one in self.paths], 0
        while specs:
            tried |= {trial.point: trial for trial in self.trier.run(specs)}
            comparison = self._compare([*tried.values()])
            wanted = [*self._next(comparison, tried)]
            specs = self._within(wanted, tried)
            left_out = len(wanted) - len(specs)
        return replace(comparison, stopped=self._stopped(left_out))

    def _stopped(self, left_out: int) -> str:
        if not left_out:
            return ""
        what = "the planned work" if self.minutes is None else f"--minutes {self.minutes:g}"
        return f"The search ended after {what}, and {left_out} setting(s) were left to try."

    def _next(self, comparison: Comparison, tried: Mapping[Spec, SolverTrial]) -> Iterator[Spec]:
        """Yield the neighbours of the best points of candidates that may still win."""
        for path in self.paths:
            known = [tried[spec] for spec in path.points if spec in tried and tried[spec].ok]
            if not known:
                continue
            top = max(known, key=comparison.gain)
            if comparison.behind(top) > CLOSE:
                continue
            at = path.points.index(top.point)
            near = path.points[max(0, at - 1) : at] + path.points[at + 1 : at + 2]
            yield from (spec for spec in near if spec not in tried)

    def _within(self, specs: Sequence[Spec], tried: Mapping[Spec, SolverTrial]) -> list[Spec]:
        """Return the settings whose fits the limit of work still allows.

        A setting is expected to take as much as the most expensive one of its solver.
        """
        left = self.work - sum(trial.work for trial in tried.values())
        chosen = []
        for spec in specs:
            expected = max(trial.work for own, trial in tried.items() if own.name == spec.name)
            if expected <= left:
                chosen.append(spec)
                left -= expected
        return chosen

    def _compare(self, trials: Sequence[SolverTrial]) -> Comparison:
        fine = tuple(trial for trial in trials if trial.ok)
        failed = tuple(trial for trial in trials if not trial.ok)
        if not fine:
            raise DataError(f"no solver could be fitted to each training part: {failed[0].failure}")
        data, splits = self.trier.data, self.trier.splits
        measure = measure_of_target(data.target, self.pairs)
        test = SplitTest(
            ratio=float(np.median([held.size / learnt.size for learnt, held in splits])),
            by=measure,
        )
        within = test.of_rows(
            {
                str(trial.point): {
                    (0, k): scored_rows(data, fit) for k, fit in enumerate(trial.fits)
                }
                for trial in fine
            }
        )
        return Comparison(trials=fine, failed=failed, within=within, measure=measure)


def measure_of_target(target: Target, pairs: Spec | None) -> Measure:
    """Return the measure that compares trials: that of the pairs, or the one of the target."""
    chosen = measure_of(default_measure(pairs))
    standing = next((own for name, own in STANDING.items() if name in target.numbers), None)
    return built_in_measure(standing) if standing and chosen.name == "auc" else chosen


def scored_rows(data: Data | ChunkedData, part: SplitFit) -> Rows:
    """Return the held-out rows of a part with their target and scores."""
    known = arrays_of(data.target)
    arrays = {name: known[name] if name == "classes" else known[name][part.rows] for name in known}
    if data.groups is not None:
        arrays["groups"] = data.groups[part.rows]
    if isinstance(data.target, Survival):
        arrays |= {f"learnt_{name}": known[name][part.learnt] for name in ("time", "event")}
    arrays["scores"] = part.scores[:, 0] if part.scores.shape[1] == 1 else part.scores
    rows = rows_of(arrays)
    assert rows is not None  # a target that a model can be made for
    return rows
