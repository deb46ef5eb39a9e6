"""The estimator reads free text as the commands do, in tables that it has not seen too."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from aucbench import AUCClassifier, auc
from aucbench.models import Model
from aucbench.models.incoming import score_frame

N = 400
RNG = np.random.default_rng(0)
POSITIVE = RNG.random(N) < 0.4
WORDS = [f"word{i}" for i in range(50)]


def note(i):
    own = [*RNG.choice(WORDS, 6), f"case{i}"]
    return " ".join([*own, "refund"] if POSITIVE[i] and i % 4 else own)


FRAME = pd.DataFrame({"note": [note(i) for i in range(N)], "age": RNG.normal(50, 9, N)})
LEARNT, NEW = slice(0, 300), slice(300, N)


@pytest.fixture(scope="module")
def fitted():
    with pytest.warns(UserWarning, match="column 'note' holds free text"):
        return AUCClassifier("logistic", passes=20).fit(FRAME[LEARNT], POSITIVE[LEARNT])


def test_new_texts_are_scored_by_their_words(fitted):
    scores = fitted.decision_function(FRAME[NEW])
    assert auc(POSITIVE[NEW], scores) > 0.8
    assert np.unique(scores).size > 90
    np.testing.assert_array_equal(fitted.decision_function(FRAME[NEW][::3]), scores[::3])
    assert "note: refund" in fitted.get_feature_names_out()


def test_a_warm_start_reads_the_texts_of_its_own_rows(fitted):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warm = AUCClassifier("svm-or", passes=5, warm_start=True)
        warm.fit(FRAME[LEARNT], POSITIVE[LEARNT])
    warm.fit(FRAME[NEW], POSITIVE[NEW])
    assert auc(POSITIVE[NEW], warm.decision_function(FRAME[NEW])) > 0.8


def test_its_model_file_scores_as_it_does(fitted, tmp_path):
    fitted.save(tmp_path / "m.aucbench")
    known = score_frame(Model.load(tmp_path / "m.aucbench"), FRAME[NEW])
    np.testing.assert_allclose(
        np.argsort(known.scores[:, 0]), np.argsort(fitted.decision_function(FRAME[NEW]))
    )


def test_it_keeps_no_text_of_the_training_rows(fitted):
    assert b"case17" not in pickle.dumps(fitted)
