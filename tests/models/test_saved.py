"""Models as files: equal scores, no rows, and nothing that a damaged file can do but be refused.

`pytest --hypothesis-profile=explore` changes each value of a document and each array in all ways.
"""

import json
import os
import pickle
import zipfile
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from hashlib import sha256
from io import BytesIO
from itertools import islice
from operator import getitem

import numpy as np
import pandas as pd
import pytest
from command_line import call
from hypothesis import settings
from saved_models import (
    ESTIMATORS,
    KINDS,
    NUMBERS,
    SPARSE,
    TREES,
    learnt,
    with_function,
)

from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import DataError, UnsupportedError
from aucbench.features import MaxAbs, MinMax, Standard, UnitCentred
from aucbench.metrics import Aim
from aucbench.models import Model, Operating, archive
from aucbench.models.document import structured
from aucbench.optim.classifiers import from_estimator
from aucbench.optim.trees import TreeSum, portable
from aucbench.registry import get_solver
from aucbench.solving.loop import solve
from aucbench.stats import Interval
from aucbench.store import files

X, Y = NUMBERS.rows.matrix, NUMBERS.y
LINEAR = "maxabs"  # a kind whose file has one array
LEARNT = [
    *("classes_", "pos_label_", "n_features_in_", "feature_names_in_", "coef_"),
    *("intercept_", "predict", "decision_function", "predict_proba"),
]
STEP = 1 if settings().max_examples >= 2000 else 61  # prime, to meet each kind of change


def content(path):
    with zipfile.ZipFile(path) as members:
        return {name: members.read(name) for name in members.namelist()}


def write(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, each in members.items():
            archive.writestr(name, each)
    return path


def with_document(source, path, change):
    """Write a copy whose document is another; the checksums of its arrays stay as they were."""
    members = content(source)
    document = json.loads(members["model.json"])
    change(document)
    return write(path, {**members, "model.json": json.dumps(document)})


@pytest.fixture
def saved(saved_models, request):
    return saved_models(request.param)


def kinds(*names):
    return pytest.mark.parametrize("saved", names, indirect=True, ids=str)


@pytest.mark.parametrize(
    ("saved", "kind"), [(kind, kind) for kind in KINDS], indirect=["saved"], ids=[*KINDS]
)
def test_a_model_comes_back_with_all_that_it_holds(saved, kind, tmp_path):
    again, found, wanted = Model.load(saved.path), None, saved.scores
    if isinstance(saved.rows, pd.DataFrame):
        answer = again.predict(saved.rows)
        pd.testing.assert_frame_equal(answer, saved.model.predict(saved.rows))
        found = answer["score"]
    else:
        scores = again.scores(saved.rows)
        np.testing.assert_array_equal(scores, saved.model.scores(saved.rows))
        found = scores[:, 0]
    if wanted is not None:  # XGBoost adds in single precision
        same = 1e-5 if kind.startswith("xgboost") else 1e-12
        np.testing.assert_allclose(found, wanted, rtol=same, atol=same)
    assert again.keeps_rows == any(name in kind for name in ("nystr", "kernel"))
    again.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == saved.path.read_bytes()
    assert again.report().content == saved.model.report().content


@kinds(*ESTIMATORS)
def test_an_estimator_comes_back_from_its_file_and_from_a_pickle(saved):
    model, X = saved.estimator, saved.rows
    for again in (type(model).load(saved.path), pickle.loads(pickle.dumps(model))):
        assert again.get_params(deep=False) == model.get_params(deep=False)
        for name in LEARNT:
            assert hasattr(again, name) == hasattr(model, name), name
            if hasattr(model, name):
                wanted, found = getattr(model, name), getattr(again, name)
                if callable(wanted):
                    wanted, found = wanted(X), found(X)
                np.testing.assert_array_equal(found, wanted)


def test_an_estimator_reads_a_file_of_fit(saved_models):
    from aucbench import AUCClassifier

    saved = saved_models("assessed")
    loaded = AUCClassifier.load(saved.path)
    asked = saved.rows[[*loaded.feature_names_in_]]
    np.testing.assert_array_equal(loaded.predict(asked), saved.model.predict(asked)["decision"])


def test_what_json_does_not_have_comes_back(tmp_path):
    scores, model = learnt()
    point = Operating.of(Y, scores, Aim(flags=0.25), "some rows")
    whole = replace(
        with_function(model, operating=point, spread=np.arange(6.0)),
        auc=Interval(0.75, float("nan"), 0.875, 0.95, "a method"),
        provenance={"solver": "svm-or", "missing": float("nan"), "list": [1, "ä"]},
    )
    whole.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert again.function.operating == point
    assert np.isnan(again.auc.low)
    assert again.auc == replace(whole.auc, low=again.auc.low)
    assert again.provenance == {"solver": "svm-or", "missing": None, "list": [1, "ä"]}


def test_maps_of_older_files_are_read():
    x = X - 3.0
    low, high = x.min(axis=0), x.max(axis=0)
    mean, rest = Standard().fit(Data.of(x, Y), None).learnt(6)[:2]
    older = [
        (MaxAbs(), {"kind": "maxabs", "peak": np.abs(x).max(axis=0)}),
        (MinMax(), {"kind": "min-max", "least": low, "most": high}),
        (UnitCentred(), {"kind": "unit-centred", "mean": mean, "rest": rest}),
    ]
    for phi, plain in older:
        wanted = phi.fit(Data.of(x, Y), None)(rows(x)).matrix
        assert np.array_equal(structured(plain, FeatureMap)(rows(x)).matrix, wanted)


def test_no_cell_of_a_row_is_in_what_held_out_rows_say(saved_models):
    saved = saved_models("assessed")
    [function] = json.loads(content(saved.path)["model.json"])["functions"]
    known = {"assessment": function["assessment"], "shapes": function["shapes"]}
    values = [reduce(getitem, path, known) for path in paths_of(known)]
    numbers = {value for value in values if isinstance(value, float)}
    assert numbers
    assert not numbers & {*saved.rows["age"].dropna(), *saved.rows["noise"]}


def test_private_arrays_of_trees_are_believed_only_where_they_give_the_scores():
    from sklearn.ensemble import ExtraTreesClassifier

    run = solve(from_estimator(ExtraTreesClassifier(15, random_state=0)), NUMBERS)
    for own in (NUMBERS.rows, SPARSE.rows):  # a forest is read from public ones
        trees = portable(run.model)
        np.testing.assert_allclose(trees.scores(own), run.decision_function(own), atol=1e-14)
    run = solve(get_solver("hist-gradient-boosting", max_iter=7), NUMBERS)
    boosting = run.model.model.estimator
    [first] = boosting._predictors[0]
    first.nodes["num_threshold"] += 0.1  # another meaning of the same array
    assert np.isfinite(portable(run.model).scores(NUMBERS.rows)).all()
    first.nodes = first.nodes[["value", "is_leaf"]]
    for _ in range(2):
        with pytest.raises(UnsupportedError, match="does not know"):
            portable(run.model)
        boosting._predictors = None


@pytest.mark.parametrize("change", [{"left": 0}, {"right": 99}, {"feature": 6}])
def test_trees_that_go_round_in_circles_are_refused(change):
    def grown(**more):
        arrays = {"feature": [2, -1, -1], "left": [1, 1, 2], "right": [2, 1, 2], "roots": [0]}
        for name, first in more.items():
            arrays[name] = [first, *arrays[name][1:]]
        whole = {name: np.array(values, np.int32) for name, values in arrays.items()}
        return TreeSum(threshold=np.zeros(3), value=np.array([0.0, 1.0, 2.0]), d=6, **whole)

    assert grown().scores(Data.of([[0.0] * 6, [1.0] * 6], [0, 1]).rows).tolist() == [1.0, 2.0]
    with pytest.raises(DataError, match="trees"):
        grown(**change)


def test_any_flipped_byte_is_found_and_no_part_is_a_model(saved_models, tmp_path):
    source, path = saved_models("roc-svm-nystrom").path, tmp_path / "m"
    whole, scores = source.read_bytes(), Model.load(source).scores(X)
    for at in np.linspace(0, len(whole) - 1, 60).astype(int):
        broken = bytearray(whole)
        broken[at] ^= 0x55
        path.write_bytes(broken)
        with suppress(DataError):  # any other error fails, and what loads is in no way different
            assert np.array_equal(Model.load(path).scores(X), scores)
    for share in (0, 0.1, 0.5, 0.99):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(DataError, match="damaged"):
            Model.load(path)


def at(*way):
    """Set the value at the end of a way through a document."""
    *places, last, value = way
    return lambda document: reduce(getitem, places, document).update({last: value})


@pytest.mark.parametrize(
    ("kind", "change", "word"),
    [
        (LINEAR, at("functions", 0, "score", {"kind": "os.system"}), "os.system"),
        (LINEAR, lambda d: d.pop("width"), "damaged"),
        (LINEAR, at("width", "3"), "whole number"),
        (LINEAR, at("columns", ["a"] * 6), "different names"),
        (LINEAR, at("format", "other"), "no model"),
        (LINEAR, lambda d: (at("version", 3)(d), at("provenance", "aucbench", "9.9")(d)), "9.9"),
        (LINEAR, at("functions", 0, "threshold", 10**400), "float"),
        (LINEAR, lambda d: at("weights", {"array": "../../x"})(d["functions"][0]["score"]), "dam"),
        (LINEAR, at("arrays", "../../etc/passwd", "0"), "damaged"),
        ("three classes", at("labels", [["ape"], ["bee"], ["bee"]]), "belongs to two"),
        ("three classes", at("functions", 1, "calibrator", None), "sigmoid"),
        ("three classes", lambda d: d["functions"].pop(), "2 score functions"),
    ],
)
def test_a_document_that_makes_no_sense_is_refused(saved_models, tmp_path, kind, change, word):
    path = with_document(saved_models(kind).path, tmp_path / "m", change)
    with pytest.raises(DataError) as told:
        Model.load(path)
    assert word in str(told.value)


def test_parts_that_do_not_fit_together_are_refused(saved_models, tmp_path):
    """Kernels do not check the numbers of columns, so that the reader must."""
    _, model = learnt("roc-svm-kernel", "none", SPARSE)
    [phi] = model.function.maps
    outside = replace(phi.landmarks, columns=phi.landmarks.columns + 1000)
    landmarks = with_function(model, maps=(replace(phi, landmarks=outside),)).to_tree()
    splines = saved_models("splines[knots=6] of a table").model.to_tree()
    block = next(one for one in splines["maps"][0]["blocks"] if one is not None)
    block["C"] = block["C"][1:]
    for tree, word in ((landmarks, "CSR"), (splines, "knots")):
        archive.write(tmp_path / "m", tree)
        with pytest.raises(DataError, match=word):
            Model.load(tmp_path / "m")


def test_an_array_is_never_unpickled_and_its_checksum_counts(saved_models, tmp_path, monkeypatch):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    packed, name = BytesIO(), "functions.0.score.weights"
    np.save(packed, np.array([Bomb()], dtype=object), allow_pickle=True)
    members = {**content(saved_models(LINEAR).path), f"{name}.npy": packed.getvalue()}
    path = write(tmp_path / "m", members)
    with pytest.raises(DataError, match=r"weights is damaged"):
        Model.load(path)
    digest = sha256(packed.getvalue()).hexdigest()
    with_document(path, path, lambda document: document["arrays"].update({name: digest}))
    with pytest.raises(DataError, match="Object"):
        Model.load(path)
    assert not (tmp_path / "exploded").exists()
    monkeypatch.setattr(archive, "MOST_UNPACKED", 1000)
    with pytest.raises(DataError, match="unpacks"):
        Model.load(saved_models(LINEAR).path)


OTHERS = (None, True, -1, 7, 10**400, 1.5, 1e999, "", "other", [], ["a"], [None], {}, {"a": 1})


def paths_of(plain, path=()):
    """Yield the way to each value of a document, those with values in them too."""
    yield path
    steps = plain.items() if isinstance(plain, dict) else ()
    for step, value in enumerate(plain) if isinstance(plain, list) else steps:
        yield from paths_of(value, (*path, step))


def with_other(plain, path, other):
    if not path:
        return other
    copy = plain.copy()
    copy[path[0]] = with_other(plain[path[0]], path[1:], other)
    return copy


def other_arrays(array):
    yield from (array[:0], array[:-1], np.concatenate([array, array[:1]]))
    yield from (array.reshape(1, -1), array.reshape(-1)[0], array.astype(complex))
    yield from (array.astype(str), array.astype(np.float64) * np.nan)
    yield (array - 10**6).astype(array.dtype)
    yield (array.astype(np.int64) + 2**40) if array.dtype.kind == "i" else array.astype(np.int8)


def changed(members):
    """Yield (what is changed, members) of each model file that differs in one value or array."""
    document = json.loads(members["model.json"])
    for path in [*paths_of(document)][1:]:
        for other in OTHERS:
            yield path, {**members, "model.json": json.dumps(with_other(document, path, other))}
    for name, each in members.items():
        for number, array in enumerate(
            () if ".json" in name else other_arrays(np.load(BytesIO(each)))
        ):
            np.save(packed := BytesIO(), array)
            sums = {name.removesuffix(".npy"): sha256(packed.getvalue()).hexdigest()}
            own = {**document, "arrays": {**document["arrays"], **sums}}
            changes = {"model.json": json.dumps(own), f"{name}.npy": packed.getvalue()}
            yield (name, number), {**members, **changes}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numbers that are changed
@kinds(TREES[0], "maxabs+nystroem[rank=7]", "auto of a table")
def test_a_value_that_makes_no_sense_is_refused_or_does_no_harm(saved, tmp_path):
    path, new, sentences = tmp_path / "m", tmp_path / "new.csv", []
    pd.DataFrame(saved.rows).to_csv(new, index=False)
    for what, members in islice(changed(content(saved.path)), 0, None, STEP):
        write(path, members)
        try:
            Model.load(path)
        except DataError as error:
            sentences.append(str(error))
            continue
        for command in (("explain", path), ("explain", path, "--json"), ("predict", path, new)):
            result = call(*command)
            fine = result.exception is None or isinstance(result.exception, SystemExit)
            assert fine, (what, result.exc_info)
    assert len(sentences) > 5
    assert all(said.startswith(str(path)) and "\n" not in said for said in sentences)


def test_a_save_that_dies_leaves_the_old_file(saved_models, tmp_path, monkeypatch):
    """It has written the new file, and not yet renamed it; see the tests of the store for kills."""
    path = tmp_path / "m"
    path.write_bytes(before := saved_models(LINEAR).path.read_bytes())
    written = []

    def die(*_):
        written.extend(part.stat().st_size for part in tmp_path.glob(".aucbench*.tmp"))
        raise SystemExit

    monkeypatch.setattr(files.os, "fsync", die)
    with pytest.raises(SystemExit):
        saved_models("roc-svm-nystrom").model.save(path)
    assert written[0] > 1000
    assert path.read_bytes() == before
