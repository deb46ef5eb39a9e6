"""Interrupted runs go on where they stopped; a second run on one folder waits."""

import csv
import random
import re
import shutil
import signal
import time

import pytest
from harness.shell import installed
from nights import first

from aucbench.bench.show.progress import TENTHS

pytestmark = pytest.mark.slow

PLAN = """
datasets = ["breast-cancer"]
splits = 2
repeats = 2
solvers = [
  "sht-auc[k=5]", "sht-auc[k=10]", "sto-iht[k=5]", "sto-iht[k=10]", "hsg-ht[k=5]", "healthy",
]
[budget]
passes = 5
"""
CELLS = 24
HANGS = """
datasets = ["breast-cancer"]
splits = 2
solvers = ["sht-auc[k=5]", "ignores-term"]
[budget]
passes = 5
"""
TIMES = ("seconds", "host", "load", "pid", "started", "memory", "concurrency", "curve", "cpu")


@pytest.fixture
def planned(shell):
    (shell.folder / "plan.toml").write_text(PLAN)
    return shell


@pytest.fixture(scope="module")
def whole(tmp_path_factory, kind):
    """The results folder of an undisturbed run, and its records."""
    shell = installed(tmp_path_factory.mktemp("undisturbed"))
    (shell.folder / "plan.toml").write_text(PLAN)
    assert shell.run("run", "plan.toml", "--out", "whole", "--quiet").returncode == 0
    found = records(shell, "whole")
    assert len(found) == CELLS
    return shell.folder / "whole", found


def records(shell, folder):
    """Exported rows of a results folder without what differs between equal runs."""
    ended = shell.run("export", folder, f"{folder}.csv")
    assert ended.returncode == 0, ended.stderr
    with (shell.folder / f"{folder}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    kept = [{k: v for k, v in r.items() if not any(t in k for t in TIMES)} for r in rows]
    return sorted(kept, key=lambda row: row["id"])


def assert_same(found, wanted):
    """The records are the same; else say which fields of which of them differ, and no more."""
    assert [row["id"] for row in found] == [row["id"] for row in wanted]
    pairs = zip(found, wanted, strict=True)
    other = [(a["id"], k, a.get(k), b[k]) for a, b in pairs for k in b if a.get(k) != b[k]]
    assert not other, other[:9]
    assert found == wanted


def shards(shell, folder):
    """Number of cells that are finished."""
    return len(list((shell.folder / folder).glob("cells/*/*.json")))


@pytest.mark.parametrize("kills", first([3, 20]))
def test_kill_9_at_random_moments_loses_and_doubles_nothing(planned, whole, kills):
    rng = random.Random(0)

    # Each time when so many cells are done, and a moment later: the kills are spread over
    # the whole run, its start-up included, however fast the machine is.
    for done in sorted(rng.choices(range(CELLS - 15), k=kills)):
        process = planned.start("run", "plan.toml", "--out", "parts", "--quiet")
        while shards(planned, "parts") < done:
            time.sleep(0.002)
            assert process.poll() is None
        time.sleep(rng.uniform(0.0, 0.02 if done else 1.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert shards(planned, "parts") < CELLS
    ended = planned.run("run", "plan.toml", "--out", "parts", "--quiet")

    assert ended.returncode == 0, ended.stderr
    assert_same(records(planned, "parts"), whole[1])


def test_a_second_run_waits_and_then_finds_what_is_finished(planned, whole):
    both = [planned.start("run", "plan.toml", "--out", "shared") for _ in range(2)]
    texts = [process.communicate(timeout=600) for process in both]

    assert [process.returncode for process in both] == [0, 0], texts
    assert_same(records(planned, "shared"), whole[1])
    (waited,) = [line for _, err in texts for line in err.splitlines() if "writes into" in line]
    assert waited.startswith("warning: process ")
    assert waited.endswith("writes into shared; this run begins when that one ends")
    told = [re.findall(rf"^\d+/{CELLS}: ", err, re.MULTILINE) for _, err in texts]
    assert sorted(map(len, told)) == [0, TENTHS]  # one of them has computed all cells


@pytest.mark.nightly
def test_the_run_that_waits_goes_on_where_a_killed_one_was(planned, whole):
    first = planned.start("run", "plan.toml", "--out", "taken", "--quiet")
    while shards(planned, "taken") < 3:
        time.sleep(0.002)
        assert first.poll() is None
    first.send_signal(signal.SIGSTOP)
    second = planned.start("run", "plan.toml", "--out", "taken", "--quiet")
    assert "writes into taken" in second.stderr.readline()
    first.send_signal(signal.SIGKILL)
    first.communicate()
    _, err = second.communicate(timeout=600)
    assert second.returncode == 0, err
    assert_same(records(planned, "taken"), whole[1])


def test_ctrl_c_stops_at_once_and_says_how_to_go_on(planned):
    process = planned.start("run", "plan.toml", "--out", "stopped")
    while not shards(planned, "stopped"):
        time.sleep(0.02)
        assert process.poll() is None
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)

    assert time.monotonic() - begin < 15
    assert process.returncode == 130
    assert "aucbench run plan.toml --out stopped" in out + err
    assert 0 < shards(planned, "stopped") < CELLS
    assert planned.run("run", "plan.toml", "--out", "stopped", "--quiet").returncode == 0
    assert len(records(planned, "stopped")) == CELLS


@pytest.mark.nightly
def test_kill_9_during_a_run_with_a_limit_of_time_loses_nothing(planned, whole):
    process = planned.start("run", "plan.toml", "--out", "short", "--quiet", "--minutes", "10")
    while shards(planned, "short") < 5:
        time.sleep(0.002)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    ended = planned.run("run", "plan.toml", "--out", "short", "--quiet", "--minutes", "1e-4")
    assert ended.returncode == 3, ended.stderr
    told = rf"the time is over: \d+ of {CELLS} rows are missing; go on with: "
    assert re.search(told, ended.stderr)
    assert 5 <= shards(planned, "short") < CELLS
    ended = planned.run("run", "plan.toml", "--out", "short", "--quiet", "--minutes", "10")
    assert ended.returncode == 0, ended.stderr
    assert_same(records(planned, "short"), whole[1])


def test_a_cell_that_runs_when_the_time_is_over_is_stopped_and_stays_missing(shell):
    (shell.folder / "hangs.toml").write_text(HANGS)
    ended = shell.run("run", "hangs.toml", "--out", "hung", "--quiet", "--minutes", "0.1")
    assert ended.returncode == 3, ended.stderr
    status = shell.run("status", "hung").stdout
    assert re.search(r"^failed +0$", status, re.MULTILINE)
    assert re.search(r"^missing +[2-4]$", status, re.MULTILINE)
    assert "error" not in shell.run("status", "hung", "--cells").stdout


def test_a_corrupted_shard_is_reported_set_aside_and_recomputed(planned, whole):
    shutil.copytree(whole[0], planned.folder / "once")
    shards = sorted((planned.folder / "once").glob("cells/*/*.json"))
    shards[3].write_text(shards[3].read_text()[:40])

    again = planned.run("run", "plan.toml", "--out", "once")

    assert again.returncode == 0
    assert "aside" in again.stderr + again.stdout
    assert_same(records(planned, "once"), whole[1])
