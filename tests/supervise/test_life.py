"""Whichever way the client goes, nothing below it stays; whoever uses it, it works."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import psutil
import pytest
from supervise.asking import (
    alive,
    below,
    gone,
    job,
    lines,
    outcome_of,
    strays,
    supervising,
    until,
)

from aucbench.errors import AucbenchError
from aucbench.processes import open_supervisor
from aucbench.processes.supervisor import LINUX

PATH = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])

CLIENT = """
import os, sys
from pathlib import Path
from supervise.asking import job, lines, until
from aucbench.processes import open_supervisor
supervisor = open_supervisor(preload=("numpy",))
print(supervisor.token, supervisor._folder, flush=True)
for _ in range(2):
    supervisor.submit(job("hangs_and_tells", {"tell": sys.argv[1]}, timeout=None))
"""
# The fork is made when the processes of the jobs run. One that is made while another thread starts
# a process keeps a pipe of that start open, and the thread waits for the end of the pipe.
FORK = """
until(lambda: len(lines(sys.argv[1])) == 6)
if os.fork() == 0:
    os.read(0, 1)
print("forked", flush=True)
supervisor.wait()
"""
ENDS = {
    "waits and is killed": "supervisor.wait()",
    "is killed with its pipes in a fork": FORK,
    "returns from main": "os.read(0, 1)",
    "leaves by os._exit": "os.read(0, 1); os._exit(3)",
    "is closed": "os.read(0, 1); supervisor.close()",
}


@contextmanager
def started(body, told):
    """A client of its own; its token and its scratch folder. It does not outlive the test."""
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT + body, str(told)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PATH},
    ) as client:
        try:
            token, scratch = client.stdout.readline().decode().split()
            yield client, token, Path(scratch)
        finally:
            client.kill()


@pytest.mark.parametrize("way", ENDS)
def test_nothing_outlives_the_client(tmp_path, way):
    told = tmp_path / "told"
    with started(ENDS[way], told) as (client, token, scratch):
        until(lambda: len(lines(told)) == 6)
        assert len(alive(map(int, lines(told)))) == 6
        if "fork" in way:
            assert client.stdout.readline() == b"forked\n"
        if "killed" in way:
            client.kill()
        else:
            client.stdin.write(b".")
            client.stdin.flush()
        assert gone(token, 2.0)
        until(lambda: not scratch.exists(), 1.0)


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3])
def test_nothing_outlives_a_client_that_is_killed_early(tmp_path, after):
    with started("supervisor.wait()", tmp_path / "told") as (client, token, _):
        with pytest.raises(subprocess.TimeoutExpired):
            client.wait(after)
        client.kill()
        assert gone(token, 30.0)


def test_close_is_quick_and_leaves_nothing(tmp_path):
    told = tmp_path / "told"
    with supervising() as supervisor:
        for _ in range(3):
            supervisor.submit(job("hangs_and_tells", {"tell": str(told)}, timeout=None))
        until(lambda: len(lines(told)) == 9)
        begin = monotonic()
        supervisor.close()
        assert monotonic() - begin < 20  # the jobs never end by themselves
    assert not alive(map(int, lines(told)))
    with pytest.raises(AucbenchError, match="closed"):
        supervisor.wait()
    with pytest.raises(AucbenchError, match="closed"):
        supervisor.submit(job("echo"))


def test_a_generator_that_is_closed_leaves_nothing(tmp_path):
    told = tmp_path / "told"

    def outcomes(token):
        with open_supervisor(preload=()) as supervisor:
            token.append(supervisor.token)
            supervisor.submit(job("hangs_and_tells", {"tell": str(told)}, timeout=None))
            supervisor.submit(job("echo", {"x": 1}))
            while found := supervisor.wait():
                yield from found

    token = []
    running = outcomes(token)
    assert next(running)[1].result == {"asked": {"x": 1}}
    until(lambda: len(lines(told)) == 3)
    running.close()

    assert not below(token[0])
    assert not alive(map(int, lines(told)))


def test_a_job_that_is_killed_is_forgotten(supervisor, tmp_path):
    told = tmp_path / "told"
    ticket = supervisor.submit(job("hangs_and_tells", {"tell": str(told)}))
    other = supervisor.submit(job("echo", {"x": 1}))
    until(lambda: len(lines(told)) == 3)
    supervisor.kill(ticket)

    assert [(t, o.result) for t, o in supervisor.wait()] == [(other, {"asked": {"x": 1}})]
    assert supervisor.wait() == []
    until(lambda: not strays(supervisor.token))
    until(lambda: not alive(map(int, lines(told))))  # the killed are reaped a moment later
    supervisor.kill(other)  # long gone


def test_wait_has_a_time_limit(supervisor):
    ticket = supervisor.submit(job("hang"))
    assert supervisor.wait(0) == []
    assert supervisor.wait(0.05) == []
    supervisor.kill(ticket)
    assert supervisor.wait() == []


def test_many_jobs_may_end_before_anyone_waits(supervisor):
    """More messages than a pipe holds would block both ends."""
    tickets = [supervisor.submit(job("echo", {"x": "y" * 5000})) for _ in range(20)]
    outcomes = {}
    while found := supervisor.wait():
        outcomes |= dict(found)

    assert [*sorted(outcomes)] == tickets
    assert {outcome.ending for outcome in outcomes.values()} == {"ok"}


def test_threads_share_a_supervisor(supervisor):
    asked, seen = {}, {}

    def work(name):
        for at in range(5):
            ticket = supervisor.submit(job("echo", {"x": [name, at]}))
            asked[ticket] = [name, at]
            while ticket not in seen:  # another thread may have fetched it
                seen.update(supervisor.wait(0.05))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {ticket: o.result["asked"]["x"] for ticket, o in seen.items()} == asked
    assert len(seen) == 20


def test_a_thread_that_waits_is_told_of_the_end(tmp_path):
    begun = tmp_path / "begun"
    with supervising(preload=()) as supervisor:
        told = []

        def work():
            try:
                outcome_of(supervisor, job("hangs_and_tells", {"tell": str(begun)}))
            except AucbenchError as error:
                told.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: lines(begun))
        supervisor.close()
        thread.join(5)
    assert told == ["the supervisor is closed; make a new one"]


DAEMONIC = """
import multiprocessing, threading
from supervise.asking import below, job, outcome_of
from aucbench.processes import open_supervisor

def make(kept):
    kept.append(open_supervisor(preload=()))

def work(pipe):
    kept = []
    thread = threading.Thread(target=make, args=(kept,))
    thread.start()
    thread.join()  # the thread that started the fork server has ended
    with kept[0] as supervisor:
        outcome = outcome_of(supervisor, job("echo", {"x": 1}))
    pipe.send((outcome.result, multiprocessing.current_process().daemon, below(supervisor.token)))

here, there = multiprocessing.get_context("fork").Pipe()
process = multiprocessing.get_context("fork").Process(target=work, args=(there,), daemon=True)
process.start()
print(here.recv())
"""


def test_it_works_in_a_daemonic_process_and_in_a_thread_that_ends():
    said = subprocess.run(
        [sys.executable, "-c", DAEMONIC],
        env={**os.environ, "PYTHONPATH": PATH},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert said.stdout == "({'asked': {'x': 1}}, True, [])\n"


def test_a_fork_of_the_client_can_neither_use_nor_close_it():
    with supervising(preload=()) as supervisor:
        pid = os.fork()
        if pid == 0:
            try:
                supervisor.submit(job("echo"))
            except AucbenchError as error:
                supervisor.close()
                os._exit("another process; make a new one" not in str(error))
            os._exit(2)
        assert os.waitpid(pid, 0)[1] == 0
        assert outcome_of(supervisor, job("echo")).ending == "ok"


def server_of(supervisor):
    """Number of the fork server."""
    (found,) = [p for p in below(supervisor.token) if p.ppid() == os.getpid()]
    return found.pid


def all_outcomes(supervisor):
    outcomes = {}
    while found := supervisor.wait():
        outcomes |= dict(found)
    return outcomes


@pytest.mark.linux("it has no fork server that could be lost or stopped")
def test_jobs_that_die_with_the_fork_server_are_run_again_and_the_culprit_is_found(tmp_path):
    told = [tmp_path / "first", tmp_path / "second"]
    with supervising() as supervisor:
        innocent = [supervisor.submit(job("hangs_once", {"told": str(path)})) for path in told]
        until(lambda: all(map(lines, told)))
        culprit = supervisor.submit(job("kills_the_fork_server"))
        outcomes = all_outcomes(supervisor)

        assert {*outcomes} == {*innocent, culprit}
        assert [outcomes[ticket].result for ticket in innocent] == [{"runs": 2}] * 2
        assert outcomes[culprit].ending == "crash"
        assert outcomes[culprit].reason == (
            "the process that starts all jobs ended while it ran, and ended again while it ran as "
            "the only job (killed by SIGKILL (Killed))"
        )
        assert not below(supervisor.token)
        assert outcome_of(supervisor, job("echo", {"x": 1})).result == {"asked": {"x": 1}}


@pytest.mark.linux("it has no fork server that could be lost or stopped")
def test_a_job_that_is_to_be_run_again_can_be_killed():
    with supervising(preload=()) as supervisor:
        ticket = supervisor.submit(job("hang"))
        until(lambda: strays(supervisor.token))
        server = server_of(supervisor)
        os.kill(server, signal.SIGKILL)
        until(lambda: supervisor.wait(0) == [] and not psutil.pid_exists(server))
        supervisor.kill(ticket)
        assert outcome_of(supervisor, job("echo")).ending == "ok"


@pytest.mark.linux("it has no fork server that could be lost or stopped")
def test_a_fork_server_that_is_killed_while_it_starts_is_started_again():
    with supervising() as supervisor:
        for _ in range(2):
            server = server_of(supervisor)
            os.kill(server, signal.SIGKILL)
            ticket = supervisor.submit(job("echo", {"x": 1}))
            until(lambda server=server: supervisor.wait(0) == [] and not alive([server]))
            until(lambda: supervisor.wait(0) == [] and below(supervisor.token))
            supervisor.kill(ticket)
        assert outcome_of(supervisor, job("echo", {"x": 1})).result == {"asked": {"x": 1}}


@pytest.mark.linux("it has no fork server that could be lost or stopped")
@pytest.mark.parametrize("levels", [1, 2])
def test_a_job_that_stops_what_supervises_it_does_not_stop_the_run(supervisor, levels):
    begin = monotonic()
    assert outcome_of(supervisor, job("stops", {"levels": levels})).result == {"x": 1}
    assert outcome_of(supervisor, job("echo", {"x": 1})).result == {"asked": {"x": 1}}
    assert monotonic() - begin < 15  # the limit of the jobs is 20 seconds


@pytest.mark.linux("it has no fork server that could be lost or stopped")
@pytest.mark.parametrize("levels", [[1], [1, 2]])
def test_what_stops_them_again_and_again_is_killed(levels):
    with supervising(preload=()) as supervisor:
        outcome = outcome_of(supervisor, job("stops_again_and_again", {"levels": levels}))

        assert outcome.ending == "crash"
        assert "killed by SIGKILL (Killed), after it was stopped 4 times" in outcome.reason
        assert not strays(supervisor.token)
        assert outcome_of(supervisor, job("echo", {"x": 1})).result == {"asked": {"x": 1}}


@pytest.mark.linux("it has no fork server that could be lost or stopped")
@pytest.mark.parametrize("which", ["fork server", "job parent"])
def test_a_process_that_is_stopped_while_it_should_read_much_is_continued(which):
    with supervising(preload=()) as supervisor:
        assert outcome_of(supervisor, job("echo")).ending == "ok"
        server = server_of(supervisor)
        parents = [p.pid for p in below(supervisor.token) if p.ppid() == server]
        os.kill({"fork server": server, "job parent": parents[0]}[which], signal.SIGSTOP)

        large = {"x": "y" * 10**6}
        assert outcome_of(supervisor, job("echo", large)).result == {"asked": large}


@pytest.mark.linux("it has no fork server that could be lost or stopped")
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_a_fork_server_that_is_killed_while_idle_is_noticed(by):
    with supervising(preload=()) as supervisor:
        assert outcome_of(supervisor, job("echo")).ending == "ok"
        server = server_of(supervisor)
        os.kill(server, by)
        until(lambda: not alive([server]))

        assert outcome_of(supervisor, job("echo", {"x": 1})).result == {"asked": {"x": 1}}


def test_what_cannot_be_preloaded_is_named():
    with supervising(preload=("supervise.broken_at_import",)) as supervisor:
        supervisor.submit(job("echo"))
        with pytest.raises(AucbenchError, match=r"cannot preload .*RuntimeError: not today"):
            supervisor.wait()
    with supervising(preload=("supervise.crashes_at_import",)) as supervisor:
        supervisor.submit(job("echo"))
        with pytest.raises(AucbenchError, match="warm process could not be started"):
            supervisor.wait()


def test_a_warm_process_that_still_imports_is_not_waited_for():
    begin = monotonic()
    with supervising(preload=("supervise.hangs_at_import",)) as supervisor:
        supervisor.submit(job("echo"))
        pids = [process.pid for process in below(supervisor.token)]

    assert monotonic() - begin < 60  # seconds; the import takes 600
    until(lambda: not alive(pids))


def test_a_job_finds_what_it_asks_for_imported_and_others_do_not():
    names = ["colorsys", "sndhdr"]
    with supervising(preload=()) as supervisor:

        def found(*preload):
            return outcome_of(supervisor, job("loaded", {"names": names}, preload=preload)).result

        assert found() == {"loaded": []}
        assert found("colorsys") == {"loaded": ["colorsys"]}
        assert found() == {"loaded": []}  # of the job parents that fit, the smallest
        assert found("colorsys", "sndhdr") == {"loaded": names}


def test_a_job_whose_modules_cannot_be_imported_ends_alone(kind):
    with supervising(preload=()) as supervisor:
        broken = job("echo", preload=("supervise.broken_at_import",))
        crashes = job("echo", preload=("supervise.crashes_at_import",))

        ended = outcome_of(supervisor, broken)
        assert ended.ending == "crash"
        assert "cannot preload supervise.broken_at_import: RuntimeError: not today" in ended.reason
        ended = outcome_of(supervisor, crashes)
        assert ended.ending == "crash"
        if kind == LINUX:  # its warm process imports them
            assert "ended again while it ran as the only job" in ended.reason
        assert outcome_of(supervisor, job("echo", {"x": 1})).result == {"asked": {"x": 1}}


def test_nothing_stays_in_the_folder_for_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with supervising(preload=()) as supervisor:
        assert outcome_of(supervisor, job("echo")).ending == "ok"
        assert len([*tmp_path.iterdir()]) == 1
    assert [*tmp_path.iterdir()] == []


def test_threads_are_pinned():
    with supervising(preload=(), threads=3) as supervisor:
        assert outcome_of(supervisor, job("healthy")).result["threads"] == ["3", "3"]


def test_forks_of_the_warm_process_compute_with_threads():
    with supervising(preload=("aucbench.kernels.parallel",), threads=2) as supervisor:
        for _ in range(2):
            outcome = outcome_of(supervisor, job("computes_with_two_threads"))
            assert outcome.result == {"ranks": [0, 1]}
