"""Some rows of parts, by their numbers."""

import numpy as np
import pytest

from aucbench.data import Data
from aucbench.scale import ChunkedData, Columns, InMemory, Piece
from aucbench.scale.chosen import Chosen

pytestmark = pytest.mark.plain


def rows_in_memory(n=3000, d=3, size=700):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(n), rng.standard_normal((n, d - 1))])
    return InMemory(Data.of(X, np.where(rng.random(n) < 0.3, 1, -1)), size)


class InPieces:
    """Parts whose rows come in columns and in several pieces, with weights."""

    names = None
    d, sizes, fingerprint = 1, (5000, 0, 1000), "in pieces"
    n = 6000

    def read(self, i):
        for first in range(0, self.sizes[i], 600):
            count = min(600, self.sizes[i] - first)
            x = (10_000.0 * i + first) + np.arange(count)
            y = np.where(x % 2, 1, -1).astype(np.int8)
            yield Piece(Columns((x,)), y, weights=x + 1.0, part=i, first=first)

    def labels(self, i):
        return np.concatenate([np.empty(0, np.int8), *(piece.y for piece in self.read(i))])

    def where(self, i, row):
        return f"part {i}, row {row}"


def both(parts, share=0.3, seed=1):
    held = np.random.default_rng(seed).random(parts.n) < share
    return [Chosen.of(parts, np.flatnonzero(own)) for own in (~held, held)]


def numbers(parts):
    pieces = [piece for i in range(len(parts.sizes)) for piece in parts.read(i)]
    first = [np.asarray(piece.some(slice(None)).matrix)[:, 0] for piece in pieces]
    return np.concatenate(first), np.concatenate([piece.y for piece in pieces])


def test_each_row_is_on_one_side_always_the_same_and_in_order():
    parts = rows_in_memory()
    rest, held = both(parts)
    one, other = (numbers(side)[0] for side in (rest, held))
    assert sorted([*one, *other]) == list(range(3000))
    assert [*one] == sorted(one)
    assert [*one] == [*numbers(both(parts)[0])[0]]
    assert (rest.n, held.n) == (one.size, other.size)
    assert abs(held.n / 3000 - 0.3) < 0.03
    assert [*other] != [*numbers(both(parts, seed=2)[1])[0]]


def test_labels_weights_and_places_follow_their_rows():
    for side in both(InPieces()):
        for i in (0, 2):
            count = 0
            for piece in side.read(i):
                x = piece.rows.arrays[0]
                assert piece.first == count
                assert (piece.weights == x + 1.0).all()
                assert (piece.y == np.where(x % 2, 1, -1)).all()
                row = int(x[0]) - 10_000 * i
                assert side.where(i, piece.first) == f"part {i}, row {row}"
                count += piece.n
            assert count == side.sizes[i] == side.labels(i).size
        assert side.sizes[1] == 0


def test_which_rows_it_has_is_in_its_fingerprint():
    parts = rows_in_memory()
    named = [side.fingerprint for s in (0.2, 0.3) for k in (1, 2) for side in both(parts, s, k)]
    assert len({*named}) == len(named)


def test_rows_of_chosen_rows_and_whole_parts():
    parts = rows_in_memory(size=10)
    some = Chosen.of(parts, np.r_[0:10, 13, 15, 99])
    assert [*numbers(some)[0]] == [*range(10), 13, 15, 99]
    assert some.sizes[:3] == (10, 2, 0)
    assert some.where(1, 1) == "row 15"
    fewer = Chosen.of(some, np.array([1, 10, 12]))
    assert [*numbers(fewer)[0]] == [1, 13, 99]
    assert ChunkedData(fewer).y.tolist() == numbers(fewer)[1].tolist()


def test_both_sides_are_read_as_any_other_parts():
    parts = rows_in_memory()
    rest, held = (ChunkedData(side) for side in both(parts))
    whole = ChunkedData(parts)
    assert rest.n_pos + held.n_pos == whole.n_pos
    np.testing.assert_allclose(
        (rest.centre * rest.n + held.centre * held.n) / whole.n, whole.centre, atol=1e-9
    )
