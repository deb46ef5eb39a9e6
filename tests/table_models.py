"""Models of tables, fitted in a moment."""

import numpy as np

from aucbench.datasets.tables import Encoding
from aucbench.models import Model
from aucbench.models.calibration import Sigmoid
from aucbench.registry import get_features, get_solver
from aucbench.solving.loop import solve


def model_of(data, **more):
    encoding = None if data.schema is None else Encoding.learn(data.schema, data.rows)
    train = data if encoding is None else data.with_rows(encoding(data.rows))
    phi = get_features("auto").fit(train, np.random.default_rng(0))
    run = solve(get_solver("svm-or"), train.with_rows(phi(train.rows)), passes=5)
    model = Model.of_run(
        run,
        phi,
        width=data.d,
        columns=data.names,
        encoding=encoding,
        negative=("no",),
        positive=("yes",),
        threshold=0.0,
        calibrator=Sigmoid(-1.0, 0.0),
        **more,
    )
    return model, run.decision_function(phi(train.rows))
