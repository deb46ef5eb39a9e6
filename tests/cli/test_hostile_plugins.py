"""Plugins that nobody asked for cannot hold a command, and one that was asked for is named."""

import sys
from dataclasses import replace
from time import monotonic

import pytest
from command_line import call, done
from toys import HEAD, Site, solver

import aucbench
from aucbench import compare
from aucbench.bench import resolver
from aucbench.errors import PluginError
from aucbench.registry import isolated_imports

MEANS = HEAD.replace(
    "def iterates(self, problem, w0, rng, budget): return iter(())",
    """
    def iterates(self, problem, w0, rng, budget):
        from aucbench.contract import State
        m_neg, m_pos = problem.data.means
        return State(m_pos - m_neg)
""",
)
GOOD = (
    MEANS + "\n@hookimpl\ndef aucbench_solvers():\n    return {'good': Dummy, 'further': Dummy}\n"
)
BAD = {
    "sleeps": ("import time\ntime.sleep(600)\n", "did not end within 2 s"),
    "hook_sleeps": (
        f"{HEAD}\nimport time\n@hookimpl\ndef aucbench_solvers():\n    time.sleep(600)\n",
        "did not end within 2 s",
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
    monkeypatch.setattr(resolver, "RESOLVE_LIMITS", replace(resolver.RESOLVE_LIMITS, timeout=TIME))
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
    assert '"reason": "did not end within 2 s"' in document.stdout


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


def test_a_name_in_python_imports_its_plugin_and_no_other(hostile):
    assert aucbench.get_solver("good[k=2]").k == 2
    assert imported() == ["fine_good"]
    assert aucbench.get_solver("further").k == 3
    assert imported() == ["fine_good"]
    assert {"good", "further", "loud"} <= {*aucbench.list_solvers()}
    assert imported() == ["fine_good"]
    del sys.modules["fine_good"]


@pytest.mark.parametrize("name", ["sleeps", "crashes"])
def test_python_is_told_and_goes_on(hostile, name):
    data = aucbench.get_dataset("breast-cancer")
    message = f"the plugin ward:{name} is broken"
    with pytest.raises(PluginError, match=message):
        aucbench.solve(name, data)
    with pytest.raises(PluginError, match=message):
        aucbench.AUCClassifier(name).fit(data.rows.matrix, data.y)
    records = compare([name, "constant"], "breast-cancer", splits=2)
    assert [r.status.status for r in records].count("ok") == 2
    assert {entry.name for entry in isolated_imports._isolated} == {name}
