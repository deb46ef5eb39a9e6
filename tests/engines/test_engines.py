"""What holds for each engine: local processes, workers of dask, jobs of SLURM."""

import re
import signal
from collections import Counter

import pytest
from engines.conftest import HOSTS
from nights import NIGHTLY
from refusals import assert_refused, refusals
from supervise.asking import until

from aucbench.bench import engines
from aucbench.bench.engines import make_engine
from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import MissingExtraError, ParameterError, UnknownNameError
from aucbench.processes import Ending

at_night = [pytest.param(name, marks=NIGHTLY) for name in ("dask", "slurm")]


@pytest.mark.parametrize("name", ["local", "dask", pytest.param("slurm", marks=pytest.mark.slow)])
def test_each_cell_comes_back_once_under_its_id(engine, cells, tmp_path):
    jobs = ((f"cell{n}", cells.job("sign", n)) for n in range(7))
    ended = [(key, outcome.ending, outcome.result) for key, outcome in engine.run(jobs)]
    assert sorted(ended) == [(f"cell{n}", Ending.OK, {"n": n}) for n in range(7)]
    assert cells.started() == [*range(7)]
    assert list(engine.run([])) == []
    assert [path.name for path in tmp_path.iterdir()] == ["cells"]


@pytest.mark.parametrize("name", ["local", *at_night])
def test_closing_ends_what_runs_and_leaves_the_engine_usable(engine, cells, name):
    running = engine.run(cells.jobs(9))
    if name == "local":
        cells.until_started(0, 9)  # before the caller asks for an outcome
    assert next(running)[0] == "quick"
    until(lambda: len(cells.started()) == 3)
    running.close()
    cells.until_none_runs()
    [(_, again)] = engine.run([("again", cells.job("sign", 3))])
    assert again.result == {"n": 3}
    assert len(cells.started()) == 4


@pytest.mark.nightly
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_nothing_runs_on_when_the_caller_of_a_cluster_is_ended(dask_engine, cells, sign):
    cells.require_nothing_left(sign, name=f"dask={dask_engine.scheduler}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("dask", "its dask workers were lost: .* died", marks=NIGHTLY),
        pytest.param("slurm", "before the cell did, like one before it", marks=NIGHTLY),
    ],
)
def test_cells_of_a_killed_host_run_again_but_not_those_that_lost_several(
    engine, cells, name, reason
):
    jobs = [(str(n), cells.job("sign", n)) for n in range(6)]
    jobs.insert(2, ("bad", cells.job("kill_host", 8, host=HOSTS[name], times=9)))
    jobs.insert(4, ("unlucky", cells.job("kill_host", 9, host=HOSTS[name], times=1)))
    ended = dict(engine.run(jobs))
    bad = ended.pop("bad")
    assert bad.ending is Ending.CRASH
    assert re.search(reason, bad.reason)
    assert sorted(ended) == [*"012345", "unlucky"]
    assert {outcome.ending for outcome in ended.values()} == {Ending.OK}
    starts = Counter(cells.started())
    assert all(starts[n] >= 1 for n in range(6))
    assert starts[9] >= 2
    assert starts[8] in {"slurm": (2, 3), "dask": (3, 4)}[name]
    assert not cells.alive()


def test_local_is_the_default_and_fills_the_cores(monkeypatch):
    monkeypatch.setattr(engines, "cores", lambda: 7)
    assert make_engine() == LocalEngine(7, 1)
    assert make_engine("local", threads=3) == LocalEngine(2, 3)
    assert make_engine("local", threads=16) == LocalEngine(1, 16)
    assert make_engine("local", jobs=5, threads=3) == LocalEngine(5, 3)


REFUSED = refusals(
    ("name", lambda: make_engine("task"), UnknownNameError, "'dask'"),
    ("jobs", lambda: make_engine(jobs=0), ParameterError, "at least 1"),
    ("threads", lambda: make_engine(threads=0), ParameterError, "at least 1"),
    ("half a job", lambda: make_engine(jobs=1.5), ParameterError, "whole number"),
    ("address", lambda: make_engine("local=tcp://h:1"), ParameterError, "only 'dask'"),
    ("cells per job", lambda: make_engine(cells_per_job=3), ParameterError, "only 'slurm'"),
    ("no scheduler", lambda: make_engine("dask"), ParameterError, "address"),
    ("no folder", lambda: make_engine("slurm"), ParameterError, "folder"),
)


@REFUSED
def test_options_that_make_no_sense_or_belong_elsewhere_are_refused(call, error, word):
    assert_refused(call, error, word)


@pytest.mark.parametrize("name", ["dask", "slurm"])
def test_a_missing_extra_is_named(monkeypatch, name):
    monkeypatch.setattr(engines, "find_spec", lambda module: None)
    assert_refused(lambda: make_engine(name), MissingExtraError, f"'aucbench[{name}]'")
