"""Orders of rows in chunks, and the methods that learn from them row by row."""

import numpy as np
import pytest
from parts_problems import in_parts, rows_with_labels

import aucbench
from aucbench.data import Data
from aucbench.errors import UnevenPartsWarning
from aucbench.metrics import auc
from aucbench.scale import order
from aucbench.scale.order import chunks

STREAMING = ("uni-exp", "solam", "reg-solam", "opauc", "opauc-lr", "oam-seq", "oam-gra")


def numbered(n=1000, size=100, sparse=False, **named):
    """Rows whose first column is their number, in parts."""
    data = rows_with_labels(61, n=n, d=3, sparse=sparse)
    X = data.rows.dense().matrix.copy()
    X[:, 0] = np.arange(n) + 1.0
    if sparse:
        from scipy.sparse import csr_array

        X = csr_array(X)
    return in_parts(Data.of(X, data.y), size, **named), data.y


def rows_of(parts, rng):
    """Numbers of the rows in the order of the chunks, their labels, and the sizes of chunks."""
    seen, y, sizes = [], [], []
    for chunk in chunks(parts, rng):
        X = chunk.rows.dense().matrix * parts.scale + parts.centre
        seen.append(np.rint(X[:, 0]).astype(int) - 1)
        y.append(chunk.y)
        sizes.append(chunk.n)
    return np.concatenate(seen), np.concatenate(y), sizes


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("standard", [False, True])
def test_the_order_of_the_file_is_kept(sparse, standard, monkeypatch):
    monkeypatch.setattr(order, "CHUNK", 64)
    parts, y = numbered(sparse=sparse, standard=standard)
    seen, labels, sizes = rows_of(parts, None)
    assert seen.tolist() == list(range(1000))
    assert (labels == y).all()
    assert max(sizes) == 64
    assert parts.readings == 2


@pytest.mark.parametrize("sparse", [False, True])
def test_two_levels_visit_each_row_once_by_whole_parts(sparse, monkeypatch):
    monkeypatch.setattr(order, "TOGETHER", 3)
    monkeypatch.setattr(order, "CHUNK", 70)
    parts, y = numbered(sparse=sparse)
    seen, labels, _ = rows_of(parts, np.random.default_rng(5))
    assert sorted(seen) == list(range(1000))
    assert (labels == y[seen]).all()
    buffers = [set(seen[lo : lo + 300] // 100) for lo in range(0, 1000, 300)]
    assert [len(parts) for parts in buffers] == [3, 3, 3, 1]
    assert len(set().union(*buffers)) == 10
    within = seen[:300] // 100
    assert (within[1:] != within[:-1]).mean() > 0.5  # parts of a buffer alternate


def test_the_same_seed_gives_the_same_order_with_any_number_of_threads():
    parts, _ = numbered()
    one = rows_of(parts, np.random.default_rng(1))[0]
    with aucbench.threads(3):
        again = rows_of(parts, np.random.default_rng(1))[0]
    other = rows_of(parts, np.random.default_rng(2))[0]
    assert (one == again).all()
    assert (one != other).any()


def test_large_parts_are_not_in_memory_together(monkeypatch):
    parts, _ = numbered()
    monkeypatch.setattr(order, "BUFFER", 8 * 3 * 250)
    seen = rows_of(parts, np.random.default_rng(3))[0]
    assert len(set(seen[:200] // 100)) == 2


def test_a_file_that_is_sorted_by_its_labels_is_warned_of():
    data = rows_with_labels(62, n=2000)
    by_label = np.argsort(data.y, kind="stable").astype(np.int32)
    with pytest.warns(UnevenPartsWarning, match=r"the share of positives goes from 0\.\d+ to 1"):
        [*chunks(in_parts(data.take(by_label), 250), None)]


@pytest.mark.parametrize("name", STREAMING)
def test_a_pass_in_the_order_of_the_file_is_that_in_memory(name):
    data = rows_with_labels(63, n=800, d=4)
    centred = Data.of(data.rows.matrix - in_parts(data, 100).centre, data.y)
    parts = in_parts(centred, 100)
    solver = aucbench.get_solver(f"{name}[shuffle=False]")
    run, exact = (aucbench.solve(solver, rows, passes=1) for rows in (parts, centred))
    np.testing.assert_allclose(run.w, exact.w, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", STREAMING)
def test_shuffled_parts_are_learnt_as_well_as_shuffled_rows(name):
    data = rows_with_labels(64, n=3000, d=4)
    ordered = data.take(np.argsort(data.rows.matrix[:, 0]).astype(np.int32))
    parts = in_parts(ordered, 300, standard=True)
    z = Data.of((data.rows.matrix - parts.centre) / parts.scale, data.y)
    run = aucbench.solve(name, parts, passes=3)
    exact = aucbench.solve(name, z, passes=2)
    assert auc(z.y, z.scores(run.w)) > auc(z.y, z.scores(exact.w)) - 0.01
    assert parts.readings - ("moments" in vars(parts)) == run.points[-1].passes == 3
