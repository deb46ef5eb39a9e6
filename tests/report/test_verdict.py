"""The verdict as JSON says what the findings say."""

from math import isnan

from command_line import done, strict

from aucbench.report.notes import sentences
from aucbench.report.verdict import verdict

NUMBERS = ("estimate", "low", "high", "p")


def test_each_number_is_that_of_the_findings(findings):
    told = verdict(findings)
    names = findings.frame.solvers
    assert told["answer"] == sentences(findings)
    assert [one["solver"] for one in told["solvers"]] == [names[j] for j in findings.order]
    leading = {one["solver"] for one in told["solvers"] if one["possible_best"]}
    assert leading == {names[j] for j in findings.leading}
    for pair, one in zip(findings.pairs, told["pairs"], strict=True):
        assert (one["a"], one["b"], one["word"]) == (pair.a, pair.b, str(pair.word))
        known = [getattr(pair.difference, name) for name in NUMBERS]
        assert [one[name] for name in NUMBERS] == [None if isnan(x) else x for x in known]
    for inside, one in zip(findings.datasets, told["data_sets"], strict=True):
        assert [pair["word"] for pair in one["pairs"]] == [str(pair.word) for pair in inside.pairs]
        assert [row["values"] for row in one["solvers"]] == [
            row.within.values.tolist() for row in inside.rows
        ]


def test_the_command_writes_it(results_folder, tmp_path):
    done("report", results_folder, "--json", tmp_path / "verdict.json")
    assert strict(tmp_path / "verdict.json")["measure"] == "AUC"
