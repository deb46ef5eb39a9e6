"""Each kernel beside its bound: what must be read, written, multiplied or sorted, and no more.

    python -m benchmarks.bounds

A bound is measured as the same amount of work in the fastest common form, in turns with the
kernel: reading as BLAS's inner product, writing as a copy, products as BLAS's, a sort as NumPy's.
So a bound knows the caches and the minute. It writes `docs/data/speed_bounds.json`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import aucbench
from aucbench import aum
from benchmarks.measured import DATA, Side, in_turns, machine, one_thread, ratio, write
from benchmarks.peers.process import apart
from benchmarks.rows import BULK, LAYOUTS, dense, sector

from .steps import problem_of, states_of

SECONDS = 1.0  # for each side
LEAST = 7  # rounds
N = 1_000_000  # scores
DENSE_ROWS = "20 000 × 1000"
BLOCKS = 20
Call = Callable[[], object]


class Case(NamedTuple):
    """A kernel, what bounds it in words, and the two calls; the second is done `times` times."""

    what: str
    bound: str
    calls: Callable[[], tuple[Call, Call]]
    times: float = 1.0


def together(*calls: Call) -> Call:
    """Return a call that does several, one after the other."""

    def all_of_them() -> None:
        for call in calls:
            call()

    return all_of_them


def reading(*arrays: np.ndarray) -> Call:
    """Return a call that reads each array once."""
    flat = [array.reshape(-1) for array in arrays]
    return together(*(partial(np.dot, each, each) for each in flat))


def writing(n: int) -> Call:
    """Return a call that writes n numbers, and reads none from memory."""
    target = np.zeros(n)
    return partial(target.fill, 1.0)


def products(layout: str, which: str) -> tuple[Call, Call]:
    """Dense rows: each product reads the matrix once."""
    data = BULK[layout]()
    return bulk(data, which), reading(data.rows.stored)


def sparse_products(which: str) -> tuple[Call, Call]:
    """CSR rows beside the products of SciPy."""
    data = LAYOUTS["csr"]()
    X: Any = data.rows.matrix
    w, r = np.ones(data.d), np.ones(data.n)
    scores, pullback = (lambda: X @ w), (lambda: X.T @ r)
    known = {"scores": scores, "pullback": pullback, "grad": together(scores, pullback)}
    return bulk(data, which), known[which]


def random_blocks(layout: str) -> tuple[Call, Call]:
    """Gradients of random blocks; the bound has the rows of each block side by side already.

    A gradient has d numbers, and needs w and the means of both classes, however few rows it is of.
    """
    data = BULK[layout]()
    f = aucbench.get_objective("pairwise-square", data)
    w, blocks = np.ones(data.d), data.blocks(BLOCKS, np.random.default_rng(1))
    ours = together(*(partial(f.grad, w, block) for block in blocks))
    vectors = [reading(w, *data.means), writing(data.d)] * BLOCKS
    if not data.rows.is_sparse:
        return ours, together(reading(data.rows.stored), *vectors)
    X: Any = data.rows.matrix
    parts = [(part, part.T, np.ones(part.shape[0])) for part in (X[block] for block in blocks)]
    return ours, together(lambda: [(part @ w, turned @ r) for part, turned, r in parts], *vectors)


def bulk(data: aucbench.Data, which: str) -> Call:
    """Return a product with all rows, or the gradient of the pairwise square."""
    f = aucbench.get_objective("pairwise-square", data)
    w, r = np.ones(data.d), np.ones(data.n)
    f.grad(w)  # class means are computed once for each data set
    known: dict[str, Call] = {
        "scores": lambda: data.scores(w),
        "pullback": lambda: data.pullback(r),
        "grad": lambda: f.grad(w),
    }
    return known[which]


def one_pass(name: str, layout: str) -> tuple[Call, Call]:
    """A pass of a row-by-row solver, which reads each row once."""
    data = LAYOUTS[layout]() if layout in LAYOUTS else sector()
    X: Any = data.rows.matrix
    if layout == "dense":
        return stepping(name, data), reading(X)
    w, r = np.ones(data.d), np.ones(data.n)
    return stepping(name, data), together(lambda: X @ w, lambda: X.T @ r)


def stepping(name: str, data: aucbench.Data) -> Call:
    """Return a call that makes one pass in file order."""
    planned = {"passes": 10_000} if name == "fsauc" else {}  # its stages are parts of the whole
    solver = aucbench.get_solver(name, shuffle=False, **planned)
    problem = problem_of(solver, data)
    states = states_of(solver, problem)
    next(states)
    return lambda: next(states)


def covariances() -> tuple[Call, Call]:
    """OPAUC on 1000 × 1000 rows; a step reads half of a symmetric matrix."""
    data = dense(1_000, 1_000)
    half = np.ones(data.d * (data.d + 1) // 2)
    return stepping("opauc", data), reading(*[half] * (data.n // 10))  # it stays in a cache


def top_k(d: int) -> tuple[Call, Call]:
    """Half of the calls work on what is kept, so each begins with a copy, on both sides."""
    source = np.random.default_rng(0).standard_normal(d)
    v, target = np.empty(d), np.zeros(d)
    keep = aucbench.get_projector("top-k", k=d // 100)

    def ours() -> None:
        np.copyto(v, source)
        keep(v)

    def bound() -> None:
        np.copyto(v, source)
        np.copyto(target, v)

    return ours, bound


def labelled() -> tuple[np.ndarray, np.ndarray]:
    """Return labels ±1, a fifth positive, and scores that tell them apart in part."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(N) < 0.2, 1, -1)
    return y, rng.standard_normal(N) + (y > 0)


def auc() -> tuple[Call, Call]:
    """The AUC sorts the scores, or does as well without."""
    y, s = labelled()
    return lambda: aucbench.auc(y, s), lambda: np.sort(s)


def pair_loss(name: str, reads: int) -> tuple[Call, Call]:
    """Sort the smaller class; read the scores and write the coefficients."""
    y, s = labelled()
    f: Any = aucbench.get_objective(name, aucbench.Data.of(np.zeros((N, 1)), y))
    other, high = np.random.default_rng(1).permutation(s), s[y > 0]
    turn = iter(range(2**62))
    bound = together(lambda: np.sort(high), *[reading(s)] * reads, writing(N))
    return lambda: f.of_scores(other if next(turn) % 2 else s), bound


def bend() -> tuple[Call, Call]:
    """A product with the second derivatives reads u and the ranks twice, and writes once."""
    y, s = labelled()
    f: Any = aucbench.get_objective("pairwise-squared-hinge", aucbench.Data.of(np.zeros((N, 1)), y))
    product = f.bent(s)[2]
    half = np.zeros(N // 2)  # as long as the ranks, of four bytes
    return lambda: product(s), together(*[reading(s), reading(half)] * 2, writing(N))


def logistic() -> tuple[Call, Call]:
    """Sort all scores, and take two exponentials of each."""
    y, s = labelled()
    f: Any = aucbench.get_objective("pairwise-logistic", aucbench.Data.of(np.zeros((N, 1)), y))
    return lambda: f.of_scores(s), together(lambda: np.sort(s), *[lambda: np.exp(s)] * 2)


def selection() -> tuple[Call, Call]:
    """The AUM of labels is a weighted selection, without a sort; the bound is one read."""
    y, s = labelled()
    breakpoints = aum.Breakpoints.of_labels(y)
    aum.aum_loss(breakpoints, s)
    return lambda: aum.aum_loss(breakpoints, s), reading(s)


def line_minimum(n: int) -> tuple[Call, Call]:
    """Scores and direction are read once."""
    y, s = (each[:n] for each in labelled())
    d = np.random.default_rng(1).standard_normal(n) - 0.3 * y
    return lambda: aum.aum_line_min(s, d, y), reading(s, d)


def path(n: int) -> tuple[Call, Call]:
    """As many events as lines: sort the thresholds, and the events."""
    rng = np.random.default_rng(0)
    positive = rng.random(n) < 0.5
    scores, d = rng.standard_normal(n) + positive, rng.standard_normal(n)
    fp = ~positive / np.count_nonzero(~positive)
    fn = -1.0 * positive / np.count_nonzero(positive)
    bound = together(lambda: np.argsort(scores), lambda: np.sort(d))
    return lambda: aum.aum_path(-scores, d, fp, fn, max_events=n), bound


def nystroem() -> tuple[Call, Call]:
    """The map of 300 landmarks: the product with the landmarks, and an exponential of each."""
    n, d, rank = 30_000, 20, 300
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, d))
    y = np.where((X**2).sum(axis=1) > d, 1, -1)
    data = aucbench.Data.of(X, y)
    problem = problem_of(aucbench.get_solver("roc-svm-nystrom", rank=rank), data)
    columns, values = -rng.random((n, rank)), np.zeros((n, rank))
    bound = together(lambda: X @ X[:rank].T, lambda: np.exp(columns, out=values))
    return lambda: problem.features(data.rows), bound


def cases() -> Iterator[tuple[str, Case]]:
    """Yield all kernels, in the order of the table."""
    yield from _products()
    yield from _blocks()
    yield from _passes()
    yield from _scores()
    yield from _aum()


def _products() -> Iterator[tuple[str, Case]]:
    scipy = {"scores": "`X @ w`", "pullback": "`X.T @ r`", "grad": "`X @ w` and `X.T @ r`"}
    texts = {"scores": "X w", "pullback": "Xᵀr", "grad": "gradient of a loss"}
    for layout in ("dense", "float32"):
        for which, text in texts.items():
            what, build = f"{text}, {layout} {DENSE_ROWS}", partial(products, layout, which)
            yield f"{layout}-{which}", Case(what, "one read of the rows", build)
    for which, text in texts.items():
        what, build = f"{text}, like a9a, CSR", partial(sparse_products, which)
        yield f"csr-{which}", Case(what, f"{scipy[which]} of SciPy", build)
    what, bound = "the map of 300 landmarks, 30 000 × 20", "its product, and `np.exp` of it"
    yield "nystroem", Case(what, bound, nystroem)


def _blocks() -> Iterator[tuple[str, Case]]:
    vectors = "three reads and one write of d numbers a block"
    of_scipy, one_read = "`X @ w` and `X.T @ r` of SciPy", "one read of the rows"
    for layout, text, bound in (
        ("dense", f"dense {DENSE_ROWS}", one_read),
        ("float32", f"float32 {DENSE_ROWS}", one_read),
        ("csr", "like a9a, CSR", of_scipy),
        ("sector", "like sector, CSR", of_scipy),
    ):
        what, build = f"gradients of {BLOCKS} random blocks, {text}", partial(random_blocks, layout)
        yield f"{layout}-blocks", Case(what, f"{bound}, {vectors}", build)


def _passes() -> Iterator[tuple[str, Case]]:
    for name in ("spam-l2", "spam-l1", "solam", "fsauc"):
        what, build = f"`{name}`, one pass, dense {DENSE_ROWS}", partial(one_pass, name, "dense")
        yield f"dense-{name}", Case(what, "one read of the rows", build)
    bound = "`X @ w` and `X.T @ r` of SciPy"
    for name in ("spam-l2", "spam-l1", "spam-net", "solam", "fsauc"):
        what, build = f"`{name}`, one pass, like a9a, CSR", partial(one_pass, name, "csr")
        yield f"csr-{name}", Case(what, bound, build)
    for name in ("spam-l2", "spam-l1"):
        what, build = f"`{name}`, one pass, like sector, CSR", partial(one_pass, name, "sector")
        yield f"sector-{name}", Case(what, bound, build)
    what, bound = "`opauc`, a pass over 1000 × 1000", "a read of half a matrix, for each row"
    yield "opauc", Case(what, bound, covariances, 10.0)


def _scores() -> Iterator[tuple[str, Case]]:
    for power, text in ((6, "10⁶"), (7, "10⁷")):
        what, build = f"top-k, d = {text}, after a copy", partial(top_k, 10**power)
        yield f"top-k-{power}", Case(what, "a copy after a copy", build)
    yield "auc", Case("`auc`, 10⁶ scores", "`np.sort` of the scores", auc)
    sort = "`np.sort` of the smaller class"
    for name, reads, text in (
        ("pairwise-hinge", 2, "two reads"),
        ("pairwise-squared-hinge", 3, "three reads"),
    ):
        build = partial(pair_loss, name, reads)
        yield name, Case(f"`{name}`, 10⁶ scores", f"{sort}, {text}, one write", build)
    what = "a product with its second derivatives, 10⁶"
    yield "bend", Case(what, "two reads with ranks, one write", bend)
    bound = "`np.sort`, two `np.exp`"
    yield "pairwise-logistic", Case("`pairwise-logistic`, 10⁶ scores", bound, logistic)


def _aum() -> Iterator[tuple[str, Case]]:
    yield "aum-loss", Case("`aum_loss`, 10⁶ labels", "one read of the scores", selection)
    for power, text in ((4, "10⁴"), (6, "10⁶")):
        what, bound = f"`aum_line_min`, {text} labels", "one read of scores and direction"
        yield f"aum-line-{power}", Case(what, bound, partial(line_minimum, 10**power))
    bound = "`np.argsort` of the lines, `np.sort` of the events"
    for power, text in ((3, "10³"), (5, "10⁵"), (6, "10⁶")):
        what = f"`aum_path`, {text} events of as many lines"
        yield f"aum-path-{power}", Case(what, bound, partial(path, 10**power))


CASES = dict(cases())


def measure(name: str, seconds: float) -> dict[str, Any]:
    """Return time, bound, and the share of the bound in the time: median and quartiles."""
    case = CASES[name]
    kernel, bound = (Side(call) for call in case.calls())
    ours, part = in_turns([kernel, bound], seconds, LEAST)
    least = [case.times * each for each in part]
    share = list(ratio(ours, least))
    about = {"name": name, "what": case.what, "bound": case.bound}
    return {**about, "time": median(ours), "least": median(least), "share": share}


def rates() -> dict[str, float]:
    """Return what the machine does with one thread: GB/s, GFlop/s, and ms of a sort of 10⁶."""
    long, square = np.ones(20_000_000), np.random.default_rng(0).standard_normal((1200, 1200))
    target, scores = np.zeros(long.size), np.random.default_rng(0).standard_normal(N)
    calls = (
        reading(long),
        partial(np.copyto, target, long),
        lambda: square @ square,
        lambda: np.sort(scores),
        lambda: np.argsort(scores),
    )
    read, copy, product, sort, argsort = map(
        median, in_turns([Side(call) for call in calls], 0.5, LEAST)
    )
    found = {
        "read GB/s": long.nbytes / read / 1e9,
        "copy GB/s": 2 * long.nbytes / copy / 1e9,
        "products GFlop/s": 2 * 1200**3 / product / 1e9,
        "np.sort of 10⁶, ms": sort * 1e3,
        "np.argsort of 10⁶, ms": argsort * 1e3,
    }
    return {name: float(f"{value:.3g}") for name, value in found.items()}


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print, and write the file of the page."""
    parser = argparse.ArgumentParser("python -m benchmarks.bounds", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="KERNEL", help=f"of {', '.join(CASES)}")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each side")
    parser.add_argument("--out", type=Path, default=DATA, help="folder of the file")
    asked = parser.parse_args(words)
    if wrong := [name for name in asked.cases if name not in CASES]:
        parser.error(f"{wrong[0]} is none of {', '.join(CASES)}")
    one_thread()  # of the processes that measure, each with one kernel
    about = {"machine": machine(), "rates": apart(rates)}
    sys.stdout.write(f"{about['rates']}\n")
    rows = []
    for name in asked.cases or CASES:
        rows.append(row := apart(measure, name, asked.seconds))
        times = f"{row['time'] * 1e3:9.3f} ms, bound {row['least'] * 1e3:9.3f} ms"
        sys.stdout.write(f"{name:24} {times}, {row['share'][0]:6.1%}\n")
        sys.stdout.flush()
    write(asked.out / "speed_bounds.json", rows, about)
    return 0


if __name__ == "__main__":
    sys.exit(main())
