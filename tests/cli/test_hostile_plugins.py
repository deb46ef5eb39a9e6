"""Plugins that nobody asked for cannot hold a command, and one that was asked for is named."""

import sys
from dataclasses import replace
from time import monotonic

import pytest
from command_line import call, done
from plugin_site import HEAD, Site, solver

import aucbench
from aucbench import compare
from aucbench.bench import lookup
from aucbench.errors import PluginError, UnknownNameError
from aucbench.registry import isolated_imports

MEANS = HEAD.replace("def problem(self, data, rng): return None", "").replace(
    "def iterates(self, problem, rng): return iter(())",
    """
    def problem(self, data, rng):
        from aucbench.protocols import Problem
        return Problem(None, train=data)
    def iterates(self, problem, rng):
        from aucbench.protocols import State
        m_neg, m_pos = problem.data.means
        yield State(1, m_pos - m_neg, problem.data.n)
""",
)
GOOD = (
    MEANS + "\n@hookimpl\ndef aucbench_solvers():\n    return {'good': Dummy, 'further': Dummy}\n"
)
BAD = {
    "sleeps": ("import time\ntime.sleep(600)\n", "no answer within 2 s"),
    "hook_sleeps": (
        f"{HEAD}\nimport time\n@hookimpl\ndef aucbench_solvers():\n    time.sleep(600)\n",
        "no answer within 2 s",
    ),
    "crashes": ("import ctypes\nctypes.string_at(0)\n", "killed by SIGSEGV"),
    "leaves": ("import os\nos._exit(0)\n", "ended with code 0 and without a result"),
    "raises": ("raise OSError('no licence')\n", "OSError: no licence"),
    "eats": ("import time\nheap = b'x' * (1 << 30)\ntime.sleep(600)\n", "MemoryError"),
}
TIME = 2.0  # seconds


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A good plugin that registers a further name too, and a bad one of each sort."""
    site = Site(tmp_path)
    site.add("fine", good=GOOD)
    site.add("ward", **{name: source for name, (source, _) in BAD.items()})
    site.add(
        "loud",
        loud="print('to stdout')\nimport sys\nprint('to stderr', file=sys.stderr)\n"
        + solver("loud"),
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("AUCBENCH_PLUGINS", raising=False)
    monkeypatch.setattr(isolated_imports, "_isolated", {})
    monkeypatch.setattr(isolated_imports, "OTHERS", TIME)
    monkeypatch.setattr(isolated_imports, "ASKED", TIME)
    monkeypatch.setattr(isolated_imports, "MEMORY", 500_000_000)
    monkeypatch.setattr(lookup, "RESOLVE_LIMITS", replace(lookup.RESOLVE_LIMITS, timeout=TIME))
    yield site
    assert not imported()


def imported():
    return [name for name in sys.modules if name.startswith(("fine_", "ward_", "loud_"))]


def of(name):
    return name.replace("_", "-")


def test_a_list_has_a_row_for_each_plugin_without_an_answer(hostile):
    begin = monotonic()
    result = call("list", "solvers")
    assert monotonic() - begin < 60
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    for name, (_, why) in BAD.items():
        [row] = [line for line in lines if line.split()[:2] == [of(name), "ward"]]
        assert "broken: " in row
        assert why in row
    assert [line for line in lines if line.split()[:1] in (["good"], ["further"], ["loud"])]
    assert "to stdout" not in result.stdout
    assert "Traceback" not in result.output
    for kind in ("datasets", "objectives", "features"):  # nothing is asked a second time
        assert call("list", kind).exit_code == 0
    document = done("list", "--json")
    assert '"reason": "no answer within 2 s"' in document.stdout


@pytest.mark.parametrize("name", BAD)
def test_what_was_asked_for_is_the_only_one_that_is_tried(hostile, name):
    result = done("show", of(name), code=2)
    [error] = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert f"the plugin ward:{of(name)} is broken" in error
    assert BAD[name][1] in error
    with pytest.raises(PluginError, match=f"ward:{of(name)} is broken"):
        aucbench.get_solver(of(name))
    assert {
        entry.name for entry in isolated_imports._isolated if entry.distribution in ("ward", "fine")
    } == {of(name)}


def test_who_asks_for_others_does_not_wait(hostile):
    for name in ("good", "sht-auc", "breast-cancer"):
        assert call("show", name).exit_code == 0
    asked = ("--solvers", "good,sht-auc[k=5]", "--data", "breast-cancer", "--splits", 2)
    done("compare", *asked)
    assert {entry.name for entry in isolated_imports._isolated} <= {"good"}


def test_a_module_with_two_entry_points_is_found_by_both(hostile):
    result = done("show", "further")
    assert "further: solver of fine 1.0" in result.stdout
    result = done("compare", "--solvers", "further", "--data", "breast-cancer", "--splits", 2)
    assert "have no AUC" not in result.stdout
    done("show", "fine:further")


def test_an_unknown_name_is_told_with_close_ones_and_with_who_did_not_answer(hostile):
    result = done("show", "furthre", code=2)
    assert "did you mean 'further'?" in result.stderr
    assert "warning: the plugin ward:sleeps is broken: no answer within 2 s" in result.stderr
    result = done("compare", "--solvers", "goood", "--data", "breast-cancer", code=2)
    assert "did you mean 'good'?" in result.stderr
    with pytest.raises(UnknownNameError, match="did you mean 'further'"):
        aucbench.get_solver("furthre")


def test_a_name_in_python_imports_its_plugin_and_no_other(hostile):
    assert aucbench.get_solver("good[k=2]").k == 2
    assert imported() == ["fine_good"]
    assert aucbench.get_solver("further").k == 3
    assert imported() == ["fine_good"]
    assert {"good", "further", "loud"} <= {*aucbench.list_solvers()}
    assert imported() == ["fine_good"]
    del sys.modules["fine_good"]


def test_what_was_run_is_cited_and_checked_without_the_others(hostile, tmp_path):
    run = ("compare", "--solvers", "further", "--data", "breast-cancer", "--splits", 2)
    done(*run, "--out", tmp_path / "results")
    done("status", tmp_path / "results")
    result = done("cite", tmp_path / "results")
    assert "@software{fine," in result.stdout
    assert "no reference is known of the solver further" in result.stderr
    result = call("check", "further")
    assert result.exit_code in (0, 1), result.output  # whether the laws hold is not the question
    assert "law of solvers" in result.stdout
    result = done("check", "goood", code=2)
    assert "did you mean 'good'?" in result.stderr


@pytest.mark.parametrize("name", ["sleeps", "crashes"])
def test_python_is_told_and_goes_on(hostile, name):
    data = aucbench.get_dataset("breast-cancer")
    message = f"the plugin ward:{name} is broken"
    with pytest.raises(PluginError, match=message):
        aucbench.solve(name, data)
    with pytest.raises(PluginError, match=message):
        aucbench.select([name, "svm-or"], data)
    with pytest.raises(PluginError, match=message):
        aucbench.AUCClassifier(name).fit(data.rows.matrix, data.y)
    records = compare([name, "constant"], "breast-cancer", splits=2)
    assert [r.status.status for r in records].count("ok") == 2
    assert {entry.name for entry in isolated_imports._isolated} == {name}


def test_a_model_is_fitted_with_the_plugin_that_was_asked_for(hostile, tmp_path):
    table = tmp_path / "rows.csv"
    lines = [f"{i % 7},{i % 5},{int(i % 7 > 3)}" for i in range(60)]
    table.write_text("a,b,y\n" + "\n".join(lines), encoding="utf-8")
    done("fit", "--data", table, "--solver", "good", "--out", tmp_path / "model.auc")
    assert {entry.name for entry in isolated_imports._isolated} == {"good"}
    del sys.modules["fine_good"]
