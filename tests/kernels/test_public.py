"""The kernel functions that other packages may cimport, as docs/kernels.md says.

Each night builds a kernel of another author; each change only asks Cython for the names.
"""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from Cython.Compiler.Main import compile as translate
from Cython.Compiler.Options import CompilationOptions
from refusals import assert_refused

import aucbench
from aucbench.data.layouts import store_as
from aucbench.errors import PluginError
from aucbench.kernels.headers import KERNEL_API

pytestmark = pytest.mark.plain  # the kernels of others are built without the checks
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "kernels.md").read_text(encoding="utf-8")
HEADER = Path(aucbench.get_include()) / "aucbench_kernels.pxd"


def block(language):
    [first, *_] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return first


def build(folder, kernel):
    """Build `my_package.kernel` as the page says."""
    sources = {"my_package/__init__.py": "", "my_package/kernel.pyx": kernel}
    (folder / "my_package").mkdir()
    for name, text in {"setup.py": block("python"), **sources}.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    quickly = {**os.environ, "CFLAGS": "-O0"}
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=quickly)


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """Return a function that imports the kernel that was built, and forgets it afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda: import_module("my_package.kernel")
    for name in ("my_package.kernel", "my_package"):
        sys.modules.pop(name, None)


@pytest.mark.nightly
def test_the_kernel_of_the_page_builds_and_runs(tmp_path, imported):
    build(tmp_path, block("cython"))
    data = aucbench.Data.of([[2.0], [0.5]], [1, -1])
    for rows in (data.rows, store_as(data.rows, "float32")):
        assert imported().hinge_loss(*rows.stored_arrays, data.y, np.ones(1)) == 1.5


def test_headers_of_another_version_are_refused():
    aucbench.require_kernel_api(KERNEL_API, "same")
    older = KERNEL_API - 1
    assert_refused(
        lambda: aucbench.require_kernel_api(older, "older"), PluginError, f"version {older}"
    )


def public_names():
    """What the header for others takes from the headers of the kernels."""
    listed = re.findall(
        r"^from \w+ cimport (\([^)]*\)|.*)$", HEADER.read_text("utf-8"), re.MULTILINE
    )
    return {name for part in listed for name in re.findall(r"\w+", part)} | {"KERNEL_API"}


def test_the_page_tells_of_every_name_and_of_no_other():
    assert f"KERNEL_API = {KERNEL_API}\n" in HEADER.read_text("utf-8")
    assert f"`KERNEL_API` is their version, and is {KERNEL_API}." in PAGE
    told = {name for code in re.findall(r"`([^`\n]+)`", PAGE) for name in re.findall(r"\w+", code)}
    assert public_names() <= told
    functions = re.findall(r"^\| `[\w* ]*?(\w+)\(", PAGE, re.MULTILINE)
    assert {*functions} == {name for name in public_names() if name.islower() and name != "key_t"}


@pytest.mark.slow
def test_cython_finds_every_name(tmp_path):
    asking = tmp_path / "asking.pyx"
    asking.write_text(f"from aucbench_kernels cimport {', '.join(public_names())}\n", "utf-8")
    done = translate([os.fspath(asking)], CompilationOptions(include_path=[HEADER.parent]))
    assert done.num_errors == 0
