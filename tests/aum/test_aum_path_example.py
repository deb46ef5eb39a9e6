"""The picture of `examples/aum_path.py`."""

import numpy as np
import pytest
from aum_path import main, plot_path

from aucbench.aum import aum_path


@pytest.fixture
def path():
    """AUC rises to 1, stays there and falls; AUM falls to 0, stays and rises."""
    T, d = [-4.0, -1, 0, 1, 2, 3], [1, 2, 0, -1.5, -1, -2.5]
    return aum_path(T, d, [0, 1, 0, 0, 1, 1], [-1, 0, -1, -1, 0, 0])


def test_the_lines_of_the_picture_are_the_path(path, tmp_path):
    (events, beyond, minimum), (steps, after, points, maximum) = (
        axes.lines for axes in plot_path(path).axes
    )
    end, differs = 1.1 * path.step[-1], path.auc != path.auc_after
    last = path.aum[-1] + path.aum_slope_after[-1] * (end - path.step[-1])
    assert 0 < np.count_nonzero(differs) < differs.size
    for line, expected in (
        (events, np.c_[path.step, path.aum]),
        (beyond, [[path.step[-1], path.aum[-1]], [end, last]]),
        (minimum, [[4 / 7, 0.0]]),
        (steps, np.c_[path.step, path.auc_after]),
        (after, [[x, path.auc_after[-1]] for x in (path.step[-1], end)]),
        (points, np.c_[path.step[differs], path.auc[differs]]),
        (maximum, [[(4 / 7 + 1.2) / 2, 1.0]]),
    ):
        np.testing.assert_allclose(line.get_xydata(), expected, rtol=1e-15)
    assert [line.get_drawstyle() for line in (events, steps)] == ["default", "steps-post"]
    main(tmp_path / "path.svg")
    assert "svg" in (tmp_path / "path.svg").read_text(encoding="utf-8")


def test_a_limit_ends_the_axis_and_what_is_looked_for(path):
    upper, lower = plot_path(path, step_limit=0.53).axes
    events, beyond, minimum = upper.lines
    assert upper.get_xlim() == lower.get_xlim() == (0.0, 0.53)
    np.testing.assert_array_equal(events.get_xdata(), [0, 0.5])
    np.testing.assert_allclose(beyond.get_xydata(), [[0.5, 0.25], [0.53, 0.145]], rtol=1e-14)
    assert beyond.get_linestyle() == "-"
    np.testing.assert_array_equal(minimum.get_xydata(), [[0.5, 0.25]])
    np.testing.assert_allclose(lower.lines[-1].get_xydata(), [[0.515, 8 / 9]], rtol=1e-15)
