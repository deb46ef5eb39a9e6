"""Models of every kind of map, solver and task, fitted and saved once in a session.

`saved_models("logistic")` is a model of KINDS with its file, which tests do not change: a damaged
file is a copy of it. `learnt` and `assessed_model` make other models.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import installed
import numpy as np
import pandas as pd
from samples import sample
from tables import table

from aucbench import AUCClassifier, GradeRanker, SurvivalRanker
from aucbench.data import Data, Survival
from aucbench.data.folds import splits
from aucbench.datasets import load
from aucbench.datasets.reading import ReadOptions
from aucbench.datasets.tables import Encoding
from aucbench.metrics import Aim
from aucbench.models import Model, ScoreFunction
from aucbench.models.assessing import assessed
from aucbench.models.building import decided
from aucbench.models.effects import shapes
from aucbench.models.recipe import Recipe
from aucbench.models.score_function import as_steps, functions_of
from aucbench.models.trials import Trier
from aucbench.registry import get_features, get_solver
from aucbench.registry.specs import parse_spec
from aucbench.solving.loop import solve
from aucbench.stats import Fold, auc_interval

SCALES = np.array([1, 5, 1, 1, 0.1, 1])
NUMBERS = Data.of(*sample(3, 120, 6, scale=SCALES, offset=np.array([0, 1, 0, 0, 0, 0])))
SPARSE = Data.of(*sample(4, 120, 6, density=0.3, scale=SCALES, layout="csr"))
TABLE = table(1, 160, "age ward since member number lab", gaps={"age": 0.1, "since": 0.1})
OF_FUNCTION = {field.name for field in fields(ScoreFunction)} - {"maps"}


def with_function(model, **changes):
    """The model with other attributes of its only score function."""
    return replace(model, functions=(replace(model.function, **changes),))


def model_of_run(run, phi, **more):
    """The model of two classes of a run; `more` are fields of it and of its function."""
    own = {name: more.pop(name) for name in OF_FUNCTION & {*more}}
    [function] = functions_of(run)
    given = {"labels": (("no",), ("yes",)), "columns": None, **more}
    return Model(functions=(replace(function, **own),), maps=as_steps(phi), **given)


def learnt(solver="svm-or", features="auto", data=NUMBERS, *, passes=3, **more):
    """(scores of the training rows by the solver, model), without a comparison before."""
    encoding = None if data.schema is None else Encoding.learn(data.schema, data.rows)
    train = data if encoding is None else data.with_rows(encoding(data.rows))
    phi = get_features(features).fit(train, np.random.default_rng(0))
    run = solve(get_solver(solver), train.with_rows(phi(train.rows)), passes=passes)
    known = {"encoding": encoding, "width": data.d, "columns": data.names, **more}
    return run.decision_function(phi(train.rows)), model_of_run(run, phi, **known)


def read(frame, target="back", positive="yes", **reading):
    """The rows of a table in memory."""
    return load(frame, ReadOptions(target=target, positive=positive, **reading))


def patients(n=900, seed=0):
    """Only `visits` and `age` matter; in the south, nothing does."""
    rng = np.random.default_rng(seed)
    age, visits = rng.normal(60, 12, n), rng.poisson(1.5, n)
    ward = rng.choice(["north", "south", "east"], n, p=[0.4, 0.4, 0.2])
    margin = np.where(ward == "south", 0.0, 0.05 * (age - 60) + 1.5 * (visits - 1.5))
    return pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.05, np.nan, age),
            "visits": visits,
            "ward": ward,
            "smoker": rng.choice(["yes", "no"], n),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n) % 365, unit="D"),
            "noise": rng.normal(size=n),
            "code": [f"C{k}" for k in rng.integers(0, 30, n)],
            "back": np.where(margin + rng.logistic(size=n) > 1, "yes", "no"),
        }
    )


def every(data):
    """The numbers of all rows."""
    return np.arange(data.n, dtype=np.int32)


def tried(solver, data, parts, **limits):
    """(trial on these splits, model of all rows)."""
    recipe = Recipe(solver=solver, **limits)
    [trial] = Trier(data=data, splits=parts, recipe=recipe, required=True).run([parse_spec(solver)])
    return trial, recipe.fitted(data)


def assessed_model(frame=None, solver="logistic", *, aim=None, calibration="sigmoid", by=()):
    """(model of `patients` or of another table, rows held out, data)."""
    data = read(patients() if frame is None else frame)
    trial, model = tried(solver, data, splits(data, 3, 0, None), passes=5.0)
    model, [held] = decided(model, trial.fits, data, every(data), aim or Aim(), calibration)
    known = assessed(held, data, model, by=by)
    curves = shapes(model, data, every(data), [one.column for one in known.importance])
    model = replace(
        with_function(model, assessment=known, shapes=curves),
        auc=auc_interval([Fold(held.y, held.scores)]),
        auc_rows="the test rows of 3 folds",
    )
    return model, held, data


@dataclass(frozen=True)
class Saved:
    """A model or an estimator, its file, and rows that it scores.

    `scores` are those of the training rows by the solver itself, where it was alone.
    """

    model: Model
    path: Path
    rows: Any
    scores: Any = None
    estimator: Any = None


def _of_numbers(*spec, data=NUMBERS, **more):
    scores, model = learnt(*spec, data=data, **more)
    rows = data.rows if data.rows.is_sparse else data.rows.matrix
    return {"model": model, "rows": rows, "scores": scores}


def _of_table(features="auto", **more):
    data = read(TABLE, "y")
    scores, model = learnt(features=features, data=data, **more)
    return {"model": model, "rows": TABLE, "scores": scores}


def _assessed(solver):
    frame = patients()
    return {"model": assessed_model(frame, solver, by=("age",))[0], "rows": frame}


X = NUMBERS.rows.matrix
CLASSES = np.array(["ape", "bee", "cat"])[np.digitize(X[:, 0], [-0.5, 0.5])]
TIMES = Survival.of(np.exp(-X[:, 0]), X[:, 2] < 1.0)
MAPS = ["none", "auto", "maxabs", "min-max", "unit", "unit-centred", "maxabs+nystroem[rank=7]"]
OF_A_TABLE = ["auto", "splines[knots=6]", "bins[count=4]", "splines[knots=6,pairs=2]"]
TREES = ["random-forest[n_estimators=5]", "hist-gradient-boosting[max_iter=5]"]
BOOSTERS = ["lightgbm", "lightgbm-pairs", "xgboost", "xgboost-pairs"]
SOLVERS = ["logistic", "sht-auc", "sto-iht[intercept=True]", "roc-svm-nystrom", "roc-svm-kernel"]
ESTIMATORS: dict[str, tuple] = {
    "two classes": (AUCClassifier("svm-or", aim={"flags": 0.2}), X, NUMBERS.y),
    "sigmoid": (AUCClassifier("svm-or", calibration="sigmoid"), X, NUMBERS.y > 0),
    "isotonic": (AUCClassifier("sht-auc[k=3]", calibration="isotonic"), X, NUMBERS.y),
    "a table": (AUCClassifier("svm-or", pos_label="yes"), TABLE.drop(columns="y"), TABLE["y"]),
    "shapes": (AUCClassifier("rank-svm", monotone=[1, 0, 0, 0, 0, -1]), X, NUMBERS.y),
    "three classes": (
        AUCClassifier("svm-or", pairs="class[each=rest]", calibration="sigmoid"), X, CLASSES,
    ),
    "classes by trees": (AUCClassifier("hist-gradient-boosting[max_iter=5]"), X, CLASSES),
    "groups": (
        AUCClassifier("rank-svm", pairs="group[each=group]"), X, NUMBERS.y, np.arange(120) // 4,
    ),
    "times": (SurvivalRanker("ls-svm", tau=2.0), X, TIMES),
    "grades": (GradeRanker("ls-svm"), X, np.digitize(X[:, 0], [-1, 0, 1])),
}  # fmt: skip


def _of_estimator(estimator, X, y, groups=None):
    fitted = estimator.fit(X, y, **({} if groups is None else {"groups": groups}))
    return {"model": fitted.model_, "rows": X, "estimator": fitted}


KINDS: dict[str, Callable[[], dict[str, Any]]] = {
    **{phi: partial(_of_numbers, "svm-or", phi) for phi in MAPS},
    **{f"{phi}, sparse": partial(_of_numbers, "svm-or", phi, data=SPARSE) for phi in MAPS},
    **{solver: partial(_of_numbers, solver) for solver in (*SOLVERS, *TREES)},
    **{name: partial(_of_numbers, f"{name}[n_estimators=5]") for name in BOOSTERS},
    **{name: partial(_of_numbers, installed.FEW_ROUNDS) for name in {"ebm"} & {*installed.SOLVERS}},
    **{f"{phi} of a table": partial(_of_table, phi) for phi in OF_A_TABLE},
    **{name: partial(_of_estimator, *row) for name, row in ESTIMATORS.items()},
    "assessed": partial(_assessed, "logistic"),
    "assessed trees": partial(_assessed, "hist-gradient-boosting[max_iter=20]"),
    "assessed kernel": partial(_assessed, "roc-svm-nystrom[rank=20]"),
}  # fmt: skip


def models_in(folder):
    """A function from a name of KINDS to a `Saved`, whose file is in this folder."""

    @cache
    def saved(kind):
        made, path = KINDS[kind](), folder / f"{len([*folder.iterdir()])}.aucbench"
        made.get("estimator", made["model"]).save(path)
        return Saved(path=path, **made)

    return saved
