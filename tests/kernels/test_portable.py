"""The kernels are C99 outside cython/compiler.h, and plain C without vectors is all that MSVC has.

`.ci/portable` compiles them so, and compares the bits.
"""

import os
import re
import runpy
import subprocess
from pathlib import Path
from shutil import which
from types import SimpleNamespace

import pytest
import setuptools
from setuptools.command.build_ext import build_ext

pytestmark = pytest.mark.plain
ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "cython"
COMPILER = "compiler.h"  # the one file that may use extensions
HEADERS = sorted(p.name for p in SOURCES.glob("*.h") if not p.stem.endswith("_loops"))
PARTS = {"dense_rows.h", "each_width.h"}  # other headers include them, with macros defined
# What GCC and Clang have, or what differs between systems.
EXTENSIONS = {
    "a name of the compiler": r"(?<!\w)__(?!VA_ARGS__|init__|name__)\w+",
    "a keyword of C11, or a complex number": r"(?<![\w\"])_[A-Z][a-z]\w*",
    "a pragma": r"#\s*pragma|_Pragma",
    "an extension": r"\b(typeof|asm|alloca|vector_size|may_alias|ssize_t|restrict)\b",
    "long double, which has another size elsewhere": r"\blong\s+double\b",
    "long, which has 32 bits on Windows": r"\b(?<!long )(unsigned )?long\b(?! (long|double))",
    "a hexadecimal float, or a binary number": r"\b0x[\da-fA-F.]*p|\b0b[01]",
    "a statement as an expression": r"\(\{",
}


def code(path):
    """The file without comments and documentation, lines kept."""
    text = path.read_text(encoding="utf-8")
    comment = r"/\*.*?\*/|\"\"\".*?\"\"\"|//[^\n]*" if path.suffix == ".h" else r'""".*?"""|#[^\n]*'
    return re.sub(comment, lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)


def extensions(path):
    for what, pattern in EXTENSIONS.items():
        for number, line in enumerate(code(path).splitlines(), 1):
            if re.search(pattern, line):
                yield f"{path.name}:{number}: {what}: {line.strip()}"


def test_one_header_uses_extensions():
    files = [p for p in SOURCES.iterdir() if p.suffix in {".h", ".pxd", ".pyx"}]
    assert [line for p in files if p.name != COMPILER for line in extensions(p)] == []


@pytest.mark.skipif(not which("gcc"), reason="no gcc")
def test_each_header_compiles_by_itself_as_c99_and_no_more(tmp_path):
    strict = ["-std=c99", "-pedantic-errors", "-Wvla", "-Werror"]
    names = [name for name in HEADERS if name not in PARTS]
    for name in names:
        (tmp_path / f"{name}.c").write_text(f'#include "{name}"\n', encoding="utf-8")
    done = subprocess.run(
        ["gcc", "-fsyntax-only", "-DAUCBENCH_PORTABLE", f"-I{SOURCES}", *strict]
        + [os.fspath(source) for source in tmp_path.glob("*.c")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


FLAGS = [
    *(("unix", "-ffp-contract=off", "/O2"), ("mingw32", "-ffp-contract=off", "/O2")),
    ("msvc", "/fp:precise", "-O3"),
]


@pytest.mark.parametrize(("compiler", "wanted", "unknown"), FLAGS)
def test_flags_are_those_of_the_compiler_in_use(monkeypatch, compiler, wanted, unknown):
    told = {}
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(setuptools, "setup", lambda **about: told.update(about))
    monkeypatch.setattr(build_ext, "build_extensions", lambda self: None)
    runpy.run_path("setup.py", run_name="__main__")
    command = told["cmdclass"]["build_ext"](setuptools.Distribution())
    command.extensions = [setuptools.Extension("kernel", ["kernel.c"])]
    command.compiler = SimpleNamespace(compiler_type=compiler)
    command.build_extensions()
    flags = command.extensions[0].extra_compile_args
    assert wanted in flags
    assert unknown not in flags
