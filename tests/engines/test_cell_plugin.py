"""The supervisor of a dask worker, without a cluster."""

from concurrent.futures import CancelledError, ThreadPoolExecutor

import psutil
import pytest
from supervise.asking import until

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

from aucbench.bench.engines import dask


@pytest.fixture
def plugin():
    plugin = dask.CellPlugin("run", 1)
    plugin.setup(None)
    yield plugin
    plugin.teardown(None)


@pytest.fixture
def ask(plugin):
    """Ask in a thread of its own for a job of the worker."""
    with ThreadPoolExecutor(4) as pool:
        yield lambda key, job: pool.submit(plugin.run, key, job)
        plugin.teardown(None)


def servers():
    """The warm processes of this one."""
    children = psutil.Process().children()
    return {p for p in children if any("forkserver" in part for part in p.cmdline())}


def test_tasks_share_a_supervisor_and_one_that_is_cancelled_ends_alone(plugin, ask, cells):
    before = servers()
    answers = [ask(f"run-{n}", cells.job("wait", n)) for n in range(4)]
    cells.until_started(0, 1, 2, 3)
    assert len(servers() - before) == 1
    plugin.transition("run-0", "executing", "released")
    plugin.transition("run-1", "executing", "memory")
    with pytest.raises(CancelledError):
        answers[0].result()
    assert len(cells.alive()) == 3
    cells.open()
    assert [answer.result().result["n"] for answer in answers[1:]] == [1, 2, 3]


def test_a_task_that_comes_after_its_cancellation_or_the_end_is_turned_away(plugin, ask, cells):
    before = servers()
    plugin.transition("run-0", "executing", "released")
    with pytest.raises(CancelledError):
        plugin.run("run-0", cells.job("sign"))
    assert servers() == before
    running = ask("run-1", cells.job("wait", 1))
    cells.until_started(1)
    plugin.teardown(None)
    for task in (running, ask("run-2", cells.job("sign", 2))):
        with pytest.raises(CancelledError):
            task.result()
    assert not cells.alive()
    assert servers() == before


def test_an_idle_supervisor_is_closed_and_the_next_task_opens_another(plugin, cells, monkeypatch):
    monkeypatch.setattr(dask, "IDLE_SECONDS", 0.05)
    before = servers()
    for n in range(2):
        assert plugin.run(f"run-{n}", cells.job("sign", n)).result == {"n": n}
        until(lambda: servers() == before)
