"""Engines run supervised jobs: on this host, on a dask cluster, or under SLURM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import MissingExtraError, ParameterError, UnknownNameError, require_whole
from aucbench.processes.host import cores
from aucbench.processes.records import Job, Outcome

# The package that each engine needs; the extra that installs it has the name of the engine.
ENGINES = {"local": None, "dask": "distributed", "slurm": "submitit"}


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
    folder: Path | None = None,
    cells_per_job: int | None = None,
) -> Engine:
    """Return the engine of this name.

    Parameters
    ----------
    name : str
        "local", "slurm", or "dask=ADDRESS" with the address of an existing dask scheduler.
    jobs : int, optional
        How many cells run at once; for SLURM: how many of its jobs are queued or running.
        Default: "local": the cores of this host divided by `threads`; "dask": the threads of
        the cluster; "slurm": 16.
    threads : int
        Threads of aucbench, BLAS and OpenMP in each cell.
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
        When a number is out of range, an address is missing or belongs to no dask engine, or
        an option belongs to another engine.
    """
    kind, _, scheduler = name.partition("=")
    if kind not in ENGINES:
        raise UnknownNameError("engine", kind, ENGINES)
    require_whole(1, jobs=jobs, threads=threads, cells_per_job=cells_per_job)
    if scheduler and kind != "dask":
        raise ParameterError(
            f"the engine {name!r} has an address, but only 'dask' takes one; ask for {kind!r}"
        )
    if cells_per_job is not None and kind != "slurm":
        raise ParameterError(
            f"cells_per_job={cells_per_job!r} was given to engine {kind!r}, but only 'slurm' knows "
            "it; leave it out or ask for engine 'slurm'"
        )
    module = ENGINES[kind]
    if module is not None and find_spec(module) is None:
        raise MissingExtraError(f"--engine {kind}", kind)
    if kind == "dask":
        from aucbench.bench.engines.dask import DaskEngine

        if not scheduler:
            raise ParameterError(
                "engine 'dask' got no scheduler; add the address that `dask scheduler` prints, "
                "such as dask=tcp://host:8786"
            )
        return DaskEngine(scheduler, jobs, threads)
    if kind == "slurm":
        from aucbench.bench.engines.slurm import SlurmEngine

        if folder is None:
            raise ParameterError(
                "engine 'slurm' got no results folder; name one on a disk that the nodes share "
                "(--out)"
            )
        return SlurmEngine(folder, jobs or 16, threads, cells_per_job or 20)
    return LocalEngine(jobs or max(1, cores() // threads), threads)
