"""`--looks` of the commands: a run that stops, is run again, and goes on; and "interim"."""

from pathlib import Path

import pytest
from command_line import done, flat, refused, strict

SETS = ",".join(f"outbreak[n=40,d=4,k=2,r=0.4,seed={seed}]" for seed in range(10))
ASKED = ("compare", "--data", SETS, "--holdout", "0.5", "--passes", "1")
PAIR = (*ASKED, "--solvers", "means,raises", "--out", "results", "--quiet")


@pytest.fixture
def here(tmp_path, toys, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_run_stops_at_a_look_says_so_again_and_goes_on_when_asked(here):
    stopped = flat(done(*PAIR, "--looks", "4").stdout)
    assert "Stopped at look 3 of 4, as planned" in stopped
    assert "and 4 cells were not run" in stopped
    lines = (line.split() for line in done("status", "results").stdout.splitlines())
    counts = {" ".join(words): int(number) for *words, number in lines}
    assert (counts["done"], counts["missing"]) == (16, 0)
    assert counts["not run: stopped at look 3 of 4"] == 4
    assert "Stopped at look 3 of 4" in done("report", "results").stdout
    again = flat(done(*PAIR, "--looks", "4").stdout)
    assert again.split("Stopped")[1] == stopped.split("Stopped")[1]

    whole = flat(done(*PAIR).stdout)
    assert "At look 4 of 4, as planned: a difference counts there if p < 0.042." in whole
    assert "At look 4 of 4" in done("report", "results").stdout
    assert "bounds hold for no other plan" in refused(*PAIR, "--seed", "3")


def test_what_is_exported_of_a_run_that_goes_on_is_interim(here):
    done(*PAIR, "--json", "rows.json")
    assert {row["interim"] for row in strict(Path("rows.json"))} == {False}
    assert "looks are planned before the first result" in refused(*PAIR, "--looks", "4")

    next(Path("results/cells").rglob("*.json")).unlink()
    exported = done("export", "results", "table.json")
    assert "interim: the run has not ended, and 1 cells are missing" in exported.output
    assert {row["interim"] for row in strict(Path("table.json"))} == {True}
    told = done("report", "results").stdout
    assert told.startswith("Interim: the run has not ended, and 1 of 20 cells were not run yet.")


def test_the_list_of_a_plan_says_when_it_looks(here):
    names = ", ".join(f'"outbreak[n=40,d=4,k=2,seed={seed}]"' for seed in range(6))
    text = f'datasets = [{names}]\nsolvers = ["means", "raises"]\n[suite]\nlooks = 4\n'
    Path("plan.toml").write_text(text)
    assert "4 looks, after 2, 3, 5, 6 data sets in this order" in done("plan", "plan.toml").stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--looks", "1"), "2 to 10 looks, got 1"),
        (("--looks", "4", "--metrics", "ap"), "looks judge the AUC"),
        (("--looks", "4", "--solvers", "constant"), "one reference; here are 3"),
        (("--looks", "4", "--solvers", "constant", "--reference", "x"), "unknown solver"),
        (("--looks", "4", "--before", ".", "--after", "."), "two versions have one each"),
    ],
)
def test_looks_that_cannot_be_are_one_sentence(here, options, sentence):
    assert sentence in refused(*ASKED, "--solvers", "means,raises", *options)
