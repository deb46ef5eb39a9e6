"""The kernel functions that other packages may cimport, as docs/kernels.md says.

Each night builds three kernels of another author; each change only asks Cython for the names.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from Cython.Compiler.Main import compile as translate
from Cython.Compiler.Options import CompilationOptions
from refusals import assert_refused
from scipy.sparse import csr_array

import aucbench
from aucbench.data.layouts import store_as
from aucbench.errors import PluginError
from aucbench.kernels.headers import KERNEL_API

pytestmark = pytest.mark.plain  # the kernels of others are built without the checks
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "kernels.md").read_text(encoding="utf-8")
HEADER = Path(aucbench.get_include()) / "aucbench_kernels.pxd"

USES_ROWS = """
from aucbench_kernels cimport (
    Rows, Scaled, add, ahead, axpy, axpy2, begin, column, count, dot, dot2, first, first_index,
    fold, multiply, scaled, score, square, value, view,
)


def rows(
    values, const int[::1] columns, const int[::1] starts, int d,
    const int[::1] order, const double[::1] w, double[::1] u, double[::1] v,
):
    cdef Rows X = view(values, columns, starts, d)
    cdef double s[2]
    cdef Py_ssize_t i = order[0]
    ahead(&X, first_index(order), 0, order.shape[0])
    dot2(&X, i, first(w), first(w), s)
    axpy(2.0, &X, i, &u[0])
    axpy2(1.0, 3.0, &X, i, &u[0], &v[0])
    stored = [(column(&X, i, j), value(&X, j)) for j in range(begin(&X, i), begin(&X, i + 1))]
    return dot(&X, i, first(w)), s[0], s[1], square(&X, i), stored


def steps(
    const double[::1] values, const int[::1] columns, const int[::1] starts, int d, double c,
    double[::1] v, double[::1] u, double[::1] total,
):
    cdef Rows X = view(values, columns, starts, d)
    cdef Scaled w = scaled(&v[0], &u[0], &total[0], d)
    multiply(&w, c)
    add(&w, 2.0, &X, 0)
    count(&w, 1.0)
    multiply(&w, c)
    count(&w, 1.0)
    scored = score(&w, &X, 0)
    fold(&w)
    return scored
"""
OLDER = """
from aucbench_kernels cimport KERNEL_API
from aucbench import require_kernel_api
require_kernel_api(KERNEL_API, __name__)
"""
SETUP_OF_OTHERS = """
from Cython.Build import cythonize
from setuptools import Extension, setup

parts = {"others": "include", "older": "older"}
for name, headers in parts.items():
    kernel = Extension(f"my_package.{name}", [f"my_package/{name}.pyx"], include_dirs=[headers])
    setup(ext_modules=cythonize([kernel], include_path=[headers]))
"""


def block(language):
    [first, *_] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return first


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package of the page, with two more kernels, as another author builds it."""
    folder = tmp_path_factory.mktemp("built")
    sources = {"__init__.py": "", "kernel.pyx": block("cython"), "others.pyx": USES_ROWS}
    sources = {
        f"my_package/{name}": text for name, text in (sources | {"older.pyx": OLDER}).items()
    }
    (folder / "my_package").mkdir()
    for name, text in {
        "setup.py": block("python"),
        "others.py": SETUP_OF_OTHERS,
        **sources,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("include", "older"):
        shutil.copytree(aucbench.get_include(), folder / name)
    header = HEADER.read_text(encoding="utf-8").replace(f"= {KERNEL_API}", f"= {KERNEL_API - 1}")
    (folder / "older" / HEADER.name).write_text(header, encoding="utf-8")
    for script in ("setup.py", "others.py"):
        subprocess.run(
            [sys.executable, script, "-q", "build_ext", "--inplace"],
            check=True,
            capture_output=True,
            cwd=folder,
            env={**os.environ, "CFLAGS": "-O0"},
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield import_module("my_package")
    for name in [*sys.modules]:
        if name.partition(".")[0] == "my_package":
            del sys.modules[name]


@pytest.mark.nightly
def test_the_kernel_of_the_page_builds_and_runs(package):
    kernel = import_module(f"{package.__name__}.kernel")
    data = aucbench.Data.of([[2.0], [0.5]], [1, -1])
    for rows in (data.rows, store_as(data.rows, "float32")):
        assert kernel.hinge_loss(*rows.stored_arrays, data.y, np.ones(1)) == 1.5


@pytest.mark.nightly
def test_a_kernel_of_other_headers_is_refused_at_import(package):
    older = f"{package.__name__}.older"
    assert_refused(lambda: import_module(older), PluginError, f"has version {KERNEL_API}")


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_other_functions_do_what_the_page_says(package, layout, dtype):
    others = import_module(f"{package.__name__}.others")
    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 4.0], [5.0, 0.0, 0.0]])
    rows = aucbench.Data.of(layout(X), [1, 0, 1], dtype=dtype).rows
    w, u, v, total = np.array([0.5, 2.0, -1.0]), *np.zeros((3, 3))

    *found, stored = others.rows(*rows.stored_arrays, np.array([1, 0, 2], np.int32), w, u, v)
    scored = others.steps(*store_as(rows, "float64").stored_arrays, 0.5, w, 0.0 * u, total)

    assert found == [X[1] @ [0.5, 2.0, -1.0]] * 3 + [X[1] @ X[1]]
    assert [pair for pair in stored if pair[1]] == [(1, 3.0), (2, 4.0)]
    np.testing.assert_array_equal([u, v], [3 * X[1]] * 2)
    once = 0.5 * np.array([0.5, 2.0, -1.0]) + 2 * X[0]
    assert scored == pytest.approx(0.5 * once @ X[0])
    np.testing.assert_allclose([w, total], [0.5 * once, 1.5 * once])


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
