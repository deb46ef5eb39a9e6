"""The study: does maximising the AUC pay? Its plans, and the tables that its answer is made of.

    python examples/study/study.py plans OUT     # writes OUT/study.toml and two more plans
    aucbench run OUT/study.toml --out OUT/study
    aucbench run OUT/seconds.toml --out OUT/seconds
    aucbench run OUT/large.toml --out OUT/large
    python examples/study/study.py tables OUT    # writes docs/data/study/means.csv and run.json

docs/study/protocol.md says why each of these choices is as it is. The tasks are those of
docs/data/study/tasks.csv, in random order, so that a run which is cut short has a random part of
them.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.bench import Choice, Plan, Store
from aucbench.bench.plan.toml import write_plan
from aucbench.bench.results.record import Record
from aucbench.metrics import average_precision, partial_auc
from aucbench.registry.specs import parse_spec
from aucbench.stats import auc_interval
from aucbench.stats.rows import Fold

TABLES = Path(__file__).resolve().parents[2] / "docs" / "data" / "study"
TASKS = TABLES / "tasks.csv"
PROTOCOL = Path(__file__).resolve().parents[2] / "docs" / "study" / "protocol.md"

TUNED = (  # over their published grids
    *("logistic", "logistic-balanced", "linear-svc"),
    *("svm-or", "rank-svm", "ls-svm", "sht-auc", "sto-iht", "aum", "roc-svm"),
    *("spam-l1", "spam-l2", "solam", "fsauc", "opauc", "oam-gra", "uni-exp"),
    *("lightgbm", "lightgbm-pairs", "xgboost", "xgboost-pairs"),
)
# The first two choose by held-out rows; a search for the third takes longer than it gains.
AS_THEY_ARE = ("additive", "roc-svm-nystrom", "random-forest")
UNTUNED = (  # the same problem as a tuned one, or too slow to be tuned: see the protocol
    *("sgd-logistic", "hist-gradient-boosting", "spdam", "hsg-ht", "spam-net", "reg-solam"),
    *("opauc-lr", "oam-seq", "roc-svm-full", "aum-margin"),
)
IN_SECONDS = ("logistic", "svm-or", "sht-auc", "fsauc", "lightgbm", "random-forest")
ON_LARGE = (
    *("logistic", "svm-or", "rank-svm", "ls-svm", "sht-auc", "fsauc", "solam", "spam-l2"),
    *("additive", "lightgbm", "lightgbm-pairs", "hist-gradient-boosting"),
)
AT_MOST = tomllib.loads((TABLES / "rows.toml").read_text(encoding="utf-8"))
ROWS, LARGE_ROWS = AT_MOST["rows"], AT_MOST["large_rows"]
LEAST = 5000  # rows of the source of a large task
POINTS, INNER, SPLITS = 5, 2, 2
HELD_OUT = 0.3  # of a large task, in place of folds
SECONDS, WITHIN = 2.0, 24  # of a cell, and groups with such cells
MAX_FPR = 0.1
CAP = re.compile(r",?\brows=\d+")
COLUMNS = (
    *("task", "group", "arm", "solver", "auc", "auc_low", "auc_high", "pauc", "ap"),
    *("fit_seconds", "tune_seconds", "nnz", "cells", "ok"),
)


@dataclass(frozen=True, slots=True)
class Task:
    """A row of tasks.csv."""

    task: str
    dataset: str
    group: str
    all_rows: int  # of the source

    def capped(self, rows: int) -> str:
        """Return the data set with at most so many rows."""
        bare = CAP.sub("", self.dataset).replace("[,", "[").replace("[]", "")
        if self.all_rows <= rows:
            return bare
        cap = f"rows={rows}"
        return f"{bare[:-1]},{cap}]" if bare.endswith("]") else f"{bare}[{cap}]"


def tasks() -> list[Task]:
    """Return the tasks in a random order, which is always the same."""
    with TASKS.open(newline="", encoding="utf-8") as file:
        known = [
            Task(line["task"], line["dataset"], line["group"], int(line["all_rows"]))
            for line in csv.DictReader(file)
        ]
    order = np.random.default_rng(0).permutation(len(known))
    return [known[at] for at in order]


def plans() -> dict[str, Plan]:
    """Return the plan of each results folder, by its name."""
    every = tasks()
    return {
        "study": _plan(
            [(task, task.capped(ROWS)) for task in every],
            [*_tuned(TUNED), *_untuned((*AS_THEY_ARE, *TUNED, *UNTUNED))],
        ),
        "seconds": _plan(
            [(task, task.capped(ROWS)) for task in _one_of_each(every)[:WITHIN]],
            _tuned(IN_SECONDS),
            tune_seconds=SECONDS,
            tune_evals=100,
        ),
        "large": _plan(
            [
                (task, task.capped(LARGE_ROWS))
                for task in _one_of_each(task for task in every if task.all_rows >= LEAST)
            ],
            _untuned(ON_LARGE),
            holdout=HELD_OUT,
        ),
    }


def _tuned(names: Iterable[str]) -> list[Choice]:
    return [Choice(parse_spec(name), tune=True) for name in names]


def _untuned(names: Iterable[str]) -> list[Choice]:
    return [Choice(parse_spec(name)) for name in names]


def _one_of_each(some: Iterable[Task]) -> list[Task]:
    """Return the first task of each group."""
    first: dict[str, Task] = {}
    for task in some:
        first.setdefault(task.group, task)
    return [*first.values()]


def _plan(
    named: Sequence[tuple[Task, str]],
    solvers: Sequence[Choice],
    tune_seconds: float | None = None,
    tune_evals: int = POINTS,
    holdout: float | None = None,
) -> Plan:
    families = defaultdict(list)
    for task, dataset in named:
        families[task.group].append(dataset)
    return Plan.of(
        {
            "data": tuple(dataset for _, dataset in named),
            "solvers": solvers,
            "splits": SPLITS if holdout is None else None,
            "holdout": holdout,
            "tune_evals": tune_evals,
            "tune_seconds": tune_seconds,
            "inner_splits": INNER,
            "timeout": 120,
            "memory": 4000,
            "families": {
                name: tuple(members) for name, members in families.items() if len(members) > 1
            },
        }
    )


@dataclass(frozen=True, slots=True)
class Results:
    """The records of a results folder, which are read once."""

    folder: Path
    records: tuple[Record, ...]

    @staticmethod
    def of(folder: Path) -> Results:
        """Read a folder."""
        with Store(folder) as store:
            return Results(folder, (*store.records(),))


def rows_of(
    results: Results, plan: Plan, named: dict[str, Task], arms: Sequence[str]
) -> list[list[Any]]:
    """Return the lines of means.csv of a results folder, for the tasks that are complete.

    A solver that has failed in one fold has no value. `arms` has the names of cells that are tuned
    and of those that are not.
    """
    found: dict[str, dict[tuple[str, bool], list[Record]]] = defaultdict(lambda: defaultdict(list))
    lines = []
    for record in results.records:
        cell = record.cell
        found[str(cell.dataset)][str(cell.solver), cell.tune is not False].append(record)
    with Store(results.folder) as store:
        for dataset in map(str, plan.data):
            task, cells = named[dataset], found[dataset]
            if sum(map(len, cells.values())) < plan.split_count * len(plan.solvers):
                continue  # not run, or not all of it
            for choice in plan.solvers:
                solver, tuned = str(choice.spec), choice.tune is not False
                means = _means(cells[solver, tuned], store)
                names = [*arms] if solver in AS_THEY_ARE else [arms[0] if tuned else arms[1]]
                lines += [
                    [task.task, task.group, arm, solver, *means] for arm in dict.fromkeys(names)
                ]
    return sorted(lines, key=itemgetter(2))


def _means(records: list[Record], store: Store) -> list[Any]:
    """Return the columns from the AUC on, of the folds of one solver on one task."""
    ok = [record for record in records if record.ok]
    counts = [len(records), len(ok)]
    if len(ok) < len(records):
        return [""] * 8 + counts
    tested = [store.scores(record.id, record.sizes.data) for record in ok]
    folds = [(one["y"], one["scores"]) for one in tested if one is not None]
    interval = auc_interval([Fold(*fold) for fold in folds])
    shares = [
        record.measures.nnz / record.sizes.d
        for record in ok
        if record.measures.nnz is not None
        and record.sizes.d
        and str(record.cell.solver) not in AS_THEY_ARE  # their weights are not those of features
    ]
    values = [
        *(interval.estimate, interval.low, interval.high),
        np.mean([partial_auc(*fold, max_fpr=MAX_FPR) for fold in folds]),
        np.mean([average_precision(*fold) for fold in folds]),
        np.median([record.measures.fit_seconds or 0.0 for record in ok]),
        np.median([record.measures.tune_seconds or 0.0 for record in ok]),
        np.mean(shares) if len(shares) == len(ok) else None,
    ]
    return [*("" if value is None else f"{value:.5g}" for value in values), *counts]


def log_of(found: dict[str, Results], wanted: dict[str, Plan]) -> dict[str, Any]:
    """Return what run.json says: cells by plan, reasons of failures, hours, machine, hashes."""
    told: dict[str, Any] = {
        "planned": 0,
        "ok": 0,
        "not_run": 0,
        "failed": {},
        "hours": 0.0,
        "plans": {},
    }
    reasons: Counter[str] = Counter()
    machines: Counter[str] = Counter()
    versions: dict[str, str] = {}
    for name in wanted.keys() - found.keys():
        told["planned"] += len(wanted[name])
        told["not_run"] += len(wanted[name])
    for name, results in found.items():
        ok = failed = 0
        seconds = 0.0
        for record in results.records:
            seconds += record.process.wall_seconds or 0.0
            ok += record.ok
            failed += not record.ok
            if not record.ok:
                reasons[f"{record.cell.solver}: {record.status.status}"] += 1
            machine = record.machine
            machines[f"{machine.get('cpu')}, {machine.get('cores')} cores"] += 1
            versions |= machine.get("versions") or {}
        planned = len(wanted[name])
        told["plans"][name] = {
            "cells": planned,
            "ok": ok,
            "failed": failed,
            "hours": round(seconds / 3600, 3),
            "sha256": hash_of(results.folder),
        }
        told["planned"] += planned
        told["ok"] += ok
        told["not_run"] += planned - ok - failed
        told["hours"] += seconds / 3600
    told["hours"] = round(told["hours"], 3)
    told["failed"] = dict(sorted(reasons.items()))
    told["machine"] = [*machines]
    told["versions"] = dict(sorted(versions.items()))
    told["protocol_commit"] = commit_of(PROTOCOL)
    return told


def commit_of(path: Path) -> str:
    """Return the commit that changed a file last; empty outside of a repository."""
    command = ["git", "log", "-1", "--format=%H", "--", path.name]
    ended = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    return ended.stdout.strip()


def hash_of(folder: Path) -> str:
    """Return the sha256 of the names and contents of all records and scores of a folder."""
    whole = hashlib.sha256()
    for part in ("cells", "scores", "plans"):
        for path in sorted((folder / part).rglob("*")):
            if path.is_file():
                inside = hashlib.sha256(path.read_bytes()).hexdigest()
                whole.update(f"{path.relative_to(folder).as_posix()} {inside}\n".encode())
    return whole.hexdigest()


def write_tables(out: Path) -> Iterator[str]:
    """Write means.csv and run.json from the folders of `out` that are there; yield sentences."""
    wanted = plans()
    caps = {"study": ROWS, "seconds": ROWS, "large": LARGE_ROWS}
    arms = {
        "study": ("tuned", "default"),
        "seconds": ("seconds", "seconds"),
        "large": ("large", "large"),
    }
    found = {name: Results.of(out / name) for name in wanted if (out / name).is_dir()}
    lines = []
    for name, results in found.items():
        named = {task.capped(caps[name]): task for task in tasks()}
        lines += rows_of(results, wanted[name], named, arms[name])
    with (TABLES / "means.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *lines])
    told = log_of(found, wanted)
    (TABLES / "run.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    yield f"{len(lines)} rows in {TABLES / 'means.csv'}"
    yield f"{told['ok']} of {told['planned']} cells are ok"


def main() -> None:
    """Write the plans, or the tables of what was run."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("what", choices=("plans", "tables"))
    asked.add_argument("out", type=Path, help="folder of the plans and of their results")
    given = asked.parse_args()
    if given.what == "tables":
        sys.stdout.writelines(f"{line}\n" for line in write_tables(given.out))
        return
    given.out.mkdir(parents=True, exist_ok=True)
    for name, plan in plans().items():
        (given.out / f"{name}.toml").write_text(write_plan(plan), encoding="utf-8")
        sys.stdout.write(f"{len(plan)} cells: {given.out / name}.toml\n")


if __name__ == "__main__":
    main()
