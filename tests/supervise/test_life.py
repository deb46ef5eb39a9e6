"""Whichever way the client goes, nothing below it stays; whoever uses it, it works."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest
from supervise.asking import alive, below, code, job, lines, strays, supervising, until

from aucbench.errors import AucbenchError, ParameterError
from aucbench.processes import Supervisor, scratch, starting
from aucbench.processes.records import CancelledError
from aucbench.processes.starting import CHOICE, FORK, SPAWN, start_method

PATH = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
PIDS = 6  # of two jobs, and two orphans of each

CLIENT = """
import os, sys
from threading import Thread
from supervise.asking import job, lines, until
from aucbench.processes import Supervisor
from aucbench.processes.records import CancelledError

def call():
    try:
        supervisor.call(job("hangs_and_tells", {"tell": sys.argv[1]}, timeout=None))
    except CancelledError:
        print("cancelled", flush=True)

with Supervisor(preload=("numpy",)) as supervisor:
    print(supervisor.folder, flush=True)
    threads = [Thread(target=call, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: len(lines(sys.argv[1])) == 6)
"""
# The fork is made when the processes of the jobs run. One that is made while another thread starts
# a process keeps a pipe of that start open.
CALLS = """
    call()
"""
FORK_FIRST = """
    if os.fork() == 0:
        os.read(0, 1)
        os._exit(0)
    call()
"""
INT, TERM, HUP, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL
ENDS = {
    # what the client does, the signals that it gets, its exit code
    "calls and is killed": (CALLS, [KILL], -KILL),
    "is interrupted": (CALLS, [INT], -INT),
    "is interrupted twice": (CALLS, [INT, INT], -INT),
    "gets SIGTERM": (CALLS, [TERM], -TERM),
    "gets SIGHUP": (CALLS, [HUP], -HUP),
    "is killed and leaves a fork": (FORK_FIRST, [KILL], -KILL),
    "closes": ("    pass", [], 0),
    "raises": ("    raise SystemExit(3)", [], 3),
    "leaves by os._exit": ("    os._exit(3)", [], 3),
}


@contextmanager
def started(body, folder):
    """A client of its own, its folder and the file of its jobs. It does not outlive the test."""
    told, temporary = folder / "told", folder / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT + body, str(told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": PATH, "TMPDIR": str(temporary)},
    ) as client:
        try:
            yield client, client.stdout.readline().strip(), told
        finally:
            client.kill()


@pytest.mark.parametrize("way", ENDS)
def test_nothing_outlives_the_client(start, tmp_path, way):
    body, signals, code = ENDS[way]
    with started(body, tmp_path) as (client, folder, told):
        until(lambda: len(lines(told)) == PIDS)
        if signals:
            sleep(0.1)  # it calls
        for number in signals:
            client.send_signal(number)
            sleep(0.02)
        until(lambda: not below(folder) and not alive(map(int, lines(told))), 10.0)
        assert client.wait(10.0) == code, client.stderr.read()
        if code == 0:
            assert client.stdout.read().splitlines() == ["cancelled"] * 2
        client.stdin.close()  # its fork ends

    def is_clean():
        if start == SPAWN:  # nothing is left that could remove the folder before the next run does
            scratch.remove_abandoned(tmp_path / "temporary")
        return not any((tmp_path / "temporary").iterdir())

    until(is_clean, 5.0)


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3])
def test_nothing_outlives_a_client_that_is_killed_early(tmp_path, after):
    with started(CALLS, tmp_path) as (client, folder, _):
        sleep(after)
        client.kill()
        until(lambda: not below(folder), 10.0)


def test_close_ends_the_calls_of_threads_and_is_quick(start, tmp_path):
    told = tmp_path / "told"
    with ThreadPoolExecutor(3) as pool, supervising() as supervisor:
        calls = [
            pool.submit(supervisor.call, job("hangs_and_tells", {"tell": str(told)}, timeout=None))
            for _ in range(3)
        ]
        until(lambda: len(lines(told)) == 9)
        begin = monotonic()
        supervisor.close()
        assert monotonic() - begin < 5.0
        assert not alive(map(int, lines(told)))
        for call in calls:
            with pytest.raises(CancelledError):
                call.result()
        with pytest.raises(AucbenchError, match="the supervisor is closed; make a new one"):
            supervisor.call(job("echo"))


def test_a_call_that_is_given_up_leaves_nothing(supervisor, tmp_path):
    told, cancelled = tmp_path / "told", threading.Event()
    hanging = job("hangs_and_tells", {"tell": str(told)})
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(supervisor.call, hanging, cancelled=cancelled)
        until(lambda: len(lines(told)) == 3)
        cancelled.set()
        with pytest.raises(CancelledError):
            call.result()
    assert not alive(map(int, lines(told)))
    assert not strays(supervisor)
    with pytest.raises(CancelledError):
        supervisor.call(job("echo"), cancelled=cancelled)


def test_lines_are_heard_as_they_come_and_an_error_of_the_hearer_ends_the_job(supervisor):
    def hear(line):
        heard.append(line["pid"])
        raise ArithmeticError

    heard = []
    with pytest.raises(ArithmeticError):
        supervisor.call(job("runs", code("hang(room)")), hear=hear)
    assert len(heard) == 1
    assert not strays(supervisor)


def test_threads_share_a_supervisor(supervisor):
    with ThreadPoolExecutor(3) as pool:
        outcomes = [*pool.map(supervisor.call, [job("echo", {"x": x}) for x in range(6)])]

    assert [outcome.result for outcome in outcomes] == [{"asked": {"x": x}} for x in range(6)]


@pytest.mark.parametrize("request_", [{"x": object()}, {"x": float("nan")}, {"x": {1}}, {"x": b""}])
def test_a_request_that_is_not_json_is_refused(supervisor, request_):
    with pytest.raises((TypeError, ValueError)):
        supervisor.call(job("echo", request_))
    assert not strays(supervisor)


def test_a_client_with_many_open_files_has_jobs_too(supervisor):
    files = [os.dup(0) for _ in range(1100)]
    try:
        assert supervisor.call(job("echo", {"x": 1})).result == {"asked": {"x": 1}}
    finally:
        for file in files:
            os.close(file)


PROGRAM = """
import json, multiprocessing, os, sys
from threading import Thread
from supervise.asking import below, job
from aucbench.processes import Supervisor

def work(tell):
    kept = []
    thread = Thread(target=lambda: kept.append(Supervisor()))
    thread.start()
    thread.join()  # the thread that started the fork server has ended
    with kept[0] as supervisor:
        outcome = supervisor.call(job("echo", {"x": 1}))
    tell((outcome.result, multiprocessing.current_process().daemon, below(supervisor.folder)))

def tell(found):
    with open(sys.argv[1], "w") as file:
        print(*found, file=file)

if sys.argv[2] == "in a daemonic process":
    process = multiprocessing.get_context("fork").Process(target=work, args=(tell,), daemon=True)
    process.start()
    process.join()
if sys.argv[2] == "without streams":
    os.closerange(0, 3)
    work(tell)
"""


@pytest.mark.parametrize("how", ["in a daemonic process", "without streams"])
def test_it_works_in_a_program_of_whatever_kind(start, tmp_path, how):
    environment = {**os.environ, "PYTHONPATH": PATH}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "told"), how]
    subprocess.run(command, env=environment, timeout=60, check=True)

    is_daemon = how == "in a daemonic process"
    assert lines(tmp_path / "told") == [f"{{'asked': {{'x': 1}}}} {is_daemon} []"]


def test_a_fork_of_the_client_can_neither_use_nor_close_it(supervisor):
    pid = os.fork()
    if pid == 0:
        try:
            supervisor.call(job("echo"))
        except AucbenchError as error:
            supervisor.close()
            os._exit("another process; make a new one" not in str(error))
        os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    assert supervisor.call(job("echo")).ending == "ok"


def server_of(supervisor):
    """The fork server."""
    [found] = [p for p in below(supervisor.folder) if p.ppid() == os.getpid()]
    return found


@pytest.mark.starts(FORK)
@pytest.mark.parametrize("by", [KILL, TERM])
def test_a_fork_server_that_is_killed_is_started_again_and_jobs_that_run_go_on(tmp_path, by):
    begun, go = tmp_path / "begun", tmp_path / "go"
    with ThreadPoolExecutor(1) as pool, supervising(preload=()) as supervisor:
        call = pool.submit(supervisor.call, job("waits", {"begun": str(begun), "go": str(go)}))
        until(begun.exists)
        server = server_of(supervisor)
        server.send_signal(by)
        until(lambda: not alive([server.pid]))
        assert supervisor.call(job("echo", {"x": 1})).result == {"asked": {"x": 1}}
        go.touch()
        assert call.result().result == {"x": 1}
        assert not strays(supervisor)


@pytest.mark.starts(FORK)
@pytest.mark.parametrize(
    ("module", "seconds", "error"),
    [
        ("broken_at_import", 20.0, "no process can be started"),
        ("crashes_at_import", 20.0, "no process can be started"),
        ("hangs_at_import", 0.5, "no process has started within 0.5 s"),
    ],
)
def test_what_cannot_be_preloaded_is_an_error(monkeypatch, module, seconds, error):
    monkeypatch.setattr(starting, "START_SECONDS", seconds)
    begin = monotonic()
    broken = supervising(preload=(f"supervise.{module}",))
    with broken as supervisor, pytest.raises(AucbenchError, match=error):
        supervisor.call(job("echo"))
    assert monotonic() - begin < 60.0  # an import that takes 600 is not waited for


def test_a_job_finds_what_it_asks_for_imported_and_others_do_not(supervisor):
    for preload, found in (("colorsys",), True), ((), False):
        asked = job("runs", code("result = {'x': 'colorsys' in sys.modules}"), preload=preload)
        assert supervisor.call(asked).result == {"x": found}
    ended = supervisor.call(job("echo", preload=("supervise.broken_at_import",)))
    assert ended.ending == "crash"
    assert "RuntimeError: not today" in ended.log


def test_threads_are_pinned_and_forks_compute_with_them():
    meet = "met = threading.Barrier(2, timeout=30)\n"  # one thread alone would not pass
    meet += "result = {'x': sorted(parallel.mapped(lambda _: met.wait(), range(2)))}"
    preload = ("aucbench.kernels.parallel",)
    with supervising(preload=preload, threads=2) as supervisor:
        assert supervisor.call(job("healthy")).result["threads"] == ["2", "2"]
        for _ in range(2):
            assert supervisor.call(job("runs", code(meet))).result == {"x": [0, 1]}


@pytest.mark.starts(FORK)
def test_the_variable_chooses_how_processes_start(monkeypatch):
    for asked, found in (("", FORK), (FORK, FORK), (SPAWN, SPAWN)):
        monkeypatch.setenv(CHOICE, asked)
        assert start_method() == found
    monkeypatch.setenv(CHOICE, "docker")
    with pytest.raises(ParameterError, match="'docker'; set it to forkserver or spawn, or unset"):
        Supervisor()
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv(CHOICE, FORK)
    with pytest.raises(ParameterError, match="set it to spawn, or unset it"):
        Supervisor()
