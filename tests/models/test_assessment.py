"""What rows that did not train a model say of it: numbers beside naive ones, and no row in them."""

import json
import zipfile
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from assessed_models import assessed_model, patients
from nights import first
from scipy.sparse import csr_array

from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.datasets import load
from aucbench.datasets.reading import Reading
from aucbench.errors import ParameterError
from aucbench.metrics import auc
from aucbench.models import Model
from aucbench.models.assessing import SHARES
from aucbench.models.assessment import DEALT, SMALLEST, TAKEN_OUT
from aucbench.models.attribution import (
    MISSING,
    MOST_JUDGED,
    OTHERS,
    Additive,
    Encoded,
    bins_of,
    effects,
    importances,
    judged_columns,
)
from aucbench.models.recipe import Recipe
from aucbench.pairs import Group
from aucbench.registry.specs import parse_spec


@pytest.fixture(scope="module")
def known():
    return assessed_model(by=("age",))


def shuffled(table, j, rng):
    cells = np.array(table.matrix)
    cells[:, j] = rng.permutation(cells[:, j])
    return rows(cells)


def test_cuts_count_the_rows_held_out(known):
    model, held, _ = known
    told = model.assessment
    assert (told.rows, told.positives) == (held.y.size, (held.y > 0).sum())
    assert len(told.cuts) <= 210
    for cut in told.cuts:
        found = held.scores >= cut.threshold
        assert (cut.tp, cut.fp) == ((found & (held.y > 0)).sum(), (found & (held.y < 0)).sum())
    ends = [0, *(cut.fp for cut in told.cuts)], [0, *(cut.tp for cut in told.cuts)]
    area = np.trapezoid(ends[1], ends[0]) / told.positives / (told.rows - told.positives)
    assert area == pytest.approx(auc(held.y, held.scores), abs=2e-3)
    flagged = [told.cuts[k].tp + told.cuts[k].fp for k in told.flags]
    assert flagged == sorted({int(share * told.rows) for share in SHARES} - {0})


def test_importance_is_the_fall_of_the_auc_on_rows_that_the_part_has_not_seen(known):
    model, held, data = known
    told = {one.column: one.drop for one in model.assessment.importance}
    assert [*told][:2] == ["visits", "age"]
    assert told["visits"].low > 0 < told["age"].estimate
    assert told["noise"].low < 0.01
    assert model.assessment.columns == len(told) == 7
    table, y = data.take(held.part.rows).rows, data.y[held.part.rows]
    j = data.names.index("visits")
    same = np.array(table.matrix)
    same[:, j] = 2.0  # what a column adds where it is the same in all rows changes no rank
    part = held.part.model
    naive = auc(y, part.scores(table)) - auc(y, part.scores(rows(same)))
    assert told["visits"].estimate == pytest.approx(naive, abs=1e-12)
    assert model.assessment.how == TAKEN_OUT


def test_the_cells_of_a_column_are_dealt_out_anew_where_a_score_is_no_sum():
    model, held, data = assessed_model(solver="hist-gradient-boosting[max_iter=20]")
    told = {one.column: one.drop for one in model.assessment.importance}
    table, y = data.take(held.part.rows).rows, data.y[held.part.rows]
    j, rng = data.names.index("visits"), np.random.default_rng(5)
    falls = [auc(y, held.part.model.scores(shuffled(table, j, rng))) for _ in range(30)]
    naive = auc(y, held.part.model.scores(table)) - np.mean(falls)
    assert told["visits"].estimate == pytest.approx(naive, abs=0.03)
    assert model.assessment.how == DEALT


@pytest.mark.parametrize("draws", first([40, 300], 1))
@pytest.mark.parametrize("solver", ["logistic", "roc-svm-nystrom[rank=20]"])
def test_intervals_of_importance_hold_what_many_rows_say(draws, solver):
    data = load(patients(8000, 1), Reading(target="back", positive="yes"))
    rng = np.random.default_rng(0)
    rest = np.arange(600, data.n, dtype=np.int32)
    part = Recipe(solver=parse_spec(solver), passes=5.0).fitted(data, np.arange(600))
    many = data.take(rest)
    scores, additive = part.scores(many.rows), Additive.of(part)
    truth = {}
    for j, name in enumerate(data.names):
        if additive is None:
            without = [part.scores(shuffled(many.rows, j, rng)) for _ in range(5)]
        else:
            without = [scores - additive.effects(many.rows, [additive.columns.index((j,))])[:, 0]]
        truth[name] = auc(many.y, scores) - np.mean([auc(many.y, s) for s in without])
    inside = []
    for _ in range(draws):
        few = np.sort(rng.choice(rest, 200, replace=False))
        worth = importances(part, data, few, rng)
        assert worth.rows == 200
        told = [(one.drop, truth[one.column]) for one in worth.importance]
        inside += [drop.low <= true <= drop.high for drop, true in told]
    assert np.mean(inside) >= 0.93


@pytest.mark.parametrize("sparse", [False, True])
def test_features_are_moved_and_replaced_as_cells_are(sparse):
    """Cells are encoded once; naively they are changed first, and encoded then."""
    data = load(patients(60), Reading(target="back", positive="yes"))
    model = Recipe(solver=parse_spec("logistic"), passes=5.0).fitted(data)
    model = replace(model, encoding=replace(model.encoding, sparse=sparse))
    encoded, rng = Encoded.of(model), np.random.default_rng(0)
    features = encoded.features(data.rows)
    assert features.is_sparse == sparse
    for j in range(data.d):
        order, cells = rng.permutation(data.n), np.array(data.rows.matrix)
        cells[:, j] = cells[order, j]
        moved = encoded.model.scores(encoded.dealt(features, j, order))
        assert np.array_equal(moved, model.scores(rows(cells)))
        values = np.array([data.rows.matrix[3, j], np.nan])
        for value, block in zip(values, encoded.blocks(data.rows, j, values), strict=True):
            cells[:, j] = value
            said = encoded.model.scores(encoded.set_to(features, j, block))
            assert np.array_equal(said, model.scores(rows(cells)))


@pytest.mark.parametrize("solver", ["svm-or", "hist-gradient-boosting", "roc-svm-nystrom[rank=20]"])
@pytest.mark.parametrize("sparse", [False, True])
def test_of_many_columns_those_are_judged_that_count(solver, sparse):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 60)) * (rng.random((300, 60)) < 0.7)
    y = np.where(2 * X[:, 7] + X[:, 55] + 0.3 * rng.normal(size=300) > 0, 1, -1)
    data = Data.of(csr_array(X) if sparse else X, y)
    model = Recipe(solver=parse_spec(solver), passes=5.0).fitted(data)
    chosen = judged_columns(Encoded.of(model), data.rows, model.scores(data.rows))
    assert len(chosen) == MOST_JUDGED
    assert {7, 55} <= {*chosen[:4]}


def test_the_effect_of_a_column_of_a_linear_model_is_its_line():
    model, _, _ = assessed_model(calibration=None)
    effect = next(one for one in model.assessment.effects if one.column == "visits")
    places = [one for one in effect.places if one.value is not None]
    slopes = np.diff([one.predicted for one in places]) / np.diff([one.value for one in places])
    assert np.ptp(slopes) < 1e-9 * abs(slopes[0])
    assert slopes[0] > 0
    ages = next(one for one in model.assessment.effects if one.column == "age").places
    assert ages[-1].name == MISSING
    assert sum(one.rows for one in ages) == model.assessment.rows


def test_levels_and_bins_have_enough_rows(known):
    model, _, _ = known
    effects = {one.column: one for one in model.assessment.effects}
    assert all(one.rows >= SMALLEST for effect in effects.values() for one in effect.places)
    assert {one.name for one in effects["smoker"].places} == {"yes", "no"}
    assert effects["code"].places[-1].name == OTHERS
    assert all(one.name[:5] in ("2024-", "2025-") for one in effects["seen"].places)
    for cells in (np.arange(100.0), np.repeat([1.0, 2.0], [95, 5]), np.r_[np.full(9, 7.0), np.nan]):
        parts = [inside for _, inside in bins_of(cells, 8)]
        assert all(inside.sum() >= SMALLEST for inside in parts)
        assert not any((a & b).any() for a, b in pairwise(parts))


def test_groups_have_the_auc_of_their_rows_and_the_weak_one_is_found(known):
    model, held, data = known
    told = {(one.column, one.level): one for one in model.assessment.groups}
    ward = data.schema.columns[data.names.index("ward")]
    inside = data.rows.matrix[held.rows, data.names.index("ward")] == ward.levels.index("south")
    south = told["ward", "south"]
    assert (south.rows, south.positives) == (inside.sum(), (held.y[inside] > 0).sum())
    assert south.auc.estimate == pytest.approx(auc(held.y[inside], held.scores[inside]))
    assert south.others == pytest.approx(auc(held.y[~inside], held.scores[~inside]))
    assert south.p < 1e-3 < told["smoker", "yes"].p
    ages = [level for column, level in told if column == "age"]
    assert (ages[0][:6], ages[3][:5], ages[4:]) == ("up to ", "from ", ["(missing)"])
    assert not any(column in ("code", "noise", "visits") for column, _ in told)


def test_free_text_has_no_groups_and_no_shape():
    frame = patients(400)
    words = np.random.default_rng(0).choice(["pain", "fever", "cough", "none"], (400, 4))
    frame["note"] = [f"{' '.join(row)} {k}" for k, row in enumerate(words)]
    model, _, data = assessed_model(frame)
    assert data.schema.columns[data.names.index("note")].kind == "text"
    assert "note" in {one.column for one in model.assessment.importance}
    assert "note" not in {one.column for one in model.assessment.effects}
    with pytest.raises(ParameterError, match="'note' holds free text, which has no groups"):
        assessed_model(frame, by=("note",))


def numbers_in(plain):
    if isinstance(plain, dict):
        plain = [*plain.values()]
    if isinstance(plain, list):
        for part in plain:
            yield from numbers_in(part)
    elif isinstance(plain, float):
        yield plain


def test_it_comes_back_from_a_file_that_holds_no_cell_of_a_row(known, tmp_path):
    model, _, _ = known
    model.save(tmp_path / "m.aucbench")
    assert Model.load(tmp_path / "m.aucbench").assessment == model.assessment
    with zipfile.ZipFile(tmp_path / "m.aucbench") as file:
        [name] = [name for name in file.namelist() if name.endswith(".json")]
        tree = json.loads(file.read(name))
    frame = patients()
    cells = {*frame["age"].dropna(), *frame["noise"]}
    assert not cells & {*numbers_in(tree["assessment"])}


def test_the_shape_of_an_effect_needs_no_positive_among_the_rows_that_are_looked_at():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    data = Data.of(X, np.where(np.arange(4000) % 400 == 0, 1, -1))  # ten positives
    model = Recipe(solver=parse_spec("logistic")).fitted(data)
    held = np.arange(4000, dtype=np.int32)
    told = effects(model, data, held, ["column 0"], np.random.default_rng(1))
    assert [one.column for one in told] == ["column 0"]


def test_within_groups_a_column_of_the_group_is_worth_nothing():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(300), 4)
    own, level = rng.normal(size=1200), rng.normal(size=300)[group]
    y = np.where(own + 2 * level + rng.normal(size=1200) > 0, 1, -1)
    data = Data.of(np.column_stack([own, level]), y, groups=group)
    first, unseen = np.arange(400), np.arange(400, 1200, dtype=np.int32)
    part = Recipe(solver=parse_spec("logistic"), passes=5.0).fitted(data, first)
    told = {
        name: {one.column: one.drop for one in importances(part, judged, unseen, rng).importance}
        for name, judged in (("auc", data), ("gauc", replace(data, pairs=Group())))
    }
    own, level = told["gauc"]
    assert told["auc"][level].low > 0.1
    assert told["gauc"][level].estimate == 0.0
    assert told["gauc"][own].low > 0.05
    assert told["gauc"][own].method == "influence by groups, paired"
