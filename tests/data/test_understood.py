"""What was understood of a source, and arrays as the bytes of one file."""

import time
from zipfile import ZipFile

import numpy as np
import pytest

from aucbench.data.packed import pack_arrays
from aucbench.data.understood import Remark, Understood


def test_a_kind_of_warning_has_one_line():
    constants = (
        Remark(f"column 'c{i}' is constant", "constant", f"c{i}", "constant") for i in range(1578)
    )
    leak = Remark("column 'paid' tells the label", "leak", "paid", "AUC .99")
    understood = Understood(remarks=(*constants, leak, Remark("rows occur twice")))
    assert [*understood.lines()] == [
        "warning: column 'paid' tells the label",
        "warning: 1578 columns are suspicious: constant: 'c0', 'c1', 'c2' and 1575 more",
        "warning: rows occur twice",
    ]
    assert len(understood.warnings) == 1580


def test_columns_that_are_left_out_are_listed_up_to_a_number():
    understood = Understood(dropped={f"c{i}": "has no value" for i in range(20)})
    [line], [whole] = understood.lines(), understood.facts()
    assert line.endswith("c8 (has no value) and 11 more")
    assert whole.endswith("c19 (has no value)")


def test_a_signal_inside_of_a_member_is_what_the_caller_sees(monkeypatch):
    def interrupted(archive, *_, **__):
        archive._writing = True  # as between the begin and the end of a member
        raise KeyboardInterrupt

    monkeypatch.setattr(ZipFile, "writestr", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pack_arrays({"a": np.arange(3)})


def test_a_file_is_the_same_at_any_time_by_the_clock(monkeypatch):
    """A zip has no times before 1980."""
    now = pack_arrays({"a": np.arange(3)})
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert pack_arrays({"a": np.arange(3)}) == now
