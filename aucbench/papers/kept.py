"""What a reproduction leaves in its folder: a small file for each experiment, and a page of all.

    FOLDER/reproduction/sht-auc-table-3-full.json   numbers, texts and charts, without records
    FOLDER/reproduction.html                        all of these files as one page

The files are small enough to be kept in a repository and to be drawn again.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from aucbench.bench.results.record import Record
from aucbench.errors import DataError
from aucbench.papers.experiment import Experiment
from aucbench.papers.measuring import Measured
from aucbench.papers.results import Results
from aucbench.papers.sections import section_of
from aucbench.report.document import Chapter
from aucbench.report.render import sections_to_html
from aucbench.sections import Section
from aucbench.store import own_file

FORMAT = 1
DIGITS = 6
ROOM, PAGE = "reproduction", "reproduction.html"


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of one experiment.

    Attributes
    ----------
    paper, place, scale, protocol : str
        Of the experiment.
    version : str
        Of the aucbench that computed it.
    machine : str
        What its times depend on.
    section : Section
        Ours beside theirs.
    """

    paper: str
    place: str
    scale: str
    protocol: str
    version: str
    machine: str
    section: Section

    @property
    def name(self) -> str:
        """Name of its file."""
        parts = (self.paper, self.place.replace(" ", "-"), self.scale)
        return "-".join((*parts, *(() if self.protocol == "clean" else (self.protocol,)))) + ".json"

    @property
    def chapter(self) -> Chapter:
        """The section as it is shown, with what it was computed, and where."""
        return Chapter.of(self.section, f"Computed by aucbench {self.version} on {self.machine}.")

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        own = {name: getattr(self, name) for name in TEXTS}
        return {"format": FORMAT, **own, "section": self.section.to_json()}

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Kept:
        """Inverse of `to_json`.

        Raises
        ------
        DataError
            When it is no such file.
        """
        if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
            raise DataError(f"this is no file of a reproduction with format {FORMAT}")
        try:
            own = {name: str(plain[name]) for name in TEXTS}
        except KeyError as error:
            raise DataError(f"a file of a reproduction lacks {error}") from error
        return Kept(**own, section=Section.from_json(plain.get("section")))


TEXTS = ("paper", "place", "scale", "protocol", "version", "machine")


def kept(experiment: Experiment, results: Results) -> Kept:
    """Return what is kept of an experiment."""
    return Kept(
        experiment.paper,
        experiment.place,
        str(experiment.scale),
        str(experiment.protocol),
        _version(results),
        _machine(results),
        section_of(experiment, results),
    )


def _version(results: Results) -> str:
    """Return the versions that computed the results; the present one where there are none."""
    ran: list[Record | Measured] = [*results.records.values(), *results.measured.values()]
    known = {one.machine["versions"]["aucbench"] for one in ran if one.machine}
    return ", ".join(sorted(known)) or metadata.version("aucbench")


def _machine(results: Results) -> str:
    """Return processor and concurrency of what was run; of this machine where nothing was."""
    known = {_on(one, "cells") for one in results.records.values() if one.machine}
    known |= {_on(one, "measurements") for one in results.measured.values() if one.machine}
    return "; ".join(sorted(known)) or platform.processor() or platform.machine()


def _on(one: Record | Measured, what: str) -> str:
    cpu, cores = one.machine.get("cpu"), one.machine.get("cores")
    return f"{cpu}, {cores} cores, {one.conditions.concurrency} {what} at once"


def keep(folder: Path, one: Kept) -> Path:
    """Write the file of an experiment whole or not at all; return its path."""
    path = folder / ROOM / one.name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_short(one.to_json()), indent=1, ensure_ascii=False, allow_nan=False)
    with own_file(path) as file:
        file.write(f"{text}\n".encode())
    return path


def _short(plain: Any) -> Any:
    """Return plain values with `DIGITS` significant digits, which is what a chart can show."""
    if isinstance(plain, dict):
        return {key: _short(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [*map(_short, plain)]
    return float(f"{plain:.{DIGITS}g}") if isinstance(plain, float) else plain


def read_kept(path: Path) -> Kept:
    """Read the file of an experiment.

    Raises
    ------
    DataError
        When it is no such file.
    """
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read ({error})") from error
    try:
        return Kept.from_json(plain)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def write_page(folder: Path) -> Path:
    """Write the page of all experiments of a folder; return its path.

    Raises
    ------
    MissingExtraError
        When Jinja2 is not installed.
    DataError
        When a file of an experiment is damaged.
    """
    found = [read_kept(path) for path in sorted((folder / ROOM).glob("*.json"))]
    papers = ", ".join(dict.fromkeys(one.paper for one in found))
    facts = ["Numbers of published papers, and what this package measures in their place."]
    path = folder / PAGE
    content = sections_to_html(
        f"aucbench reproduce: {papers}", facts, [one.chapter for one in found]
    )
    with own_file(path) as file:
        file.write(content)
    return path
