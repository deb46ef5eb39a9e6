"""What a second thread saves, and what it costs: products with rows, the AUC, sums of hinges.

`python -m benchmarks.bench_threads` alternates between both in one process, prints the ratios, and
writes the table of docs/speed.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import aucbench

from .measured import DATA, machine, write
from .rows import DENSE, dense, ones, sector

LAYOUTS = {
    "dense": lambda: dense(*DENSE),
    "narrow": lambda: dense(500_000, 20),
    "csr": lambda: ones(300_000, 123, 14),
    "wide csr": sector,
    "small": lambda: dense(1_000, 100),  # one part: the second thread has nothing to do
}
OBJECTIVES = {"affine": "pairwise-square", "margin": "logistic"}
TASKS = ["scores", "pullback", *OBJECTIVES]
OF_SCORES = ["auc", "pairwise-hinge", "pairwise-squared-hinge"]
ROUNDS = 41
KINDS: dict[str, Callable[[list[float]], float]] = {"median": median, "least": min}


def task_of_scores(what: str) -> Callable[[], object]:
    """Return a function of 10^6 scores to measure; hinges keep the order of the last call."""
    rng = np.random.default_rng(0)
    s, y = rng.standard_normal(1_000_000), np.where(rng.random(1_000_000) < 0.2, 1, -1)
    if what == "auc":
        return lambda: aucbench.auc(y, s)
    f = aucbench.get_objective(what, aucbench.Data.of(s[:, None], y))
    w = np.ones(1)
    return lambda: f.value(w)


def task(what: str, layout: str) -> Callable[[], object]:
    """Return a product to measure, whose sums of classes are known."""
    data, rng = LAYOUTS[layout](), np.random.default_rng(0)
    w, r = 1e-2 * rng.standard_normal(data.d), rng.standard_normal(data.n)
    if what in OBJECTIVES:
        f = aucbench.get_objective(OBJECTIVES[what], data)
        f.grad(w)
        return lambda: f.grad(w)
    return {"scores": lambda: data.scores(w), "pullback": lambda: data.pullback(r)}[what]


class Threads:
    """A product by one thread and by two."""

    version = "1"
    params = (TASKS, [*LAYOUTS], [1, 2])
    param_names = ("product", "layout", "threads")

    def setup(self, what: str, layout: str, threads: int) -> None:
        aucbench.threads(threads)
        self.task = task(what, layout)
        self.task()  # starts the second thread

    def teardown(self, what: str, layout: str, threads: int) -> None:
        aucbench.threads(1)

    def time_product(self, what: str, layout: str, threads: int) -> None:
        self.task()


class ThreadsOfScores:
    """A function of 10^6 scores by one thread and by two."""

    version = "1"
    params = (OF_SCORES, [1, 2])
    param_names = ("function", "threads")

    def setup(self, what: str, threads: int) -> None:
        aucbench.threads(threads)
        self.task = task_of_scores(what)
        self.task()

    def teardown(self, what: str, threads: int) -> None:
        aucbench.threads(1)

    def time_function(self, what: str, threads: int) -> None:
        self.task()


def in_turns(name: str, prepare: Callable[[], Callable[[], object]]) -> dict[str, Any]:
    """Return seconds by one thread and by two, in turns: their medians, and the least."""
    run = prepare()
    seen: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for count, times in seen.items():
            with aucbench.threads(count):
                start = perf_counter()
                run()
                times.append(perf_counter() - start)
    found = {kind: [of(times) for times in seen.values()] for kind, of in KINDS.items()}
    line = "   ".join(
        f"{kind} {1e3 * one:7.3f} {1e3 * two:7.3f} {one / two:5.2f} x"
        for kind, (one, two) in found.items()
    )
    print(f"{name:32}{line}", flush=True)
    return {"what": name, **found}


def main() -> None:
    """Print milliseconds and ratios; write the table of docs/speed.md."""
    about = {"machine": machine()}
    rows = [
        in_turns(f"{what}, {layout} rows", partial(task, what, layout))
        for layout in LAYOUTS
        for what in TASKS
    ]
    rows += [in_turns(what, partial(task_of_scores, what)) for what in OF_SCORES]
    write(DATA / "speed_threads.json", rows, about)


if __name__ == "__main__":
    main()
