"""`aucbench data`: list, info, fetch, cite."""

import json

import pytest
from command_line import call, done

from aucbench.errors import DataError


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "german.svm").write_text("1 1:2\n-1 1:3\n")
    (folder / "b\x1bm.svm").write_text("1 1:2\n-1 1:3\n")
    monkeypatch.setenv("AUCBENCH_DATA", str(folder))
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))
    return folder


def test_list_says_where_each_set_is():
    result = done("data", "list")
    lines = {line.split()[0]: line for line in result.stdout.splitlines() if line.strip()}
    assert "folder" in lines["german"]
    assert "30.0%" in lines["german"]
    assert "download 4.0 MB" in lines["ijcnn1"]
    assert "embedded" in lines["breast-cancer"]
    assert "nowhere" in lines["splice"]
    assert "the catalogue does not know" in lines[r"b\x1bm"]
    assert "\x1b" not in result.stdout
    assert "keel:NAME" in lines
    assert "version 1" in lines["suite:spdam"]
    assert "diabetes, fourclass" in lines["suite:spdam"]


def test_show_says_all_of_a_set():
    told = call("show", "skin").stdout
    assert "1 = skin, the rarer class" in told
    assert "sha256 008f1fb6a169" in told
    assert "CC BY 4.0" in told
    assert "B, G, R" in told
    assert "german.svm, sha256 unknown" not in told
    assert "duration: the length of the call" in call("show", "bank").stdout
    assert "members  colon, leukemia" in call("show", "suite:sht-genes").stdout
    assert "the catalogue does not know it" in call("show", "b\x1bm").stdout
    document = json.loads(call("show", "mnist", "--json").stdout)["data"]
    assert document["counts"]["0"] == 6903
    assert document["positive"] == [5, 6, 7, 8, 9]
    assert len(document["files"]) == 4


def test_fetch_says_what_is_here_and_what_cannot_be_had(monkeypatch):
    result = done("data", "fetch", "german", "digits-3")
    assert result.stdout.splitlines() == [
        "german: is here already (folder)",
        "digits-3: is here already (embedded)",
    ]
    result = done("data", "fetch", "suite:spdam", code=2)
    assert "splice, usps, acoustic cannot be downloaded by name" in result.stderr

    monkeypatch.setattr("aucbench.datasets.located.fetched", lambda entry, progress: progress)
    assert call("data", "fetch", "fourclass", "german").stdout.splitlines() == [
        "fourclass: downloaded",
        "german: is here already (folder)",
    ]


def test_a_run_downloads_what_its_sets_are_drawn_of(monkeypatch):
    asked = []

    def fetched(entry, progress):
        asked.append(entry.name)
        raise DataError("no network")

    monkeypatch.setattr("aucbench.datasets.located.fetched", fetched)
    asked_for = ("--data", "digits-3,sample[skin,n=10]", "--solvers", "logistic")
    result = done("compare", *asked_for, code=2)
    assert asked == ["skin"]
    assert "no network" in result.stderr


def test_a_run_says_what_cannot_be_downloaded_before_the_first_fit():
    result = done("compare", "--data", "suite:sht-genes", "--solvers", "logistic", code=2)
    assert "colon, leukemia cannot be downloaded by name" in result.stderr
