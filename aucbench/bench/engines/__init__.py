"""Engines run supervised jobs: on this host, on a dask cluster, or under SLURM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import MissingExtraError, ParameterError, UnknownNameError, require_whole
from aucbench.host import cores
from aucbench.processes.records import Job, Outcome

# The package that each engine needs; the extra that installs it has the name of the engine.
ENGINES = {"local": None, "dask": "distributed", "slurm": "submitit"}
# A cell is a crash when this number of workers or SLURM jobs ended while they ran it.
MOST_LOSSES = 2


class Engine(Protocol):
    """Runs jobs, each one supervised."""

    def run(self, jobs: Iterable[tuple[str, Job]]) -> Iterator[tuple[str, Outcome]]:
        """Yield (id, outcome) as the jobs end, in any order, once for each job.

        A job is taken from `jobs` when it can be started. Closing the generator, or an
        exception in it, ends all running jobs.
        """
        ...


def make_engine(
    name: str = "local",
    *,
    jobs: int | None = None,
    threads: int = 1,
    scheduler: str | None = None,
    folder: Path | None = None,
    cells_per_job: int | None = None,
) -> Engine:
    """Return the engine of this name.

    Parameters
    ----------
    name : {"local", "dask", "slurm"}
    jobs : int, optional
        How many cells run at once; for SLURM: how many of its jobs are queued or running.
        Default: "local": the cores of this host divided by `threads`; "dask": the threads of
        the cluster; "slurm": 16.
    threads : int
        Threads of aucbench, BLAS and OpenMP in each cell.
    scheduler : str, optional
        Address of an existing dask scheduler; required for "dask", and only for it.
    folder : Path, optional
        The results folder, on a disk that the nodes share; required for "slurm".
    cells_per_job : int, optional
        How many cells one job of SLURM runs, one after another, 20 by default; only for "slurm".

    Raises
    ------
    UnknownNameError
        When there is no such engine.
    MissingExtraError
        When the packages of the engine are not installed.
    ParameterError
        When a number is out of range, or an option is missing or belongs to another engine.
    """
    if name not in ENGINES:
        raise UnknownNameError("engine", name, ENGINES)
    require_whole(1, jobs=jobs, threads=threads, cells_per_job=cells_per_job)
    own = (("scheduler", scheduler, "dask"), ("cells_per_job", cells_per_job, "slurm"))
    for option, value, owner in own:
        if value is not None and name != owner:
            raise ParameterError(
                f"{option}={value!r} was given to engine {name!r}, but only {owner!r} knows it; "
                f"leave it out or ask for engine {owner!r}"
            )
    module = ENGINES[name]
    if module is not None and find_spec(module) is None:
        raise MissingExtraError(f"--engine {name}", name)
    if name == "dask":
        from aucbench.bench.engines.dask import DaskEngine

        if scheduler is None:
            raise ParameterError(
                "engine 'dask' got no scheduler; give the address that `dask scheduler` prints, "
                "such as tcp://host:8786"
            )
        return DaskEngine(scheduler, jobs, threads)
    if name == "slurm":
        from aucbench.bench.engines.slurm import SlurmEngine

        if folder is None:
            raise ParameterError(
                "engine 'slurm' got no results folder; name one on a disk that the nodes share "
                "(--out)"
            )
        return SlurmEngine(folder, jobs or 16, threads, cells_per_job or 20)
    return LocalEngine(jobs or max(1, cores() // threads), threads)
