"""Pilot cells: which cells of a plan tell most of its cost, and the run of them.

First each solver gets one on a small data set. Then, again and again, those pairs of a solver and a
data set come that would narrow the estimate most for each second that they are expected to take. So
the expensive solvers are soon run on large sets, and cheap ones are left alone. Pilots are cells of
the plan: the folder keeps them, and no run computes them again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING
from warnings import warn

from aucbench.bench.costs.ledger import Ledger, Place, crowd_of
from aucbench.bench.engines import Engine
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.store import Store
from aucbench.bench.runner import Runner, prepared
from aucbench.bench.until import Until
from aucbench.host import cores, load

if TYPE_CHECKING:
    from aucbench.bench.cell import Cell
    from aucbench.bench.costs.estimate import Estimate
    from aucbench.bench.costs.model import Forecast

SECONDS = 120.0  # of wall time that pilots may take where nobody says more
SHARE, SMALL = 0.05, 10.0  # of the whole that they may take then, unless it is a few seconds
NARROW = 0.2  # half of the interval by the whole, at which no more are run
SMALL_SET = 0.25  # quantile of rows times features, of the data set of the first pilots
OF_REST = 4.0  # one pilot may take this part of the time that is left, and a round too
FEW = 2.0  # seconds that a pilot has at least
MORE = 3.0  # times its expected seconds that a pilot may take


def estimated(
    plan: Plan,
    store: Store,
    engine: Engine,
    *,
    seconds: float | None = None,
    listeners: Sequence[object] = (),
    tell: Callable[[str], object] = warn,
    heard: Callable[[Estimate], object] = lambda _: None,
) -> Estimate:
    """Run pilot cells of a plan into a store, and return what the rest will cost.

    Parameters
    ----------
    plan, store, engine, listeners, tell :
        As in `aucbench.bench.runner.run`.
    seconds : float, optional
        Wall time of the pilots, after the data sets were read. Without it they end after two
        minutes, and after a twentieth of the whole.
    heard : function (Estimate) -> object
        Called after each round of pilots with what is known by then.

    Raises
    ------
    AucbenchError
        As `run`.
    """
    from aucbench.bench.costs.estimate import estimate_of

    with prepared(plan, store, engine, (), listeners, tell=tell) as runner_of:
        until = Until(SECONDS if seconds is None else seconds)
        runner = replace(runner_of(plan), until=until)
        runner.tell_of_data()
        ledger, jobs = Ledger.of(runner), getattr(engine, "jobs", None) or cores()
        known, begin, spent = ledger.there, monotonic(), 0.0
        while True:
            pilots = ledger.there - known
            slow = ledger.crowd(pilots) if pilots else crowd_of({"load": load(), "cores": cores()})
            took = monotonic() - begin
            now = estimate_of(ledger, jobs, pilots=pilots, took=took, slow=slow)
            if pilots:
                heard(now)
            chosen = _chosen(ledger, now.forecasts, until.left * jobs)
            enough = seconds is None and spent > max(SMALL * jobs, SHARE * now.total.middle)
            if not chosen or until.left <= FEW or _ends(ledger, now, enough=enough):
                return now
            until.most = max(FEW, until.left / OF_REST)
            spent += _run(runner, ledger, chosen)


def _ends(ledger: Ledger, now: Estimate, *, enough: bool) -> bool:
    """Whether no more pilots are needed: the interval is narrow, or they took enough time."""
    known = all(map(ledger.tried_of, range(len(ledger.keys))))
    return now.total.is_narrow(NARROW) or (enough and known)


def _run(runner: Runner, ledger: Ledger, chosen: Sequence[Cell]) -> float:
    """Run pilots, enter what they took, and return how many seconds that were in all."""
    assert runner.until is not None
    spent, cut = 0.0, runner.until.cut
    cut.clear()
    for record in replace(runner, cells=chosen).results():
        ledger.add(record)
        spent += record.process.wall_seconds or 0.0
    for cell, stop in cut.items():
        ledger.add_cut(cell, stop)
    return spent + sum(cut.values())


def _chosen(ledger: Ledger, forecasts: Sequence[Forecast], time: float) -> list[Cell]:
    """Return the cells of the next round, which take a part of the time; those of a set together.

    An arm has one at most.
    """
    if first := [*_first(ledger)]:
        return [ledger.missing[place][0] for place in first]
    best = []
    for number, one in enumerate(forecasts):
        gains, costs = one.gains(), one.seconds
        may = [
            (gains[at] / costs[at], costs[at], (number, at))
            for at in range(len(ledger.datasets))
            if costs[at] <= time / OF_REST
            and ledger.missing.get((number, at))
            and not ledger.tried((number, at))
        ]
        if may:
            best.append(max(may))
    chosen: list[Place] = []
    for _, cost, place in sorted(best, reverse=True):
        if cost > time / OF_REST:
            continue
        time -= cost * OF_REST
        chosen.append(place)
    return [ledger.missing[place][0] for place in sorted(chosen, key=lambda place: place[::-1])]


def _first(ledger: Ledger) -> list[Place]:
    """Return where the arms are run first of which nothing is known; untuned ones begin."""
    order = sorted(range(len(ledger.datasets)), key=lambda at: _values(ledger.sizes[at]))
    places = []
    for number in range(len(ledger.keys)):
        if ledger.tried_of(number):
            continue
        own = [at for at in order if ledger.missing.get((number, at))]
        if own:
            places.append((number, own[int(SMALL_SET * (len(own) - 1))]))
    return sorted(places, key=lambda place: ledger.tuned[place[0]])


def _values(size: tuple[int, int]) -> int:
    return size[0] * size[1]
