"""`ChunkedData`: what the first reading says, which rows are chosen, in which order and tree."""

import operator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parts_problems import in_parts, rows_with_labels
from refusals import assert_refused, refusals
from scipy.sparse import csr_array
from score_parts import ScoreParts

import aucbench
from aucbench import threads
from aucbench.data import Data
from aucbench.errors import DataError, UnevenPartsWarning, UnsupportedError
from aucbench.metrics import auc
from aucbench.progress import Progress
from aucbench.scale import ChunkedData, Here, InMemory, Tree, order
from aucbench.scale.chosen import Chosen
from aucbench.scale.order import chunks
from aucbench.scale.survey import Survey, survey
from aucbench.solving.loop import solve

STREAMING = ("uni-exp", "solam", "reg-solam", "opauc", "opauc-lr", "oam-seq", "oam-gra")


def table(n=900, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + 1e6 * np.arange(d)
    X[:, 2:3] = 0.1
    return X, np.where(rng.random(n) < 0.2, 1, -1)


X, Y = table()


def agrees(parts, X, y, rtol=1e-9):
    """The scale, the means and the squared distances are those of all rows."""
    Z = (X.astype(np.longdouble) - parts.centre) / parts.scale
    for k, side in enumerate((y < 0, y > 0)):
        mean = Z[side].mean(axis=0).astype(float)
        np.testing.assert_allclose(parts.means[k], mean, rtol=rtol, atol=1e-9)
    apart = Z[y > 0][:, None] - Z[y < 0][None]
    wanted = float((apart**2).sum(axis=2).mean())
    assert parts.square == pytest.approx(wanted, rel=1e-6 if rtol > 1e-9 else 1e-9)
    longest = float(np.sqrt((Z**2).sum(axis=1)).max())
    assert longest * (1 - 1e-12) <= parts.longest <= 5 * longest
    assert parts.readings == 1


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("standard", [False, True])
def test_the_first_reading_says_where_the_rows_lie(dtype, standard):
    data = Data.of(X, Y, dtype=dtype)
    parts = ChunkedData(InMemory(data, 70), standard=standard)
    M = data.rows.matrix.astype(np.longdouble)
    assert (parts.n, parts.d, parts.n_pos) == (900, 5, (Y > 0).sum())
    assert parts.constant.tolist() == [2]
    assert parts.centre[2] == M[0, 2]
    np.testing.assert_allclose(parts.centre, M.mean(axis=0).astype(float), rtol=1e-14)
    deviation = np.where(M.std(axis=0) > 0, M.std(axis=0), 1).astype(float)
    np.testing.assert_allclose(parts.scale, deviation if standard else np.ones(5), rtol=1e-9)
    agrees(parts, M, Y)


@pytest.mark.parametrize("far", [False, True])
def test_sparse_columns_are_standardised_also_far_from_0(far):
    rng = np.random.default_rng(3)
    rows = np.where(rng.random((900, 3)) < 0.3, X[:, [1, 3, 4]], 0.0)
    if far:
        rows[:, 0] = rng.normal(size=900) + 1e9
    parts = ChunkedData(InMemory(Data.of(csr_array(rows), Y), 70), standard=True)
    assert parts.is_sparse
    assert parts.sample.rows.is_sparse
    assert (parts.centre == 0).all()
    assert parts.constant.size == 0
    deviation = rows.astype(np.longdouble).std(axis=0).astype(float)
    np.testing.assert_allclose(parts.scale, deviation, rtol=1e-9)
    agrees(parts, rows, Y, rtol=1e-8)


def test_the_sample_is_one_of_each_class_and_fair():
    rows = np.column_stack([np.arange(4000.0), np.ones(4000)])
    parts = ChunkedData(InMemory(Data.of(rows, np.resize([1, -1, -1], 4000)), 333))
    one, other = (survey(next(parts.parts.read(i)), np.zeros(2), 50, 0) for i in (0, 1))
    keys = np.concatenate([one.samples[0].keys, other.samples[0].keys])
    assert np.array_equal(one.merge(other).samples[0].keys, np.sort(keys)[:50])
    whole = parts.sample  # all of them fit
    found = np.sort(whole.rows.matrix[:, 0] + parts.centre[0]).round()
    assert np.array_equal(found, np.arange(4000))
    assert (whole.y[: parts.n_neg] == -1).all()

    rows, y, means = np.arange(20_000.0)[:, None], np.where(np.arange(20_000) % 2, 1, -1), []
    answers = InMemory(Data.of(rows, y), 1000)
    for seed in range(20):
        each = [survey(next(answers.read(i)), np.zeros(1), 100, seed) for i in range(20)]
        told = reduce(Survey.merge, each)
        means += [sample.rows.matrix[:100].mean() for sample in told.samples]
    assert abs(np.mean(means) - 10_000) < 4 * 20_000 / np.sqrt(12 * 100 * 40)


def with_cell(value, layout):
    """Rows that are no longer checked, with another value in row 123 and column 3."""
    rows = np.where(X == 0, 1.0, X)
    data = Data.of(layout(rows), Y)
    stored = rows.copy()
    stored[123, 3] = value
    object.__setattr__(data.rows, "stored", stored.reshape(-1))
    return lambda: ChunkedData(InMemory(data, 50)).survey


WHOLE = ChunkedData(InMemory(Data.of(X, Y), 50))
NEGATIVE_FIRST = ChunkedData(InMemory(Data.of(X[np.argsort(Y)], np.sort(Y)), 50))
WEIGHTED = Data.of(X[:4], [-1, 1, -1, 1], weights=[1.0, 2.0, 3.0, 4.0])
REFUSED = refusals(
    *((f"{value}, {layout.__name__}", with_cell(value, layout), DataError, "row 123")
      for value in (np.nan, -np.inf) for layout in (np.asarray, csr_array)),
    ("one class", lambda: NEGATIVE_FIRST.take(np.arange(100)).survey, DataError, "100"),
    ("rows", lambda: WHOLE.rows, UnsupportedError, "never in memory"),
    ("chunk", lambda: WHOLE.chunk, UnsupportedError, "never in memory"),
    ("a solver", lambda: solve("spdam", WHOLE), UnsupportedError, "svm-or"),
    ("lam=auto", lambda: solve("svm-or[lam=auto]", WHOLE), UnsupportedError, "lam=auto"),
    ("a group lasso", lambda: solve("ls-svm[group=0.1]", WHOLE), UnsupportedError, "group=0.1"),
    ("weights", lambda: solve("ls-svm", ChunkedData(InMemory(WEIGHTED, 2))), UnsupportedError,
     "weights"),
)  # fmt: skip


@REFUSED
def test_what_cannot_be_read_is_refused(call, error, word):
    assert_refused(call, error, word)


def rows_in_memory(size=700):
    rows = np.column_stack([np.arange(3000), np.random.default_rng(0).normal(size=(3000, 2))])
    return InMemory(Data.of(rows, np.resize([1, -1, -1], 3000)), size)


def both(parts, share=0.3, seed=1):
    held = np.random.default_rng(seed).random(parts.n) < share
    return [Chosen.of(parts, np.flatnonzero(own)) for own in (~held, held)]


def numbers(parts):
    pieces = [piece for i in range(len(parts.sizes)) for piece in parts.read(i)]
    first = [np.asarray(piece.some(slice(None)).matrix)[:, 0] for piece in pieces]
    return np.concatenate(first).tolist()


def test_each_row_is_on_one_side_always_the_same_and_in_order():
    parts = rows_in_memory()
    (rest, held), again = both(parts), both(parts)
    one, other = numbers(rest), numbers(held)
    assert sorted([*one, *other]) == [*range(3000)]
    assert one == sorted(one) == numbers(again[0])
    assert (rest.n, held.n) == (len(one), len(other))
    named = [side.fingerprint for s in (0.2, 0.3) for k in (1, 2) for side in both(parts, s, k)]
    assert len({*named}) == len(named)
    (rest, held), whole = map(ChunkedData, (rest, held)), ChunkedData(parts)
    assert rest.n_pos + held.n_pos == whole.n_pos
    mean = (rest.centre * rest.n + held.centre * held.n) / whole.n
    np.testing.assert_allclose(mean, whole.centre, atol=1e-9)


def test_labels_weights_and_places_follow_their_rows():
    x = np.arange(6000.0)
    parts = ScoreParts.of(np.where(x % 2, 1, -1), x, weights=x + 1.0, size=2000, pieces=4)
    for side in both(replace(parts, sizes=(5000, 0, 1000))):
        for i, first in ((0, 0), (2, 5000)):
            count = 0
            for piece in side.read(i):
                [x] = piece.rows.arrays
                assert piece.first == count
                assert (piece.weights == x + 1.0).all()
                assert (piece.y == np.where(x % 2, 1, -1)).all()
                assert side.where(i, count) == f"part {i}, row {int(x[0]) - first}"
                count += piece.n
            assert count == side.sizes[i] == side.labels(i).size
        assert side.sizes[1] == 0


def numbered(sparse=False, **named):
    """Rows whose first column is their number, in parts."""
    data = rows_with_labels(61, n=1000, d=3, sparse=sparse)
    rows = data.rows.dense().matrix.copy()
    rows[:, 0] = np.arange(1000) + 1.0
    return in_parts(Data.of(csr_array(rows) if sparse else rows, data.y), 100, **named), data.y


def rows_of(parts, rng):
    """Numbers of the rows in the order of the chunks, their labels, and the sizes of chunks."""
    seen, y, sizes = [], [], []
    for chunk in chunks(parts, rng):
        rows = chunk.rows.dense().matrix * parts.scale + parts.centre
        seen.append(np.rint(rows[:, 0]).astype(int) - 1)
        y.append(chunk.y)
        sizes.append(chunk.n)
    return np.concatenate(seen), np.concatenate(y), sizes


@pytest.mark.parametrize("sparse", [False, True])
def test_the_order_is_that_of_the_file_or_of_two_levels_by_whole_parts(sparse, monkeypatch):
    monkeypatch.setattr(order, "TOGETHER", 3)
    monkeypatch.setattr(order, "CHUNK", 64)
    parts, y = numbered(sparse, standard=not sparse)
    seen, labels, sizes = rows_of(parts, None)
    assert seen.tolist() == [*range(1000)]
    assert (labels == y).all()
    assert max(sizes) == 64
    assert parts.readings == 2

    seen, labels, _ = rows_of(parts, np.random.default_rng(5))
    assert sorted(seen) == [*range(1000)]
    assert (labels == y[seen]).all()
    buffers = [set(seen[lo : lo + 300] // 100) for lo in range(0, 1000, 300)]
    assert [len(parts) for parts in buffers] == [3, 3, 3, 1]
    assert len(set().union(*buffers)) == 10
    within = seen[:300] // 100
    assert (within[1:] != within[:-1]).mean() > 0.5  # parts of a buffer alternate


def test_the_same_seed_gives_the_same_order_with_any_number_of_threads(monkeypatch):
    parts, _ = numbered()
    one = rows_of(parts, np.random.default_rng(1))[0]
    with aucbench.threads(3):
        again = rows_of(parts, np.random.default_rng(1))[0]
    assert (one == again).all()
    assert (one != rows_of(parts, np.random.default_rng(2))[0]).any()
    monkeypatch.setattr(order, "BUFFER", 8 * 3 * 250)  # large parts are not in memory together
    seen = rows_of(parts, np.random.default_rng(3))[0]
    assert len(set(seen[:200] // 100)) == 2


def test_a_file_that_is_sorted_by_its_labels_is_warned_of():
    data = rows_with_labels(62, n=2000)
    by_label = np.argsort(data.y, kind="stable").astype(np.int32)
    with pytest.warns(UnevenPartsWarning, match="share of positives"):
        [*chunks(in_parts(data.take(by_label), 250), None)]


@pytest.mark.parametrize("name", STREAMING)
def test_streams_learn_from_parts_as_from_rows_in_memory(name):
    data = rows_with_labels(63, n=800, d=4)
    centred = Data.of(data.rows.matrix - in_parts(data, 100).centre, data.y)
    solver = aucbench.get_solver(f"{name}[shuffle=False]")
    run, exact = (solve(solver, rows, passes=1) for rows in (in_parts(centred, 100), centred))
    np.testing.assert_allclose(run.w, exact.w, rtol=1e-6, atol=1e-8)

    data = rows_with_labels(64, n=3000, d=4)
    ordered = data.take(np.argsort(data.rows.matrix[:, 0]).astype(np.int32))
    parts = in_parts(ordered, 300, standard=True)  # and shuffled
    z = Data.of((data.rows.matrix - parts.centre) / parts.scale, data.y)
    run, exact = solve(name, parts, passes=3), solve(name, z, passes=2)
    assert auc(z.y, z.scores(run.w)) > auc(z.y, z.scores(exact.w)) - 0.01
    assert parts.readings - ("moments" in vars(parts)) == run.points[-1].passes == 3


@dataclass(frozen=True)
class Said:
    """How parts were merged, as text, and a sum whose bits depend on that."""

    text: str = ""
    total: float = 0.0

    def merge(self, other):
        return Said(f"({self.text}{other.text})", self.total + other.total)


def naive(leaves):
    """The tree by its definition: neighbours merge, the odd one passes."""
    while len(leaves) > 1:
        pairs = [leaves[i : i + 2] for i in range(0, len(leaves), 2)]
        leaves = [reduce(lambda a, b: a.merge(b), pair) for pair in pairs]
    return leaves[0]


@given(st.integers(1, 70), st.lists(st.integers(0, 70), max_size=6), st.randoms(), st.booleans())
def test_workers_may_merge_any_consecutive_parts_in_any_order(k, cuts, rng, shuffled):
    leaves = [Said(f"{i} ") for i in range(k)]
    ends = sorted({0, k, *(cut for cut in cuts if cut < k)})
    trees = []
    for lo, hi in pairwise(ends):
        own, order = Tree(k), [*range(lo, hi)]
        if shuffled:
            rng.shuffle(order)
        for i in order:
            own.add(i, leaves[i])
        assert shuffled or len(own._waiting) <= 2 * max(1, k.bit_length())
        trees.append(own)
    rng.shuffle(trees)
    tree = Tree(k)
    for own in trees:
        tree.join(own)
    assert tree.root == naive(leaves)
    incomplete = Tree(3)
    incomplete.add(0, Said())
    with pytest.raises(ValueError, match="wait"):
        _ = incomplete.root


def sums(piece):
    return Said(total=float(piece.rows.matrix.sum()))


def first_rows(piece):
    return piece.rows.matrix[0].tolist()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_threads_change_no_bit(workers):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(997, 3)) * 10.0 ** rng.integers(-9, 9, 997)[:, None]
    data = Data.of(X, rng.random(997) < 0.4)
    parts = InMemory(data, 10)
    progress = Progress()
    with threads(workers):
        total = Here(progress).reduce(parts, sums)
    leaves = [Said(total=data.rows.matrix[lo : lo + 10].sum()) for lo in range(0, 997, 10)]
    assert total == naive(leaves)
    assert progress.done == progress.total == 997


def test_scan_is_in_order_and_an_error_in_a_part_ends_the_reading():
    data = Data.of(np.arange(40.0).reshape(20, 2), [0, 1] * 10)
    seen = [*Here().scan(InMemory(data, 6), first_rows)]
    assert seen == [(k, [[12.0 * k, 12.0 * k + 1]]) for k in range(4)]
    assert [i for i, _ in Here().scan(InMemory(data, 6), first_rows, some=(3, 1))] == [3, 1]
    with pytest.raises(ZeroDivisionError), threads(2):
        Here().reduce(InMemory(data, 2), faulty)
    with pytest.raises(DataError, match="no row"):
        Here().reduce(InMemory(data, 2), sums, some=())


def faulty(piece):
    return operator.truediv(1, piece.part - 5) and Said()
