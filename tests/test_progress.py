"""The one display of progress: in a terminal, in a notebook, and as lines of a log."""

import io
import sys

import pytest
from rich.console import Console

from aucbench import progress
from aucbench.progress import Display, Log, Progress, show_progress

pytestmark = pytest.mark.plain

NASTY = "<script>alert(1)</script>\x1b[31m&\"'"


@pytest.fixture
def clock(monkeypatch):
    now = [10.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def console(monkeypatch):
    """The console of a terminal on stderr."""
    made = Console(file=io.StringIO(), force_terminal=True, width=120, color_system=None)
    monkeypatch.setattr("rich.console.Console", lambda **_: made)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    return made


def test_counts_what_runs_and_the_time_left(clock):
    task = Progress(4)
    clock[0] = 1000.0  # the data were read
    for name in ("a", "b"):
        task.start(name)
    task.count("ok")

    assert task.left is None
    clock[0] = 1006.0
    task.end("b", "crash")

    assert (task.done, task.finished) == (2, 1)
    assert task.counts == {"ok": 1, "crash": 1}
    assert [*task.running] == ["a"]
    assert str(task.left) == "0:00:12"


def test_the_display_shows_counts_and_what_runs_and_leaves_nothing_behind(console):
    with Display(4, moving=True) as display:
        display.start("a[k=1] on y")
        display.start("[bold]\n")
        display.end("a[k=1] on y", "memout")
    moved = console.file.getvalue()
    console.file = io.StringIO()
    console.print(display.render())
    lines = console.file.getvalue().splitlines()

    assert lines[0].split("1/4")[1].split()[:2] == ["1", "memout"]
    assert [line.strip() for line in lines[1:]] == ["[bold]\\n"]
    assert "1 memout" in moved
    assert moved.endswith("\x1b[2K")  # the last line was erased


def test_a_log_gets_a_line_per_tenth_at_a_pace(clock):
    lines = []
    log = Log(20, lines.append)
    for number in range(20):
        clock[0] += 1
        log.end(str(number), "error" if number == 3 else "ok")
    assert len(lines) == 10
    assert lines[0] == "2/20: 2 ok, 0:00:18 left"
    assert lines[-1] == "20/20: 1 error, 19 ok"


def test_a_log_is_no_display_and_quiet_shows_nothing(capfd):
    lines = []
    for quiet in (False, True):
        with show_progress(1, lines.append, quiet=quiet) as task:
            task.end("a", "ok")
    assert lines == ["1/1: 1 ok"]
    assert capfd.readouterr() == ("", "")


def test_a_notebook_has_an_output_that_is_updated_and_emptied(monkeypatch, capfd):
    outputs = []

    class Handle:
        def update(self, content, **_):
            html = content if isinstance(content, dict) else content._repr_mimebundle_((), ())
            outputs.append(html["text/html"])

    def display(content, display_id):
        handle = Handle()
        handle.update(content)
        return handle

    ipython = type("IPython", (), {"get_ipython": lambda: type("Shell", (), {"kernel": 1})()})
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", type("D", (), {"display": display}))
    monkeypatch.setattr(progress, "PACE", 0.0)
    with show_progress(3) as task:
        task.start(NASTY)
        task.end(NASTY, "ok")
    assert [bool(html) for html in outputs] == [True, True, True, False]
    assert "1/3" in outputs[2]
    assert "<script" not in "".join(outputs)
    assert capfd.readouterr() == ("", "")
