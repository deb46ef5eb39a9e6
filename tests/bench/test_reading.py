"""What a fit in chunks shows."""

import io
import sys

import pytest
from rich.console import Console

from aucbench.bench.show import progress
from aucbench.bench.show.reading import told

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
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    for write in (print, None):
        with told(write) as hear:
            for line in LINES:
                hear(line)
    assert "now [this]" in out.getvalue()
    assert "50% " in out.getvalue()
    assert "GB/s" in out.getvalue()


def test_a_notebook_gets_a_bar_with_the_sentence(monkeypatch):
    drawn = []

    class Handle:
        def update(self, shown, **_):
            drawn.append(shown)

    display = pytest.importorskip("IPython.display")
    monkeypatch.setattr(display, "display", lambda *_, **__: Handle())
    for name in ("progress", "reading"):
        monkeypatch.setattr(f"aucbench.bench.show.{name}.in_notebook", lambda: True)
    monkeypatch.setattr(progress, "PACE", 0.0)
    with told() as hear:
        for line in LINES[:-1]:
            hear(line)
    html = drawn[-2]._repr_mimebundle_((), ())["text/html"]
    assert "50%" in html
    assert "now [this]" in html
    assert drawn[-1] == {"text/html": "", "text/plain": ""}
