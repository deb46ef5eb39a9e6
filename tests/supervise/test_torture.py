"""Whatever a job does, it ends as one outcome with the right ending, and nothing is left."""

import os
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from nights import NIGHTLY
from supervise.asking import code, job, left_by, supervising, until

from aucbench.processes import endings, hearing
from aucbench.processes.starting import FORK

MB = 2**20
SHORT = {"timeout": 0.5, "grace": 0.1}
SMALL = {"memory": 200 * MB}
LATE, TOOK, DIED = "did not end within 0.5 s", "took more than the 209.715 MB", "without a result$"
NOT_JSON, MORE = "TypeError: the result is not JSON", "said more than 256 MiB or 200 files"
ARRAY = f"MemoryError: Unable to allocate 4|{TOOK}"
PRIVATE = "mmap(-1, 4096 * MB, MAP_PRIVATE | MAP_ANONYMOUS).write(b'x' * 4096 * MB)"
REMOVED = "room.hand('x', b'x'); os.chdir('/'); shutil.rmtree(room.path.parent)"
BOMB = "for _ in range({}): os.fork()\ntime.sleep(1000)"
FLOOD = "while True: room.line({'x': 'x' * MB})"

ENDINGS = [
    # what it is, its code, limits, ending, words
    (
        "exception",
        "raise ValueError('first line\\nsecond line')",
        {},
        "error",
        "Error: first line$",
    ),
    ("exit", "sys.exit(0)", {}, "error", "SystemExit: 0$"),
    ("list", "result = [1]", {}, "error", "TypeError: the result is list, not dict"),
    ("NaN", "result = {'x': float('nan')}", {}, "error", f"{NOT_JSON}: Out of range"),
    ("array", "result = {'x': np.ones(2)}", {}, "error", f"{NOT_JSON}: .*ndarray"),
    ("long result", "result = {'x': 'x' * 65 * MB}", {}, "error", "has 65 MiB, 64 are allowed"),
    ("huge integer", "result = {'x': 10**400}", {}, "error", "not JSON, or has a number beyond"),
    ("large files", "for n in 'ab': room.hand(n, bytes(40 * MB))", {}, "error", "more than 64 MiB"),
    ("many files", "for n in range(999): room.hand(f'{n}', b'')", {}, "error", MORE),
    ("lost file", REMOVED, {}, "error", "handed over is gone: x"),
    ("lost file, crash", f"{REMOVED}; ctypes.string_at(0)", {}, "crash", "killed by SIGSEGV"),
    ("endless import", "import supervise.hangs_at_import", SHORT, "timeout", f"{LATE}$"),
    ("crash at import", "import supervise.crashes_at_import", {}, "crash", "killed by SIGSEGV"),
    ("sleep", "time.sleep(1000)", SHORT, "timeout", f"{LATE}$"),
    ("GIL held", "7 ** 10**9", SHORT, "timeout", f"{LATE}$"),
    ("GIL held, no SIGTERM", "hold_the_gil_and_ignore_sigterm()", SHORT, "timeout", "SIGTERM$"),
    ("signals ignored", "ignore_signals(); hang(room)", SHORT, "timeout", f"{LATE}, nor after SIG"),
    ("stopped", "while True: os.kill(0, signal.SIGSTOP)", SHORT, "timeout", "nor after SIGTERM$"),
    ("hang with orphan", "desert(room); hang(room)", SHORT, "timeout", f"{LATE}$"),
    ("few forks", BOMB.format(5), SHORT, "timeout", LATE),
    ("endless output", "while True: os.write(1, b'x' * MB)", SHORT, "timeout", LATE),
    ("os._exit", "os._exit(0)", {}, "crash", f"ended with code 0 and {DIED}"),
    ("abort", "os.abort()", {}, "crash", f"killed by SIGABRT .* {DIED}"),
    (
        "SIGKILL",
        "os.kill(os.getpid(), signal.SIGKILL)",
        {},
        "crash",
        f"killed by SIGKILL .* {DIED}",
    ),
    ("segfault", "ctypes.string_at(0)", {}, "crash", f"killed by SIGSEGV .* {DIED}"),
    ("segfault with orphan", "desert(room); ctypes.string_at(0)", {}, "crash", "killed by SIGSEGV"),
    ("exec", "os.execv('/bin/sleep', ['sleep', '1000'])", {}, "crash", DIED),
    ("memory", "bytearray(4096 * MB)", SMALL, "memout", f"MemoryError|{TOOK}"),
    ("memory of NumPy", "np.ones((4096, MB // 8)).sum()", SMALL, "memout", ARRAY),
    ("mapped memory", PRIVATE, SMALL, "memout", f"MemoryError|allocate|{TOOK}"),
    ("children", "for _ in range(4): os.fork() or fill(room)\nhang(room)", SMALL, "memout", TOOK),
    ("orphans", "for _ in range(4): desert(room, fill)\nhang(room)", SMALL, "memout", TOOK),
    (
        "full at abort",
        "die_full(195 * MB)",
        SMALL,
        "memout",
        "killed by SIGABRT .* near the 209.715",
    ),
    ("not full at abort", "die_full(100 * MB)", SMALL, "crash", f"killed by SIGABRT .* {DIED}"),
    (
        "no streams",
        "sys.stderr.close(); raise ValueError('unheard')",
        {},
        "error",
        "Error: unheard",
    ),
    ("shared memory, crash", "leave_shared_memory(room); ctypes.string_at(0)", {}, "crash", "SEGV"),
    ("shared memory, hang", "leave_shared_memory(room); hang(room)", SHORT, "timeout", LATE),
]
LENGTHY = [
    ("flood", FLOOD, {}, "error", MORE),
    ("bomb", BOMB.format(10), {}, "crash", "had more than 500 processes at once"),
    ("stack overflow", "overflow_the_stack()", {}, "crash", "killed by SIG(SEGV|ABRT|BUS)"),
]
HEALTHY = [
    # what it is, its code, limits
    ("child", "os.fork() or hang(room)", {}),
    ("orphan", "desert(room)", {}),
    ("program", "leave_a_program(room)", {}),
    ("thread", "threading.Thread(target=time.sleep, args=(1000,)).start()", {}),
    ("shared memory left", "leave_shared_memory(room)", {}),
    ("many orphans", "fork_and_end()", {}),
    (
        "second return",
        "pid = os.fork(); pid and os.waitpid(pid, 0); result = {'forked': not pid}",
        {},
    ),
    ("patches", "patch_what_ends_it()", {}),
    ("signals", "ignore_signals()", {}),
    ("a gigabyte of output", "for _ in range(1024): os.write(1, b'x' * MB)", {}),
    ("closed descriptors", "os.closerange(0, 1000)", {}),
    ("closed streams", "sys.stdout.close(); sys.stderr.close()", {}),
    ("no descriptors", "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)); os.dup(0)", {}),
    ("removed room", "os.chdir('/'); shutil.rmtree(room.path)", {}),
    ("removed folder", "os.chdir('/'); shutil.rmtree(room.path.parent)", {}),
    ("locked room", "lock_the_room(room)", {}),
    ("threads that say lines", "say_from_threads(room)", {}),
    ("pages shared with forks", "share_memory_with_children()", SMALL),
    ("large map of a file", "map_a_file(room)", SMALL),
]
CLASSES = [
    ("raise_what_has_no_text()", "Worse", "its message raised KeyError", False),
    ("raise KeyError", "KeyError", "raised without a message", False),
    ("raise DataError('the rows\\nare gone')", "DataError", "the rows", True),
    ("raise_subclass(DataError)", "Mine", "no", True),
    ("raise_subclass(AucbenchError, MemoryError)", "Mine", "no", False),
    ("os._exit(0)", None, "ended with code 0 and without a result", False),
]


@pytest.mark.parametrize(
    ("name", "text", "limits", "ending", "words"),
    [
        *(pytest.param(*row, id=row[0]) for row in ENDINGS),
        *(pytest.param(*row, id=row[0], marks=NIGHTLY) for row in LENGTHY),
    ],
)
def test_each_failure_has_its_ending(ended, name, text, limits, ending, words):
    outcome = ended("runs", code(text), **limits)

    assert (outcome.ending, outcome.result) == (ending, None), outcome
    assert re.search(words, outcome.words)


@pytest.mark.parametrize(
    ("name", "text", "limits"), [pytest.param(*row, id=row[0]) for row in HEALTHY]
)
def test_a_result_counts_whatever_else_was_done(ended, name, text, limits):
    outcome = ended("runs", code(text), **limits)

    assert (outcome.ending, outcome.reason) == ("ok", None), outcome
    assert outcome.result == ({"forked": False} if name == "second return" else {})


@pytest.mark.starts(FORK)
@pytest.mark.parametrize(("text", "error_type", "reason", "refusal"), CLASSES)
def test_the_class_of_an_exception_has_a_field_of_its_own(ended, text, error_type, reason, refusal):
    outcome = ended("runs", code(text))

    assert (outcome.error_type, outcome.reason) == (error_type, reason)
    assert outcome.refusal is refusal


def test_what_a_job_gets_and_leaves(ended):
    outcome = ended("healthy", {"k": [1, None]})

    result = outcome.result
    assert result["asked"] == {"k": [1, None]}
    assert (result["stdin"], result["leads"], result["threads"]) == ("", True, ["1", "1"])
    assert outcome.files == {"scores.bin": bytes([1, 2, 3])}
    assert outcome.log == "one\ntwo\n"
    assert outcome.wall_seconds > 0
    assert (outcome.step, outcome.fence) == (None, None)
    for name in ("cwd", "temporary"):
        until(lambda name=name: not Path(result[name]).exists())  # removed in a thread


def test_what_was_said_before_the_end_is_kept(ended):
    for then, limits in (
        ("raise ValueError", {}),
        ("ctypes.string_at(0)", {}),
        ("7**10**9", SHORT),
    ):
        outcome = ended("runs", code(f"room.line({{'x': 1}}); {then}"), **limits)
        assert outcome.lines == ({"x": 1},)


@pytest.mark.starts(FORK)
@pytest.mark.parametrize("text", ['{"line": {"x"', "\n", "[]\n{}\n", '{"line": 3}\n'])
def test_what_is_no_line_ends_what_is_heard(ended, text):
    outcome = ended("says", {"lines": [{"x": 1}, {"x": 2}], "text": text})

    assert outcome.lines == ({"x": 1}, {"x": 2})
    assert outcome.ending == ("error" if text.endswith("\n") else "crash")


def test_a_flood_and_a_bomb_are_stopped(ended, monkeypatch):
    """As in the table, but sooner."""
    monkeypatch.setattr(hearing, "MOST_STREAM", 4 * MB)
    monkeypatch.setattr(endings, "MOST_PROCESSES", 40)

    assert ended("runs", code(FLOOD)).reason == endings.FLOODED.reason
    assert ended("runs", code(BOMB.format(6))).reason == endings.CROWDED.reason


@pytest.mark.starts(FORK)
def test_a_job_that_removes_the_folders_of_all_jobs_costs_no_other_one(tmp_path):
    step = job("prepares", {"count": str(tmp_path / "count"), "n": 3}, key="data")
    remove = "os.chdir('/'); shutil.rmtree(room.path.parents[1])"
    with supervising() as supervisor:
        for _ in range(2):
            outcome = supervisor.call(job("uses", {"key": "data"}, (step,)))
            assert outcome.result == {"sum": 3, "earlier": []}
            assert supervisor.call(job("runs", code(remove))).ending == "ok"


def test_sigterm_comes_first(ended):
    outcome = ended("runs", code("obey(room)"), timeout=1.0, grace=10.0)

    assert outcome.ending == "timeout"
    assert outcome.lines == ({"started": True}, {"ended": True})
    assert outcome.wall_seconds < 10  # it was not killed


def test_the_log_has_the_end_of_the_output_and_the_traceback(ended):
    log = ended("runs", code("os.write(1, b'x' * MB + b'the end\\n')")).log
    assert log.endswith("the end\n")
    assert len(log) <= 2**14
    assert "in raise_subclass" in ended("runs", code("raise_subclass(DataError)")).log


@pytest.mark.parametrize(
    ("text", "limits", "frame"),
    [
        ("os.closerange(0, 900); hang(room)", SHORT, "hang"),
        ("hold_the_gil_and_ignore_sigterm()", SHORT, "hold_the_gil_and_ignore_sigterm"),
        ("threading.Thread(target=hang, args=(room,)).start()\n" + FLOOD[:12] + "print('x' * MB)",
         SHORT, "hang"),
        ("os.closerange(0, 900); ctypes.string_at(0)", {}, "runs"),
    ],
)  # fmt: skip
def test_the_log_of_what_was_stopped_has_the_stacks_of_python(ended, text, limits, frame):
    log = ended("runs", code(text), **limits).log

    assert re.search(rf'torture.py", line \d+ in {frame}\n', log)
    assert "most recent call first" in log
    assert len(log) <= 2**14


def test_memory_is_measured_on_top_of_what_the_process_has(ended):
    peak = ended("runs", code("die_full(100 * MB)"), **SMALL).peak_memory

    assert 100 * MB <= peak < 120 * MB


def test_global_state_does_not_leak_and_begins_where_the_request_says(ended):
    leave = (
        "random.seed({0}); np.random.seed({0}); np.set_printoptions(1); os.environ['LEAKED']='x'"
    )
    found = [ended("describes_its_process", code(leave.format(n))).result for n in (1, 1, 2)]

    first, same, other = (result["drawn"] for result in found)
    assert first == same
    assert not {*first} & {*other}
    assert [(result["precision"], result["leaked"]) for result in found] == [(8, None)] * 3


def test_jobs_that_run_alongside_the_tortured_are_unaffected(supervisor):
    """Three jobs at once, every other one healthy."""
    names = ("segfault", "hang with orphan", "os._exit", "shared memory, hang")
    rows = [row for row in ENDINGS if row[0] in names]
    tortured = [job("runs", code(text), **limits) for _, text, limits, *_ in rows]
    healthy = [job("echo", {"at": at}) for at in range(len(names))]
    both = [one for pair in zip(tortured, healthy, strict=True) for one in pair]
    with ThreadPoolExecutor(3) as pool:
        outcomes = [*pool.map(supervisor.call, both)]

    assert [o.result for o in outcomes[1::2]] == [{"asked": {"at": at}} for at in range(len(names))]
    assert [outcome.ending for outcome in outcomes[::2]] == [row[3] for row in rows]
    assert not any(left_by(supervisor, outcome) for outcome in outcomes)


def test_the_client_is_as_it_was(ended):
    """Its signals, its folder, its streams and its variables are not those of the jobs."""

    def state():
        signals = [signal.getsignal(number) for number in signal.Signals]
        own = {name: text for name, text in os.environ.items() if "PYTEST" not in name}
        return signals, Path.cwd(), sys.stdout, sys.path[:], own

    before = state()
    ended("runs", code("os.closerange(0, 1000)"))
    assert state() == before
