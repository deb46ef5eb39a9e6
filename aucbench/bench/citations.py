"""The references of what a results folder used, as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import metadata

from aucbench.about import bibtex, software
from aucbench.bench.cell import Cell
from aucbench.datasets.located import cites_of
from aucbench.errors import AucbenchError, UnknownNameError
from aucbench.registry import Description, describe, joined_specs, parse_spec
from aucbench.registry.discovery import CALLED, stated_in
from aucbench.registry.specs import in_file


@dataclass(frozen=True, slots=True)
class Citations:
    """What to cite."""

    # BibTeX: first aucbench, then the packages of other authors whose plugins were used, then the
    # papers.
    entries: tuple[str, ...]
    missing: tuple[str, ...]  # A phrase for each thing that was used and has no reference


def citations_of(cells: Iterable[Cell]) -> Citations:
    """Return the references of all solvers, data sets, maps, objectives and projectors of cells.

    A plugin that is not installed here, or that names no reference, is counted as missing.
    """
    packages = {"aucbench": _package("aucbench")}
    papers: dict[str, str] = {}
    missing = []
    for kind, name in sorted({used for cell in cells for used in _used(cell)}):
        if kind == "datasets" and (cites := cites_of(name)):
            papers |= bibtex([*papers.values(), *cites])
            continue
        try:
            found = describe(kind, name)
            entries = bibtex(found.about.cites)
            papers |= bibtex([*papers.values(), *entries.values()])
        except UnknownNameError:
            what = "a file, or not installed here" if kind == "datasets" else "not installed here"
            missing.append(f"{CALLED[kind]} {name}: it is {what}")
            continue
        except AucbenchError as error:
            missing.append(f"{CALLED[kind]} {name}: {error}")
            continue
        if in_file(name) is None:  # what is in a file has no package to cite
            packages.setdefault(found.distribution, _package(found.distribution))
        if not entries and _is_named(found):
            missing.append(f"{CALLED[kind]} {name}: it names none")
    return Citations((*packages.values(), *papers.values()), tuple(missing))


def _is_named(found: Description) -> bool:
    """Whether a reference is to be expected: the parts of aucbench itself may have none."""
    return found.kind in ("solvers", "datasets") or found.distribution != "aucbench"


def _used(cell: Cell) -> Iterator[tuple[str, str]]:
    yield "solvers", cell.solver.name
    yield "datasets", parse_spec(cell.dataset).name
    if cell.objective is not None:
        yield "objectives", parse_spec(cell.objective).name
    if cell.projector is not None:
        yield "projectors", parse_spec(cell.projector).name
    for part in joined_specs(cell.features):
        yield "features", parse_spec(part).name


def _package(distribution: str) -> str:
    about = metadata(distribution)
    authors = stated_in(about, "Author") or stated_in(about, "Author-Email").partition(" <")[0]
    return software(about["Name"], about["Version"], stated_in(about, "Summary"), authors)
