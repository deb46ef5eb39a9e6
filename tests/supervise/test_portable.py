"""What is about the portable supervisor only: how it is chosen, what it says, and its parts."""

from dataclasses import replace
from io import BytesIO

import pytest
from supervise.asking import job, outcome_of, supervising

from aucbench.bench.plan.fields import choices
from aucbench.bench.plan.plan import Plan
from aucbench.bench.results.record import Conditions
from aucbench.bench.show.remarks import remarks_on
from aucbench.errors import AucbenchError, ParameterError
from aucbench.processes import open_supervisor, opening
from aucbench.processes.portable.client import FENCE, PortableSupervisor
from aucbench.processes.portable.kept import FileKept
from aucbench.processes.portable.wire import packed, read
from aucbench.processes.records import Ending, Fence
from aucbench.processes.supervisor import LINUX, PORTABLE
from aucbench.report.fits import Condition


def test_the_variable_chooses_and_other_values_are_refused(monkeypatch, kind):
    assert opening.kind() == kind
    monkeypatch.delenv(opening.CHOICE)
    assert opening.kind() == LINUX
    monkeypatch.setenv(opening.CHOICE, "docker")
    with pytest.raises(ParameterError, match="'docker'; set it to linux or portable, or unset it"):
        open_supervisor()


def test_it_is_taken_where_that_of_linux_cannot_run(monkeypatch):
    monkeypatch.delenv(opening.CHOICE)
    monkeypatch.setattr(opening, "can_be_linux", lambda: False)
    assert opening.kind() == PORTABLE
    with open_supervisor() as made:
        assert isinstance(made, PortableSupervisor)
    monkeypatch.setenv(opening.CHOICE, LINUX)
    with pytest.raises(ParameterError, match="cannot run on this system"):
        open_supervisor()


def test_without_psutil_the_way_out_is_said(monkeypatch):
    monkeypatch.setenv(opening.CHOICE, PORTABLE)
    monkeypatch.setattr(opening, "find_spec", lambda name: None)
    with pytest.raises(AucbenchError, match="takes psutil: pip install psutil"):
        open_supervisor()


def test_an_outcome_says_which_supervisor_it_was_and_what_closed_nothing(kind):
    with supervising(preload=()) as made:
        outcome = outcome_of(made, replace(job("echo"), fence=Fence(("/nowhere",))))

    assert outcome.ending is Ending.OK
    assert outcome.supervisor == (None if kind == LINUX else PORTABLE)
    assert (outcome.fence == FENCE) is (kind == PORTABLE)


def test_a_fence_hides_variables(monkeypatch):
    monkeypatch.setenv("MINE", "x")
    with supervising(preload=(), hidden=("MINE",)) as made:
        names = {"names": ["MINE"]}
        assert outcome_of(made, job("tries", names)).result["environment"] == ["MINE"]
        fenced = replace(job("tries", names), fence=Fence(hidden=("MINE",)))
        assert outcome_of(made, fenced).result["environment"] == []


def test_rows_of_the_portable_supervisor_are_counted_and_their_times_stand_apart(kind):
    from bench.test_record import record

    one = replace(record(), conditions=Conditions(supervisor=PORTABLE))
    (remark,) = remarks_on(Plan(("x",), choices(["a"])), [one])

    assert "1 of 1 rows were run by the portable supervisor" in remark
    assert str(Condition.of(one)).endswith(", portable supervisor")
    assert Condition.of(one) != Condition.of(replace(one, conditions=Conditions()))


def test_messages_come_as_they_were_sent_or_not_at_all():
    sent = packed({"x": [1]}, [b"", b"ab"])
    assert read(BytesIO(sent)) == ({"x": [1]}, [b"", b"ab"])
    assert all(read(BytesIO(sent[:size])) is None for size in range(len(sent)))


def test_what_is_kept_is_mapped_and_a_change_is_seen(tmp_path):
    path = tmp_path / "kept"
    path.write_bytes(b"rows")
    kept = FileKept.at(path)

    assert bytes(kept.content()) == b"rows"
    assert not kept.is_changed()
    path.chmod(0o600)
    path.write_bytes(b"cows")
    assert kept.is_changed()
    path.unlink()
    assert kept.is_changed()
    assert (bytes(FileKept().content()), FileKept().is_changed()) == (b"", False)
