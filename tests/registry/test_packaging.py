import ast
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

import cython
import pytest

import aucbench.kernels
from aucbench.registry.discovery import entries, load

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = sorted(path.stem for path in (ROOT / "cython").glob("*.pyx"))


def test_our_cython_folder_does_not_shadow_the_compilers_module():
    assert not (ROOT / "cython" / "__init__.py").exists()
    assert Path(cython.__file__).parent != ROOT / "cython"
    assert hasattr(cython, "declare")


def test_every_folder_with_modules_is_a_package_which_setuptools_finds():
    modules = [*ROOT.glob("aucbench/**/*.py"), *ROOT.glob("plugins/**/*.py")]
    folders = {path.parent for path in modules}
    assert all((folder / "__init__.py").is_file() for folder in folders)


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


def test_the_command_and_the_types_are_installed():
    scripts = {point.name: point.value for point in entry_points(group="console_scripts")}
    assert scripts["aucbench"] == "aucbench.cli:main"
    assert (files("aucbench") / "py.typed").is_file()
