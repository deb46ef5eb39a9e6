"""A model as a file, and scores of a table of text cells, beside the bare product."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd

import aucbench
from aucbench import metrics, models, registry
from aucbench.models.score_function import as_steps, functions_of

N = 20_000


class ModelFile:
    """The table has 8 columns of numbers, and a predicted piece has 20 000 rows of text."""

    version = "1"

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(N, 8)).round(4)
        self.path = Path(mkdtemp()) / "model.aucbench"
        self.data = aucbench.Data.of(X, X[:, 0] + rng.normal(size=N) > 0)
        phi = registry.get_features("standard").fit(self.data, rng)
        train = self.data.with_rows(phi(self.data.rows))
        run = aucbench.solve(aucbench.get_solver("svm-or"), train, passes=3)
        names = tuple(f"x{j}" for j in range(8))
        self.model = models.Model(
            functions=functions_of(run),
            labels=((0,), (1,)),
            width=8,
            columns=names,
            maps=as_steps(phi),
        )
        self.model.save(self.path)
        self.text = pd.DataFrame(X, columns=list(names)).astype(str).astype(object)
        self.scores = self.model.scores(self.data.rows)[:, 0]

    def time_save(self) -> None:
        self.model.save(self.path)

    def time_load(self) -> None:
        models.Model.load(self.path)

    def time_scores_of_numbers(self) -> None:
        self.model.scores(self.data.rows)

    def time_scores_of_text(self) -> None:
        models.score_frame(self.model, self.text)

    def time_threshold_with_intervals(self) -> None:
        models.Operating.of(self.data.y, self.scores, metrics.Aim(), "", seed=0)


class Scorecard:
    """A fit of 5 000 rows with 8 columns, as it is and as a scorecard, and scores by points."""

    version = "1"
    params = (False, True)
    param_names = ("scorecard",)

    def setup(self, scorecard: bool) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(N // 4, 8)).round(2)
        table = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
        good = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X)) > 0
        self.table = table.assign(good=good)
        self.model = self.fitted(scorecard)

    def fitted(self, scorecard: bool) -> models.Model:
        how = {"solver": "rank-svm[lam=0.1]", "features": "bins", "splits": 2, "quiet": True}
        return aucbench.fit(self.table, target="good", scorecard=scorecard or None, **how)

    def time_fit(self, scorecard: bool) -> None:
        self.fitted(scorecard)

    def time_predict(self, scorecard: bool) -> None:
        self.model.predict(self.table)
