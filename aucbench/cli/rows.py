"""The rows of `--json`: one object per cell, in the order of the plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aucbench.bench.plan.plan import Plan
    from aucbench.infra.store import Store

KEYS = (
    *("solver", "dataset", "repeat", "split", "seed", "preprocess"),
    *("with_objective", "with_projector", "status", "reason", "auc", "fit_seconds", "nnz"),
    *("passes", "stop", "objective", "n_train", "n_test", "d", "parameters", "tune"),
    *("tune_seconds", "feasible", "gap", "id"),
)


class Rows:
    """Remembers the ids of a plan's records, and writes their rows when all are known.

    Parameters
    ----------
    plan : Plan
        Gives the order.
    """

    def __init__(self, plan: Plan) -> None:
        from aucbench.bench.plan.plan import solver_label

        solvers = (solver_label(choice.spec, choice.tuning) for choice in plan.solvers)
        seeds = (seed + repeat for seed, repeat in product(plan.seeds, range(plan.repeats)))
        axes = (plan.datasets, plan.preprocess, seeds, solvers)
        self._axes = [{value: number for number, value in enumerate(axis)} for axis in axes]
        self._found: list[tuple[tuple[int, ...], str]] = []

    def add(self, record: Mapping[str, Any]) -> None:
        """Take a record."""
        from aucbench.bench.plan.plan import solver_label

        solver = solver_label(record["solver"], record["tune"])
        values = (record["dataset"], record["preprocess"], record["seed"], solver)
        *first, last = (axis[value] for axis, value in zip(self._axes, values, strict=True))
        self._found.append(((*first, record["split"], last), record["id"]))

    def write(self, store: Store, path: Path) -> None:
        """Write the rows to a file, complete or not at all.

        Raises
        ------
        ParameterError
            When it cannot be written; what was there before stays.
        """
        from aucbench.infra.store import own_file

        with own_file(path) as file:
            for piece in _pieces(self._records(store)):
                file.write(piece.encode("ascii"))

    def _records(self, store: Store) -> Iterator[dict[str, Any]]:
        for _, cell in sorted(self._found):
            record = store.read(cell)
            if record is not None:
                yield record


def _pieces(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    before = "[\n"
    for record in records:
        row = {key: record.get(key) for key in KEYS}
        yield before + json.dumps(row, allow_nan=False)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
