"""`equals_definition`: a kernel gives what its definition gives, on rows and on scores of any kind.

The rows are dense or CSR, of either width, whole or in chunks, near 0 or far from it. The scores
have each shape that is hard for one way to sort, to select or to add up.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import sample
from scipy.sparse import csr_array

from aucbench.data import Chunk, Data
from aucbench.data.arrays import Rows, matrix_of, rows

STRANGE = [0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, np.nan, -np.nan, np.inf, -np.inf]
WHOLE = st.integers(-3, 3).map(float)
ANY = st.one_of(st.sampled_from(STRANGE), WHOLE, st.floats())  # all that a kernel must survive
NEAR_ONE = [0.0, -0.0, 1.0, 5e-324, -5e-324, 1.0 - 2**-53, 1.0 + 2**-52]
DRAWN = {
    "whole": WHOLE,
    "near one": st.sampled_from(NEAR_ONE),
    "plain": st.floats(-5.0, 5.0),
    "wide": st.floats(-1e100, 1e100),
}
SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
    "reversed": lambda rng, n: -np.sort(rng.normal(size=n)),
    "organ pipe": lambda rng, n: 1.0 * np.minimum(np.arange(n), np.arange(n)[::-1]),
    "period": lambda rng, n: np.resize(rng.normal(size=64), n),
    "one value": lambda rng, n: np.full(n, -3.0),
    "mostly tied": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.normal(size=n)),
    "steps": lambda rng, n: 0.25 * rng.integers(-4, 5, n),
    "far steps": lambda rng, n: rng.choice([-1e6, 0, 1e-6, 1e6], n) + 1e-7 * rng.normal(size=n),
    "cauchy": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "outliers": lambda rng, n: np.r_[1e12, -1e9, rng.normal(size=n)][:n],
    "two scales": lambda rng, n: np.where(rng.random(n) < 0.4, 1e-9, 1.0) * rng.normal(size=n),
    "neighbours": lambda rng, n: 1.0 + 2.0**-52 * rng.integers(0, 2000, n),
    # One value far away: no high digit of the others differs.
    "crowd": lambda rng, n: np.r_[1e300, 1.0 + 1e-13 * rng.integers(0, 900, n)][:n],
    "subnormal": lambda rng, n: 5e-324 * rng.integers(-900, 900, n),
}


@dataclass(frozen=True)
class Steps:
    """Rows that a kernel visits in an order, and the numbers that its definition reads of them."""

    rows: Rows
    X: np.ndarray  # the stored numbers, as float64
    y: np.ndarray
    order: np.ndarray
    w: np.ndarray
    seed: int
    offset: float
    parts: tuple  # (chunk, order within it), one after the other
    is_divided: bool  # each part has rows of its own

    @property
    def data(self):
        return Data.of(matrix_of(self.rows, self.rows.stored), self.y, dtype=self.rows.stored.dtype)

    def rng(self):
        return np.random.default_rng(self.seed)


@dataclass(frozen=True)
class Scores:
    """Labels and scores, and a generator of what else a test needs."""

    y: np.ndarray
    s: np.ndarray
    seed: int
    offset: float

    def rng(self):
        return np.random.default_rng(self.seed)


@st.composite
def steps(draw, layout, dtypes, offsets, *, most=60, features=20, divided=True, classes=2):
    """Rows in this layout; "mixed": that of the chunks takes turns. CSR rows store zeros too.

    `divided`: the order may be cut into chunks of their own. `classes=1`: one may be missing.
    """
    seed = draw(st.integers(0, 2**32))
    n, d = draw(st.integers(3, most)), draw(st.integers(1, features))
    dtype, offset = draw(st.sampled_from(dtypes)), draw(st.sampled_from(offsets))
    X, y = sample(
        seed, n, d, positives=draw(st.sampled_from([0.1, 0.3, 0.9])), shift=0.3, scale=d**-0.5,
        offset=offset, density=draw(st.sampled_from([1.0, 0.4, 0.05])), dtype=dtype,
    )  # fmt: skip
    rng = np.random.default_rng([seed, 1])
    if draw(st.booleans()):
        X[2], X[:, d // 2] = 0.0, 0.0  # an empty row, and a column without a value
    if classes == 1 and draw(st.booleans()):
        y[:] = draw(st.sampled_from([-1, 1]))
    order = rng.integers(0, n, draw(st.integers(1, 2 * n))).astype(np.int32)
    cuts = draw(st.lists(st.integers(0, order.size), max_size=3))
    pieces = [part for part in np.split(order, sorted(cuts)) if part.size]
    kinds = ["dense", "csr"] if layout == "mixed" else [layout]

    kept = (X != 0) | (rng.random(X.shape) < 0.1)

    def stored(part, kind):
        if kind == "dense":
            return rows(X[part], dtype)
        matrix = csr_array(kept[part].astype(dtype))
        matrix.data[:] = X[part][kept[part]]
        return rows(matrix, dtype)

    whole = stored(slice(None), kinds[0])
    divided = divided and draw(st.booleans())
    if divided:
        parts = tuple(
            (Chunk(stored(part, kinds[k % len(kinds)]), y[part].astype(np.int8)), first(part.size))
            for k, part in enumerate(pieces)
        )
    else:
        parts = tuple((Chunk(whole, y.astype(np.int8)), part) for part in pieces)
    w = rng.normal(size=d) * (rng.random(d) < 0.7) * draw(st.sampled_from([0.0, 1.0]))
    return Steps(whole, X.astype(float), y, order, w, seed, offset, parts, divided)


@st.composite
def scores(draw, layout, dtypes, offsets, *, most=40):
    """Scores of both classes; the layout is a shape, or says what is drawn."""
    seed, offset = draw(st.integers(0, 2**32)), draw(st.sampled_from(offsets))
    y = [1, -1, *draw(st.lists(st.sampled_from([-1, 1]), max_size=most))]
    few = draw(st.sampled_from([-1, 1, 0, 0]))  # a class may have one row
    y = np.array([*y[:2], *(few or side for side in y[2:])], np.int8)
    if layout in DRAWN:
        s = np.array(draw(st.lists(DRAWN[layout], min_size=y.size, max_size=y.size)))
    else:
        s = SHAPES[layout](np.random.default_rng(seed), y.size)
    return Scores(y, s + offset, seed, offset)


def first(n):
    return np.arange(n, dtype=np.int32)


def labelled(shape, n, share=0.3, seed=0):
    """Many scores of a shape, of which those of positives are higher, and their labels."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < share, 1, -1).astype(np.int8)
    y[:2] = 1, -1
    return y, SHAPES[shape](rng, n) + (y > 0)


def equals_definition(
    kernel,
    definition,
    layouts=("dense", "csr", "mixed"),
    dtypes=(np.float64, np.float32),
    offsets=(0.0,),
    *,
    cases=steps,
    of_cases=None,
    rtol=1e-10,
    atol=1e-10,
    **constants,
):
    """Return a test: in each layout, the arrays of a kernel are those of its definition.

    Both are called with a case and with the constants, which are strategies or one value. The
    tolerance `atol` is a share of the largest number of an array, or a function of the case.
    """
    drawn = {k: v if isinstance(v, st.SearchStrategy) else st.just(v) for k, v in constants.items()}

    @pytest.mark.parametrize("layout", layouts)
    @given(st.data(), st.fixed_dictionaries(drawn))
    def test(layout, data, options):
        case = data.draw(cases(layout, dtypes, offsets, **of_cases or {}))
        found, wanted = kernel(case, **options), definition(case, **options)
        share = atol(case) if callable(atol) else atol
        for one, other in zip(found, wanted, strict=True):
            size = np.abs(other).max(initial=0.0)
            np.testing.assert_allclose(one, other, rtol=rtol, atol=share * size)

    return test


def guarded(values, fill=7.25, room=70):
    """The values as a view of a larger array, and a function that asks whether the rest stayed."""
    values = np.asarray(values)
    whole = np.full(values.size + 2 * room, fill, values.dtype)
    whole[room:-room] = values

    def assert_untouched():
        assert (whole[:room] == fill).all()
        assert (whole[-room:] == fill).all()

    return whole[room:-room], assert_untouched
