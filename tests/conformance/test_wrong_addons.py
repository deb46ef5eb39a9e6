"""Report sections, exporters and listeners that are wrong on purpose, and right ones."""

import os
import random
import threading
import time
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from broken_laws import assert_found

from aucbench.hookspecs import hookimpl
from aucbench.sections import Chart, Section, Table
from aucbench.testing import Verdict, check


def counted(rows):
    """Cells by status, and a chart where there is a curve."""
    counts = sorted(Counter(row["status"] for row in rows).items())
    curves = {row["id"]: row["curve"] for row in rows if row["curve"]}
    parts = [f"{len(rows)} cells", Table(["status", "cells"], counts)]
    if curves:
        line = curves[min(curves)]
        passes, aucs = [p["passes"] for p in line], [p["test_auc"] for p in line]
        parts.append(Chart("A fit", "passes", "AUC", {"first": (passes, aucs)}))
    return Section("Cells", parts)


def as_lines(rows):
    return "".join(f"{row['solver']};{row['auc']}\n" for row in rows)


def in_a_folder(rows):
    return {f"{name}.txt": b"" for name in sorted({row["status"] for row in rows})}


class Hears:
    """A listener, as it should be, with a thread that goes on for a moment."""

    def __init__(self):
        self.lines = []

    @hookimpl
    def aucbench_data_read(self, dataset, about):
        self.lines.append(f"{dataset}: {about['n']} rows")

    @hookimpl
    def aucbench_cell_finished(self, record):
        auc = record.measures.auc
        self.lines.append(f"{record.cell}: {record.why if auc is None else auc}")
        threading.Thread(target=time.sleep, args=(0.001,)).start()


@pytest.mark.parametrize(
    ("kind", "right"),
    [
        ("report_sections", counted),
        ("report_sections", lambda rows: Section("Empty")),
        ("exporters", as_lines),
        ("exporters", in_a_folder),
        ("listeners", Hears()),
    ],
)
def test_right_ones(kind, right):
    assert {f.verdict for f in check(right, kind=kind)} == {Verdict.HOLDS}


def listener(event, does):
    """A listener that does something at an event."""
    told = {
        "read": lambda dataset, about: does(about),
        "started": lambda cell: does(cell),
        "finished": lambda record: does(record),
    }[event]
    name = "aucbench_data_read" if event == "read" else f"aucbench_cell_{event}"
    return SimpleNamespace(**{name: hookimpl(told)})


def written(name):
    with open(name, "w"):  # noqa: PTH123
        return Section("Written")


def aucs(rows):
    return sorted({row["auc"] for row in rows if row["auc"]})[:9]


def printed(thing):
    print("seen")  # noqa: T201
    return thing


SECTIONS = {
    "markup": ("returns-a-section", "'<b>'", lambda rows: "<b>"),
    "mean of None": (
        "returns-a-section",
        "TypeError",
        lambda rows: Section(f"{np.mean([row['auc'] for row in rows]):.3f}"),
    ),
    "first that is ok": (
        "returns-a-section",
        "StopIteration",
        lambda rows: Section(next(row["solver"] for row in rows if row["status"] == "ok")),
    ),
    "column without numbers": (
        "returns-a-section",
        "mapping of 1 to",
        lambda rows: Section(
            "x", [Chart("x", "x", "x", {str(a): ([0.0], [a]) for a in aucs(rows)})]
        ),
    ),
    "a file": ("leaves-nothing", "1 files or folders", lambda rows: written("kept.txt")),
    "a print": ("leaves-nothing", "printed 'seen", lambda rows: printed(Section("x"))),
    "a seed": (
        "leaves-nothing",
        "global generators",
        lambda rows: np.random.seed(0) or Section("x"),  # noqa: NPY002
    ),
    "the clock": ("repeatable", "two calls differ", lambda rows: Section(f"{time.time_ns()}")),
    "chance": ("repeatable", "two calls differ", lambda rows: Section(f"{random.random()}")),
    "order": (
        "order-of-rows",
        "sort what it shows",
        lambda rows: Section("x", [row["solver"] for row in rows]),
    ),
    "last one wins": (
        "order-of-rows",
        "sort what it shows",
        lambda rows: Section(str({row["dataset"]: row["auc"] for row in rows}["breast-cancer"])),
    ),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_wrong_sections(name):
    law, told, thing = SECTIONS[name]
    assert_found("report_sections", thing, law, told)


EXPORTERS = {
    "a number": ("returns-contents", "returned 5", lambda rows: 5),
    "a list": ("returns-contents", "wanted bytes or a text", lambda rows: [b"x"]),
    "out of the folder": ("returns-contents", "'../x'", lambda rows: {"../x": b""}),
    "name of a solver": (
        "returns-contents",
        "names a file",
        lambda rows: {row["solver"]: b"" for row in rows},
    ),
    "three digits": (
        "returns-contents",
        "unsupported format string",
        lambda rows: "".join(f"{row['auc']:.3f}" for row in rows),
    ),
    "its own file": ("leaves-nothing", "files or folders", lambda rows: written("x") and ""),
    "a variable": (
        "leaves-nothing",
        "variables of the environment",
        lambda rows: os.environ.__setitem__("SEEN", str(time.time_ns())) or "",
    ),
    "the time": ("repeatable", "two calls differ", lambda rows: f"{time.time_ns()}"),
}


@pytest.mark.parametrize("name", EXPORTERS)
def test_wrong_exporters(name):
    law, told, thing = EXPORTERS[name]
    assert_found("exporters", thing, law, told)


def never(about):
    raise AssertionError("this event has another name")


LISTENERS = {
    "deaf": ("hears-events", "it hears no event", SimpleNamespace(cell_finished=never)),
    "other argument": (
        "hears-events",
        "result",
        SimpleNamespace(aucbench_cell_finished=hookimpl(lambda result: None)),
    ),
    "digits of None": (
        "hears-events",
        "unsupported format string",
        listener("finished", lambda record: f"{record.measures.auc:.3f}"),
    ),
    "ends the run": ("hears-events", "SystemExit", listener("started", lambda cell: exit(1))),
    "changes what is said": (
        "events-are-left-alone",
        "of a data set",
        listener("read", lambda about: about.update(n=0)),
    ),
    "changes a record": (
        "events-are-left-alone",
        "a record",
        listener("finished", lambda record: record.machine.update(seen=1)),
    ),
    "prints": ("leaves-settings", "printed 'seen", listener("finished", printed)),
    "folder": ("leaves-settings", "present folder", listener("read", lambda about: os.chdir("/"))),
    "warnings": (
        "leaves-settings",
        "np.seterr",
        listener("started", lambda cell: np.seterr(all="ignore")),
    ),
    "slow": ("keeps-up", "200 cells have taken", listener("started", lambda cell: _past(0.2))),
}


def _past(seconds):
    """Let the clock of the law go on, without waiting."""
    _past.seconds += seconds


_past.seconds = 0.0


@pytest.mark.parametrize("name", LISTENERS)
def test_wrong_listeners(name, monkeypatch):
    monkeypatch.setattr("aucbench.testing.listeners.perf_counter", lambda: _past.seconds)
    law, told, thing = LISTENERS[name]
    assert_found("listeners", thing, law, told)
