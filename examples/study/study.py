"""The study: does maximising the AUC pay? Its plans, and the tables that its answer is made of.

    python examples/study/study.py plans OUT     # writes a plan for each part
    aucbench run OUT/PART.toml --out OUT/PART    # for each part
    python examples/study/study.py tables OUT    # writes docs/data/study/means.csv and run.json

`aucbench/study` has the tasks and the protocol, and docs/study/protocol.md says why each choice is
as it is. Tasks are in random order, so that a run which is cut short has a random part of them.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from aucbench.bench import Choice, Plan, Store
from aucbench.bench.fingerprints import version_of
from aucbench.bench.plan.toml import write_plan
from aucbench.bench.results.record import Record
from aucbench.metrics import average_precision, partial_auc
from aucbench.registry.specs import Spec, parse_spec
from aucbench.stats import auc_interval
from aucbench.stats.rows import Fold
from aucbench.store.folder import SHARDS
from aucbench.study.means import COLUMNS as PUBLISHED
from aucbench.study.means import MEANS, sha256_of
from aucbench.study.plans import PROTOCOL, StudyPart, Task, parts, plan_of, tasks

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "docs" / "data" / "study"
PROTOCOLS = (ROOT / "docs" / "study" / "protocol.md", PROTOCOL)
MAX_FPR = 0.1
# Records do not have the versions of these, so they are those of the environment of the tables,
# which has to be that of the run.
LIBRARIES = (
    *("abess", "catboost", "celer", "interpret-core", "lightgbm", "skglm", "torch", "xgboost-cpu"),
)
COLUMNS = (
    *("task", "group", "arm", "solver", "auc", "auc_low", "auc_high", "pauc", "ap"),
    *("fit_seconds", "tune_seconds", "nnz", "cells", "ok"),
)


def plans() -> dict[str, Plan]:
    """Return the plan of each results folder, by its name."""
    every = tasks(apart=True)
    return {name: plan_of(part, every) for name, part in parts().items()}


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
    results: Results, plan: Plan, named: dict[Spec, Task], part: StudyPart
) -> list[list[Any]]:
    """Return the lines of means.csv of a results folder, for the tasks that are complete.

    A solver that has failed in one fold has no value.
    """
    found: dict[Spec, dict[Choice, list[Record]]] = defaultdict(lambda: defaultdict(list))
    lines = []
    for record in results.records:
        found[record.cell.dataset][record.cell.choice].append(record)
    with Store(results.folder) as store:
        for dataset in plan.data:
            task, cells = named[dataset], found[dataset]
            if sum(map(len, cells.values())) < plan.split_count * len(plan.solvers):
                continue  # not run, or not all of it
            for arm, solver, records in _entries(cells, plan, part):
                weights = solver not in part.self_tuned  # theirs are not those of features
                means = _means(records, store, weights=weights)
                lines.append([task.task, task.group, arm, solver, *means])
    return sorted(lines, key=itemgetter(2))


Fits = Sequence[Record | None]  # of all folds; None where there is none to take


def _entries(
    cells: Mapping[Choice, Sequence[Record]], plan: Plan, part: StudyPart
) -> Iterator[tuple[str, str, Fits]]:
    """Yield the arm, the solver and the records of each line of a task."""
    if part.most_features:
        paths: dict[str, list[Record]] = defaultdict(list)
        for choice in plan.solvers:
            paths[choice.spec.name] += cells[choice]
        for most in part.most_features:
            for name, fits in paths.items():
                yield f"{part.arms[1]}-{most}", name, along_path(fits, most)
        return
    for choice in plan.solvers:
        solver, tuned = str(choice.spec), choice.tune is not False
        known = solver in part.self_tuned
        for arm in dict.fromkeys(part.arms if known else part.arms[not tuned :][:1]):
            yield arm, solver, cells[choice]


def along_path(records: Sequence[Record], most: int) -> Fits:
    """Return for each fold the fit with the most features that are not more than `most`.

    Of equal numbers the first is taken; None where no fit has so few. Test rows have no part in it.
    """
    folds: dict[int, list[Record]] = {record.cell.split: [] for record in records}
    for record in records:
        if record.ok and record.measures.nnz is not None and record.measures.nnz <= most:
            folds[record.cell.split].append(record)
    return [max(fits, key=_nnz, default=None) for _, fits in sorted(folds.items())]


def _nnz(record: Record) -> int:
    return record.measures.nnz or 0


def _means(records: Fits, store: Store, weights: bool) -> list[Any]:
    """Return the columns from the AUC on, of the folds of one solver on one task."""
    ok = [record for record in records if record is not None and record.ok]
    counts = [len(records), len(ok)]
    if len(ok) < len(records):
        return [""] * 8 + counts
    tested = [store.scores(record.id, record.sizes.data) for record in ok]
    folds = [(one["y"], one["scores"]) for one in tested if one is not None]
    interval = auc_interval([Fold(*fold) for fold in folds])
    shares = [
        record.measures.nnz / record.sizes.d
        for record in ok
        if weights and record.measures.nnz is not None and record.sizes.d
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
    log: dict[str, Any] = {
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
        log["planned"] += len(wanted[name])
        log["not_run"] += len(wanted[name])
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
            if machine.get("cpu"):  # a process that was ended writes nothing
                machines[f"{machine['cpu']}, {machine.get('cores')} cores"] += 1
            versions |= machine.get("versions") or {}
        planned = len(wanted[name])
        log["plans"][name] = {
            "cells": planned,
            "ok": ok,
            "failed": failed,
            "hours": round(seconds / 3600, 3),
            "sha256": hash_of(results.folder),
        }
        log["planned"] += planned
        log["ok"] += ok
        log["not_run"] += planned - ok - failed
        log["hours"] += seconds / 3600
    log["hours"] = round(log["hours"], 3)
    log["failed"] = dict(sorted(reasons.items()))
    log["machine"] = [*machines]
    installed = ((name, version_of(name)) for name in LIBRARIES)
    versions |= {name: version for name, version in installed if version}
    log["versions"] = dict(sorted(versions.items()))
    began = first_record(found.values())
    commit, committed = commit_before(began, *PROTOCOLS)
    log["protocol_commit"] = commit
    log["protocol_time"] = _time(committed)
    log["first_record"] = _time(began)
    return log


def first_record(found: Iterable[Results]) -> float | None:
    """Return when the first record was written, in seconds of the clock; None without records.

    A record does not say when it was made, so this is the time of its file. Copies of a results
    folder must keep the times of its files.
    """
    files = (path for results in found for path in (results.folder / SHARDS).rglob("*.json"))
    return min((path.stat().st_mtime for path in files), default=None)


def commit_before(limit: float | None, *paths: Path) -> tuple[str, float | None]:
    """Return the last commit of some files that is not later than `limit`, and its time.

    The files may change after the run. Empty and None outside of a repository, or if there is none.
    """
    command = ["git", "log", "--format=%H %ct", "--", *map(str, paths)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    for line in ended.stdout.splitlines():
        commit, seconds = line.split()
        if limit is None or int(seconds) <= limit:
            return commit, float(seconds)
    return "", None


def _time(seconds: float | None) -> str:
    known = None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return "" if known is None else known.isoformat(timespec="seconds")


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
    found = {name: Results.of(out / name) for name in wanted if (out / name).is_dir()}
    lines = []
    for name, results in found.items():
        part = parts()[name]
        taken = part.tasks_of(tasks(apart=True))
        named = {parse_spec(task.capped(part.rows)): task for task in taken}
        lines += rows_of(results, wanted[name], named, part)
    with (TABLES / "means.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *lines])
    package = [[line[COLUMNS.index(name)] for name in PUBLISHED] for line in lines]
    with MEANS.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([PUBLISHED, *package])
    log = log_of(found, wanted)
    log["means_sha256"] = sha256_of(MEANS)
    (TABLES / "run.json").write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
    yield f"{len(lines)} rows in {TABLES / 'means.csv'}"
    yield f"{log['ok']} of {log['planned']} cells are ok"


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
