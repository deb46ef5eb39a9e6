"""A page as one HTML file, which a notebook shows inline.

Design
  a. The template has no arithmetic, and the scripts of the page have none but that of axes.
  b. Names are text. Jinja2 escapes them, and the data of the figures are JSON without `<`. The
     page allows its own scripts only, by their hashes, and no connection, so that a name that got
     through all the same could do nothing.
  c. Figures are drawn as SVG by some hundred lines of our own, since Plotly alone takes 4 MB.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from html import escape
from importlib import metadata
from importlib.resources import files
from importlib.util import find_spec
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

from aucbench.data.showing import words
from aucbench.errors import MissingExtraError, shown
from aucbench.report.document import Section
from aucbench.report.page import Page
from aucbench.report.sections import Chart
from aucbench.store import own_file, require_writable

SCRIPTS = ("chart.js", "table.js", "sections.js")
HEIGHT = 640  # pixels


def require_jinja() -> None:
    """Raise `MissingExtraError` when Jinja2 is not installed."""
    if find_spec("jinja2") is None:
        raise MissingExtraError("an HTML report", "report")


def to_html(page: Page) -> bytes:
    """Return the page as one file in UTF-8, which opens without a network; it needs Jinja2."""
    return rendered("page.html", (*SCRIPTS, "page.js"), page.data, page.added, page=page)


def sections_to_html(title: str, facts: Sequence[str], added: Sequence[Section]) -> bytes:
    """Return a page of sections only, with lines of facts below its title."""
    return rendered("alone.html", (*SCRIPTS, "alone.js"), {}, added, title=title, facts=facts)


def rendered(
    template: str,
    names: Sequence[str],
    data: Mapping[str, Any],
    added: Sequence[Section] = (),
    **more: Any,
) -> bytes:
    """Return a page of a template and scripts of `html/`, which see `data` as JSON.

    `more` is what the template names besides. It needs Jinja2.
    """
    require_jinja()
    environment = _environment()
    from markupsafe import Markup

    scripts = [_asset(name) for name in names]
    charts = [_chart(part) for one in added for part in one.parts if isinstance(part, Chart)]
    text = environment.get_template(template).render(
        version=metadata.version("aucbench"),
        policy=_policy(scripts),
        style=Markup(_asset("page.css")),
        scripts=[Markup(script) for script in scripts],
        data=Markup(embedded({**data, "added": charts})),
        added=added,
        next_chart=count().__next__,  # the number of each chart, in the order of the page
        **more,
    )
    content: bytes = text.encode("utf-8", "backslashreplace")
    return content


@lru_cache
def _environment() -> Any:
    """Return what keeps the templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        autoescape=True,
        loader=PackageLoader("aucbench.report", "html"),
        undefined=StrictUndefined,
        finalize=lambda value: _printable(value) if type(value) is str else value,
    )


def _chart(chart: Chart) -> dict[str, Any]:
    """Return a chart as the scripts draw it."""
    names = {"title": shown(chart.title), "x": shown(chart.x), "y": shown(chart.y)}
    lines = [[shown(name), *line, *chart.bands.get(name, ())] for name, line in chart.lines.items()]
    flags = {"log_x": chart.log_x, "log_y": chart.log_y, "diagonal": chart.diagonal}
    return {**names, **flags, "lines": lines}


def embedded(data: Any) -> str:
    """Return JSON that can stand inside a script element: it holds no `<`."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _policy(scripts: Iterable[str]) -> str:
    """Return the policy by which a browser runs these scripts only, and connects to nothing."""
    hashes = (base64.b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{text}'" for text in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@lru_cache
def _asset(name: str) -> str:
    return (files("aucbench.report") / "html" / name).read_text(encoding="utf-8")


def _printable(text: str) -> str:
    """`text` with what a page cannot show, such as control characters, written as escapes."""
    if text.isprintable():
        return text
    return "\n".join("\t".join(map(shown, line.split("\t"))) for line in text.split("\n"))


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
        return f"<{self.title}: a page of {len(self.content) / 1e6:.1f} MB; .save(path) keeps it>"

    def _repr_html_(self) -> str:
        """Return a frame that holds the page; its scripts see nothing of the notebook."""
        return (
            f'<iframe title="{words(self.title)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{HEIGHT}px;border:1px solid #88888866;background:#fff" '
            f'srcdoc="{escape(self.content.decode("utf-8"))}"></iframe>'
        )
