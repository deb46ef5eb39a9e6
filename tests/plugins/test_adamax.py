"""AdaMax against the recurrence written out."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import adamax as naive

from aucbench.errors import ParameterError
from aucbench.registry import get_solver
from aucbench_plugins.roc_svm.adamax import adamax

SHARES = st.sampled_from([0.0, 0.5, 0.9, 0.999])


def run(gradient, w, count, **moves):
    return [(v.copy(), G.copy()) for v, G in islice(adamax(gradient, w, **moves), count)]


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), SHARES, SHARES, st.floats(1e-6, 10.0))
def test_it_is_the_published_recurrence(seed, beta1, beta2, step):
    rng = np.random.default_rng(seed)
    gradients = rng.normal(size=(12, 5)) * (rng.random((12, 5)) < 0.5)  # zeros too
    w = rng.normal(size=5)
    kept = [*gradients]

    found = run(lambda _: kept.pop(0), w.copy(), 10, step=step, beta1=beta1, beta2=beta2)

    expected = naive(gradients[:10], w, step, beta1, beta2)
    for (v, _), u in zip(found, expected, strict=True):
        np.testing.assert_allclose(v, u, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("solver", ["roc-svm", "roc-svm-full"])
def test_parameters_are_checked(solver):
    for wrong in ({"beta1": 1.0}, {"beta2": -0.1}, {"beta2": float("nan")}):
        with pytest.raises(ParameterError, match="less than 1, got"):
            get_solver(solver, **wrong)
    for wrong in ({"lam": 0.0}, {"step": -1.0}):
        with pytest.raises(ParameterError, match="greater than 0"):
            get_solver(solver, **wrong)
