"""Supervised jobs under SLURM; each job of SLURM runs a share of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import ceil
from pathlib import Path
from shutil import rmtree, which
from time import monotonic, sleep
from typing import Any, Self
from uuid import uuid4

from cattrs import BaseValidationError
from cattrs.preconf.json import JsonConverter, make_converter
from submitit import AutoExecutor
from submitit import Job as SlurmJob
from submitit.core.utils import FailedJobError, FailedSubmissionError

from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import AucbenchError, ParameterError
from aucbench.processes.records import Ending, Job, Limits, Outcome, json_object
from aucbench.store.files import read_file, refused, unfinished, whole_file

MOST_LOSSES = 2  # SLURM jobs that end while they run a cell, until it is a crash
LOG_TAIL = 16384  # characters of the log of a SLURM job that are kept with a crashed cell
START_SECONDS = 300.0  # for a SLURM job to start, and for the signal before its end
BETWEEN = 5.0  # seconds between two cells, an upper bound
OWN_MEMORY = 1.5  # GB of a SLURM job in addition to the cell that it runs
CANCEL = 1.5  # seconds for cancelled jobs of this host to end


@dataclass(frozen=True, slots=True)
class SlurmEngine:
    """Each SLURM job runs a share of the cells, one after another, each one supervised.

    Outcomes are written to the folder as the cells end, so that a SLURM job that is stopped
    loses at most one cell. The cells that it did not finish are submitted again. A cell is a
    crash when two SLURM jobs ended while they ran it, or before they began their first cell.
    Time, memory and cores of a SLURM job follow from the limits of its cells. Account,
    partition and so on are taken from the variables of `sbatch` (SBATCH_ACCOUNT, ...).
    """

    folder: Path  # of the results, on a disk that the nodes share; logs of failed jobs stay there
    jobs: int = 16  # SLURM jobs that are queued or run at once
    threads: int = 1  # of aucbench, BLAS and OpenMP in each cell, and cores of each SLURM job
    cells_per_job: int = 20  # cells in a share
    cluster: str = "slurm"  # "local" runs the shares on this host, with the same files
    poll: float = 0.5  # seconds between two looks into the folder
    lag: float = 10.0  # seconds after the end of a SLURM job for its last files to appear

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end; closing the generator cancels all SLURM jobs."""
        if self.cluster == "slurm" and which("sbatch") is None:
            raise ParameterError(
                "engine 'slurm' found no sbatch on the PATH of this host; start it on a login "
                "node of the cluster, or use engine 'local'"
            )
        waiting = iter(jobs)
        try:
            with _SlurmRun(self) as run:
                run.fill(waiting)
                while run.shares:
                    ended = run.next_outcomes()
                    run.fill(waiting)
                    yield from ended
        except OSError as error:
            raise refused("work in", self.folder, error) from error


@dataclass(slots=True)
class _Share:
    """The share of one SLURM job; `left` holds the cells that have no outcome yet."""

    folder: Path
    job: SlurmJob[None]
    left: dict[int, tuple[str, Job]]
    over: float | None = None  # the time when its end was seen


class _SlurmRun:
    """One run of the engine, in a folder of its own."""

    def __init__(self, engine: SlurmEngine):
        self.shares: list[_Share] = []
        self._engine = engine
        self._folder = engine.folder.resolve() / f"slurm-{uuid4().hex[:12]}"
        self._again: list[tuple[str, Job]] = []
        self._losses: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._folder.mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        for share in self.shares:
            share.job.cancel(check=False)
        if self._engine.cluster == "local":
            deadline = monotonic() + CANCEL
            while any(not share.job.done() for share in self.shares) and monotonic() < deadline:
                sleep(0.02)
        if not self.shares and not self._losses:
            rmtree(self._folder)

    def fill(self, waiting: Iterator[tuple[str, Job]]) -> None:
        """Submit shares until the number of SLURM jobs is reached."""
        size = self._engine.cells_per_job
        while len(self.shares) < self._engine.jobs:
            cells, self._again = self._again[:size], self._again[size:]
            cells.extend(islice(waiting, size - len(cells)))
            if not cells:
                return
            self.shares.append(self._submit(cells))

    def next_outcomes(self) -> list[tuple[str, Outcome]]:
        """Wait for a moment and return the outcomes that came since the last call, often none."""
        sleep(self._engine.poll)
        ended = []
        for share in list(self.shares):
            if share.over is None and share.job.done():
                share.over = monotonic()
            for number, (cell, _) in [*share.left.items()]:
                if (outcome := outcome_in(share.folder, number)) is not None:
                    del share.left[number]
                    ended.append((cell, outcome))
            late = share.over is not None and monotonic() - share.over >= self._engine.lag
            if share.over is not None and (late or not share.left):
                self.shares.remove(share)
                ended += self._given_up(share)
        return ended

    def _submit(self, cells: Sequence[tuple[str, Job]]) -> _Share:
        folder = self._folder / uuid4().hex[:12]
        folder.mkdir()
        jobs = [job for _, job in cells]
        limits = [job.limits for job in jobs] + [s.limits for job in jobs for s in job.steps]
        memories = [each.memory for each in limits if each.memory is not None]
        executor = AutoExecutor(self._folder / "logs", cluster=self._engine.cluster)
        executor.update_parameters(
            name="aucbench",
            timeout_min=_minutes(jobs),
            mem_gb=max(memories) / 1e9 + OWN_MEMORY if memories else None,
            cpus_per_task=self._engine.threads,
        )
        try:
            job = executor.submit(run_share, jobs, folder, self._engine.threads)
        except (FailedJobError, FailedSubmissionError) as error:
            raise AucbenchError(
                f"SLURM refused a job ({error}); correct that, for example by "
                "SBATCH_ACCOUNT or SBATCH_PARTITION, and run the same command again"
            ) from error
        return _Share(folder, job, dict(enumerate(cells)))

    def _given_up(self, share: _Share) -> list[tuple[str, Outcome]]:
        """Count the end of a SLURM job for the cells it had begun, or for all if it began none.

        A cell with too many of them is a crash; the others are submitted again.
        """
        begun = [cell for n, cell in share.left.items() if (share.folder / f"{n}.begun").exists()]
        self._losses.update(cell for cell, _ in begun or share.left.values())
        given_up = []
        for cell, job in share.left.values():
            if self._losses[cell] < MOST_LOSSES:
                self._again.append((cell, job))
            else:
                given_up.append((cell, _crash(share.job)))
        rmtree(share.folder)
        return given_up


def _minutes(jobs: Sequence[Job]) -> int:
    """Return the time for all cells and for one of their steps.

    The limits of steps are for the worst case. A SLURM job with time for all its steps would
    wait long in the queue. One that is too short loses at most one cell.
    """
    own = [_seconds(job.limits) for job in jobs]
    shared = [_seconds(step.limits) for job in jobs for step in job.steps]
    return ceil((START_SECONDS + sum(own) + max(shared, default=0.0)) / 60)


def _seconds(limits: Limits) -> float:
    if limits.timeout is None:
        raise ParameterError(
            "engine 'slurm' got a cell without a timeout, but SLURM must know how long its "
            "jobs may take; give one (--timeout)"
        )
    return limits.timeout + limits.grace + BETWEEN


def _crash(job: SlurmJob[Any]) -> Outcome:
    how = "with an error" if job.paths.result_pickle.exists() else f"as {job.state}"
    reason = f"SLURM job {job.job_id} ended {how} before the cell did, like one before it"
    log = "".join(text for text in (job.stdout(), job.stderr()) if text)
    return Outcome(Ending.CRASH, reason, log=log[-LOG_TAIL:])


def run_share(jobs: Sequence[Job], folder: Path, threads: int) -> None:
    """Run the jobs and write the outcome of each one to the folder as soon as it ends.

    SLURM may stop the job that calls this and start it again: jobs that have an outcome are not
    run again.
    """
    for number, outcome in LocalEngine(1, threads).run(_begin(jobs, folder)):
        target = _file(folder, int(number))
        with whole_file(target, unfinished(folder, target.name)) as file:
            file.write(_codec().dumps(outcome).encode())


def outcome_in(folder: Path, number: int) -> Outcome | None:
    """Return the outcome of the job with this number; None if `run_share` has written none.

    A plugin can write there too. So nothing of it is code, and a file that is no outcome counts as
    none.
    """
    try:
        plain = json_object(read_file(_file(folder, number)))
        return None if plain is None else _codec().structure(plain, Outcome)
    except (OSError, BaseValidationError):
        return None


@cache
def _codec() -> JsonConverter:
    """Return what makes JSON of an outcome, and an outcome of JSON."""
    return make_converter(forbid_extra_keys=True)


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number}.outcome"


def _begin(jobs: Sequence[Job], folder: Path) -> Iterator[tuple[str, Job]]:
    for number, job in enumerate(jobs):
        if outcome_in(folder, number) is None:
            (folder / f"{number}.begun").touch()
            yield str(number), job
