"""What only one system has is named in host.py and in processes/linux alone.

`make check-systems` asks mypy the same of all names, by the stubs of the standard library for
Windows and for macOS; this look takes a second.
"""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent / "elsewhere"))
from absent import FOLDERS, MODULES, names_absent  # noqa: E402 - of a folder for other processes

sys.path.pop(0)
ABSENT = names_absent("win32")
OWN = ("aucbench/host.py", "aucbench/processes/linux/")


def asks_for_the_system(node):
    return any(
        isinstance(inner, ast.Attribute) and inner.attr == "platform" for inner in ast.walk(node)
    )


def nodes(node):
    """All nodes but those of functions and branches that ask for `sys.platform`."""
    if not asks_for_the_system(node):
        yield from ast.walk(node)
    elif not isinstance(node, ast.FunctionDef | ast.If | ast.IfExp):
        for child in ast.iter_child_nodes(node):
            yield from nodes(child)


def of_one_system(source):
    """What a module uses that Windows or macOS lack."""
    for node in nodes(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name in MODULES["win32"])
            case ast.ImportFrom(module=module, names=names, level=0):
                if module in MODULES["win32"]:
                    yield module
                lacking = ABSENT.get(module, set())
                yield from (f"{module}.{one.name}" for one in names if one.name in lacking)
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if name in ABSENT.get(module, set()):
                    yield f"{module}.{name}"
            case ast.Constant(value=str(text)) if text.startswith(FOLDERS):
                yield text


def test_what_one_system_has_is_found():
    source = """
import fcntl, os, signal
from os import fork
from resource import getrlimit
def kill(): os.kill(1, signal.SIGKILL); open("/proc/self/stat")
def asked():
    if sys.platform == "linux":
        os.fork()
"""
    uses = ["/proc/self/stat", "fcntl", "os.fork", "resource", "signal.SIGKILL"]
    assert sorted(of_one_system(source)) == uses


@pytest.mark.parametrize("package", ["aucbench", "plugins"])
def test_only_two_places_name_what_one_system_has(package):
    said = {}
    for path in (ROOT / package).rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith(OWN):
            uses = [*of_one_system(path.read_text(encoding="utf-8"))]
            said.update({place: uses} if uses else {})
    assert said == {}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of them")
def test_the_names_that_one_system_has_are_those_of_python():
    """A name that is wrong would be looked for in vain."""
    unknown = {
        f"{module}.{name}"
        for module, names in names_absent("win32").items()
        for name in names
        if not hasattr(__import__(module), name)
    }
    assert unknown == set()
