"""How the cost of each operation grows with rows, features, stored values, and cells.

    python -m benchmarks.growth                # all of it, a table, and docs/data/growth.json
    python -m benchmarks.growth --only pass    # what has `pass` in its name, and no file

Each operation runs on inputs whose size grows by √10 until one call takes longer than a limit.
Its exponent is the slope of log CPU time against log size, over the last decade and a half, so
that the fixed cost of a call does not hide what grows. Where a sort is part of the work, the time
is divided by log n first. One call is one thread's work.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import process_time
from typing import Any
from weakref import finalize

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

import aucbench
from aucbench import aum, bench, datasets, report
from aucbench.data.folds import splits
from aucbench.registry import describe

from .bench_report import row

FILE = Path(__file__).resolve().parents[1] / "docs" / "data" / "growth.json"
STEP = 10**0.5
FITTED = 4  # sizes: a decade and a half
ROUNDS = 3  # the least time of these counts: other work on the machine only adds
LEAST = 1e-3  # seconds of calls in a round, so that the clock's steps do not count

Call = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """An operation, what its size is, and the cost that its method has.

    Parameters
    ----------
    name : what is done
    of : n, d, nnz or cells: what grows
    start : makes the inputs of a size, and returns what is timed
    smallest, largest : sizes
    power : the exponent that the method has
    sorts : whether there is a factor log n
    why : where the power is not 1, the reason
    """

    name: str
    of: str
    start: Callable[[int], Call]
    smallest: int
    largest: int
    power: float = 1.0
    sorts: bool = False
    why: str = ""

    @property
    def cost(self) -> str:
        """The cost of the method, as on a page."""
        raised = self.of if self.power == 1.0 else f"{self.of}^{self.power:g}"
        return f"{raised} log {self.of}" if self.sorts else raised

    def sizes(self) -> Iterator[int]:
        """Yield the sizes, the smallest first."""
        size = float(self.smallest)
        while size <= self.largest * 1.001:
            yield round(size)
            size *= STEP


@dataclass(frozen=True)
class Growth:
    """Sizes, CPU seconds of a call, and the exponent over the last decade and a half."""

    case: Case
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The slope of log time against log size, after division by log n where it sorts."""
        n = np.array(self.sizes[-FITTED:], dtype=float)
        t = np.array(self.seconds[-FITTED:])
        if self.case.sorts:
            t = t / np.log(n)
        return float(np.polyfit(np.log(n), np.log(t), 1)[0])


def measured(case: Case, limit: float) -> Growth:
    """Return how a case grows, up to the first size of which a call takes `limit` seconds.

    There are always enough sizes to fit.
    """
    sizes, seconds = [], []
    for size in case.sizes():
        call = case.start(size)
        sizes.append(size)
        seconds.append(_seconds(call))
        del call
        if seconds[-1] > limit and len(sizes) >= FITTED:
            break
    return Growth(case, tuple(sizes), tuple(seconds))


def _seconds(call: Call) -> float:
    """Return the least CPU seconds of a call; the first one warms up what is kept."""
    call()
    begin = process_time()
    call()
    once = max(process_time() - begin, 1e-7)
    number = max(1, round(LEAST / once))
    found = once if number == 1 else float("inf")
    gc.disable()
    try:
        for _ in range(ROUNDS):
            begin = process_time()
            for _ in range(number):
                call()
            found = min(found, (process_time() - begin) / number)
    finally:
        gc.enable()
    return found


# What is scored: labels, one in five positive, and scores that explain them in part.


def _scored(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 5 == 0, 1, -1)
    return y, rng.standard_normal(n) + (y > 0), rng.uniform(0.5, 2.0, n)


def _auc(n: int, *, weighted: bool = False) -> Call:
    y, s, weights = _scored(n)
    return lambda: aucbench.auc(y, s, weights if weighted else None)


def _intercept(n: int) -> Call:
    y, s, _ = _scored(n)
    return lambda: aucbench.intercept_at(y, s, sensitivity=0.9)


def _roc(n: int) -> Call:
    y, s, _ = _scored(n)
    breakpoints = aum.Breakpoints.of_labels(y)
    return lambda: aum.roc_auc(breakpoints, s)


def _pairs(objective: str, n: int, *, weighted: bool = False) -> Call:
    y, s, weights = _scored(n)
    data = aucbench.Data.of(np.ones((n, 1)), y, weights=weights if weighted else None)
    f = aucbench.get_objective(objective, data)
    orders = [s, np.random.default_rng(1).permutation(s)]

    def call() -> None:
        orders.reverse()
        f.of_scores(orders[0])

    return call


def _aum_loss(n: int) -> Call:
    y, s, _ = _scored(n)
    breakpoints = aum.Breakpoints.of_labels(y)
    return lambda: aum.aum_loss(breakpoints, s).gradient


def _aum_line(n: int) -> Call:
    y, s, _ = _scored(n)
    d = np.random.default_rng(1).standard_normal(n) - 0.3 * y
    return lambda: aum.aum_line_min(s, d, y)


def _aum_path(n: int) -> Call:
    y, s, _ = _scored(n)
    d = np.random.default_rng(1).standard_normal(n)
    fp, fn = (y < 0) / np.count_nonzero(y < 0), -1.0 * (y > 0) / np.count_nonzero(y > 0)
    return lambda: aum.aum_path(-s, d, fp, fn, max_events=n)


def _project(name: str, d: int) -> Call:
    source = np.random.default_rng(0).standard_normal(d)
    size = {"top-k": {"k": max(1, d // 100)}, "l1-ball": {"R": float(np.abs(source).sum()) / 100}}
    project = aucbench.get_projector(name, **size.get(name, {}))
    v = source.copy()

    def call() -> None:
        v[:] = source
        project(v)

    return call


# Rows.


def _rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, d))
    X[:, 0] += np.arange(n) % 4 == 0
    return X, np.where(np.arange(n) % 4 == 0, 1, -1)


def _sparse(n: int, d: int, stored: int) -> tuple[csr_array, np.ndarray]:
    """Return n rows that hold `stored` values each, at increasing columns."""
    rng = np.random.default_rng(1)
    first = np.sort(rng.integers(0, d - stored + 1, (n, stored)), axis=1)
    columns = (first + np.arange(stored)).reshape(-1)
    starts = np.arange(0, n * stored + 1, stored)
    X = csr_array((rng.standard_normal(n * stored), columns, starts), shape=(n, d))
    return X, np.where(np.arange(n) % 4 == 0, 1, -1)


def _dense_data(n: int, d: int) -> aucbench.Data:
    return aucbench.Data.of(*_rows(n, d))


def _csr_data(nnz: int, d: int = 100_000) -> aucbench.Data:
    """Return 1000 rows."""
    return aucbench.Data.of(*_sparse(1_000, d, nnz // 1_000))


def _of(rows: tuple[Any, Any]) -> Call:
    return lambda: aucbench.Data.of(*rows)


def _scores(data: aucbench.Data) -> Call:
    w = np.random.default_rng(0).standard_normal(data.d)
    return lambda: data.scores(w)


def _pullback(data: aucbench.Data) -> Call:
    r = np.random.default_rng(0).standard_normal(data.n)
    return lambda: data.pullback(r)


def _splits(data: aucbench.Data) -> Call:
    return lambda: splits(data, 5, 0)


def _pass(solver: str, data: aucbench.Data) -> Call:
    """Set-up, one pass, and the evaluation of its end."""
    built = aucbench.get_solver(solver)
    return lambda: aucbench.solve(built, data, passes=1)


def _file(suffix: str, n: int) -> Call:
    """Read a file of n rows with 20 features; it is removed with what is returned."""
    folder = mkdtemp()
    path = Path(folder, f"rows{suffix}")
    X, y = _rows(n, 20)
    with path.open("w", encoding="utf-8") as file:
        if suffix == ".csv":
            file.write(",".join(["y", *(f"x{j}" for j in range(20))]) + "\n")
            file.writelines(
                f"{t},{','.join(map('{:.6g}'.format, r))}\n" for t, r in zip(y, X, strict=True)
            )
        else:
            file.writelines(
                f"{t} " + " ".join(f"{j}:{v:.6g}" for j, v in enumerate(row, 1)) + "\n"
                for t, row in zip(y, X, strict=True)
            )

    def call() -> None:
        datasets.load(path)

    finalize(call, rmtree, folder)
    return call


# Cells.


def _plan(cells: int) -> Call:
    """Make the cells of a plan."""

    def call() -> int:
        plan = bench.Plan.of({"data": ("breast-cancer",), "repeats": cells // 5, "splits": 5})
        return sum(1 for _ in plan.cells())

    return call


def _frame(cells: int) -> report.Frame:
    """Return results in memory: 10 solvers, 5 splits, and as many data sets as needed."""
    groups = cells // 5
    places = [report.Place(*divmod(k, 10), 0, split) for k in range(groups) for split in range(5)]
    return report.Frame.of(
        [f"set-{i}" for i in range(places[-1].dataset + 1)],
        [f"solver-{j}" for j in range(min(10, groups))],
        [(place, row(place)) for place in places],
    )


def _findings(cells: int) -> Call:
    frame = _frame(cells)
    return lambda: report.findings_of(frame)


def _page(cells: int) -> Call:
    findings = report.findings_of(_frame(cells))
    return lambda: report.page_of(findings, folder="results")


SCORES = {
    "AUC": (_auc, True),
    "weighted AUC": (partial(_auc, weighted=True), True),
    "threshold at a sensitivity": (_intercept, True),
    "ROC curve of breakpoints": (_roc, True),
    "pairwise hinge": (partial(_pairs, "pairwise-hinge"), True),
    "weighted pairwise hinge": (partial(_pairs, "pairwise-hinge", weighted=True), True),
    "pairwise squared hinge": (partial(_pairs, "pairwise-squared-hinge"), True),
    "pairwise logistic": (partial(_pairs, "pairwise-logistic"), True),
    "AUM and its gradient": (_aum_loss, False),
    "AUM, exact line minimum": (_aum_line, False),
    "AUM path, n events": (_aum_path, True),
}
LONG = {"pairwise logistic": 10**6, "AUM path, n events": 10**6}
PROJECTORS = ("top-k", "l1-ball", "l2-ball", "soft-threshold")
FILES = {".svm": "LIBSVM", ".csv": "CSV"}


def cases() -> Iterator[Case]:
    """Yield all of them."""
    for name, (start, sorts) in SCORES.items():
        yield Case(name, "n", start, 10**3, LONG.get(name, 10**7), sorts=sorts)
    for name in PROJECTORS:
        yield Case(f"projector {name}", "d", partial(_project, name), 10**3, 10**7)
    yield from _of_rows()
    for suffix, name in FILES.items():
        yield Case(f"read {name}, 20 features", "n", partial(_file, suffix), 300, 10**5)
    yield from _passes()
    yield Case("make the cells of a plan", "cells", _plan, 10**2, 10**5)
    yield Case("statistics of a report", "cells", _findings, 10**2, 10**4)
    yield Case("page of a report", "cells", _page, 10**2, 10**4)


def _of_rows() -> Iterator[Case]:
    for name, call in (("X w", _scores), ("Xᵀ r", _pullback), ("folds", _splits)):
        data = lambda n, call=call: call(_dense_data(n, 20))  # noqa: E731
        yield Case(f"{name}, dense, 20 features", "n", data, 10**3, 10**6)
    yield Case("Data.of, dense, 20 features", "n", lambda n: _of(_rows(n, 20)), 10**3, 10**6)
    for name, call in (("X w", _scores), ("Xᵀ r", _pullback)):
        data = lambda d, call=call: call(_dense_data(20, d))  # noqa: E731
        yield Case(f"{name}, dense, 20 rows", "d", data, 10, 10**6)
        data = lambda nnz, call=call: call(_csr_data(nnz))  # noqa: E731
        yield Case(f"{name}, CSR", "nnz", data, 10**4, 10**7)
    yield Case("Data.of, dense, 20 rows", "d", lambda d: _of(_rows(20, d)), 10, 10**6)
    rows = lambda nnz: _of(_sparse(1_000, 100_000, nnz // 1_000))  # noqa: E731
    yield Case("Data.of, CSR", "nnz", rows, 10**4, 10**7)


def _passes() -> Iterator[Case]:
    for name in _own():
        for of, (data, low, high) in PASSES.items():
            power, why = POWERS.get((name, of), (1.0, ""))
            start = lambda size, name=name, data=data: _pass(name, data(size))  # noqa: E731
            yield Case(f"pass of {name}", of, start, low, high, power, why=why)


def _own() -> list[str]:
    """Return the solvers whose passes are ours, over any number of features."""
    names = sorted(aucbench.list_solvers())
    return [name for name in names if describe("solvers", name).family not in OTHERS]


OTHERS = {"baselines", "networks", "plane"}  # two run other libraries; the last has two features
PASSES: dict[str, tuple[Callable[[int], aucbench.Data], int, int]] = {
    "n": (lambda n: _dense_data(n, 20), 10**2, 10**5),
    "d": (lambda d: _dense_data(200, d), 10, 10**4),
    "nnz": (partial(_csr_data, d=5_000), 10**4, 10**6),
}
# Where the method itself is not linear.
POWERS = {
    ("roc-svm-kernel", "n"): (2.0, "the kernel of all pairs of rows"),
}


def rows_of(found: list[Growth]) -> list[dict[str, Any]]:
    """Return what is kept of the measurements."""
    return [
        {
            "what": one.case.name,
            "of": one.case.of,
            "cost": one.case.cost,
            "why": one.case.why,
            "exponent": round(one.exponent, 3),
            "power": one.case.power,
            "sizes": one.sizes,
            "seconds": [float(f"{t:.3g}") for t in one.seconds],
        }
        for one in found
    ]


def main() -> None:
    """Measure, print a table, and write the file unless only a part was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("--only", default="", help="a part of the names")
    parser.add_argument("--limit", type=float, default=0.5, help="CPU seconds of the longest call")
    given = parser.parse_args()
    found = []
    print(f"{'operation':40} {'cost':>12} {'exponent':>8}  {'sizes':>17} {'longest':>10}")
    with threadpool_limits(1):
        for case in cases():
            if given.only not in case.name:
                continue
            one = measured(case, given.limit)
            found.append(one)
            span = f"{one.sizes[0]:.0e}..{one.sizes[-1]:.0e}"
            far = "  <-" if one.exponent > case.power + 0.2 else ""
            print(
                f"{case.name:40} {case.cost:>12} {one.exponent:8.2f}  {span:>17} "
                f"{one.seconds[-1] * 1e3:8.2f} ms{far}",
                flush=True,
            )
    if not given.only:
        FILE.write_text(json.dumps(rows_of(found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
