"""The shapes of the effects of models: compared with naive ones."""

from dataclasses import replace

import numpy as np
import pytest
import shapes_figure
from saved_models import every, patients, read, with_function
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.models.assessment import SMALLEST
from aucbench.models.effects import OTHERS, SET_ROWS, Additive, shapes
from aucbench.models.explain import effect_text, sparkline
from aucbench.models.recipe import Recipe

PAIRS = "splines[knots=6,pairs=2]"
MAPS = ("auto", "splines[knots=6]", "bins[count=4]", "standard+splines[knots=6]")
TREES = "hist-gradient-boosting[max_iter=5]"


def made(features, data=None, solver="rank-svm"):
    data = read(patients(300)) if data is None else data
    return Recipe(solver=solver, features=features).fitted(data, every(data)), data, every(data)


@pytest.mark.parametrize("features", [*MAPS, PAIRS])
def test_a_score_is_the_sum_of_its_effects(features):
    model, data, _ = made(features)
    additive = Additive.of(model)
    effects = additive.effects(data.rows, range(len(additive.columns)))
    assert [model.columns[own[0]] for own in additive.columns[: data.d]] == [*data.names]
    assert np.ptp(model.scores(data.rows)[:, 0] - effects.sum(axis=1)) < 1e-9


@pytest.mark.parametrize("features", MAPS)
def test_a_shape_is_what_the_score_does_when_one_cell_changes(features):
    model, data, learnt = made(features)
    codes = np.array(data.rows.matrix)
    for shape in shapes(model, data, learnt):
        [axis] = shape.axes
        j = data.names.index(axis.column)
        cells = np.repeat(codes[:1], len(axis.names), axis=0)
        cells[:, j] = [code_of(data.schema.columns[j], axis, k) for k in range(len(axis.names))]
        moved = np.array(shape.effect) - model.scores(rows(cells))[:, 0]
        known = [k for k, name in enumerate(axis.names) if name != OTHERS]
        assert np.ptp(moved[known]) < 4e-5
        assert np.average(shape.effect, weights=axis.rows) == pytest.approx(0.0, abs=1e-5)
        assert min(axis.rows) >= SMALLEST
        assert all(0 <= own <= n for own, n in zip(axis.positives, axis.rows, strict=True))


def code_of(column, axis, place):
    if axis.values[place] is not None:
        return axis.values[place]
    name = axis.names[place]
    levels = ("no", "yes") if column.kind == "boolean" else column.levels
    return levels.index(name) if name in levels else np.nan


def test_a_shape_of_two_columns_is_what_both_add_beyond_each():
    X = np.random.default_rng(0).uniform(-1, 1, (600, 3))
    data = Data.of(X, X[:, 0] * X[:, 2] + 0.1 * X[:, 1] > 0)
    model, data, learnt = made("splines[pairs=1,knots=6]", data)
    shape = shapes(model, data, learnt)[0]
    assert shape.name == "column 0 × column 2"
    x, z = (axis.values for axis in shape.axes)
    cells = np.array([[a, 0.3, b] for a in (x[0], x[-1]) for b in (z[0], z[-1])])
    low, left, right, high = model.scores(rows(cells))[:, 0]
    corners = shape.table[[0, 0, -1, -1], [0, -1, 0, -1]]
    assert corners @ [1, -1, -1, 1] == pytest.approx(low - left - right + high, abs=1e-5)
    assert corners[0] > 0 > corners[1]
    assert effect_text(shape).startswith("both columns: -")


def test_columns_of_sparse_rows_have_shapes_and_a_column_that_is_constant_has_none():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40)) * (rng.random((400, 40)) < 0.3)
    X[:, 3] = 1.0
    data = Data.of(csr_array(X), np.where(X[:, 0] + rng.normal(size=400) > 0, 1, -1))
    found = shapes(*made("splines[knots=6]", data))
    assert found[0].name == "column 0"
    assert "column 3" not in {shape.name for shape in found}
    assert len(found) == 30


@pytest.mark.parametrize(("features", "solver"), [("unit", "rank-svm"), ("auto", TREES)])
def test_the_shape_of_any_other_model_is_its_mean_prediction(features, solver):
    model, data, learnt = made(features, solver=solver)
    assert Additive.of(model) is None
    assert shapes(model, data, learnt) == ()
    [shape] = shapes(model, data, learnt, ["visits"])
    [axis], codes = shape.axes, np.array(data.rows.matrix)
    some = np.sort(np.random.default_rng(0).choice(data.n, SET_ROWS, replace=False))
    for value, mean in zip(axis.values, shape.effect, strict=True):
        codes[:, data.names.index("visits")] = value
        assert model.scores(rows(codes[some])).mean() == pytest.approx(mean, abs=1e-5)
    assert shape.unit == "score"


def test_a_sparkline_has_a_block_for_each_number():
    assert sparkline([0.0, 0.5, 1.0], 0.0, 1.0) == "▁▅█"
    assert sparkline([2.0, 2.0], 2.0, 2.0) == "▁▁"


def test_the_example_draws_the_shapes_of_a_file(saved_models, tmp_path):
    saved = saved_models("assessed")
    few = saved.model.function.shapes[:2]
    both = replace(few[0], axes=(few[0].axes[0], few[1].axes[0]))
    both = replace(both, effect=(0.5,) * len(both.axes[0].rows) * len(both.axes[1].rows))
    model = with_function(saved.model, shapes=(both, *few))
    model.save(tmp_path / "m")
    shapes_figure.main(tmp_path / "m", tmp_path / "x.pdf")
    assert (tmp_path / "x.pdf").read_bytes()[:4] == b"%PDF"
    panels = shapes_figure.draw_shapes(model.function.shapes).axes
    assert all(len(panel.lines) == 2 for panel in panels[1:3])
    with pytest.raises(SystemExit, match="no shapes"):
        shapes_figure.main(
            saved_models("hist-gradient-boosting[max_iter=5]").path, tmp_path / "x.pdf"
        )
