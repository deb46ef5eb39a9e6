import re

import numpy as np
import pytest
from command_line import call, done

SMALL = "outbreak[n=200,d=20,k=5]"


def test_a_plan_from_assumptions():
    result = done(
        *("power", "--data-sets", 14, "--splits", 10, "--sd", 0.012, "--split-sd", 0.02),
        *("--difference", 0.005),
    )
    size, shown, takes, splits = result.stdout.splitlines()
    assert size.startswith("14 data set(s) x 10 split(s), 1 pair(s)")
    assert 0.0090 < float(re.search(r"A difference of (\S+) or more", shown)[1]) < 0.0108
    assert 40 < int(re.search(r"takes (\d+) data", takes)[1]) < 58
    assert splits.startswith("More splits do not replace data sets: with any number of splits")


def test_more_pairs_need_more():
    common = ("power", "--data-sets", 14, "--sd", 0.012)
    two, five = (call(*common, "--solvers", k).stdout for k in (2, 5))
    found = [float(re.search(r"A difference of (\S+) or more", text)[1]) for text in (two, five)]
    assert found[0] < found[1]
    assert "10 pair(s)" in five


def test_a_results_folder_gives_what_is_not_given(toys, tmp_path):
    done(
        *("compare", "--solvers", "means,logistic", "--data", f"{SMALL},breast-cancer,digits-8"),
        *("--splits", 3, "--passes", 3, "--out", tmp_path / "kept", "--quiet"),
        *("--json", tmp_path / "rows.json"),
    )
    result = done("power", tmp_path / "kept")
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

    more = call("power", tmp_path / "kept", "--data-sets", 20, "--splits", 6, "--solvers", 4)
    assert more.stdout.startswith("20 data set(s) x 6 split(s), 6 pair(s)")
    assert "with any number of splits, 20 data set(s) show" in more.stdout


def test_results_of_one_solver_have_no_spread(toys, tmp_path):
    done(
        *("compare", "--solvers", "means", "--data", SMALL, "--splits", 2, "--quiet"),
        *("--out", tmp_path / "kept"),
    )
    result = done("power", tmp_path / "kept", code=2)
    assert "1 solver(s) on 1 data set(s)" in result.stderr
