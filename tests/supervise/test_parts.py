"""The parts: records, rooms, the wire, tickets, the meter, the census of processes."""

import json
import mmap
import os
import socket
from dataclasses import replace

import pytest
from supervise import asking
from supervise.asking import below, job, supervising

from aucbench.errors import ParameterError
from aucbench.processes import Ending, Job, Limits, Outcome, Step, metering, scratch
from aucbench.processes.answers import (
    FAILURE,
    FILE,
    LINE,
    MOST_BYTES,
    RESULT,
    Answer,
    frame,
    with_answer,
)
from aucbench.processes.linux import fence as fences
from aucbench.processes.linux import fixed, limits, orders, proc
from aucbench.processes.linux.described import DescribedAnswer
from aucbench.processes.linux.fixed import sealed
from aucbench.processes.linux.orders import Call
from aucbench.processes.linux.wire import Inbox, Outbox, close_all, packed
from aucbench.processes.records import Fence, reported
from aucbench.processes.tickets import Tickets

OK = Outcome(Ending.OK, wall_seconds=1.0, peak_memory=2)
BEYOND = b'{"x": [%d]}' % 10**400


@pytest.mark.parametrize("call", ["", "a", "a:", ":f", "a.b", "a:f()", "a..b:f", "a:f:g", "a b:f"])
def test_a_call_names_a_function(call):
    for made in (lambda: Job(call, {}), lambda: Step("key", call, {})):
        with pytest.raises(ParameterError, match="does not name a function"):
            made()


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"memory": -1}, {"grace": -0.1}])
def test_limits_are_positive(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Limits(**wrong)


def test_an_order_survives_the_wire_and_its_requests_a_file():
    fence = Fence(("~/x",), marks=("y",), writes=True)
    steps = (Step("k", "a:g", {"y": 2}, Limits(grace=0.0), light=True),)
    asked = Job("a:f", {"x": [1]}, Limits(1.0, 2), steps, ("k",), ("numpy",), fence)
    order, requests = orders.ordered(asked)
    there, fd = json.loads(packed(order)), sealed(requests)
    call, step = Call.of(there["call"]), Call.of(there["steps"][0]["call"])

    assert (there["handed"], there["preload"]) == (["k"], ["numpy"])
    assert (call.call, call.limits, call.fence) == ("a:f", asked.limits, fences.told(fence))
    assert (step.call, step.limits, step.fence) == ("a:g", steps[0].limits, None)
    assert there["steps"][0]["identity"] == steps[0].identity
    assert orders.request_at(fd, call.at) == {"x": [1]}
    assert orders.request_at(fd, step.at) == {"y": 2}
    os.close(fd)


def test_an_outcome_survives_the_wire_without_what_the_job_has_said():
    known = Outcome(Ending.ERROR, "no", "ValueError", log="log", wall_seconds=1.5, step="step")
    said = replace(known, result={}, lines=({},), files={"a": b""})

    assert reported(json.loads(packed(said.report()))) == known


TOLD = b'{"reason": "no", "error_type": "DataError", "refusal": true, "memory": false}'


def test_a_failure_that_a_job_forged_is_none():
    assert Answer(frame(FAILURE, TOLD)).ending == Outcome(Ending.ERROR, "no", "DataError", True)
    late = TOLD.replace(b"false", b"true")
    assert Answer(frame(FAILURE, late)).ending.ending is Ending.MEMOUT
    forged = (b"{}", b"[]", b'{"reason": 3}', b"{", TOLD.replace(b"true", b"1"))
    for text in (*forged, TOLD.replace(b"}", b', "x": 1}')):
        assert Answer(frame(FAILURE, text)).ending is None


@pytest.mark.parametrize(
    "text", [b"", b"[1]", b"{", b'{"x": NaN}', b'{"x": 1e999}', BEYOND, b"[" * 10**6]
)
def test_a_result_that_is_no_json_object_is_an_error(text):
    outcome = with_answer(OK, Answer(frame(RESULT, text)))

    assert (outcome.ending, outcome.result) == (Ending.ERROR, None)
    assert outcome.reason.startswith("the result is not a JSON object")


def test_a_line_with_a_number_that_no_float_holds_is_damaged():
    lines = b"".join(frame(LINE, text) for text in (b'{"x": 1}', BEYOND, b'{"y": 1}'))

    assert Answer(lines).lines == ({"x": 1},)


def test_what_is_too_large_does_not_hide_how_a_job_ended():
    late = replace(OK, ending=Ending.TIMEOUT, reason="late")
    large = sealed(bytes(MOST_BYTES + 1))
    outcome = with_answer(late, DescribedAnswer(frame(FILE, b"", "large"), (large,)))
    os.close(large)

    assert (outcome.ending, outcome.reason, outcome.files) == (Ending.TIMEOUT, "late", {})


@pytest.mark.parametrize("free", [True, False])
def test_only_what_is_sealed_needs_no_stamp(monkeypatch, free):
    monkeypatch.setattr(fixed, "free_memory", lambda: 10**9 if free else 10**6)
    monkeypatch.setattr(fixed, "SMALL", 10)
    fds = [fixed.fixed(b"1234"), fixed.fixed(b"12", memoryview(bytes(10**6)))]

    assert [fixed.stamp_of(fd) is None for fd in fds] == [True, free]
    assert [os.fstat(fd).st_size for fd in fds] == [4, 2 + 10**6]
    assert [fixed.content_of(fd) is None for fd in fds] == [False, not free]
    assert not any(os.fstat(fd).st_nlink for fd in fds)
    for fd in fds:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(fd, b"x")
        os.close(fd)


def test_messages_may_come_in_pieces():
    inbox, theirs = joined()
    os.write(theirs, b'{"x": 1}\n{"x"')
    assert inbox.read() == [{"x": 1, "descriptors": []}]
    os.write(theirs, b": 2")
    assert inbox.read() == []
    os.write(theirs, b"}\n")
    assert inbox.read() == [{"x": 2, "descriptors": []}]
    os.close(theirs)
    assert inbox.read() is None
    inbox.close()


def joined():
    """An inbox, and the other end."""
    ours, theirs = socket.socketpair()
    return Inbox(ours.detach()), theirs.detach()


def test_an_outbox_does_not_wait_for_the_reader():
    inbox, theirs = joined()
    outbox = Outbox(theirs)
    sent = [{"x": "y" * 5000, "n": n} for n in range(200)]
    for message in sent:
        outbox.send(message, [sealed(b"%d" % message["n"]) for _ in range(message["n"] % 3)])
    assert outbox  # a socket holds less than 300 KiB
    got = []
    while len(got) < len(sent):
        got += inbox.read()
        outbox.flush()
    for n, message in enumerate(got):
        descriptors = message.pop("descriptors")
        assert [os.pread(fd, 10, 0) for fd in descriptors] == [b"%d" % n] * (n % 3)
        close_all(descriptors)
    assert got == sent
    assert not outbox
    inbox.close()
    with pytest.raises(BrokenPipeError):
        outbox.send({})
    os.close(theirs)


def started_tickets(number):
    """Tickets of that many jobs, which run."""
    tickets = Tickets()
    numbers = [tickets.new() for _ in range(number)]
    assert tickets.take() == []
    for ticket in numbers:
        tickets.add(ticket, b"%d" % ticket)
    assert tickets.due() == [(ticket, b"%d" % ticket) for ticket in numbers]
    assert tickets.take() is None
    for ticket in numbers:
        tickets.start(ticket)
    assert tickets.due() == []
    return tickets, *numbers


def test_a_job_that_was_killed_runs_again_once_with_no_other_beside_it():
    tickets, first, second, third = started_tickets(3)
    assert tickets.withdraw(third)
    assert not tickets.repeat(third)
    assert tickets.repeat(first)
    assert tickets.due() == []
    tickets.settle(second, Outcome(Ending.OK))
    assert tickets.due() == [(first, b"%d" % first)]
    tickets.start(first)
    assert not tickets.repeat(first)


def test_tickets_that_were_withdrawn_are_forgotten():
    outcome = Outcome(Ending.OK)
    tickets, first, second, third = started_tickets(3)
    assert tickets.take() is None
    assert tickets.withdraw(third)
    tickets.settle(third, outcome)
    assert tickets.take() is None
    tickets.settle(second, outcome)
    assert tickets.take() == [(second, outcome)]
    assert tickets.take() is None
    tickets.settle(first, outcome)
    assert tickets.take() == [(first, outcome)]
    assert tickets.take() == []
    assert not tickets.withdraw(third)


def test_jobs_that_were_lost_run_again_alone_and_end_when_they_are_lost_again():
    outcome = Outcome(Ending.CRASH)
    tickets, first, second = started_tickets(2)
    tickets.lose(outcome)
    third = tickets.new()
    tickets.add(third, b"3")
    assert tickets.take() is None
    assert tickets.due() == [(first, b"1")]
    tickets.start(first)
    assert tickets.due() == []  # it runs alone
    tickets.lose(outcome)
    assert tickets.take() == [(first, outcome)]
    assert tickets.due() == [(second, b"2")]
    tickets.start(second)
    tickets.settle(second, outcome)
    assert tickets.due() == [(third, b"3")]


def test_jobs_that_were_sent_to_a_fork_server_that_was_never_ready_are_not_lost():
    tickets, first, second = started_tickets(2)
    tickets.recall()
    assert [ticket for ticket, _ in tickets.due()] == [first, second]
    assert not tickets.withdraw(first)  # it does not run
    assert [ticket for ticket, _ in tickets.due()] == [second]


def test_one_sample_over_the_budget_is_not_believed():
    """While processes start and end, what they share is counted more than once."""
    meter = limits.Meter(2**20)
    grown = mmap.mmap(-1, 64 * 2**20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    grown.write(b"x" * len(grown))  # fresh pages: a bytearray may get what the heap has left
    me = [os.getpid()]
    assert [meter.over(me) for _ in range(metering.AGREEING - 1)] == [False, False]
    assert meter.peak <= meter.budget
    assert not meter.over([])
    assert [meter.over(me) for _ in range(metering.AGREEING)] == [False, False, True]
    assert meter.peak >= len(grown) / 2


def test_a_process_that_ended_holds_nothing():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # a zombie still has a number
    meter = limits.Meter(1)

    assert not meter.over([pid])
    assert meter.peak == 0
    os.waitpid(pid, 0)
    assert limits.status(pid) == {"RssAnon": 0, "RssShmem": 0, "VmData": 0}
    assert proc.children(pid) == set()


@pytest.mark.parametrize("lists", [True, False])
def test_descendants_are_found_with_and_without_the_help_of_the_kernel(monkeypatch, lists):
    if lists and not proc.kernel_lists():
        pytest.skip("this kernel does not list children")
    monkeypatch.setattr(proc, "kernel_lists", lambda: lists)
    with supervising(preload=()) as supervisor:
        assert asking.outcome_of(supervisor, job("echo")).ending == "ok"
        processes = {process.pid for process in below(supervisor.token)}
        (server,) = processes & proc.children(os.getpid())

        assert processes == {server} | proc.descendants(server)
        assert processes == proc.marked(supervisor.token)


def test_a_folder_is_removed_whatever_rights_it_has(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    folder = tmp_path / "job"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").touch()
    (folder / "a" / "link").symlink_to(outside)
    for locked in (folder / "a" / "b", folder / "a", folder):
        locked.chmod(0)
    scratch.remove(folder)

    assert not folder.exists()
    assert outside.stat().st_mode & 0o777 == 0o500
    scratch.remove(folder)  # again
