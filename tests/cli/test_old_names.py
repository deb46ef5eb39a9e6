"""`aucbench check --moved`: old names in sources, as linters list them."""

import pytest
from command_line import call, done, flat, refused, said
from plugin_site import on_the_path, solver

SOURCE = """\
import aucbench
import aucbench.loop as loop
from aucbench import fit, solve
from aucbench.arrays import Rows
from aucbench.methods import Lbfgs, lipschitz
from aucbench.solving.wrappers import Observed

print(aucbench.folds.split, aucbench.fit, aucbench.loop)
"""
KERNEL = """\
from aucbench_kernels cimport (
    KERNEL_API, Rows,
)
cdef int n
from aucbench.headers import (
    require_kernel_api,
)
"""
LINES = """\
{0}:2: aucbench.loop → aucbench.solving.loop (since 0.2)
{0}:4: aucbench.arrays.Rows → aucbench.data.arrays.Rows (since 0.2)
{0}:5: aucbench.methods.Lbfgs → aucbench.optim.lbfgs.Lbfgs (since 0.2)
{0}:5: aucbench.methods.lipschitz → aucbench.optim.lipschitz (since 0.2)
{0}:6: aucbench.solving.wrappers.Observed → aucbench.solving.wrappers.WithProblems (since 0.2, \
works until 0.4)
{0}:8: aucbench.folds.split → aucbench.data.folds (since 0.2)
{0}:8: aucbench.loop → aucbench.solving.loop (since 0.2)
"""


@pytest.fixture
def package(tmp_path):
    """A folder with a module, a kernel, and what is no source of it."""
    for name, text in {
        "solver.py": SOURCE,
        "kernel.pyx": KERNEL,
        "notes.txt": "import aucbench.arrays",
        ".venv/lib/other.py": "import aucbench.arrays",
        "__pycache__/old.py": "import aucbench.arrays",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def test_each_old_name_of_a_file_is_listed_with_its_line_and_the_new_name(package):
    file = package / "solver.py"
    ended = done("check", "--moved", file, code=1)
    assert ended.stdout == LINES.format(file)
    assert flat(ended.stderr) == "7 old names; docs/moved.md lists all"
    assert done("check", "--moved", f"{file}:Solver", code=1).stdout == ended.stdout


def test_a_folder_is_read_with_its_kernels_and_without_its_environments(package):
    kernel, file = package / "kernel.pyx", package / "solver.py"
    first = f"{kernel}:5: aucbench.headers.require_kernel_api → "
    ended = done("check", "--moved", package, code=1)
    assert ended.stdout.startswith(f"{first}aucbench.kernels.headers.require_kernel_api (since")
    assert ended.stdout.endswith(LINES.format(file))
    assert len(ended.stdout.splitlines()) == 8


@pytest.mark.parametrize("target", ["sht-auc", "aucbench:sht-auc", "sht-auc[k=3]", "json:loads"])
def test_plugins_and_modules_are_named_as_elsewhere(target):
    assert said("check", "--moved", target) == "no old name\n"


def test_what_cannot_be_read_is_refused(tmp_path):
    assert "unknown file, folder or plugin 'nothing'" in refused("check", "--moved", "nothing")
    file = tmp_path / "broken.py"
    file.write_text("def f(:\n", encoding="utf-8")
    assert "broken.py is no Python: invalid syntax" in refused("check", "--moved", file)


def test_a_check_whose_import_fails_lists_them_too(package):
    ended = done("check", package / "solver.py", code=1)
    assert "No module named 'aucbench.loop': since aucbench 0.2, use" in ended.stdout
    assert ended.stdout.endswith(LINES.format(package / "solver.py"))


def test_the_doctor_lists_those_of_a_plugin_whose_import_fails(tmp_path, monkeypatch):
    with on_the_path(tmp_path) as site:
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        site.add("early", solvers=f"import aucbench.loop\n{solver('early-bird')}")
        ended = call("plugins", "--doctor", "early-bird")
    assert ended.exit_code == 1
    assert "No module named 'aucbench.loop': since aucbench 0.2, use" in ended.stdout
    file = tmp_path / "early_solvers.py"
    assert f"{file}:1: aucbench.loop → aucbench.solving.loop (since 0.2)" in ended.stdout
    assert "1 old name; docs/moved.md lists all" in ended.stderr
