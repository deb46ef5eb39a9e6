"""Free text: hashed words as features, the same for a table, its parts and new tables."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from table_models import model_of_run

from aucbench import get_solver, solve
from aucbench.contract import NoMap
from aucbench.data.columns import column_entries
from aucbench.datasets import load
from aucbench.datasets.tables import Encoding, Schema
from aucbench.datasets.tables.parts import MOST_KEPT
from aucbench.datasets.tables.texts import BUCKETS, Texts, unpacked
from aucbench.errors import DataError
from aucbench.models import Model, score_frame

N = 300
RNG = np.random.default_rng(0)
WORDS = [f"word{i}" for i in range(60)]
POSITIVE = RNG.random(N) < 0.3


def note(i):
    own = [*RNG.choice(WORDS, RNG.integers(4, 12)), f"case{i}"]
    return " ".join([*own, "please refund"] if POSITIVE[i] and i % 3 else own)


FRAME = pd.DataFrame(
    {
        "note": [None if i % 50 == 7 else note(i) for i in range(N)],
        "age": RNG.normal(50, 9, N).round(1),
        "y": np.where(POSITIVE, "yes", "no"),
    }
)


@pytest.fixture
def table(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_texts_are_hashed_as_scikit_learn_does():
    texts = ["a blue house", "a house, a house", "", "ünïcode words here"]
    plain = {"alternate_sign": False, "norm": None}
    own = HashingVectorizer(n_features=BUCKETS, ngram_range=(1, 2), **plain)
    wanted = own.transform(texts)
    found = unpacked(Texts.of(texts).packed())
    np.testing.assert_array_equal(found.starts, wanted.indptr)
    for k in range(len(texts)):
        part = slice(found.starts[k], found.starts[k + 1])
        np.testing.assert_array_equal(
            wanted[[k]].toarray()[0, found.buckets[part]], found.counts[part]
        )


def test_features_of_texts_are_the_tf_idf_of_scikit_learn(table):
    data = load(table)
    [part, _] = Encoding.learn(data.schema, data.rows).parts
    texts = FRAME["note"].fillna("")
    plain = {"alternate_sign": False, "norm": None}
    counts = HashingVectorizer(n_features=BUCKETS, ngram_range=(1, 2), **plain).transform(texts)
    wanted = TfidfTransformer(sublinear_tf=True).fit_transform(counts[:, list(part.kept)])
    found = part.block(column_entries(data.rows, 0), part.table(data.schema.columns[0]))
    np.testing.assert_allclose(found.toarray()[:, :-1], wanted.toarray(), rtol=1e-12, atol=1e-15)


def test_a_column_of_text_has_a_warning_and_features(table):
    data = load(table)
    column, _ = data.schema.columns
    assert (column.kind, column.distinct) == ("text", 294)
    assert any("'note' holds free text" in warning for warning in data.understood.warnings)
    encoding = Encoding.learn(data.schema, data.rows)
    assert 60 < encoding.d < MOST_KEPT
    X = encoding(data.rows)
    assert X.is_sparse
    gap = X.matrix.toarray()[:, encoding.names.index("note is missing")]
    np.testing.assert_array_equal(gap, FRAME["note"].isna())
    dense = Encoding(encoding.schema, encoding.parts, sparse=False)(data.rows)
    np.testing.assert_array_equal(X.matrix.toarray(), dense.matrix)


def test_new_tables_have_the_features_of_their_own_texts(table):
    data = load(table)
    encoding = Encoding.learn(data.schema, data.rows)
    schema = Schema.from_json(json.loads(json.dumps(data.schema.unbound().to_json())))
    again = replace(encoding, schema=schema)
    assert "case17" not in json.dumps(again.to_json())
    assert "note: please refund" in again.names
    whole = encoding(data.rows).matrix.toarray()
    np.testing.assert_array_equal(again.of_frame(FRAME).matrix.toarray(), whole)
    some = FRAME.iloc[::7]
    np.testing.assert_array_equal(again.of_frame(some).matrix.toarray(), whole[::7])
    new = FRAME[:2].assign(note=["please refund this", "case1"])
    assert again.of_frame(new).matrix.toarray()[0].sum() > 0
    numbers = again.of_frame(FRAME[:2].assign(note=[1, 2.5]))
    assert not numbers.matrix.toarray()[:, : again.d - 2].any()


def test_a_saved_model_scores_the_raw_table(table, tmp_path):
    data = load(table)
    encoding = Encoding.learn(data.schema, data.rows)
    train = data.with_rows(encoding(data.rows))
    run = solve(get_solver("logistic"), train, passes=5)
    names = {"columns": data.names, "encoding": encoding}
    model = model_of_run(run, NoMap(), width=data.d, **names)
    model.save(tmp_path / "m.aucbench")
    known = model.scores(data.rows)
    found = score_frame(Model.load(tmp_path / "m.aucbench"), FRAME)
    np.testing.assert_array_equal(found.scores, known)
    assert not any(found.faults)


def test_damaged_texts_are_refused():
    with pytest.raises(DataError, match="hashed texts of a column are damaged"):
        unpacked("bm90IGNvbXByZXNzZWQ=")
