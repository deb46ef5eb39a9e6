"""Read the frame of results folders: of one, or of several that were run by one protocol.

Design
  a. Folders are read side by side, and nothing is written. Each of them stays what it is.
  b. A record that two folders have counts once: its id and its AUC are the same in both. Then the
     folder that was named first is the one that counts, with its times.
  c. Where folders have other results of what is called the same, such as of two versions of its
     code, none of both is dropped: each stands for itself, and has its folder in its name.
     (Rejected: the newest counts. A record does not say when it was written.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from math import isclose, isnan
from pathlib import Path
from typing import Any

from aucbench.bench.answers import Wanted
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plans
from aucbench.bench.results.store import Store
from aucbench.bench.runner import wanted_of
from aucbench.errors import AucbenchError, DataError, ParameterError
from aucbench.registry.specs import short
from aucbench.report.collecting import UNKNOWN, Collected, FitKey, Key, collect_rows, make_frame
from aucbench.report.frame import NAN, Frame, KeptPlan, Row, Source

EQUAL = 1e-9  # by which the AUC of one record may differ: the last digits of another library
LISTED = 3  # values that a sentence names

# What plans must agree in, as the sentence of a refusal calls it. Feature maps, objectives and
# shapes are chosen with a solver: where they differ, the names of solvers say so.
PROTOCOL: Mapping[str, Callable[[Plan], Sequence[Any]]] = {
    "data sets": lambda plan: plan.data,
    "reading of files": lambda plan: [str(plan.reading) or "as usual"],
    "pairs": lambda plan: [plan.pairs],
    "splits": lambda plan: [plan.split_count],
    "holdout": lambda plan: [plan.holdout],
    "repeats": lambda plan: [plan.repeats],
    "seeds": lambda plan: plan.seed,
    "passes": lambda plan: [plan.limit_of_passes],
    "seconds": lambda plan: [plan.seconds],
    "gap_tol": lambda plan: [plan.gap_tol],
    "points of tuning": lambda plan: [plan.tune_evals],
    "inner splits of tuning": lambda plan: [plan.inner_splits],
    "seconds of tuning": lambda plan: [plan.tune_seconds],
    "work of tuning": lambda plan: [plan.tune_work],
}


def read_frame(*folders: str | Path, stale: bool = False) -> Frame:
    """Return what results folders hold; stale records are left out and counted.

    Where the plans cannot be looked up, because a data set or a plugin is not on this machine,
    `Source.unchecked` says so and all records count. Of several folders `Source.folders` says
    which of them have a solver. Where they have other results of it, it is there for each of them.

    Parameters
    ----------
    folders : path
        Results folders. The plans of all have the same data sets, splits, seeds and budgets.
    stale : bool
        Records of the plans count too whose data, plugin or aucbench has changed since.

    Raises
    ------
    ParameterError
        When no folder is named, or one of them twice.
    DataError
        When a folder cannot be read, was run by another protocol or with other rows than the
        first one, or there is nothing to report.
    """
    places = [*map(Path, folders)]
    if not places:
        raise ParameterError("no results folder was named; name one or more")
    if twice := [
        str(one) for one, count in Counter(map(Path.resolve, places)).items() if count > 1
    ]:
        raise ParameterError(f"the folder {twice[0]} is named twice; name each folder once")
    stores = {str(place): Store(place) for place in places}
    texts = {name: store.plans() for name, store in stores.items()}
    plans = {name: parse_plans(known) for name, known in texts.items()}
    every = [*chain.from_iterable(plans.values())]
    if len(stores) > 1:
        _require_protocol(plans)
    wanted, unchecked = (UNKNOWN, "") if stale else _looked_up(every)
    collected = {
        name: collect_rows(store.records(), plans[name], wanted, name)
        for name, store in stores.items()
    }
    source = Source(
        plans=tuple(
            KeptPlan(path.name, name, text)
            for name, known in texts.items()
            for path, text in known.items()
        ),
        unchecked=unchecked,
        scores={name: store.scores for name, store in stores.items()},
        about=lambda data: next(filter(None, (one.about(data) for one in stores.values())), None),
        problems=lambda: tuple(line for store in stores.values() for line in store.problems()),
    )
    if len(stores) == 1:
        return make_frame(collected[str(places[0])], every, source)
    joined, owners = _joined(collected)
    return make_frame(joined, every, replace(source, folders=owners))


def _looked_up(plans: Sequence[Plan]) -> tuple[Wanted, str]:
    """Return the ids that count, and why they are not known."""
    try:
        return wanted_of(plans), ""
    except AucbenchError as error:
        return UNKNOWN, str(error)


def _require_protocol(plans: Mapping[str, Sequence[Plan]]) -> None:
    """Raise `DataError` where a folder was run by another protocol than the first one."""
    first, *others = plans
    for name in others:
        if faults := [*_faults(plans, name, first)]:
            raise DataError(
                f"{name} was run by another protocol than {first}: {'; '.join(faults)}; run its "
                f"solvers by the plans of {first}, which are in {Path(first) / 'plans'}, or report "
                "the two folders one by one"
            )


def _faults(plans: Mapping[str, Sequence[Plan]], name: str, first: str) -> Iterator[str]:
    """Yield in what the plans of a folder differ from those of the first one."""
    for what, values in PROTOCOL.items():
        here, there = ({x for plan in plans[of] for x in values(plan)} for of in (name, first))
        if here != there:
            alone = f"{_some(here - there)}, of {first} alone: {_some(there - here)}"
            yield f"{what} of {name} alone: {alone}"


def _some(values: set[Any]) -> str:
    names = sorted(f"{one:g}" if isinstance(one, float) else str(one) for one in values)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}" if names else "nothing"


def _joined(collected: Mapping[str, Collected]) -> tuple[Collected, tuple[str, ...]]:
    """Return what folders have together, and the folders of each solver; raises `DataError`."""
    apart: set[Key] = set()
    for (a, one), (b, other) in combinations(collected.items(), 2):
        _require_rows(a, one, b, other)
        apart |= _unlike(one, other)
    rows: dict[FitKey, Row] = {}
    run: dict[Key, dict[str, None]] = {}
    planned: dict[Key, dict[str, None]] = {}
    for folder, one in collected.items():
        for key, row in one.rows.items():
            solver = (*key.solver[:-1], folder) if key.solver in apart else key.solver
            named = key._replace(solver=solver)
            rows[named] = rows.get(named) or row
            (run if row else planned).setdefault(solver, {})[folder] = None
    solvers = dict.fromkeys(key.solver for key in rows)
    stale = sum(one.stale for one in collected.values())
    # A plan counts where no folder has a result.
    return Collected(rows, stale), tuple(", ".join(run.get(s) or planned[s]) for s in solvers)


def _require_rows(a: str, one: Collected, b: str, other: Collected) -> None:
    """Raise `DataError` where two folders have results of other rows of a data set."""
    hashes: dict[Key, set[str]] = {}
    for key, row in chain(one.rows.items(), other.rows.items()):
        if row.get("data"):
            hashes.setdefault(key.data, set()).add(row["data"])
    for data, known in hashes.items():
        if len(known) > 1:
            raise DataError(
                f"{a} and {b} have results of other rows of {short(data[0])}, which cannot be "
                "compared; run both plans with the same version of what carries the data"
            )


def _unlike(one: Collected, other: Collected) -> set[Key]:
    """Return the solvers of which two folders have other results, or none of the same cell."""
    first, second = ({k: row for k, row in of.rows.items() if row} for of in (one, other))
    shared = first.keys() & second.keys()
    other_results = {key.solver for key in shared if not _is_same(first[key], second[key])}
    both = {key.solver for key in first} & {key.solver for key in second}
    return both & other_results | both - {key.solver for key in shared}


def _is_same(a: Row, b: Row) -> bool:
    """Whether two rows are of one record: the same code, data and seed, with the same end."""
    x, y = a.get("auc", NAN), b.get("auc", NAN)
    equal = isclose(x, y, rel_tol=0.0, abs_tol=EQUAL) or (isnan(x) and isnan(y))
    return a["id"] == b["id"] and a["status"] == b["status"] and equal
