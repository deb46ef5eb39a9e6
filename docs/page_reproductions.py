"""Show what `aucbench reproduce` has kept: texts, tables and charts of `docs/data/reproduction`.

A page asks for the experiments of a paper, in the order of the paper, with

    <!-- reproductions of sht-auc -->

and for a table of all experiments with

    <!-- reproductions -->
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from page_figures import drawn

from aucbench.papers.experiments import paper, paper_names
from aucbench.papers.parts import HOLDS, HOLDS_NOT, OPEN
from aucbench.papers.reproduction import Reproduction
from aucbench.report.chart import Chart
from aucbench.report.document import markdown, marked
from aucbench.report.figures import WIDTH, add_legend, plot_chart
from aucbench.report.grid import Grid

FOLDER = Path(__file__).parent / "data" / "reproduction"
ASKED = re.compile(r"^<!-- reproductions of ([\w-]+) -->$", re.MULTILINE)
ALL = "<!-- reproductions -->"
CLAIMS = {HOLDS: "hold", HOLDS_NOT: "do not hold", OPEN: "open"}


def with_reproductions(page: str) -> str:
    """Return a page with experiments in place of what asks for them.

    Raises
    ------
    DataError
        When the file of an experiment is damaged.
    UnknownNameError
        When there is no such paper.
    """
    page = ASKED.sub(lambda found: "\n\n".join(map(shown, kept_of(found[1]))), page)
    return page.replace(ALL, markdown([_overview()])) if ALL in page.splitlines() else page


def kept_of(name: str) -> list[Reproduction]:
    """Return what is kept of a paper, in the order of the paper; a full run before a quick one."""
    places = paper(name).places
    found = (Reproduction.read(path) for path in FOLDER.glob(f"{name}-*.json"))
    return sorted(found, key=lambda one: (places.index(one.place), one.scale, one.protocol))


def shown(one: Reproduction) -> str:
    """Return an experiment in Markdown, its charts as figures."""
    name = one.name.removesuffix(".json")
    title = one.title.partition(", ")[2]
    blocks = [
        f"### {marked(title[:1].upper() + title[1:])} ({_run(one)})",
        marked(one.chapter.origin),
    ]
    for number, part in enumerate(one.chapter.parts):
        if isinstance(part, Chart):
            blocks.append(_chart(f"{name}-{number}", part))
        else:
            blocks.append(markdown([part] if isinstance(part, Grid) else part.splitlines()))
    return "\n\n".join(blocks)


def _chart(name: str, chart: Chart) -> str:
    def plot(empty: Any) -> None:
        empty.set_size_inches(WIDTH, 3.2)
        plot_chart(empty.subplots(), chart)
        add_legend(empty)

    return drawn(name, chart.title, plot)


def _overview() -> Grid:
    """Return a table of all experiments that are kept."""
    rows = []
    for one in [one for name in paper_names() for one in kept_of(name)]:
        told = [part for part in one.parts if isinstance(part, str)]
        numbers = next((text for text in told if text.startswith("Of ")), "–")
        rows.append((one.paper, one.place, _run(one), numbers, _claims(told)))
    return Grid(("paper", "experiment", "run", "numbers", "statements"), rows)


def _run(one: Reproduction) -> str:
    return one.scale if one.protocol == "clean" else f"{one.scale}, {one.protocol}"


def _claims(told: list[str]) -> str:
    found = {word: sum(f" — {word}" in text for text in told) for word in CLAIMS}
    said = ", ".join(f"{found[word]} {CLAIMS[word]}" for word in CLAIMS if found[word])
    return said or "–"
