"""Write a package from templates. Nothing is ever overwritten."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageMetadata, metadata, version
from importlib.resources import as_file, files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from packaging.version import Version

from aucbench.errors import ParameterError, UnknownNameError
from aucbench.hookspecs import PROJECT
from aucbench.registry.discovery import entries, load
from aucbench.scaffold.kinds import KINDS, Kind

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
TEMPLATE = ".in"
MINOR = re.compile(r"Programming Language :: Python :: (3\.\d+)")
ACTIONS = {  # as in the workflows of aucbench: a digest cannot come to mean other code
    "checkout": "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
    "setup_python": "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0",
}


@dataclass(frozen=True, slots=True)
class Written:
    """A package that was written."""

    folder: Path
    files: tuple[Path, ...]  # relative to the folder, as the next one
    plugin: Path  # the file that has the plugin
    commands: tuple[str, ...]  # what to run next, inside the folder


def new_package(kind: str, name: str, into: Path = Path()) -> Written:
    """Write the package `aucbench-NAME` with one plugin of a kind of `KINDS` into a folder."""
    if kind not in KINDS:
        raise UnknownNameError("kind", kind, KINDS)
    _require_name(name)
    into = into.expanduser()
    if not into.is_dir():
        raise ParameterError(f"{into} is no folder; make it, or give another one by --into")
    words = _words(KINDS[kind], kind, name)
    texts = dict(_rendered(kind, words))
    _require_no_clash(name, texts)
    folder = into / words["distribution"]
    _write(texts, folder)
    plugin = Path(words["package"], f"{words['module']}.py")
    tried = ("python -m pytest", words["check"], words["compare"])
    return Written(folder, tuple(sorted(texts)), plugin, (*_install(KINDS[kind]), *tried))


def _require_name(name: str) -> None:
    if name.startswith(f"{PROJECT}-"):
        raise ParameterError(
            f"the package of {name!r} would be called {PROJECT}-{name}; give the name without "
            f"{PROJECT}-"
        )
    if not NAME.fullmatch(name):
        raise ParameterError(
            f"the name must be words of lower-case letters and digits, joined by hyphens and "
            f"beginning with a letter, such as heavy-ball, got {name!r}"
        )
    for word in (name.replace("-", "_"), _title(name)):
        if keyword.iskeyword(word) or hasattr(builtins, word):
            raise ParameterError(f"{word} has a meaning in Python; take another name than {name!r}")
    if name in _built_in():
        raise ParameterError(f"aucbench itself has {name!r}; take another name")


def _title(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def _built_in() -> set[str]:
    """Every name that aucbench registers; no plugin of another package is imported."""
    own = [entry for entry in entries() if entry.builtin]
    rooms = [load(entry) for entry in own if entry.value.startswith(f"{PROJECT}.")]
    registered = {
        name for room in rooms if room for named in room.factories.values() for name in named
    }
    return registered | {entry.name for entry in own}


def _words(kind: Kind, called: str, name: str) -> dict[str, str]:
    """What the templates say in place of `$name` and its like."""
    distribution, here, about = f"{PROJECT}-{name}", version(PROJECT), metadata(PROJECT)
    allowed, pythons = _allowed(here), _pythons(about)
    needs = (allowed,) if kind.compiled else ()
    tools = [tool.partition(">")[0] for tool in kind.build_tools]  # without versions
    words = {
        "name": name,
        "distribution": distribution,
        "package": distribution.replace("-", "_"),
        "module": name.replace("-", "_"),
        "title": _title(name),
        "kind": "solver" if kind.compiled else called,
        "words": kind.words,
        "suite": kind.suite,
        "attribute": kind.attribute,
        "version": here,
        "aucbench": allowed,
        "requires_python": about["Requires-Python"],
        "pythons": ", ".join(pythons),
        "oldest": pythons[0],
        "newest": pythons[-1],
        **ACTIONS,
        "year": str(date.today().year),
        "build_requires": ", ".join(f'"{need}"' for need in (*needs, *kind.build_tools)),
        "asv_requires": ", ".join(f'"{tool}": [""]' for tool in (PROJECT, *tools)),
        "build_tools": " ".join(f"'{tool}'" for tool in kind.build_tools),
        "check": f"aucbench check {distribution}:{name}",
        "compare": kind.compare.format(name=name),
    }
    return {**words, "install": "\n$ ".join(_install(kind))}


def _allowed(here: str) -> str:
    """Return the requirement of a package that is written now: docs/policy.md has the rule."""
    release = Version(here)
    return f"{PROJECT}>={here},<{release.major}.{release.minor + 1}"


def _pythons(about: PackageMetadata) -> list[str]:
    """Return the versions of Python that aucbench says it works with, quoted for YAML."""
    stated = (MINOR.fullmatch(line) for line in about.get_all("Classifier", []))
    return [f'"{found[1]}"' for found in stated if found]


def _install(kind: Kind) -> tuple[str, ...]:
    """Commands that install the package where aucbench is already, tests included."""
    if not kind.compiled:
        return ("python -m pip install --editable '.[test]'",)
    tools = " ".join(f"'{tool}'" for tool in kind.build_tools)
    return (
        f"python -m pip install {tools}",
        "python -m pip install --no-build-isolation --editable '.[test]'",
    )


def _rendered(kind: str, words: dict[str, str]) -> Iterator[tuple[Path, str]]:
    """The files of a package: their paths in it, and their texts."""
    with as_file(files("aucbench.scaffold") / "templates") as templates:
        for part in ("any", kind):
            for path in sorted((templates / part).rglob(f"*{TEMPLATE}")):
                place = path.relative_to(templates / part).as_posix().removesuffix(TEMPLATE)
                for word in ("package", "module"):
                    place = place.replace(word.upper(), words[word])
                text = Template(path.read_text(encoding="utf-8")).substitute(words)
                yield Path(re.sub(r"(^|/)dot_", r"\1.", place)), text


def _require_no_clash(name: str, texts: dict[Path, str]) -> None:
    """Raise if the name of the plugin would hide what its module imports, such as `Data`."""
    for path, text in texts.items():
        if path.suffix != ".py":
            continue
        bound: set[str] = set()
        for node in ast.parse(text).body:
            names = [node.name] if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.asname or alias.name for alias in node.names]
            if clash := bound.intersection(names):
                raise ParameterError(
                    f"{clash.pop()} would have two meanings in {path}; take another name than "
                    f"{name!r}"
                )
            bound.update(names)


def _write(texts: dict[Path, str], folder: Path) -> None:
    """Write all files beside, then give the folder its name: it is there whole, or not at all."""
    try:
        with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
            place = Path(beside, folder.name)
            for path, text in texts.items():
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                (place / path).write_text(text, encoding="utf-8")
            folder.mkdir()  # fails where there is anything; the empty folder is then replaced
            place.rename(folder)
    except FileExistsError:
        raise ParameterError(
            f"{folder} is there already, and nothing is overwritten; remove it, or give another "
            "name or folder"
        ) from None
    except OSError as error:
        raise ParameterError(f"{folder} cannot be written: {error.strerror}") from error
