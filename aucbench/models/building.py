"""From a table to a model: compare, choose, choose a threshold, fit to all rows.

Design
  a. `choosing` says which solver it is, and with which parameters. The AUC of the model is that of
     these parameters, each test row scored by a fit that has not seen it. (Rejected: that of the
     comparison where it tunes. Each training part has chosen parameters of its own, which are not
     those that are saved.)
  b. With these parameters the solver is fitted to the training parts once more, and to all rows.
     Scores of rows that were held out, on the scale of the last fit, choose the threshold and the
     calibration, see `held_out`. (Rejected: the scores of the comparison. Other parameters in other
     folds have other scales. Rejected: scores of the last fit, which has seen all rows and scores
     them too well.)
  c. The last fit takes all rows. It is the only one whose weights are kept.
  d. Of three or more classes, there is a score function for each class against the rest. The
     held-out rows are the same for all classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np

from aucbench.bench import Store
from aucbench.bench.cell import ranks_within_groups
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.data import Categories, Data
from aucbench.data.arrays import Index
from aucbench.data.folds import Split, splits
from aucbench.data.packed import arrays_of
from aucbench.datasets.chunked import named_columns
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError, ParameterError
from aucbench.metrics import Aim
from aucbench.models.assessing import assessed, importances, require_columns
from aucbench.models.assessment import Assessment
from aucbench.models.calibration import Reliability, calibrator
from aucbench.models.candidates import candidates_of, explain_choice
from aucbench.models.choosing import (
    ModelPlan,
    compared,
    require_savable,
    said_of_search,
    with_best_point,
)
from aucbench.models.chunked import remarks_of, some_held
from aucbench.models.effects import shapes
from aucbench.models.held_out import HeldOut, in_memory, rows_of_class
from aucbench.models.model import Model
from aucbench.models.operating import Operating
from aucbench.models.options import CALIBRATION
from aucbench.models.recipe import Recipe
from aucbench.models.score_function import ScoreFunction
from aucbench.models.scorecard import Scaling, carded, require_kinds
from aucbench.pairs.range import COLLAPSED
from aucbench.processes.host import cores
from aucbench.registry import get_solver
from aucbench.registry.specs import parse_spec, short
from aucbench.report.findings import Findings
from aucbench.scale import ChunkedData
from aucbench.solving.classes import trained_on
from aucbench.stats import Fold
from aucbench.stats.delong import auc_interval

HELPED = ", by fits with the parameters of the model, which these rows have helped to choose"


def fitted(
    wanted: ModelPlan,
    run: Callable[[Plan], Sequence[Record]],
    store: Store,
    describe: Callable[[Data | ChunkedData], object] = lambda _: None,
    jobs: int | None = None,
) -> Model:
    """Return the best model: compare, choose, and fit to all rows.

    Parameters
    ----------
    run : function (Plan) -> sequence of Record
        Runs a plan into `store`, and returns its records in the order of its cells.
    describe : function (Data) -> object, optional
        Called with the rows, before the comparison.
    jobs : int, optional
        Cells that `run` runs at once; as many as cores.

    Raises
    ------
    AucbenchError
        As `require_savable`, `compared` and `built`.
    """
    begin, asked = perf_counter(), wanted.options
    require_savable(wanted)
    require_for_classes(wanted)
    data = wanted.rows()
    wanted = replace(wanted, known=data)
    describe(data)
    if asked.by or asked.monotone is not None:
        require_columns(named_columns(data), asked.by)
    if asked.scorecard.is_asked:
        require_kinds(named_columns(data).schema)
    wanted = wanted.within(begin, jobs or cores())
    records = run(wanted.plan)
    findings = compared(wanted, records, store)
    place = next(j for j in findings.order if findings.evidence.group(0, j).complete)
    choice = wanted.plan.solvers[place]
    own = [record for record in records if record.cell.solver == choice.spec]
    chosen = wanted.of_point(with_best_point(choice, own))
    candidates = candidates_of(findings, place)
    reasons = [explain_choice(candidates, findings.measure), *said_of_search(own)]
    if choice.tune:  # the training parts have parameters of their own
        own = [*run(chosen.plan)]
        findings, place = compared(chosen, own, store), 0
    model = built(chosen, own, findings, place, reasons, store)
    if choice.tune:
        model = replace(model, auc_rows=model.auc_rows + HELPED)
    compared_with = {"comparison": [one.to_plain() for one in candidates]}
    model = replace(model, provenance={**model.provenance, **compared_with})
    minutes = asked.search.minutes
    return model if minutes is None else _timed(model, begin, minutes)


def built(
    wanted: ModelPlan,
    records: Sequence[Record],
    findings: Findings,
    place: int,
    reasons: Sequence[str],
    store: Store,
) -> Model:
    """Return the model of the one solver of a plan, with its parameters.

    Parameters
    ----------
    records : sequence of Record
        Of the cells that have fitted it to the training parts.
    findings : Findings
        What `compared` returned of them.
    place : int
        Number of the solver there.
    reasons : sequence of str
        Why it was chosen.

    Raises
    ------
    UnsupportedError
        When a model of this solver, or with this feature map, cannot be saved.
    DataError
        When the solver cannot be fitted with these parameters, or the aim cannot be reached.
    """
    data, asked = wanted.rows(), wanted.options
    search = asked.search
    _require_same(wanted.source, data, records[0], store)
    recipe = Recipe(
        solver=parse_spec(search.solver[0]),
        features=search.features,
        passes=search.passes,
        seconds=search.seconds,
        seed=search.seed,
    )
    parts = _splits(wanted, data, records, store)
    learnt = _learnt(asked.read, data)
    known = next(row for row in findings.insides[0].rows if row.solver == place).known
    assert known is not None  # the solver is complete
    about = {
        **origin(short(wanted.source), asked.read, data),
        "data_hash": records[0].sizes.data,
        "versions": dict(records[0].machine.get("versions") or {}),
        "choice": [*reasons],
        **({} if asked.pairs is None else {"pairs": asked.pairs, "measure": findings.measure}),
        **({} if asked.monotone is None else {"monotone": asked.monotone}),
    }
    judged: dict[str, Any] = {
        "auc": known.interval,
        "auc_rows": _auc_rows(wanted, records[0].sizes.division),
    }
    if isinstance(data.target, Categories) and (
        other := trained_on(get_solver(recipe.solver), data)
    ):
        about["trained_on"] = other
    how = (asked.threshold.aim, asked.calibration, asked.scorecard.scaling)
    model, held_out = decided(recipe, data, learnt, parts, *how)
    if isinstance(data, ChunkedData):
        table, held = in_memory(data, held_out)
        remarks = (*data.understood.remarks, *remarks_of(data, table))
        data = replace(table, understood=replace(data.understood, remarks=remarks))
        learnt = np.arange(data.n, dtype=np.int32)
        about |= {"remarks": data.understood.to_json()["remarks"]}
    else:
        held = held_out
    about["warnings"] = list(warnings(asked.read, data, model))
    if any(record.measures.collapsed for record in records):
        about["warnings"].append(COLLAPSED)
    functions = model.functions
    if not held:
        ranking = _ranking(recipe, data, learnt, parts, model)
        functions = (_with_assessment(ranking, data, model, learnt),)
    elif len(held) == 1:
        functions = (_explained(wanted, held[0], data, model, learnt),)
    else:
        functions = tuple(
            replace(
                _explained(wanted, one, rows_of_class(data, k), model.against_rest(k), learnt),
                auc=auc_interval([_fold(one, data)]),
                threshold=0.0,
            )
            for k, one in enumerate(held)
        )
    return replace(model, functions=functions, provenance={**model.provenance, **about}, **judged)


def _splits(
    wanted: ModelPlan, data: Data | ChunkedData, records: Sequence[Record], store: Store
) -> list[Split]:
    """Return training rows and held-out rows; of rows in chunks some of the held-out ones."""
    search = wanted.options.search
    if isinstance(data, Data):
        within = ranks_within_groups(wanted.plan.pairs)
        count = wanted.plan.split_count
        return splits(data, count, search.seed, search.holdout, ranks_within_groups=within)
    found = []
    for record in records:
        stored = store.scores(record.id, record.sizes.data) or {}
        rest = np.ones(data.n, np.bool_)
        rest[stored["rows"]] = False
        learnt = np.flatnonzero(rest).astype(np.int32)
        found.append((learnt, some_held(data, stored["rows"], search.seed)))
    return found


def _explained(
    wanted: ModelPlan, held: HeldOut, data: Data, model: Model, learnt: Index
) -> ScoreFunction:
    """Return the score function with what held-out rows say about it, and its curves."""
    asked = wanted.options
    known = assessed(held, data, model, by=asked.by, seed=asked.search.seed)
    return _with_assessment(known, data, model, learnt)


def _with_assessment(known: Assessment, data: Data, model: Model, learnt: Index) -> ScoreFunction:
    names = [one.column for one in known.importance]
    curves = shapes(model, data, learnt, names)
    return replace(model.function, assessment=known, shapes=curves)


def _fold(held: HeldOut, data: Data) -> Fold:
    groups = None if data.groups is None else data.groups[held.rows]
    return Fold(held.y, held.scores, groups=groups)


def _ranking(
    recipe: Recipe, data: Data, learnt: Index, parts: Sequence[Split], final: Model
) -> Assessment:
    """Return what the rows held out of the last split say of a model that ranks."""
    rest, held = parts[-1]
    same = np.array_equal(rest, learnt)
    part = final if same else recipe.fitted(data, rest, split=len(parts) - 1)
    return importances(part, data, held, np.random.default_rng(recipe.seed))


def _timed(model: Model, begin: float, minutes: float) -> Model:
    """Return the model, which says how long it took."""
    spent = perf_counter() - begin
    said = f"It was made in {spent:.0f} s, of --minutes {minutes:g}."
    choice = [*model.provenance.get("choice", ()), said]
    return replace(model, provenance={**model.provenance, "choice": choice})


def _learnt(reading: Reading, data: Data | ChunkedData) -> Index:
    """Return the rows that a model learns from: all but those of a test file."""
    rows = np.arange(data.n, dtype=np.int32)
    return rows if reading.test is None or data.folds is None else rows[data.folds < 0]


def _require_same(source: str, data: Data | ChunkedData, record: Record, store: Store) -> None:
    """Raise `DataError` when the target is not that of the run."""
    stored = store.scores(record.id, record.sizes.data) or {}
    for name, own in arrays_of(data.target).items():
        if name not in stored or own.size != data.n:  # the names of classes are no labels of rows
            continue
        rows = stored["rows"]
        if rows.max() >= data.n or not np.array_equal(own[rows], stored[name]):
            raise DataError(f"{source} has changed since the run began; start it again")


def _auc_rows(wanted: ModelPlan, division: str | None) -> str:
    weights = wanted.options.read.weights
    weighted = f", weighted by {weights}" if weights else ""
    return f"the test rows of {division}{weighted}"


def decided(
    recipe: Recipe,
    data: Data | ChunkedData,
    learnt: Index,
    splits: Sequence[Split],
    aim: Aim,
    calibration: str | None,
    scaling: Scaling | None = None,
) -> tuple[Model, tuple[HeldOut, ...]]:
    """Fit a model, choose its threshold by rows that were held out, and calibrate it.

    A model that ranks rows has no threshold, and nothing is held out for it.

    Parameters
    ----------
    learnt : array
        Numbers of the rows that the model learns from.
    splits : sequence of (rows to learn from, rows held out)
    calibration : str or None
        "sigmoid", "isotonic", or None for no probabilities.
    scaling : Scaling, optional
        The model becomes a scorecard of such points, and all else is judged by them.

    Raises
    ------
    UnsupportedError
        When a model of this solver, or with this feature map, cannot be saved, or is no scorecard.
    DataError
        When the solver cannot be fitted to a part of the rows, or the aim cannot be reached.
    """
    model = recipe.fitted(data, learnt, split=len(splits))  # as none of the splits
    if not model.decides:
        return model, ()
    held = HeldOut.of(recipe, data, splits, model, learnt)
    if len(held) > 1:
        functions = tuple(
            replace(
                function,
                calibrator=calibrator(CALIBRATION, one.y, one.scores),
                reliability=Reliability.of(CALIBRATION, one.y > 0, one.scores),
            )
            for function, one in zip(model.functions, held, strict=True)
        )
        return replace(model, functions=functions), held
    [own] = held
    if scaling is not None:
        table, train = data.rows.take(own.rows), data.take(learnt)
        model, points = carded(model, own.y, own.scores, table, train, scaling)
        own = replace(own, scores=points)
    groups = None if data.groups is None else data.groups[own.rows]
    point = Operating.of(own.y, own.scores, aim, own.what, groups=groups, seed=recipe.seed)
    curve = reliability = None
    if calibration is not None:
        curve = model.function.calibrator or calibrator(calibration, own.y, own.scores)
        reliability = Reliability.of(calibration, own.y > 0, own.scores)
    function = replace(
        model.function,
        threshold=point.threshold,
        operating=point,
        calibrator=curve,
        reliability=reliability,
    )
    return replace(model, functions=(function,)), (own,)


def origin(source: str, reading: Reading, data: Data | ChunkedData) -> dict[str, Any]:
    """Return what a model keeps of its table, and of its making."""
    return {
        "aucbench": version("aucbench"),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": source,
        "label": data.understood.label,
        "decimal": reading.decimal,
        "separator": reading.separator,
        "first_index": data.understood.first_index,
        "left_out": dict(data.understood.dropped),
        "remarks": data.understood.to_json()["remarks"],
    }


def warnings(reading: Reading, data: Data, model: Model) -> Iterator[str]:
    """Yield what may not hold, and what is not taken into account."""
    yield from data.understood.warnings
    if reading.weights is not None and model.decides:
        yield f"the threshold and the calibration count each row once, without {reading.weights}"
    if reading.groups is not None and model.decides:
        yield (
            f"rows of one {reading.groups} may be alike: the intervals of the AUC and of the "
            "threshold count groups, but those of the reliability curve count rows"
        )


def require_for_classes(wanted: ModelPlan) -> None:
    """Raise `ParameterError` where an option is about two classes, and the table has more."""
    asked = wanted.options
    two = {
        "--scorecard": asked.scorecard.is_asked,
        f"--calibration {asked.calibration or 'none'}": asked.calibration != CALIBRATION,
        "an aim of the threshold": bool(asked.threshold.given),
    }
    named = [name for name, given in two.items() if given]
    if asked.read.labels != "classes" or not named:
        return
    if isinstance(wanted.rows().target, Categories):
        raise ParameterError(
            f"{' and '.join(named)} is for two classes, and the table has more: a row is decided "
            "by sigmoid probabilities of all classes; leave it out"
        )
