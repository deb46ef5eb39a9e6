"""`aucbench new`: write a package of one solver from templates, to be edited.

The files of `templates/any` and of `templates/solver` or `templates/kernel` have names that end in
`.in`. `$name` and its like are replaced in their texts, and PACKAGE, MODULE and `dot_` in their
paths. Nothing is ever overwritten.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import metadata, version
from importlib.resources import as_file, files
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from packaging.version import Version

from aucbench.errors import ParameterError
from aucbench.hookspecs import PROJECT
from aucbench.registry.defaults import defaults
from aucbench.registry.discovery import entries, load

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
TEMPLATE = ".in"
SETUPTOOLS, CYTHON = "setuptools>=77", "Cython>=3.1"  # what builds a package


@dataclass(frozen=True, slots=True)
class Written:
    """A package that was written."""

    folder: Path
    files: tuple[Path, ...]  # relative to the folder, as the next one
    plugin: Path  # the file that has the plugin
    commands: tuple[str, ...]  # what to run next, inside the folder


def new_package(name: str, into: Path = Path(), *, kernel: bool = False) -> Written:
    """Write the package `aucbench-NAME` with one solver into a folder.

    With `kernel` the loop of the solver over rows is compiled.

    Raises
    ------
    ParameterError
        When the name cannot be that of a solver, or the package cannot be written there.
    """
    _require_name(name)
    into = into.expanduser()
    if not into.is_dir():
        raise ParameterError(f"{into} is no folder; make it, or give another one by --into")
    tools = (CYTHON, SETUPTOOLS) if kernel else (SETUPTOOLS,)
    words = _words(name, tools)
    texts = dict(_rendered("kernel" if kernel else "solver", words))
    plugin = Path(words["package"], f"{words['module']}.py")
    if re.search(rf"^from .* import .*\b{words['title']}\b", texts[plugin], re.MULTILINE):
        raise ParameterError(
            f"{words['title']} would have two meanings in {plugin}, which imports one; take "
            f"another name than {name!r}"
        )
    folder = into / words["distribution"]
    _write(texts, folder)
    tried = ("python -m pytest", words["check"], words["compare"])
    return Written(folder, tuple(sorted(texts)), plugin, (*_install(tools), *tried))


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


def _words(name: str, tools: Sequence[str]) -> dict[str, str]:
    """Return what the templates say in place of `$name` and its like."""
    distribution, allowed = f"{PROJECT}-{name}", _allowed(version(PROJECT))
    compiled, other = CYTHON in tools, defaults()["classifier"]
    return {
        "name": name,
        "distribution": distribution,
        "package": distribution.replace("-", "_"),
        "module": name.replace("-", "_"),
        "title": _title(name),
        "aucbench": allowed,
        "requires_python": metadata(PROJECT)["Requires-Python"],
        "year": str(date.today().year),
        "build_requires": ", ".join(f'"{need}"' for need in ((allowed,) * compiled + (*tools,))),
        "install": "\n$ ".join(_install(tools)),
        "check": f"aucbench check {distribution}:{name}",
        "compare": f"aucbench compare --data breast-cancer,digits-8 --solvers {name},{other}",
    }


def _allowed(here: str) -> str:
    """Return the requirement of a package that is written now: docs/policy.md has the rule."""
    release = Version(here)
    return f"{PROJECT}>={here},<{release.major}.{release.minor + 1}"


def _install(tools: Sequence[str]) -> tuple[str, ...]:
    """Return commands that install the package where aucbench is already, tests included."""
    if CYTHON not in tools:
        return ("python -m pip install --editable '.[test]'",)
    named = " ".join(f"'{tool}'" for tool in tools)
    return (
        f"python -m pip install {named}",
        "python -m pip install --no-build-isolation --editable '.[test]'",
    )


def _rendered(template: str, words: dict[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield the files of a package: their paths in it, and their texts."""
    with as_file(files("aucbench.testing") / "templates") as templates:
        for part in ("any", template):
            for path in sorted((templates / part).rglob(f"*{TEMPLATE}")):
                place = path.relative_to(templates / part).as_posix().removesuffix(TEMPLATE)
                for word in ("package", "module"):
                    place = place.replace(word.upper(), words[word])
                text = Template(path.read_text(encoding="utf-8")).substitute(words)
                yield Path(re.sub(r"(^|/)dot_", r"\1.", place)), text


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
