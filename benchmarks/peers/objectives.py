"""The time to the same objective: ours runs until it is at most that of a peer's weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import aucbench
from aucbench.optim import default_ridge
from benchmarks.measured import Side, memory, status
from benchmarks.peers.kernels import squared_hinge_in_numpy
from benchmarks.peers.programs import Learnt, given, ranksvm, svm_perf, write_rows
from benchmarks.peers.sets import Kept, Labelled, whole
from benchmarks.steps import problem_of, states_of

OPTIMUM = 1e-5  # relative gap, at which the value counts as the optimum
PATIENCE = 4.0  # seconds after which the least value so far counts
QUICK = 2.0  # seconds of a peer; one that takes longer runs once


class Peer(NamedTuple):
    """Who minimises which problem, and how; `run` gives None when it takes too long."""

    name: str
    solver: str
    loss: str
    lams: Callable[[Labelled], list[float]]
    run: Callable[[Labelled, Path, float], Learnt | None]


def measure(kept: Kept, peer: str, repeats: int) -> list[dict[str, Any]]:
    """Return a row for each λ of a peer on a set."""
    who, rows = peers()[peer], whole(kept)
    file = kept.folder / f"{kept.name}.svm"
    if peer != "scipy" and not file.exists():
        write_rows(rows.X, rows.y, file)
    about = {"set": kept.name, "n": kept.n, "d": kept.d, "peer": who.name, "solver": who.solver}
    return [{**about, "lam": lam, **at(who, rows, file, lam, repeats)} for lam in who.lams(rows)]


def at(who: Peer, rows: Labelled, file: Path, lam: float, repeats: int) -> dict[str, Any]:
    """Return CPU seconds of both, how far the peer ends above the optimum, and peaks in MB.

    They are None where the peer takes too long, and ours where it never has so low a value.
    """
    first = who.run(rows, file, lam)
    if first is None:
        return {"theirs": None, "ours": None, "excess": None, "megabytes": [None, None]}
    again = range(repeats - 1 if first.seconds < QUICK else 0)
    others = (who.run(rows, file, lam) for _ in again)
    seconds = [first.seconds, *(each.seconds for each in others if each is not None)]
    f: Any = aucbench.get_objective(who.loss, rows.data())
    target = f.value(first.w) + 0.5 * lam * float(first.w @ first.w)
    solver = aucbench.get_solver(who.solver, lam=lam)
    taken = [until(solver, rows.data(), target) for _ in range(repeats)]
    data = rows.data()
    added = memory(Side(lambda: until(solver, data, target)))
    return {
        "theirs": median(seconds),
        "ours": None if None in taken else median(each for each in taken if each is not None),
        "excess": max(target / optimum(solver, rows.data()) - 1.0, 0.0),
        "megabytes": [status("VmRSS") + added, first.megabytes],
    }


def until(solver: aucbench.Solver, data: aucbench.Data, target: float) -> float | None:
    """Return the CPU seconds until the objective is at most `target`; None if it never is."""
    begin = process_time()
    problem = problem_of(solver, data)
    for state in states_of(solver, problem):
        if state.value is not None and state.value <= target:
            return process_time() - begin
    return None


def optimum(solver: aucbench.Solver, data: aucbench.Data) -> float:
    """Return the least objective that is found: certified, or the best of some seconds."""
    begin, least = perf_counter(), np.inf
    problem = problem_of(solver, data)
    for state in states_of(solver, problem):
        if state.value is not None:
            least = min(least, state.value)
            if state.gap is not None and state.gap <= OPTIMUM * least:
                break
        if perf_counter() - begin > PATIENCE:
            break
    return float(least)


def peers() -> dict[str, Peer]:
    """Return those that are at hand; a program is where the environment says."""
    squared = "pairwise-squared-hinge"
    found = {"scipy": Peer("SciPy, L-BFGS", "rank-svm", squared, by_default, by_scipy)}
    if path := given("RANKSVM"):
        run = partial(by_ranksvm, path)
        found["ranksvm"] = Peer("liblinear-ranksvm", "rank-svm", squared, two, run)
    if path := given("SVM_PERF"):
        run = partial(by_svm_perf, path)
        found["svm-perf"] = Peer("SVM-perf", "svm-or", "pairwise-hinge", published, run)
    return found


def by_default(rows: Labelled) -> list[float]:
    """Return the ridge that ours takes when none is given."""
    return [default_ridge(rows.data())]


def two(rows: Labelled) -> list[float]:
    """Return our default, and what the default C = 1 of LIBLINEAR means."""
    return [*by_default(rows), 1.0 / pairs(rows)]


def published(rows: Labelled) -> list[float]:
    """Return two ridges for the hinge."""
    return [0.01, 0.001]


def by_ranksvm(path: str, rows: Labelled, file: Path, lam: float) -> Learnt | None:
    """It adds up the pairs with the weight C: λ = 1 / (C n₊ n₋)."""
    return ranksvm(path, file, rows.X.shape[1], 1.0 / (lam * pairs(rows)))


def by_svm_perf(path: str, rows: Labelled, file: Path, lam: float) -> Learnt | None:
    """Its loss is in per cent: C is 1 / (100 λ)."""
    return svm_perf(path, file, rows.X.shape[1], 0.01 / lam)


def by_scipy(rows: Labelled, file: Path, lam: float) -> Learnt:
    """L-BFGS of SciPy on the squared hinge in NumPy, at SciPy's default tolerances."""
    X, positive = rows.X, rows.y > 0

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        loss, c = squared_hinge_in_numpy(X @ w, positive)
        return loss + 0.5 * lam * float(w @ w), X.T @ c + lam * w

    begin = process_time()
    found = minimize(value, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B")
    return Learnt(found.x, process_time() - begin, status("VmHWM"))


def pairs(rows: Labelled) -> float:
    """Return n₊ n₋."""
    positive = int(np.count_nonzero(rows.y > 0))
    return float(positive) * (rows.y.size - positive)
