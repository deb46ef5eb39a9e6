"""Which solver a model is made of, and with which parameters.

Design
  a. Solvers are compared by nested cross-validation in the harness, as `compare` does.
  b. The parameters are the point that gains most over the default of the solver, in the mean over
     all outer folds. The points are the same in each outer fold. Where a fold gave a point up, or
     did not come to it, it counts as no gain. The AUC of the model is that of these parameters on
     the same folds, which are fitted once more where the folds have tuned for themselves.
  c. A search has a limit of work, which is counted, so that a seed decides the model and no clock
     does; its cells share it. `--minutes` is a limit of time in its place, for a user who asks for
     one: its cells share what is left after the table was read, but for a part that is set aside
     for the last fits. Large tables have fewer outer folds, and the tuner tries points on a part
     of their rows; the winner is fitted to all. A huge table has one split in any case.
  d. Which solvers are compared where nobody names them is in `auto.toml`. A program writes it from
     the tables of the study, `examples/auto_solvers.py`, and asks there whether sets by the size of
     a table, or by its imbalance, would gain. As long as none does, there is one set for all.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from aucbench.bench import Store
from aucbench.bench.plan.errors import PlanError, PlanErrors
from aucbench.bench.plan.fields import DEFAULT_TIMEOUT, SHAPED_SOLVERS, Choice, choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.data import Data, Grades, Survival
from aucbench.data.shapes import asked_shapes
from aucbench.datasets.located import is_changepoint
from aucbench.datasets.reading import Reading
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.features.chain import applied
from aucbench.models import Model
from aucbench.models.options import FitOptions
from aucbench.models.recipe import one_thread
from aucbench.models.score_function import as_steps, functions_of
from aucbench.models.scorecard import require_card
from aucbench.protocols import FeatureMap
from aucbench.registry import get_dataset, get_pairs, get_preprocessing, get_solver
from aucbench.registry.specs import Spec, parse_spec
from aucbench.report.evidence import evidence_of
from aucbench.report.findings import Findings, Settings, findings_of
from aucbench.scale import ChunkedData
from aucbench.solving.halving import TIME
from aucbench.solving.loop import solve
from aucbench.solving.points import mappings, size_of
from aucbench.solving.wrappers import why_not_chunks, why_refused

CURVED = "additive"  # it has curves of its own, and no bins
TREES, WITHOUT = "lightgbm", "hist-gradient-boosting"  # boosted trees; where it is not installed
OF_STUDY = tomllib.loads(files("aucbench.models").joinpath("auto.toml").read_text("utf-8"))
BESIDE_TREES = tuple(name for name in OF_STUDY["solvers"] if name != TREES)
OF_CARDS = ("logistic", "svm-or", "rank-svm")  # a weight for each bin
OF_PAIRS = ("svm-or", "rank-svm", "sht-auc", "additive", "roc-svm-nystrom")  # where pairs are named
TRIED = 6  # points of a grid, of rows in parts
SEARCHED, PARTS = 60, 3  # points of a grid at most, and inner folds, of rows in memory
WORK = 1.5e10  # numbers that all cells of a search read, about 75 seconds of one core
FOR_SEARCH = 0.6  # share of the minutes; the others are for the last fits
FEWER_FOLDS, HELD_OUT = 3, 0.2  # of a large table, and of a huge one
MOST_HELD = 4_000_000  # held-out rows of those in chunks, if nothing is said
LEAST = 1.0  # seconds of a cell
HANGS = 3.0  # times its seconds after which a cell is ended
LARGE, HUGE, MANY = 1_000_000, 3_000_000, 20_000  # numbers, numbers and rows of a table
LARGE_FILE, GIANT = 10**8, 5 * 10**7  # bytes, and numbers that one split judges in any case
TOY = 24  # rows


def auto_solvers(
    pairs: str | None = None, monotone: str | None = None, *, card: bool = False
) -> tuple[str, ...]:
    """Return the solvers of which `auto` takes the best: those that the study has found.

    The boosted trees are those of lightgbm if it is installed, else those of scikit-learn. With
    pairs they are those that train on them, and with shapes of effects those that keep them. A
    scorecard has those of the others that give each bin a weight.

    Raises
    ------
    UnsupportedError
        When none of them does.
    """
    if monotone is not None:
        return tuple(name for name in SHAPED_SOLVERS if not card or name != CURVED)
    if pairs is None and card:
        return OF_CARDS
    if pairs is None:
        trees = (TREES if find_spec(TREES) else WITHOUT,) if TREES in OF_STUDY["solvers"] else ()
        return (*BESIDE_TREES, *trees)
    kind = get_pairs(pairs).kind
    trees = ("lightgbm-pairwise",) if find_spec(TREES) else ()
    known = ("svm-or", "rank-svm") if card else (*OF_PAIRS, *trees)
    chosen = tuple(n for n in known if kind in get_solver(n).needs.pairs)
    if not chosen:
        raise UnsupportedError(f"auto has no solver that trains on {pairs}; name one by --solver")
    return chosen


@dataclass(frozen=True, kw_only=True)
class ModelPlan:
    """What a model is made of.

    Attributes
    ----------
    source : str
        Name or path of the training table.
    options : FitOptions
        The solvers that `auto` stands for are written out.
    held : Data, optional
        The rows, where the source is a table in memory, or is read in chunks.
    known : Data, optional
        The rows of a file, where they were read already.
    tune_seconds, tune_work : float, optional
        As in `Plan`.
    """

    source: str
    options: FitOptions = field(default_factory=FitOptions)
    held: Data | ChunkedData | None = None
    known: Data | ChunkedData | None = None
    tune_seconds: float | None = None
    tune_work: float | None = None

    def __post_init__(self) -> None:
        asked, search = self.options, self.options.search
        if search.is_automatic:
            card = asked.scorecard.is_asked
            named = auto_solvers(asked.pairs, asked.monotone, card=card)
            chunked = isinstance(self.held, ChunkedData)
            if chunked:
                named = tuple(name for name in named if why_not_chunks(get_solver(name)) is None)
            search = replace(search, solver=named, tune=search.tuned and not chunked)
            object.__setattr__(self, "options", replace(asked, search=search))

    def rows(self) -> Data | ChunkedData:
        """Return the rows of the source, with the pairs that count and the shapes of effects."""
        known = (rows for rows in (self.held, self.known) if rows is not None)
        asked = self.options
        data = next(known, None) or get_dataset(self.source, **asked.read.options())
        if isinstance(data, ChunkedData):
            return data
        data = data if asked.pairs is None else replace(data, pairs=get_pairs(asked.pairs))
        return data if asked.monotone is None else data.shaped(asked.monotone)

    @property
    def plan(self) -> Plan:
        """The comparison that chooses the solver."""
        asked, search = self.options, self.options.search
        return Plan(
            (self.source,),
            choices(search.solver, tune=search.tuned),
            (search.features,),
            reading=asked.read if self.held is None else Reading(test=asked.read.test),
            splits=search.splits,
            holdout=search.holdout,
            seeds=(search.seed,),
            passes=search.passes,
            seconds=search.seconds,
            pairs=asked.pairs,
            monotone=asked.monotone,
            tune_evals=SEARCHED,
            inner_splits=PARTS,
            tune_seconds=self.tune_seconds,
            tune_work=self.tune_work,
            timeout=DEFAULT_TIMEOUT
            if self.tune_seconds is None
            else 10.0 + HANGS * self.tune_seconds,
        )

    def within(self, begin: float, jobs: int) -> ModelPlan:
        """Return the plan whose cells share the work of a search, or what is left of its minutes.

        Parameters
        ----------
        begin : float
            Of the minutes, as `perf_counter` has it.
        jobs : int
            Cells at once; of the minutes alone.
        """
        search = self.options.search
        if isinstance(self.held, ChunkedData):
            return self._held_out_once(self.held)
        if not search.tuned:
            return self._judged_once()
        data = self.rows()
        spent = perf_counter() - begin  # to read the table again takes as long at most
        divided = replace(self, known=data)._divided(data)
        cells = sum(map(_share, search.solver)) * divided.plan.split_count
        if search.minutes is None:
            return replace(divided, tune_work=WORK / cells)
        left = FOR_SEARCH * 60.0 * search.minutes - 2.0 * spent
        return replace(divided, tune_seconds=max(LEAST, left / ceil(cells / jobs)))

    def of_point(self, spec: Spec) -> ModelPlan:
        """Return the plan that judges a solver with the parameters that were chosen."""
        chosen = self._with_search(solver=(str(spec),), tune=False, minutes=None)
        return replace(chosen, tune_seconds=None, tune_work=None)

    def _held_out_once(self, data: ChunkedData) -> ModelPlan:
        """Return the plan that holds a share of rows in chunks out, where nothing else is said."""
        search = self.options.search
        if search.splits is not None or search.holdout is not None:
            return self
        return self._with_search(holdout=min(HELD_OUT, MOST_HELD / data.n))

    def _judged_once(self) -> ModelPlan:
        """Return the plan with one split if its table is huge, where nothing else is said.

        A fifth of such rows says the AUC to three digits.
        """
        path = Path(self.source)
        if self.held is None and not (path.is_file() and path.stat().st_size >= LARGE_FILE):
            return self
        data = self.rows()
        whole = replace(self, known=data)
        return whole._divided(data) if data.n * data.d > GIANT else whole

    def _divided(self, data: Data | ChunkedData) -> ModelPlan:
        """Return the plan with fewer folds if the table is large, where nothing else is said."""
        search, read = self.options.search, self.options.read
        own = (search.splits, search.holdout, read.test)
        numbers = data.n * data.d
        if any(value is not None for value in own) or data.folds is not None or numbers <= LARGE:
            return self
        if numbers <= HUGE or data.n <= MANY or read.time is not None:
            return self._with_search(splits=FEWER_FOLDS)
        return self._with_search(holdout=HELD_OUT)

    def _with_search(self, **changes: Any) -> ModelPlan:
        search = replace(self.options.search, **changes)
        return replace(self, options=replace(self.options, search=search))


def _share(spec: str) -> float:
    """Return the share of its limit that a cell is expected to use: small grids end early."""
    points = sum(map(size_of, mappings(get_solver(spec).space)))
    return float(max(0.5, min(1.0, points / SEARCHED)))


def require_savable(wanted: ModelPlan) -> None:
    """Check before a long comparison that a model of each solver can be saved.

    Each is fitted to a few rows of made-up numbers.

    Raises
    ------
    UnsupportedError
        When a solver or the feature map cannot be saved, or the source has no labels.
    PlanErrors
        When several solvers cannot be used, with the reason of each.
    """
    if is_changepoint(parse_spec(wanted.source).name):
        raise UnsupportedError(f"{wanted.source} has error functions, and a model needs labels")
    asked = wanted.options
    rng = np.random.default_rng(0)
    X, rows = rng.normal(size=(TOY, 3)), np.arange(TOY)
    toy = Data.of(X, _toy_target(asked.read), groups=rows // 4)
    toy = replace(toy, pairs=asked.pairs and get_pairs(asked.pairs))
    if asked.monotone is not None:
        toy = toy.shaped({"0": next(iter(asked_shapes(asked.monotone).values()))})
    phi = get_preprocessing(asked.search.features).fit(toy, rng)
    mapped = applied(phi, toy)
    refused: dict[str, AucbenchError] = {}
    for spec in asked.search.solver:
        try:
            with one_thread():
                model = _require_savable(spec, mapped, phi)
                if model is not None and asked.scorecard.is_asked:
                    require_card(model)
        except AucbenchError as error:
            refused[spec] = error
    if len(refused) > 1:
        raise PlanErrors([PlanError(str(e), "solvers", value=spec) for spec, e in refused.items()])
    for alone in refused.values():
        raise alone


def _toy_target(reading: Reading) -> Any:
    """Return a target of the kind that is read."""
    rows = np.arange(TOY)
    if reading.event is not None:
        return Survival.of(rows, rows % 2)
    return Grades.of(rows % 3) if reading.labels == "grades" else rows % 2


def _require_savable(spec: str, toy: Data, phi: FeatureMap) -> Model | None:
    """Return the model of a few rows; None where the solver does not like them."""
    solver = get_solver(spec)
    if toy.pairs is not None and (refusal := why_refused(solver, toy)):
        raise UnsupportedError(refusal)
    try:
        run = solve(solver, toy, passes=1)
    except DataError:  # of made-up rows, which says nothing of others
        return None
    model = Model(functions=functions_of(run), labels=(), width=3, columns=None, maps=as_steps(phi))
    model.to_tree()
    return model


def compared(wanted: ModelPlan, records: Sequence[Record], store: Store) -> Findings:
    """Return what the statistics say of the comparison.

    Raises
    ------
    DataError
        When no solver could be fitted to each training part.
    """
    scores = lambda fit: store.scores(fit.id, fit.data)  # noqa: E731
    evidence = evidence_of(records, [wanted.plan], scores=scores, about=store.about)
    if not any(group.complete for _, group in evidence.row(0)):
        failed = next(record for record in records if not record.ok)
        raise DataError(f"no solver could be fitted to each training part: {failed.why}")
    return findings_of(evidence, Settings(curves=False))


def with_best_point(choice: Choice, records: Sequence[Record]) -> Spec:
    """Return the solver with the point that gains most over the default, in the mean over folds."""
    if not choice.tune:
        return choice.spec
    gains: dict[str, list[float]] = {}
    failed: set[str] = set()
    for record in records:
        for key, gain in _gains(record.tuning["table"] if record.tuning else ()):
            gains.setdefault(key, []).append(0.0 if gain is None else gain)
            failed |= {key} if gain is None else set()
    whole = {key: sum(each) for key, each in gains.items() if key not in failed}
    if not whole:
        raise ParameterError(
            f"no point of the grid of {choice.spec} could be fitted in all folds; name a solver "
            "with parameters, such as --solver logistic[C=1]"
        )
    best = json.loads(max(whole, key=lambda key: whole[key]))
    return replace(choice.spec, params={**choice.spec.params, **best})


def _gains(table: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float | None]]:
    """Yield each point of a fold with its gain in AUC over the first one; None if it failed.

    Only points that climbed as high as any other can be compared; the others gain nothing.
    """
    fine = [(len(row.get("levels") or row["aucs"]), row) for row in table if row["status"] == "ok"]
    top = max((height for height, _ in fine), default=0)
    known = {
        json.dumps(row["parameters"]): row["auc"] or 0.0 for height, row in fine if height == top
    }
    first = json.dumps(table[0]["parameters"]) if table else ""
    default = known.get(first, min(known.values(), default=0.0))
    for row in table:
        key = json.dumps(row["parameters"])
        yield key, known.get(key, default) - default if row["status"] == "ok" else None


def said_of_search(records: Sequence[Record]) -> Iterator[str]:
    """Yield how far the search for the parameters of a solver has come, in all folds."""
    searches = [r.tuning["search"] for r in records if r.tuning and "search" in r.tuning]
    if not searches:
        return
    tried, rows = _span(one["tried"] for one in searches), [r["rows"] for r in searches[0]["rungs"]]
    yield (
        f"Of {searches[0]['points']} points of its grid, {tried} were tried in each training part, "
        f"on {_span(rows)} rows."
    )
    if any(one["ended"] == TIME for one in searches):
        yield (
            "The time of --minutes was up before all points were tried: the same seed may choose "
            "another point on another day. More --minutes try more of them."
        )


def _span(numbers: Iterable[int]) -> str:
    low, high = min(known := [*numbers]), max(known)
    return str(low) if low == high else f"{low} to {high}"
