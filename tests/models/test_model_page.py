"""The page of a model: models of every kind have one, and it says what is not known."""

import re
from dataclasses import replace
from html import unescape

import pytest
from assessed_models import assessed_model, patients
from command_line import done
from screens import SCREENS, look

from aucbench.errors import MissingExtraError
from aucbench.metrics import Aim
from aucbench.models import Model
from aucbench.models.page import chapters, page_of
from aucbench.report import render

pytestmark = pytest.mark.usefixtures("in_process")

NASTY = "</script><b>red\x1b"
TREES, KERNEL = "hist-gradient-boosting[max_iter=20]", "roc-svm-nystrom[rank=20]"
KINDS = {"linear": "logistic", "trees": TREES, "kernel": KERNEL}


def words(page):
    text = page.content.decode().partition("<footer")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", text)).split())


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS)
def model(request):
    return assessed_model(solver=request.param, by=("age",))[0]


def test_models_of_every_kind_have_a_page(model, tmp_path):
    model.save(tmp_path / "m.aucbench")
    page = Model.load(tmp_path / "m.aucbench").report()
    assert page.content == model.report().content
    told = words(page)
    for title in ("In short", "Thresholds", "Ranking", "Probabilities", "What matters", "Effects"):
        assert title in told
    assert f"AUC {model.auc.estimate:.4g} (95 %: {model.auc.low:.4g} to" in told
    assert re.search(r"visits[\w, ]* matters? most", told)
    assert "ward = south: the AUC of these" in told
    assert ("landmarks of the kernel" in told) == model.keeps_rows
    titles = [part.title for one in chapters(model) for part in one.parts if hasattr(part, "x")]
    assert titles[:3] == ["ROC curve", "Precision and sensitivity", "Reliability curve"]
    assert {"age", "visits", "noise"} <= {*titles}


def test_the_table_of_thresholds_marks_the_own_one_and_has_costs_where_they_are_known():
    model, _, _ = assessed_model(aim=Aim(cost_fp=1.0, cost_fn=5.0))
    [grid] = [p for p in chapters(model)[0].parts if not isinstance(p, str)]
    assert grid.header[-1] == "cost of 1000 rows"
    own, point = grid.best.index(True), model.operating
    assert grid.best.count(True) == 1
    costs = [float(line[-1]) for line in grid.keys]
    rows = point.tp + point.fp + point.fn + point.tn
    assert costs[own] == min(costs) == pytest.approx(1000 * (point.fp + 5 * point.fn) / rows)
    assert float(grid.keys[own][2]) == pytest.approx(point.sensitivity.estimate)


def test_a_model_that_was_not_assessed_says_what_it_does_not_know():
    plain = replace(assessed_model()[0], assessment=None, reliability=None)
    told = words(page_of(plain))
    assert "does not say curves, importance, effects and groups" in told
    assert "Thresholds" in told
    bare = replace(plain, operating=None, calibrator=None, auc=None, provenance={})
    told = words(page_of(bare))
    assert "Model: of unknown origin" in told
    assert "groups, what its threshold does, its AUC" in told
    assert "it gives scores, and no probabilities" in told


def test_names_are_text():
    frame = patients(300).rename(columns={"visits": NASTY})
    frame["ward"] = frame["ward"].replace("south", NASTY)
    model, _, _ = assessed_model(frame)
    content = page_of(model, NASTY).content.decode()
    assert NASTY not in content
    assert "<b>red" not in content
    assert "&lt;/script&gt;&lt;b&gt;red\\x1b" in content


def test_without_jinja_the_extra_is_named(monkeypatch, model):
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'aucbench\[report\]'"):
        page_of(model)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    model, _, _ = assessed_model(patients(2000), by=("age",))
    path = tmp_path_factory.mktemp("page") / "model.html"
    page_of(model, "Model of readmissions").save(path)
    return path.as_uri()


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_the_page_fits_and_can_be_read(browser, address, width, scheme):
    look(browser, address, width, scheme, "model")
    assert browser.count(".chart svg") == 6
    assert browser.count(".span .bar") > 20
    assert "" not in browser.texts("thead button")


def test_an_unknown_column_of_groups_is_refused_before_anything_is_fitted(tmp_path):
    patients(200).to_csv(tmp_path / "t.csv", index=False)
    asked = ("--target", "back", "--positive", "yes", "--solver", "svm-or", "--by", "wards")
    told = done("fit", "--data", tmp_path / "t.csv", *asked, "-o", tmp_path / "m", code=2).stderr
    assert "unknown column of --by 'wards': did you mean 'ward'?" in told
