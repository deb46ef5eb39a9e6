"""Arrays as the bytes of one file."""

from zipfile import ZipFile

import numpy as np
import pytest

from aucbench.data.packed import pack_arrays


def test_a_signal_inside_of_a_member_is_what_the_caller_sees(monkeypatch):
    def interrupted(archive, name, content):
        archive._writing = True  # as between the begin and the end of a member
        raise KeyboardInterrupt

    monkeypatch.setattr(ZipFile, "writestr", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pack_arrays({"a": np.arange(3)})
