"""`aucbench report`: parse, one call, print."""

from functools import partial

import pytest
from command_line import done, flat, refused, said

from aucbench import compare
from aucbench.report.findings import findings_of

pytestmark = pytest.mark.usefixtures("in_process")


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
    assert " kB in" in found.stderr
    assert done("report", folder).stdout == found.stdout
    assert "mean AP" in said("report", folder, "--metrics", "ap")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["report", "{}/nothing"], "there is no results folder"),
        (["report", "{}", "--metrics", "acc"], "unknown measure 'acc'"),
        (["report", "{}", "--html", "{}/no/folder/x.html"], "cannot write"),
        (["report", "{}", "--level", "2"], "level"),
        (["report", "{}", "--rope", "-1"], "rope"),
        (["report", "{}", "--reference", "logit"], "unknown solver in this comparison 'logit'"),
        (["report", "{}", "--figure", "pie=x.pdf"], "unknown figure 'pie'"),
        (["report", "{}", "--figure", "curves"], "wanted a kind and a file"),
        (["report", "{}", "--figure", "curves=x.pdf"], "name one of breast-cancer, digits-8"),
        (["report", "{}", "--dataset", "digits-8"], "--dataset is for the figure curves"),
    ],
)
def test_mistakes_end_with_a_sentence_and_2(folder, arguments, sentence):
    assert sentence in refused(*(argument.format(folder) for argument in arguments))


@pytest.mark.nightly
def test_what_is_left_out_of_a_large_folder_is_said(folder, monkeypatch):
    again = ["compare", "--data", "breast-cancer,digits-8", "--solvers", "sht-auc,logistic"]
    again += ["--splits", "2", "--passes", "2", "--out", folder]
    for words in (["report", folder], again):
        assert "Left out" not in said(*words)
        with monkeypatch.context() as patch:
            few = partial(findings_of, most_pairs=1)
            patch.setattr("aucbench.report.findings.findings_of", few)
            told = flat(said(*words))
            assert "the comparisons of 2 pairs of solvers inside single data sets" in told


def test_figures_are_written(folder, tmp_path):
    files = {kind: tmp_path / f"{kind}.svg" for kind in ("leaderboard", "curves")}
    asked = [word for kind, path in files.items() for word in ("--figure", f"{kind}={path}")]
    done("report", folder, *asked, "--dataset", "digits-8")
    for path in files.values():
        assert b"<svg" in path.read_bytes()
