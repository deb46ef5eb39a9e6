"""A saved `AUCClassifier` is the same classifier after it is loaded."""

import numpy as np
import pandas as pd
import pytest
from nights import first

from aucbench import AUCClassifier, get_dataset, get_solver
from aucbench.errors import DataError, ParameterError, UnknownNameError, UnsupportedError
from aucbench.models import Model

DATA = get_dataset("breast-cancer")
FRAME = pd.DataFrame(DATA.rows.matrix, columns=list(DATA.names))
WORDS = np.where(DATA.y > 0, "yes", "no")


def again(tmp_path, model):
    model.save(tmp_path / "m.aucbench")
    return AUCClassifier.load(tmp_path / "m.aucbench")


@pytest.mark.parametrize(
    "solver",
    ["sto-iht[k=5,intercept=True]", "random-forest[n_estimators=10]"],
)
@pytest.mark.parametrize("features", first(["maxabs+nystroem[rank=9]", "none"]))
def test_scores_and_decisions_come_back(tmp_path, solver, features):
    model = AUCClassifier(solver, features=features, passes=3, calibration="isotonic")
    model.fit(FRAME, WORDS)
    found = again(tmp_path, model)

    np.testing.assert_allclose(
        found.decision_function(FRAME), model.decision_function(FRAME), rtol=1e-12, atol=1e-12
    )
    assert found.predict(FRAME).tolist() == model.predict(FRAME).tolist()
    np.testing.assert_allclose(found.predict_proba(FRAME), model.predict_proba(FRAME), atol=1e-12)
    assert found.get_params(deep=False) == model.get_params(deep=False)
    assert found.threshold_ == model.threshold_


def test_coefficients_names_and_types_of_labels_come_back(tmp_path):
    model = AUCClassifier("svm-or", passes=3).fit(FRAME, DATA.y)
    found = again(tmp_path, model)

    np.testing.assert_array_equal(found.coef_, model.coef_)
    np.testing.assert_array_equal(found.intercept_, model.intercept_)
    assert found.feature_names_in_.tolist() == list(DATA.names)
    assert (found.classes_.tolist(), found.n_features_in_) == ([-1, 1], 30)
    told = Model.load(tmp_path / "m.aucbench").provenance["warnings"]
    assert "chosen on training rows" in told[0]
    with pytest.raises(DataError, match="feature names should match"):
        found.predict(FRAME.iloc[:, ::-1])
    assert not hasattr(found, "predict_proba")
    assert not hasattr(found, "run_")


def test_a_threshold_may_serve_an_aim(tmp_path):
    model = AUCClassifier("svm-or", passes=3, aim={"flags": 0.1}).fit(FRAME, WORDS)
    assert 0 < np.mean(model.predict(FRAME) == "yes") <= 0.1
    assert again(tmp_path, model).aim == {"flags": 0.1}
    with pytest.raises(UnknownNameError, match="unknown aim of a threshold 'recall'"):
        AUCClassifier("svm-or", aim={"recall": 0.1}).fit(FRAME, WORDS)
    for twice, said in ({"flags": 0.1}, "give one of them"), ({"sensitivity": 0.1}, "given twice"):
        with pytest.raises(ParameterError, match=said):
            AUCClassifier("svm-or", aim=twice, sensitivity=0.5).fit(FRAME, WORDS)


def test_a_solver_that_is_an_object_is_kept_as_text_and_fitted_again(tmp_path):
    model = AUCClassifier(get_solver("sht-auc", k=3), passes=2, warm_start=True).fit(FRAME, WORDS)
    found = again(tmp_path, model)
    assert "k=3" in found.solver
    np.testing.assert_array_equal(found.predict(FRAME), model.predict(FRAME))
    found.solver = "sht-auc[k=3]"
    model.fit(FRAME, WORDS)
    np.testing.assert_array_equal(found.fit(FRAME, WORDS).run_.w, model.run_.w)


def test_what_it_cannot_hold_is_refused(tmp_path):
    neighbours = AUCClassifier("estimator[sklearn.neighbors:KNeighborsClassifier]")
    with pytest.raises(UnsupportedError, match="use hist-gradient-boosting"):
        neighbours.fit(FRAME, WORDS).save(tmp_path / "m")
    model = AUCClassifier("svm-or", passes=1).fit(FRAME, WORDS).model_
    several = {**model.to_tree(), "labels": [["no"], ["yes", "Yes"]]}
    Model.from_tree(several).save(tmp_path / "m")
    with pytest.raises(UnsupportedError, match=r"several labels; use .*Model\.load"):
        AUCClassifier.load(tmp_path / "m")
