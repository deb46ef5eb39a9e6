import json
import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

import aucbench
from aucbench.bench.plans import identity
from aucbench.bench.plans.identity import (
    HARNESS,
    cell_id,
    code_fingerprint,
    fingerprint,
    plugin_fingerprint,
)
from aucbench.bench.plans.plan import Cell, Choice, Plan, choices
from aucbench.errors import DataError

PLUGINS = {"solver": "p" * 32, "features": "q" * 32}
CELL = next(Plan(("german",), choices(["sht-auc[k=5]"])).cells())
HERE = Path(aucbench.__file__).parent


def identify(cell=CELL, data="d" * 32, plugins=PLUGINS, code="c" * 32):
    return cell_id(cell, data=data, plugins=plugins, code=code)


def test_an_id_is_short_hexadecimal_and_the_same_in_every_version_of_python():
    assert identify() == "629ecef8d1031c10a0721952fa5e5411"


def test_every_field_of_a_cell_counts():
    tuned = replace(CELL, tune=True)
    other = {
        "solver": "sht-auc",
        "tune": (("k", (1, 5)),),
        "dataset": "german.svm",
        "preprocess": "none",
        "objective": "logistic",
        "projector": "l2-ball",
        "positive": ("1",),
        "drop": (2,),
        "splits": 4,
        "repeat": 1,
        "split": 1,
        "seed": 1,
        "passes": 49.0,
        "seconds": 1.0,
        "gap_tol": 0.0,
        "tune_evals": 19,
        "inner_splits": 2,
        "repeat_fits": 2,
    }
    found = {identify(replace(tuned, **{name: value})) for name, value in other.items()}

    assert {*other} == {f.name for f in fields(Cell)}
    assert len({*found, identify(tuned), identify()}) == len(other) + 2


def test_what_is_about_tuning_does_not_matter_to_a_solver_that_is_not_tuned():
    assert identify(replace(CELL, tune_evals=3, inner_splits=9)) == identify()


def test_data_plugins_code_and_schema_count(monkeypatch):
    found = [
        identify(),
        identify(data="e" * 32),
        identify(code="e" * 32),
        identify(plugins={**PLUGINS, "solver": "e" * 32}),
        identify(plugins={**PLUGINS, "projector": "p" * 32}),
        identify(plugins={"solver": PLUGINS["features"], "features": PLUGINS["solver"]}),
    ]
    monkeypatch.setattr(identity, "SCHEMA", identity.SCHEMA + 1)

    assert len({*found, identify()}) == len(found) + 1


def test_the_order_of_plugins_and_parameters_does_not_matter():
    grids = ({"k": (1,), "m": (2,)}, {"m": (2,), "k": (1,)})
    cells = [next(Plan(("x",), (Choice("a", grid),)).cells()) for grid in grids]

    assert identify(plugins=dict(reversed(PLUGINS.items()))) == identify()
    assert identify(cells[0]) == identify(cells[1])
    assert identify(Cell.from_json(json.loads(json.dumps(cells[0].to_json())))) == identify(
        cells[0]
    )


def test_a_fingerprint_is_of_names_and_contents(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"1")
    b.write_bytes(b"2")
    found = fingerprint({"a": a, "b": b})

    assert found == fingerprint({"b": b, "a": a})
    assert found != fingerprint({"a": b, "b": a})
    b.write_bytes(b"3")
    assert found != fingerprint({"a": a, "b": b})
    b.unlink()
    with pytest.raises(DataError, match="make it readable"):
        fingerprint({"b": b})


def test_what_is_left_out_of_the_code_exists_and_what_computes_is_in():
    for name in HARNESS:
        assert (HERE.parent / name).exists(), name
    files = identity._files_of_module("aucbench")
    counted = {name for name in files if not identity._is_harness(name)}
    for name in (
        "data/data",
        "loop",
        "metrics",
        "data/arrays",
        "protocols",
        "data/targets",
        "objectives/logistic",
    ):
        assert f"aucbench/{name}.py" in counted
    for name in ("features/maxabs", "projectors/top_k", "optim/power", "registry/__init__"):
        assert f"aucbench/{name}.py" in counted
    assert {n for n in files if n.startswith("aucbench/kernels/") and n.endswith(".so")} <= counted
    assert any(name.endswith(".so") for name in counted)
    assert not any(name.startswith(("aucbench/cli/", "aucbench/bench/engines")) for name in counted)


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of what the package is made of, in which files may change."""
    files = {}
    for name, path in identity._files_of_module("aucbench").items():
        files[name] = tmp_path / name.replace("/", "__")
        files[name].write_bytes(path.read_bytes())
    monkeypatch.setattr(identity, "_files_of_module", lambda top: files)
    return files


def test_a_changed_kernel_or_module_changes_the_code_and_the_command_line_does_not(copy):
    before = code_fingerprint()
    kernel = next(
        name for name in copy if name.startswith("aucbench/kernels/linear.") and ".so" in name
    )

    def changed(name):
        content = copy[name].read_bytes()
        copy[name].write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        found = code_fingerprint()
        copy[name].write_bytes(content)
        return found

    assert changed(kernel) != before
    assert changed("aucbench/loop.py") != before
    assert changed("aucbench/cli/__init__.py") == before
    copy["aucbench/new_room.py"] = copy["aucbench/loop.py"]
    assert code_fingerprint() != before


def test_a_library_of_another_version_changes_the_code(monkeypatch):
    before = code_fingerprint()
    real = identity._version
    monkeypatch.setattr(identity, "_version", lambda n: "9.9" if n == "scipy" else real(n))

    assert code_fingerprint() != before


@pytest.fixture
def zoo(site):
    """A distribution with a package that holds a compiled file, and with two requirements."""
    folder = site.path / "zoo"
    (folder / "inner" / "__pycache__").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('must not be imported')\n")
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


CHANGES = {
    "source": lambda site: (site.path / "zoo" / "__init__.py").write_text("# new\n"),
    "compiled": lambda site: next((site.path / "zoo").glob("*.so")).write_bytes(
        b"\x7fELF\x02\x01 two"
    ),
    "compiled, renamed": lambda site: next((site.path / "zoo").glob("*.so")).rename(
        site.path / "zoo" / "other.so"
    ),
    "table": lambda site: (site.path / "zoo" / "inner" / "table.npy").write_bytes(b"\x93NUMPZ"),
    "new file": lambda site: (site.path / "zoo" / "inner" / "new.py").write_text(""),
    "version": lambda site: version(site, "zoo", "1.0", "1.1"),
    "requirement": lambda site: version(site, "feed", "2.0", "2.1"),
    "requirement of a requirement": lambda site: version(site, "grass", "3.0", "3.1"),
    "requirement installed": lambda site: site.metadata("absent", "1", {}),
    "recorded helper": lambda site: recorded(site, "zoo_fast.abi3.so"),
}
HARMLESS = {
    "cache": lambda site: (site.path / "zoo" / "inner" / "__pycache__" / "y.pyc").write_bytes(b"2"),
    "another distribution": lambda site: site.metadata("other", "1", {}),
    "what only an extra needs": lambda site: site.metadata("pandas", "999", {}),
    "notes of the installer": lambda site: recorded(site, "zoo-1.0.dist-info/INSTALLER"),
    "link to a source tree": lambda site: recorded(site, "__editable__.zoo-1.0.pth"),
}


def compiled(site):
    return next((site.path / "zoo").glob("*.so"))


def recorded(site, name):
    (site.path / name).write_text("content")
    (site.path / "zoo-1.0.dist-info" / "RECORD").write_text(f"{name},,\n")


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_plugin_has_another_fingerprint(zoo, change):
    before = plugin_fingerprint("zoo", "zoo.inner:lion")
    change(zoo)

    assert plugin_fingerprint("zoo", "zoo.inner:lion") != before
    assert "zoo" not in sys.modules


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_cannot_change_a_number_leaves_the_fingerprint(zoo, change):
    before = plugin_fingerprint("zoo", "zoo.inner:lion")
    change(zoo)

    assert plugin_fingerprint("zoo", "zoo.inner:lion") == before


def test_a_module_without_package_and_one_that_is_absent(site):
    site.metadata("solo", "1.0", {"solo": "solo_module"})
    absent = plugin_fingerprint("solo", "solo_module")
    site.module("solo_module", "raise SystemExit")
    present = plugin_fingerprint("solo", "solo_module")
    site.module("solo_module", "raise SystemExit(1)")

    assert len({absent, present, plugin_fingerprint("solo", "solo_module")}) == 3


def test_two_plugins_of_one_package_differ():
    assert plugin_fingerprint("zoo", "zoo.a") != plugin_fingerprint("zoo", "zoo.b")
    known = {
        plugin_fingerprint("aucbench", f"aucbench.{kind}") for kind in ("features", "objectives")
    }
    assert len(known) == 2


def test_a_folder_that_links_to_itself_is_read_once(zoo):
    (zoo.path / "zoo" / "inner" / "loop").symlink_to(zoo.path / "zoo")
    files = identity._files_of_module("zoo")

    assert sum(name.endswith("table.npy") for name in files) == 1


CODE = """
import json, sys
from aucbench.bench.plans.identity import cell_id, code_fingerprint, plugin_fingerprint
from aucbench.bench.plans.plan import Plan, choices
cell = next(Plan(("german",), choices(["sht-auc[k=5]"])).cells())
solver = plugin_fingerprint("zoo", "zoo.inner:lion")
print(cell_id(cell, data="d", plugins={"solver": solver}, code=code_fingerprint()))
print([m for m in ("zoo", "numpy") if m in sys.modules])
"""


def test_ids_are_equal_in_other_processes_and_folders(zoo, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "site"
    zoo.path.rename(elsewhere)
    elsewhere.parent.joinpath("back").symlink_to(elsewhere)
    found = set()
    for seed, place in (("1", elsewhere), ("2", elsewhere.parent / "back")):
        environment = os.environ | {"PYTHONPATH": str(place), "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", CODE],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    zoo.path.mkdir()

    assert len(found) == 1
    assert found.pop().splitlines()[1] == "[]"
