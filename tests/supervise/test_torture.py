"""Whatever a job does, it ends as one outcome with the right ending, and nothing is left."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from supervise.asking import call_all, code, job, supervising, until

from aucbench.processes import endings, hearing
from aucbench.processes.starting import FORK

MB = 2**20
SHORT = {"timeout": 1.0, "grace": 0.1}
SMALL = {"memory": 200 * MB}
LATE, TOOK, DIED = "did not end within 1 s", "took more than the 209.715 MB", "without a result$"
NOT_JSON = "TypeError: the result is not JSON"
LARGE = "for n in 'ab': room.hand(n, bytes(40 * MB))"
REMOVED = "room.hand('x', b'x'); os.chdir('/'); shutil.rmtree(room.path.parent)"
MINE = "class Mine(DataError): pass\nraise Mine('no')"
UNHEARD = "sys.stderr.close(); raise ValueError('unheard')"
TWICE = "pid = os.fork(); pid and os.waitpid(pid, 0); result = {} if pid else {'forked': 1}"
BOMB = "for _ in range(6): os.fork()\ntime.sleep(1000)"
FLOOD = "while True: room.line({'x': 'x' * MB})"

ENDINGS = {
    # what a job does: its code, limits, ending, words
    "exception": ("raise ValueError('first\\nsecond')", {}, "error", "Error: first$"),
    "no text": ("raise_what_has_no_text()", {}, "error", "^Worse: its message raised KeyError$"),
    "refusal": ("raise DataError('rows\\nare gone')", {}, "error", "^DataError: rows$"),
    "own refusal": (MINE, {}, "error", "^Mine: no$"),
    "exit": ("sys.exit(0)", {}, "error", "SystemExit: 0$"),
    "NaN": ("result = {'x': float('nan')}", {}, "error", f"{NOT_JSON}: Out of range"),
    "long result": ("result = {'x': 'x' * 65 * MB}", {}, "error", "has 65 MiB, 64 are allowed"),
    "large files": (LARGE, {}, "error", "more than 64 MiB"),
    "lost file": (REMOVED, {}, "error", "handed over is gone: x"),
    "no stderr": (UNHEARD, {}, "error", "ValueError: unheard"),
    "endless import": ("import supervise.hangs_at_import", SHORT, "timeout", f"{LATE}$"),
    "crash at import": ("import supervise.crashes_at_import", {}, "crash", "killed by SIGSEGV"),
    "GIL held": ("7 ** 10**9", SHORT, "timeout", f"{LATE}$"),
    "signals ignored": ("ignore_signals(); hang(room)", SHORT, "timeout", f"{LATE}, nor after SIG"),
    "stopped": ("while True: os.kill(0, signal.SIGSTOP)", SHORT, "timeout", "nor after SIGTERM$"),
    "os._exit": ("os._exit(0)", {}, "crash", f"ended with code 0 and {DIED}"),
    "segfault": ("leave_orphan(room); ctypes.string_at(0)", {}, "crash", f"SIGSEGV .* {DIED}"),
    "exec": ("os.execv('/bin/sleep', ['sleep', '1000'])", {}, "crash", DIED),
    "memory": ("bytearray(4096 * MB)", SMALL, "memout", f"MemoryError|{TOOK}"),
    "orphans": ("for _ in range(4): leave_orphan(room, fill)\nhang(room)", SMALL, "memout", TOOK),
}
HEALTHY = {
    # what a job does, and returns: its code, limits
    "many orphans": ("fork_and_end()", {}),
    "program": ("leave_a_program(room)", {}),
    "thread": ("threading.Thread(target=time.sleep, args=(1000,)).start()", {}),
    "shared memory left": ("leave_shared_memory(room)", {}),
    "return of a fork": (TWICE, {}),
    "a gigabyte of output": ("for _ in range(1024): os.write(1, b'x' * MB)", {}),
    "closed descriptors": ("os.closerange(0, 1000)", {}),
    "no descriptors": ("resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)); os.dup(0)", {}),
    "removed folder": ("os.chdir('/'); shutil.rmtree(room.path.parent)", {}),
    "threads that say lines": ("say_from_threads(room)", {}),
    "pages shared with forks": ("share_memory_with_children()", SMALL),
    "large map of a file": ("map_a_file(room)", SMALL),
}
REFUSALS = ("refusal", "own refusal")
LOGS = [
    # what a job does, its limits, and the end of its log
    ("os.write(1, b'x' * MB + b'the end\\n')", {}, r"xxthe end\n$"),
    ("os.closerange(0, 900); hang(room)", SHORT, r"call first.*py\", line \d+ in hang\n"),
    ("os.closerange(0, 900); ctypes.string_at(0)", {}, r"call first.*py\", line \d+ in run_code\n"),
]


@pytest.mark.slow
def test_each_failure_has_its_ending_and_costs_no_other_job(supervisor):
    """Every other job is healthy. What a job said before its end is kept."""
    jobs = []
    for at, (text, limits, *_) in enumerate(ENDINGS.values()):
        jobs.append(job("run_code", code(f"room.line({{'x': 1}})\n{text}"), **limits))
        jobs.append(job("echo", {"at": at}, trusted=True))
    outcomes = call_all(supervisor, jobs)

    for at, outcome in enumerate(outcomes[1::2]):
        assert outcome.result == {"asked": {"at": at}}, outcome
    for (name, (*_, ending, words)), outcome in zip(ENDINGS.items(), outcomes[::2], strict=True):
        assert (outcome.ending, outcome.result) == (ending, None), outcome
        assert outcome.refusal is (name in REFUSALS), outcome
        assert re.search(words, outcome.words), outcome
        assert outcome.lines[0] == {"x": 1}, outcome


@pytest.mark.slow
def test_a_result_counts_whatever_else_was_done_and_the_client_is_as_it_was(supervisor):
    before = state_of_this_process()
    jobs = [job("run_code", code(text), **limits) for text, limits in HEALTHY.values()]
    outcomes = call_all(supervisor, jobs)

    for name, outcome in zip(HEALTHY, outcomes, strict=True):
        assert (outcome.ending, outcome.reason, outcome.result) == ("ok", None, {}), (name, outcome)
    assert state_of_this_process() == before


def state_of_this_process():
    """Its signals, its folder, its streams, its path and its variables."""
    signals = [signal.getsignal(number) for number in signal.Signals]
    return signals, Path.cwd(), sys.stdin, sys.stdout, sys.stderr, sys.path[:], {**os.environ}


def test_a_job_gets_a_state_that_no_other_one_has_changed(ended):
    change = (
        "random.seed({0}); np.random.seed({0}); np.set_printoptions(1); os.environ['LEAKED'] = 'x'"
        "; sys.stdout.write('one\\n'), sys.stderr.write('two\\n'), room.hand('x', bytes([{0}, 2]))"
    )
    outcomes = [ended("describe_process", code(change.format(n))) for n in (1, 1, 2)]

    for outcome, n in zip(outcomes, (1, 1, 2), strict=True):
        result = outcome.result
        assert (result["stdin"], result["leads"], result["threads"]) == ("", True, ["1", "1"])
        assert (result["precision"], result["leaked"]) == (8, None)
        assert (outcome.files, outcome.log) == ({"x": bytes([n, 2])}, "one\ntwo\n")
        assert (outcome.step, outcome.fence) == (None, None)
        assert outcome.wall_seconds > 0
        for name in ("cwd", "temporary"):
            until(lambda path=Path(result[name]): not path.exists())  # removed in a thread
    first, same, other = (outcome.result["drawn"] for outcome in outcomes)
    assert first == same  # seeds are those of a request
    assert not {*first} & {*other}


def test_a_flood_and_a_bomb_are_stopped(ended, monkeypatch):
    monkeypatch.setattr(hearing, "MOST_STREAM", 4 * MB)
    monkeypatch.setattr(endings, "MOST_PROCESSES", 40)

    assert ended("run_code", code(FLOOD)).reason == endings.FLOODED.reason
    assert ended("run_code", code(BOMB)).reason == endings.CROWDED.reason


@pytest.mark.starts(FORK)
def test_a_job_that_removes_the_folders_of_all_jobs_costs_no_other_one(tmp_path):
    step = job("prepare_rows", {"count": str(tmp_path / "count"), "n": 3}, key="data")
    remove = "os.chdir('/'); shutil.rmtree(room.path.parents[1])"
    with supervising() as supervisor:
        for _ in range(2):
            outcome = supervisor.call(job("use_steps", {}, (step,)))
            assert outcome.result["sums"] == {"data": 3}
            assert supervisor.call(job("run_code", code(remove))).ending == "ok"


def test_a_job_that_takes_too_long_gets_sigterm_and_its_time_to_end(ended):
    outcome = ended("run_code", code("obey(room)"), timeout=0.5, grace=60.0)
    assert outcome.ending == "timeout"
    assert outcome.lines == ({"started": True}, {"ended": True})
    assert outcome.wall_seconds < 60  # it was not killed


def test_the_log_has_the_end_of_the_output_and_then_the_stacks_of_python(supervisor):
    jobs = [job("run_code", code(text), **limits) for text, limits, _ in LOGS]

    for outcome, (text, _, end) in zip(call_all(supervisor, jobs), LOGS, strict=True):
        assert re.search(end, outcome.log, re.DOTALL), (text, outcome.log)
        assert len(outcome.log) <= 2**14


def test_memory_is_measured_on_top_of_what_the_process_has(ended):
    outcome = ended("run_code", code("die_full(100 * MB)"), **SMALL)

    assert outcome.ending == "crash"
    assert 100 * MB <= outcome.peak_memory < 120 * MB
