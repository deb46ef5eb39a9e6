"""Which solver a model is made of, and with which parameters.

Design
  a. Solvers are compared by nested cross-validation in the harness, as `compare` does: the AUC of
     a model and its interval are those of the winner on its test folds, tuning included.
  b. The parameters are the point of the grid with the highest mean AUC over all inner folds of
     all outer folds. The points are the same in each outer fold, since one seed draws them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from statistics import fmean

import numpy as np

from aucbench.bench import Store
from aucbench.bench.options import Fits
from aucbench.bench.plan.errors import PlanError, PlanErrors
from aucbench.bench.plan.fields import Choice, choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.data import Data
from aucbench.datasets.located import is_changepoint
from aucbench.datasets.reading import Reading
from aucbench.errors import AucbenchError, DataError, ParameterError, UnsupportedError
from aucbench.metrics import Aim
from aucbench.models import Model
from aucbench.models.calibration import require_method
from aucbench.models.options import AUTO, NO_CALIBRATION, Aims, Making
from aucbench.protocols import FeatureMap
from aucbench.registry import get_dataset, get_preprocessing, get_solver
from aucbench.registry.specs import Spec, parse_spec
from aucbench.report.evidence import evidence_of
from aucbench.report.findings import Findings, Settings, findings_of
from aucbench.solving.loop import solve

LINEAR = ("logistic", "svm-or", "sht-auc", "roc-svm-nystrom")
TRIED, INNER = 6, 2  # points of a grid, inner folds
TOY = 24  # rows


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
    held : Data, optional
        The rows, where the source is a table in memory.

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
    held: Data | None = None

    def __post_init__(self) -> None:
        require_method(self.calibration)

    @staticmethod
    def of(
        source: str,
        making: Making,
        aims: Aims,
        fits: Fits,
        reading: Reading,
        held: Data | None = None,
    ) -> ModelPlan:
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
            held=held,
        )

    def rows(self) -> Data:
        """Return the rows of the source."""
        if self.held is not None:
            return self.held
        return get_dataset(self.source, **self.reading.options())

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
            reading=self.reading if self.held is None else Reading(test=self.reading.test),
            splits=self.splits,
            holdout=self.holdout,
            seeds=(self.seed,),
            passes=self.passes,
            seconds=self.seconds,
            tune_evals=TRIED,
            inner_splits=INNER,
        )


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
