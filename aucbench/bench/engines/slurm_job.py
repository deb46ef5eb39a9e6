"""The node's side of the SLURM engine: it runs a share of the cells, one after another."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path

from aucbench.bench.engines.local import LocalEngine
from aucbench.processes.records import Job, Outcome


def run_share(jobs: Sequence[Job], folder: Path, threads: int) -> None:
    """Run the jobs and write the outcome of each one to the folder as soon as it ends.

    SLURM may stop the job that calls this and start it again: jobs that have an outcome are not
    run again.
    """
    for number, outcome in LocalEngine(1, threads).run(_begin(jobs, folder)):
        target = folder / f"{number}.outcome"
        unfinished = target.with_suffix(".tmp")
        unfinished.write_bytes(pickle.dumps(outcome))
        unfinished.replace(target)


def outcome_in(folder: Path, number: int) -> Outcome | None:
    """Return the outcome of the job with this number; None when `run_share` wrote none yet."""
    try:
        content = (folder / f"{number}.outcome").read_bytes()
    except FileNotFoundError:
        return None
    outcome = pickle.loads(content)
    assert isinstance(outcome, Outcome)
    return outcome


def has_begun(folder: Path, number: int) -> bool:
    """Whether `run_share` has started the job with this number."""
    return (folder / f"{number}.begun").exists()


def _begin(jobs: Sequence[Job], folder: Path) -> Iterator[tuple[str, Job]]:
    for number, job in enumerate(jobs):
        if outcome_in(folder, number) is None:
            (folder / f"{number}.begun").touch()
            yield str(number), job
