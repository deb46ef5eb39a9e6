"""Whichever way the client goes, nothing below it stays; whoever uses it, it works."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import sleep

import pytest
from supervise.asking import alive, below, code, job, signs_in, strays, supervising, until

from aucbench.errors import AucbenchError, ParameterError
from aucbench.processes import Supervisor, scratch, starting
from aucbench.processes.records import CancelledError
from aucbench.processes.starting import CHOICE, FORK, SPAWN, start_method

PATH = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
SIGNS = 6  # of two jobs, and two orphans of each

CLIENT = """
import os, sys
from threading import Thread
from supervise.asking import job, signs_in, until
from aucbench.processes import Supervisor
from aucbench.processes.records import CancelledError

def call():
    try:
        supervisor.call(job("hang_with_orphans", {"folder": sys.argv[1], "n": 0}, timeout=None))
    except CancelledError:
        os.write(1, b"cancelled\\n")  # in one call: lines of threads do not mix

with Supervisor(preload=("numpy",)) as supervisor:
    print(supervisor.folder, flush=True)
    threads = [Thread(target=call, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: len(signs_in(sys.argv[1])) == 6)
"""
CALLS = "    call()"
# The fork is made when the processes of the jobs run. One that is made while another thread starts
# a process keeps a pipe of that start open.
FORK_FIRST = """
    if os.fork() == 0:
        os.read(0, 1)
        os._exit(0)
    call()
"""
# The calls are given up, and the client ends when it has killed the first process of one of them.
ENDING = """
    from aucbench.processes import family
    kill_group = family.kill_group
    family.kill_group = lambda leader: (kill_group(leader), os._exit(0))
"""
INT, TERM, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGKILL
ENDS = {
    # what the client does, the signals that it gets, and when: if its jobs have begun (None), or so
    # many seconds after its supervisor was opened
    "is killed": (CALLS, [KILL], None),
    "is killed and leaves a fork": (FORK_FIRST, [KILL], None),
    "is killed at once": (CALLS, [KILL], 0.0),
    "is killed while jobs start": (CALLS, [KILL], 0.1),
    "is interrupted twice": (CALLS, [INT, INT], None),
    "gets SIGTERM": (CALLS, [TERM], None),
    "ends while it ends its jobs": (ENDING, [], None),
    "closes": ("    pass", [], None),
}


@pytest.mark.slow
@pytest.mark.starts(FORK, SPAWN)
def test_nothing_outlives_the_client(start, tmp_path):
    with ThreadPoolExecutor(3) as pool:
        ends = {way: pool.submit(end_client, tmp_path / way, *row) for way, row in ENDS.items()}

    for way, end in ends.items():
        temporary, output = end.result()
        assert way != "closes" or output == "cancelled\n" * 2
        if start == SPAWN:  # nothing is left that could remove the folder before the next run does
            scratch.remove_abandoned(temporary)
        until(lambda folder=temporary: not any(folder.iterdir()))


def end_client(folder, body, signals, seconds):
    """End a client, which leaves no process; return its temporary folder and its output."""
    signs, temporary = folder / "signs", folder / "temporary"
    for each in (folder, signs, temporary):
        each.mkdir()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, "PYTHONPATH": PATH, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", CLIENT + body, str(signs)]
    with subprocess.Popen(command, **pipes, text=True, env=environment) as client:
        try:
            supervised = client.stdout.readline().strip()
            if seconds is None:
                until(lambda: len(signs_in(signs)) == SIGNS)
            sleep(seconds or 0.0)
            for number in signals:
                client.send_signal(number)
                sleep(0.02)
            until(lambda: not below(supervised))
            assert client.wait(60.0) == (-signals[0] if signals else 0), client.stderr.read()
            assert not alive(pid for _, pid in signs_in(signs))
            client.stdin.close()  # its fork ends
            return temporary, client.stdout.read()
        finally:
            client.kill()


@pytest.mark.starts(FORK, SPAWN)
def test_a_call_that_is_given_up_leaves_nothing(supervisor, tmp_path):
    cancelled = threading.Event()
    hanging = job("hang_with_orphans", {"folder": str(tmp_path), "n": 0})
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(supervisor.call, hanging, cancelled=cancelled)
        until(lambda: len(signs_in(tmp_path)) == 3)
        cancelled.set()
        with pytest.raises(CancelledError):
            call.result()
    assert not alive(pid for _, pid in signs_in(tmp_path))
    assert not strays(supervisor)
    with pytest.raises(CancelledError):
        supervisor.call(job("echo"), cancelled=cancelled)


def test_lines_are_heard_as_they_come_and_an_error_of_the_hearer_ends_the_job(supervisor):
    def hear(line):
        heard.append(line["pid"])
        raise ArithmeticError

    heard = []
    with pytest.raises(ArithmeticError):
        supervisor.call(job("run_code", code("hang(room)")), hear=hear)
    assert len(heard) == 1
    assert not strays(supervisor)


WITHOUT_STREAMS = """
import os, sys
os.closerange(0, 3)
from supervise.asking import job, supervising
with supervising() as supervisor, open(sys.argv[1], "w") as file:
    file.write(str(supervisor.call(job("echo", {"x": 1})).result))
"""


def test_it_works_without_streams(tmp_path):
    found, environment = tmp_path / "found", {**os.environ, "PYTHONPATH": PATH}
    command = [sys.executable, "-c", WITHOUT_STREAMS, str(found)]
    subprocess.run(command, env=environment, timeout=60, check=True)

    assert found.read_text() == "{'asked': {'x': 1}}"


def test_neither_a_fork_of_its_client_nor_who_comes_after_its_end_can_use_it():
    with supervising(preload=()) as supervisor:
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
        supervisor.close()
        with pytest.raises(AucbenchError, match="closed"):
            supervisor.call(job("echo"))


@pytest.mark.starts(FORK)
@pytest.mark.parametrize("by", [KILL, TERM])
def test_a_fork_server_that_is_killed_is_started_again_and_jobs_that_run_go_on(tmp_path, by):
    waiting = job("wait", {"folder": str(tmp_path), "n": 1})
    with ThreadPoolExecutor(1) as pool, supervising(preload=()) as supervisor:
        call = pool.submit(supervisor.call, waiting)
        until(partial(signs_in, tmp_path))
        [server] = [p for p in below(supervisor.folder) if p.ppid() == os.getpid()]
        server.send_signal(by)
        until(lambda: not alive([server.pid]))
        assert supervisor.call(job("echo", {"x": 1})).result == {"asked": {"x": 1}}
        (tmp_path / "open").touch()
        assert call.result().result == {"n": 1}
        assert not strays(supervisor)


@pytest.mark.starts(FORK)
@pytest.mark.parametrize(
    ("module", "word"), [("crashes_at_import", "can be"), ("hangs_at_import", "0.5 s")]
)
def test_what_cannot_be_preloaded_is_an_error(monkeypatch, module, word):
    """An import that takes 600 seconds is not waited for."""
    if module == "hangs_at_import":
        monkeypatch.setattr(starting, "START_SECONDS", 0.5)
    broken = supervising(preload=(f"supervise.{module}",))
    with broken as supervisor, pytest.raises(AucbenchError, match=word):
        supervisor.call(job("echo"))


def test_a_job_finds_what_it_asks_for_imported_and_others_do_not(supervisor):
    for preload, found in (("colorsys",), True), ((), False):
        asked = job("run_code", code("result = {'x': 'colorsys' in sys.modules}"), preload=preload)
        assert supervisor.call(asked).result == {"x": found}
    ended = supervisor.call(job("echo", preload=("supervise.broken_at_import",)))
    assert ended.ending == "crash"
    assert "RuntimeError: not today" in ended.log


def test_threads_are_pinned_and_forks_compute_with_them():
    meet = "met = threading.Barrier(2, timeout=30)\n"  # one thread alone would not pass
    meet += "result = {'x': sorted(parallel.mapped(lambda _: met.wait(), range(2)))}"
    with supervising(preload=("aucbench.kernels.parallel",), threads=2) as supervisor:
        assert supervisor.call(job("describe_process", code(""))).result["threads"] == ["2", "2"]
        for _ in range(2):
            assert supervisor.call(job("run_code", code(meet))).result == {"x": [0, 1]}


@pytest.mark.starts(FORK)
def test_the_variable_chooses_how_processes_start(monkeypatch):
    for asked, found in (("", FORK), (SPAWN, SPAWN)):
        monkeypatch.setenv(CHOICE, asked)
        assert start_method() == found
    monkeypatch.setenv(CHOICE, "docker")
    with pytest.raises(ParameterError, match="spawn"):
        Supervisor()
