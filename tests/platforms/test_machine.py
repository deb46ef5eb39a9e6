import os
import platform
import sys
from types import SimpleNamespace

import psutil
import pytest

from aucbench.bench import sources
from aucbench.bench.worker import machine
from aucbench.processes import host


@pytest.fixture(params=["win32", "darwin"])
def elsewhere(monkeypatch, request):
    """The name of another system, which has none of what only Linux has."""
    machine._machine.cache_clear()
    monkeypatch.setattr(sys, "platform", request.param)
    monkeypatch.setattr(machine, "CPUINFO", machine.Path("/absent"))
    if request.param == "win32":
        monkeypatch.setattr(machine, "os", SimpleNamespace(environ=os.environ))  # no load
    else:
        monkeypatch.delattr(psutil.Process, "cpu_affinity", raising=False)
    yield request.param
    machine._machine.cache_clear()


def test_cores_and_memory_are_those_that_this_process_may_use(monkeypatch):
    assert 1 <= host.cores() <= psutil.cpu_count()
    assert 0 < sources.free_memory() <= 1.2 * psutil.virtual_memory().available
    monkeypatch.setattr(host, "core_numbers", list)
    assert host.cores() == os.cpu_count()


def test_other_systems_say_what_they_know(elsewhere, monkeypatch):
    monkeypatch.setattr(platform, "processor", lambda: "AMD64 Family 25")
    monkeypatch.setenv(machine.THREADS, "1")
    is_macos, here = elsewhere == "darwin", machine.here()

    assert (here["cpu"], here["threads"]) == ("AMD64 Family 25", 1)
    assert (here["load"] is not None) == is_macos
    assert (host.core_numbers() == []) == is_macos
    if is_macos:
        assert machine.pin() is None


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
