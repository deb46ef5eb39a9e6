"""FSAUC, lazy inside the l1 ball and by Newton's steps outside, against the plain definition."""

import numpy as np
import pytest
from definitions import equals_definition, first, guarded
from hypothesis import strategies as st
from layouts import LAYOUTS
from samples import sample
from stepping import step_by_rows

from aucbench.data import Chunk
from aucbench.data.arrays import rows
from aucbench.kernels.fsauc import stage_rows
from aucbench.projectors import L1Ball
from aucbench_plugins.online.fsauc import Stage, reference_update, schedule


def stage_at(w, *, R=1e9, r=1e9, D=1e9, eta=1.0, kappa=1.0):
    """A stage that projects nothing, unless it is given a radius."""
    stage = Stage.first(w.copy(), R, kappa, eta)
    stage.r, stage.D = r, D
    return stage


def in_stages(case, take_steps, R, eta, kappa, r):
    """The numbers after each of two stages, the second of which begins where the first ended."""
    stage, found = Stage.first(L1Ball(R)(R * case.w), R, kappa, eta), []
    stage.r = stage.r if r is None else r
    for _ in range(2):
        take_steps(stage)
        stage.restart()
        found += [stage.w0.copy(), np.array([stage.a0, stage.b0, stage.alpha0])]
    return found


def by_kernel(case, **constants):
    def take_steps(stage):
        for chunk, order in case.parts:
            stage_rows(chunk, order, stage)
        assert not stage.work[0].any()

    return in_stages(case, take_steps, **constants)


def by_file(case, **constants):
    def take_steps(stage):
        step_by_rows(reference_update, stage, case.X, case.y, case.order)

    return in_stages(case, take_steps, **constants)


test_it_equals_the_eager_definition = equals_definition(
    by_kernel, by_file, offsets=(0.0, 1e4), R=st.sampled_from([0.01, 0.1, 1.0, 10.0, 1e4]),
    eta=st.sampled_from([0.01, 0.3, 1.0, 8.0]), kappa=st.sampled_from([0.5, 1.0]),
    r=st.sampled_from([None, 0.05, 0.4]),
)  # fmt: skip


@LAYOUTS
@pytest.mark.parametrize("spread", [1.5, 4.0, 1e3, 1e10])
@pytest.mark.parametrize("R", [1e-6, 1.0, 50.0])
def test_one_far_step_lands_on_the_nearest_point(layout, R, spread):
    """Entries that fall off geometrically cost Newton the most steps."""
    x = (-1.0) ** np.arange(60) * spread ** -np.arange(60.0)
    stage = stage_at(np.zeros(60), R=R, eta=1e3)

    # p = 1/2 at the positive row: a step of eta/2 along x from 0
    stage_rows(Chunk.of(layout(np.stack([-x, x])), [-1, 1]), first(2), stage)

    wanted = L1Ball(R)(500.0 * x)
    np.testing.assert_allclose(stage.w0 + stage.z, wanted, rtol=1e-10, atol=1e-12 * R)


@LAYOUTS
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, 1e160, 5e-324])
@pytest.mark.parametrize("where", ["row", "weights", "start"])
def test_it_ends_on_any_floats(layout, bad, where):
    X, y = sample(1, 40, 19, shift=0.3, density=0.4, scale=1 / 3)
    stage = stage_at(np.zeros(19), R=1.0, r=0.5, D=0.5, eta=0.5)
    {"row": X[5], "weights": stage.z, "start": stage.w0}[where][2] = bad
    stage.z, assert_untouched = guarded(stage.z)

    stage_rows(Chunk(rows(layout(X)), y.astype(np.int8)), np.tile(first(40), 75), stage)

    assert stage.seen.sum() == 3000
    assert_untouched()
    if not np.isfinite(bad):
        assert not np.isfinite(stage.total).all()


def test_the_schedule_is_the_published_one_and_has_a_stage_for_any_number_of_rows():
    wanted = {1: (1, 1), 2: (1, 2), 16: (1, 16), 200: (1, 200), 2000: (3, 666), 10**6: (7, 142857)}

    assert {N: schedule(N) for N in wanted} == wanted
    assert all(
        m >= 1 and n0 >= 1 and m * n0 <= N for N in range(1, 3000) for m, n0 in [schedule(N)]
    )
