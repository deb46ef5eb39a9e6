"""What `solve` adds to a classifier of scikit-learn: the fit alone, and through a solver."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits

import aucbench
from aucbench.data.columns import append_ones

from .rows import dense

DIRECT: dict[str, Any] = {
    "sgd-logistic": SGDClassifier(loss="log_loss", fit_intercept=False),
    "random-forest": RandomForestClassifier(n_estimators=20, n_jobs=1),
    "hist-gradient-boosting": HistGradientBoostingClassifier(max_iter=20),
}
SOLVERS = {
    "sgd-logistic": "sgd-logistic",
    "random-forest": "random-forest[n_estimators=20]",
    "hist-gradient-boosting": "hist-gradient-boosting[max_iter=20]",
}


class Baselines:
    """A fit by itself, through the solver of its name, and through `from_estimator`."""

    version = "1"
    params = ([*DIRECT], ["direct", "solver", "from_estimator"])
    param_names = ("classifier", "way")

    def setup(self, classifier: str, way: str) -> None:
        # One thread: those of OpenMP wait for each other on a busy machine.
        os.environ["OMP_NUM_THREADS"] = "1"
        threadpool_limits(1)
        self.data = dense(2_000, 50)
        if classifier == "sgd-logistic" and way != "solver":  # which appends the feature 1 itself
            self.data = self.data.with_rows(append_ones(self.data.rows))
        self.X, self.y = self.data.rows.matrix, self.data.y
        # The seed that a solver draws in `solve`.
        seed = int(np.random.default_rng(0).spawn(2)[1].integers(2**31))
        self.direct = clone(DIRECT[classifier]).set_params(random_state=seed)
        wrapped = {
            "solver": SOLVERS[classifier],
            "from_estimator": aucbench.from_estimator(self.direct),
        }
        self.solver = aucbench.get_solver(wrapped[way]) if way in wrapped else None

    def time_fit(self, classifier: str, way: str) -> None:
        if self.solver is None:
            self.direct.fit(self.X, self.y)
        else:
            aucbench.solve(self.solver, self.data)
