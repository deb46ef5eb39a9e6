import os
import sys

import psutil
import pytest

from aucbench.bench import sources
from aucbench.processes import host


def test_cores_and_memory_are_those_that_this_process_may_use(monkeypatch):
    assert 1 <= host.cores() <= psutil.cpu_count()
    assert 0 < sources.free_memory() <= 1.2 * psutil.virtual_memory().available
    monkeypatch.setattr(host, "core_numbers", list)
    assert host.cores() == os.cpu_count()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has control groups")
def test_the_memory_that_is_free_is_that_of_the_narrowest_control_group(tmp_path, monkeypatch):
    group = tmp_path / "a" / "b"
    group.mkdir(parents=True)
    (tmp_path / "a" / "limit").write_text("1000\n")
    (tmp_path / "a" / "used").write_text("400\n")
    (group / "limit").write_text("max\n")
    (group / "used").write_text("300\n")
    (tmp_path / "groups").write_text("7:cpu:/x\n0::/a/b\n")
    monkeypatch.setattr(sources, "IN_GROUPS", {"": (tmp_path, "limit", "used")})
    monkeypatch.setattr(sources, "OWN_GROUPS", tmp_path / "groups")

    assert sources.free_memory() == 600
