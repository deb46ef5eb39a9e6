"""Fingerprints of code and ids of cells: what changes them, and what leaves them as they are."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace

import pytest
import sklearn
from refusals import assert_refused

from aucbench.bench import answers, fingerprints
from aucbench.bench.answers import cell_id, shared_hash
from aucbench.bench.cell import Cell, Choice
from aucbench.bench.codec import dump, load
from aucbench.bench.fingerprints import (
    BUILT_IN,
    COMPUTES,
    code_fingerprint,
    fingerprint,
    imported_packages,
    package_fingerprint,
    plugin_fingerprint,
)
from aucbench.bench.plan.plan import Plan
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import DataError
from aucbench.hookspecs import PROJECT
from aucbench.registry.specs import Spec, parse_chain

pytestmark = pytest.mark.plain

# What runs in no cell, or is hashed in another way: data sets, and what kernels are compiled from.
PARENT = {
    *("about.py", "bench", "cli", "datasets", "guide.md", "include", "judging", "models"),
    *("options.py", "progress.py", "papers", "processes", "py.typed", "references.bib", "report"),
    *("stats", "store", "study", "testing"),
}
PLUGINS = {"solver": "p" * 32, "features": "q" * 32}
CELL = next(Plan.of({"data": ("german",), "solvers": ["sht-auc[k=5]"]}).cells())


def identify(cell=CELL, data="d" * 32, plugins=PLUGINS, code="c" * 32):
    return cell_id(cell, shared_hash(cell, data=data, plugins=plugins, code=code))


def test_an_id_is_short_hexadecimal_and_the_same_in_every_version_of_python():
    assert identify() == "e8c53a3ebb7f719296ac81366fa183fe"


OTHER = {  # another value of each field of a cell
    **{"solver": Spec("sht-auc"), "dataset": Spec("german.svm"), "pairs": Spec("group")},
    **{"objective": Spec("logistic"), "projector": Spec("l2-ball"), "tune": (("k", (1, 5)),)},
    **{"features": parse_chain("none"), "reading": ReadOptions(positive="1", drop=(2,))},
    **{"splits": 4, "repeat": 1, "split": 1, "seed": 1, "repeat_fits": 2, "holdout": 0.2},
    **{"passes": 49.0, "seconds": 1.0, "gap_tol": 0.0, "monotone": "age=increasing"},
    **{"tune_evals": 19, "inner_splits": 2, "tune_seconds": 9.0, "tune_work": 1e9},
}


def test_every_field_of_a_cell_counts():
    tuned = replace(CELL, tune=True)
    found = {identify(replace(tuned, **{name: value})) for name, value in OTHER.items()}
    assert {*OTHER} == {f.name for f in fields(Cell)}
    assert len({*found, identify(tuned), identify()}) == len(OTHER) + 2
    assert identify(replace(CELL, tune_evals=3, inner_splits=9)) == identify()  # it is not tuned


def test_data_plugins_code_and_schema_count(monkeypatch):
    found = [
        identify(),
        identify(data="e" * 32),
        identify(code="e" * 32),
        identify(plugins={**PLUGINS, "solver": "e" * 32}),
        identify(plugins={**PLUGINS, "projector": "p" * 32}),
        identify(plugins={"solver": PLUGINS["features"], "features": PLUGINS["solver"]}),
    ]
    monkeypatch.setattr(answers, "SCHEMA", answers.SCHEMA + 1)
    assert len({*found, identify()}) == len(found) + 1


def test_the_order_of_plugins_and_parameters_does_not_matter():
    grids = ({"k": (1,), "m": (2,)}, {"m": (2,), "k": (1,)})
    cells = [
        next(Plan.of({"data": ("x",), "solvers": (Choice("a", grid),)}).cells()) for grid in grids
    ]
    assert identify(plugins=dict(reversed(PLUGINS.items()))) == identify()
    assert identify(cells[0]) == identify(cells[1])
    assert identify(load(json.loads(json.dumps(dump(cells[0]))), Cell)) == identify(cells[0])


def test_a_fingerprint_is_of_names_and_contents(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"1")
    b.write_bytes(b"2")
    assert fingerprint({"a": a, "b": b}) == fingerprint({"b": b, "a": a})
    assert fingerprint({"a": a, "b": b}) != fingerprint({"a": b, "b": a})
    b.unlink()
    assert_refused(lambda: fingerprint({"b": b}), DataError, "readable")


def counted():
    rooms = [f"aucbench/{room}" for room in COMPUTES]
    return [n for n in fingerprints.files_of_module("aucbench") if within(n, rooms)]


def within(name, rooms):
    return any(name == room or name.startswith(f"{room}/") for room in rooms)


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of what the packages are made of, in which files may change; the end of long ones."""
    real = fingerprints.files_of_module
    files = {top: {} for top in ("aucbench", BUILT_IN)}
    for top, found in files.items():
        for name, path in real(top).items():
            found[name] = tmp_path / name.replace("/", "__")
            found[name].write_bytes(path.read_bytes()[-1000:])
    monkeypatch.setattr(fingerprints, "files_of_module", lambda top: files[top])
    return files


@contextmanager
def changed(path):
    """Flip a bit of a file for a while; a file without content gets some."""
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if content else b"#")
    yield
    path.write_bytes(content)


def test_each_room_of_the_worker_and_of_the_mathematics_counts_and_none_of_the_parent(copy):
    before, known = code_fingerprint(), counted()
    with ExitStack() as all_of_them:
        for name, path in copy["aucbench"].items():
            if name not in known:
                all_of_them.enter_context(changed(path))
        assert code_fingerprint() == before
    for room in COMPUTES:
        name = [n for n in known if within(n, [f"aucbench/{room}"])][-1]
        with changed(copy["aucbench"][name]):
            assert code_fingerprint() != before, name
    assert code_fingerprint() == before


def test_each_room_is_said_to_compute_or_not_to():
    rooms = {name.split("/")[1] for name in fingerprints.files_of_module("aucbench")}
    assert any(name.startswith("aucbench/kernels/") and name.endswith(".so") for name in counted())
    whole = {room for room in COMPUTES if "/" not in room}
    assert rooms == whole | PARENT
    assert not whole & PARENT
    assert all(room.split("/")[0] in PARENT for room in COMPUTES if "/" in room)


FAMILIES = {
    **{"thresholding": "sht_auc", "online": "fsauc", "ridge": "ls_svm"},
    **{"roc_svm": "roc_svm", "aum": "aum", "baselines": "logistic"},
    **{"networks": "mlp", "plane": "auc_opt"},
}


def test_versions_of_a_module_are_those_of_its_distributions():
    """A module and its distribution may have different names."""
    assert fingerprints.versions_of_module("sklearn") == {"scikit-learn": sklearn.__version__}
    assert fingerprints.versions_of_module("not_installed") == {}


@pytest.mark.slow
def test_a_built_in_plugin_counts_by_its_family(copy):
    values = {family: f"{BUILT_IN}.{family}.{module}" for family, module in FAMILIES.items()}
    before = {family: plugin_fingerprint(PROJECT, value) for family, value in values.items()}
    assert len({*before.values()}) == len(FAMILIES)
    shared = {"__init__.py": {*FAMILIES}, "defaults.toml": set()}  # whose cells they change
    assert {name.split("/")[1] for name in copy[BUILT_IN]} == {*FAMILIES, *shared}
    for name, path in copy[BUILT_IN].items():
        with changed(path):
            now = {family: plugin_fingerprint(PROJECT, value) for family, value in values.items()}
        stale = {family for family in FAMILIES if now[family] != before[family]}
        room = name.split("/")[1]
        assert stale == ({room} if room in FAMILIES else shared[room]), name
    assert plugin_fingerprint(PROJECT, values["aum"]) == before["aum"]


def test_a_library_of_another_version_changes_the_code(monkeypatch):
    before = code_fingerprint()
    real = fingerprints.version_of
    monkeypatch.setattr(fingerprints, "version_of", lambda n: "9.9" if n == "scipy" else real(n))
    assert code_fingerprint() != before


@pytest.fixture
def zoo(site):
    """A distribution with a package that holds a compiled file, and with two requirements."""
    folder = site.path / "zoo"
    (folder / "inner" / "__pycache__").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('not to be run')\nimport helper, tools\n")
    site.module("helper", "SCALE = 1.0")
    site.module("tools", "")
    site.metadata("tool_box", "1.0", {})  # which zoo does not name
    (site.path / "tool_box-1.0.dist-info" / "top_level.txt").write_text("tools\n")
    (folder / "kernel.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF\x02\x01 one")
    (folder / "inner" / "table.npy").write_bytes(b"\x93NUMPY")
    (folder / "inner" / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"cache")
    site.metadata("zoo", "1.0", {"lion": "zoo.inner:lion"})
    for name, version, needs in (("feed", "2.0", ["grass"]), ("grass", "3.0", ["feed"])):
        site.metadata(name, version, {})
        require(site, f"{name}-{version}", *needs)
    require(site, "zoo-1.0", "feed>=1; python_version>'3'", "absent", "pandas; extra == 'big'")
    return site


def require(site, folder, *needs):
    path = site.path / f"{folder}.dist-info" / "METADATA"
    head = path.read_text().split("Requires-Dist")[0]
    path.write_text(head + "".join(f"Requires-Dist: {need}\n" for need in needs))


def version(site, name, old, new):
    path = site.path / f"{name}-{old}.dist-info"
    path.rename(path.with_name(f"{name}-{new}.dist-info"))
    about = site.path / f"{name}-{new}.dist-info" / "METADATA"
    about.write_text(about.read_text().replace(f"Version: {old}", f"Version: {new}"))


def compiled(site):
    return next((site.path / "zoo").glob("*.so"))


def recorded(site, name):
    (site.path / name).write_text("content")
    (site.path / "zoo-1.0.dist-info" / "RECORD").write_text(f"{name},,\n")


def editable(site, name):
    link = '{"url": "file:///x", "dir_info": {"editable": true}}'
    (site.path / f"{name}.dist-info" / "direct_url.json").write_text(link)


def in_zoo(name, content):
    """A change that writes a file of the package."""
    return lambda site: (site.path / "zoo" / name).write_bytes(content)


CHANGES = {
    "source": in_zoo("__init__.py", b"# new\n"),
    "compiled": lambda site: compiled(site).write_bytes(b"\x7fELF\x02\x01 two"),
    "table": in_zoo("inner/table.npy", b"\x93NUMPZ"),
    "new file": in_zoo("inner/new.py", b""),
    "version": lambda site: version(site, "zoo", "1.0", "1.1"),
    "requirement": lambda site: version(site, "feed", "2.0", "2.1"),
    "requirement of a requirement": lambda site: version(site, "grass", "3.0", "3.1"),
    "requirement installed": lambda site: site.metadata("absent", "1", {}),
    "recorded helper": lambda site: recorded(site, "zoo_fast.abi3.so"),
    "imported module": lambda site: site.module("helper", "SCALE = 2.0"),
    "imported distribution": lambda site: version(site, "tool_box", "1.0", "1.1"),
    "imported source tree": lambda site: editable(site, "tool_box-1.0"),
}
HARMLESS = {
    "cache": in_zoo("inner/__pycache__/y.pyc", b"2"),
    "another distribution": lambda site: site.metadata("other", "1", {}),
    "file of an imported distribution": lambda site: site.module("tools", "x = 1"),
    "what only an extra needs": lambda site: site.metadata("pandas", "999", {}),
    "notes of the installer": lambda site: recorded(site, "zoo-1.0.dist-info/INSTALLER"),
    "link to a source tree": lambda site: recorded(site, "__editable__.zoo-1.0.pth"),
}


@pytest.mark.parametrize("name", [*CHANGES, *HARMLESS])
def test_a_plugin_has_another_fingerprint_if_a_change_may_change_its_numbers(zoo, name):
    before = plugin_fingerprint("zoo", "zoo.inner:lion")
    (CHANGES | HARMLESS)[name](zoo)
    assert (plugin_fingerprint("zoo", "zoo.inner:lion") != before) == (name in CHANGES)
    assert "zoo" not in sys.modules


CODE = """
import json, sys
from aucbench.bench.answers import cell_id, shared_hash
from aucbench.bench.fingerprints import code_fingerprint, plugin_fingerprint
from aucbench.bench.plan.plan import Plan
cell = next(Plan.of({"data": "german", "solvers": "sht-auc[k=5]"}).cells())
solver = plugin_fingerprint("zoo", "zoo.inner:lion")
known = {"data": "d", "plugins": {"solver": solver}, "code": code_fingerprint()}
print(cell_id(cell, shared_hash(cell, **known)))
print([m for m in ("zoo", "numpy") if m in sys.modules])
"""


def test_ids_are_equal_in_other_processes_and_folders(zoo, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "site"
    zoo.path.rename(elsewhere)
    elsewhere.parent.joinpath("back").symlink_to(elsewhere)
    found = set()
    for seed, place in (("1", elsewhere), ("2", elsewhere.parent / "back")):
        environment = os.environ | {"PYTHONPATH": str(place), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", CODE]
        found.add(subprocess.check_output(command, env=environment, text=True))
    zoo.path.mkdir()
    assert len(found) == 1
    assert found.pop().splitlines()[1] == "[]"


def test_a_module_without_a_distribution_is_its_files_and_what_it_imports(site, tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").write_text("from package import deep", encoding="utf-8")
    (folder / "deep.py").write_text("def f():\n    import further, colorsys, numpy")
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


def test_two_plugins_of_one_package_differ_and_a_module_counts_once_it_is_there(site):
    assert plugin_fingerprint("zoo", "zoo.a") != plugin_fingerprint("zoo", "zoo.b")
    site.metadata("solo", "1.0", {"solo": "solo_module"})
    absent = plugin_fingerprint("solo", "solo_module")
    site.module("solo_module", "raise SystemExit")
    assert plugin_fingerprint("solo", "solo_module") != absent
