"""Names of aucbench that have moved, in the source of plugins: it is read, and never imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import aucbench
from aucbench.errors import DataError, UnknownNameError
from aucbench.moved import Move, today
from aucbench.registry.discovery import entries
from aucbench.registry.fingerprints import CACHES, files_of_module, plugin_files
from aucbench.registry.specs import in_file

PYTHON = {".py", ".pyi", ".pyx"}
OURS = {"aucbench", "aucbench_plugins"}
IMPORT = re.compile(
    r"^[ \t]*(from aucbench[\w.]* import (?:\([^)]*\)|[^\n(]+)|import aucbench[^\n]*)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class OldName:
    """A name in a source that is called otherwise by now."""

    path: Path
    line: int
    old: str
    new: str
    move: Move

    def __str__(self) -> str:
        """One line, as linters write it."""
        until = f", works until {self.move.until}" if self.move.works else ""
        return f"{self.path}:{self.line}: {self.old} → {self.new} (since {self.move.since}{until})"


def old_names(targets: Iterable[str]) -> Iterator[OldName]:
    """Yield the old names in files, folders, and the packages of plugins that targets name.

    `UnknownNameError`: there is no such file or plugin. `DataError`: a file cannot be read, or is
    no Python.
    """
    for target in targets:
        for path in _sources(target):
            yield from _in_file(path)


def _sources(target: str) -> Iterator[Path]:
    """Return the files of Python that a target names, in order."""
    place = in_file(target)
    path = (place[0] if place else Path(target)).expanduser()
    if path.is_file():
        return iter([path])
    if path.is_dir():
        files = [file for file in path.rglob("*") if not _is_left_out(file, path)]
    else:
        files = [_near(file) for file in _of_plugin(target)]
    return (file for file in sorted(files) if file.suffix in PYTHON and file.is_file())


def _of_plugin(target: str) -> Collection[Path]:
    """Return the files of the package of a plugin, or of that of `module:Class`."""
    name = target.partition("[")[0]
    known = {name: entry for entry in entries() for name in (entry.qualified, entry.name)}
    if entry := known.get(name):
        return plugin_files(entry.distribution, entry.value).values()
    top = re.split(r"[.:]", name)[0]
    if ":" not in name or not (files := files_of_module(top)):
        raise UnknownNameError("file, folder or plugin", target, known)
    return files.values()


def _is_left_out(file: Path, folder: Path) -> bool:
    """Whether a file is in a folder of caches, or in a hidden one such as .venv."""
    inside = file.relative_to(folder).parts
    return any(part in CACHES or part.startswith(".") for part in inside)


def _near(file: Path) -> Path:
    """Return a path relative to the present folder, where it is in there."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file


def _in_file(path: Path) -> Iterator[OldName]:
    try:
        content = path.read_bytes()
        kernel = path.suffix == ".pyx"
        tree = _imports_of_kernel(content.decode()) if kernel else ast.parse(content)
    except (SyntaxError, ValueError) as error:
        raise DataError(f"{path} is no Python: {error}; mend it first") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; make it readable") from error
    used = {(line, name) for line, name in _names(tree) if not _is_public(name)}
    for line, name in sorted(used):
        whole = not any(n == line and longer.startswith(f"{name}.") for n, longer in used)
        if whole and (moved := today(name)):
            yield OldName(path, line, name, moved[1], moved[0])


def _imports_of_kernel(text: str) -> ast.Module:
    """Return the imports from aucbench of a source in Cython, whose other lines are no Python."""
    imports = []
    for found in IMPORT.finditer(text):
        [node] = ast.parse(found[1]).body
        imports.append(ast.increment_lineno(node, text.count("\n", 0, found.start(1))))
    return ast.Module(imports, [])


def _names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield what a source takes from aucbench, with its lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if _is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module or ""):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Attribute) and _is_ours(name := _dotted(node)):
            yield node.lineno, name


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in OURS


def _is_public(name: str) -> bool:
    """Whether a name is of the front door, as `aucbench.fit`, which was a module once."""
    return name.startswith("aucbench.") and name.split(".")[1] in aucbench.__all__


def _dotted(node: ast.expr) -> str:
    """Return `aucbench.loop.solve` of such an expression; nothing of any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""
