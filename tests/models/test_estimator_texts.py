"""The estimator reads free text as the commands do, in tables that it has not seen too."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from aucbench import AUCClassifier, auc
from aucbench.models import Model

N = 400
RNG = np.random.default_rng(0)
POSITIVE = RNG.random(N) < 0.4
WORDS = [f"word{i}" for i in range(50)]


def note(i):
    own = [*RNG.choice(WORDS, 6), f"case{i}"]
    return " ".join([*own, "refund"] if POSITIVE[i] and i % 4 else own)


FRAME = pd.DataFrame({"note": [note(i) for i in range(N)], "age": RNG.normal(50, 9, N)})
LEARNT, NEW = slice(0, 300), slice(300, N)


def test_new_texts_are_scored_by_their_words(tmp_path):
    with pytest.warns(UserWarning, match="column 'note' holds free text"):
        fitted = AUCClassifier("logistic", passes=20).fit(FRAME[LEARNT], POSITIVE[LEARNT])
    scores = fitted.decision_function(FRAME[NEW])
    assert auc(POSITIVE[NEW], scores) > 0.8
    assert np.unique(scores).size > 90
    np.testing.assert_array_equal(fitted.decision_function(FRAME[NEW][::3]), scores[::3])
    assert "note: refund" in fitted.get_feature_names_out()
    assert b"case17" not in pickle.dumps(fitted)  # no text of a training row
    fitted.save(tmp_path / "m.aucbench")
    known = Model.load(tmp_path / "m.aucbench").predict(FRAME[NEW])["score"]
    np.testing.assert_allclose(known - fitted.threshold_, scores, atol=1e-12)


def test_a_warm_start_reads_the_texts_of_its_own_rows():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warm = AUCClassifier("svm-or", passes=5, warm_start=True)
        warm.fit(FRAME[LEARNT], POSITIVE[LEARNT])
    warm.fit(FRAME[NEW], POSITIVE[NEW])
    assert auc(POSITIVE[NEW], warm.decision_function(FRAME[NEW])) > 0.8
