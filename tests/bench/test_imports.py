"""What a plugin imports without saying so is a part of the identity of its records."""

import sys

import pytest
from plugin_site import HEAD

from aucbench import compare
from aucbench.bench import Store
from aucbench.bench.plan.toml import parse_plan
from aucbench.bench.results.export import table_rows
from aucbench.bench.results.record import Imports, versions_of
from aucbench.bench.runner import folder_status
from aucbench.bench.worker.machine import imported_since, mark_imports
from aucbench.report.folder import read_evidence

SOLVER = f"""{HEAD}
from aucbench.protocols import Problem, State

@dataclass(frozen=True)
class Means(Dummy):
    space: ClassVar = {{}}
    def problem(self, data, rng):
        import toolbox            # when it runs, and named nowhere in its metadata
        return Problem(None, train=data)
    def iterates(self, problem, rng):
        import helper
        m_neg, m_pos = problem.data.means
        yield State(1, helper.SCALE * (m_pos - m_neg), problem.data.n)

@hookimpl
def aucbench_solvers():
    return {{"means": Means, "other": Dummy}}
"""
MAP = """
from dataclasses import dataclass
from typing import ClassVar
from aucbench.hookspecs import hookimpl

@dataclass(frozen=True)
class Twice:
    exempt: ClassVar[int] = 0
    def fit(self, data, rng):
        return self
    def __call__(self, rows):
        import mapped_by
        return rows

@hookimpl
def aucbench_features():
    return {"twice": Twice}
"""


@pytest.fixture
def tools(site, tmp_path):
    """A solver that imports a module beside it, and one of a distribution that it does not name."""
    site.add("means", means=SOLVER)
    site.module("helper", "SCALE = 1.0")
    installed(site, "1.0")
    return site


def installed(site, version):
    site.module("toolbox", "")
    for old in site.path.glob("Tool_Box-*.dist-info/*"):
        old.unlink()
    for old in site.path.glob("Tool_Box-*.dist-info"):
        old.rmdir()
    site.metadata("Tool_Box", version, {})
    info = site.path / f"Tool_Box-{version}.dist-info"
    (info / "top_level.txt").write_text("toolbox\n", encoding="utf-8")


def ran(out, features="none"):
    """The records of a run, and which of them were computed in it."""
    before = [*out.glob("cells/*/*.json")]
    times = {path: path.stat().st_mtime_ns for path in before}
    found = compare("means", "breast-cancer", features=features, splits=2, out=out)
    assert all(record.ok for record in found), [record.why for record in found]
    new = [p for p in out.glob("cells/*/*.json") if times.get(p) != p.stat().st_mtime_ns]
    return found, len(new)


def test_records_name_what_was_imported(tools, tmp_path):
    [first, _], new = ran(tmp_path / "out")
    assert new == 2
    assert first.imports["toolbox"] == {"distribution": "Tool_Box", "version": "1.0"}
    assert first.imports["helper"]["place"] == str(tmp_path / "helper.py")
    assert {*first.imports} == {"helper", "toolbox"}
    assert first.machine["versions"]["Tool_Box"] == "1.0"
    assert "numpy" in first.machine["versions"]
    assert first.flat()["imports"] == first.imports


def test_a_cell_counts_as_long_as_they_are_the_same(tools, tmp_path):
    out = tmp_path / "out"
    ran(out)
    assert ran(out)[1] == 0
    tools.module("helper", "SCALE = 2.0")
    assert ran(out)[1] == 2
    assert ran(out)[1] == 0
    installed(tools, "1.1")
    records, new = ran(out)
    assert new == 2
    assert records[0].imports["toolbox"]["version"] == "1.1"
    (tools.path / "helper.py").rename(tools.path / "gone.py")
    assert not Imports().same(records[0].imports)


@pytest.mark.nightly
def test_every_command_knows_that_they_have_changed(tools, tmp_path):
    out = tmp_path / "out"
    ran(out)
    tools.module("helper", "SCALE = 2.0")
    store = Store(out)
    plans = [parse_plan(text, str(path)) for path, text in store.plans().items()]
    status = folder_status(store, plans)
    assert (status.planned, status.stale, status.missing) == (2, 2, 2)
    assert read_evidence(out).stale == 2
    assert read_evidence(out, stale=True).stale == 0
    wanted = {record.cell: record.id for record in store.records()}
    assert [row["stale"] for row in table_rows(store.records, wanted)] == [True, True]


@pytest.mark.nightly
def test_a_map_imports_too(tools, site, tmp_path):
    site.add("maps", twice=MAP)
    site.module("mapped_by", "")
    [first, _], _ = ran(tmp_path / "out", "twice")
    assert {"mapped_by", "helper"} <= {*first.imports}


def test_the_files_of_the_plugin_itself_are_known_already(tools, tmp_path):
    place = str(tools.path / "means_means.py")
    plugin = ("means", "1.0", "means_means:Means")
    assert Imports().told({"means_means": place}, plugin) == {}
    [told] = Imports().told({"means_means": place}, None).values()
    assert told["place"] == place


def test_a_package_is_its_files_and_an_own_file_of_the_name_of_another_is_its_own(site, tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "deep.py").write_text("a = 1", encoding="utf-8")
    site.module("scipy", "")  # never imported here: it would replace the real one
    places = {"package": str(folder / "__init__.py"), "scipy": str(tmp_path / "scipy.py")}
    told = Imports().told(places, None)
    assert {*told} == {"package", "scipy"}
    assert told["scipy"]["place"] == str(tmp_path / "scipy.py")
    assert Imports().same(told)
    (folder / "deep.py").write_text("a = 2", encoding="utf-8")
    assert not Imports().same(told)


def test_libraries_of_aucbench_and_the_standard_library_are_left_out(site, monkeypatch):
    import numpy
    import sklearn

    places = {"numpy": numpy.__file__, "sklearn": sklearn.__file__}
    assert Imports().told(places, None) == {}
    site.module("quite_new", "import colorsys")
    mark = mark_imports()
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    import quite_new

    monkeypatch.setitem(sys.modules, "not_a_module", None)
    monkeypatch.setitem(sys.modules, "odd", type("Odd", (), {"__file__": 5})())
    found = imported_since(mark)
    assert found["quite_new"] == quite_new.__file__
    assert {*found} & {"colorsys", "not_a_module", "odd", mark} == set()
    assert imported_since(mark_imports()) == {}
    monkeypatch.delitem(sys.modules, mark)
    assert {"numpy", "quite_new"} <= {*imported_since(mark)}


def test_versions_of_what_has_one():
    told = {
        "yaml": {"distribution": "PyYAML", "version": "6.0"},
        "helper": {"place": "/x/helper.py", "content": "abc"},
        "odd": {"distribution": "odd", "version": None},
    }
    assert versions_of(told) == {"PyYAML": "6.0"}


LOOSE = SOLVER.replace("import toolbox", "import importlib; importlib.import_module('dynamic')")


@pytest.mark.nightly
def test_of_a_file_only_what_its_text_does_not_name_is_kept(tools, tmp_path):
    folder = tmp_path / "loose"
    folder.mkdir()
    (folder / "mine.py").write_text(LOOSE, encoding="utf-8")
    (folder / "helper.py").write_text("SCALE = 3.0", encoding="utf-8")
    (folder / "dynamic.py").write_text("", encoding="utf-8")
    (tmp_path / "helper.py").unlink()
    [first] = compare(f"{folder / 'mine.py'}:Means", "breast-cancer", splits=2)[:1]
    assert first.ok, first.why
    assert {*first.imports} == {"dynamic"}
