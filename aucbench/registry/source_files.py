"""Classes and functions in single files: `./my_solver.py:HeavyBall` needs no package.

A class is a solver, an objective, a projector or a feature map by its methods, and a function makes
a data set.

Design
  a. A file is compiled from the bytes that are hashed, and so are those in its folder that it
     imports: Python's cache takes two contents of one second and one size for the same.
  b. What identifies a file is its content, with the files in its folder that it imports, and the
     versions of other packages. The statements `import` are read, none is run. Paths have no
     influence, so that a file may be moved.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from hashlib import blake2b
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import CodeType, ModuleType
from typing import Any

from aucbench.errors import ParameterError, PluginError
from aucbench.registry.discovery import Loaded, PluginEntry, describe_error, printable, remember
from aucbench.registry.shapes import kind_of
from aucbench.registry.specs import in_file

DIGEST = 8  # bytes of a content that stand for the version of a file

_modules: dict[Path, tuple[str, ModuleType]] = {}
_folders: list[str] = []


class _Neighbours:
    """Finds modules in the folders of loose files, after all that Python finds."""

    @staticmethod
    def find_spec(name: str, path: Any = None, _: Any = None) -> ModuleSpec | None:
        """Return how a top-level module in the folder of a loose file is imported."""
        return PathFinder.find_spec(name, _folders) if path is None else None


class _Compiled(SourceFileLoader):
    """Compiles what is in the file now."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of a module without Python's cache."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def find_in_file(kind: str, text: str) -> tuple[PluginEntry, str, Callable[..., Any]] | None:
    """Return what `file.py:Name` names as a kind; None when that is of another kind.

    `ParameterError`: there is no such file, or no such name in it. `PluginError`: the file cannot
    be imported; the message names file and line.
    """
    place = in_file(text)
    if place is None:
        raise AssertionError(f"{text} names no file")
    path, name = place[0].expanduser().absolute(), place[1]
    module = load_file(path)
    thing: Any = module
    for part in name.split("."):
        if not hasattr(thing, part):
            there = ", ".join(members(kind, module)) or f"none of the kind {kind}"
            raise ParameterError(f"there is no {name} in {path}; it has {there}")
        thing = getattr(thing, part)
    if not callable(thing):
        raise ParameterError(f"{name} in {path} is {thing!r}, wanted a class or a function")
    own_kind = kind_of(thing)
    if own_kind not in (None, kind):
        return None
    version = _modules[path][0]
    entry = PluginEntry(name, str(path), version, module.__name__, str(path.parent))
    remember(entry, Loaded({kind: {name: thing}}))
    return entry, name, thing


def members(kind: str, module: ModuleType) -> list[str]:
    """Return the names of a kind that a module defines itself, in its order."""
    return [
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__
        and not name.startswith("_")
        and callable(thing)
        and kind_of(thing) == kind
    ]


def load_file(path: Path) -> ModuleType:
    """Return the module of a file, imported under the name of the file; again when it has changed.

    `ParameterError`: it cannot be read. `PluginError`: its import fails, or its name is taken.
    """
    place = path.expanduser().absolute()
    content = _content(place)
    version = _version(content)
    known = _modules.get(place)
    if known is not None and known[0] == version:
        return known[1]
    module = _imported(place, content, _free_name(place, version))
    _modules[place] = version, module
    return module


def _version(content: bytes) -> str:
    return blake2b(content, digest_size=DIGEST).hexdigest()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ParameterError(
            f"cannot read {path}: {error.strerror}; name a file of Python, as in "
            "./my_solver.py:HeavyBall"
        ) from error


def _free_name(path: Path, version: str) -> str:
    """Return the stem of the file; with its version where another loose file has taken it."""
    taken = sys.modules.get(path.stem)
    loose = any(taken is module for _, module in _modules.values())
    if loose or (taken is not None and getattr(taken, "__file__", None) == str(path)):
        return f"{path.stem}_{version}"
    if taken is not None or path.stem in sys.stdlib_module_names:
        raise PluginError(f"{path} has the name of another module, {path.stem}; rename the file")
    return path.stem


def _imported(path: Path, content: bytes, name: str) -> ModuleType:
    spec = spec_from_file_location(name, path)
    if spec is None:
        raise PluginError(f"{path} is no file of Python")
    if _Neighbours not in sys.meta_path:
        sys.meta_path.append(_Neighbours)  # a class serves as its instance
    if str(path.parent) not in _folders:
        _folders.append(str(path.parent))
    for folder in {str(file.parent) for file in files_of(path)[0].values()}:
        sys.path_importer_cache[folder] = FileFinder(
            folder, (ExtensionFileLoader, EXTENSION_SUFFIXES), (_Compiled, SOURCE_SUFFIXES)
        )
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look for it there
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except (KeyboardInterrupt, MemoryError):
        del sys.modules[name]
        raise
    except BaseException as error:  # SystemExit, and panics of extensions in Rust
        del sys.modules[name]
        raise PluginError(_format_error(path, error)) from error
    return module


def _format_error(path: Path, error: BaseException) -> str:
    """Return one sentence: the innermost line of the file that took part, and what was raised."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return printable(
            f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
        )
    lines = [n for f, n in walk_tb(error.__traceback__) if f.f_code.co_filename == str(path)]
    where = f"{path}, line {lines[-1]}" if lines else f"{path}"
    return f"{where}: {describe_error(error)}"


def line_of(thing: Any) -> int | None:
    """Return the line on which a class or function begins; None where its source is unknown."""
    try:
        return inspect.getsourcelines(thing)[1]
    except (OSError, TypeError):
        return None


def has_changed(entry: PluginEntry) -> bool:
    """Whether the file of a class that `find_in_file` returned has another content by now."""
    return _version(_content(Path(entry.distribution))) != entry.version


def imports_of(path: Path) -> set[str]:
    """Return the top-level modules that a source imports anywhere; none when it is malformed."""
    try:
        nodes = [*ast.walk(ast.parse(path.read_bytes()))]
    except (OSError, SyntaxError, ValueError, RecursionError):  # its import fails, with the line
        return set()
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    parts = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in plain | parts if name}


def files_of(path: Path) -> tuple[dict[str, Path], set[str]]:
    """Return a file and those in its folder that it imports, by their names, and other modules.

    The name of the file itself is empty.
    """
    files, others = {"": path}, set[str]()
    waiting = [path]
    while waiting:
        for top in sorted(imports_of(waiting.pop())):
            found = dict(_files_beside(path.parent, top))
            waiting += [file for name, file in found.items() if name not in files]
            files |= {name: file for name, file in found.items() if name not in files}
            if not found:
                others.add(top)
    return files, others


def _files_beside(folder: Path, top: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of Python of a module or package in a folder."""
    if (file := folder / f"{top}.py").is_file():
        yield f"{top}.py", file
    for inside in sorted((folder / top).rglob("*.py")):
        yield inside.relative_to(folder).as_posix(), inside
