"""From a table to a model: compare, choose, choose a threshold, fit to all rows.

Design
  a. Solvers are compared by nested cross-validation in the harness, as `compare` does: the AUC of
     a model and its interval are those of the winner on its test folds, tuning included.
  b. The parameters are the point of the grid with the highest mean AUC over all inner folds of
     all outer folds. The points are the same in each outer fold, since one seed draws them.
  c. With these parameters the solver is fitted to each training part once more. Its scores of the
     rows held out choose the threshold and the calibration. (Rejected: the scores of a. Other
     parameters in other folds have other scales. Rejected: scores of the last fit, which has seen
     all rows and scores them too well.)
  d. The last fit takes all rows. It is the only one whose weights are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from statistics import fmean
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from aucbench.bench import Store
from aucbench.bench.options import Fits
from aucbench.bench.plan.errors import PlanError, PlanErrors
from aucbench.bench.plan.fields import Choice, choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.datasets.located import is_changepoint
from aucbench.datasets.reading import Reading
from aucbench.datasets.tables import Encoding
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.metrics import Aim
from aucbench.models import Model, Operating
from aucbench.models.calibration import calibrator, require_method
from aucbench.models.options import AUTO, NO_CALIBRATION, Aims, Making
from aucbench.protocols import FeatureMap
from aucbench.registry import get_dataset, get_preprocessing, get_solver
from aucbench.registry.specs import Spec, parse_spec
from aucbench.report.evidence import evidence_of
from aucbench.report.findings import Findings, Settings, findings_of
from aucbench.solving.loop import solve

LINEAR = ("logistic", "svm-or", "sht-auc", "roc-svm-nystrom")
TRIED, INNER, BINS = 6, 2, 5  # points of a grid, inner folds, groups of equal size
TOY = 24  # rows
Mask = NDArray[np.bool_]


class RunPlan(Protocol):
    """Runs the cells of a plan that are not in the store yet, and returns all records in order."""

    def __call__(self, plan: Plan, /, *, quiet: bool = False) -> Sequence[Record]:
        """Run it; `quiet`: without progress."""
        ...


def auto_solvers() -> tuple[str, ...]:
    """Return the solvers of which `auto` takes the best: those of `compare`.

    The boosted trees are those of lightgbm if it is installed, else those of scikit-learn.
    """
    return (*LINEAR, "lightgbm" if find_spec("lightgbm") else "hist-gradient-boosting")


@dataclass(frozen=True, kw_only=True)
class ModelPlan:
    """What a model is made of.

    Attributes
    ----------
    source : str
        Name or path of the training table.
    solvers : tuple of str
        Specifications; the best one becomes the model.
    tune : bool
        Whether each solver is tuned over its published grid.
    reading : Reading
        How the table is read.
    aim : Aim
        What the threshold is chosen for.
    calibration : str or None
        "sigmoid", "isotonic", or None for no probabilities.
    features, splits, holdout, seed, passes, seconds :
        As in `Plan`.

    Raises
    ------
    UnknownNameError
        When there is no such calibration.
    """

    source: str
    solvers: tuple[str, ...] = field(default_factory=auto_solvers)
    tune: bool = True
    reading: Reading = field(default_factory=Reading)
    aim: Aim = field(default_factory=Aim)
    calibration: str | None = "sigmoid"
    features: str = "auto"
    splits: int | None = None
    holdout: float | None = None
    seed: int = 0
    passes: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        require_method(self.calibration)

    @staticmethod
    def of(source: str, making: Making, aims: Aims, fits: Fits, reading: Reading) -> ModelPlan:
        """Return the plan for the options of `fit`.

        Raises
        ------
        UnknownNameError, ParameterError
            When there is no such calibration, or as `Aims.aim`.
        """
        auto = making.solver == (AUTO,)
        return ModelPlan(
            source=source,
            solvers=auto_solvers() if auto else making.solver,
            tune=auto if making.tune is None else making.tune,
            reading=reading,
            aim=aims.aim,
            calibration=None if making.calibration == NO_CALIBRATION else making.calibration,
            features=making.features,
            splits=fits.splits,
            holdout=fits.holdout,
            seed=fits.seed,
            passes=fits.passes,
            seconds=fits.seconds,
        )

    @property
    def plan(self) -> Plan:
        """The comparison that chooses the solver."""
        return self.plan_of(choices(self.solvers, tune=self.tune))

    def plan_of(self, solvers: Iterable[Choice]) -> Plan:
        """Return the plan with these solvers."""
        return Plan(
            (self.source,),
            tuple(solvers),
            (self.features,),
            reading=self.reading,
            splits=self.splits,
            holdout=self.holdout,
            seeds=(self.seed,),
            passes=self.passes,
            seconds=self.seconds,
            tune_evals=TRIED,
            inner_splits=INNER,
        )


def fitted(
    wanted: ModelPlan, run: RunPlan, store: Store, tell: Callable[[Findings], object]
) -> Model:
    """Return the best model: compare, choose, and fit to all rows.

    Parameters
    ----------
    run : RunPlan
        Runs a plan into `store`.
    tell : function (Findings) -> object
        Called with what the comparison says, before the last fits.

    Raises
    ------
    AucbenchError
        As `require_savable`, `compared` and `built`.
    """
    require_savable(wanted)
    records = run(wanted.plan)
    findings = compared(wanted, records, store)
    tell(findings)
    return built(wanted, records, findings, store, partial(run, quiet=True))


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
    rng = np.random.default_rng(0)
    toy = Data.of(rng.normal(size=(TOY, 3)), np.arange(TOY) % 2)
    phi = get_preprocessing(wanted.features).fit(toy, rng)
    refused: dict[str, AucbenchError] = {}
    for spec in wanted.solvers:
        try:
            _require_savable(spec, toy.with_rows(phi(toy.rows)), phi)
        except AucbenchError as error:
            refused[spec] = error
    if len(refused) > 1:
        raise PlanErrors([PlanError(str(e), "solvers", value=spec) for spec, e in refused.items()])
    for alone in refused.values():
        raise alone


def _require_savable(spec: str, toy: Data, phi: FeatureMap) -> None:
    solver = get_solver(spec)
    try:
        run = solve(solver, toy, passes=1)
    except DataError:  # the solver does not like made-up rows, which says nothing of others
        return
    shape = {"width": 3, "columns": None, "negative": (0,), "positive": (1,), "threshold": 0.0}
    Model.of_run(run, phi, **shape)


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


def built(
    wanted: ModelPlan, records: Sequence[Record], findings: Findings, store: Store, run: RunPlan
) -> Model:
    """Return the model of the best solver of a comparison.

    Parameters
    ----------
    records : sequence of Record
        Of the comparison.
    findings : Findings
        What `compared` returned.
    run : function (Plan) -> sequence of Record
        Runs a plan into the same store.

    Raises
    ------
    UnsupportedError
        When a model of this solver, or with this feature map, cannot be saved.
    DataError
        When the solver cannot be fitted with the chosen parameters, or the aim cannot be reached.
    """
    place = next(j for j in findings.order if findings.evidence.group(0, j).complete)
    choice = wanted.plan.solvers[place]
    own = [record for record in records if record.cell.solver == choice.spec]
    spec = with_best_point(choice, own)
    again = own if not choice.tune else run(wanted.plan_of([Choice(spec)]))
    y, scores, rows = _held_out(again, store)
    data = get_dataset(wanted.source, **wanted.reading.options())
    if not np.array_equal(data.y[rows], y):
        raise DataError(f"{wanted.source} has changed since the run began; start it again")
    model = _refitted(wanted, spec, data)
    known = next(row for row in findings.insides[0].rows if row.solver == place).known
    assert known is not None  # the solver is complete
    division = own[0].sizes.division
    what = f"{rows.size} scores of {division}, each by a fit that did not see the row"
    calibrated = None
    if wanted.calibration is not None:
        calibrated = calibrator(wanted.calibration, y, scores)
    return replace(
        model,
        threshold=(point := Operating.of(y, scores, wanted.aim, what, seed=wanted.seed)).threshold,
        operating=point,
        calibrator=calibrated,
        auc=known.delong if np.isfinite(known.delong.low) else known.resampled,
        auc_rows=_auc_rows(wanted, division, tuned=bool(choice.tune)),
        provenance={
            **model.provenance,
            "data_hash": own[0].sizes.data,
            "versions": dict(own[0].machine.get("versions") or {}),
            "choice": _reasons(wanted, findings, choice),
            "reliability": _reliability(calibrated, y, scores),
        },
    )


def _auc_rows(wanted: ModelPlan, division: str | None, *, tuned: bool) -> str:
    how = ", tuned inside each training part" if tuned else ""
    weighted = f", weighted by {wanted.reading.weights}" if wanted.reading.weights else ""
    return f"the test rows of {division}{weighted}{how}"


def _warnings(reading: Reading) -> Iterator[str]:
    """Yield what the threshold, its intervals and the calibration do not take into account."""
    if reading.weights is not None:
        yield f"the threshold and the calibration count each row once, without {reading.weights}"
    if reading.groups is not None:
        yield (
            f"the intervals take rows for independent, and those of one {reading.groups} may be "
            "alike: then they are too narrow"
        )


def _reasons(wanted: ModelPlan, findings: Findings, choice: Choice) -> list[str]:
    if len(wanted.solvers) == 1:
        return [f"{choice.spec} was asked for."]
    return [*findings.advice.sentences]


def with_best_point(choice: Choice, records: Sequence[Record]) -> Spec:
    """Return the solver with the point whose mean AUC over all inner folds is the highest."""
    if not choice.tune:
        return choice.spec
    aucs_of: dict[str, list[float]] = {}
    for record in records:
        table = record.tuning["table"] if record.tuning else ()
        for row in table:
            if row["status"] == "ok":
                key = json.dumps(row["parameters"])
                aucs_of.setdefault(key, []).append(row["auc"] or 0.0)
    whole = {key: fmean(aucs) for key, aucs in aucs_of.items() if len(aucs) == len(records)}
    if not whole:
        raise ParameterError(
            f"no point of the grid of {choice.spec} could be fitted in all folds; name a solver "
            "with parameters, such as --solver logistic[C=1]"
        )
    best = json.loads(max(whole, key=lambda key: whole[key]))
    return replace(choice.spec, params={**choice.spec.params, **best})


def _held_out(records: Sequence[Record], store: Store) -> tuple[NDArray[Any], Vector, Any]:
    """Return labels, scores and numbers of the rows that were held out, of all folds."""
    parts = []
    for record in records:
        stored = store.scores(record.id, record.sizes.data) if record.ok else None
        if stored is None or "y" not in stored:
            raise DataError(
                f"{record.cell.solver} could not be fitted to each training part: "
                f"{record.why or 'its scores are missing'}; name another solver"
            )
        parts.append((stored["y"], stored["scores"], stored["rows"]))
    y, scores, rows = (np.concatenate(column) for column in zip(*parts, strict=True))
    return y, scores, rows


def _refitted(wanted: ModelPlan, spec: Spec, data: Data) -> Model:
    """Return the model that is fitted to all rows, its threshold not chosen yet.

    The rows of a test file are none of them.
    """
    if wanted.reading.test is not None and data.folds is not None:
        data = data.take(np.flatnonzero(data.folds < 0).astype(np.int32))
    encoding = None if data.schema is None else Encoding.learn(data.schema, data.rows)
    train = data if encoding is None else data.with_rows(encoding(data.rows))
    # as a split of a run, and none of those that were run
    rng = np.random.default_rng([wanted.seed, wanted.plan.split_count])
    phi = get_preprocessing(wanted.features).fit(train, rng)
    run = solve(
        get_solver(spec),
        train.with_rows(phi(train.rows)),
        passes=wanted.passes,
        seconds=wanted.seconds,
        seed=wanted.seed,
    )
    understood = data.understood
    model = Model.of_run(
        run,
        phi,
        width=data.d,
        columns=data.names,
        encoding=encoding,
        negative=understood.negative or ("-1",),
        positive=understood.positive or ("1",),
        threshold=0.0,
        provenance={
            "solver": str(spec),
            "features": wanted.features,
            "aucbench": _version(),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "data": wanted.source,
            "label": understood.label,
            "n": data.n,
            "n_pos": data.labels.n_pos,
            "seed": wanted.seed,
            "decimal": wanted.reading.decimal,
            "separator": wanted.reading.separator,
            "stop": run.stop.name,
            "left_out": dict(understood.dropped),
            "warnings": [*understood.warnings, *_warnings(wanted.reading)],
        },
    )
    return replace(model, spread=_spread(model.mapped(data.rows)))


def _version() -> str:
    from importlib.metadata import version

    return version("aucbench")


def _spread(rows: Rows) -> Vector:
    """Return the standard deviation of each column (divisor n), shape (d,)."""
    X = rows.matrix
    if not rows.is_sparse:
        return np.asarray(X.std(axis=0))
    mean = np.asarray(X.mean(axis=0)).reshape(-1)
    squares = np.asarray(X.power(2).mean(axis=0)).reshape(-1)
    return np.asarray(np.sqrt(np.maximum(squares - mean**2, 0.0)))


def _reliability(calibrated: Any, y: NDArray[Any], scores: Vector) -> list[Mapping[str, float]]:
    """Return mean probability and share of positives in groups of equal size, ascending."""
    if calibrated is None:
        return []
    probability = calibrated(scores)
    groups = np.array_split(np.argsort(probability, kind="stable"), BINS)
    return [
        {
            "rows": int(group.size),
            "probability": float(probability[group].mean()),
            "positive": float(np.mean(y[group] > 0)),
        }
        for group in groups
        if group.size
    ]
