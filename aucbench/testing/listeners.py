"""Laws of listeners: modules and objects that are told what happens in a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from aucbench.bench.results.record import Record
from aucbench.bench.show.listeners import EVENTS, announcer
from aucbench.data.understood import Understood
from aucbench.testing.laws import Laws, require
from aucbench.testing.results import records
from aucbench.testing.traces import OWN, require_nothing_left

laws = Laws("listeners")

CELLS = 200  # of a run that is told
SECONDS = 20.0  # that they may take


def told(listener: Any, known: list[Record], about: Mapping[str, Any] | None = None) -> None:
    """Tell a listener of a run from its start to its end."""
    tell = announcer([listener])
    for dataset in dict.fromkeys(record.cell.dataset for record in known):
        tell.aucbench_data_read(dataset=dataset, about=about or _about())
    for record in known:
        tell.aucbench_cell_started(cell=record.cell)
        tell.aucbench_cell_finished(record=record)


@contextmanager
def _own_folder() -> Iterator[None]:
    """Be in an empty folder: a listener may write into the present one."""
    with TemporaryDirectory() as folder, chdir(folder):
        yield


@laws("exact")
def hears_events(listener: Any) -> None:
    """It hears an event, and raises nothing, however a cell has ended.

    A cell that has failed has None in place of most numbers. In a run a listener is dropped at its
    first error.
    """
    hooks = announcer([listener])
    require(
        any(getattr(hooks, event).get_hookimpls() for event in EVENTS),
        f"it hears no event; write a function {' or '.join(EVENTS)} with @hookimpl above it",
    )
    with _own_folder():
        told(listener, records())


@laws("exact")
def events_are_left_alone(listener: Any) -> None:
    """It changes nothing of what it is told: the run and other listeners have it too."""
    known, about = records(), _about()
    before = [record.to_json() for record in known]
    with _own_folder():
        told(listener, known, about)
    require(about == _about(), "it has changed what was said of a data set")
    require([record.to_json() for record in known] == before, "it has changed a record")


@laws("exact")
def leaves_settings(listener: Any) -> None:
    """It prints nothing to stdout, where `--json` writes, and leaves all settings as they are.

    It runs in the process of the user. Files, threads and processes of its own are its task.
    """
    known = records()
    require_nothing_left(lambda: told(listener, known), but=OWN)


@laws("20 s for 200 cells")
def keeps_up(listener: Any) -> None:
    """It does not hold up a run: the cells wait for it."""
    known = records()
    many = [known[i % len(known)] for i in range(CELLS)]
    with _own_folder():
        begin = perf_counter()
        told(listener, many)
        seconds = perf_counter() - begin
    require(seconds <= SECONDS, f"{CELLS} cells have taken it {seconds:.1f} s; do slow work in a "
            "thread")  # fmt: skip


def _about() -> dict[str, Any]:
    understood = Understood(label="y", positive=("1",), negative=("0",), kinds={"numeric": 5})
    return {"n": 120, "d": 5, "n_pos": 40, "understood": understood.to_json()}
