"""What a model says about itself: models of every kind have one page, and it says what it lacks."""

import json
import re
from html import unescape

import numpy as np
import pytest
from saved_models import assessed_model, patients, with_function
from screens import SCREENS, look

from aucbench.metrics import Aim
from aucbench.models.explain import explanation, is_curve, page_of, sections
from aucbench.models.shape import Axis, EffectShape

pytestmark = pytest.mark.usefixtures("in_process")

NASTY = "</script><b>red\x1b"


def words(page):
    content = page.content.decode().partition("<footer")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", content)).split())


def section(model, title):
    [found] = [one for one in sections(model) if one.title == title]
    return found


@pytest.fixture(params=["assessed", "assessed trees", "assessed kernel"])
def model(request, saved_models):
    return saved_models(request.param).model


@pytest.fixture
def linear(saved_models):
    return saved_models("assessed").model


def test_models_of_every_kind_have_a_page(model):
    json.dumps(explanation(model), allow_nan=False)
    shown = words(model.report())
    titles = ("In short", "Thresholds", "Columns", "Effects", "Ranking", "Probabilities", "Limits")
    assert all(title in shown for title in titles)
    assert f"AUC {model.auc.estimate:.4g} (95 %: {model.auc.low:.4g} to" in shown
    assert "Most important: visits" in shown
    assert "ward = south: the AUC of these" in shown
    assert "warning: ward = south" in model._repr_html_().partition("<details>")[0]
    assert ("landmarks of the kernel" in shown) == model.keeps_rows
    charts = {part.title for one in sections(model) for part in one.parts if hasattr(part, "x")}
    assert {"ROC curve", "Reliability curve", "age", "visits", "noise"} <= charts


def test_the_table_of_thresholds_marks_the_own_one_and_has_costs_where_they_are_known():
    model, _, _ = assessed_model(aim=Aim(cost_fp=1.0, cost_fn=5.0))
    grid, _ = section(model, "Thresholds").parts
    assert grid.header[-1] == "cost of 1000 rows"
    own, point = grid.best.index(True), model.function.operating
    assert grid.best.count(True) == 1
    costs = [line[-1] for line in grid.lines]
    rows = point.tp + point.fp + point.fn + point.tn
    assert costs[own] == min(costs) == pytest.approx(1000 * (point.fp + 5 * point.fn) / rows)
    shares = [getattr(point, name).estimate for name in grid.header[2:5]]
    assert [*grid.lines[own][2:5]] == pytest.approx(shares)


def test_names_are_text():
    frame = patients(300).rename(columns={"visits": NASTY})
    frame["ward"] = frame["ward"].replace("south", NASTY)
    model, _, _ = assessed_model(frame)
    for content in (page_of(model, NASTY).content.decode(), model._repr_html_()):
        assert NASTY not in content
        assert "<b>red" not in content
        assert "&lt;/script&gt;&lt;b&gt;red\\x1b" in content


def of_two(name, places=2):
    """An effect of two columns."""
    values, rows = tuple(1e4 * k for k in range(places)), (50,) * places
    axes = tuple(
        Axis(column=column, kind="numeric", names=("",) * places, values=values, rows=rows)
        for column in (name, "dose")
    )
    effect = np.linspace(-1.0, 2.0, places**2)
    return EffectShape(axes=axes, effect=(*effect.tolist(),))


def test_the_page_fits_and_can_be_read(browser, linear, tmp_path):
    long = of_two("income of the household of the applicant", 8)  # as long as people make them
    model = with_function(linear, shapes=(*linear.function.shapes, long))
    page_of(model, "Model of readmissions").save(tmp_path / "model.html")
    for width, scheme in SCREENS:
        look(browser, (tmp_path / "model.html").as_uri(), width, scheme, "model")
        assert browser.count("svg.plot") == 3 + sum(map(is_curve, model.function.shapes))
        assert browser.count(".span i") > 10
        assert browser.count("td[style]") == 64
        assert "" not in browser.texts("thead button")
        assert "rgba(0, 0, 0, 0)" not in browser.run(
            "return [...document.querySelectorAll('td[style]')]"
            ".map(e => getComputedStyle(e).backgroundColor)"
        )
