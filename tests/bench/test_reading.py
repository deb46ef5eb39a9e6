"""What a fit by parts shows."""

import io
import sys

import pytest
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from aucbench.bench.show import notebook, reading
from aucbench.bench.show.reading import Told, told, told_here

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
SAID = [
    "2000000 rows of 20 features in 2 parts, 160 MB",
    "now [this]",
    "  evaluation 3, objective 0.25, gap 1e-05, AUC 0.80000 to 0.81000",
]


class Bar:
    def __init__(self):
        self.moves = []

    def begin(self, rows):
        self.moves.append(rows)

    def move(self, rows, pace):
        self.moves.append((rows, pace.split()[1]))


def test_each_thing_is_a_line_and_readings_move_the_bar():
    written, bar = [], Bar()
    shown = Told(written.append, bar)
    for line in LINES:
        shown.hear(line)
    assert written == SAID
    assert bar.moves == [100, (50, "GB/s")]


def test_what_is_not_known_is_left_out():
    written, bar = [], Bar()
    shown = Told(written.append, bar)
    shown.hear({"opened": {"n": 1, "d": 2, "parts": 1, "bytes": None}})
    unknown = dict.fromkeys(("value", "gap", "auc_low", "auc_high"))
    shown.hear({"evaluation": {"step": 1, **unknown}})
    shown.hear({"read": 5})
    assert written == ["1 rows of 2 features in 1 part", "  evaluation 1"]
    assert bar.moves == [(5, "rows/s")]


def test_without_a_terminal_there_are_lines_and_quiet_says_nothing():
    written = []
    for quiet in (True, False):
        with told(written.append, quiet=quiet) as hear:
            for line in LINES:
                hear(line)
    assert written == SAID
    with told_here() as hear:  # of Python, where nobody looks
        hear(OPENED)


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
