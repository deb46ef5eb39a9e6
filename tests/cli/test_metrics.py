"""--metrics: measures of the scores that a run has stored."""

import numpy as np
import pytest
from command_line import done, flat, refused, said, strict
from sklearn.metrics import average_precision_score, roc_auc_score

from aucbench.bench import Store

pytestmark = pytest.mark.usefixtures("in_process")

METRICS = "auc,ap,pauc[max_fpr=.1]"
BOTH = ("--solvers", "logistic,sht-auc")


def compared(*words):
    return done("compare", "--quiet", "--data", "breast-cancer", "--splits", 2, *words).stdout


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    """A folder with four cells, without and with metrics: output and rows of each time."""
    folder = tmp_path_factory.mktemp("metrics")
    out, rows = folder / "out", folder / "rows.json"
    each = []
    for extra in ((), ("--metrics", METRICS)):
        text = compared(*BOTH, "--out", out, "--json", rows, *extra)
        each.append((text, strict(rows)))
    return out, *each


def test_the_values_are_those_of_the_stored_scores(tested):
    out, _, (_, rows) = tested
    assert len(rows) == 4
    with Store(out) as store:
        for row in rows:
            found = store.scores(row["id"])
            y, s = found["y"], found["scores"]
            assert row["auc"] == pytest.approx(roc_auc_score(y, s), rel=1e-12)
            assert row["ap"] == pytest.approx(average_precision_score(y, s), rel=1e-12)
            partial = roc_auc_score(y, s, max_fpr=0.1)
            assert row["pauc[max_fpr=0.1]"] == pytest.approx(partial, rel=1e-12)


def test_cells_do_not_know_of_it(tested):
    _, (_, plain), (_, measured) = tested
    extra = {"ap", "pauc[max_fpr=0.1]"}
    assert [{k: v for k, v in row.items() if k not in extra} for row in measured] == plain


def test_the_table_has_a_column_for_each_measure(tested):
    _, (plain, _), (text, rows) = tested
    assert "AP" not in plain
    _, header, *lines = text.partition("\n\n")[0].splitlines()
    place = header.split().index("pAUC[max_fpr=0.1]")
    assert header.split()[place - 1] == "AP"
    values = [row["ap"] for row in rows if row["solver"] == "logistic"]
    assert len(values) == 2
    assert f" {np.mean(values):.4f} " in next(line for line in lines if "logistic" in line)
    assert "has the highest AUC" in text


def test_the_verdict_is_on_the_first_measure():
    text = compared("--solvers", "logistic,constant", "--metrics", "ap")
    assert "has the highest AP" in text
    assert " AUC " not in text.partition("\n\n")[0]


def test_tables_come_in_markdown_and_latex(tested):
    out, *_ = tested
    assert "\n|  | solver | AUC | 95 % interval | rank |" in said("report", out, "--md")
    assert "\\toprule" in said("report", out, "--tex")
    assert "give one" in refused("report", out, "--md", "--tex")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the fit that diverges
def test_what_cannot_be_measured_is_marked_and_said(tmp_path):
    rows = tmp_path / "rows.json"
    solvers = "constant,roc-svm[step=1e200]"  # the second one diverges
    text = compared("--solvers", solvers, "--json", rows, "--metrics", "recall[k=400],ap")
    found = {row["solver"]: row for row in strict(rows)}
    assert found["constant"]["recall[k=400]"] is None
    assert found["constant"]["ap"] > 0
    assert found["roc-svm[step=1e+200]"]["status"] == "invalid"
    assert found["roc-svm[step=1e+200]"]["ap"] is None
    assert "recall[k=400] is missing: there are 28" in text
    assert "constant has the highest AP" in text


def test_error_functions_have_no_labels_to_measure_by(changepoints):
    asked = ("--solvers", "constant", "--data", changepoints, "--splits", 2)
    text = flat(said("compare", "--quiet", *asked, "--metrics", "ap"))
    assert "ap is missing: the measure ap needs the scores of the test rows and" in text
