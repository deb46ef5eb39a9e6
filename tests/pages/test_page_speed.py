"""The tables of "How fast" say what the files of a run say."""

import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def speed(documents):
    return documents("page_speed")


@pytest.fixture
def given(speed, monkeypatch, tmp_path):
    """Write a file of a run with these rows, and let the page read it."""
    monkeypatch.setattr(speed, "DATA", tmp_path)

    def write(part, *rows, **about):
        text = json.dumps({"rows": rows, **about})
        (tmp_path / f"speed_{part}.json").write_text(text, encoding="utf-8")

    return write


def test_every_table_of_the_page_is_asked_for_once_and_has_rows(speed):
    page = (DOCS / "speed.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^<!-- speed .+ -->$", page, re.MULTILINE)) == sorted(speed.TABLES)
    for name, lines in speed.TABLES.items():
        found = [*lines()]
        assert found, name
        if found[0].startswith("|"):
            assert len(found) > 2, name
            assert len({line.count("|") for line in found}) == 1, name


def test_calls_in_turns(speed, given):
    row = {"group": "pairs", "what": "`auc`", "peer": "`np.sort`", "ours": 0.02, "theirs": 0.05}
    given("kernels", {**row, "ratio": [2.5, 2.4, 2.61], "megabytes": [8.2, 7.6]})
    [*_, line] = speed.of_kernels("pairs")
    assert line == "| `auc` | 20 ms | `np.sort` | 50 ms | 2.5 × faster | 2.4 to 2.6 | 8, 8 MB |"
    assert len([*speed.of_kernels("passes")]) == 2


def objective(ours, theirs):
    about = {"set": "a9a", "n": 32561, "d": 123, "lam": 0.01, "peer": "P", "solver": "svm-or"}
    excess = None if theirs is None else 1.2e-4
    return {**about, "ours": ours, "theirs": theirs, "excess": excess, "megabytes": [9, 30]}


def test_equal_objectives_and_programs_that_take_too_long(speed, given):
    given("objectives", objective(0.05, 0.4), objective(None, None), objective(None, 0.4))
    [*_, first, second, third] = speed.of_objectives()
    assert first.startswith("| a9a, 32 561 × 123 | 0.01 | P | 400 ms | 1e-4 | `svm-or` | 50 ms |")
    assert first.endswith("| 8 × faster | 9, 30 MB |")
    assert "| too long | – | `svm-or` | – | – |" in second
    assert "| 400 ms | 1e-4 | `svm-or` | not reached | – |" in third


def curve(method, points, name="usps", linear=True, ours=False):
    return {"set": name, "method": method, "linear": linear, "ours": ours, "points": points}


def test_seconds_count_from_the_best_auc_of_those_that_compete(speed, given):
    given(
        "curves",
        curve("slow", [[0.1, 0.5], [2.0, 0.9]]),
        curve("quick", [[0.1, 0.896]], ours=True),
        curve("weak", [[0.1, 0.8]]),
        curve("dense", []),
        curve("trees", [[1.0, 0.98], [3.0, 0.99]], linear=False),
    )
    assert speed.soonest(True)["usps"] == {
        "slow": (2.0, 0.9),
        "quick": (0.1, 0.896),
        "weak": (None, 0.8),
    }
    assert speed.soonest(False)["usps"] == {"trees": (3.0, 0.99)}
    [*_, slow, quick, weak, dense, best] = speed.of_curves(True)
    assert (slow, quick) == ("| slow | 2 s |", "| quick | **100 ms** |")
    assert (weak, dense, best) == ("| weak | (0.8000) |", "| dense | – |", "| best AUC | 0.9000 |")


def test_what_is_lost_is_told(speed, given):
    kept = {"group": "pairs", "peer": "`np.sort`", "ours": 1, "theirs": 1, "megabytes": [0, 0]}
    won, lost = ({**kept, "what": w, "ratio": [r, r, r]} for w, r in (("a", 2.0), ("b", 0.5)))
    given("kernels", won, lost)
    given("objectives", objective(0.05, 0.4), objective(0.4, 0.2))
    given("curves", curve("mine", [[2.0, 0.9]], ours=True), curve("theirs", [[1.0, 0.9]]))
    assert [*speed.of_losses()] == [
        "- b: 2 × slower than `np.sort`.",
        "- `svm-or` on a9a, λ = 0.01: 2 × slower than P.",
        "- usps, linear scores: theirs is first, 1 s; ours 2 s.",
    ]
    given("kernels", won)
    given("objectives")
    given("curves")
    assert [*speed.of_losses()] == ["Nowhere, in these tables."]
