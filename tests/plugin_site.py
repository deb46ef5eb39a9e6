"""Throw-away distributions in a folder on sys.path stand in for installed plugins."""

import ast
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from aucbench.registry.discovery import NAME_PATTERN, entries, is_enabled
from aucbench.registry.lookup import broken_plugins

HEAD = """
from dataclasses import dataclass
from typing import ClassVar
from aucbench.hookspecs import hookimpl
from aucbench.contract import Identity, Needs, Solver

@dataclass(frozen=True)
class Dummy(Solver):
    '''w <- 0.'''
    k: int = 3
    fast: bool = True
    gamma: "float | None" = None
    space: ClassVar = {"k": (1, 2)}
    def __post_init__(self):
        if self.k > 100:
            raise ValueError("k is too large")
    def iterates(self, problem, w0, rng, budget): return iter(())
"""


def solver(*registered):
    """Source of a module that registers solvers under these names."""
    given = ", ".join(f"{name!r}: Dummy" for name in registered)
    return f"{HEAD}\n@hookimpl\ndef aucbench_solvers():\n    return {{{given}}}\n"


def returned(source):
    """Names in the dictionaries that the hooks of a source return; none where it is malformed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    hooks = [f for f in functions if f.name.startswith("aucbench_")]
    returns = [node.value for hook in hooks for node in ast.walk(hook) if type(node) is ast.Return]
    keys = [key for value in returns if type(value) is ast.Dict for key in value.keys]
    names = [key.value for key in keys if isinstance(key, ast.Constant)]
    return [n for n in names if isinstance(n, str) and NAME_PATTERN.fullmatch(n)]


class Site:
    """A folder like site-packages."""

    def __init__(self, path):
        self.path = path

    def module(self, name, source):
        (self.path / f"{name}.py").write_text(source, encoding="utf-8")

    def add(self, distribution, version="1.0", **plugins):
        """Install a distribution: plugin name (_ for -) -> source of its module.

        Its entry points are the names that the hooks return in a literal; of a module without such
        names, that of the plugin.
        """
        points = {}
        for plugin, source in plugins.items():
            self.module(f"{distribution}_{plugin}", source)
            for name in returned(source) or (plugin.replace("_", "-"),):
                points.setdefault(name, f"{distribution}_{plugin}")
        self.metadata(distribution, version, points)

    def metadata(self, distribution, version, points, requires=()):
        info = self.path / f"{distribution}-{version}.dist-info"
        info.mkdir(parents=True)
        head = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        head += "".join(f"Requires-Dist: {line}\n" for line in requires)
        (info / "METADATA").write_text(head, encoding="utf-8")
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (info / "entry_points.txt").write_text(f"[aucbench]\n{lines}", encoding="utf-8")
        (info / "RECORD").write_text("", encoding="utf-8")


@contextmanager
def on_the_path(folder):
    """Plugins in a folder are installed, and forgotten at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("AUCBENCH_PLUGINS", raising=False)
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.syspath_prepend(folder)
        before = {*sys.modules}
        yield Site(folder)
        for name in {*sys.modules} - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


def listed(name, distribution=None):
    """What is known of a plugin, third parties before built-ins."""
    named = [e for e in entries() if e.name == name and distribution in (None, e.distribution)]
    failure = broken_plugins().get(named[-1])
    return SimpleNamespace(entry=named[-1], enabled=is_enabled(named[-1]), failure=failure)


HOOK = "\n@hookimpl\ndef aucbench_solvers():\n    "
