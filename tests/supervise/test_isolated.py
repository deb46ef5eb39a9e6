"""Jobs in processes of their own: one, several at once, and some that are left in the middle."""

from contextlib import closing
from functools import partial
from time import monotonic

import pytest
from supervise.asking import HERE, code, job, strays, supervising

from aucbench.processes import Supervisor
from aucbench.processes.isolated import Process, ends

pytestmark = pytest.mark.starts("forkserver")


def test_jobs_end_in_any_order_and_are_returned_in_theirs():
    seen = []
    with closing(Process(partial(Supervisor, preload=(HERE,)))) as process:
        outcomes = process.run_all([job("echo", {"x": x}) for x in range(5)], most=2)
        assert [outcome.result["asked"]["x"] for outcome in outcomes] == [*range(5)]
        assert process.run_all([]) == []
        assert process.run(job("echo"), partial(seen.append, "meanwhile")).result is not None
    assert seen == ["meanwhile"]


def test_no_more_jobs_run_at_once_than_wanted():
    made = []
    jobs = ((x, job("echo", {"x": x})) for x in range(6) if not made.append(x))
    with supervising(preload=(HERE,)) as supervisor:
        found, keys = ends(supervisor, jobs, 2), []
        assert (next(found), made) == ([], [0, 1])
        for some in found:
            keys += [key for key, _ in some]
            assert len(made) == min(6, len(keys) + 2)
    assert sorted(keys) == made


def test_jobs_end_when_one_leaves_them_or_another_one_fails():
    def interrupted():
        yield 0, hanging
        raise KeyboardInterrupt

    hanging, refused = job("run_code", code("hang(room)")), job("echo", {"x": object()})
    begin = monotonic()
    with supervising(preload=(HERE,)) as supervisor:
        found = ends(supervisor, [(0, hanging)], 1)
        next(found)
        found.close()
        assert not strays(supervisor)
        with pytest.raises(TypeError, match="not JSON"):
            [*ends(supervisor, [(0, hanging), (1, refused)], 2)]
        assert not strays(supervisor)
        with pytest.raises(KeyboardInterrupt):
            [*ends(supervisor, interrupted(), 2)]
        assert not strays(supervisor)
    assert monotonic() - begin < hanging.limits.timeout
