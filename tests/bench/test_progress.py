from dataclasses import replace
from io import StringIO

import pytest
from bench_toys import record_of
from rich.console import Console

from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.show.progress import Display, Progress

CELLS = [*Plan(("x", "y"), choices(["a[k=1]"]), splits=2).cells()]


def record(number, status="ok", **changed):
    known = {"auc": 0.75, "fit_seconds": 0.0123, "reason": None}
    return record_of(CELLS[number], f"{number}", status=status, **{**known, **changed})


def test_counts_running_cells_and_the_time_left(monkeypatch):
    now = [10.0]
    monkeypatch.setattr("aucbench.bench.show.progress.monotonic", lambda: now[0])
    progress = Progress(4)
    now[0] = 1000.0  # the data were read
    for cell in CELLS[1:3]:
        progress.start_cell(cell)
    progress.count("ok")

    assert progress.left is None
    now[0] = 1006.0
    progress.end_cell(record(1, "crash", reason="signal 11"))

    assert (progress.done, progress.finished) == (2, 1)
    assert progress.counts == {"ok": 1, "crash": 1}
    assert [*progress.running] == ["a[k=1] on y, auto, seed 0, split 0"]
    assert str(progress.left) == "0:00:12"


@pytest.mark.parametrize("moving", [True, False])
def test_the_display_shows_counts_and_what_runs_and_leaves_nothing_behind(moving, monkeypatch):
    console = Console(file=StringIO(), force_terminal=True, width=120, color_system=None)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    with Display(4, moving=moving) as display:
        display.start_cell(CELLS[0])
        display.start_cell(replace(CELLS[1], dataset="[bold]\n"))
        display.end_cell(record(0, "memout", reason="too much"))
    moved = console.file.getvalue()
    console.file = StringIO()
    console.print(display.drawn())
    lines = console.file.getvalue().splitlines()

    assert lines[0].split("1/4")[1].split()[:2] == ["1", "memout"]
    assert "left" in lines[0]
    assert lines[1].strip() == "a[k=1] on [bold]\\n, auto, seed 0, split 1"
    assert len(lines) == 2
    assert "1 memout" in moved
    assert moved.endswith("\x1b[2K")  # the last line drawn was erased
