import os
import platform
import subprocess
import sys
import time

import pytest

from aucbench.processes import host

psutil = pytest.importorskip("psutil")


@pytest.fixture(params=["win32", "darwin"])
def elsewhere(monkeypatch, request):
    """The name of another system, which has none of what only Linux has."""
    monkeypatch.setattr(sys, "platform", request.param)
    for name in ("sched_getaffinity", "sched_setaffinity", "sysconf"):
        monkeypatch.delattr(os, name, raising=False)
    for name in ("CPUINFO", "MEMINFO", "STAT", "TASKS"):
        monkeypatch.setattr(host, name, host.Path("/absent"))
    if request.param == "win32":
        for name in ("getloadavg", "getuid"):
            monkeypatch.delattr(os, name, raising=False)
        monkeypatch.setitem(sys.modules, "resource", None)
    return request.param


@pytest.mark.skipif(sys.platform != "linux", reason="psutil is what others ask")
def test_linux_and_psutil_say_the_same():
    assert host.cores() == len(host.core_numbers()) == len(psutil.Process().cpu_affinity())
    assert host.this_core() in range(psutil.cpu_count())
    assert host.began() == pytest.approx(psutil.Process().create_time(), abs=3)
    assert 0 < host.free_memory() <= 1.2 * psutil.virtual_memory().available


def test_children_are_those_that_have_not_ended():
    before = host.children()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert host.children() - before == {child.pid}
        child.communicate(b"\n")
    assert host.children() == before


def test_other_systems_are_asked_by_psutil(elsewhere):
    assert (host.cores(), host.core_numbers()) == (os.cpu_count(), [])
    assert host.this_core() is None
    assert host.keep_to([0]) is False
    assert host.free_memory() == pytest.approx(psutil.virtual_memory().available, rel=0.2)
    assert host.began() == psutil.Process().create_time() < time.time()
    assert host.children() == {child.pid for child in psutil.Process().children()}
    assert (host.load() is None) == (elsewhere == "win32")


def test_the_processor_has_the_name_that_its_system_gives(elsewhere, monkeypatch):
    def asked(words, **_):
        assert words == host.BRAND
        return subprocess.CompletedProcess(words, 0, "Apple M1\n")

    monkeypatch.setattr(subprocess, "run", asked)
    monkeypatch.setattr(platform, "processor", lambda: "AMD64 Family 25")

    assert host.cpu() == {"win32": "AMD64 Family 25", "darwin": "Apple M1"}[elsewhere]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has control groups")
def test_the_memory_that_is_free_is_that_of_the_narrowest_control_group(tmp_path, monkeypatch):
    group = tmp_path / "a" / "b"
    group.mkdir(parents=True)
    (tmp_path / "a" / "limit").write_text("1000\n")
    (tmp_path / "a" / "used").write_text("400\n")
    (group / "limit").write_text("max\n")
    (group / "used").write_text("300\n")
    (tmp_path / "groups").write_text("7:cpu:/x\n0::/a/b\n")
    monkeypatch.setattr(host, "IN_GROUPS", {"": (tmp_path, "limit", "used")})
    monkeypatch.setattr(host, "OWN_GROUPS", tmp_path / "groups")

    assert host.free_memory() == 600
