"""The solvers of a board: package, papers, parameters, and where each ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aucbench.about import bibtex
from aucbench.bench.cell import Cell
from aucbench.errors import AucbenchError
from aucbench.registry import Description, describe
from aucbench.registry.specs import bare, in_file
from aucbench.report.evidence import Evidence
from aucbench.report.fits import Fit
from aucbench.report.site.names import file_name

NOT_HERE = "It is not installed where this page was made, so that its papers are not known here."
IN_FILE = "It was a file of who ran the cells; its code was not looked at."
MACHINE = (("cpu", "processor"), ("cores", "cores"), ("threads", "threads"), ("simd", "SIMD"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A solver of a board."""

    number: int  # in the evidence
    name: str
    file: str  # of its page, without ending
    spec: str  # without tuning; of a file without its folder
    tuning: str  # which points are tried; empty where it is not tuned
    plugins: tuple[str, ...]  # a line for each package, version and module that ran
    machines: tuple[str, ...]  # likewise
    software: tuple[str, ...]  # likewise, versions
    purpose: str
    licence: str
    papers: tuple[str, ...]  # BibTeX
    parameters: tuple[tuple[str, str], ...]  # those that all its fits have in common
    note: str  # why nothing more is known


def entrants_of(evidence: Evidence) -> tuple[Entrant, ...]:
    """Return the solvers of a board, in the order of the evidence."""
    return tuple(_entrant(evidence, number) for number in range(len(evidence.solvers)))


def fits_of(evidence: Evidence, solver: int) -> Iterator[Fit]:
    """Yield all fits of a solver."""
    for (_, j), group in evidence.groups.items():
        if j == solver:
            yield from group.fits.values()


def _entrant(evidence: Evidence, number: int) -> Entrant:
    fits = [*fits_of(evidence, number)]
    cell = next((fit.cell for fit in fits if fit.cell is not None), None)
    about, note = _about(cell)
    return Entrant(
        number=number,
        name=evidence.solvers[number],
        file=file_name(evidence.solvers[number]),
        spec=bare(str(cell.solver)) if cell else evidence.solvers[number],
        tuning=_tuning(cell),
        plugins=counted(_plugin(fit.plugin) for fit in fits if fit.plugin),
        machines=counted(machine_of(fit.machine) for fit in fits if fit.machine),
        software=counted(software_of(fit.machine) for fit in fits if fit.machine),
        purpose=about.about.purpose if about else "",
        licence=about.licence if about else "",
        papers=tuple(bibtex(about.about.cites).values()) if about else (),
        parameters=tuple(_common([fit.parameters for fit in fits if fit.ok])),
        note=note,
    )


def _about(cell: Cell | None) -> tuple[Description | None, str]:
    """Return what the registry knows of a solver, or why it knows nothing."""
    if cell is None:
        return None, ""
    if in_file(cell.solver.name) is not None:
        return None, IN_FILE  # and is not run now
    try:
        about = describe("solvers", cell.solver.name)
        bibtex(about.about.cites)
    except AucbenchError:
        return None, NOT_HERE
    return about, ""


def _tuning(cell: Cell | None) -> str:
    if cell is None or not cell.tune:
        return ""
    what = "its published grid" if cell.tune is True else cell.label.partition("(tuned ")[2][:-1]
    within = f" within {cell.tune_seconds:g} seconds" if cell.tune_seconds else ""
    points = f"at most {cell.tune_evals} points, " if not cell.tune_seconds else ""
    return f"{what}: {points}{cell.inner_splits} inner splits of the training rows{within}"


def counted(lines: Iterable[str]) -> tuple[str, ...]:
    """Return different lines with how many cells have each, the most frequent first."""
    count = Counter(lines)
    return tuple(f"{line} ({n} {'cell' if n == 1 else 'cells'})" for line, n in count.most_common())


def _plugin(plugin: tuple[str, str, str]) -> str:
    distribution, version, module = plugin
    return f"{distribution} {version}, {module}" if module else f"{distribution} {version}"


def machine_of(machine: Mapping[str, Any]) -> str:
    """Return what a time depends on; the name of a host is nobody's business."""
    known = [(said, machine[key]) for key, said in MACHINE if machine.get(key)]
    return ", ".join(
        f"{value}" if said == "processor" else f"{said} {value}" for said, value in known
    )


def software_of(machine: Mapping[str, Any]) -> str:
    """Return the versions of libraries with which a cell was computed."""
    versions = machine.get("versions") or {}
    return ", ".join(f"{name} {version}" for name, version in versions.items()) or "not known"


def _common(fitted: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the parameters, those that differ between fits with how many values they have."""
    for name in dict.fromkeys(name for one in fitted for name in one):
        values = {repr(one.get(name)) for one in fitted}
        [value] = values if len(values) == 1 else [f"{len(values)} different values"]
        yield name, value
