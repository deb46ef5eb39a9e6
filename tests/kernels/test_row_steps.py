"""Kernels that take a step for each row, beside `reference_update` in the file of their solver.

Rows, constants and chunks are hard for a scaled, lazy or grouped form of the step.
"""

from importlib import import_module

import numpy as np
import pytest
from definitions import equals_definition, first, guarded
from hypothesis import assume
from hypothesis import strategies as st
from layouts import LAYOUTS
from refusals import assert_refused
from samples import sample
from scipy.sparse import csr_array
from stepping import step_by_buffers, step_by_rows

from aucbench.data import Chunk, Data
from aucbench.data.arrays import rows
from aucbench.data.summaries import whole_chunk
from aucbench.errors import UnsupportedError
from aucbench.kernels import spam
from aucbench.kernels.oam import oam_pass
from aucbench.kernels.opauc import opauc_pass
from aucbench.kernels.sketch import sketch_pass
from aucbench.kernels.solam import solam_pass
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench_plugins.online import matrices, opauc_lr
from aucbench_plugins.online import spam as spam_file
from aucbench_plugins.online.proximal import Window, make_ridge_pass
from aucbench_plugins.online.solam import SaddlePoint
from aucbench_plugins.online.solam import reference_update as solam_step
from aucbench_plugins.online.spam import ProximalPoint

BAD = pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308, 1e300])
RIDGES = st.sampled_from([0.0, 1e-3, 0.5, 10.0])


def streamed(solver, case):
    """The memory of a streaming solver after the parts of a case."""
    memory = solver.start(case.w.copy(), case.rng())
    for chunk, order in case.parts:
        solver.update(memory, chunk, order)
    return memory


def by_kernel(name, *numbers):
    """The numbers of a memory after the passes of a solver, as a function of a case."""

    def kernel(case, **constants):
        memory = streamed(get_solver(name, **constants), case)
        return [getattr(memory, number) for number in numbers]

    return kernel


def by_file(name, *numbers, drawn=lambda case, **constants: ()):
    """The same numbers after the plain steps of the solver's file."""
    update = import_module(f"aucbench_plugins.online.{name.replace('-', '_')}").reference_update

    def definition(case, **constants):
        memory = get_solver(name, **constants).start(case.w.copy(), case.rng())
        of_rows = drawn(case, **constants)
        memory = step_by_rows(update, memory, case.X, case.y, case.order, *of_rows)
        return [getattr(memory, number) for number in numbers]

    return definition


def noise(case, rank, **_):
    """What opauc-lr draws for the rows."""
    return [case.rng().standard_normal((case.order.size, rank)) / np.sqrt(rank)]


# --- Uni-Exp, OPAUC ----------------------------------------------------------------------

UNI_EXP = ("uni-exp", "w", "offset", "seen")

test_uni_exp_equals_its_definition = equals_definition(
    by_kernel(*UNI_EXP), by_file(*UNI_EXP), of_cases={"classes": 1},
    eta=st.sampled_from([None, 0.01]), intercept=st.booleans(),
    lam=st.sampled_from([0.0, 0.1, 40.0, 100.0, 170.0]),  # w shrinks slowly, fast, to 0, past it
)  # fmt: skip
test_opauc_equals_its_definition = equals_definition(
    by_kernel("opauc", "w", "n", "mean"), by_file("opauc", "w", "n", "mean"),
    of_cases={"classes": 1}, offsets=(0.0, 1.0), rtol=1e-9, atol=1e-9,
    eta=st.sampled_from([None, 1e-3, 0.1]), lam=RIDGES,
)  # fmt: skip
# A given step diverges on rows as far from 0 as these, until it overflows.
test_opauc_equals_its_definition_far_from_zero = equals_definition(
    by_kernel("opauc", "w", "n", "mean"), by_file("opauc", "w", "n", "mean"),
    of_cases={"classes": 1}, offsets=(1e5,), rtol=1e-9, atol=1e-9, lam=RIDGES,
)  # fmt: skip
test_the_low_rank_form_equals_the_eager_one = equals_definition(
    by_kernel("opauc-lr", "w", "n"), by_file("opauc-lr", "w", "n", drawn=noise),
    of_cases={"classes": 1}, offsets=(0.0, 1.0), rtol=1e-9, atol=1e-9,
    eta=st.sampled_from([None, 1e-3, 0.1]),
    lam=st.sampled_from([0.0, 1e-3, 0.5, 10.0, 15.0]),  # 10 wipes w out, 15 turns it round
    rank=st.sampled_from([1, 5, 20]),
)  # fmt: skip


@LAYOUTS
@pytest.mark.parametrize(
    ("d", "offset", "density", "eta", "lam"),
    [
        (40, 0.0, 0.5, None, 0.0),  # first rows of 0, after which the derived step is 1e299
        (2000, 0.0, 0.02, 0.1, 9.99),
        (400, 0.0, 0.1, 0.5, 0.5),
        (300, 30.0, 1.0, 1e-4, 0.1),
        (20, 100.0, 1.0, 0.03, 0.1),
    ],
)
def test_digits_survive_hundreds_of_implicit_steps(layout, d, offset, density, eta, lam):
    X, y = sample(4, 600, d, offset=offset, density=density, scale=(d * density) ** -0.5)
    if eta is None:
        X[:8], y[:2] = 0.0, (1, -1)
    solver = get_solver("opauc-lr", rank=8, eta=eta, lam=lam)
    memory = solver.start(np.zeros(d), np.random.default_rng(4))

    solver.update(memory, Chunk.of(layout(X), y), first(600))

    r = np.random.default_rng(4).standard_normal((600, 8)) / np.sqrt(8)
    start = solver.start(np.zeros(d), None)
    wanted = step_by_rows(opauc_lr.reference_update, start, X, y, first(600), r)
    size = np.abs(wanted.w).max()
    np.testing.assert_allclose(memory.w, wanted.w, rtol=1e-10, atol=1e-10 * size)


def test_opauc_refuses_a_fit_of_more_than_ten_minutes(monkeypatch):
    monkeypatch.setattr(matrices, "ENTRY_SECONDS", 0.02)
    data = Data.of(*sample(3, 150, 9, scale=1 / 3))

    assert solve("opauc", data, passes=2).w is not None
    assert solve("opauc", data, seconds=1e-9).points[-1].passes == 1.0
    assert_refused(lambda: solve("opauc", data, passes=3), UnsupportedError, "12 minutes")


# --- OAM ---------------------------------------------------------------------------------


def buffered(memory, line):
    """Rows in the buffer of a class, in slot order."""
    kept = memory.kept.matrix
    size = memory.slots.shape[1]
    slots = memory.slots[line, : min(size, memory.seen[line])]
    return (kept.toarray() if memory.kept.is_sparse else kept)[~slots]


def oam_by_kernel(case, name, **constants):
    memory = streamed(get_solver(name, **constants), case)
    left = [buffered(memory, line) for line in (0, 1)] if case.is_divided else []
    np.testing.assert_array_equal(memory.zeros, 0.0)
    return memory.w, *left


def oam_by_file(case, name, **constants):
    solver = get_solver(name, **constants)
    uniforms = case.rng().random((case.order.size, 2))
    w, buffers, largest = step_by_buffers(solver, case.w, case.X, case.y, case.order, uniforms)
    assume(np.abs(w).max() >= 1e-3 * largest)  # a w that has become short again has lost digits
    left = [np.reshape(buffer, (-1, w.size)) for buffer in buffers] if case.is_divided else []
    return w, *left


OAM = {"name": st.sampled_from(["oam-seq", "oam-gra"]), "C": st.sampled_from([0.01, 0.3, 4.0])}

test_oam_equals_its_definition_and_keeps_the_same_rows = equals_definition(
    oam_by_kernel, oam_by_file, of_cases={"classes": 1}, buffer=st.sampled_from([1, 2, 7, 100]),
    **OAM,
)  # fmt: skip
# oam-seq keeps all digits; oam-gra adds up rows, and loses those by which they are longer.
test_oam_seq_keeps_its_digits_far_from_0, test_oam_gra_loses_those_of_the_rows = (
    equals_definition(
        oam_by_kernel,
        oam_by_file,
        dtypes=[np.float64],
        offsets=(1e4, 1e8),
        rtol=0,
        atol=lambda case, lost=lost: 1e-12 * (1 + lost * case.offset),
        buffer=20,
        C=0.3,
        name=name,
    )
    for name, lost in (("oam-seq", 0.0), ("oam-gra", 1.0))
)


@pytest.mark.parametrize("name", ["oam-seq", "oam-gra"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1.0, 1.0, 1e300])
def test_oam_stays_in_bounds_for_any_floats(bad, name):
    order, chunk = np.tile(first(6), 5), Chunk.of(csr_array(np.eye(6, 4)), np.tile([1, -1], 3))
    for uniforms in (np.full((30, 2), bad), np.column_stack([np.zeros(30), np.full(30, bad)])):
        memory = get_solver(name, buffer=2).start(np.array([bad, 0.0, 1.0, bad]), None)
        oam_pass(chunk, order, memory, uniforms, (np.zeros((2, 16)), np.empty(2, np.intp)))

        assert (memory.slots >= 0).all()
        assert (memory.slots[0] % 2 == 1).all()  # negatives in their own line
        assert (memory.slots[1] % 2 == 0).all()


# --- SOLAM -------------------------------------------------------------------------------


def saddle_point(case, kappa, constant_until=1.0, **constants):
    point = SaddlePoint.at(case.w.copy(), kappa, **constants)
    point.n = constant_until
    return point


def solam_by_kernel(case, **constants):
    point = saddle_point(case, **constants)
    for chunk, order in case.parts:
        solam_pass(chunk, order, point)
    assert not point.zeros.any()
    return numbers_of_solam(case, point)


def solam_by_file(case, **constants):
    point = saddle_point(case, **constants)
    step_by_rows(solam_step, point, case.X, case.y, case.order)
    return numbers_of_solam(case, point)


def numbers_of_solam(case, point):
    """Its numbers, with the length of a step as an entry of w and of its mean, which may be 0."""
    step = min(point.R, point.xi * np.abs(case.X).max(initial=0.0))
    numbers = np.array([point.a, point.b, point.alpha])
    return np.r_[point.mean, step], np.r_[point.w, step], numbers


test_solam_equals_its_definition = equals_definition(
    solam_by_kernel, solam_by_file, of_cases={"classes": 1},
    xi=st.sampled_from([0.01, 0.3, 1.0]),  # beyond, steps magnify the rounding of both
    lam=st.sampled_from([0.0, 1e-3, 0.5, 3.0]), R=st.sampled_from([0.1, 3.0, 1e4]),
    kappa=st.sampled_from([None, 1.0]), constant_until=st.sampled_from([1.0, 20.0]),
)  # fmt: skip
test_the_mean_of_solam_keeps_its_digits_on_unscaled_features = equals_definition(
    lambda case, **constants: solam_by_kernel(case, **constants)[:2],
    lambda case, **constants: solam_by_file(case, **constants)[:2], offsets=(1e2, 1e4, 1e8), rtol=0,
    xi=st.sampled_from([1e-9, 1.0, 100.0]),  # a step is longer than w by about 2 xi |x|^2
    lam=st.sampled_from([0.0, 1e-3, 1e5]), R=10.0, kappa=None,
)  # fmt: skip


@BAD
@LAYOUTS
def test_solam_and_opauc_end_on_any_floats(layout, bad):
    X, y = sample(9, 150, 9)
    X[5, 2] = bad
    chunk = Chunk(rows(layout(X)), y.astype(np.int8))
    point = SaddlePoint.at(np.zeros(9), None, xi=1.0, R=2.0, lam=0.1)
    full = get_solver("opauc").start(np.zeros(9), None)
    low = get_solver("opauc-lr", rank=2).start(np.zeros(9), np.random.default_rng(9))
    full.eta = low.eta = bad

    solam_pass(chunk, first(150), point)
    opauc_pass(chunk, first(150), full, np.empty((3, 32)))
    sketch_pass(chunk, first(150), low, np.ones((150, 2)), np.empty((opauc_lr.WORK, 8)))

    assert point.rows == full.n.sum() == low.n.sum() == 150


# --- SPAM --------------------------------------------------------------------------------


def window(d, T, budget, fill=np.nan):
    shapes = [(d, 4), (T + 9, 8), (3, d + 3)]
    due, bins = np.full(d, -1, np.int32), np.full(4 * T + 9, -1, np.int32)
    return Window(budget, *(np.full(shape, fill) for shape in shapes), due, bins)


def lazily(data, order, point, T=200, budget=10**9):
    spam.soft_lazy(whole_chunk(data), order, point, window(data.d, T, budget))


def eagerly(data, order, point):
    spam.soft_pass(whole_chunk(data), order, point)


def scaled(data, order, point):
    make_ridge_pass(data)(whole_chunk(data), order, point)


def begun(data, w, l1, l2, xi, seen=0):
    """A point after some steps, so that steps may be as short as in a late pass."""
    point = ProximalPoint.at(w.copy(), data, l1, l2)
    point.xi, point.rows = xi, seen
    return point


def spam_by(take_steps):
    def kernel(case, l1, l2, xi, seen, **how):
        point = begun(case.data, case.w, l1, l2, xi, seen)
        take_steps(case.data, case.order, point, **how)
        return numbers_of(point)

    return kernel


def spam_by_file(case, l1, l2, xi, seen, **_):
    point = begun(Data.of(case.X, case.y), case.w, l1, l2, xi, seen)
    return numbers_of(step_by_rows(spam_file.reference_update, point, case.X, case.y, case.order))


def numbers_of(point):
    return np.r_[point.w, 1.0], np.r_[point.total, 50.0], point.rows


PENALTIES = st.sampled_from([0.0, 1e-3, 0.05, 0.4, 30.0, 1e4])
SPAM = {
    "of_cases": {"divided": False},
    "atol": 1e-10,
    "l2": PENALTIES,
    "xi": st.sampled_from([0.01, 0.3, 3.0]),
    "seen": st.sampled_from([0, 999]),
}
ONE_LAYOUT = ["dense", "csr"]

test_sweeps_equal_the_definition = equals_definition(
    spam_by(eagerly), spam_by_file, ONE_LAYOUT, l1=PENALTIES, **SPAM
)
test_scaled_steps_equal_the_definition = equals_definition(
    spam_by(scaled), spam_by_file, ONE_LAYOUT, l1=0.0, **SPAM
)
test_lazy_steps_equal_the_definition_whatever_the_windows = equals_definition(
    spam_by(lazily), spam_by_file, ["csr"], l1=PENALTIES, T=st.sampled_from([1, 2, 7, 200]),
    budget=st.integers(1, 200), **SPAM,
)  # fmt: skip


@LAYOUTS
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
@pytest.mark.parametrize("xi", [0.3, 30.0])
@pytest.mark.parametrize("ridge", [0.0, 1e-3, 30.0, 1e5, 1e10])
def test_sums_keep_their_digits_on_unscaled_features(layout, offset, xi, ridge):
    """A step of `xi` / |x|^2, and a ridge that divides w by 1 + `xi` `ridge`."""
    X, y = sample(0, 200, 5, offset=offset, shift=0.0)
    square = (X**2).sum(axis=1).max()
    expected, point = (
        begun(data, np.zeros(5), 0.0, ridge * square, xi / square)
        for data in (Data.of(X, y), Data.of(layout(X), y))
    )
    size = 0.0
    for i in range(200):
        spam_file.reference_update(expected, X[i], y[i])
        size += np.linalg.norm(expected.w)  # what rounds where the sum cancels

    scaled(Data.of(layout(X), y), first(200), point)

    assert np.linalg.norm(point.w - expected.w) <= 1e-11 * np.linalg.norm(expected.w)
    assert np.linalg.norm(point.total - expected.total) <= 1e-12 * size


@BAD
@pytest.mark.parametrize("where", ["value", "w", "xi", "l1"])
def test_spam_ends_within_its_work_space_for_any_float(bad, where):
    X, y = sample(8, 40, 12, density=0.5)
    matrix = csr_array(X)
    point = begun(Data.of(matrix, y), np.ones(12), 1e-2, 0.0, 0.1)
    if where == "value":
        matrix.data[5] = bad
    elif where == "w":
        point.w[5] = bad
    else:
        setattr(point, where, bad)
    scratch = window(12, 40, 64, fill=3.0)
    arrays = scratch.cells, scratch.steps, scratch.row, scratch.due, scratch.bins
    fenced = [guarded(a.reshape(-1), fill=a.reshape(-1)[0]) for a in arrays]
    inside = [view.reshape(a.shape) for (view, _), a in zip(fenced, arrays, strict=True)]

    spam.soft_lazy(Chunk(rows(matrix), y.astype(np.int8)), first(40), point, Window(64, *inside))

    assert where == "l1" or not np.isnan(bad) or np.isnan(point.w).any()
    for _, assert_untouched in fenced:
        assert_untouched()
