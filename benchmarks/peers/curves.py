"""The seconds to an AUC: test AUC against the CPU seconds of learning, one thread each.

Scoring the test rows takes no time on the clock. A method that has no curve of its own is run
again and again with a larger limit, each run being a point.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier

import aucbench
from aucbench.data.tally import counting
from aucbench.solving.scoring import Scorer
from benchmarks.measured import status
from benchmarks.peers.programs import given, sofia, write_rows
from benchmarks.peers.sets import Kept, Labelled, halves
from benchmarks.steps import problem_of, states_of

SECONDS = 4.0  # of learning, for each method and set
ROUNDS = 300  # of boosting
EPOCHS = 60
PASSES = 2000
SPACED = 1.03  # seconds between points of ours, each so many times those of the last
CERTIFIED = 1e-6  # relative gap
SEEN = {*range(1, 11), *(int(10 * 1.1**k) for k in range(1, 60))}  # rounds that are a point
LINEAR = ("svm-or", "rank-svm", "ls-svm", "sht-auc", "spam-l2", "aum")
CURVED = ("roc-svm-nystrom",)
DENSEST = 2e8  # entries, of sparse rows that a method wants dense
Point = tuple[float, float]  # seconds, test AUC
Curve = Callable[[Labelled, Labelled, "Watch", Path], None]


class Method(NamedTuple):
    """Who draws a curve; a linear one competes with linear ones."""

    name: str
    linear: bool
    ours: bool
    draw: Curve


class Watch:
    """A clock that stands still while the test rows are scored, and the points so far."""

    def __init__(self, held: Labelled, limit: float) -> None:
        self.held, self.limit = held, limit
        self.points: list[Point] = []
        self.start()

    def start(self) -> None:
        """Begin to count, after what each process pays once, such as imports."""
        self.begin, self.aside = process_time(), 0.0

    def seconds(self) -> float:
        """Return the seconds of learning so far."""
        return process_time() - self.begin - self.aside

    def see(self, scores: Callable[[], np.ndarray], seconds: float | None = None) -> bool:
        """Add a point, now or at the seconds that are given; is there time for more?"""
        now, begin = self.seconds() if seconds is None else seconds, process_time()
        self.points.append((now, aucbench.auc(self.held.y, np.asarray(scores(), dtype=float))))
        self.aside += process_time() - begin
        return now < self.limit


def measure(kept: Kept, name: str, limit: float = SECONDS) -> dict[str, Any]:
    """Return the curve of a method on a set, and the peak of its process in megabytes."""
    method = methods()[name]
    learnt, held = halves(kept)
    watch, why = Watch(held, limit), ""
    try:
        with quiet():
            method.draw(learnt, held, watch, kept.folder / f"{kept.name}.learnt.svm")
    except TooDenseError as error:
        why = str(error)
    return {
        "set": kept.name,
        "n": kept.n,
        "d": kept.d,
        "method": method.name,
        "linear": method.linear,
        "ours": method.ours,
        "why": why,
        "megabytes": status("VmHWM"),
        "points": improving(watch.points),
    }


def improving(points: list[Point]) -> list[Point]:
    """Return the points that are better than all before; the others are never the first."""
    kept: list[Point] = []
    for seconds, found in sorted(points):
        if not kept or found > kept[-1][1]:
            kept.append((round(seconds, 5), round(found, 6)))
    return kept


class TooDenseError(ValueError):
    """Sparse rows that would take too much memory as dense ones."""


def dense(X: Any) -> np.ndarray:
    """Return rows as a dense array."""
    if not hasattr(X, "toarray"):
        return np.asarray(X)
    if X.shape[0] * X.shape[1] > DENSEST:
        raise TooDenseError("takes dense rows only, which would be too many numbers here")
    return np.asarray(X.toarray())


@contextmanager
def quiet() -> Iterator[None]:
    """Hide warnings that a run ends early, which is what is asked for here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def few(rows: Labelled) -> Labelled:
    """Return about 500 rows, for a fit that pays what each process pays once, such as imports."""
    kept = np.arange(0, rows.y.size, max(rows.y.size // 500, 1))
    return Labelled(rows.X[kept], rows.y[kept])


def by_solver(spec: str, learnt: Labelled, held: Labelled, watch: Watch, file: Path) -> None:
    """One of ours, until it is certified or the time is over."""
    solver, data = aucbench.get_solver(spec), learnt.data()
    aucbench.solve(solver, few(learnt).data(), passes=1)  # what is paid once is not learning
    test = held.data().rows
    watch.start()
    problem = problem_of(solver, data)
    scorer = Scorer.of(problem)
    due, seen = 0.0, True
    with counting() as read:
        for state in states_of(solver, problem):
            sure = state.gap is not None and state.value and state.gap <= CERTIFIED * state.value
            if seen := bool(watch.seconds() >= due or sure):
                more = watch.see(partial(scorer, state, test))
                due = SPACED * watch.seconds()
                if sure or not more or read.rows >= PASSES * data.n:
                    return
    if not seen:
        watch.see(partial(scorer, state, test))


def by_logistic(learnt: Labelled, held: Labelled, watch: Watch, file: Path) -> None:
    """Logistic regression of scikit-learn, C = 1: a fit with 1, 2, 4, … steps of L-BFGS."""
    LogisticRegression(max_iter=20).fit(*few(learnt))  # what is paid once is not learning
    for power in count():
        begin = process_time()
        model = LogisticRegression(max_iter=2**power).fit(learnt.X, learnt.y)
        seconds = process_time() - begin
        more = watch.see(partial(model.decision_function, held.X), seconds)
        if not more or model.n_iter_[0] < 2**power:
            return


def by_sgd(learnt: Labelled, held: Labelled, watch: Watch, file: Path) -> None:
    """Logistic loss by the SGD of scikit-learn, its default step, epoch after epoch."""
    model = SGDClassifier(loss="log_loss", random_state=0)
    watch.start()
    for _ in range(EPOCHS):
        model.partial_fit(learnt.X, learnt.y, classes=[-1, 1])
        if not watch.see(partial(model.decision_function, held.X)):
            return


def by_lightgbm(learnt: Labelled, held: Labelled, watch: Watch, file: Path) -> None:
    """LightGBM, its defaults, round after round."""
    import lightgbm

    def after(state: Any) -> None:
        done = state.iteration + 1
        if done in SEEN and not watch.see(partial(state.model.predict, held.X, raw_score=True)):
            raise lightgbm.callback.EarlyStopException(done, [])

    told = {"objective": "binary", "num_threads": 1, "verbose": -1, "seed": 0}
    watch.start()
    rows = lightgbm.Dataset(learnt.X, learnt.y > 0)
    lightgbm.train(told, rows, ROUNDS, callbacks=[after])


def by_xgboost(learnt: Labelled, held: Labelled, watch: Watch, file: Path) -> None:
    """XGBoost, its defaults, round after round."""
    import xgboost

    test = xgboost.DMatrix(held.X)

    class After(xgboost.callback.TrainingCallback):
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
            return epoch + 1 in SEEN and not watch.see(partial(model.predict, test))

    told = {"objective": "binary:logistic", "nthread": 1, "seed": 0}
    watch.start()
    rows = xgboost.DMatrix(learnt.X, learnt.y > 0)
    xgboost.train(told, rows, ROUNDS, callbacks=[After()])


def by_libauc(learnt: Labelled, held: Labelled, watch: Watch, file: Path) -> None:
    """LibAUC: a linear score by PESG on its min-max loss, batches of 256, step 0.1."""
    import torch
    from libauc.losses import AUCMLoss
    from libauc.optimizers import PESG

    X, test = (torch.from_numpy(dense(part.X).astype(np.float32)) for part in (learnt, held))
    y = torch.from_numpy((learnt.y > 0).astype(np.float32))
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, loss = torch.nn.Linear(X.shape[1], 1), AUCMLoss(device="cpu")
    steps = PESG(model.parameters(), loss_fn=loss, lr=0.1, device="cpu", verbose=False)

    def scores() -> np.ndarray:
        with torch.no_grad():
            return np.asarray(model(test).numpy().ravel())

    watch.start()
    for _ in range(EPOCHS):
        for batch in torch.randperm(y.numel()).split(256):
            found = loss(torch.sigmoid(model(X[batch])).ravel(), y[batch])
            steps.zero_grad()
            found.backward()
            steps.step()
        if not watch.see(scores):
            return


def by_sofia(path: str, learnt: Labelled, held: Labelled, watch: Watch, file: Path) -> None:
    """sofia-ml: runs with 10³, 4·10³, … random pairs."""
    if not file.exists():
        write_rows(learnt.X, learnt.y, file)
    for power in count():
        found = sofia(path, file, learnt.X.shape[1], 1000 * 4**power)
        if found is None:
            return
        if (
            not watch.see(partial(held.X.dot, found.w), found.seconds)
            or found.seconds > watch.limit / 4
        ):
            return


def methods() -> dict[str, Method]:
    """Return those that are at hand, ours first."""
    found = {name: Method(f"`{name}`", True, True, partial(by_solver, name)) for name in LINEAR}
    found |= {name: Method(f"`{name}`", False, True, partial(by_solver, name)) for name in CURVED}
    found["logistic"] = Method("scikit-learn, logistic", True, False, by_logistic)
    found["sgd"] = Method("scikit-learn, SGD", True, False, by_sgd)
    if path := given("SOFIA"):
        found["sofia"] = Method("sofia-ml", True, False, partial(by_sofia, path))
    if find_spec("libauc"):
        found["libauc"] = Method("LibAUC", True, False, by_libauc)
    if find_spec("lightgbm"):
        found["lightgbm"] = Method("LightGBM", False, False, by_lightgbm)
    if find_spec("xgboost"):
        found["xgboost"] = Method("XGBoost", False, False, by_xgboost)
    return found
