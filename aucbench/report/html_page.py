"""A document as one HTML file, and as a piece of HTML that a notebook shows.

Design
  a. The numbers and the charts are in the file; its script sorts and filters tables, names the
     curve below the pointer and switches between light and dark. Without it, all is there.
  b. Names are text: `elements` escapes them. The page allows its own script only, by its hash, and
     no connection, so that a name that got through anyway could do nothing.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib import metadata
from importlib.resources import files
from itertools import groupby
from os import PathLike
from pathlib import Path
from string import Template

from aucbench.errors import shown
from aucbench.report.chart import STYLES, Chart
from aucbench.report.document import Listing, Part, Section, describe_chart
from aucbench.report.elements import Html, join, tag
from aucbench.report.grid import Grid, Span
from aucbench.report.svg import markers, plot, style_rules
from aucbench.store import own_file, require_writable

HEIGHT = 640  # pixels of a frame in a notebook
DARKEST = 0.7  # share of the colour of a cell whose shade is 1
# A notebook aligns all cells right; colours are those of the text around.
IN_NOTEBOOK = Html(
    "<style>.aucbench th,.aucbench td.t{text-align:left!important}"
    ".aucbench .best{font-weight:bold}.aucbench .scroll{overflow-x:auto}"
    ".aucbench td small{display:block;opacity:.7}</style>"
)


@dataclass(frozen=True, slots=True, eq=False)
class InlinePage:
    """A page of HTML: a notebook shows it in a frame of its own.

    Attributes
    ----------
    content : bytes
        The page in UTF-8; it opens without a network.
    title : str
        What it is about.
    """

    content: bytes
    title: str = "report"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Raises
        ------
        ParameterError
            When the file cannot be written.
        """
        require_writable(Path(path))
        with own_file(Path(path)) as file:
            file.write(self.content)

    def __repr__(self) -> str:
        """Return what it is, and how to keep it."""
        return f"<{self.title}: a page of {len(self.content) / 1e3:.0f} kB; .save(path) keeps it>"

    def _repr_html_(self) -> str:
        """Return a frame that holds the page; its script sees nothing of the notebook."""
        return (
            f'<iframe title="{escape(shown(self.title))}" sandbox="allow-scripts" '
            f'style="width:100%;height:{HEIGHT}px;border:1px solid #88888866;background:#fff" '
            f'srcdoc="{escape(self.content.decode("utf-8"))}"></iframe>'
        )


def make_page(title: str, facts: Sequence[str], sections: Sequence[Section]) -> InlinePage:
    """Return a page of sections, with lines of facts below its title."""
    numbers = [*_styles(sections)]
    links = [tag("a", one.title, href=f"#{section_id(one)}") for one in sections]
    script = _asset("page.js")
    text = Template(_asset("page.html")).substitute(
        version=escape(metadata.version("aucbench")),
        hash=base64.b64encode(sha256(script.encode()).digest()).decode(),
        title=escape(shown(title)),
        style=_asset("page.css") + style_rules(numbers),
        markers=markers(numbers),
        facts=join(tag("p", fact, class_="note") for fact in facts),
        links=join(links),
        sections=join(map(_section, sections)),
        script=script,
    )
    return InlinePage(text.encode("utf-8"), title)


def section_id(section: Section) -> str:
    """Return the id of a section, by which an address names it: its title in small letters."""
    return re.sub(r"\W+", "-", section.title.lower()).strip("-")


def make_fragment(parts: Sequence[Part]) -> str:
    """Return parts as a piece of HTML without scripts, for a notebook; a section is folded."""
    return tag("div", IN_NOTEBOOK, *_parts(parts, charts=False), class_="aucbench")


def _section(section: Section) -> Html:
    head = [tag("h2", section.title), *_origin(section)]
    return tag("section", *head, *_parts(section.parts), id=section_id(section))


def _origin(section: Section) -> list[Html]:
    return [tag("p", section.origin, class_="note")] if section.origin else []


def _folded(section: Section, *, charts: bool) -> Html:
    inside = [*_origin(section), *_parts(section.parts, charts=charts)]
    is_open = "open" if section.is_open else None
    return tag("details", tag("summary", section.title), *inside, open=is_open)


def _parts(parts: Sequence[Part], *, charts: bool = True) -> Iterator[Html]:
    """Yield the parts; charts that follow each other stand side by side."""
    for is_chart, some in groupby(parts, lambda part: isinstance(part, Chart)):
        each = (_part(part, charts=charts) for part in some)
        yield tag("div", *each, class_="figures") if is_chart and charts else join(each)


def _part(part: Part, *, charts: bool) -> Html:
    if isinstance(part, Section):
        return _folded(part, charts=charts)
    if isinstance(part, Grid):
        return _grid(part)
    if isinstance(part, Listing):
        return tag("pre", Html("\n".join(join([line]) for line in part.text.splitlines())))
    if isinstance(part, Chart) and charts:
        return _figure(part)
    lines = describe_chart(part) if isinstance(part, Chart) else part.splitlines()
    return join(tag("p", line) for line in lines)


def _figure(chart: Chart) -> Html:
    image = plot(chart)
    if not image:
        return Html()
    note = [tag("p", chart.note, class_="note")] if chart.note else []
    legend = (tag("li", name, class_=f"s{chart.style(name) % STYLES}") for name in chart.lines)
    names = [] if chart.styles else [tag("ul", *legend, class_="legend")]
    return tag("figure", tag("figcaption", tag("h3", chart.title), *note), image, *names)


def _grid(grid: Grid) -> Html:
    right, bars = grid.right, _bars(grid.spans)
    sides = [None if j in right else "t" for j in range(len(grid.header))]
    head = [tag("th", name, class_=side) for name, side in zip(grid.header, sides, strict=True)]
    rows = []
    for number, line in enumerate(grid.texts):
        details = grid.details[number] if grid.details else ()
        shades = grid.shades[number] if grid.shades else ()
        cells = [
            _cell(
                text,
                details[j] if details else "",
                shades[j] if shades else None,
                side=sides[j],
                is_head=j == grid.names,
            )
            for j, text in enumerate(line)
        ]
        best = "best" if grid.best and grid.best[number] else ""
        style = f"s{grid.styles[number] % STYLES}" if grid.styles else ""
        bar = [bars[number]] if bars else []
        rows.append(tag("tr", *cells, *bar, class_=f"{style} {best}".strip()))
    heads = [*head, tag("td")] if bars else head
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows))
    title = [tag("h3", grid.title)] if grid.title else []
    facts = (tag("p", fact) for fact in grid.facts)
    return join([*title, *facts, tag("div", table, class_="scroll", tabindex=0)])


def _cell(text: str, detail: str, shade: float | None, *, side: str | None, is_head: bool) -> Html:
    small = [tag("small", detail)] if detail else []
    style = None
    if shade is not None:
        name = "--high" if shade > 0 else "--low"
        style = f"background:color-mix(in srgb,var({name}) {DARKEST * abs(shade):.0%},transparent)"
    return tag("th" if is_head else "td", text, *small, class_=side, style=style)


def _bars(spans: Iterable[Span]) -> list[Html]:
    """Return the cells of spans; the room reaches from the least to the largest of all of them."""
    spans = [*spans]
    ends = [x for span in spans if span for x in span]
    if not ends:
        return []
    low, scale = min(ends), 100.0 / ((max(ends) - min(ends)) or 1.0)
    cells = []
    for span in spans:
        bar = []
        if span:
            left, middle, right = (scale * (x - low) for x in span)
            bar.append(tag("i", style=f"left:{left:.1f}%;width:{right - left:.1f}%"))
            bar.append(tag("b", style=f"left:{middle:.1f}%"))
        cells.append(tag("td", *bar, class_="span", aria_hidden="true"))
    return cells


def _styles(parts: Iterable[Part]) -> Iterator[int]:
    """Yield the numbers of the styles of all lines of charts and tables."""
    for part in parts:
        if isinstance(part, Section):
            yield from _styles(part.parts)
        elif isinstance(part, Grid):
            yield from part.styles
        elif isinstance(part, Chart):
            yield from map(part.style, part.lines)


@lru_cache
def _asset(name: str) -> str:
    return (files("aucbench.report") / "html" / name).read_text(encoding="utf-8")
