"""What `compare` of Python returns says what the command prints."""

import numpy as np
import polars as pl
import pytest

from aucbench import compare
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.stats import Word

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture(scope="module")
def results():
    return compare(
        "sht-auc[k=1,blocks=2],logistic",
        "breast-cancer",
        splits=3,
        passes=3,
        jobs=2,
        metrics="brier,auc,log-loss",
    )


def test_the_verdict_is_on_the_first_measure(results):
    findings = results.findings
    [pair] = findings.datasets[0].pairs
    turned = pair.verdict if pair.a == "logistic" else pair.verdict.flipped()

    assert findings.measure == "Brier score"
    assert turned.estimate < 0
    assert turned.word(0.005, pair.adjusted_p) in (Word.BETTER, Word.UNCLEAR, Word.EQUIVALENT)
    assert "logistic has the lowest Brier score" in results.answer().splitlines()[0]
    assert results.findings is findings


def test_the_scores_are_those_of_the_folder(tmp_path):
    kept = compare("logistic", "breast-cancer", splits=2, passes=3, jobs=1, out=tmp_path / "r")
    again = compare("logistic", "breast-cancer", splits=2, passes=3, jobs=1, out=tmp_path / "r")

    assert kept == again
    assert kept.answer() == again.answer()
    assert kept.findings.datasets[0].rows[0].within.delong.low > 0.9
    assert (tmp_path / "r" / "cells").is_dir()


@pytest.fixture(scope="module")
def table():
    from sklearn.datasets import load_breast_cancer

    frame = load_breast_cancer(as_frame=True).frame[:150]
    frame["kind"] = np.where(frame["mean area"] > 500, "large", "small")
    return frame.assign(label=frame.pop("target").map({0: "bad", 1: "good"}), one=1.0)


FAST = {"splits": 2, "passes": 3, "jobs": 2}
suspicious = pytest.mark.filterwarnings("ignore:table-.* constant:UserWarning")


def test_what_may_be_wrong_in_a_table_is_a_warning_of_python(table):
    with pytest.warns(UserWarning, match="table-[0-9a-f]{8}: .*'one'.* constant") as told:
        compare(table, "logistic", target="label", positive="bad", **FAST)
    assert {warning.filename for warning in told} == {__file__}


@suspicious
def test_a_table_is_compared_as_its_file(table, tmp_path):
    asked = {"target": "label", "positive": "bad", **FAST}
    table.to_csv(tmp_path / "t.csv", index=False)
    by_file = compare("logistic,svm-or", str(tmp_path / "t.csv"), **asked)
    aucs = [record.measures.auc for record in by_file]
    for given, more in (
        ((table,), {"solvers": "logistic,svm-or"}),
        (("logistic,svm-or", pl.from_pandas(table)), {}),
    ):
        results = compare(*given, **more, **asked)
        assert [record.measures.auc for record in results] == aucs
        assert results[0].sizes.data == by_file[0].sizes.data
        title, *facts = results.table().splitlines()
        assert title.startswith(f"table-{results[0].sizes.data[:8]}: 150 rows")
        assert "  label: column 'label', as asked; positive 'bad', negative 'good'" in facts
        assert any("constant" in line for line in facts)


def test_arguments_that_make_no_sense_are_refused(table):
    with pytest.raises(UnknownNameError, match="unknown option of compare 'targt'"):
        compare(table, targt="label")
    with pytest.raises(DataError, match="the labels are 'bad' "):
        compare(table, target="label")
    for given, more, said in (
        ((), {}, "there is no data"),
        ((table,), {"data": table}, "data are given twice"),
        (("logistic", table, 3), {}, "3 things"),
        (("logistic", 3), {}, "not iterable|wanted a name"),
        ((pl.LazyFrame({"y": [0, 1]}),), {"solvers": "logistic"}, "got LazyFrame as data, wanted"),
        ((table["one"],), {"solvers": "logistic"}, "got Series as data, wanted a table"),
        ((), {"data": {"y": [0, 1]}}, "got dict as data, wanted a table"),
        ((table,), {"target": table["label"]}, "target holds 0 bad"),
        (("logistic", "breast-cancer"), {"test": table}, "table of test rows is for a table"),
    ):
        with pytest.raises((ParameterError, TypeError), match=said):
            compare(*given, **more)
