"""From a table to a model: search, fit to all rows, and choose a threshold.

Design
  a. `choosing` says which solver it is, and with which parameters. The AUC of the model is that of
     these parameters, each held-out row scored by a fit that has not seen it.
  b. The solver is fitted to all rows once. The held-out scores of the search, put on the scale of
     this fit, choose the threshold and the calibration, see `held_out`. (Rejected: scores of the
     last fit, which has seen all rows and scores them too well.)
  c. Of three or more classes, there is a score function for each class against the rest. The
     held-out rows are the same for all classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce
from importlib.metadata import version
from operator import or_
from typing import Any

import numpy as np

from aucbench.bench.fingerprints import versions_of_module
from aucbench.bench.worker.machine import here
from aucbench.bench.worker.rows import data_hash
from aucbench.data import Categories, Data
from aucbench.data.arrays import Index
from aucbench.datasets.chunked.data import named_columns
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.tables import with_shapes
from aucbench.errors import ParameterError
from aucbench.kernels.parallel import threads
from aucbench.metrics import Aim
from aucbench.models.assessing import assessed, importances, require_columns
from aucbench.models.assessment import Assessment
from aucbench.models.calibration import Reliability, calibrator
from aucbench.models.candidates import explain_choice
from aucbench.models.choosing import Comparison, Search, divide_rows
from aucbench.models.chunked import remarks_of, run_options
from aucbench.models.effects import shapes
from aucbench.models.held_out import HeldOut, in_memory, rows_of_class
from aucbench.models.model import Model
from aucbench.models.operating import Operating
from aucbench.models.options import CALIBRATION, FitOptions
from aucbench.models.recipe import Recipe, with_spreads
from aucbench.models.score_function import ScoreFunction
from aucbench.models.scorecard import Scaling, carded, require_card, require_kinds
from aucbench.models.trials import SolverTrial, SplitFit, Trier, require_savable
from aucbench.pairs.range import COLLAPSED
from aucbench.processes.host import cores
from aucbench.progress import Progress
from aucbench.registry import get_dataset, get_pairs, get_solver
from aucbench.registry.specs import short
from aucbench.report.findings import titled
from aucbench.scale import ChunkedData
from aucbench.stats import Fold
from aucbench.stats.delong import auc_interval

HELPED = ", which have helped to choose the solver"


def read_table(
    source: str, options: FitOptions, held: Data | ChunkedData | None = None
) -> Data | ChunkedData:
    """Return the rows to fit to, with the pairs that count and the constraints on effects.

    Parameters
    ----------
    source : str
        Name or path of the table.
    held : Data or ChunkedData, optional
        Its rows, if it is in memory, or is read in chunks.
    """
    if isinstance(held, ChunkedData):
        return held
    data = get_dataset(source, **options.read.options()) if held is None else held
    data = data if options.pairs is None else replace(data, pairs=get_pairs(options.pairs))
    return data if options.monotone is None else with_shapes(data, options.monotone)


def fit_rows(
    data: Data | ChunkedData,
    source: str,
    options: FitOptions,
    progress: Progress | None = None,
) -> Model:
    """Return the best model of the rows of a table.

    Parameters
    ----------
    data : Data or ChunkedData
        What `read_table` returned.
    source : str
        Where they come from, for people.
    progress : Progress, optional
        Counts the fits of the search.

    Raises
    ------
    AucbenchError
        When an option does not suit the rows, or as `Search.run` and `decided`.
    """
    _require_fitting(data, options)
    search, run = options.search, run_options(data, options.run)
    parts, division = divide_rows(options, data)
    trier = Trier(
        data=data,
        splits=parts,
        recipe=Recipe(
            solver="",
            features=search.features,
            passes=search.passes,
            seconds=search.seconds,
            seed=search.seed,
        ),
        jobs=run.jobs or cores(),
        required=not search.is_automatic,
        check=require_card if options.scorecard.is_asked else require_savable,
        progress=progress or Progress(),
    )
    with threads(run.threads):
        return _searched(trier, source, options, division)


def _searched(trier: Trier, source: str, options: FitOptions, division: str) -> Model:
    """Search, fit to all rows, and return the model with what is known of it."""
    comparison = Search.of(options, trier).run()
    model = _described(_final(trier, comparison, options), trier.data, source, options)
    more = HELPED if len(comparison.trials) > 1 else ""
    return replace(
        model,
        auc=comparison.interval(comparison.chosen),
        auc_rows=f"the test rows of {division}{_weighted(options)}{more}",
        provenance={
            **model.provenance,
            "choice": [*_reasons(comparison)],
            "comparison": [one.to_plain() for one in comparison.candidates()],
        },
    )


def _reasons(comparison: Comparison) -> Iterator[str]:
    yield explain_choice(comparison.candidates(), titled(comparison.measure.name))
    if comparison.stopped:
        yield comparison.stopped


def _require_fitting(data: Data | ChunkedData, options: FitOptions) -> None:
    """Raise `AucbenchError` where an option does not suit the rows."""
    if isinstance(data.target, Categories):
        _require_for_classes(options)
    if options.by or options.monotone is not None:
        require_columns(named_columns(data), options.by)
    if options.scorecard.is_asked:
        require_kinds(named_columns(data).schema)


def _final(trier: Trier, comparison: Comparison, options: FitOptions) -> Model:
    """Return the chosen solver fitted to all rows, with what held-out rows say about it."""
    data, fits = trier.data, tuple(comparison.chosen.fits)
    learnt = _learnt(options.read, data)
    model = _last_fit(trier, comparison.chosen, learnt)
    if np.array_equal(fits[-1].learnt, learnt):
        fits = (*fits[:-1], replace(fits[-1], model=model))
    how = (options.threshold.aim, options.calibration, options.scorecard.scaling)
    model, held = decided(model, fits, data, learnt, *how, seed=options.search.seed)
    known = data.understood
    if isinstance(data, ChunkedData):
        table, held = in_memory(data, held)
        known = replace(known, remarks=(*known.remarks, *remarks_of(data, table)))
        data, learnt = table, np.arange(table.n, dtype=np.int32)
    about: dict[str, Any] = {
        "remarks": known.to_json()["remarks"],
        "warnings": [*known.warnings, *warnings(options.read, model)],
        **({} if options.pairs is None else {"measure": titled(comparison.measure.name)}),
    }
    if any(fit.collapsed for fit in fits):
        about["warnings"].append(COLLAPSED)
    functions = tuple(_explained(options, model, held, data, learnt, fits[-1]))
    return replace(model, functions=functions, provenance={**model.provenance, **about})


def _last_fit(trier: Trier, chosen: SolverTrial, learnt: Index) -> Model:
    """Return the model of all training rows; a fit to the same rows is not repeated."""
    last, recipe = chosen.fits[-1], replace(trier.recipe, solver=chosen.point)
    if np.array_equal(last.learnt, learnt):
        return with_spreads(last.model, trier.data.rows.take(learnt))
    start = last.model if isinstance(trier.data, ChunkedData) else None
    return recipe.fitted(trier.data, learnt, split=len(chosen.fits), start=start)


def _explained(
    options: FitOptions,
    model: Model,
    held: tuple[HeldOut, ...],
    data: Data,
    learnt: Index,
    last: SplitFit,
) -> Iterator[ScoreFunction]:
    """Yield each score function with what held-out rows say about it, and its curves."""
    if not held:  # it ranks rows
        rng = np.random.default_rng(options.search.seed)
        known = importances(last.model, data, last.rows, rng)
        yield replace(model.function, **_explanation(known, data, model, learnt))
    for k, one in enumerate(held):
        of_class = model if len(held) == 1 else model.against_rest(k)
        rows = rows_of_class(data, k)
        known = assessed(one, rows, of_class, by=options.by, seed=options.search.seed)
        function = replace(model.functions[k], **_explanation(known, rows, of_class, learnt))
        alone = len(held) == 1
        yield function if alone else replace(function, auc=auc_interval([_fold(one, data)]))


def _explanation(known: Assessment, data: Data, model: Model, learnt: Index) -> dict[str, Any]:
    names = [one.column for one in known.importance]
    return {"assessment": known, "shapes": shapes(model, data, learnt, names)}


def _fold(held: HeldOut, data: Data) -> Fold:
    groups = None if data.groups is None else data.groups[held.rows]
    return Fold(held.y, held.scores, groups=groups)


def _described(model: Model, data: Data | ChunkedData, source: str, options: FitOptions) -> Model:
    """Return the model with what is known of its table and its making."""
    solver = get_solver(model.provenance["solver"])
    packages = solver.needs.packages
    about: dict[str, Any] = {
        **origin(short(source), options.read, data),
        "data_hash": data.parts.fingerprint if isinstance(data, ChunkedData) else data_hash(data),
        "versions": reduce(or_, map(versions_of_module, packages), here()["versions"]),
    }
    if options.pairs is not None:
        about["pairs"] = str(options.pairs)
    return replace(model, provenance={**about, **model.provenance})


def _learnt(reading: ReadOptions, data: Data | ChunkedData) -> Index:
    """Return the rows that a model learns from: all but those of a test file."""
    rows = np.arange(data.n, dtype=np.int32)
    return rows if reading.test is None or data.folds is None else rows[data.folds < 0]


def _weighted(options: FitOptions) -> str:
    return f", weighted by {options.read.weights}" if options.read.weights else ""


def decided(
    model: Model,
    fits: Sequence[SplitFit],
    data: Data | ChunkedData,
    learnt: Index,
    aim: Aim,
    calibration: str | None,
    scaling: Scaling | None = None,
    *,
    seed: int = 0,
) -> tuple[Model, tuple[HeldOut, ...]]:
    """Choose the threshold of a model by rows that were held out, and calibrate it.

    A model that ranks rows has no threshold, and nothing is held out for it.

    Parameters
    ----------
    model : Model
        Fitted to all rows.
    fits : sequence of SplitFit
        By the same recipe.
    learnt : array
        Numbers of the rows that the model has learnt from.
    calibration : str or None
        "sigmoid", "isotonic", or None for no probabilities.
    scaling : Scaling, optional
        The model becomes a scorecard of such points, and all else is judged by them.

    Raises
    ------
    UnsupportedError
        When the model is no scorecard.
    DataError
        When the aim cannot be reached.
    """
    if not model.decides:
        return model, ()
    held = HeldOut.of(fits, data, model, seed)
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
        assert isinstance(data, Data)  # rows in chunks make no scorecard
        train, unseen = data.take(learnt), data.rows.take(own.rows)
        model, points = carded(model, own.y, own.scores, unseen, train, scaling)
        own = replace(own, scores=points)
    groups = None if data.groups is None else data.groups[own.rows]
    point = Operating.of(own.y, own.scores, aim, own.what, groups=groups, seed=seed)
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


def origin(source: str, reading: ReadOptions, data: Data | ChunkedData) -> dict[str, Any]:
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
    }


def warnings(reading: ReadOptions, model: Model) -> Iterator[str]:
    """Yield what is not taken into account."""
    if reading.weights is not None and model.decides:
        yield f"the threshold and the calibration count each row once, without {reading.weights}"
    if reading.groups is not None and model.decides:
        yield (
            f"rows of one {reading.groups} may be alike: the intervals of the AUC and of the "
            "threshold count groups, but those of the reliability curve count rows"
        )


def _require_for_classes(options: FitOptions) -> None:
    """Raise `ParameterError` where an option is about two classes, since the table has more."""
    two = {
        "--scorecard": options.scorecard.is_asked,
        f"--calibration {options.calibration or 'none'}": options.calibration != CALIBRATION,
        "an aim of the threshold": bool(options.threshold.given),
    }
    if named := [name for name, given in two.items() if given]:
        raise ParameterError(
            f"{' and '.join(named)} is for two classes, and the table has more: a row is decided "
            "by sigmoid probabilities of all classes; leave it out"
        )
