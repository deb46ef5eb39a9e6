"""The pages as a site: built strictly, without other hosts, in both modes, on narrow screens."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucbench import judge

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "simulations")


@pytest.fixture
def figures(documents):
    return documents("page_figures")


@pytest.fixture
def tables(documents):
    return documents("page_tables")


def asked():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name, caption in re.findall(r"^<!-- figure (\w+): (.+) -->$", text, re.MULTILINE):
            yield pytest.param(page, name, caption, id=name)


@pytest.mark.parametrize(("page", "name", "caption"), [*asked()])
def test_every_figure_is_drawn_from_its_page(figures, page, name, caption):
    if name == "choice" and not (DOCS / "data" / "study" / "means.csv").is_file():
        pytest.skip("the study has not ended")
    drawn = figures.figure(name, caption, page.read_text(encoding="utf-8"))
    assert drawn.count("<svg") == 1
    assert "\n" not in drawn
    assert figures.INK not in drawn
    marks = len(re.findall(r"<(?:use|path) ", drawn))
    assert marks > 5
    assert "nan" not in re.sub(r">[^<]*<", "><", drawn)


def test_every_known_figure_is_on_a_page(figures):
    assert {case.values[1] for case in asked()} == {*figures.FIGURES}


def test_a_figure_follows_the_numbers_of_its_table(figures):
    page = (DOCS / "defaults.md").read_text(encoding="utf-8")
    changed = page.replace("| sector | 9619", "| another | 9619", 1)
    assert page != changed
    before, after = (figures.figure("how_soon", "seconds", text) for text in (page, changed))
    assert ">sector<" in before
    assert ">sector<" not in after
    assert ">another<" in after


def test_a_figure_that_is_not_known_is_refused(figures):
    with pytest.raises(ValueError, match="no figure nothing; known are speed_ratios"):
        figures.with_figures("<!-- figure nothing: of nothing -->")


def test_the_leaderboard_has_the_means_of_the_file(tables):
    page = (DOCS / "judge.md").read_text(encoding="utf-8")
    means = pd.read_csv(DOCS / "data" / "leaderboard.csv").groupby("solver").auc.mean()
    found = tables.table(page, "average rank")
    assert {*found.text(0)} == {*means.index}
    wanted = means[found.text(0)].to_numpy()
    np.testing.assert_allclose(found.numbers(1), wanted, atol=6e-5)


def test_the_table_of_additive_models_is_that_of_the_file(tables):
    page = (DOCS / "curved.md").read_text(encoding="utf-8")
    found = tables.table(page, "less that of `ebm`")
    aucs = pd.read_csv(DOCS / "data" / "additive.csv").pivot(
        index="task", columns="method", values="auc"
    )
    whole = aucs[found.text(0)].dropna()
    assert f"{len(whole)} tasks have a value" in page
    np.testing.assert_allclose(found.numbers(1), whole.mean().to_numpy(), atol=6e-5)
    ahead = whole.sub(whole["linear"], axis=0)
    np.testing.assert_allclose(found.numbers(2), ahead.mean().to_numpy(), atol=6e-5)
    np.testing.assert_allclose(found.numbers(3), ahead.min().to_numpy(), atol=6e-5)


def test_the_leaderboard_says_what_judge_says_of_its_file(tables, documents):
    page = (DOCS / "judge.md").read_text(encoding="utf-8")
    judgement = judge(DOCS / "data" / "leaderboard.csv")
    assert judgement.answer() in page
    said = documents("page_choice").words(pd.read_csv(DOCS / "data" / "leaderboard.csv"))
    told = tables.table(page, "average rank")
    assert dict(zip(told.text(0), told.text(4), strict=True)) == said
    stored = (DOCS / "data" / "leaderboard.html").read_text(encoding="utf-8")
    assert judgement.answer().splitlines()[0] in stored


def test_no_page_of_the_site_loads_anything_from_another_host(built):
    loads = re.compile(
        r"<(?:script|img|iframe|link rel=\"(?:stylesheet|preconnect|preload)\")[^>]*"
        r"(?:src|href)=[\"']?(?:https?:)?//"
    )
    pages = [*built.rglob("*.html")]
    assert len(pages) > len(PAGES)
    for page in pages:
        if page.parent.name != "data":  # reports are pages of their own
            assert not loads.search(page.read_text(encoding="utf-8")), page


def test_every_page_is_in_the_index_of_the_search(built):
    index = (built / "search" / "search_index.json").read_text(encoding="utf-8")
    for page in PAGES:
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        assert f'"location":"{"" if name == "index" else name.removesuffix("index")}' in index, name
