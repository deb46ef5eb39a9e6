import os
import signal
import stat
from dataclasses import replace
from itertools import count

import psutil
import pytest

from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import AucbenchError, ParameterError
from aucbench.processes import Ending, Limits, Outcome

pytest.importorskip("submitit", reason="the extra [slurm] is not installed")

from aucbench.bench.engines.slurm import SlurmEngine, outcome_in, run_share

HOST = "submitit.core._submit"  # is in the command line of a SLURM job
SHARE = "aucbench.bench.engines.slurm.run_share"


@pytest.fixture
def engine(tmp_path, quick, monkeypatch):
    """Its shares run on this host, through the same files as under SLURM."""
    from engine_hosts import run_quickly

    monkeypatch.setattr(SHARE, run_quickly)
    return SlurmEngine(tmp_path, jobs=2, cells_per_job=3, cluster="local", poll=0.02, lag=0.05)


def folders(tmp_path):
    return [*tmp_path.glob("slurm-*")]


def test_each_cell_comes_back_once_and_no_file_stays(engine, cells, tmp_path):
    cells.require_each_once(engine)
    assert folders(tmp_path) == []


@pytest.mark.nightly
def test_cells_are_taken_by_the_share_and_come_back_while_it_runs(engine, cells):
    taken = []
    endless = ((str(n), cells.job("wait" if n else "echo", n)) for n in count())
    running = engine.run(cell for cell in endless if not taken.append(cell))
    assert next(running)[0] == "0"
    assert len(taken) == 6
    cells.until(lambda: len(cells.started()) == 3)
    running.close()
    cells.until(lambda: cells.alive() == [])


@pytest.mark.nightly
def test_only_what_a_killed_job_had_not_finished_is_queued_again(engine, cells):
    calls = ["echo", "wait", "echo"]
    running = engine.run((str(n), cells.job(call, n)) for n, call in enumerate(calls))
    ended = [next(running)]
    cells.until(lambda: cells.started() == [0, 1])
    parents = psutil.Process(max(cells.alive())).parents()
    next(process for process in parents if HOST in " ".join(process.cmdline())).kill()
    cells.open()
    ended += running
    assert sorted(name for name, _ in ended) == ["0", "1", "2"]
    assert {outcome.ending for _, outcome in ended} == {Ending.OK}
    assert cells.started() == [0, 1, 1, 2]


@pytest.mark.nightly
def test_a_cell_under_which_two_jobs_ended_is_a_crash_and_its_log_stays(engine, cells, tmp_path):
    jobs = [("bad", cells.job("kill_host", host=HOST)), ("good", cells.job("echo", 1))]
    ended = dict(engine.run(jobs))
    assert ended["bad"].ending is Ending.CRASH
    assert "ended as FINISHED before the cell did, like one before it" in ended["bad"].reason
    assert ended["good"].ending is Ending.OK
    assert len((cells.folder / "kills").read_text().split()) == 2
    assert len(folders(tmp_path)) == 1


@pytest.mark.nightly
def test_jobs_that_cannot_begin_are_given_up_with_their_log(engine, cells, monkeypatch):
    from engine_hosts import fail

    monkeypatch.setattr(SHARE, fail)
    ended = dict(engine.run((str(n), cells.job("echo", n)) for n in range(3)))
    assert sorted(ended) == list("012")
    assert {outcome.ending for outcome in ended.values()} == {Ending.CRASH}
    assert "ended with an error" in ended["0"].reason
    assert "this node has no disk" in ended["2"].log


def test_a_share_that_slurm_starts_again_goes_on_where_it_was(cells, tmp_path):
    jobs = [cells.job("echo", n) for n in range(3)]
    run_share(jobs[:2], tmp_path, 1)
    run_share(jobs, tmp_path, 1)
    assert cells.started() == [0, 1, 2]
    assert [outcome_in(tmp_path, n).result["n"] for n in range(3)] == [0, 1, 2]


@pytest.mark.parametrize(
    "forge",
    [
        lambda file: file.write_bytes(b"\x80\x04N."),  # a pickle
        lambda file: file.write_text('{"ending": "fine"}'),
        lambda file: file.write_text('{"ending": "ok", "files": {"scores.npy": "\u2260"}}'),
        lambda file: file.write_text('{"ending": "ok", "wall_seconds": NaN}'),
        lambda file: file.write_text("[1]"),
        lambda file: file.mkdir(),
        os.mkfifo,
    ],
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


def test_a_cell_without_a_timeout_is_refused(engine, cells):
    job = replace(cells.job("echo"), limits=Limits())
    with pytest.raises(ParameterError, match=r"got a cell without a timeout.*\(--timeout\)"):
        list(engine.run([("a", job)]))


def test_a_host_without_sbatch_is_refused(cells, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParameterError, match="found no sbatch on the PATH"):
        list(SlurmEngine(tmp_path).run([("a", cells.job("echo"))]))


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
def slurm(tmp_path, monkeypatch):
    """A folder with commands that stand in for those of SLURM, and what was asked of them."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    for name, script in SLURM.items():
        (folder / name).write_text("#!/bin/sh\n" + script.format(folder=folder))
        (folder / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder


def test_slurm_is_told_what_a_share_may_need(engine, cells, slurm):
    limits = Limits(timeout=120.0, memory=2 * 10**9)
    step = replace(cells.job("echo", 9), limits=limits, key="data")
    jobs = [(str(n), replace(cells.job("echo", n), limits=limits)) for n in range(3)]
    jobs = [(name, replace(job, steps=(step,))) for name, job in jobs]
    ended = dict(replace(engine, cluster="slurm", threads=3).run(jobs))
    assert {outcome.ending for outcome in ended.values()} == {Ending.OK}
    asked = (slurm / "asked").read_text()
    # 300 s to start and to end, 3 cells and a step with 120 s, 1 s of grace, 5 s in between
    assert "#SBATCH --time=14\n" in asked
    assert "#SBATCH --mem=3584MB\n" in asked
    assert "#SBATCH --cpus-per-task=3\n" in asked
    assert not (slurm / "cancelled").exists()


@pytest.mark.nightly
def test_an_interrupt_cancels_all_jobs(cells, slurm):
    cells.require_nothing_left(signal.SIGINT, name="slurm", jobs=2, cells_per_job=1)
    assert len((slurm / "cancelled").read_text().split()) == 2


def test_a_refusal_of_sbatch_is_a_clear_error(engine, cells, slurm):
    (slurm / "sbatch").write_text("#!/bin/sh\necho 'invalid partition' >&2; exit 1\n")
    with pytest.raises(AucbenchError, match=r"SLURM refused a job \(.*invalid partition"):
        list(replace(engine, cluster="slurm").run([("a", cells.job("echo"))]))
