"""In place of `run_share`; found by PYTHONPATH in the jobs of submitit."""

from engine_start import start_quickly

from aucbench.bench.engines import slurm


def run_quickly(jobs, folder, threads):
    """The same, but with a supervisor that starts quickly."""
    start_quickly()
    slurm.run_share(jobs, folder, threads)


def fail(jobs, folder, threads):
    """A node on which nothing works."""
    raise OSError("this node has no disk")
