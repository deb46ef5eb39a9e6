"""Time kernels at each level of SIMD and with each sort; print a table of ratios in Markdown.

    python benchmarks/levels.py                   all kernels, seven rounds
    python benchmarks/levels.py --rounds 3 auc argsort

The level and the sort belong to a process, so each round starts a process for each of them, in
turn. A cell is the median over the rounds of the processor time of one call, its spread (the
distance of the quartiles, in per cent of the median), and how many times as fast it is as the
first column. NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" lets NumPy sort with AVX2.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from time import process_time

import numpy as np
import scipy.sparse
from sklearn.metrics import roc_auc_score

import aucbench
from aucbench import aum, data, kernels

SORTS = ("numpy", "digits")
CALLS = 5  # of one kernel in one process; the median counts
N = 1_000_000
Call = Callable[[], object]


def timed() -> Iterator[tuple[str, Callable[[], Call]]]:
    """Yield the name of each kernel, and what makes its inputs and returns the call."""
    yield "np.sort", lambda: sorting(np.sort)
    yield "argsort", lambda: sorting(data.argsort)
    yield "auc", lambda: judging(aucbench.auc)
    yield "roc_auc_score", lambda: judging(roc_auc_score)
    for name in ("pairwise-hinge", "pairwise-squared-hinge", "pairwise-logistic"):
        yield name, lambda name=name: of_pairs(name)
    yield "aum", aum_of_labels
    yield "aum-sorted", aum_of_changepoints
    yield "aum-line", aum_along
    yield "top-k", lambda: projection("top-k", k=1000)
    yield "l1-ball", lambda: projection("l1-ball", R=10.0)
    for layout in ("dense", "csr"):
        yield f"scores-{layout}", lambda layout=layout: product(layout, "scores")
        yield f"pullback-{layout}", lambda layout=layout: product(layout, "pullback")
    for name in ("fsauc", "oam-gra", "opauc-lr", "solam", "spam-l1"):
        yield name, lambda name=name: one_pass(name)


def scores(n: int = N) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return y, rng.standard_normal(n) + y


def sorting(sort: Callable[[np.ndarray], object]) -> Call:
    s = scores()[1]
    return lambda: sort(s)


def judging(area: Callable[[np.ndarray, np.ndarray], float]) -> Call:
    y, s = scores()
    return lambda: area(y, s)


def of_pairs(name: str) -> Call:
    """The loss of scores in another order at each call."""
    y, s = scores()
    f = aucbench.get_objective(name, aucbench.Data.of(np.ones((y.size, 1)), y))
    turns = [s, np.random.default_rng(1).permutation(s)]
    return lambda: f.of_scores(turns.append(turns.pop(0)) or turns[0])


def aum_of_labels() -> Call:
    y, s = scores()
    breakpoints = data.Breakpoints.of_labels(y)
    return lambda: aum.aum_loss(breakpoints, s)


def aum_of_changepoints() -> Call:
    rng, examples = np.random.default_rng(0), np.repeat(np.arange(N // 4), 4)
    value = np.sort(rng.standard_normal((N // 4, 4)), axis=1).ravel()
    fp, fn = np.tile([0.0, 1.0], N // 2), np.tile([-1.0, 0.0], N // 2)
    breakpoints = data.Breakpoints.of(examples, value, fp, fn, N // 4)
    s = rng.standard_normal(N // 4)
    return lambda: aum.aum_loss(breakpoints, s)


def aum_along() -> Call:
    y, s = scores()
    direction = np.random.default_rng(1).standard_normal(N)
    return lambda: aum.aum_line_min(s, direction, y)


def projection(name: str, **parameters: float) -> Call:
    project, v = aucbench.get_projector(name, **parameters), np.random.default_rng(0).normal(size=N)
    return lambda: project(v.copy())


def rows(layout: str) -> aucbench.Data:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    if layout == "dense":
        return aucbench.Data.of(rng.standard_normal((y.size, 200)), y)
    return aucbench.Data.of(scipy.sparse.random(y.size, 2000, 0.01, "csr", rng=rng), y)


def product(layout: str, name: str) -> Call:
    sample, rng = rows(layout), np.random.default_rng(1)
    v = rng.standard_normal(sample.d if name == "scores" else sample.n)
    return lambda: getattr(sample, name)(v)


def one_pass(name: str) -> Call:
    sample = rows("dense")
    return lambda: aucbench.solve(aucbench.get_solver(name), sample, passes=1)


def measure(names: list[str]) -> dict[str, float]:
    """Return the median seconds of a call of each kernel in this process."""
    found = {}
    for name, prepare in timed():
        if not names or name in names:
            call = prepare()
            call()
            times = []
            for _ in range(CALLS):
                begin = process_time()
                call()
                times.append(process_time() - begin)
            found[name] = float(np.median(times))
    return found


def ways() -> list[dict[str, str]]:
    """Return the settings to compare: the lowest level, all of them, and the other sort."""
    best, sort = kernels.simd.levels()[-1], data.sort_in_use()
    other = next(named for named in SORTS if named != sort)
    levels = [{"AUCBENCH_SIMD": level, "AUCBENCH_SORT": sort} for level in kernels.simd.levels()]
    return [*levels, {"AUCBENCH_SIMD": best, "AUCBENCH_SORT": other}]


def measured_apart(way: dict[str, str], names: list[str]) -> dict[str, float]:
    """Return what `measure` finds in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--here", *names],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **way},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def table(settings: list[dict[str, str]], rounds: list[list[dict[str, float]]]) -> Iterator[str]:
    """Yield the lines of the table; rounds[i][j] has the seconds of setting j in round i."""
    yield "| kernel | " + " | ".join(", ".join(way.values()) for way in settings) + " |"
    yield "|---|" + "---|" * len(settings)
    for name in rounds[0][0]:
        seconds = np.array([[way[name] for way in one] for one in rounds])
        low, middle, high = np.quantile(seconds, [0.25, 0.5, 0.75], axis=0)
        cells = (
            f"{1e3 * m:.3g} ms ± {100 * (b - a) / m:.0f} %, {middle[0] / m:.2f} ×"
            for a, m, b in zip(low, middle, high, strict=True)
        )
        yield f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table, or the seconds of this process as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *(name for name, _ in timed())])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--here", action="store_true", help="this process only, as JSON")
    given = parser.parse_args()
    if given.here:
        print(json.dumps(measure(given.names)))
        return
    settings = ways()
    rounds = [[measured_apart(way, given.names) for way in settings] for _ in range(given.rounds)]
    print("\n".join(table(settings, rounds)))


if __name__ == "__main__":
    main()
