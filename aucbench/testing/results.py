"""A sample of results, for the laws of what plugins do with finished ones.

It has what a run may leave behind: fits that converged and fits that did not, and cells of every
status, in which most numbers are None.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

import numpy as np

from aucbench.bench.cell import Cell
from aucbench.bench.evaluation.verdict import Measures, Status
from aucbench.bench.isolated.exchange import Rows
from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.conditions import Conditions
from aucbench.bench.results.record import Process, Record, Sizes
from aucbench.records import CellStatus, Point, Stop

SETS = ("breast-cancer", "größe & <b>Co</b> | 50 %.csv")
SOLVERS = ("logistic", "sht-auc[k=3]", "constant", "random-forest")
ENDS = (CellStatus.OK,) * 4 + tuple(CellStatus)  # of the cells, one after the other
REASON = "it raised ValueError: <b>50 %</b> of | and \\textbf{x}\n"


def record(number: int, cell: Cell) -> Record:
    """Return the record of the cell with this number, as it comes out of a store."""
    status = ENDS[number % len(ENDS)]
    ok = status is CellStatus.OK
    one = Record(
        id=blake2b(str(cell).encode(), digest_size=16).hexdigest(),
        cell=cell,
        status=Status(
            status=status,
            reason=None if ok else REASON,
            error_type="ValueError" if status is CellStatus.ERROR else None,
        ),
        measures=_measures(number) if ok else Measures(),
        sizes=Sizes(
            n_train=80,
            n_test=40,
            columns=5,
            d=5,
            data=cell.dataset,
            division="2 folds",
            weighted=False,
        ),
        process=Process(wall_seconds=0.25, peak_memory=10**6, log=None if ok else REASON),
        conditions=Conditions(concurrency=2, timeout=60.0),
        machine={"host": "host", "cpu": "cpu", "cores": 2, "threads": 1, "load": 0.5},
        plugin=("aucbench", "1.0", "aucbench_plugins.sample"),
        parameters={"k": 3, "lam": None, "kind": "exact"},
        tuning={"chosen": {"k": 3}, "map_seconds": 0.1, "table": []} if cell.tune else None,
        curve=tuple(_curve(number)) if ok else (),
    )
    return Record.from_json(json.loads(json.dumps(one.to_json())))


def records() -> list[Record]:
    """Return the records of a plan: solvers, tuned ones too, on data sets, seeds and splits."""
    asked = (*choices(SOLVERS), *choices(SOLVERS[1:2], tune=True))
    cells = Plan(SETS, asked, seeds=(0, 1), splits=2).cells()
    return sorted((record(i, cell) for i, cell in enumerate(cells)), key=lambda one: one.id)


def sampled() -> Iterator[tuple[str, list[Record]]]:
    """Yield samples with what people call them: all, one cell, and none that has not failed."""
    known = records()
    yield "rows", known
    yield "one row", [next(one for one in known if one.ok)]
    yield "rows that have all failed", [one for one in known if not one.ok]


def rows(known: list[Record]) -> Rows:
    """Return them as a function of a plugin gets them."""
    return Rows(lambda: iter(known))


def _measures(number: int) -> Measures:
    """Of a fit; every third one has no listed objective."""
    listed = number % 3 > 0
    return Measures(
        auc=0.5 + number % 40 / 100,
        nnz=3 if listed else None,
        feasible=True,
        objective=0.25 if listed else None,
        objective_at_start=1.0 if listed else None,
        problem="PairwiseSquare" if listed else None,
        gap=1e-7 if number % 3 == 1 else None,
        passes=4.0,
        passes_limit=4.0,
        overspent=False,
        stop=(Stop.FINISHED, Stop.CERTIFIED, Stop.PASSES)[number % 3].name,
        fit_seconds=0.125,
        cpu_seconds=0.125,
        fit_seconds_each=(0.125,),
        predict_seconds=0.001,
    )


def _curve(number: int) -> Iterator[dict[str, Any]]:
    for t in (1, 2, 3, 4):
        objective = 0.25 + 0.5**t if number % 3 else None
        point = asdict(Point(t, float(t), t / 32, objective, 0.5**t if objective else None, 0.5**t))
        auc = float(np.round(0.5 + number % 40 / 100 - 0.5 ** (t + 3), 6))
        yield {**point, "test_auc": auc, "train_auc": auc, "validation_auc": None}
