"""The cuts of the AUM: what they keep, and what they forget."""

import numpy as np
import pytest

from aucbench_plugins.aum.cuts import ProximalCuts


def falling(memory: int) -> ProximalCuts:
    """Cuts of f(w) = ‖w‖₁ at three points."""
    cuts = ProximalCuts(memory, np.copy)
    for w in ([3.0, 2.0], [1.0, -2.0], [-1.0, 2.0])[:memory]:
        cuts.add(np.sign(w), np.array(w), float(np.abs(w).sum()))
    return cuts


@pytest.mark.parametrize("memory", [2, 3])
def test_a_direction_without_a_new_cut_is_the_same_again(memory):
    cuts, w = falling(memory), np.array([3.0, 2.0])

    first, second = cuts.direction(w, 5.0), cuts.direction(w, 5.0)

    assert np.array_equal(first.p, second.p)
    assert first.predicted == second.predicted


def test_the_aggregate_predicts_what_the_cuts_predicted():
    cuts, w = falling(3), np.array([3.0, 2.0])
    before = cuts.direction(w, 5.0)

    cuts.add(np.array([1.0, 1.0]), np.array([3.0, 2.0]), 5.0)  # below the others everywhere near w

    assert cuts.direction(w, 5.0).predicted <= before.predicted * (1 + 1e-12)
