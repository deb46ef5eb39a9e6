"""What was understood of a source, and arrays as the bytes of one file."""

import time
from zipfile import ZipFile

import numpy as np
import pytest

from aucbench.data.packed import pack_arrays


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
