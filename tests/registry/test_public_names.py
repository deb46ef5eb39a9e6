"""The list of public names is that of the code, and the names of `aucbench` are there."""

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import public_names as public
import pytest

import aucbench

pytestmark = pytest.mark.plain


def test_the_list_is_that_of_the_code():
    listed = public.LIST.read_text(encoding="utf-8").splitlines()
    there = public.public_names()
    new, old = sorted({*there} - {*listed}), sorted({*listed} - {*there})
    assert (new, old) == ([], []), (
        "the public names have changed: write a changelog fragment, and run "
        "`.venv/bin/python tests/public_names.py`"
    )


def test_the_namespace_shows_the_public_names_only():
    assert dir(aucbench) == aucbench.__all__


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


def test_the_version_is_that_of_the_distribution():
    assert aucbench.__version__ == version("aucbench")


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
