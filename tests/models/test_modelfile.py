"""Models as files: equal scores, no rows, and nothing that a damaged file can do but be refused."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO

import numpy as np
import pytest
from scipy.sparse import csr_array
from table_models import changed, model_of_run

from aucbench import contract
from aucbench.contract import FeatureMap
from aucbench.data import Data
from aucbench.data.arrays import rows
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.features import MaxAbs, MinMax, Standard, UnitCentred
from aucbench.metrics import Aim
from aucbench.models import Model, Operating, archive
from aucbench.models.calibration import Isotonic, Sigmoid
from aucbench.models.document import structured
from aucbench.optim.classifiers import from_estimator
from aucbench.optim.trees import TreeSum, portable
from aucbench.registry import get_features, get_solver
from aucbench.solving.loop import solve
from aucbench.stats import Interval

RNG = np.random.default_rng(3)
X = RNG.normal(size=(120, 6)) * [1, 5, 1, 1, 0.1, 1] + [0, 3, 0, 0, 0, 0]
Y = np.where(X[:, 0] + RNG.normal(size=120) > 0.5, 1, -1)
DENSE = Data.of(X, Y)
SPARSE = Data.of(csr_array(np.where(np.abs(X) > 1, X, 0.0)), Y)
MARK = 1.2345678901234567e-77  # no other computation gives these eight bytes

TREES = [
    *("random-forest", "hist-gradient-boosting", "lightgbm", "lightgbm-pairwise"),
    *("xgboost", "xgboost-pairwise"),
]


def learnt(solver="svm-or", features="auto", data=DENSE, **more):
    phi = get_features(features).fit(data, np.random.default_rng(0))
    run = solve(get_solver(solver), data.with_rows(phi(data.rows)), passes=3)
    given = {
        "width": data.d,
        "columns": tuple(f"column {j}" for j in range(data.d)),
        "threshold": 0.25,
        **more,
    }
    return run.decision_function(phi(data.rows)), model_of_run(run, phi, **given)


def saved(tmp_path, model):
    path = tmp_path / "m.aucbench"
    model.save(path)
    return path


@pytest.mark.parametrize("data", [DENSE, SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "features",
    ["none", "auto", "maxabs", "min-max", "unit", "unit-centred", "maxabs+nystroem[rank=7]"],
)
def test_every_map_of_aucbench_comes_back(tmp_path, data, features):
    scores, model = learnt(features=features, data=data)
    again = Model.load(saved(tmp_path, model))

    assert np.array_equal(again.scores(data.rows)[:, 0], scores)
    assert again.keeps_rows == ("nystroem" in features)


@pytest.mark.parametrize(
    "solver",
    ["logistic", "sht-auc", "sto-iht[intercept=True]", "roc-svm-nystrom", "roc-svm-kernel", *TREES],
)
def test_every_kind_of_solver_comes_back(tmp_path, solver):
    if solver.startswith(("lightgbm", "xgboost")):
        pytest.importorskip(solver.partition("-")[0])
    scores, model = learnt(solver)
    again = Model.load(saved(tmp_path, model))

    same = 1e-5 if solver.startswith("xgboost") else 1e-12  # XGBoost adds in single precision
    np.testing.assert_allclose(again.scores(X)[:, 0], scores, rtol=same, atol=same)


def test_everything_around_the_scores_comes_back(tmp_path):
    scores, model = learnt()
    point = Operating.of(Y, scores, Aim(flags=0.25), "some rows")
    function = replace(
        model.function,
        threshold=point.threshold,
        operating=point,
        calibrator=Sigmoid(-1.5, 0.25),
        spread=np.arange(6.0),
    )
    whole = replace(
        model,
        functions=(function,),
        auc=Interval(0.75, float("nan"), 0.875, 0.95, "a method"),
        auc_rows="some rows",
        provenance={"solver": "svm-or", "missing": float("nan"), "list": [1, "ä"]},
    )
    again = Model.load(saved(tmp_path, whole))

    assert again.function.operating == point
    assert again.function.calibrator == function.calibrator
    assert (again.auc.low, again.auc.high) == (pytest.approx(np.nan, nan_ok=True), 0.875)
    assert np.array_equal(again.function.spread, function.spread)
    assert again.provenance == {"solver": "svm-or", "missing": None, "list": [1, "ä"]}
    isotonic = changed(model, calibrator=Isotonic((0.0, 1.0), (0.25, 0.5)))
    curve = Model.load(saved(tmp_path, isotonic)).function.calibrator
    assert curve(np.array([0.5, 7.0])).tolist() == [0.375, 0.5]


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


def test_equal_models_are_equal_files(tmp_path):
    first = saved(tmp_path, learnt()[1]).read_bytes()
    assert saved(tmp_path, learnt()[1]).read_bytes() == first


@pytest.mark.parametrize("solver", ["svm-or", "logistic", "sht-auc"])
@pytest.mark.parametrize("features", ["maxabs", "auto", "min-max", "unit-centred", "none"])
def test_no_training_row_is_in_the_file_of_a_linear_model(tmp_path, solver, features):
    """The numbers of a marked row are looked for, and those of all rows."""
    marked = X.copy()
    marked[17, 2] = MARK
    _, model = learnt(solver, features, Data.of(marked, Y))
    path = saved(tmp_path, model)

    with zipfile.ZipFile(path) as members:
        content = b"".join(map(members.read, members.namelist()))
    assert np.float64(MARK).tobytes() not in content
    assert repr(MARK).encode() not in content
    ends = {*marked.max(axis=0), *(-marked.min(axis=0)), *marked.min(axis=0)}  # maxabs has these
    there = [x for x in marked.ravel() if x not in ends and x.tobytes() in content]
    assert there == []


def test_what_cannot_be_saved_scores_rows_and_is_refused_with_a_way_out():
    scores, model = learnt("estimator[sklearn.ensemble:GradientBoostingClassifier]")
    assert np.array_equal(model.scores(X)[:, 0], scores)
    with pytest.raises(
        UnsupportedError, match=r"private attributes, .* use hist-gradient-boosting"
    ):
        model.to_tree()

    class Odd(MaxAbs):
        def __call__(self, rows):
            return rows

    run = solve(get_solver("svm-or"), DENSE, passes=1)
    with pytest.raises(UnsupportedError, match="map Odd is not one of aucbench's own"):
        model_of_run(run, Odd(), width=6).to_tree()

    @dataclass
    class Silent(contract.Model):
        pass

    with pytest.raises(UnsupportedError, match="Silent has no method portable, and cannot"):
        portable(Silent())


def test_a_forest_is_read_from_public_arrays():
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.neighbors import KNeighborsClassifier

    run = solve(from_estimator(ExtraTreesClassifier(15, random_state=0)), DENSE)
    trees = portable(run.model)
    np.testing.assert_allclose(trees.scores(DENSE.rows), run.decision_function(X), atol=1e-14)
    np.testing.assert_allclose(trees.scores(SPARSE.rows), run.decision_function(SPARSE.rows))
    with pytest.raises(DataError, match="X has 5 columns, the trees have 6"):
        trees.scores(Data.of(X[:, :5], Y).rows)
    neighbours = solve(from_estimator(KNeighborsClassifier()), DENSE)
    with pytest.raises(UnsupportedError, match="KNeighborsClassifier"):
        portable(neighbours.model)


def test_trees_from_private_arrays_are_believed_only_where_they_give_the_scores():
    run = solve(get_solver("hist-gradient-boosting", max_iter=7), DENSE)
    trees = portable(run.model)
    np.testing.assert_allclose(trees.scores(DENSE.rows), run.decision_function(X), rtol=1e-12)

    boosting = run.model.model.estimator
    [first] = boosting._predictors[0]
    first.nodes["num_threshold"] += 0.1  # another meaning of the same array
    assert np.isfinite(portable(run.model).scores(DENSE.rows)).all()
    first.nodes = first.nodes[["value", "is_leaf"]]
    with pytest.raises(UnsupportedError, match="in a way that aucbench does not know"):
        portable(run.model)
    boosting._predictors = None
    with pytest.raises(UnsupportedError, match="in a way that aucbench does not know"):
        portable(run.model)


def rewritten(path, change, name="model.json"):
    """Write the archive again with another member; checksums of arrays stay as they were."""
    with zipfile.ZipFile(path) as old:
        members = {member: old.read(member) for member in old.namelist()}
    members[name] = change(members[name])
    with zipfile.ZipFile(path, "w") as new:
        for member, content in members.items():
            new.writestr(member, content)
    return path


def with_document(path, change):
    def changed(content):
        document = json.loads(content)
        change(document)
        return json.dumps(document).encode()

    return rewritten(path, changed)


def test_any_flipped_byte_is_found(tmp_path):
    path = saved(tmp_path, learnt("roc-svm-nystrom")[1])
    whole, scores = path.read_bytes(), Model.load(path).scores(X)
    for at in np.linspace(0, len(whole) - 1, 80).astype(int):
        broken = bytearray(whole)
        broken[at] ^= 0x55
        path.write_bytes(broken)
        with suppress(DataError):  # any other error fails, and what loads is in no way different
            assert np.array_equal(Model.load(path).scores(X), scores)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_refused(tmp_path, share):
    path = saved(tmp_path, learnt()[1])
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(DataError, match="is no model of aucbench, or it is damaged"):
        Model.load(path)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .* save a model first"):
        Model.load(tmp_path / "none")
    np.savez(tmp_path / "a.npz", X=X)
    with pytest.raises(DataError, match=r"has no model\.json, so that it is no model of aucbench"):
        Model.load(tmp_path / "a.npz")
    with pytest.raises(ParameterError, match="cannot write"):
        learnt()[1].save(tmp_path / "no folder" / "m")


def test_a_newer_version_is_refused_by_its_name(tmp_path):
    path = saved(tmp_path, learnt(provenance={"aucbench": "9.9"})[1])
    with_document(path, lambda document: document.update(version=3))
    with pytest.raises(DataError, match=r"version 3, and this aucbench reads version 2; .* 9\.9"):
        Model.load(path)


def score_of(document):
    return document["functions"][0]["score"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda d: d["functions"][0]["score"].update(kind="os.system"),
            "a part of the kind 'os.system'",
        ),
        (lambda d: d["maps"][0].update(kind="pickle"), "a part of the kind 'pickle'"),
        (lambda d: d.pop("width"), "damaged"),
        (lambda d: d.update(columns=["a"]), "1 names for 6 columns"),
        (lambda d: d.update(more=1), "damaged"),
        (lambda d: d["functions"][0].update(threshold=None), "damaged"),
        (
            lambda d: score_of(d).update(weights={"array": "../../etc/passwd"}),
            "damaged",
        ),
        (lambda d: d["arrays"].update({"../../etc/passwd": "0"}), "damaged"),
        (lambda d: d.update(format="other"), "no model of aucbench"),
        (lambda d: d.update(maps=[7]), r"int, not a mapping @ model\.json\.maps\[0\]"),
        (lambda d: d["columns"].append([]), r"list, not str @ model\.json\.columns\[6\]"),
        (lambda d: d.update(width="3"), "'3' is no whole number"),
        (lambda d: d["functions"][0].update(threshold=10**400), "no number that a float holds"),
        (lambda d: d.update(columns=["a"] * 6), "do not have different names"),
    ],
)
def test_a_document_that_makes_no_sense_is_refused(tmp_path, change, said):
    path = with_document(saved(tmp_path, learnt()[1]), change)
    with pytest.raises(DataError, match=said):
        Model.load(path)


def test_an_array_is_never_unpickled_and_its_checksum_counts(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    packed = BytesIO()
    np.save(packed, np.array([Bomb()], dtype=object), allow_pickle=True)
    path = saved(tmp_path, learnt()[1])
    rewritten(path, lambda _: packed.getvalue(), "functions.0.score.weights.npy")
    with pytest.raises(DataError, match=r"the array functions\.0\.score\.weights is damaged"):
        Model.load(path)
    sums = {"functions.0.score.weights": sha256(packed.getvalue()).hexdigest()}
    with_document(path, lambda document: document["arrays"].update(sums))
    with pytest.raises(DataError, match="Object arrays cannot be loaded"):
        Model.load(path)
    assert not (tmp_path / "exploded").exists()


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    path = saved(tmp_path, learnt()[1])
    monkeypatch.setattr(archive, "MOST_UNPACKED", 1000)
    with pytest.raises(DataError, match=r"unpacks to .* a model has at most"):
        Model.load(path)


def test_landmarks_whose_columns_lie_outside_are_refused(tmp_path):
    """Kernels do not check column numbers, so that the reader must."""
    _, model = learnt("roc-svm-kernel", "none", SPARSE)
    [phi] = model.function.maps
    outside = replace(phi.landmarks, columns=phi.landmarks.columns + 1000)
    broken = changed(model, maps=(replace(phi, landmarks=outside),))
    with pytest.raises(DataError, match="not a valid CSR matrix"):
        Model.load(saved(tmp_path, broken))


@pytest.mark.parametrize("change", [{"left": 0}, {"right": 99}, {"feature": 6}])
def test_trees_that_go_round_in_circles_are_refused(change):
    def grown(**more):
        arrays = {"feature": [2, -1, -1], "left": [1, 1, 2], "right": [2, 1, 2], "roots": [0]}
        for name, first in more.items():
            arrays[name] = [first, *arrays[name][1:]]
        whole = {name: np.array(values, np.int32) for name, values in arrays.items()}
        return TreeSum(threshold=np.zeros(3), value=np.array([0.0, 1.0, 2.0]), d=6, **whole)

    assert grown().scores(Data.of([[0.0] * 6, [1.0] * 6], [0, 1]).rows).tolist() == [1.0, 2.0]
    with pytest.raises(DataError, match="not those of trees"):
        grown(**change)


def test_rows_with_other_columns_are_refused():
    with pytest.raises(DataError, match="X has 5 columns, the model has 6"):
        learnt()[1].scores(X[:, :5])


def test_no_rows_have_no_scores():
    assert learnt()[1].scores(DENSE.rows.take(slice(0, 0))).shape == (0, 1)


SAVING = """
import sys, time
from pathlib import Path
from aucbench.store import files
from aucbench.models import Model

model = Model.load(sys.argv[1])
files.os.fsync = lambda number: time.sleep(600)  # the file is written, and not yet renamed
model.save(sys.argv[2])
"""


def test_kill_9_while_a_model_is_saved_leaves_the_old_file(tmp_path):
    path = saved(tmp_path, learnt()[1])
    (tmp_path / "new").mkdir()
    other = saved(tmp_path / "new", learnt("roc-svm-nystrom")[1])
    before = path.read_bytes()
    process = subprocess.Popen([sys.executable, "-c", SAVING, other, path])
    try:
        deadline = time.monotonic() + 60
        while not any(part.stat().st_size > 1000 for part in tmp_path.glob(".aucbench*.tmp")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert path.read_bytes() == before
    assert Model.load(path).function.weights.size == 6
