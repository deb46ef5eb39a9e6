"""From a table to a model: compare, choose, choose a threshold, fit to all rows.

Design
  a. `choosing` says which solver it is, and with which parameters.
  b. With these parameters the solver is fitted to each training part once more. Its scores of the
     rows held out choose the threshold and the calibration. (Rejected: the scores of the
     comparison. Other parameters in other folds have other scales. Rejected: scores of the last
     fit, which has seen all rows and scores them too well.)
  c. The last fit takes all rows. It is the only one whose weights are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from aucbench.bench import Store
from aucbench.bench.plan.fields import Choice
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Record
from aucbench.data import Data
from aucbench.data.arrays import Rows, Vector
from aucbench.datasets.reading import Reading
from aucbench.datasets.tables import Encoding
from aucbench.errors import DataError
from aucbench.models import Model, Operating
from aucbench.models.calibration import calibrator
from aucbench.models.choosing import ModelPlan, compared, require_savable, with_best_point
from aucbench.registry import get_dataset, get_preprocessing, get_solver
from aucbench.registry.specs import Spec
from aucbench.report.findings import Findings
from aucbench.solving.loop import solve

BINS = 5  # groups of equal size
Mask = NDArray[np.bool_]


class RunPlan(Protocol):
    """Runs the cells of a plan that are not in the store yet, and returns all records in order."""

    def __call__(self, plan: Plan, /, *, quiet: bool = False) -> Sequence[Record]:
        """Run it; `quiet`: without progress."""
        ...


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
