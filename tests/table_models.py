"""Models of tables, fitted in a moment."""

from dataclasses import fields, replace

import numpy as np

from aucbench.datasets.tables import Encoding
from aucbench.models import Model, ScoreFunction
from aucbench.models.calibration import Sigmoid
from aucbench.models.score_function import as_steps, functions_of
from aucbench.registry import get_features, get_solver
from aucbench.solving.loop import solve

OF_FUNCTION = {field.name for field in fields(ScoreFunction)}


def model_of_run(run, phi, **more):
    """Return the model of two classes of a run; `more` are fields of it and of its function."""
    own = {name: more.pop(name) for name in OF_FUNCTION & {*more} - {"maps"}}
    [function] = functions_of(run)
    given = {"labels": (("no",), ("yes",)), "columns": None, **more}
    return Model(functions=(replace(function, **own),), maps=as_steps(phi), **given)


def changed(model, **more):
    """Return a model with other fields of its only score function."""
    return replace(model, functions=(replace(model.function, **more),))


def model_of(data, **more):
    encoding = None if data.schema is None else Encoding.learn(data.schema, data.rows)
    train = data if encoding is None else data.with_rows(encoding(data.rows))
    phi = get_features("auto").fit(train, np.random.default_rng(0))
    run = solve(get_solver("svm-or"), train.with_rows(phi(train.rows)), passes=5)
    known = {"calibrator": Sigmoid(-1.0, 0.0), "encoding": encoding, **more}
    model = model_of_run(run, phi, width=data.d, columns=data.names, **known)
    return model, run.decision_function(phi(train.rows))
