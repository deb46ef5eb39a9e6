"""What is particular to SLURM: shares of cells, the files of their outcomes, and its commands."""

import os
import signal
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import AucbenchError, ParameterError
from aucbench.processes import Ending, Limits, Outcome

pytest.importorskip("submitit", reason="the extra [slurm] is not installed")

from aucbench.bench.engines import slurm
from aucbench.bench.engines.slurm import SlurmEngine, outcome_in, run_share


@pytest.mark.nightly
def test_jobs_that_cannot_begin_are_given_up_with_their_log(slurm_engine, cells, monkeypatch):
    def fail(*_):
        raise OSError("this node has no disk")

    monkeypatch.setattr(slurm, "run_share", fail)
    ended = dict(slurm_engine.run((str(n), cells.job("sign", n)) for n in range(3)))
    assert sorted(ended) == list("012")
    assert {outcome.ending for outcome in ended.values()} == {Ending.CRASH}
    assert "ended with an error" in ended["0"].reason
    assert "this node has no disk" in ended["2"].log


def test_a_share_that_slurm_starts_again_goes_on_where_it_was(cells, tmp_path):
    jobs = [cells.job("sign", n) for n in range(3)]
    run_share(jobs[:2], tmp_path, 1)
    run_share(jobs, tmp_path, 1)
    assert cells.started() == [0, 1, 2]
    assert [outcome_in(tmp_path, n).result["n"] for n in range(3)] == [0, 1, 2]


FORGED = [
    b"\x80\x04N.",  # a pickle
    *(b'{"ending": "fine"}', b'{"ending": "ok", "wall_seconds": NaN}', b"[1]"),
    '{"ending": "ok", "files": {"scores.npy": "\u2260"}}'.encode(),
]


@pytest.mark.parametrize(
    "forge", [*(lambda f, text=text: f.write_bytes(text) for text in FORGED), Path.mkdir, os.mkfifo]
)
def test_a_file_that_is_no_outcome_counts_as_none(tmp_path, forge):
    forge(tmp_path / "0.outcome")
    assert outcome_in(tmp_path, 0) is None


def test_an_outcome_comes_back_as_it_was(tmp_path, monkeypatch):
    whole = Outcome(
        *(Ending.ERROR, "k is 0", "ValueError", True, {"auc": [0.1, None]}, ({"step": 1},)),
        *({"scores.npy": b"\x00\xff"}, "log é", 1.25, 2**40, "data", "none"),
    )
    monkeypatch.setattr(LocalEngine, "run", lambda *_: iter([("0", whole)]))
    run_share([], tmp_path, 1)
    assert outcome_in(tmp_path, 0) == whole


def test_a_cell_without_a_timeout_is_refused(slurm_engine, cells):
    job = replace(cells.job("sign"), limits=Limits())
    with pytest.raises(ParameterError, match="--timeout"):
        list(slurm_engine.run([("a", job)]))


def test_a_host_without_sbatch_is_refused(cells, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParameterError, match="sbatch"):
        list(SlurmEngine(tmp_path).run([("a", cells.job("sign"))]))


SBATCH = """\
grep '^#SBATCH' "$1" >> {folder}/asked
cp "$1" {folder}/script.$$  # submitit moves its file as soon as this ends
setsid sh -c 'SLURM_JOB_ID=$$ exec sh "$0"' {folder}/script.$$ > {folder}/said 2>&1 &
echo "Submitted batch job $!"
"""
SRUN = """\
while [ "${{1#-}}" != "$1" ]; do
    case $1 in --output|--error) shift;; esac
    shift
done
exec "$@"
"""
SCANCEL = """\
echo "$1" >> {folder}/cancelled
kill -KILL "-$1"
"""
SLURM = {"sbatch": SBATCH, "srun": SRUN, "scancel": SCANCEL, "sacct": "exit 0\n"}


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """A folder with commands that stand in for those of SLURM, and what was asked of them."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    for name, script in SLURM.items():
        (folder / name).write_text("#!/bin/sh\n" + script.format(folder=folder))
        (folder / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder


def test_slurm_is_told_what_a_share_may_need(slurm_engine, cells, commands):
    limits = Limits(timeout=120.0, memory=2 * 10**9)
    step = replace(cells.job("sign", 9), limits=limits, key="data")
    jobs = [(str(n), replace(cells.job("sign", n), limits=limits)) for n in range(3)]
    jobs = [(name, replace(job, steps=(step,))) for name, job in jobs]
    ended = dict(replace(slurm_engine, cluster="slurm", threads=3).run(jobs))
    assert {outcome.ending for outcome in ended.values()} == {Ending.OK}
    asked = (commands / "asked").read_text()
    # 300 s to start and to end, 3 cells and a step with 120 s, 1 s of grace, 5 s in between
    assert asked.count("#SBATCH --time=14\n") == 1  # one job, as it may have four cells
    assert "#SBATCH --mem=3584MB\n" in asked
    assert "#SBATCH --cpus-per-task=3\n" in asked
    assert not (commands / "cancelled").exists()


@pytest.mark.nightly
def test_an_interrupt_cancels_all_jobs(cells, commands):
    cells.require_nothing_left(signal.SIGINT, name="slurm", jobs=2, cells_per_job=1)
    assert len((commands / "cancelled").read_text().split()) == 2


def test_a_refusal_of_sbatch_is_a_clear_error(slurm_engine, cells, commands):
    (commands / "sbatch").write_text("#!/bin/sh\necho 'invalid partition' >&2; exit 1\n")
    with pytest.raises(AucbenchError, match="invalid partition"):
        list(replace(slurm_engine, cluster="slurm").run([("a", cells.job("sign"))]))
