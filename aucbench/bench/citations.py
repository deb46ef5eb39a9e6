"""The references of what a results folder used, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import metadata

from aucbench.about import bibtex, software
from aucbench.bench.cell import Cell
from aucbench.datasets.located import cites_of
from aucbench.errors import AucbenchError, PluginError, UnknownNameError
from aucbench.registry import describe
from aucbench.registry.discovery import CALLED, stated_in
from aucbench.registry.specs import in_file


@dataclass(frozen=True, slots=True)
class Citations:
    """What to cite."""

    entries: tuple[str, ...]  # BibTeX of aucbench, of packages of other authors, and of papers
    missing: tuple[str, ...]  # a phrase for each thing that was used and has no reference


def citations_of(cells: Iterable[Cell]) -> Citations:
    """Return the references of all solvers, data sets, maps, objectives and projectors of cells.

    A plugin that is not installed here, or that names no reference, is counted as missing.
    """
    packages = {"aucbench": _package("aucbench")}
    papers: dict[str, str] = {}
    missing = []
    for kind, name in sorted({(kind, s.name) for cell in cells for _, kind, s in cell.parts()}):
        if kind == "datasets" and (cites := cites_of(name)):
            papers |= bibtex([*papers.values(), *cites])
            continue
        try:
            description = describe(kind, name)
            if description.problem is not None:
                raise PluginError(description.problem)
            entries = description.bibtex or ()
            papers |= bibtex([*papers.values(), *entries])
        except UnknownNameError:
            what = "a file, or not installed here" if kind == "datasets" else "not installed here"
            missing.append(f"{CALLED[kind]} {name}: it is {what}")
            continue
        except AucbenchError as error:
            missing.append(f"{CALLED[kind]} {name}: {error}")
            continue
        if in_file(name) is None:  # what is in a file has no package to cite
            packages.setdefault(description.distribution, _package(description.distribution))
        # The parts of aucbench itself need no reference.
        expected = kind in ("solvers", "datasets") or description.distribution != "aucbench"
        if not entries and expected:
            missing.append(f"{CALLED[kind]} {name}: it names none")
    return Citations((*packages.values(), *papers.values()), tuple(missing))


def _package(distribution: str) -> str:
    about = metadata(distribution)
    authors = stated_in(about, "Author") or stated_in(about, "Author-Email").partition(" <")[0]
    return software(about["Name"], about["Version"], stated_in(about, "Summary"), authors)
