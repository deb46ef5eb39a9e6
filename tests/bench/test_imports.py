"""What a plugin imports without saying so is a part of the identity of its cells."""

import pytest
from toys import HEAD

from aucbench import compare
from aucbench.bench.fingerprints import imported_packages, package_fingerprint

SOLVER = f"""{HEAD}
from aucbench.contract import Problem, State

@dataclass(frozen=True)
class Means(Dummy):
    space: ClassVar = {{}}
    def problem(self, data, rng, budget):
        import toolbox            # when it runs, and named nowhere in its metadata
        return Problem(train=data)
    def iterates(self, problem, w0, rng, budget):
        import helper
        m_neg, m_pos = problem.data.means
        return State(helper.SCALE * (m_pos - m_neg))

@hookimpl
def aucbench_solvers():
    return {{"means": Means, "other": Dummy}}
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


def computed(out):
    """The number of cells that a run has computed."""
    before = [*out.glob("cells/*/*.json")]
    times = {path: path.stat().st_mtime_ns for path in before}
    found = compare("means", "breast-cancer", splits=2, out=out)
    assert all(record.ok for record in found), [record.why for record in found]
    new = [p for p in out.glob("cells/*/*.json") if times.get(p) != p.stat().st_mtime_ns]
    return len(new)


def test_a_cell_is_kept_as_long_as_they_are_the_same(tools, tmp_path):
    out = tmp_path / "out"
    assert computed(out) == 2
    assert computed(out) == 0
    tools.module("helper", "SCALE = 2.0")
    assert computed(out) == 2
    installed(tools, "1.1")
    assert computed(out) == 2
    assert computed(out) == 0


def test_a_module_without_a_distribution_is_its_files_and_what_it_imports(site, tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").write_text("from package import deep", encoding="utf-8")
    (folder / "deep.py").write_text(
        "def f():\n    import further, colorsys, numpy", encoding="utf-8"
    )
    site.module("further", "")
    source = tmp_path / "source.py"
    source.write_text("import package, source, sklearn.svm, absent_one", encoding="utf-8")

    first = imported_packages([source], "source")
    assert {*first} == {"absent_one", "further", "package"}
    assert first["package"] == package_fingerprint("package")
    (folder / "deep.py").write_text("a = 2", encoding="utf-8")
    second = imported_packages([source], "source")
    assert {*second} == {"absent_one", "package"}
    assert second["package"] != first["package"]
