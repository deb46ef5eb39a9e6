"""Processes that hold an engine, or a share of SLURM."""

import json
import sys
from pathlib import Path

from supervise.asking import HERE

from aucbench.bench.engines import local, make_engine
from aucbench.processes import Job, Limits


def start_quickly():
    """Let the engines of this process import nothing before their jobs begin."""
    local.PRELOAD = ()


def run_quickly(jobs, folder, threads):
    """In place of `run_share`."""
    from aucbench.bench.engines.slurm import run_share

    start_quickly()
    run_share(jobs, folder, threads)


def fail(jobs, folder, threads):
    """In place of `run_share`, on a node on which nothing works."""
    raise OSError("this node has no disk")


def main(options, folder):
    """Run an engine on cells that wait, until somebody ends it; what comes back is an error."""
    start_quickly()
    engine = make_engine(**options, folder=Path(folder))
    jobs = (
        (str(n), Job(f"{HERE}:wait", {"n": n, "folder": folder}, Limits(60.0))) for n in range(9)
    )
    for ended in engine.run(jobs):
        raise AssertionError(ended)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2])
