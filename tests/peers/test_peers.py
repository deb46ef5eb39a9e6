"""The command that measures peers: its recipes are right, and what programs leave is read."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import aucbench
from aucbench import aum
from aucbench.pairs import Group

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def root(monkeypatch):
    """Make `benchmarks` importable, which is not installed; asv imports it from the folder."""
    monkeypatch.syspath_prepend(ROOT)


@pytest.mark.parametrize("name", ["hinge", "squared-hinge", "logistic"])
def test_recipes_are_the_losses_that_they_are_compared_with(name):
    from benchmarks.peers import kernels

    y, s = kernels.scored(300, 0.3)
    f = aucbench.get_objective(f"pairwise-{name}", aucbench.Data.of(np.zeros((300, 1)), y))
    value, c = f.of_scores(s)
    recipe = getattr(kernels, f"{name.replace('-', '_')}_in_numpy")
    found, coefficients = recipe(s, y > 0)
    assert found == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(coefficients, c, atol=1e-6 * np.abs(c).max())


def test_the_recipe_of_the_aum_is_the_aum():
    from benchmarks.peers import kernels

    y, s = kernels.scored(300, 0.3)
    wanted = aum.aum_loss(aum.Breakpoints.of_labels(y), s).value
    assert kernels.aum_in_numpy(s, y > 0) == pytest.approx(wanted, rel=1e-12)


def test_the_recipe_of_top_k_keeps_the_same_entries():
    from benchmarks.bench_select import numpy_recipe

    v = np.random.default_rng(0).standard_normal(1000)
    found = numpy_recipe(v.copy(), 10, np.empty(1000))
    np.testing.assert_array_equal(found, aucbench.get_projector("top-k", k=10)(v.copy()))


def test_a_ratio_is_above_one_where_ours_is_faster():
    from benchmarks.measured import ratio

    assert ratio([1.0, 2.0, 4.0], [3.0, 6.0, 8.0]) == (3.0, 2.5, 3.0)


def test_memory_is_what_a_call_adds():
    from benchmarks.measured import Side, memory

    held = np.ones(1_000_000)
    assert 7 < memory(Side(lambda: held * 2)) < 12
    assert memory(Side(lambda: held.sum())) < 2


def test_memory_of_a_call_that_ends_its_process_is_an_error():
    from benchmarks.measured import Side, memory

    with pytest.raises(RuntimeError, match="ended before it reported"):
        memory(Side(lambda: __import__("os")._exit(3)))


def fake(folder, text):
    path = folder / "program"
    path.write_text(f"#!{sys.executable}\nimport sys\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_weights_of_liblinear_are_read_and_reading_is_subtracted(tmp_path):
    from benchmarks.peers.programs import ranksvm

    path = fake(
        tmp_path,
        "if '-e' not in sys.argv: sum(i * i for i in range(2_000_000))\n"
        "open(sys.argv[-1], 'w').write('solver_type X\\nbias -1\\nw\\n0.5 \\n-2 \\n')\n",
    )
    found = ranksvm(path, tmp_path / "rows.svm", 3, 1.0)
    np.testing.assert_array_equal(found.w, [0.5, -2.0, 0.0])
    assert found.seconds > 0.02
    assert 3 < found.megabytes < 100


def test_weights_of_svm_perf_are_its_support_vectors(tmp_path):
    from benchmarks.peers.programs import svm_perf

    model = (
        "3 # documents\\n0 # threshold b, each following line is a SV (starting with alpha*y)\\n"
    )
    path = fake(
        tmp_path,
        f"open(sys.argv[-1], 'w').write('{model}2 1:0.5 3:1 #\\n-1 3:4 #\\n')\n"
        "print('Runtime in cpu-seconds: 1.25')\n",
    )
    found = svm_perf(path, tmp_path / "rows.svm", 4, 0.1)
    np.testing.assert_array_equal(found.w, [1.0, 0.0, -2.0, 0.0])
    assert found.seconds == 1.25


def test_a_program_that_fails_says_what_it_said(tmp_path):
    from benchmarks.peers.process import program

    with pytest.raises(RuntimeError, match="ended with 3: no such file"):
        program([fake(tmp_path, "print('no such file'); sys.exit(3)")])
    with pytest.raises(RuntimeError, match="did not start"):
        program([str(tmp_path / "nothing")])


def test_a_program_that_takes_too_long_is_ended(tmp_path):
    from benchmarks.peers.process import program

    assert program([fake(tmp_path, "while True: pass")], limit=1) is None


def test_a_path_that_is_no_program_is_refused(monkeypatch, tmp_path):
    from benchmarks.peers.programs import given

    monkeypatch.setenv("SOFIA", str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match="is no program; give the path"):
        given("SOFIA")
    monkeypatch.delenv("SOFIA")
    assert given("SOFIA") is None


def test_rows_are_split_by_class_and_a_missing_set_says_why(tmp_path):
    from benchmarks.peers import sets

    kept = sets.keep(sets.SMALL, tmp_path)
    learnt, held = sets.halves(kept)
    assert (kept.n, kept.d) == (400, 8)
    assert learnt.y.size == 300
    for part in (learnt, held):
        assert np.count_nonzero(part.y > 0) == pytest.approx(0.3 * part.y.size, abs=1)
    assert np.abs(sets.whole(kept).X).max() == 1.0
    assert "nothing" in sets.keep("nothing", tmp_path).why


@pytest.mark.nightly
def test_the_command_measures_what_is_installed(tmp_path):
    told = ["--sets", "made", "--repeats", "1", "--seconds", "0.2", "--cases", "top-k-3,auc-sort"]
    who = ["--peers", "scipy,svm-or,logistic,lightgbm", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "benchmarks.peers", *told, *who]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    files = {part: tmp_path / f"speed_{part}.json" for part in ("kernels", "objectives", "curves")}
    read = {part: json.loads(file.read_text(encoding="utf-8")) for part, file in files.items()}
    assert [row["name"] for row in read["kernels"]["rows"]] == ["top-k-3", "auc-sort"]
    for row in read["kernels"]["rows"]:
        low, middle, high = (row["ratio"][j] for j in (1, 0, 2))
        assert 0 < low <= middle <= high
    [row] = read["objectives"]["rows"]
    assert row["excess"] < 1e-3
    assert min(row["theirs"], row["ours"]) > 0
    curves = {row["method"]: row["points"] for row in read["curves"]["rows"]}
    assert {*curves} == {"`svm-or`", "scikit-learn, logistic", "LightGBM"}
    for points in curves.values():
        seconds, aucs = zip(*points, strict=True)
        assert [*seconds] == sorted(seconds)
        assert [*aucs] == sorted(aucs)
        assert aucs[-1] > 0.9


@pytest.mark.nightly
def test_the_command_measures_bounds(tmp_path):
    told = ["csr-grad", "aum-loss", "--seconds", "0.01", "--out", str(tmp_path)]
    command = [sys.executable, "-m", "benchmarks.bounds", *told]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    read = json.loads((tmp_path / "speed_bounds.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in read["rows"]] == ["csr-grad", "aum-loss"]
    for row in read["rows"]:
        assert row["share"][0] == pytest.approx(row["least"] / row["time"], rel=0.9)
    assert min(read["rates"].values()) > 0


def test_groups_are_written_as_queries_and_each_method_scores_test_groups(tmp_path):
    from benchmarks.peers import groups

    data = groups.made(400, 3)
    data = aucbench.Data.of(data.rows.matrix, data.y, groups=data.groups, pairs=Group())
    lines = groups._written(data, tmp_path / "rows.svm").read_text().splitlines()
    queries = [int(line.split()[1].removeprefix("qid:")) for line in lines]
    assert queries == sorted(queries)
    assert len({*queries}) == 20
    train, test = data.split(0.25, np.random.default_rng(0))
    scored = groups.methods()["rank-svm"](train, test)
    assert scored.scores.shape == (test.n,)
    assert "PRSVM" in groups.at_hand("PRSVM")
