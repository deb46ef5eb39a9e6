"""What `compare` of Python returns says what the command prints."""

import pickle

import pytest

from aucbench import compare
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.report.comparison import Results
from aucbench.stats import Word


@pytest.fixture(scope="module")
def results():
    return compare(
        "sht-auc[k=1,blocks=2],logistic",
        "breast-cancer",
        splits=3,
        passes=3,
        jobs=2,
        metrics="brier,auc,log-loss",
        rope=0.001,
    )


def test_it_is_a_tuple_of_records(results):
    assert isinstance(results, tuple)
    assert [record.cell.solver.name for record in results] == ["sht-auc", "logistic"] * 3
    assert results == tuple(results)
    assert pickle.loads(pickle.dumps(results)).answer() == results.answer()


def test_the_verdict_is_on_the_first_measure(results):
    findings = results.findings
    [pair] = findings.insides[0].pairs
    turned = pair.verdict if pair.a == "logistic" else pair.verdict.flipped()

    assert (findings.measure, findings.settings.rope) == ("Brier score", 0.001)
    assert turned.effect < 0
    assert turned.word(0.001, pair.p) in (Word.BETTER, Word.UNCLEAR)
    assert "logistic has the lowest Brier score" in results.answer().splitlines()[0]
    assert results.findings is findings


def test_the_table_has_all_measures(results):
    header = results.table().splitlines()[1]
    places = [header.index(f" {name} ") for name in ("Brier score", "AUC", "log-loss")]
    assert places == sorted(places)
    frame = results.to_frame()
    assert frame["brier"].between(0, 0.25).all()
    assert frame["log-loss"].between(0, 0.7).all()


def test_the_scores_are_those_of_the_folder(tmp_path):
    kept = compare("logistic", "breast-cancer", splits=2, passes=3, jobs=1, out=tmp_path / "r")
    again = compare("logistic", "breast-cancer", splits=2, passes=3, jobs=1, out=tmp_path / "r")

    assert kept == again
    assert kept.answer() == again.answer()
    assert kept.findings.insides[0].rows[0].known.delong.low > 0.9
    assert (tmp_path / "r" / "cells").is_dir()


def test_mistakes_are_found_before_the_first_fit():
    with pytest.raises(UnknownNameError, match="unknown measure 'acu': did you mean 'auc'"):
        compare("logistic", "breast-cancer", metrics="acu")
    with pytest.raises(ParameterError, match="there is no metric"):
        compare("logistic", "breast-cancer", metrics=())
    with pytest.raises(ParameterError):
        compare("logistic", "breast-cancer", rope=-1)


def test_nothing_says_nothing():
    with pytest.raises(DataError, match="nothing to report"):
        Results().answer()
