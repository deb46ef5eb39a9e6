"""What a fit by parts shows."""

import io
import sys

import pytest
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from aucbench.bench.show import notebook, reading
from aucbench.bench.show.reading import told, told_here

pytestmark = pytest.mark.plain

OPENED = {"opened": {"n": 2_000_000, "d": 20, "parts": 2, "bytes": 160_000_000}}
EVALUATION = {"step": 3, "value": 0.25, "gap": 1e-5, "auc_low": 0.8, "auc_high": 0.81}
LINES = [
    OPENED,
    {"stage": "now [this]"},
    {"reading": 100},
    {"read": 50},
    {"evaluation": EVALUATION},
]


def test_a_terminal_gets_a_bar_below_the_lines(monkeypatch):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=50)
    bars = Progress(BarColumn(), TextColumn("{task.fields[pace]}"), console=console)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(reading, "_bars", lambda: bars)
    for open_one in (lambda: told(print), told_here):
        with open_one() as hear:
            for line in LINES:
                hear(line)
    assert "now [this]" in out.getvalue()
    assert "GB/s" in out.getvalue()


def test_a_notebook_gets_a_bar_with_the_sentence(monkeypatch):
    drawn = []

    class Handle:
        def update(self, html):
            drawn.append(html._repr_html_())

    display = pytest.importorskip("IPython.display")
    monkeypatch.setattr(display, "display", lambda *_, **__: Handle())
    monkeypatch.setattr(reading, "in_notebook", lambda: True)
    monkeypatch.setattr(notebook, "PACE", 0.0)
    with told_here() as hear:
        for line in LINES:
            hear(line)
    assert any('max="100" value="50"' in html and "now [this]" in html for html in drawn)
    assert drawn[-1] == ""
