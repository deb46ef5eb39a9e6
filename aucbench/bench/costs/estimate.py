"""What a plan will cost: the records, and the numbers in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aucbench.bench.costs.ledger import Ledger
from aucbench.bench.costs.model import DRAWS, Array, Forecast, forecasts, total_draws

LEVEL = 0.9  # probability of an interval
CELL, SPLIT, VALUE = 0.01, 0.03, 1e-7  # seconds beside cells: of each, of a split, of its numbers
JOBS = (1, 2, 4, 8, 16)  # numbers of cells at once for which the wall time is told, a core for each


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds: the middle, and the ends of an interval of 0.9."""

    low: float
    middle: float
    high: float

    @staticmethod
    def of(draws: Array) -> Span:
        """Return the span of draws."""
        ends = ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2)
        return Span(*(float(value) for value in np.quantile(draws, ends)))

    def is_narrow(self, share: float) -> bool:
        """Whether the interval is within this share of the middle."""
        return self.high - self.low <= 2 * share * self.middle


@dataclass(frozen=True, slots=True)
class Cost:
    """The cells of a solver, or of a data set, that are left.

    Attributes
    ----------
    name : str
    features : str
        Feature map of a solver; empty for a data set.
    cells : int
        Cells that are left.
    seconds : Span
        Of all of them, on one core.
    longest : float
        Expected seconds of the longest one.
    on : str
        The data set, or the solver, of that one.
    pilots : int
        Data sets, or solvers, with a cell whose seconds are known.
    """

    name: str
    features: str
    cells: int
    seconds: Span
    longest: float
    on: str
    pilots: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the cells of a plan that are left will cost.

    Attributes
    ----------
    cells, left : int
        Cells of the plan, and those that are to be run.
    pilots : int
        Cells that were run to know this, and `pilot_seconds` of wall time.
    pilot_seconds : float
    jobs : int
        Cells at once of the pilots.
    slow : float
        How many times as long cells took as they would alone on the machine.
    total : Span
        Seconds on one core.
    wall : mapping of int to Span
        Seconds of wall time, by cells at once, each of which has a core.
    solvers, datasets : tuple of Cost
        The most expensive ones first.
    sizes : mapping of str to (int, int)
        Rows and features of each data set.
    late : int
        Cells that are expected to be ended by a limit.
    forecasts : tuple of Forecast
        Of each solver and map, in the order of the plan.
    """

    cells: int
    left: int
    pilots: int
    pilot_seconds: float
    jobs: int
    slow: float
    total: Span
    wall: Mapping[int, Span]
    solvers: tuple[Cost, ...]
    datasets: tuple[Cost, ...]
    sizes: Mapping[str, tuple[int, int]]
    late: int
    forecasts: tuple[Forecast, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON, without the forecasts."""
        whole = {name: getattr(self, name) for name in self.__slots__ if name != "forecasts"}
        for name in ("solvers", "datasets"):
            whole[name] = [asdict(cost) for cost in whole[name]]
        whole["total"] = asdict(self.total)
        whole["wall"] = {str(jobs): asdict(span) for jobs, span in self.wall.items()}
        whole["sizes"] = {name: [*size] for name, size in self.sizes.items()}
        return whole


def estimate_of(
    ledger: Ledger, jobs: int, *, pilots: int = 0, took: float = 0.0, slow: float = 1.0
) -> Estimate:
    """Return what the cells of a ledger that are left will cost, `slow` times as much as alone."""
    sets, arms = len(ledger.datasets), ledger.arms(slow)
    expected = forecasts(np.array(ledger.sizes, float).reshape(sets, 2), arms)
    of_arms, of_sets = _drawn(ledger, expected, slow)
    total = of_sets.sum(axis=1)
    longest = max((cost.longest for cost in of_arms), default=0.0)
    return Estimate(
        len(ledger.plan),
        ledger.left,
        pilots,
        took,
        jobs,
        slow,
        Span.of(total),
        {number: _wall(total, number, longest) for number in sorted({*JOBS, jobs})},
        _sorted(of_arms),
        _sorted(_of_set(ledger, at, expected, Span.of(of_sets[:, at])) for at in range(sets)),
        dict(zip(ledger.datasets, ledger.sizes, strict=True)),
        sum(map(_late, expected)),
        tuple(expected),
    )


def _drawn(ledger: Ledger, expected: Sequence[Forecast], slow: float) -> tuple[list[Cost], Array]:
    """Return the cost of each solver and map, and draws of the seconds of each data set."""
    of_sets = np.tile(slow * _beside(ledger), (DRAWS, 1))
    of_arms = []
    for number, (one, draws) in enumerate(total_draws(expected)):
        of_sets += draws
        of_arms.append(_of_arm(ledger, number, one, Span.of(draws.sum(axis=1))))
    return of_arms, of_sets


def _late(one: Forecast) -> int:
    """Return how many cells of a solver and map are expected to be ended by a limit."""
    arm = one.arm
    return int(arm.left[one.seconds >= arm.most].sum()) if np.isfinite(arm.most) else 0


def _beside(ledger: Ledger) -> Array:
    """Return seconds of each data set that are spent beside cells: rows are read and mapped."""
    splits = ledger.plan.split_count * ledger.plan.repeats * len(ledger.plan.seeds)
    splits *= len(ledger.plan.features)
    seconds = []
    for at, (n, d) in enumerate(ledger.sizes):
        left = sum(len(cells) for place, cells in ledger.missing.items() if place[1] == at)
        prepared = min(splits, left) * (SPLIT + VALUE * n * d)
        seconds.append(prepared + CELL * left)
    return np.array(seconds)


def _wall(total: Array, jobs: int, longest: float) -> Span:
    """Return seconds of wall time: the last cell may run alone."""
    return Span.of(np.maximum(total / jobs + longest * (1 - 1 / jobs) / 2, longest))


def _of_arm(ledger: Ledger, number: int, one: Forecast, seconds: Span) -> Cost:
    label, features = ledger.keys[number]
    times = one.seconds * (one.arm.left > 0)
    at = int(times.argmax()) if times.size else 0
    return Cost(
        label,
        features,
        int(one.arm.left.sum()),
        seconds,
        float(times[at]) if times.size else 0.0,
        ledger.datasets[at] if times.size else "",
        len(one.arm.seen),
    )


def _of_set(ledger: Ledger, at: int, expected: Sequence[Forecast], seconds: Span) -> Cost:
    times = [float(one.seconds[at]) * bool(one.arm.left[at]) for one in expected]
    longest = max(range(len(times)), key=times.__getitem__)
    return Cost(
        ledger.datasets[at],
        "",
        int(sum(one.arm.left[at] for one in expected)),
        seconds,
        times[longest],
        ledger.keys[longest][0],
        sum(any(place == at for place, *_ in one.arm.seen) for one in expected),
    )


def _sorted(costs: Sequence[Cost] | Any) -> tuple[Cost, ...]:
    return tuple(sorted(costs, key=lambda cost: -cost.seconds.middle))
