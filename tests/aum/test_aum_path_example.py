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


def test_the_drawn_lines_are_the_path(path):
    upper, lower = plot_path(path).axes

    events, beyond, minimum = upper.lines
    np.testing.assert_array_equal(events.get_xydata(), np.c_[path.step, path.aum])
    assert events.get_drawstyle() == "default"
    end = 1.1 * path.step[-1]
    last = path.aum[-1] + path.aum_slope_after[-1] * (end - path.step[-1])
    np.testing.assert_array_equal(beyond.get_xydata(), [[path.step[-1], path.aum[-1]], [end, last]])
    assert beyond.get_linestyle() == ":"
    np.testing.assert_array_equal(minimum.get_xydata(), [[4 / 7, 0.0]])

    steps, beyond, points, maximum = lower.lines
    np.testing.assert_array_equal(steps.get_xydata(), np.c_[path.step, path.auc_after])
    assert steps.get_drawstyle() == "steps-post"
    np.testing.assert_array_equal(
        beyond.get_xydata(), [[x, path.auc_after[-1]] for x in (path.step[-1], end)]
    )
    differs = path.auc != path.auc_after
    assert 0 < np.count_nonzero(differs) < differs.size
    np.testing.assert_array_equal(points.get_xydata(), np.c_[path.step[differs], path.auc[differs]])
    np.testing.assert_allclose(maximum.get_xydata(), [[(4 / 7 + 1.2) / 2, 1.0]], rtol=1e-15)


def test_a_limit_ends_the_axis_and_what_is_looked_for(path):
    upper, lower = plot_path(path, step_limit=0.53).axes

    assert upper.get_xlim() == lower.get_xlim() == (0.0, 0.53)
    events, beyond, minimum = upper.lines
    np.testing.assert_array_equal(events.get_xdata(), [0, 0.5])
    np.testing.assert_allclose(beyond.get_xydata(), [[0.5, 0.25], [0.53, 0.145]], rtol=1e-14)
    assert beyond.get_linestyle() == "-"
    np.testing.assert_array_equal(minimum.get_xydata(), [[0.5, 0.25]])
    np.testing.assert_allclose(lower.lines[-1].get_xydata(), [[0.515, 8 / 9]], rtol=1e-15)


def test_the_example_writes_its_picture(tmp_path):
    main(tmp_path / "path.svg")
    assert "svg" in (tmp_path / "path.svg").read_text(encoding="utf-8")
