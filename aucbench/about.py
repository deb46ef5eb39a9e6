"""What lists say of a plugin, and the papers to cite for it.

`references.bib` beside this file is the one place of the papers of the built-in plugins. A plugin
names its papers by their keys. A plugin of another package gives BibTeX text instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import inf
from typing import Any, TypeVar

from aucbench.errors import ParameterError, PluginError

ENTRY = re.compile(r"^@(\w+)\s*\{\s*([^\s,{}]+)\s*,", re.MULTILINE)
Factory = TypeVar("Factory", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class About:
    """What lists say of a plugin. It changes nothing that the plugin does.

    Attributes
    ----------
    purpose : str
        What it is for, in one line.
    sparse : bool
        Whether a solver can leave weights at exactly 0.
    certified : bool
        Whether the states of a solver can have a `gap`.
    cites : tuple of str
        The papers that it comes from: keys of the references of aucbench, or BibTeX texts.

    Raises
    ------
    ParameterError
        When the purpose has several lines, or `cites` is no tuple of texts.
    """

    purpose: str = ""
    sparse: bool = False
    certified: bool = False
    cites: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.purpose, str) or len(self.purpose.splitlines()) > 1:
            raise ParameterError(f"purpose must be one line of text, got {self.purpose!r}")
        if not isinstance(self.cites, tuple) or not all(isinstance(c, str) for c in self.cites):
            raise ParameterError(
                f"cites must be a tuple of texts, got {self.cites!r}; write (...,) with a comma"
            )


def about(
    purpose: str = "", *, sparse: bool = False, certified: bool = False, cites: tuple[str, ...] = ()
) -> Callable[[Factory], Factory]:
    """Decorate the class or function of a plugin with an `About` of these fields."""
    said = About(purpose, sparse, certified, cites)

    def decorate(factory: Factory) -> Factory:
        factory.about = said  # type: ignore[attr-defined]
        return factory

    return decorate


def about_of(factory: Callable[..., Any]) -> About:
    """Return what a class or function says of itself; what its base class says does not count.

    Raises
    ------
    PluginError
        When its attribute `about` is something else.
    """
    said = vars(factory).get("about", About()) if hasattr(factory, "__dict__") else About()
    if not isinstance(said, About):
        raise PluginError(
            f"about of {factory!r} is {said!r}, wanted an aucbench.about.About; use @about(...)"
        )
    return said


@dataclass(frozen=True, slots=True)
class Scale:
    """Which values a metric can have, and which of two is better.

    Attributes
    ----------
    greater_is_better : bool
        Else a smaller value is better.
    low, high : float
        No value is below or above.
    of : str
        What it is a measure of: "labels" of two classes, or another target, such as "classes".

    Raises
    ------
    ParameterError
        When the direction is no bool, or `low` is not below `high`.
    """

    greater_is_better: bool = True
    low: float = -inf
    high: float = inf
    of: str = "labels"

    def __post_init__(self) -> None:
        if not isinstance(self.greater_is_better, bool):
            raise ParameterError(
                f"greater_is_better must be True or False, got {self.greater_is_better!r}"
            )
        if not self.low < self.high:
            raise ParameterError(f"low must be below high, got {self.low} and {self.high}")


def metric(
    *, greater_is_better: bool = True, low: float = -inf, high: float = inf, of: str = "labels"
) -> Callable[[Factory], Factory]:
    """Decorate a metric with a `Scale` of these fields."""
    said = Scale(greater_is_better, low, high, of)

    def decorate(function: Factory) -> Factory:
        function.scale = said  # type: ignore[attr-defined]
        return function

    return decorate


def scale_of(function: Callable[..., Any]) -> Scale:
    """Return the scale of a metric; one without `@metric` has any value, and greater is better.

    Raises
    ------
    PluginError
        When its attribute `scale` is something else.
    """
    said = getattr(function, "scale", Scale())
    if not isinstance(said, Scale):
        raise PluginError(f"scale of {function!r} is {said!r}; use aucbench.about.metric(...)")
    return said


def bibtex(cites: Iterable[str]) -> dict[str, str]:
    """Return BibTeX entries by key, each once, in the order of `cites`.

    Raises
    ------
    PluginError
        When a text is neither a key of the references of aucbench nor complete BibTeX, or when two
        different entries have one key.
    """
    texts: dict[str, str] = {}
    for cite in cites:
        entries = _entries(cite) if "@" in cite else _known(cite)
        for key, entry in entries.items():
            if texts.setdefault(key, entry) != entry:
                raise PluginError(f"two different references have the key {key!r}; rename one")
    return texts


@cache
def references() -> Mapping[str, str]:
    """Return the references of aucbench: BibTeX entries by key."""
    return _entries((files("aucbench") / "references.bib").read_text(encoding="utf-8"))


def software(name: str, version: str, title: str, authors: str) -> str:
    """Return the BibTeX entry of a distribution."""
    fields = {"title": f"{name}: {title}" if title else name, "author": f"{{{authors}}}"}
    fields |= {"note": f"Python package, version {version}"}
    fields = {key: re.sub(r"([&%$#_])", r"\\\1", text) for key, text in fields.items()}
    filled = {key: text for key, text in fields.items() if text != "{}"}
    inside = ",\n".join(f"  {key} = {{{text}}}" for key, text in filled.items())
    return f"@software{{{name},\n{inside}\n}}"


def _known(key: str) -> Mapping[str, str]:
    if key not in references():
        raise PluginError(
            f"{key!r} is no reference of aucbench; give its BibTeX, which begins with @"
        )
    return {key: references()[key]}


def _entries(text: str) -> dict[str, str]:
    """Return the entries of a BibTeX text by key."""
    entries = {}
    for match in ENTRY.finditer(text):
        entries[match[2]] = text[match.start() : _closing(text, text.index("{", match.start()))]
    if not entries:
        raise PluginError(f"no BibTeX entry in {text[:60]!r}; write it like @article{{key, ...}}")
    return entries


def _closing(text: str, opening: int) -> int:
    """Return the place after the brace that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at + 1
    raise PluginError(f"a brace is not closed in the BibTeX {text[opening - 20 : opening + 40]!r}")
