"""The parts: records, what is heard, how ends are worded, the memory of a family of processes."""

import mmap
import os
import socket
from contextlib import closing

import pytest

from aucbench.errors import ParameterError
from aucbench.processes import Ending, Job, Limits, Outcome, family
from aucbench.processes.family import Family
from aucbench.processes.hearing import DAMAGED, Hearing
from aucbench.processes.records import json_object, plain

pytestmark = pytest.mark.starts("forkserver")
FAILURE = {"reason": "no", "error_type": "DataError", "refusal": True, "memory": False}
CALLS = ["", "a", "a:", ":f", "a.b", "a:f()", "a..b:f", "a:f:g", "a b:f"]
LIMITS = [{"timeout": 0}, {"memory": -1}, {"grace": -0.1}]
NO_OBJECTS = [b"", b"[1]", b"{", b'{"x": NaN}', b'{"x": 1e999}', b'{"x": %d}' % 10**400]


@pytest.mark.parametrize(
    ("made", "word"),
    [
        *((lambda call=call: Job(call, {}), "function") for call in CALLS),
        *((lambda wrong=wrong: Limits(**wrong), next(iter(wrong))) for wrong in LIMITS),
    ],
)
def test_a_job_that_makes_no_sense_is_refused(made, word):
    with pytest.raises(ParameterError, match=word):
        made()


@pytest.mark.parametrize("text", [*NO_OBJECTS, b"[" * 10**6], ids=range(7))
def test_what_is_not_an_object_of_finite_numbers_is_none(text):
    assert json_object(text) is None


def heard(*pieces):
    """What was heard when these pieces have come, one after the other, and the end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        hearing = Hearing(ours)
        for piece in pieces:
            theirs.sendall(piece)
            hearing.read()
        theirs.close()
        hearing.read()
    return hearing


def test_lines_may_come_in_pieces():
    lines = b"".join(plain({"line": {"x": x}}) for x in range(3))
    sent = lines + plain({"result": {"y": 1}, "left": False})
    for size in (1, 7, len(sent)):
        hearing = heard(*(sent[at : at + size] for at in range(0, len(sent), size)))
        assert hearing.lines == [{"x": 0}, {"x": 1}, {"x": 2}]
        assert hearing.outcome() == Outcome(Ending.OK, result={"y": 1})


def test_what_is_no_line_ends_what_is_heard():
    first, second = (plain({"line": {"x": x}}) for x in range(2))
    for text in (b'{"line": {"x"', b"\n", b"[]\n{}\n", b'{"line": 3}\n'):
        hearing = heard(first, text + second)
        assert (hearing.lines, hearing.outcome()) == ([{"x": 0}], DAMAGED)
    cut_off = heard(first, second[:-1])
    assert (cut_off.lines, cut_off.outcome()) == ([{"x": 0}], None)  # as its process has ended


def test_a_failure_is_what_it_says_and_a_damaged_one_is_none():
    told = heard(plain({"failure": FAILURE, "left": False})).outcome()
    assert told == Outcome(Ending.ERROR, "no", "DataError", refusal=True)
    for damaged in ({}, {"reason": 3}, FAILURE | {"refusal": 1}, FAILURE | {"x": 1}):
        assert heard(plain({"failure": damaged, "left": False})).outcome() is None


def test_one_sample_over_the_budget_is_not_believed():
    """While processes start and end, what they share is counted more than once."""
    with closing(mmap.mmap(-1, 64 * 2**20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)) as grown:
        grown.write(b"x" * len(grown))  # fresh pages: a bytearray may get what the heap has left
        few = Family(os.getpid(), lambda: (), 2**20)
        assert [few.is_over() for _ in range(family.AGREEING - 1)] == [False, False]
        assert few.peak <= few.budget
        assert few.is_over()
        assert few.peak >= len(grown) / 2
