import re

import numpy as np
import pytest

SMALL = "outbreak[n=200,d=20,k=5]"


def test_a_plan_from_assumptions(cli):
    result = cli(
        *("power", "--data-sets", 14, "--splits", 10, "--sd", 0.012, "--split-sd", 0.02),
        *("--difference", 0.005),
    )
    assert result.exit_code == 0, result.output
    size, shown, takes, splits = result.stdout.splitlines()
    assert size.startswith("14 data set(s) x 10 split(s), 1 pair(s)")
    assert 0.0090 < float(re.search(r"A difference of (\S+) or more", shown)[1]) < 0.0108
    assert 40 < int(re.search(r"takes (\d+) data", takes)[1]) < 58
    assert splits.startswith("More splits do not replace data sets: with any number of splits")


def test_more_pairs_need_more(cli):
    common = ("power", "--data-sets", 14, "--sd", 0.012)
    two, five = (cli(*common, "--solvers", k).stdout for k in (2, 5))
    found = [float(re.search(r"A difference of (\S+) or more", text)[1]) for text in (two, five)]
    assert found[0] < found[1]
    assert "10 pair(s)" in five


def test_a_results_folder_gives_what_is_not_given(cli, toys, tmp_path):
    run = cli(
        *("compare", "--solvers", "means,logistic", "--data", f"{SMALL},breast-cancer,digits-8"),
        *("--splits", 3, "--passes", 3, "--out", tmp_path / "kept", "--quiet"),
        *("--json", tmp_path / "rows.json"),
    )
    assert run.exit_code == 0, run.output
    result = cli("power", tmp_path / "kept")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("3 data set(s) x 3 split(s), 1 pair(s)")
    assert "3 data set(s) cannot show any difference at level 0.95; this takes at least 6." in (
        result.stdout
    )

    from json import loads

    rows = loads((tmp_path / "rows.json").read_text())
    aucs = {(row["dataset"], row["split"], row["solver"]): row["auc"] for row in rows}
    differences = [
        np.mean([aucs[data, j, "means"] - aucs[data, j, "logistic"] for j in range(3)])
        for data in (SMALL, "breast-cancer", "digits-8")
    ]
    sd = float(re.search(r"over data sets (\S+)\.$", result.stdout.splitlines()[0])[1])
    assert sd == pytest.approx(np.std(differences, ddof=1), rel=5e-3)

    more = cli("power", tmp_path / "kept", "--data-sets", 20, "--splits", 6, "--solvers", 4)
    assert more.stdout.startswith("20 data set(s) x 6 split(s), 6 pair(s)")
    assert "with any number of splits, 20 data set(s) show" in more.stdout


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "--data-sets and --sd"),
        (["--data-sets", 14], "--data-sets and --sd"),
        (["--data-sets", 0, "--sd", 0.1], "data_sets must be at least 1"),
        (["--data-sets", 9, "--sd", -1], "sd must be at least 0"),
        (["--data-sets", 9, "--sd", 0.1, "--splits", 0], "splits must be at least 1"),
        (["--data-sets", 9, "--sd", 0.1, "--solvers", 1], "solvers must be at least 2"),
        (["--data-sets", 9, "--sd", 0.1, "--difference", 0], "difference must be greater"),
        (["--data-sets", 9, "--sd", 0.1, "--level", 1], "level must be in (0, 1)"),
        (["--data-sets", 9, "--sd", 0.1, "--probability", 0], "power must be in (0, 1)"),
        (["nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(cli, options, sentence):
    result = cli("power", *options)
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert result.exit_code == 2, result.output
    assert len(errors) == 1
    assert sentence in errors[0]
    assert result.stdout == ""


def test_results_of_one_solver_have_no_spread(cli, toys, tmp_path):
    run = cli(
        *("compare", "--solvers", "means", "--data", SMALL, "--splits", 2, "--quiet"),
        *("--out", tmp_path / "kept"),
    )
    assert run.exit_code == 0, run.output
    result = cli("power", tmp_path / "kept")
    assert result.exit_code == 2
    assert "1 solver(s) on 1 data set(s)" in result.stderr
