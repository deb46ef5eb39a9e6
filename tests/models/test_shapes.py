"""The shapes of the effects of additive models: beside naive ones."""

from dataclasses import replace

import numpy as np
import pytest
import shapes_figure
from assessed_models import assessed_model, patients
from scipy.sparse import csr_array
from screens import look

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.datasets import load
from aucbench.datasets.reading import Reading
from aucbench.errors import DataError
from aucbench.models import Model, archive
from aucbench.models.assessment import SMALLEST
from aucbench.models.attribution import OTHERS, Additive
from aucbench.models.explain import explanation, kind_of, lines, raw_weights
from aucbench.models.page import chapters, is_curve, page_of
from aucbench.models.recipe import Recipe
from aucbench.models.shape import Axis, EffectShape, sparkline
from aucbench.models.shaping import shapes
from aucbench.registry.specs import parse_spec

NASTY = "</script><b>red\x1b"
PAIRS = "splines[knots=6,pairs=2]"
MAPS = ("auto", "splines[knots=6]", "bins[count=4]", "standard+splines[knots=6]")


def read(frame=None):
    return load(patients(300) if frame is None else frame, Reading(target="back", positive="yes"))


def made(features, data=None, solver="rank-svm", **recipe):
    data = read() if data is None else data
    own = Recipe(solver=parse_spec(solver), features=features, **recipe)
    learnt = np.arange(data.n, dtype=np.int32)
    return own, own.fitted(data, learnt), data, learnt


@pytest.fixture(scope="module")
def splined():
    _, model, data, learnt = made("splines[knots=6]")
    return replace(model, shapes=shapes(model, data, learnt)), data


@pytest.mark.parametrize("features", [*MAPS, PAIRS])
def test_a_score_is_the_sum_of_its_effects(features):
    _, model, data, _ = made(features)
    additive = Additive.of(model)
    effects = additive.effects(data.rows, range(len(additive.columns)))
    assert [model.columns[own[0]] for own in additive.columns[: data.d]] == [*data.names]
    assert np.ptp(model.scores(data.rows) - effects.sum(axis=1)) < 1e-9


@pytest.mark.parametrize("features", MAPS)
def test_a_shape_is_what_the_score_does_when_one_cell_changes(features):
    _, model, data, learnt = made(features)
    codes = np.array(data.rows.matrix)
    for shape in shapes(model, data, learnt):
        [axis] = shape.axes
        j, column = (
            data.names.index(axis.column),
            data.schema.columns[data.names.index(axis.column)],
        )
        for k in [k for k in range(1, len(shape.effect)) if axis.names[k] != OTHERS]:
            said = []
            for place in (0, k):
                cells = codes[:1].copy()
                cells[0, j] = code_of(column, axis, place)
                said.append(model.scores(rows(cells))[0])
            assert shape.effect[k] - shape.effect[0] == pytest.approx(said[1] - said[0], abs=2e-5)
        assert np.average(shape.effect, weights=axis.rows) == pytest.approx(0.0, abs=1e-5)
        assert min(axis.rows) >= SMALLEST


def test_a_shape_of_two_columns_is_what_both_add_beyond_each():
    X = np.random.default_rng(0).uniform(-1, 1, (600, 3))
    data = Data.of(X, X[:, 0] * X[:, 2] + 0.1 * X[:, 1] > 0)
    _, model, data, learnt = made("splines[pairs=1,knots=6]", data)
    shape = shapes(model, data, learnt)[0]
    assert shape.name == "column 0 × column 2"
    x, z = (axis.values for axis in shape.axes)
    cells = np.array([[a, 0.3, b] for a in (x[0], x[-1]) for b in (z[0], z[-1])])
    low, left, right, high = model.scores(rows(cells))
    corners = shape.table[[0, 0, -1, -1], [0, -1, 0, -1]]
    assert corners @ [1, -1, -1, 1] == pytest.approx(low - left - right + high, abs=1e-5)
    assert corners[0] > 0 > corners[1]


def code_of(column, axis, place):
    if axis.values[place] is not None:
        return axis.values[place]
    name = axis.names[place]
    levels = ("no", "yes") if column.kind == "boolean" else column.levels
    return levels.index(name) if name in levels else np.nan


def test_columns_of_sparse_rows_have_shapes_and_a_column_that_is_constant_has_none():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40)) * (rng.random((400, 40)) < 0.3)
    X[:, 3] = 1.0
    data = Data.of(csr_array(X), np.where(X[:, 0] + rng.normal(size=400) > 0, 1, -1))
    _, model, data, learnt = made("splines[knots=6]", data)
    told = shapes(model, data, learnt)
    assert told[0].name == "column 0"
    assert "column 3" not in {shape.name for shape in told}
    assert len(told) == 30


@pytest.mark.parametrize("features", ["unit", "standard+unit-centred"])
def test_features_that_mix_columns_have_no_effects(features):
    _, model, data, learnt = made(features)
    assert Additive.of(model) is None
    assert shapes(model, data, learnt) == ()


def test_neither_have_trees_and_kernels():
    data = read()
    for solver in ("hist-gradient-boosting[max_iter=5]", "roc-svm-nystrom[rank=10]"):
        _, model, _, learnt = made("auto", data, solver)
        assert shapes(model, data, learnt) == ()


def test_trees_on_splines_count_their_splits_by_column():
    _, model, _, _ = made("splines[knots=6]", solver="hist-gradient-boosting[max_iter=5]")
    counts = raw_weights(model)
    assert counts.size == model.encoding.d
    assert counts.sum() == pytest.approx(1.0)
    assert len(explanation(model)["features"]) == model.trees.d


def test_a_model_on_splines_or_bins_comes_back_from_its_file(splined, tmp_path):
    for model in (splined[0], made("bins[count=4]")[1], made(PAIRS)[1]):
        model.save(tmp_path / "m.aucbench")
        again = Model.load(tmp_path / "m.aucbench")
        assert again.shapes == model.shapes
        assert np.array_equal(again.scores(splined[1].rows), model.scores(splined[1].rows))
        assert explanation(again) == explanation(model)


def test_functions_that_do_not_fit_to_their_knots_are_refused(splined, tmp_path):
    tree = splined[0].to_tree()
    [block] = [one for one in tree["maps"][0]["blocks"] if one is not None][:1]
    block["C"] = block["C"][1:]
    archive.write(tmp_path / "m.aucbench", tree)
    with pytest.raises(DataError, match="of a column of its splines do not fit to their knots"):
        Model.load(tmp_path / "m.aucbench")


def test_the_file_holds_no_cell_of_a_row(splined):
    frame = patients(300)
    cells = {*frame["age"].dropna(), *frame["noise"]}
    values = {x for shape in splined[0].shapes for axis in shape.axes for x in axis.values}
    assert not cells & values


def test_explain_tells_effects_instead_of_the_weights_of_splines(splined):
    model, _ = splined
    told = "\n".join(lines(model))
    assert kind_of(model) == "additive"
    assert "weight × spread" not in told
    assert "visits" in told.split("effects on the score")[1]
    plain = explanation(model)["shapes"]
    assert [one["name"] for one in plain] == [shape.name for shape in model.shapes]
    assert plain[0]["effect"] == model.shapes[0].effect
    assert {"visits [1]", "visits [2]"} <= {one["name"] for one in explanation(model)["features"]}


def test_explain_has_the_fall_of_the_auc_without_an_effect():
    model, _, data = assessed_model()
    whole = replace(model, shapes=shapes(model, data, np.arange(data.n, dtype=np.int32)))
    told = [line for line in lines(whole) if line.startswith("  visits")]
    [drop] = [one.drop for one in model.assessment.importance if one.column == "visits"]
    assert f"{drop.estimate:.4f}" in told[-1]
    assert explanation(whole)["shapes"][0]["importance"] == drop.estimate


def test_a_sparkline_has_a_block_for_each_number():
    assert sparkline([0.0, 0.5, 1.0], 0.0, 1.0) == "▁▅█"
    assert sparkline([2.0, 2.0], 2.0, 2.0) == "▁▁"


def of_two(name=NASTY):
    axes = tuple(
        Axis(column=c, kind="numeric", names=("",) * 2, values=(0.0, v), rows=(30, 20))
        for c, v in ((name, 1.0), ("dose", 3.0))
    )
    return EffectShape(axes=axes, effect=(-1.0, 0.0, 0.5, 2.0))


def test_two_columns_are_a_heat_map_on_the_page_and_in_the_terminal(splined):
    model = replace(splined[0], shapes=(*splined[0].shapes, of_two()))
    [chapter] = [one for one in chapters(model) if one.title == "What each column adds"]
    grid = chapter.parts[-1]
    assert grid.header == (f"{NASTY} \\ dose", "0", "3")
    assert grid.shades == ((None, -0.5, 0.0), (None, 0.25, 1.0))
    page = page_of(model).content.decode()
    assert 'style="--shade:50%" data-shade="low"' in page
    assert NASTY not in page
    at = [*lines(model)].index(next(line for line in lines(model) if "× dose" in line))
    assert [line.split() for line in [*lines(model)][at + 1 : at + 3]] == [["0", "▁▃"], ["1", "▅█"]]


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1300, "dark")])
def test_curves_levels_and_heat_maps_fit_on_a_page(browser, splined, tmp_path, width, scheme):
    """The names of columns and levels are as long as people make them."""
    axes = tuple(
        Axis(
            column=f"income of the household {name}",
            kind="numeric",
            names=("",) * 8,
            values=tuple(1e4 * k for k in range(8)),
            rows=(50,) * 8,
        )
        for name in "ab"
    )
    effect = np.random.default_rng(0).normal(size=64)
    model = replace(
        splined[0], shapes=(*splined[0].shapes, EffectShape(axes=axes, effect=(*effect.tolist(),)))
    )
    page_of(model).save(tmp_path / "m.html")
    look(browser, (tmp_path / "m.html").as_uri(), width, scheme)
    assert browser.count(".chart svg") == sum(map(is_curve, model.shapes))
    assert browser.count("td[data-shade]") == 64
    assert "rgba(0, 0, 0, 0)" not in browser.run(
        "return [...document.querySelectorAll('td[data-shade]')]"
        ".map(e => getComputedStyle(e).backgroundColor)"
    )


def test_the_example_draws_the_shapes_of_a_file(splined, tmp_path):
    model = replace(splined[0], shapes=(of_two("a$b_c"), *splined[0].shapes))
    model.save(tmp_path / "m.aucbench")
    shapes_figure.main(tmp_path / "m.aucbench", tmp_path / "x.pdf")
    assert (tmp_path / "x.pdf").read_bytes()[:4] == b"%PDF"
    panels = shapes_figure.draw_shapes(model.shapes).axes
    assert [len(panel.lines) for panel in panels[1 : len(model.shapes)]] == [
        2 for _ in model.shapes[1:]
    ]


def test_a_model_without_shapes_is_not_drawn(tmp_path):
    made("auto", solver="hist-gradient-boosting[max_iter=5]")[1].save(tmp_path / "m.aucbench")
    with pytest.raises(SystemExit, match="has no shapes: its score is no sum"):
        shapes_figure.main(tmp_path / "m.aucbench", tmp_path / "x.pdf")
