"""Whatever a job does, it ends as one outcome with the right ending, and nothing is left."""

import mmap
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from supervise.asking import alive, job, until

from aucbench.processes.supervisor import LINUX

MB = 2**20
SHORT = {"timeout": 1.0, "grace": 0.1}
SOON = {"timeout": 0.4, "grace": 0.1}
SMALL = {"memory": 200 * MB}

TOOK = "took more than the 209.715 MB"
PRIVATE, SHARED = {"flags": mmap.MAP_PRIVATE}, {"flags": mmap.MAP_SHARED}


def linux(reason, *values):
    return pytest.param(*values, marks=pytest.mark.linux(reason))


ENDINGS = [
    # what it does, request, limits, ending, reason
    ("raises", {}, {}, "error", "ValueError: first line$"),
    ("raises_unprintable", {}, {}, "error", "Worse: its message raised KeyError$"),
    ("leaves_by_system_exit", {}, {}, "error", "SystemExit: 0$"),
    ("returns", {"what": "list"}, {}, "error", "TypeError: the result is list, not dict"),
    ("returns", {"what": "nan"}, {}, "error", "TypeError: the result is not JSON: Out of range"),
    ("returns", {"what": "array"}, {}, "error", "TypeError: the result is not JSON: .*ndarray"),
    ("returns_much", {}, {}, "error", "ValueError: the result has 65 MiB, 64 are allowed"),
    ("leaves_many_files", {}, {}, "error", "handed over has more than 64 MiB"),
    ("hands_over_without_end", {}, {}, "error", "said more than 256 MiB or 200 files"),
    ("says_without_end", {}, {}, "error", "said more than 256 MiB or 200 files"),
    ("no_such_function", {}, {}, "error", "AttributeError: .*no_such_function"),
    ("supervise.no_module:f", {}, {}, "error", "ModuleNotFoundError: "),
    ("supervise.broken_at_import:f", {}, {}, "error", "RuntimeError: not today"),
    ("supervise.crashes_at_import:f", {}, {}, "crash", "killed by SIGSEGV"),
    ("holds_the_gil", {}, SHORT, "timeout", "did not end within 1 s$"),
    ("holds_the_gil_and_ignores_sigterm", {}, SHORT, "timeout", "1 s, nor after SIGTERM$"),
    ("ignores_sigterm", {}, SHORT, "timeout", "nor after SIGTERM$"),
    ("stops_itself", {}, {}, "crash", "after it was stopped 4 times.*again as the only job$"),
    ("leaves_an_orphan_and_hangs", {}, SHORT, "timeout", "did not end within 1 s$"),
    ("forks_much", {"levels": 5}, SHORT, "timeout", "did not end within 1 s"),
    ("forks_much", {"levels": 10}, {}, "crash", "had more than 500 processes at once"),
    ("prints_for_ever", {}, SHORT, "timeout", "did not end within 1 s"),
    ("exits_at_once", {}, {}, "crash", "ended with code 0 and without a result$"),
    ("segfaults", {}, {}, "crash", "killed by SIGSEGV .* without a result$"),
    ("overflows_the_stack", {}, {}, "crash", "killed by SIG(SEGV|ABRT|BUS)"),
    ("takes_memory", {}, SMALL, "memout", f"MemoryError|{TOOK}"),
    ("takes_an_array", {}, SMALL, "memout", f"MemoryError: Unable to allocate 4|{TOOK}"),
    ("maps_memory", PRIVATE, SMALL, "memout", f"Cannot allocate memory|{TOOK}"),
    linux("it counts no shared memory", "maps_memory", SHARED, SMALL, "memout", TOOK),
    ("takes_memory_in_children", {"each": 80}, SMALL, "memout", TOOK),
    ("dies_full", {"fill": 195}, SMALL, "memout", "killed by SIGABRT .* near the 209.715 MB"),
    ("dies_full", {"fill": 100}, SMALL, "crash", "killed by SIGABRT .* without a result"),
    ("writes_to_a_map", {"raw": False}, {}, "error", "ValueError: assignment .* read-only"),
    ("writes_to_a_map", {"raw": True}, {}, "crash", "killed by SIG(SEGV|BUS)"),
    ("closes_its_streams", {"then": "raise"}, {}, "error", "ValueError: nobody hears this"),
    linux(
        "its parent is the client",
        "kills_its_job_parent",
        {},
        {},
        "crash",
        "its job parent: killed by SIGKILL",
    ),
]
HEALTHY = [
    ("leaves_a_child", {}, {}, {}),
    ("leaves_an_orphan", {}, {}, {}),
    ("leaves_a_program", {}, {}, {}),
    ("leaves_a_thread", {}, {}, {}),
    ("forks_and_ends", {}, {}, {}),
    ("returns_twice", {}, {}, {"mine": True}),
    ("patches_what_ends_it", {}, {}, {"x": 1}),
    ("prints_much", {}, {}, {}),
    ("closes_everything", {}, {}, {"x": 1}),
    ("closes_its_streams", {"then": None}, {}, {"x": 1}),
    ("removes_its_room", {"above": 0}, {}, {"x": 1}),
    ("removes_its_room", {"above": 1}, {}, {"x": 1}),
    ("locks_its_room", {}, {}, {}),
    linux("it hands over no descriptors", "hands_over_what_is_no_file", {}, {}, {}),
    ("shares_memory_with_children", {"all": 100}, SMALL, {"x": 1.0}),
    ("maps_a_file", {"all": 300}, SMALL, {"x": 0}),
]


@pytest.mark.parametrize(("name", "request_", "limits", "ending", "reason"), ENDINGS)
def test_each_failure_has_its_ending(ended, name, request_, limits, ending, reason):
    outcome = ended(name, request_, **limits)

    assert (outcome.ending, outcome.result) == (ending, None), outcome
    assert re.search(reason, ": ".join(filter(None, [outcome.error_type, outcome.reason])))


@pytest.mark.parametrize(
    ("name", "error_type", "reason", "refusal"),
    [
        ("raises", "ValueError", "first line", False),
        ("raises_unprintable", "Worse", "its message raised KeyError", False),
        ("raises_without_a_message", "KeyError", "raised without a message", False),
        ("refuses", "DataError", "DataError: the rows are gone", True),
        ("refuses_by_a_class_of_its_own", "Mine", "no", True),
        ("runs_out_of_memory_on_purpose", "Both", "no", False),
        ("exits_at_once", None, "ended with code 0 and without a result", False),
    ],
)
def test_the_class_of_an_exception_has_a_field_of_its_own(ended, name, error_type, reason, refusal):
    outcome = ended(name)

    assert (outcome.error_type, outcome.reason) == (error_type, reason)
    assert outcome.refusal is refusal


@pytest.mark.parametrize(("name", "request_", "limits", "result"), HEALTHY)
def test_a_result_counts_whatever_else_was_done(ended, name, request_, limits, result):
    outcome = ended(name, request_, **limits)

    assert (outcome.ending, outcome.result) == ("ok", result), outcome
    assert (outcome.reason, outcome.error_type, outcome.refusal) == (None, None, False)


def test_what_a_job_gets_and_leaves(ended):
    outcome = ended("healthy", {"k": [1, None]})

    result = outcome.result
    assert result["asked"] == {"k": [1, None]}
    assert (result["stdin"], result["leads"], result["threads"]) == ("", True, ["1", "1"])
    until(lambda: not Path(result["cwd"]).exists())  # removed in a thread
    assert outcome.files == {"scores.bin": bytes([1, 2, 3])}
    assert outcome.log == "one\ntwo\n"
    assert outcome.wall_seconds > 0
    assert outcome.step is None


def test_partial_lines_are_kept(ended):
    assert ended("raises").lines == ({"seen": 1},)
    assert ended("segfaults").lines == ({"before": 1},)
    assert ended("holds_the_gil", **SHORT).lines == ({"passes": 1},)
    for what in ("half", "kind", "length", "no json"):
        assert ended("says_nonsense", {"what": what}).lines == ({"x": 1}, {"x": 2})


def test_sigterm_comes_first(ended):
    outcome = ended("obeys", timeout=1.0, grace=10.0)

    assert outcome.ending == "timeout"
    assert outcome.lines == ({"started": True}, {"ended": True})
    assert outcome.wall_seconds < 10  # it was not killed


def test_the_log_has_the_end_of_the_output_and_the_traceback(ended):
    printed = ended("prints_much").log
    assert printed.endswith("the end\n")
    assert len(printed) <= 2**14

    assert "in raises" in ended("raises").log
    assert "Segmentation fault" in ended("segfaults").log


@pytest.mark.parametrize(
    ("name", "request_", "limits", "frame"),
    [
        ("hangs_without_streams", {}, SOON, "in hang\n"),
        ("holds_the_gil_and_ignores_sigterm", {}, SOON, "in holds_the_gil_and_ignores_sigterm\n"),
        ("floods_and_hangs", {}, SOON, "in hang\n"),
        linux("it counts no shared memory", "maps_memory", SHARED, SMALL, "in maps_memory\n"),
        ("segfaults_without_streams", {}, {}, "in segfaults_without_streams\n"),
    ],
)
def test_the_log_of_what_was_stopped_has_the_stacks_of_python(ended, name, request_, limits, frame):
    log = ended(name, request_, **limits).log

    assert re.search(rf"torture.py\", line \d+ {frame}", log)
    assert "most recent call first" in log
    assert len(log) <= 2**14


@pytest.mark.linux("it hands over no descriptors")
def test_what_is_no_file_is_neither_read_nor_waited_for(ended):
    outcome = ended("hands_over_what_is_no_file")

    assert outcome.files == {"file": b"x"}
    assert outcome.lines == ()


def test_memory_is_measured_on_top_of_the_warm_process(ended):
    peak = ended("dies_full", {"fill": 100}).peak_memory

    assert 100 * MB <= peak < 120 * MB


def test_global_state_does_not_leak_and_begins_where_the_request_says(ended):
    first, same = ended("draws", {"then": 1}).result, ended("draws", {"then": 1}).result
    other = ended("draws", {"then": 2}).result

    assert first == same
    assert first["random"] != other["random"]
    assert first["numpy"] != other["numpy"]
    assert ended("leaked").result == {"precision": 8, "env": None}


def test_temporary_files_go_with_the_room(ended):
    where = Path(ended("uses_temporary_files").result["where"])

    until(lambda: not where.parent.exists())  # in a thread, while the next jobs run


def test_neighbours_of_the_tortured_are_unaffected(supervisor, kind):
    """Three jobs at once, every other one healthy."""
    told = [
        getattr(one, "values", one) for one in ENDINGS if kind == LINUX or not hasattr(one, "marks")
    ]
    tortured = [job(n, r, **limits) for n, r, limits, *_ in told if "much" not in n]
    tickets, waiting = {}, []
    for at, one in enumerate(tortured):
        waiting += [(f"tortured {at}", one), (f"healthy {at}", job("echo", {"at": at}))]
    outcomes = {}
    while waiting or tickets:
        while waiting and len(tickets) < 3:
            name, one = waiting.pop()
            tickets[supervisor.submit(one)] = name
        outcomes |= {tickets.pop(ticket): outcome for ticket, outcome in supervisor.wait()}

    assert len(outcomes) == 2 * len(tortured)
    for at in range(len(tortured)):
        assert outcomes[f"healthy {at}"].result == {"asked": {"at": at}}
        assert outcomes[f"tortured {at}"].ending != "ok"
    lines = [line for outcome in outcomes.values() for line in outcome.lines]
    assert not alive(line["pid"] for line in lines if "pid" in line)


def test_the_client_is_as_it_was(ended):
    """Its signals, its folder and its streams are not those of the jobs."""
    before = (signal.getsignal(signal.SIGTERM), Path.cwd(), os.environ.get("TMPDIR"), sys.stdout)
    ended("closes_everything")

    now = (signal.getsignal(signal.SIGTERM), Path.cwd(), os.environ.get("TMPDIR"), sys.stdout)
    assert now == before
