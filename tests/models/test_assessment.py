"""What held-out rows say about a model, and the shapes of its effects, beside naive numbers."""

from dataclasses import replace

import numpy as np
import pytest
import shapes_figure
from nights import first_rows
from refusals import assert_refused
from saved_models import assessed_model, every, patients, read, with_function
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import ParameterError
from aucbench.metrics import auc
from aucbench.models.assessing import (
    MOST_COLUMNS,
    SHARES,
    importances,
    leading_columns,
    shuffled,
)
from aucbench.models.assessment import REMOVED, SHUFFLED, SMALLEST
from aucbench.models.effects import (
    MISSING,
    OTHERS,
    SET_ROWS,
    Additive,
    encoded,
    owners,
    shapes,
)
from aucbench.models.explain import effect_text
from aucbench.models.recipe import Recipe
from aucbench.pairs import Group


@pytest.fixture(scope="module")
def known():
    model, held, data = assessed_model(by=("age",))
    return model.function.assessment, held, data


def shuffled_cells(table, j, order):
    cells = np.array(table.matrix)
    cells[:, j] = cells[order, j]
    return rows(cells)


def scores(model, table):
    return model.scores(table)[:, 0]


def test_cuts_count_the_held_out_rows(known):
    found, held, _ = known
    assert (found.rows, found.positives) == (held.y.size, (held.y > 0).sum())
    assert len(found.cuts) <= 210
    for cut in found.cuts:
        flagged = held.scores >= cut.threshold
        assert (cut.tp, cut.fp) == ((flagged & (held.y > 0)).sum(), (flagged & (held.y < 0)).sum())
    ends = [0, *(cut.fp for cut in found.cuts)], [0, *(cut.tp for cut in found.cuts)]
    area = np.trapezoid(ends[1], ends[0]) / found.positives / (found.rows - found.positives)
    assert area == pytest.approx(auc(held.y, held.scores), abs=2e-3)
    flagged = [found.cuts[k].tp + found.cuts[k].fp for k in found.flags]
    assert flagged == sorted({int(share * found.rows) for share in SHARES} - {0})


def test_importance_is_the_fall_of_the_auc_on_rows_that_the_part_has_not_seen(known):
    found, held, data = known
    drops = {one.column: one.drop for one in found.importance}
    assert [*drops][:2] == ["visits", "age"]
    assert drops["visits"].low > 0 < drops["age"].estimate
    assert drops["noise"].low < 0.01
    assert found.columns == len(drops) == 7
    table, y = data.take(held.part.rows).rows, data.y[held.part.rows]
    same = np.array(table.matrix)
    same[:, data.names.index("visits")] = 2.0  # a constant in all rows changes no rank
    part = held.part.model
    naive = auc(y, scores(part, table)) - auc(y, scores(part, rows(same)))
    assert drops["visits"].estimate == pytest.approx(naive, abs=1e-12)
    assert found.how == REMOVED


@pytest.mark.parametrize(
    ("solver", "draws"),
    first_rows([("logistic", 20), ("logistic", 300), ("roc-svm-nystrom[rank=20]", 300)]),
)
def test_intervals_of_importance_hold_what_many_rows_say(solver, draws):
    data = read(patients(8000, 1))
    rng = np.random.default_rng(0)
    rest = np.arange(600, data.n, dtype=np.int32)
    part = Recipe(solver=solver, passes=5.0).fitted(data, np.arange(600))
    many = data.take(rest)
    whole, additive = scores(part, many.rows), Additive.of(part)
    truth = {}
    for j, name in enumerate(data.names):
        if additive is None:
            orders = [rng.permutation(many.n) for _ in range(5)]
            without = [scores(part, shuffled_cells(many.rows, j, order)) for order in orders]
        else:
            without = [whole - additive.effects(many.rows, [additive.columns.index((j,))])[:, 0]]
        truth[name] = auc(many.y, whole) - np.mean([auc(many.y, s) for s in without])
    inside = []
    for _ in range(draws):
        few = np.sort(rng.choice(rest, 200, replace=False))
        found = importances(part, data, few, rng)
        assert found.how == (SHUFFLED if additive is None else REMOVED)
        for one in found.importance:
            inside.append(one.drop.low <= truth[one.column] <= one.drop.high)
    assert np.mean(inside) >= 0.93


@pytest.mark.parametrize("sparse", [False, True])
def test_features_are_shuffled_as_cells_are(sparse):
    """Cells are encoded once; naively they are changed first, and encoded then."""
    data = read(patients(60))
    model = Recipe(solver="logistic", passes=5.0).fitted(data)
    model = replace(model, encoding=replace(model.encoding, sparse=sparse))
    bare, features = encoded(model, data.rows)
    assert features.is_sparse == sparse
    for j in range(data.d):
        order = np.random.default_rng(j).permutation(data.n)
        moved = shuffled(features, np.flatnonzero(owners(model) == j), order)
        naive = model.scores(shuffled_cells(data.rows, j, order))
        assert np.array_equal(bare.scores(moved), naive)


@pytest.mark.parametrize(
    "solver", ["svm-or", "hist-gradient-boosting[max_iter=20]", "roc-svm-nystrom[rank=20]"]
)
def test_of_many_columns_those_are_chosen_that_count(solver):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 60)) * (rng.random((300, 60)) < 0.7)
    y = np.where(2 * X[:, 7] + X[:, 55] + 0.3 * rng.normal(size=300) > 0, 1, -1)
    for table in (X, csr_array(X)):
        data = Data.of(table, y)
        chosen = leading_columns(Recipe(solver=solver, passes=5.0).fitted(data), data.rows)
        assert len(chosen) == MOST_COLUMNS
        assert {7, 55} <= {*chosen[:4]}


def test_groups_have_the_auc_of_their_rows_and_the_weak_one_is_found(known):
    found, held, data = known
    groups = {(one.column, one.level): one for one in found.groups}
    ward = data.schema.columns[data.names.index("ward")]
    inside = data.rows.matrix[held.rows, data.names.index("ward")] == ward.levels.index("south")
    south = groups["ward", "south"]
    assert (south.rows, south.positives) == (inside.sum(), (held.y[inside] > 0).sum())
    assert south.auc.estimate == pytest.approx(auc(held.y[inside], held.scores[inside]))
    assert south.others == pytest.approx(auc(held.y[~inside], held.scores[~inside]))
    assert south.p < 1e-3 < groups["smoker", "yes"].p
    ages = [level for column, level in groups if column == "age"]
    assert (ages[0][:6], ages[3][:5], ages[4:]) == ("up to ", "from ", [MISSING])
    assert not any(column in ("code", "noise", "visits") for column, _ in groups)


def test_free_text_has_no_groups_and_no_shape():
    frame = patients(300)
    words = np.random.default_rng(0).choice(["pain", "fever", "cough", "none"], (300, 4))
    frame["note"] = [f"{' '.join(row)} {k}" for k, row in enumerate(words)]
    model, _, _ = assessed_model(frame)
    assert "note" in {one.column for one in model.function.assessment.importance}
    curves = {shape.name: shape.axes[0].names for shape in model.function.shapes}
    assert "note" not in curves
    assert {*curves["smoker"]} == {"yes", "no"}
    assert curves["code"][-1] == OTHERS
    assert all(name[:5] in ("2024-", "2025-") for name in curves["seen"])
    assert_refused(lambda: assessed_model(frame, by=("note",)), ParameterError, "'note'")


@pytest.mark.parametrize("solver", ["logistic", "hist-gradient-boosting[max_iter=20]"])
def test_within_groups_a_column_of_the_group_has_no_importance(solver):
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(300), 4)
    own, level = rng.normal(size=1200), rng.normal(size=300)[group]
    y = np.where(own + 2 * level + rng.normal(size=1200) > 0, 1, -1)
    data = Data.of(np.column_stack([own, level]), y, groups=group)
    seen, unseen = np.arange(400), np.arange(400, 1200, dtype=np.int32)
    part = Recipe(solver=solver, passes=5.0).fitted(data, seen)
    drops = {
        name: {one.column: one.drop for one in importances(part, table, unseen, rng).importance}
        for name, table in (("auc", data), ("gauc", replace(data, pairs=Group())))
    }
    own, level = drops["gauc"]
    assert drops["auc"][level].low > 0.1
    assert drops["gauc"][level].estimate == 0.0
    assert drops["gauc"][own].low > 0.05
    assert drops["gauc"][own].method == "influence by groups, paired"


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
