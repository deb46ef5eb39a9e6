"""Time kernels at each level of SIMD, with each sort, and beside an earlier version.

    python -m benchmarks.levels                             # all kernels, seven rounds
    python -m benchmarks.levels auc argsort --rounds 3
    python -m benchmarks.levels --before PYTHON             # whose aucbench is the earlier one
    python -m benchmarks.levels --without "X86_V4 AVX512_ICL"   # a column where NumPy lacks these
    python -m benchmarks.levels --builds "plain C=/tmp/plain"   # beside other builds, in folders

The level and the sort belong to a process, so each round starts a process for each of them, in
turn. A cell is the median over the rounds of the processor time of one call, its spread (the
distance of the quartiles, in per cent of the median), and how many times as fast it is as the
first column. All kernels: the table of docs/speed.md is written too.

A build is a copy of the package with kernels of its own, such as `.ci/portable keep /tmp` makes.
All builds run at their highest level, and sort alike.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.metrics import roc_auc_score

import aucbench
from aucbench import aum, data, kernels

CALLS = 5  # of one kernel in one process; the median counts
N = 1_000_000
Call = Callable[[], object]


class Way(NamedTuple):
    """A version of the package, and the environment in which its kernels choose."""

    title: str
    python: str
    environment: dict[str, str]


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
    yield "spam-l1-csr", lambda: one_pass("spam-l1", "csr", passes=5)
    yield "aum-path", aum_path_of_labels


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
    rng, examples = np.random.default_rng(0), np.repeat(np.arange(N // 4, dtype=np.int32), 4)
    value = np.sort(rng.standard_normal((N // 4, 4)), axis=1).ravel()
    fp, fn = np.tile([0.0, 1.0], N // 2), np.tile([-1.0, 0.0], N // 2)
    ends = [np.zeros(N // 4)] * 4
    breakpoints = data.Breakpoints(examples, value, fp, fn, N // 4, *ends)
    s = rng.standard_normal(N // 4)
    return lambda: aum.aum_loss(breakpoints, s)


def aum_along() -> Call:
    y, s = scores()
    direction = np.random.default_rng(1).standard_normal(N)
    return lambda: aum.aum_line_min(s, direction, y)


def aum_path_of_labels() -> Call:
    rng, n = np.random.default_rng(0), 3000
    s, direction, fp = rng.standard_normal(n), rng.standard_normal(n), rng.integers(0, 2, n)
    rates = (fp.astype(np.float64), fp - 1.0)
    return lambda: aum.aum_path(s, direction, *rates, max_events=100_000)


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


def one_pass(name: str, layout: str = "dense", passes: int = 1) -> Call:
    sample = rows(layout)
    return lambda: aucbench.solve(aucbench.get_solver(name), sample, passes=passes)


def measure(names: Sequence[str]) -> dict[str, float]:
    """Return the median seconds of a call of each kernel that this process has."""
    found = {}
    for name, prepare in timed():
        if names and name not in names:
            continue
        try:
            call = prepare()
        except (AttributeError, LookupError):
            continue  # an earlier version lacks the function, or the name
        call()
        times = []
        for _ in range(CALLS):
            begin = process_time()
            call()
            times.append(process_time() - begin)
        found[name] = float(np.median(times))
    return found


def ways(before: str | None, without: str | None) -> list[Way]:
    """Return what to compare: an earlier version, the levels from the lowest, and both sorts."""
    levels = kernels.simd.levels()
    found = [] if before is None else [Way("before", before, {})]
    found += [_way(level, "digits") for level in levels]
    found.append(_way(levels[-1], "numpy"))
    if without is not None:
        lacking = _way(levels[-1], "numpy", NPY_DISABLE_CPU_FEATURES=without)
        found.append(lacking._replace(title=f"{lacking.title} without {without}"))
    return found


def builds(named: Sequence[str]) -> list[Way]:
    """Return the build of this environment, and those of NAME=FOLDER, with one sort."""
    one_sort = {"AUCBENCH_SORT": "digits"}
    found = [Way("gcc", sys.executable, one_sort)]
    for title, _, folder in (each.partition("=") for each in named):
        found.append(Way(title, sys.executable, {**one_sort, "PYTHONPATH": folder}))
    return found


def _way(level: str, sort: str, **more: str) -> Way:
    chosen = {"AUCBENCH_SIMD": level, "AUCBENCH_SORT": sort, **more}
    return Way(f"{level}, {sort}", sys.executable, chosen)


def measured_apart(way: Way, names: Sequence[str]) -> dict[str, float]:
    """Return what `measure` finds in a process of its own."""
    done = subprocess.run(
        [way.python, __file__, "--here", *names],
        env={**os.environ, **way.environment},
        stdout=subprocess.PIPE,
        check=True,
    )
    return dict(json.loads(done.stdout))


def compared(titles: list[str], rounds: list[list[dict[str, float]]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each kernel: three quartiles of each way that has it.

    rounds[i][j] has the seconds of way j in round i.
    """
    for name in rounds[0][-1]:
        each = {title: [one[j].get(name) for one in rounds] for j, title in enumerate(titles)}
        quartiles = {
            title: None if None in seconds else np.quantile(seconds, [0.25, 0.5, 0.75]).tolist()
            for title, seconds in each.items()
        }
        yield {"kernel": name, "seconds": quartiles}


def main() -> None:
    """Print the table, or the seconds of this process as JSON."""
    parser = argparse.ArgumentParser("python -m benchmarks.levels", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *(name for name, _ in timed())])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--before", metavar="PYTHON", help="whose aucbench is an earlier one")
    parser.add_argument("--without", metavar="FEATURES", help="of the CPU, for one more column")
    parser.add_argument("--builds", nargs="+", metavar="NAME=FOLDER", help="beside this one")
    parser.add_argument("--here", action="store_true", help="this process only, as JSON")
    given = parser.parse_args()
    if given.here:
        print(json.dumps(measure(given.names)))
        return
    # The process of an earlier version runs this file too, but does not find this package.
    from benchmarks.measured import DATA, machine, one_thread, write

    one_thread()
    about = {"machine": machine()}
    asked = builds(given.builds) if given.builds else ways(given.before, given.without)
    rounds = [[measured_apart(way, given.names) for way in asked] for _ in range(given.rounds)]
    rows = list(compared([way.title for way in asked], rounds))
    if not given.names:
        write(DATA / f"speed_{'builds' if given.builds else 'levels'}.json", rows, about)
    for row in rows:
        known = ((title, found[1]) for title, found in row["seconds"].items() if found)
        cells = (f"{title} {1e3 * middle:.3g} ms" for title, middle in known)
        print(f"{row['kernel']:24}{'   '.join(cells)}")


if __name__ == "__main__":
    main()
