"""What is published: packages, kernels with their stubs, entry points, and the public names."""

import ast
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import public_names as public
import pytest

import aucbench.kernels
from aucbench.registry.discovery import entries, load

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = sorted(path.stem for path in (ROOT / "cython").glob("*.pyx"))


@pytest.mark.parametrize("kernel", SOURCES)
def test_every_kernel_is_compiled_and_has_a_stub_for_each_function(kernel):
    package = Path(aucbench.kernels.__file__).parent
    assert [*package.glob(f"{kernel}.*.so")]
    stub = ast.parse((package / f"{kernel}.pyi").read_text(encoding="utf-8"))
    declared = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    declared |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    module = import_module(f"aucbench.kernels.{kernel}")
    assert declared == {name for name in vars(module) if not name.startswith("_")}


def test_every_built_in_entry_point_is_installed_and_registers_only_the_solver_of_its_name():
    group = PROJECT["project"]["entry-points"]["aucbench"]
    installed = {point.name: point.value for point in entry_points(group="aucbench")}
    assert group.items() <= installed.items()
    own = {entry.name: entry for entry in entries() if entry.builtin}
    for name in (name for name, value in group.items() if value.startswith("aucbench_plugins.")):
        registered = {kind: [*by] for kind, by in load(own[name]).factories.items() if by}
        assert registered == {"solvers": [name]}


def test_the_list_is_that_of_the_code():
    listed = public.LIST.read_text(encoding="utf-8").splitlines()
    there = public.public_names()
    new, old = sorted({*there} - {*listed}), sorted({*listed} - {*there})
    assert (new, old) == ([], []), (
        "the public names have changed: write a changelog fragment, and run "
        "`.venv/bin/python tests/public_names.py`"
    )


def test_type_checkers_see_the_public_names():
    tree = ast.parse(Path(aucbench.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    shown = {(node.module, alias.name) for node in imports for alias in node.names}
    served = {
        (f"aucbench.{module}", name)
        for module, names in aucbench._MODULES.items()
        for name in names
    }
    assert shown == served
    assert {name for _, name in shown} == {*aucbench.__all__}


HEAVY = {"scipy", "sklearn", "pandas"}


@pytest.mark.parametrize(
    ("statement", "left_alone"),
    [
        ("import aucbench; from aucbench import registry", {"numpy", *HEAVY}),
        ("import aucbench; aucbench.get_solver('sht-auc')", {"sklearn", "pandas"}),
    ],
)
def test_import_leaves_the_heavy_libraries_alone(statement, left_alone):
    command = [sys.executable, "-c", f"import sys; {statement}; print(*sys.modules)"]
    loaded = {*subprocess.check_output(command, text=True).split()}
    assert "aucbench" in loaded
    assert not loaded & left_alone
