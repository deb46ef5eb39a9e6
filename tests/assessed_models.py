"""Models that were assessed, without a comparison before."""

from dataclasses import replace

import numpy as np
import pandas as pd

from aucbench.data.folds import splits
from aucbench.datasets import load
from aucbench.datasets.reading import ReadOptions
from aucbench.metrics import Aim
from aucbench.models.assessing import assessed
from aucbench.models.building import decided
from aucbench.models.effects import shapes
from aucbench.models.recipe import Recipe
from aucbench.models.trials import Trier
from aucbench.registry.specs import parse_spec
from aucbench.stats import Fold, auc_interval

N = 900


def patients(n=N, seed=0):
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


def assessed_model(
    frame=None, solver="logistic", *, aim=None, calibration="sigmoid", by=(), **reading
):
    """(model, rows held out, data)."""
    frame = patients() if frame is None else frame
    data = load(frame, ReadOptions(**{"target": "back", "positive": "yes", **reading}))
    trial, model = tried(solver, data, splits(data, 3, 0, None), passes=5.0)
    rows = every(data)
    model, [held] = decided(model, trial.fits, data, rows, aim or Aim(), calibration)
    known = assessed(held, data, model, by=by)
    curves = shapes(model, data, rows, [one.column for one in known.importance])
    model = replace(
        model,
        functions=(replace(model.function, assessment=known, shapes=curves),),
        auc=auc_interval([Fold(held.y, held.scores)]),
        auc_rows="the test rows of 3 folds",
    )
    return model, held, data


def with_function(model, **changes):
    """The model with other attributes of its score function."""
    return replace(model, functions=(replace(model.function, **changes),))


def every(data):
    """The numbers of all rows."""
    return np.arange(data.n, dtype=np.int32)


def tried(solver, data, parts, **limits):
    """(trial on these splits, model of all rows)."""
    recipe = Recipe(solver=solver, **limits)
    [trial] = Trier(data=data, splits=parts, recipe=recipe, required=True).run([parse_spec(solver)])
    return trial, recipe.fitted(data)
