"""What a reproduction leaves in its folder: a small file for each experiment, and a page of all.

    FOLDER/reproduction/sht-auc-table-3-full.json   numbers, texts and charts, without records
    FOLDER/reproduction.html                        all of these files as one page

The files are small enough to be kept in a repository and to be drawn again.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from aucbench.bench.results.record import Record
from aucbench.errors import DataError
from aucbench.papers.comparison import compare
from aucbench.papers.measuring import Measured
from aucbench.papers.results import Results
from aucbench.report.chart import Chart, finite_or_none
from aucbench.report.document import Section
from aucbench.report.grid import Grid
from aucbench.report.html_page import make_page
from aucbench.store import own_file

FORMAT = 1
DIGITS = 6  # significant ones, which is what a chart can show
ROOM, PAGE = "reproduction", "reproduction.html"
OF_CHART = ("title", "x", "y", "lines", "log_x", "log_y", "bands", "diagonal")
TEXTS = ("paper", "place", "scale", "protocol", "version", "machine")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The file of an experiment: ours beside theirs, what computed it, and where."""

    paper: str
    place: str
    scale: str
    protocol: str
    version: str  # of the aucbench that computed it
    machine: str  # what its times depend on
    title: str
    parts: tuple[str | Grid | Chart, ...]  # a str is a paragraph

    @staticmethod
    def of(results: Results) -> Reproduction:
        """Return what is kept of an experiment."""
        experiment = results.experiment
        ran: list[tuple[Record | Measured, str]] = [
            *((one, "cells") for one in results.records.values() if one.machine),
            *((one, "measurements") for one in results.measured.values() if one.machine),
        ]
        versions = {one.machine["versions"]["aucbench"] for one, _ in ran}
        machines = {
            f"{one.machine.get('cpu')}, {one.machine.get('cores')} cores, "
            f"{one.conditions.concurrency} {what} at once"
            for one, what in ran
        }
        return Reproduction(
            experiment.paper,
            experiment.place,
            str(experiment.scale),
            str(experiment.protocol),
            ", ".join(sorted(versions)) or metadata.version("aucbench"),
            "; ".join(sorted(machines)) or platform.processor() or platform.machine(),
            f"{experiment.paper}, {experiment.place}: {experiment.title}",
            compare(results),
        )

    @property
    def name(self) -> str:
        """Name of its file."""
        parts = [self.paper, self.place.replace(" ", "-"), self.scale]
        return "-".join(parts + [self.protocol] * (self.protocol != "clean")) + ".json"

    @property
    def chapter(self) -> Section:
        """The section as it is shown."""
        origin = f"Computed by aucbench {self.version} on {self.machine}."
        return Section(self.title, origin, self.parts)

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        own = {name: getattr(self, name) for name in TEXTS}
        section = {"title": self.title, "parts": [*map(part_to_json, self.parts)]}
        return {"format": FORMAT, **own, "section": section}

    def write(self, folder: Path) -> Path:
        """Write its file whole or not at all; return its path."""
        path = folder / ROOM / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(_short(self.to_json()), indent=1, ensure_ascii=False, allow_nan=False)
        with own_file(path) as file:
            file.write(f"{text}\n".encode())
        return path

    @staticmethod
    def read(path: Path) -> Reproduction:
        """Read a file; raises `DataError` when it is none of a reproduction."""
        try:
            plain = json.loads(path.read_text(encoding="utf-8"))
            if plain["format"] != FORMAT:
                raise DataError(f"its format is {plain['format']}, and {FORMAT} is read")
            own, section = {name: str(plain[name]) for name in TEXTS}, plain["section"]
            parts = tuple(map(part_from_json, section["parts"]))
            return Reproduction(**own, title=str(section["title"]), parts=parts)
        except (OSError, LookupError, TypeError, ValueError, AttributeError, DataError) as error:
            raise DataError(f"{path}: this is no file of a reproduction ({error})") from error


def part_to_json(part: str | Grid | Chart) -> dict[str, Any]:
    """Return a part of a section, of which a str is a paragraph, as plain values."""
    if isinstance(part, str):
        return {"text": part}
    if isinstance(part, Grid):
        rows = [
            [x if isinstance(x, str) else finite_or_none(x) for x in line] for line in part.lines
        ]
        return {"table": {"header": [*part.header], "rows": rows}}
    return {"chart": {name: getattr(part, name) for name in OF_CHART}}


def part_from_json(plain: Any) -> str | Grid | Chart:
    """Inverse of `part_to_json`."""
    [(kind, value)] = plain.items()
    if kind == "text":
        return str(value)
    return Grid(value["header"], value["rows"]) if kind == "table" else Chart(**value)


def _short(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {key: _short(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [*map(_short, plain)]
    return float(f"{plain:.{DIGITS}g}") if isinstance(plain, float) else plain


def write_page(folder: Path) -> Path:
    """Write the page of all experiments of a folder; return its path.

    Raises
    ------
    DataError
        When a file of an experiment is damaged.
    """
    each = [Reproduction.read(path) for path in sorted((folder / ROOM).glob("*.json"))]
    papers = ", ".join(dict.fromkeys(one.paper for one in each))
    facts = ["Numbers of published papers, and what this package measures in their place."]
    title = f"aucbench reproduce: {papers}"
    make_page(title, facts, [one.chapter for one in each]).save(folder / PAGE)
    return folder / PAGE
