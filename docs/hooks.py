"""Fill pages from the code and from measured numbers: catalogue, fields, laws, figures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from page_choice import by_data, by_solver, of_auto, of_study
from page_figures import with_figures
from page_formulas import with_formulas
from page_growth import operations, passes
from page_history import changes, slower, states
from page_listings import with_listings
from page_losses import TABLES as LOSSES
from page_notebook import NOTEBOOK, PAGE, content
from page_options import of_compare, of_fit, of_judge
from page_pairs import kinds, solvers
from page_reproductions import with_reproductions
from page_scale import beside, fits, readings
from page_sets import named_suites, sets
from page_simulations import with_simulations
from page_speed import TABLES as SPEED
from page_study import with_study
from page_survival import peers
from page_tasks import answer, counted, listed, releases, sources
from page_tasks import names as specifications

from aucbench.about import bibtex
from aucbench.bench.results.convergence import Convergence
from aucbench.bench.results.record import documented
from aucbench.registry import describe
from aucbench.registry.describing import documented_base
from aucbench.registry.discovery import KINDS
from aucbench.registry.lookup import broken_plugins, find, names
from aucbench.testing import LAWS

TITLES = {
    "solvers": "Solvers",
    "objectives": "Objectives",
    "projectors": "Projectors",
    "features": "Feature maps",
    "pairs": "Kinds of pairs",
    "datasets": "Data sets",
    "metrics": "Metrics",
    "losses": "Losses",
}
CATALOGUE, FIELDS, LAWS_OF = "<!-- catalogue -->", "<!-- fields -->", "<!-- laws -->"
CHANGELOG = "<!-- changelog -->"
ACCENT = re.compile(r"\\([\"'`^~v])\s*\{?(\w)\}?")  # as TeX writes it: \"o, \v{c}
MARKS = dict(zip("\"'`^~v", "\u0308\u0301\u0300\u0302\u0303\u030c", strict=True))
TABLES = {
    "<!-- choice by data -->": by_data,
    "<!-- choice by solver -->": by_solver,
    "<!-- choice of auto -->": of_auto,
    "<!-- choice of study -->": of_study,
    "<!-- data sets -->": sets,
    "<!-- suites -->": named_suites,
    "<!-- options of compare -->": of_compare,
    "<!-- options of fit -->": of_fit,
    "<!-- options of judge -->": of_judge,
    "<!-- kinds of pairs -->": kinds,
    "<!-- pairs of solvers -->": solvers,
    "<!-- survival peers -->": peers,
    "<!-- study tasks: answer -->": answer,
    "<!-- study tasks: counts -->": counted,
    "<!-- study tasks: data sets -->": specifications,
    "<!-- study tasks: list -->": listed,
    "<!-- study tasks: releases -->": releases,
    "<!-- study tasks: sources -->": sources,
    "<!-- growth: operations -->": operations,
    "<!-- growth: passes -->": passes,
    "<!-- history: commits -->": states,
    "<!-- history: changes -->": changes,
    "<!-- history: slower -->": slower,
    "<!-- scale: readings -->": readings,
    "<!-- scale: fits -->": fits,
    "<!-- scale: beside memory -->": beside,
    **SPEED,
    **LOSSES,
}
MATH = "```math"  # begins a formula
PAPERS = re.compile(r"^<!-- papers: (.+) -->$", re.MULTILINE)
FAMILIES = {  # where the mathematics of a family is
    **{name: f"{name}.md" for name in ("thresholding", "online", "ridge", "roc_svm", "aum")},
    "baselines": "index.md#baselines",
}


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the page for notebooks as a notebook; mkdocs calls this before it reads pages."""
    page = files.get_file_from_path(PAGE)
    if page is None:
        raise PluginError(f"there is no page {PAGE}")
    files.append(File.generated(config, NOTEBOOK, content=content(page.content_string)))
    return files


def on_page_markdown(markdown: str, page: Any = None, **_: Any) -> str:
    """Replace the place holders; mkdocs calls this for each page."""
    markdown = with_listings(markdown)
    if page is not None and (page.file.src_uri.startswith("methods/") or MATH in markdown):
        markdown = with_formulas(markdown)
    markdown = PAPERS.sub(lambda found: "\n".join(_papers(found[1].split())), markdown)
    markdown = with_figures(markdown)
    markdown = with_reproductions(markdown)
    markdown = with_simulations(markdown)
    markdown = with_study(markdown)
    own = {FIELDS: _fields, CHANGELOG: _changelog, LAWS_OF: _laws}
    for place, lines in (own | TABLES).items():
        if place in markdown.splitlines():
            markdown = markdown.replace(place, "\n".join(lines()))
    if CATALOGUE not in markdown:
        return markdown
    filled = markdown.replace(CATALOGUE, "\n\n".join(_sections()))
    if broken := [entry.name for entry in broken_plugins()]:
        raise PluginError(f"the page would lack the plugins {', '.join(broken)}")
    return filled


def _papers(solvers: list[str]) -> Iterator[str]:
    """Yield the papers that solvers come from, each once, and who cites it."""
    of_paper: dict[str, list[str]] = {}
    for solver in solvers:
        for entry in bibtex(describe("solvers", solver).cites).values():
            of_paper.setdefault(_reference_line(entry), []).append(solver)
    yield from ("## Papers", "")
    for paper, citing in of_paper.items():
        yield f"- {paper} ({', '.join(f'`{name}`' for name in citing)})"


def _reference_line(entry: str) -> str:
    """Return authors, title, place and year of a BibTeX entry, as far as it has them."""
    fields = dict(re.findall(r"^\s*(\w+) = \{(.*?)\},?$", entry, re.MULTILINE | re.DOTALL))
    place = next((fields[key] for key in ("journal", "booktitle", "note") if key in fields), "")
    authors = re.sub(r"\s+and\s+", "; ", fields.get("author", ""))
    where = ", ".join(filter(None, (place, fields.get("year", ""))))
    line = f"{authors + ': ' if authors else ''}*{fields.get('title', '')}*. {where}."
    line = ACCENT.sub(lambda it: normalize("NFC", it[2] + MARKS[it[1]]), line.replace(r"\l", "ł"))
    return " ".join(re.sub(r"[{}$]", "", line).split())


def _changelog() -> Iterator[str]:
    """Yield the versions of the changelog as a section, with links from the folder docs."""
    path = Path(__file__).resolve().parents[1] / "CHANGELOG.md"
    versions = path.read_text(encoding="utf-8").partition("notes start -->")[2]
    yield "## Changes"
    yield re.sub("^##", "###", versions, flags=re.M).replace("](docs/", "](")


def _fields() -> Iterator[str]:
    yield "| name | type | unit | meaning |"
    yield "|---|---|---|---|"
    for name, kind, unit, meaning in documented(Convergence):
        yield f"| `{name}` | {kind.replace(' | ', ' or ')} | {unit} | {meaning} |"


def _laws() -> Iterator[str]:
    for kind, laws in LAWS.items():
        yield from (f"### {TITLES[kind]}", "")
        yield from ("| law | what is checked, and why | tolerance |", "|---|---|---|")
        for law in laws:
            what = " ".join(law.doc.replace("|", "&#124;").split())
            yield f"| `{law.name}` | {what} | {law.tolerance} |"
        yield ""


def _sections() -> Iterator[str]:
    for kind in [kind for kind in TITLES if kind in KINDS and names(kind)]:
        yield f"## {TITLES[kind]}"
        for name in names(kind):
            yield _entry(kind, name)


def _entry(kind: str, name: str) -> str:
    heading = f"### `{name}` {{ #{kind}-{name} }}"
    factory = find(kind, name).factory
    if "<locals>" in factory.__qualname__:  # made by a function: only its docstring is there
        return f"{heading}\n\n{describe(kind, name).doc}"
    known = describe(kind, name)
    lines = [heading, f"For: {known.purpose}" if known.purpose else ""]
    if known.family in FAMILIES:
        lines.append(f"[The mathematics of its family](methods/{FAMILIES[known.family]})")
    if base := documented_base(factory):
        lines.append(inspect.getdoc(factory) or "")
    return "\n\n".join([*lines, _reference(base or factory)])


def _reference(factory: Callable[..., Any]) -> str:
    options = "show_root_heading: false\n      heading_level: 4\n      members: false"
    return f"::: {factory.__module__}.{factory.__qualname__}\n    options:\n      {options}"
