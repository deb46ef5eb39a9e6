"""`aucbench auc`: what it says of a column of scores, and what it refuses."""

import json
import re
from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from command_line import refused, said
from score_parts import normal_scores

import aucbench
from aucbench.cli.auc import digits
from aucbench.stats import Fold, auc_difference, auc_interval


@pytest.fixture(scope="module")
def table():
    y, s = normal_scores(3_000)
    rng = np.random.default_rng(1)
    columns = {"name": np.where(y > 0, "sick", "well"), "score": s, "y": y}
    more = {"w": rng.integers(1, 5, y.size), "g": rng.integers(0, 50, y.size)}
    return pd.DataFrame({**columns, **more, "other": s + rng.normal(size=y.size)})


@pytest.fixture(scope="module")
def file(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    table.to_parquet(path, row_group_size=700, index=False)
    return path


def auc(file, *options):
    return said("auc", "--data", file, *options)


def test_few_rows_have_their_auc_and_threads_change_nothing(table, file):
    value = aucbench.auc(table["y"], table["score"])

    first = auc(file)
    assert first.splitlines()[0] == f"AUC {value!r}, exact"
    assert auc(file, "--threads", "2", "--quiet") == first
    assert auc(file, "--target", "name", "--positive", "well").startswith(
        f"AUC {aucbench.auc(-table['y'], table['score'])!r}"
    )


def test_many_rows_have_bounds_of_it(table, file, monkeypatch):
    monkeypatch.setattr("aucbench.metrics.chunked.FEW", 0)
    monkeypatch.setattr("aucbench.scale.auc_bins.BINS", 1)
    monkeypatch.setattr("aucbench.scale.auc_bins.INTERVALS", 100)

    found = re.match(r"AUC between (\S+) and (\S+), for certain", auc(file))
    assert float(found[1]) < aucbench.auc(table["y"], table["score"]) < float(found[2])
    assert auc(file, "--exact").splitlines()[0].endswith("exact")


def test_weights_groups_and_parts_of_the_curve(table, file):
    told = json.loads(auc(file, "--weights", "w", "--json"))
    value = aucbench.auc(table["y"], table["score"], table["w"])
    assert told["low"] == pytest.approx(value, abs=1e-13)
    assert told["exact"]

    told = json.loads(auc(file, "--groups", "g", "--each", "group", "--json"))
    assert told["measure"] == "gauc[each=group]"
    assert auc(file, "--max-fpr", "0.1").startswith("pauc[max_fpr=0.1] ")


@pytest.mark.parametrize("weights", [(), ("--weights", "w")])
def test_columns_of_scores_are_compared_pair_by_pair(table, file, weights):
    v = table["w"] if weights else None
    folds = [[Fold(table["y"], table[name], v)] for name in ("score", "other")]
    asked = ("--target", "y", *weights, "--score", "score", "--score", "other", "--quiet")

    told = json.loads(auc(file, *asked, "--json"))
    lines = auc(file, *asked).splitlines()

    difference = auc_difference(*folds)
    assert [*told["aucs"]] == ["score", "other"]
    assert told["aucs"]["other"] == asdict(auc_interval(folds[1]))
    assert told["differences"][0]["difference"] == asdict(difference)
    assert told["differences"][0]["p_holm"] == difference.p
    value = aucbench.auc(table["y"], table["score"], v)
    assert lines[0].startswith(f"AUC of score {value:.6f}, 95 % interval")
    assert re.match(r"score - other \+0\.\d{4}, 95 % interval \+0\.\d{4} to .*, p \S+ \(", lines[2])
    assert told["n_pos"] == (table["y"] > 0).sum()


TWO = "--score score --score"
MISTAKES = [
    ("--score scores", "'scores'"),
    (f"{TWO} score", "two columns"),
    (f"{TWO} w --groups g", "--groups"),
    (f"{TWO} w --memory 0.001", "MB"),
    ("--each pair", "groups"),
    ("--max-fpr 0", "max_fpr"),
]


@pytest.mark.parametrize(("options", "word"), MISTAKES)
def test_what_makes_no_sense_is_refused(file, options, word):
    assert word in refused("auc", "--data", file, *options.split())


def test_bounds_are_rounded_outward():
    for low, high in [(0.123456789, 0.123457889), (0.1, 0.9), (0.99999, 1.0), (0.5, 0.5 + 1e-12)]:
        shown = digits(low, high)

        assert Fraction(shown[0]) <= Fraction(low) < Fraction(high) <= Fraction(shown[1])
        assert Fraction(shown[1]) - Fraction(shown[0]) <= Fraction(high - low) * 6 / 5
