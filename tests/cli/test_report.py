"""`aucbench report` and `figure`: parse, one call, print."""

from functools import partial

import pytest
from command_line import done, flat, refused, said

from aucbench import compare
from aucbench.report.findings import Settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "results"
    compare("sht-auc,logistic", "breast-cancer,digits-8", splits=2, passes=2, out=path)
    return path


def test_the_answer_is_printed_and_the_page_written(folder, tmp_path):
    page = tmp_path / "report.html"
    found = done("report", folder, "--html", page)
    assert "has the highest mean AUC" in found.stdout
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert "0.1 MB in" in found.stderr
    assert done("report", folder).stdout == found.stdout
    assert "mean AP" in said("report", folder, "--metric", "ap")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["report", "{}/nothing"], "there is no results folder"),
        (["report", "{}", "--metric", "acc"], "unknown measure 'acc'"),
        (["report", "{}", "--html", "{}/no/folder/x.html"], "cannot write"),
        (["report", "{}", "--level", "2"], "level"),
        (["report", "{}", "--rope", "-1"], "rope"),
        (["report", "{}", "--reference", "logit"], "unknown solver in this comparison 'logit'"),
        (["figure", "pie", "{}", "--out", "x.pdf"], "unknown figure 'pie'"),
        (["figure", "roc", "{}", "--out", "x.pdf"], "name one of breast-cancer, digits-8"),
    ],
)
def test_mistakes_end_with_a_sentence_and_2(folder, arguments, sentence):
    assert sentence in refused(*(argument.format(folder) for argument in arguments))


def test_what_is_left_out_of_a_large_folder_is_said_and_an_option_tells_it(folder, monkeypatch):
    again = ["compare", "--data", "breast-cancer,digits-8", "--solvers", "sht-auc,logistic"]
    again += ["--splits", "2", "--passes", "2", "--out", folder]
    for words in (["report", folder], again):
        assert "Left out" not in said(*words)
        with monkeypatch.context() as patch:
            few = partial(Settings, most_pairs=1, most_values=3)
            patch.setattr("aucbench.report.findings.Settings", few)
            told = flat(said(*words))
            assert "the comparisons of 2 pairs of solvers inside single data sets" in told
            assert "what hangs on one data set, of 4 values. --everything tells it" in told
            assert "Left out" not in said(*words, "--everything")


def test_a_figure_is_written(folder, tmp_path):
    for kind, more in (("leaderboard", ()), ("curves", ("--dataset", "digits-8"))):
        path = tmp_path / f"{kind}.svg"
        done("figure", kind, folder, "--out", path, *more)
        assert b"<svg" in path.read_bytes()
