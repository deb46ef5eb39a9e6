"""One call of ours beside what NumPy, SciPy and scikit-learn offer for the same."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import roc_auc_score

import aucbench
from aucbench import aum
from benchmarks.bench_select import numpy_recipe
from benchmarks.measured import Side, in_turns, memory, middle, ratio
from benchmarks.rows import LAYOUTS, sector
from benchmarks.steps import problem_of, states_of

SECONDS = 0.25  # for each side and repeat
PART = 48  # of the rows of sector one in so many
Sides = tuple[Side, Side]


class Case(NamedTuple):
    """Two calls that answer the same question; ours is the first."""

    group: str
    what: str
    peer: str
    sides: Callable[[], Sides]
    share: int = 1  # the second call does one part in so many of the work


def measure(name: str, repeats: int, seconds: float = SECONDS) -> dict[str, Any]:
    """Return times, their ratio, and what each side adds to the peak of memory."""
    case = CASES[name]
    sides = case.sides()
    megabytes = [memory(side) for side in sides]
    ours, part = in_turns(sides, repeats * seconds, 3 * repeats)
    theirs = [case.share * time for time in part]
    return {
        "name": name,
        "group": case.group,
        "what": case.what,
        "peer": case.peer,
        "ours": middle(ours),
        "theirs": middle(theirs),
        "ratio": list(ratio(ours, theirs)),
        "rounds": len(ours),
        "megabytes": megabytes,
    }


def scored(n: int, positive: float) -> tuple[np.ndarray, np.ndarray]:
    """Return labels ±1 and scores that tell them apart in part."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < positive, 1, -1)
    return y, rng.standard_normal(n) + (y > 0)


def plain(ours: Callable[[], object], theirs: Callable[[], object]) -> Sides:
    """Return two calls that need no preparation."""
    return Side(ours), Side(theirs)


def auc(positive: float) -> Sides:
    """Exact AUC of a million scores."""
    y, s = scored(1_000_000, positive)
    return plain(lambda: aucbench.auc(y, s), lambda: roc_auc_score(y, s))


def auc_beside_sort() -> Sides:
    """The same beside one sort of the scores."""
    y, s = scored(1_000_000, 0.1)
    return plain(lambda: aucbench.auc(y, s), lambda: np.sort(s))


def top_k(d: int) -> Sides:
    """Keep the hundredth part of d entries that is largest in magnitude, in place."""
    source = np.random.default_rng(0).standard_normal(d)
    v, buffer, k = np.empty(d), np.empty(d), d // 100
    ours = aucbench.get_projector("top-k", k=k)

    def fresh() -> None:
        v[:] = source

    return Side(lambda: ours(v), fresh), Side(lambda: numpy_recipe(v, k, buffer), fresh)


def one_pass(layout: str) -> Sides:
    """One pass of sht-auc beside the two products that read the same rows."""
    data = LAYOUTS[layout]()
    solver: Any = aucbench.get_solver("sht-auc", gamma=1e-3)
    problem = problem_of(solver, data)
    states = states_of(solver, problem)
    X, w = data.rows.matrix, np.random.default_rng(0).standard_normal(data.d)

    def advance() -> None:
        for _ in range(solver.blocks):
            next(states)

    return plain(advance, lambda: X.T @ (X @ w))


def epoch(name: str, **loss: Any) -> Sides:
    """One pass of a stochastic solver beside an epoch of scikit-learn's, over rows like a9a's."""
    data = LAYOUTS["csr"]()
    solver = aucbench.get_solver(name, shuffle=False)
    problem = problem_of(solver, data)
    states = states_of(solver, problem)
    X, y = data.rows.matrix, data.y
    theirs = SGDClassifier(shuffle=False, **loss).partial_fit(X, y, classes=[-1, 1])
    return plain(lambda: next(states), lambda: theirs.partial_fit(X, y))


def loss(objective: str, n: int, theirs: Callable[[np.ndarray], object]) -> Sides:
    """Value and coefficients of a loss over all pairs, beside a sort of the scores."""
    y, s = scored(n, 0.2)
    f: Any = aucbench.get_objective(objective, aucbench.Data.of(np.zeros((n, 1)), y))
    other = np.random.default_rng(1).permutation(s)  # in turns, so that no order is remembered

    def one() -> None:
        f.of_scores(s)
        f.of_scores(other)

    def two() -> None:
        theirs(s)
        theirs(other)

    return plain(one, two)


def against_recipe(objective: str, recipe: Callable[..., object], n: int) -> Sides:
    """Value and coefficients of a loss over all pairs, beside the same in NumPy."""
    y, s = scored(n, 0.2)
    f: Any = aucbench.get_objective(objective, aucbench.Data.of(np.zeros((n, 1)), y))
    positive = y > 0
    return plain(lambda: f.of_scores(s), lambda: recipe(s, positive))


def hinge_in_numpy(s: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the hinge over all pairs and its coefficients, by sorts and searches."""
    t, low = s[positive] - 1.0, s[~positive]
    pairs = t.size * low.size
    t_sorted, low_sorted = np.sort(t), np.sort(low)
    above = low.size - np.searchsorted(low_sorted, t, side="right")
    below = np.searchsorted(t_sorted, low, side="left")
    c = np.empty(s.size)
    c[positive], c[~positive] = -above / pairs, below / pairs
    return float((below @ low - above @ t) / pairs), c


def squared_hinge_in_numpy(s: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the squared hinge over all pairs and its coefficients, by sorts and running sums."""
    t, low = s[positive] - 1.0, s[~positive]
    pairs = t.size * low.size
    t_sorted, low_sorted = np.sort(t), np.sort(low)
    sums = np.append(np.cumsum(low_sorted[::-1])[::-1], 0.0)
    start = np.searchsorted(low_sorted, t, side="right")
    p = sums[start] - (low.size - start) * t
    sums = np.append(0.0, np.cumsum(t_sorted))
    below = np.searchsorted(t_sorted, low, side="left")
    q = below * low - sums[below]
    c = np.empty(s.size)
    c[positive], c[~positive] = -2.0 * p / pairs, 2.0 * q / pairs
    return float((q @ low - p @ t) / pairs), c


def logistic_in_numpy(s: np.ndarray, positive: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the logistic loss over all pairs and its coefficients, pair by pair in blocks."""
    high, low = s[positive], s[~positive]
    pairs = high.size * low.size
    rows, columns, total = np.empty(high.size), np.zeros(low.size), 0.0
    for begin in range(0, high.size, 64):
        margins = high[begin : begin + 64, None] - low
        total += np.logaddexp(0.0, -margins).sum()
        slopes = expit(-margins)
        rows[begin : begin + 64] = slopes.sum(axis=1)
        columns += slopes.sum(axis=0)
    c = np.empty(s.size)
    c[positive], c[~positive] = -rows / pairs, columns / pairs
    return float(total / pairs), c


def aum_in_numpy(s: np.ndarray, positive: np.ndarray) -> float:
    """Return the AUM of rates by a sort: the area under the smaller of the two error rates."""
    order = np.argsort(s)
    missed = np.cumsum(positive[order]) / np.count_nonzero(positive)
    accepted = 1.0 - np.cumsum(~positive[order]) / np.count_nonzero(~positive)
    return float(np.diff(s[order]) @ np.minimum(missed, accepted)[:-1])


def aum_loss(n: int) -> Sides:
    """Value and derivatives of the AUM of labels; NumPy's is the value alone."""
    y, s = scored(n, 0.2)
    breakpoints, positive = aum.Breakpoints.of_labels(y), y > 0
    aum.aum_loss(breakpoints, s)
    return plain(lambda: aum.aum_loss(breakpoints, s).gradient, lambda: aum_in_numpy(s, positive))


def eager(name: str) -> Sides:
    """One pass over very sparse rows, beside NumPy steps that touch every weight, for few rows."""
    data = sector()
    solver = aucbench.get_solver(name, shuffle=False)
    problem = problem_of(solver, data)
    states = states_of(solver, problem)
    rows: Any = data.rows
    means = data.means
    w, total = np.zeros(data.d), np.zeros(data.d)

    def soften() -> None:
        _ = w @ means[0], w @ means[1]
        np.copysign(np.maximum(np.abs(w) - 1e-6, 0.0), w, out=w)

    def shrink() -> None:
        _ = w @ means[0], w @ means[1]
        np.multiply(w, 1.0 / (1.0 + 1e-3), out=w)

    settle = soften if name == "spam-l1" else shrink

    def steps() -> None:
        for i in range(0, data.n, PART):
            row = slice(rows.starts[i], rows.starts[i + 1])
            columns, values = rows.columns[row], rows.stored[row]
            w[columns] -= 1e-3 * (w[columns] @ values - 1.0) * values
            settle()
            np.add(total, w, out=total)

    return plain(lambda: next(states), steps)


def compiled_sweep(name: str) -> Sides:
    """The same beside a loop of C over all weights, for few rows; it needs a compiler, `cc`."""
    data = sector()
    solver = aucbench.get_solver(name, shuffle=False)
    problem = problem_of(solver, data)
    states = states_of(solver, problem)
    folder = TemporaryDirectory()
    library = Path(folder.name) / "sweep.so"
    source = Path(__file__).with_name("sweep.c")
    options = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    subprocess.run(["cc", *options, "-o", str(library), str(source)], check=True)
    sweep = ctypes.CDLL(str(library)).sweep
    vector: Any = np.ctypeslib.ndpointer(np.float64)
    sweep.restype = ctypes.c_double
    sweep.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_double, vector, vector, vector]
    means = np.ascontiguousarray(np.stack(data.means, axis=1))
    w, total = np.random.default_rng(0).standard_normal(data.d), np.zeros(data.d)
    steps = data.n // PART
    folder.cleanup()  # it is loaded
    return plain(lambda: next(states), lambda: sweep(steps, data.d, 1e-9, means, w, total))


def cases() -> Iterator[tuple[str, Case]]:
    """Yield all comparisons, in the order of the table."""
    yield from _kernels()
    yield from _passes()
    yield from _pairs()


def _kernels() -> Iterator[tuple[str, Case]]:
    for name, share, text in (("auc-10", 0.1, "10 % positive"), ("auc-50", 0.5, "balanced")):
        what, peer = f"`auc`, 10⁶ scores, {text}", "`sklearn.metrics.roc_auc_score`"
        yield name, Case("kernels", what, peer, partial(auc, share))
    what = "`auc`, 10⁶ scores, 10 % positive"
    yield "auc-sort", Case("kernels", what, "`np.sort`", auc_beside_sort)
    for power, text in ((3, "10³"), (5, "10⁵"), (6, "10⁶"), (7, "10⁷")):
        what, peer = f"top-k, d = {text}, k = d/100", "abs, partition, mask in NumPy"
        yield f"top-k-{power}", Case("kernels", what, peer, partial(top_k, 10**power))


def _passes() -> Iterator[tuple[str, Case]]:
    for layout, rows, who in (
        ("dense", "dense 20 000 × 1000", "NumPy"),
        ("csr", "like a9a, CSR", "SciPy"),
    ):
        what, peer = f"`sht-auc`, one pass, {rows}", f"`X.T @ (X @ w)`, {who}"
        yield f"pass-{layout}", Case("passes", what, peer, partial(one_pass, layout))
    for name, told, words in (
        ("spam-l2", "ridge", {"penalty": "l2"}),
        ("spam-l1", "ℓ1", {"penalty": "l1"}),
        ("solam", "averaged", {"penalty": None, "average": True}),
        ("uni-exp", "ridge", {"penalty": "l2"}),
    ):
        what, peer = f"`{name}`, one pass, like a9a, CSR", f"an epoch of `SGDClassifier`, {told}"
        yield f"epoch-{name}", Case("passes", what, peer, partial(epoch, name, **words))
    for name in ("spam-l2", "spam-l1"):
        what, peer = f"`{name}`, one pass, like sector", "steps on every weight, NumPy"
        yield f"eager-{name}", Case("passes", what, peer, partial(eager, name), PART)
    what, peer = "`spam-l1`, one pass, like sector", "a SIMD loop over every weight, C"
    yield "sweep-spam-l1", Case("passes", what, peer, partial(compiled_sweep, "spam-l1"), PART)


def _pairs() -> Iterator[tuple[str, Case]]:
    for name, recipe in (
        ("pairwise-hinge", hinge_in_numpy),
        ("pairwise-squared-hinge", squared_hinge_in_numpy),
    ):
        what, peer = f"`{name}`, 10⁶ scores", "the same by sorts and searches, NumPy"
        build = partial(against_recipe, name, recipe, 1_000_000)
        yield f"{name}-numpy", Case("pairs", what, peer, build)
        for power, text in ((5, "10⁵"), (6, "10⁶")):
            build = partial(loss, name, 10**power, np.argsort)
            case = Case("pairs", f"`{name}`, two of {text} scores", "`np.argsort` of both", build)
            yield f"{name}-argsort-{power}", case
    what, peer = "`pairwise-logistic`, 10⁴ scores", "every pair, NumPy"
    build = partial(against_recipe, "pairwise-logistic", logistic_in_numpy, 10_000)
    yield "pairwise-logistic-numpy", Case("pairs", what, peer, build)
    build = partial(loss, "pairwise-logistic", 1_000_000, np.argsort)
    what = "`pairwise-logistic`, two of 10⁶ scores"
    yield "pairwise-logistic-argsort", Case("pairs", what, "`np.argsort` of both", build)
    what, peer = "`aum_loss` and its gradient, 10⁶ labels", "its value by argsort, NumPy"
    yield "aum-loss", Case("pairs", what, peer, partial(aum_loss, 1_000_000))


CASES = dict(cases())
