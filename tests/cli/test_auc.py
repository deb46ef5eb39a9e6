"""`aucbench auc`: what it says of a column of scores, and what it refuses."""

import json
import re
from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from score_parts import normal_scores
from typer.testing import CliRunner

import aucbench
from aucbench.cli import app
from aucbench.cli.auc import digits
from aucbench.stats import Fold, auc_difference, auc_interval


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def table():
    y, s = normal_scores(3_000)
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "name": np.where(y > 0, "sick", "well"),
            "score": s,
            "y": y,
            "w": rng.integers(1, 5, y.size),
            "g": rng.integers(0, 50, y.size),
        }
    )


@pytest.fixture
def file(table, tmp_path):
    table.to_parquet(tmp_path / "scores.parquet", row_group_size=700, index=False)
    return tmp_path / "scores.parquet"


def said(*arguments, code=0):
    result = CliRunner().invoke(app, ["auc", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_few_rows_have_their_auc(table, file):
    value = aucbench.auc(table["y"], table["score"])

    assert said("--data", file).splitlines()[0] == f"AUC {value!r}, exact"
    assert said("--data", file, "--target", "name", "--positive", "well").startswith(
        f"AUC {aucbench.auc(-table['y'], table['score'])!r}"
    )


def test_many_rows_have_bounds_of_it(table, file, monkeypatch):
    monkeypatch.setattr("aucbench.metrics.chunked.FEW", 0)
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 1)
    monkeypatch.setattr("aucbench.scale.auc_bins.INTERVALS", 100)

    first = said("--data", file).splitlines()[0]

    low, high = map(
        float, re.fullmatch(r"AUC between (\S+) and (\S+), for certain", first).groups()
    )
    assert low < aucbench.auc(table["y"], table["score"]) < high
    assert said("--data", file, "--exact").splitlines()[0].endswith("exact")


def test_folders_and_text_files_say_the_same(table, file, tmp_path):
    folder = tmp_path / "rows"
    folder.mkdir()
    table.iloc[:1_000].to_csv(folder / "a.csv", index=False)
    table.iloc[1_000:].to_csv(folder / "b.csv", index=False)

    output = said("--data", folder, "--target", "y")

    assert "are written as Parquet into" in output
    assert said("--data", file).splitlines()[0] in output


def test_threads_and_quiet_change_nothing_that_is_said(file):
    assert said("--data", file, "--threads", "2", "--quiet") == said("--data", file)


def test_weights_groups_and_parts_of_the_curve(table, file):
    told = json.loads(said("--data", file, "--weights", "w", "--json"))
    value = aucbench.auc(table["y"], table["score"], table["w"])
    assert told["low"] == pytest.approx(value, abs=1e-13)
    assert told["exact"]

    told = json.loads(said("--data", file, "--groups", "g", "--each", "group", "--json"))
    assert told["measure"] == "gauc[each=group]"
    assert said("--data", file, "--max-fpr", "0.1").startswith("pauc[max_fpr=0.1] ")


@pytest.mark.parametrize("weights", [(), ("--weights", "w")])
def test_columns_of_scores_are_compared_pair_by_pair(table, tmp_path, weights):
    table["other"] = table["score"] + np.random.default_rng(2).normal(size=len(table))
    path = tmp_path / "scores.parquet"
    table.to_parquet(path, row_group_size=700, index=False)
    v = table["w"] if weights else None
    folds = [[Fold(table["y"], table[name], v)] for name in ("score", "other")]
    asked = ("--data", path, "--target", "y", *weights, "--score", "score", "--score", "other")

    told = json.loads(said(*asked, "--json", "--quiet"))
    lines = said(*asked, "--quiet").splitlines()

    difference = auc_difference(*folds)
    assert [*told["aucs"]] == ["score", "other"]
    assert told["aucs"]["other"] == asdict(auc_interval(folds[1]))
    assert told["differences"][0]["difference"] == asdict(difference)
    assert told["differences"][0]["p_holm"] == difference.p
    value = aucbench.auc(table["y"], table["score"], v)
    assert lines[0].startswith(f"AUC of score {value:.6f}, 95 % interval")
    assert re.match(r"score - other \+0\.\d{4}, 95 % interval \+0\.\d{4} to .*, p \S+ \(", lines[2])
    assert told["n_pos"] == (table["y"] > 0).sum()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--score", "name"), "column 'name' holds text, wanted numbers"),
        (("--score", "scores"), "there is no column 'scores'"),
        (("--score", "score", "--score", "score"), "give two columns or more"),
        (("--score", "score", "--score", "w", "--max-fpr", "0.1"), "without --max-fpr; leave"),
        (("--score", "score", "--score", "w", "--groups", "g"), "without --groups; leave"),
        (("--score", "score", "--score", "w", "--memory", "0.001"), "take 0.0916 MB together"),
        (("--score", "score", "--score", "name"), "column 'name' holds text, wanted numbers"),
        (("--groups", "name"), "column 'name' holds text, wanted numbers"),
        (("--groups", "g", "--each", "row"), "groups is 'row'; give 'pair' or 'group'"),
        (("--each", "pair"), "each='pair' is for groups"),
        (("--groups", "g", "--weights", "w"), "not computed together"),
        (("--max-fpr", "0"), "max_fpr must be in"),
        (("--threads", "0"), "must be at least 1"),
        (("--memory", "0"), "memory must be greater than 0"),
        (("--engine", "spark"), "--engine is 'spark'; take here, or dask=ADDRESS"),
        (("--engine", "dask="), "--engine is 'dask='"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(file, arguments, sentence):
    assert sentence in " ".join(said("--data", file, *arguments, code=2).split())


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("shown", "options"),
    [
        (lambda s: f"{100 * s:.0f} %", ()),
        (lambda s: f"${1000 * s:,.0f}", ()),
        (lambda s: f"{s:.2f} kg".replace(".", ","), ("--decimal", ",")),
    ],
)
def test_scores_with_units_are_read_as_fit_reads_them(table, tmp_path, ending, shown, options):
    rounded = table["score"].round(2)
    path = tmp_path / f"scores.{ending}"
    getattr(table.assign(score=[*map(shown, rounded)]), f"to_{ending}")(path, index=False)
    told = said("--data", path, *options)
    assert f"AUC {aucbench.auc(table['y'], rounded)!r}, exact" in told


def test_a_gap_is_refused_with_file_group_and_row(table, tmp_path):
    table.loc[1_500, "score"] = np.nan
    path = tmp_path / "gap.parquet"
    table.to_parquet(path, row_group_size=700, index=False)

    output = " ".join(said("--data", path, code=2).split())

    assert re.search(r"gap.parquet, row group 2, row 100 has (a NaN|no value)", output)


def test_bounds_are_rounded_outward():
    for low, high in [(0.123456789, 0.123457889), (0.1, 0.9), (0.99999, 1.0), (0.5, 0.5 + 1e-12)]:
        shown = digits(low, high)

        assert Fraction(shown[0]) <= Fraction(low) < Fraction(high) <= Fraction(shown[1])
        assert Fraction(shown[1]) - Fraction(shown[0]) <= Fraction(high - low) * 6 / 5
