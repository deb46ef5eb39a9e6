from dataclasses import replace
from io import StringIO

import pytest
from bench_toys import record_of
from plugin_site import HEAD
from rich.console import Console

from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.show.listeners import announcer, guests
from aucbench.bench.show.progress import Display, LinePerCell, Progress, record_text
from aucbench.errors import UnknownNameError
from aucbench.hookspecs import hookimpl
from aucbench.registry.lookup import names

CELLS = [*Plan(("x", "y"), choices(["a[k=1]"]), splits=2).cells()]


def record(number, status="ok", **changed):
    known = {"auc": 0.75, "fit_seconds": 0.0123, "reason": None}
    return record_of(CELLS[number], f"{number}", status=status, **{**known, **changed})


def test_counts_running_cells_and_the_time_left(monkeypatch):
    now = [10.0]
    monkeypatch.setattr("aucbench.bench.show.progress.monotonic", lambda: now[0])
    progress = Progress(4)
    tell = announcer([progress])
    for cell in CELLS[1:3]:
        tell.aucbench_cell_started(cell=cell)
    progress.known(record(0))

    assert progress.left is None
    now[0] = 16.0
    tell.aucbench_cell_finished(record=record(1, "crash", reason="signal 11"))
    progress.known(record(1, "crash"))

    assert (progress.done, progress.finished) == (2, 1)
    assert progress.counts == {"ok": 1, "crash": 1}
    assert [*progress.running] == ["a[k=1] on y, auto, seed 0, split 0"]
    assert str(progress.left) == "0:00:12"


def test_one_printable_line_per_cell():
    written = []
    tell = announcer([LinePerCell(4, written.append)])
    tell.aucbench_cell_finished(record=record(0))
    tell.aucbench_cell_finished(record=record(1, "error", reason="boom \x1b[31m", auc=None))
    tell.aucbench_cell_finished(record=record(2, "error", reason="boom", error_type="KeyError"))

    assert written == [
        "1/4 ok: a[k=1] on x, auto, seed 0, split 0: AUC 0.7500, 0.0123 s",
        "2/4 error: a[k=1] on x, auto, seed 0, split 1: boom \\x1b[31m",
        "3/4 error: a[k=1] on y, auto, seed 0, split 0: KeyError: boom",
    ]


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        ({"stop": "PASSES"}, ", passes"),
        ({"stop": "CERTIFIED", "gap": 1.25e-7}, ", certified, gap 1.2e-07"),
        ({"stop": "STALLED", "gap": 0.25}, ", stalled, gap 0.25"),
        ({"stop": "STALLED"}, ", stalled, nothing certified"),
        ({"stop": "SECONDS", "gap": 0.5}, ", seconds, gap 0.5"),
    ],
)
def test_the_line_of_a_fit_says_how_it_ended(ended, text):
    assert record_text(record(0, **ended)).endswith(f"AUC 0.7500, 0.0123 s{text}")


@pytest.mark.parametrize("moving", [True, False])
def test_the_display_shows_counts_and_what_runs_and_leaves_nothing_behind(moving):
    console = Console(file=StringIO(), force_terminal=True, width=120, color_system=None)
    with Display(4, console, moving=moving) as display:
        tell = announcer([display])
        tell.aucbench_cell_started(cell=CELLS[0])
        tell.aucbench_cell_started(cell=replace(CELLS[1], dataset="[bold]\n"))
        tell.aucbench_cell_finished(record=record(0, "memout", reason="too much"))
    moved = console.file.getvalue()
    console.file = StringIO()
    console.print(display._drawn())
    lines = console.file.getvalue().splitlines()

    assert lines[0].split("1/4")[1].split()[:2] == ["1", "memout"]
    assert "left" in lines[0]
    assert lines[1].strip() == "a[k=1] on [bold]\\n, auto, seed 0, split 1"
    assert len(lines) == 2
    assert "1 memout" in moved
    assert moved.endswith("\x1b[2K")  # the last line drawn was erased


def test_a_listener_of_the_caller_may_end_the_run_and_all_listeners_hear():
    heard = []

    class Counts:
        @hookimpl
        def aucbench_cell_finished(self, record):
            heard.append(record.status.status)

    class Breaks:
        @hookimpl
        def aucbench_cell_finished(self, record):
            raise RuntimeError("enough")

    announcer([Counts(), Counts()]).aucbench_cell_finished(record=record(0))
    assert heard == ["ok", "ok"]
    with pytest.raises(RuntimeError, match="enough"):
        announcer([Breaks()]).aucbench_cell_finished(record=record(0))

    class Misspelt:
        @hookimpl
        def aucbench_cell_ended(self, record):
            raise AssertionError

    with pytest.raises(Exception, match="aucbench_cell_ended"):
        announcer([Misspelt()])


HEARS = (
    HEAD
    + """
heard = []

@hookimpl
def aucbench_cell_finished(record):
    heard.append(record.status.status)
    if len(heard) == 2:
        record.status.status = "forged"
"""
)


@pytest.mark.parametrize(
    "allowed",
    [None, "", "solver", "-solver", "hears-listener", "loud:hears-listener,-solver"],
)
def test_a_third_party_listens_when_its_name_says_so_and_the_user_names_it(
    site, monkeypatch, allowed
):
    site.add("loud", hears_listener=HEARS, solver="raise SystemExit('not to be imported here')")
    if allowed is not None:
        monkeypatch.setenv("AUCBENCH_PLUGINS", allowed)
    found = guests()

    assert [guest.name for guest in found] == ["loud:hears-listener"] * ("listener" in str(allowed))
    tell = announcer(found)
    for _ in range(3):
        tell.aucbench_cell_started(cell=CELLS[0])
        tell.aucbench_cell_finished(record=record(0))
    assert all("FrozenInstanceError" in guest.failure for guest in found)


def test_a_listener_that_cannot_be_imported_or_raises_ends_nothing(site, monkeypatch):
    leaves = HEARS.replace("heard.append", "raise SystemExit(0)  # ")
    site.add(
        "loud",
        one_listener="raise OSError('no bell')",
        two_listener=HEARS,
        three_listener="raise SystemExit(0)",
        four_listener=leaves,
        five_listener="import time\ntime.sleep(100)",
    )
    numbers = ("one", "two", "three", "four", "five")
    monkeypatch.setenv("AUCBENCH_PLUGINS", ",".join(f"{n}-listener" for n in numbers))
    found = {guest.name: guest for guest in guests(1.0)}
    announcer(found.values()).aucbench_cell_finished(record=record(0))
    first, second, third, fourth, fifth = (found[f"loud:{n}-listener"] for n in numbers)

    assert "no bell" in first.failure
    assert second.failure is None
    assert third.failure == fourth.failure == "SystemExit: 0"
    assert fifth.failure == "no answer within 1 s"


def test_an_unknown_listener_is_an_error(monkeypatch):
    monkeypatch.setenv("AUCBENCH_PLUGINS", "hears-listener")
    with pytest.raises(UnknownNameError, match="hears-listener"):
        guests()


def test_a_plugin_that_only_listens_is_a_plugin(site):
    site.add("loud", hears_listener=HEARS)

    assert "logistic" in names("solvers")
