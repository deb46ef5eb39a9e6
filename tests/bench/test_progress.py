from dataclasses import replace
from io import StringIO

import pytest
from bench_toys import record_of
from plugin_site import HEAD
from rich.console import Console

from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.show.listeners import announcer, guests
from aucbench.bench.show.progress import Display, LinePerTenth, Progress
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
    now[0] = 1000.0  # the data were read
    tell = announcer([progress])
    for cell in CELLS[1:3]:
        tell.aucbench_cell_started(cell=cell)
    progress.known(record(0))

    assert progress.left is None
    now[0] = 1006.0
    tell.aucbench_cell_finished(record=record(1, "crash", reason="signal 11"))
    progress.known(record(1, "crash"))

    assert (progress.done, progress.finished) == (2, 1)
    assert progress.counts == {"ok": 1, "crash": 1}
    assert [*progress.running] == ["a[k=1] on y, auto, seed 0, split 0"]
    assert str(progress.left) == "0:00:12"


def test_a_log_gets_a_line_per_tenth():
    written = []
    progress = LinePerTenth(200, written.append)
    for _ in range(50):
        progress.count("ok")  # what an earlier run has left
    for number in range(150):
        progress.end(f"cell {number}", "crash" if number % 50 == 49 else "ok")
    assert [line.split(":")[0] for line in written] == [
        f"{done}/200" for done in (51, *range(60, 201, 20))
    ]
    assert written[-2].startswith("180/200: 2 crash, 178 ok, 0:")
    assert written[-1] == "200/200: 3 crash, 197 ok"


def test_a_short_run_has_a_line_per_cell():
    written = []
    tell = announcer([LinePerTenth(3, written.append)])
    tell.aucbench_cell_finished(record=record(0))
    tell.aucbench_cell_finished(record=record(1, "error", reason="boom", auc=None))
    assert [line.split(",")[0] for line in written] == ["1/3: 1 ok", "2/3: 1 error"]


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
