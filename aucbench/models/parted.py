"""A model of rows that come in parts: they are read again and again, and never are in memory.

Design
  a. Some parts are held out, by a hash of their numbers. Every solver, and every point of its grid,
     learns from the other parts and is judged by those. Where parts differ, as in a file that is
     sorted, or are few, single rows are held out in their place.
  b. Where several solvers or points are tried, one half of the rows held out chooses, and the other
     half tells the AUC, so that it is not that of a choice.
  c. The last fit takes all parts. Scores of rows held out are put on its scale, as in `held_out`,
     by a sample of rows that both fits have learnt from.
     The fits to most parts end at a certified gap of 1e-5: closer ones would cost as many readings
     again, and change no AUC.
  d. The threshold, the probabilities and the page of the model rest on a sample of the rows held
     out, which is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aucbench.bench.parted import MAPS, STANDARD
from aucbench.data import Data
from aucbench.data.arrays import Vector
from aucbench.data.understood import Remark, Understood
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.features.standard import Standard
from aucbench.metrics import auc
from aucbench.models.assessing import assessed, require_columns
from aucbench.models.building import origin
from aucbench.models.calibration import Reliability, calibrator
from aucbench.models.choosing import TRIED, ModelPlan
from aucbench.models.held_out import HeldOut, Part, scale_between
from aucbench.models.inputs import warn_of_outliers
from aucbench.models.model import Model
from aucbench.models.operating import Operating
from aucbench.models.parted_held import (
    Held,
    deviation,
    encoding_of,
    held_rows,
    join_answers,
    judging,
    outlying,
    parted,
    ranges_of_parts,
    strange,
)
from aucbench.models.parted_telling import SILENT, Teller
from aucbench.models.prediction import label_of
from aucbench.models.recipe import one_thread
from aucbench.models.score_function import as_steps, functions_of
from aucbench.protocols import FeatureMap, State, identity
from aucbench.ranges import GAP_TOL
from aucbench.records import Point, Run, Stop
from aucbench.registry import get_solver
from aucbench.registry.specs import Spec, parse_spec, short
from aucbench.scale import ChunkedData, Engine, Here, Parts
from aucbench.scale.sifted import read_from
from aucbench.scale.survey import stacked
from aucbench.solving.loop import solve
from aucbench.solving.parted import answers, line_of, scored_rows
from aucbench.solving.points import few, mappings, points_in
from aucbench.solving.wrappers import WithStart
from aucbench.stats import Fold
from aucbench.stats.delong import auc_interval

if TYPE_CHECKING:
    from aucbench.models.classifier import AUCClassifier

TRIED_TOL = 1e-5  # certified relative gap of fits that choose


@dataclass(frozen=True, eq=False)
class Fitted:
    """A solver that has learnt from rows in parts.

    Attributes
    ----------
    spec : Spec
        With the parameters that were tried.
    run : Run
    data : ChunkedData
    auc : float
        Of the rows held out that choose; 0 where it is the only one.
    """

    spec: Spec
    run: Run
    data: ChunkedData
    auc: float = 0.0


def fitted_by_parts(
    wanted: ModelPlan, parts: Parts, engine: Engine, tell: Teller = SILENT
) -> Model:
    """Return the best model: fit each solver to most parts, choose, and fit that to all.

    Parameters
    ----------
    wanted : ModelPlan
        As `require_by_parts` lets it pass.
    tell : Teller, optional
        Hears what is done.

    Raises
    ------
    AucbenchError
        When a row cannot be read, no solver could be fitted, or the aim cannot be reached.
    """
    search = wanted.options.search
    standard = search.features in STANDARD
    whole = ChunkedData(parts, engine, seed=search.seed, standard=standard)
    if wanted.options.by:
        require_columns(_columns(whole), wanted.options.by)
    tell.stage("counting rows, and the first sums")
    train, held = parted(whole, search.holdout, search.seed, tell)
    specs = [*_specs(wanted)]
    tried = [*_each_tried(wanted, specs, train, held, tell)]
    best = max(tried, key=lambda one: one.auc)
    tell.stage(f"fitting {short(str(best.spec))} to all {whole.n} rows")
    start = np.asarray(best.run.w)[: whole.d] * (whole.scale / train.scale)
    last = _solved(best.spec, whole, wanted, tell, start)
    tell.stage("choosing the threshold by the rows held out")
    rows = held_rows(held, best.run, train, search.seed, alone=len(tried) == 1)
    remarks = [*strange(rows.sample), *outlying(whole)]
    about = {**_about(wanted, last, remarks), "choice": _choice(tried, best)}
    return _decided(wanted, best, last, rows, about)


def understood_of(parts: Parts) -> Understood:
    """Return what a reader took from files; labels are -1 and 1 where nothing is known."""
    known: Understood = getattr(read_from(parts), "understood", Understood())
    return known if known.positive else replace(known, negative=(-1,), positive=(1,))


def standardised(data: ChunkedData) -> FeatureMap:
    """Return the map of raw rows to the features that the solver has seen, without its own."""
    if not data.standard:
        return identity
    return Standard(mean=data.centre, rest=np.zeros(data.d), spread=data.scale)


def _columns(data: ChunkedData) -> Data:
    """Return two rows of zeros with the names of the columns, for what asks for them only."""
    encoding = encoding_of(data.parts)
    schema = None if encoding is None else encoding.schema
    width, names = (data.d, data.names) if schema is None else (len(schema.names), schema.names)
    made = Data.of(np.zeros((2, width)), np.array([-1, 1]))
    return replace(made, names=names, schema=schema)


def _specs(wanted: ModelPlan) -> Iterator[Spec]:
    """Yield the solvers with the parameters that are tried."""
    for spec in map(parse_spec, wanted.options.search.solver):
        solver = get_solver(spec)
        free = [
            {name: axis for name, axis in grid.items() if name not in spec.params}
            for grid in (mappings(solver.space) if wanted.options.search.tuned else ())
        ]
        grids = [few(spec, grid) for grid in free if grid]
        points = points_in(solver, grids, TRIED, published=True) if grids else ()
        for point in points:
            yield replace(spec, params={**spec.params, **point.values})
        if not points:
            yield spec


def _each_tried(
    wanted: ModelPlan, specs: Sequence[Spec], train: ChunkedData, held: ChunkedData, tell: Teller
) -> Iterator[Fitted]:
    """Fit each solver, and judge it by rows held out; one that cannot be fitted is left out.

    Raises
    ------
    AucbenchError
        Of the first one, when none could be fitted.
    """
    refused: list[AucbenchError] = []
    for spec in specs:
        tell.stage(f"fitting {short(str(spec))} to {train.n} of {train.n + held.n} rows")
        try:
            fitted = _solved(spec, train, wanted, tell)
        except AucbenchError as error:
            refused.append(error)
            tell.stage(f"{short(str(spec))} could not be fitted: {error}")
            continue
        if len(specs) == 1:
            yield fitted
            return
        y, scores = join_answers(answers(held, fitted.run, train))
        chooses = ~judging(y.size, wanted.options.search.seed)
        own = auc(y[chooses], scores[chooses])
        tell.stage(f"{short(str(spec))}: AUC {own:.5f} on rows held out")
        yield replace(fitted, auc=own)
    if len(refused) == len(specs):
        raise refused[0]


def _solved(
    spec: Spec, data: ChunkedData, wanted: ModelPlan, tell: Teller, start: Vector | None = None
) -> Fitted:
    """Fit a solver to parts, from weights that are near where they are known."""

    def watch(point: Point, state: State) -> None:
        tell.evaluation(short(str(spec)), point, state)

    with one_thread():
        run = solve(
            WithStart(get_solver(spec), start),
            data,
            passes=wanted.options.search.passes,
            seconds=wanted.options.search.seconds,
            gap_tol=TRIED_TOL if start is None else GAP_TOL,
            seed=wanted.options.search.seed,
            watch=watch,
        )
    if run.w is None or run.stop is Stop.INVALID:
        raise DataError(f"{short(str(spec))} ended without weights: {run.stop.value}")
    return Fitted(spec, run, data)


def _model(run: Run, data: ChunkedData) -> Model:
    """Return the model of a run, without a threshold."""
    known, encoding = understood_of(data.parts), encoding_of(data.parts)
    exempt = run.scorer.features.exempt
    spread = np.concatenate([deviation(data) / data.scale, np.zeros(exempt)])
    [function] = functions_of(run)
    return Model(
        functions=(replace(function, spread=spread),),
        labels=(known.negative, known.positive),
        width=data.d if encoding is None else len(encoding.schema.columns),
        columns=data.names if encoding is None else encoding.schema.names,
        encoding=encoding,
        maps=as_steps(standardised(data)),
        ranges=ranges_of_parts(data),
    )


def _about(wanted: ModelPlan, last: Fitted, remarks: Sequence[Remark]) -> dict[str, Any]:
    """Return the origin of a model; the remarks are on its columns."""
    data, told = last.data, understood_of(last.data.parts)
    told = replace(told, remarks=(*told.remarks, *remarks))
    known = replace(_columns(data), understood=told)
    return {
        "solver": str(last.spec),
        "features": wanted.options.search.features,
        "seed": wanted.options.search.seed,
        "n": data.n,
        "n_pos": data.n_pos,
        "target": known.target.what,
        "stop": last.run.stop.name,
        **origin(short(wanted.source), wanted.options.read, known),
        "data_hash": data.parts.fingerprint,
        "warnings": list(known.understood.warnings),
    }


def _choice(tried: Sequence[Fitted], best: Fitted) -> list[str]:
    """Return in sentences why it is this solver."""
    if len(tried) == 1:
        return [f"{best.spec} was asked for."]
    told = ", ".join(f"{one.spec} {one.auc:.5f}" for one in tried)
    return [f"{best.spec} has the highest AUC on the rows held out that choose: {told}."]


def _decided(
    wanted: ModelPlan, tried: Fitted, last: Fitted, rows: Held, about: dict[str, Any]
) -> Model:
    """Return the final model with its threshold, probabilities and page, by rows held out."""
    slope, shift = _scale(tried, last)
    part, final = (_model(one.run, one.data) for one in (tried, last))
    data = rows.sample
    every = np.arange(data.n, dtype=np.int32)
    by = Part(model=part, learnt=every[:0], rows=every, slope=slope, shift=shift)
    scores = slope * rows.scores[rows.sampled] + shift
    asked, seed = wanted.options, wanted.options.search.seed
    what = (
        f"{data.n} rows that were drawn from {rows.what}, scored by a fit that did not see them, "
        "on the scale of the last fit"
    )
    held = HeldOut(y=data.y, scores=scores, rows=every, what=what, parts=(by,))
    point = Operating.of(held.y, held.scores, asked.threshold.aim, what, seed=seed)
    method = asked.calibration
    curve = None if method is None else calibrator(method, held.y, held.scores)
    judged = Fold(rows.y[rows.judges], rows.scores[rows.judges])
    function = replace(
        final.function,
        threshold=point.threshold,
        operating=point,
        calibrator=curve,
        reliability=None if method is None else Reliability.of(method, held.y > 0, held.scores),
    )
    decides = replace(
        final,
        functions=(function,),
        auc=auc_interval([judged]),
        auc_rows=f"{int(rows.judges.sum())} of {rows.what}",
        provenance=about,
    )
    known = assessed(held, data, decides, by=asked.by, seed=seed)
    return replace(decides, functions=(replace(function, assessment=known),))


def _scale(tried: Fitted, last: Fitted) -> tuple[float, float]:
    """Return slope and shift from scores of the fit to the training rows to those of the last."""
    samples = tried.data.survey.samples
    table = stacked(*(sample.rows for sample in samples))
    sizes = [sample.keys.size for sample in samples]
    shares = np.repeat(np.array(tried.data.survey.counts) / sizes, sizes) / tried.data.n
    own, other = (scored_rows(table, *line_of(one.run, one.data)) for one in (tried, last))
    return scale_between(own, other, shares)


def learnt_by_parts(
    model: AUCClassifier, parts: Parts, seed: int
) -> tuple[NDArray[Any], FeatureMap, Run, Held]:
    """Return labels, the positive one last, map, run, and rows that choose the threshold.

    Parameters
    ----------
    model : AUCClassifier
        With its parameters.

    Raises
    ------
    ParameterError
        When a parameter has no meaning for rows in parts.
    UnsupportedError
        When the solver or the feature map needs all rows in memory.
    """
    _require_plain(model)
    engine = getattr(parts, "engine", None) or Here()
    whole = ChunkedData(parts, engine, seed=seed, standard=model.features in STANDARD)
    warn_of_outliers(outlying(whole))
    train = held = whole
    if model.validation is not None:
        train, held = parted(whole, model.validation, seed)
    with one_thread():
        run = solve(
            model.solver,
            train,
            passes=model.passes,
            seconds=model.seconds,
            gap_tol=model.gap_tol,
            seed=seed,
        )
    rows, known = held_rows(held, run, train, seed, alone=True), understood_of(parts)
    labels = [label_of(known.negative, "negative"), label_of(known.positive, "positive")]
    return np.array(labels), standardised(train), run, rows


def _require_plain(model: AUCClassifier) -> None:
    """Refuse parameters that rows in parts cannot have."""
    asked = {
        "calibration": model.calibration is not None,
        "warm_start": model.warm_start,
        "pairs": model.pairs is not None,
        "monotone": model.monotone is not None,
        "pos_label": model.pos_label is not None,
    }
    if named := [name for name, given in asked.items() if given]:
        raise ParameterError(
            f"{' and '.join(named)} cannot be had with rows in parts; leave it out; aucbench.fit "
            "calibrates, and positive= of the files says which label is positive"
        )
    if model.features not in MAPS:
        raise UnsupportedError(
            f"features={model.features!r} learns from rows in memory; with rows in parts take one "
            f"of {', '.join(MAPS)}"
        )
