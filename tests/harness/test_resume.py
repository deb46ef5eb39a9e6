"""Interrupted runs go on where they stopped; a second run on one folder waits."""

import random
import shutil
import signal
import time

import pytest
from harness.shell import PATIENCE, Shell
from nights import first

from aucbench.bench.results.store import Store

pytestmark = pytest.mark.slow

PLAN = """
data = ["breast-cancer"]
features = ["maxabs"]
splits = 2
repeats = 2
solvers = [
  "sht-auc[k=5]", "sht-auc[k=10]", "sto-iht[k=5]", "sto-iht[k=10]", "hsg-ht[k=5]", "healthy",
]
[budget]
passes = 5
"""
CELLS = 24
RUN = ("run", "plan.toml", "--jobs", "2", "--out", "kept")
OTHER = ("seconds", "memory", "curve", "machine")  # parts of names of what differs
INT, TERM, HUP, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL


@pytest.fixture
def planned(shell):
    (shell.folder / "plan.toml").write_text(PLAN)
    return shell


@pytest.fixture(scope="module")
def whole(tmp_path_factory, start):
    """What an undisturbed run leaves, and how many seconds it took."""
    shell = Shell(tmp_path_factory.mktemp("undisturbed"))
    (shell.folder / "plan.toml").write_text(PLAN)
    begin = time.monotonic()
    assert shell.run(*RUN, "--quiet").returncode == 0
    seconds = time.monotonic() - begin
    assert shell.finished("kept") == CELLS
    return results(shell), seconds


def results(shell):
    """Fields of records that equal runs share, and the bytes of all scores, by the ids of cells."""
    with Store(shell.folder / "kept") as store:
        records = [*store.records()]
    assert not (failed := [(r.cell, r.why, r.process.log) for r in records if not r.ok]), failed
    rows = {record.id: record.flat() for record in records}
    kept = {
        key: {k: v for k, v in row.items() if not any(part in k for part in OTHER)}
        for key, row in rows.items()
    }
    scores = (shell.folder / "kept").glob("scores/*/*.npz")
    return kept, {file.stem: file.read_bytes() for file in scores}


def require_same(shell, whole):
    """A run that is done has left the same; else say which fields differ, and no more."""
    (found, scores), ((wanted, wanted_scores), _) = results(shell), whole
    assert found.keys() == wanted.keys()
    other = [(key, k) for key, row in wanted.items() for k in row if found[key][k] != row[k]]
    assert not other, other[:9]
    assert scores == wanted_scores
    shell.require_nothing_left()


def require_going_on(shell, whole):
    """The same command does what is missing, and leaves what an undisturbed run does."""
    ended = shell.run(*RUN)
    assert ended.returncode == 0, ended.stderr
    require_same(shell, whole)


def kill_run(shell, seconds):
    """Kill a run after some time; return whether it still ran."""
    process = shell.start(*RUN, "--quiet")
    time.sleep(seconds)
    if is_running := process.poll() is None:
        process.send_signal(KILL)
    process.communicate()
    return is_running


def end_run(shell, signals, finished):
    """End a run that has finished some cells by signals; return its output. Nothing is left."""
    process = shell.start(*RUN)
    assert "breast-cancer: 569 x 30" in shell.line(process)
    shell.until(process, lambda: shell.finished("kept") >= finished)
    for sign in signals:
        process.send_signal(sign)
        time.sleep(0.02)
    output, errors = process.communicate(timeout=PATIENCE)

    # Another signal may find the interpreter at its end.
    assert process.returncode in (130, *(-sign for sign in signals[1:])), errors
    shell.require_nothing_left()
    return output + errors


@pytest.mark.nightly
def test_kill_9_at_40_random_times_loses_and_doubles_nothing(planned, whole):
    rng, kills = random.Random(0), 40
    while kills:
        kills -= kill_run(planned, rng.uniform(0.0, whole[1]))
        if planned.finished("kept") == CELLS and kills:  # begin again
            require_same(planned, whole)
            shutil.rmtree(planned.folder / "kept")
    require_going_on(planned, whole)


@pytest.mark.parametrize(
    "signals",
    first([[INT], [TERM], [INT] * 2, [HUP] * 2]),
    ids=lambda signals: "-".join(sign.name for sign in signals),
)
def test_a_signal_or_kill_9_ends_a_run_and_the_same_command_goes_on(planned, whole, signals):
    assert "Traceback" not in end_run(planned, signals, finished=0)
    output = end_run(planned, signals, finished=2)
    assert "the same command goes on where it stopped" in output
    assert 2 <= planned.finished("kept") <= CELLS
    kill_run(planned, 0.5 * whole[1])
    require_going_on(planned, whole)
