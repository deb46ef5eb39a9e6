"""Parts on a dask cluster: the same bits as threads give, also when workers are lost."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed", reason="the extra [dask] is not installed")

from dask_clusters import two_workers
from samples import sample
from score_parts import ScoreParts, normal_scores

import aucbench
from aucbench.data import Data
from aucbench.errors import AucbenchError, DataError
from aucbench.metrics import auc_in_chunks
from aucbench.progress import Progress
from aucbench.scale import ChunkedData, Here, InMemory
from aucbench.scale.auc_bins import ScoreBins, ScoreTally
from aucbench.scale.chosen import Chosen
from aucbench.scale.dask import Dask

pytestmark = pytest.mark.plain
TESTS = str(Path(__file__).parents[1])


@pytest.fixture(scope="module")
def client():
    """A cluster of threads of this process: its tasks and messages are those of any other."""
    with two_workers() as client:
        yield client


DATA = Data.of(*sample(0, 3_000, 4))


def scores(piece):
    return piece.rows.arrays[0].copy()


@dataclass(frozen=True)
class Fingerprint:
    """A summary whose bits depend on the order in which it merges."""

    bits: float

    def merge(self, other):
        return Fingerprint(self.bits * 0.3 + other.bits * 0.7)


def fingerprint(piece):
    return Fingerprint(float(piece.rows.arrays[0].sum()))


@pytest.mark.parametrize(("keep", "size"), [(None, 37), (True, 500), (False, 500), (None, 5_000)])
def test_summaries_merge_in_the_tree_of_threads(client, keep, size):
    parts = ScoreParts.of(*normal_scores(3_000), size=size, pieces=2)

    progress = Progress()
    engine = Dask(client, progress, keep=keep)
    for some in (range(len(parts.sizes)), [i for i in range(len(parts.sizes)) if i % 3 != 1]):
        here = Here().reduce(parts, fingerprint, some=some)
        assert engine.reduce(parts, fingerprint, some=some) == here
        assert progress.done == progress.total == sum(parts.sizes[i] for i in some)


@pytest.mark.parametrize("keep", [True, False])
def test_scans_come_in_order_and_tallies_have_equal_bits(client, keep):
    y, s = normal_scores(3_000)
    parts = ScoreParts.of(y, s, size=70, pieces=3)
    engine, bins = Dask(client, keep=keep), ScoreBins.of(s, 3_000)

    numbers, answers = zip(*engine.scan(parts, scores), strict=True)

    assert numbers == tuple(range(len(parts.sizes)))
    np.testing.assert_array_equal(np.concatenate([a for part in answers for a in part]), s)
    own, threads = (one.tally(parts, ScoreTally, bins, 0.1) for one in (engine, Here()))
    assert own.table.tobytes() == threads.table.tobytes()
    assert auc_in_chunks(parts, engine=engine) == auc_in_chunks(parts)


def test_large_arguments_and_some_rows_of_parts_reach_the_workers(client):
    mask = np.zeros(100_000)
    assert Dask(client).reduce(InMemory(DATA, 500), sized, mask).bits == 800_000.0
    parts = Chosen.of(InMemory(DATA, 170), np.arange(0, DATA.n, 3))
    for keep in (True, False):
        own = ChunkedData(parts, Dask(client, keep=keep))
        assert own.survey.sums.tobytes() == ChunkedData(parts).survey.sums.tobytes()


def sized(piece, mask):
    return Fingerprint(float(mask.nbytes))


def test_what_a_part_refuses_is_raised_here(client):
    y, s = normal_scores(300)
    s[250] = np.nan

    with pytest.raises(DataError, match="row 50"):
        auc_in_chunks(ScoreParts.of(y, s), engine=Dask(client))
    with pytest.raises(DataError, match="row group 1"):
        Dask(client).reduce(Damaged(), fingerprint)
    with pytest.raises(DataError, match="no row"):
        Dask(client).reduce(ScoreParts.of([], []), fingerprint)


class Damaged:
    n, d, names, sizes, fingerprint = 20, 1, None, (10, 10), "damaged"

    def read(self, i):
        if i == 1:
            raise DataError("row group 1 is damaged")
        yield from ScoreParts.of(*normal_scores(10)).read(0)

    def where(self, i, row):
        return f"damaged.parquet, row group {i}"


@pytest.mark.parametrize("asked_to_leave", [True, False])
def test_a_part_at_which_two_workers_were_lost_is_named(client, asked_to_leave):
    engine = Dask(client)
    for worker in ("tcp://a:1", "tcp://b:1"):
        engine._events.put({"part": 1, "key": "task", "worker": worker})
        event = {"action": "remove-worker", "worker": worker, "expected": asked_to_leave}
        engine._events.put(event)
    for _ in range(3):
        engine._next_event(Damaged(), {})
    if asked_to_leave:
        engine._next_event(Damaged(), {})
        return
    with pytest.raises(DataError, match="row group 1"):
        engine._next_event(Damaged(), {})


@pytest.mark.nightly
@pytest.mark.parametrize("keep", [True, False])
def test_a_worker_that_is_killed_in_each_round_changes_no_bit(monkeypatch, keep):
    monkeypatch.setenv("PYTHONPATH", TESTS)
    with two_workers(processes=True) as client:
        engine = Dask(client, keep=keep)
        merged = engine._merged

        def kill_one_and_merge(*asked):
            client.wait_for_workers(2, timeout=30)
            pid = next(iter(client.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)
            return merged(*asked)

        engine._merged = kill_one_and_merge
        there = aucbench.solve(
            aucbench.get_solver("svm-or"), ChunkedData(InMemory(DATA, 170), engine), gap_tol=1e-4
        )

    here = aucbench.solve(
        aucbench.get_solver("svm-or"), ChunkedData(InMemory(DATA, 170)), gap_tol=1e-4
    )
    assert there.w.tobytes() == here.w.tobytes()


def test_a_scheduler_that_goes_is_said_in_a_sentence(monkeypatch):
    parts = ScoreParts.of(*normal_scores(300), size=10)
    with two_workers() as client:
        engine = Dask(client)
        engine.reduce(parts, fingerprint)
        client.close()

        with pytest.raises(AucbenchError, match="gone"):
            engine.reduce(parts, fingerprint)
        with pytest.raises(AucbenchError, match="gone"):
            [*engine.scan(parts, scores)]
