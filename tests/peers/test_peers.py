"""The command that measures peers: its recipes are right, and what programs leave is read."""

import json
import subprocess
import sys

import numpy as np
import pytest
from shown_pages import ROOT

import aucbench
from aucbench import aum


@pytest.fixture(scope="module")
def peers():
    """The modules of `benchmarks`, which is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        import benchmarks.bench_select
        import benchmarks.measured
        import benchmarks.peers.kernels
        import benchmarks.peers.programs

        yield benchmarks


def test_recipes_are_what_they_are_compared_with(peers):
    recipes = peers.peers.kernels
    y, s = recipes.scored(300, 0.3)
    for name in ("hinge", "squared-hinge", "logistic"):
        f = aucbench.get_objective(f"pairwise-{name}", aucbench.Data.of(np.zeros((300, 1)), y))
        value, c = f.of_scores(s)
        found, coefficients = getattr(recipes, f"{name.replace('-', '_')}_in_numpy")(s, y > 0)
        assert found == pytest.approx(value, rel=1e-6), name
        np.testing.assert_allclose(coefficients, c, atol=1e-6 * np.abs(c).max(), err_msg=name)
    wanted = aum.aum_loss(aum.Breakpoints.of_labels(y), s).value
    assert recipes.aum_in_numpy(s, y > 0) == pytest.approx(wanted, rel=1e-12)
    v = np.random.default_rng(0).standard_normal(1000)
    found = peers.bench_select.numpy_recipe(v.copy(), 10, np.empty(1000))
    np.testing.assert_array_equal(found, aucbench.get_projector("top-k", k=10)(v.copy()))


def test_ratios_and_memory_are_those_of_calls(peers):
    measured = peers.measured
    assert measured.ratio([1.0, 2.0, 4.0], [3.0, 6.0, 8.0]) == (3.0, 2.5, 3.0)  # ours is faster
    held = np.ones(1_000_000)
    assert 7 < measured.memory(measured.Side(lambda: held * 2)) < 12
    assert measured.memory(measured.Side(lambda: held.sum())) < 2


@pytest.fixture
def fake(tmp_path):
    """Return a function that writes a program, which runs this Python code."""

    def write(text):
        path = tmp_path / "program"
        path.write_text(f"#!{sys.executable}\nimport sys\n{text}", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return write


LINEAR = "solver_type X\\nbias -1\\nw\\n0.5 \\n-2 \\n"
SUPPORT = "3 # documents\\n0 # threshold b, each following line is a SV (starting with alpha*y)\\n"
SUPPORT += "2 1:0.5 3:1 #\\n-1 3:4 #\\n"


def test_weights_of_liblinear_and_svm_perf_are_read(peers, fake, tmp_path):
    programs, rows = peers.peers.programs, tmp_path / "rows.svm"
    path = fake(
        "if '-e' not in sys.argv: sum(i * i for i in range(2_000_000))\n"
        f"open(sys.argv[-1], 'w').write('{LINEAR}')\n"
    )
    found = programs.ranksvm(path, rows, 3, 1.0)
    np.testing.assert_array_equal(found.w, [0.5, -2.0, 0.0])
    assert found.seconds > 0.02  # without those of reading
    assert 3 < found.megabytes < 100
    path = fake(
        f"open(sys.argv[-1], 'w').write('{SUPPORT}')\nprint('Runtime in cpu-seconds: 1.25')"
    )
    found = programs.svm_perf(path, rows, 4, 0.1)
    np.testing.assert_array_equal(found.w, [1.0, 0.0, -2.0, 0.0])
    assert found.seconds == 1.25


@pytest.mark.nightly
def test_the_commands_measure_what_is_installed(tmp_path):
    def ran(module, *words):
        command = [sys.executable, "-m", f"benchmarks.{module}", *words, "--out", str(tmp_path)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
        return {
            file.stem.removeprefix("speed_"): json.loads(file.read_text(encoding="utf-8"))
            for file in tmp_path.glob("speed_*.json")
        }

    given = "--sets made --repeats 1 --seconds 0.2 --cases top-k-3,auc-sort"
    read = ran("peers", *given.split(), "--peers", "scipy,svm-or,logistic,lightgbm")
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
    bounds = ran("bounds", "csr-grad", "aum-loss", "--seconds", "0.01")["bounds"]
    assert [row["name"] for row in bounds["rows"]] == ["csr-grad", "aum-loss"]
    for row in bounds["rows"]:
        assert row["share"][0] == pytest.approx(row["least"] / row["time"], rel=0.9)
    assert min(bounds["rates"].values()) > 0
