import fcntl
import subprocess
import sys
from time import sleep

import pytest
from plugin_site import HEAD, HOOK, solver

from aucbench.bench.doctor import check_plugins, examine_plugins
from aucbench.errors import ParameterError, UnknownNameError

ENDINGS = {
    "healthy": (solver("healthy", "more"), "ok", ""),
    "raises": ("import no_such_module", "error", "No module named 'no_such_module'"),
    "leaves": ("raise SystemExit(0)", "error", "SystemExit: 0"),
    "half": (HEAD + HOOK + "return 5", "error", "returned 5, wanted a mapping"),
    "segfault": ("import ctypes; ctypes.string_at(0)", "crash", "killed by SIGSEGV"),
    "exit0": (
        "import os, sys; print('bye', flush=True); os._exit(0)",
        "crash",
        "ended with code 0 and without a result; its last output was: bye",
    ),
    "last-words": (
        "import ctypes; print('bye', flush=True); ctypes.string_at(0)",
        "crash",
        "without a result; its last output was: bye",
    ),
    "interrupts": ("raise KeyboardInterrupt", "error", "KeyboardInterrupt: "),
    "atexit": ("import atexit, os; atexit.register(os._exit, 3)" + solver("atexit"), "ok", ""),
    "thread": (
        "import threading; threading.Thread(target=threading.Event().wait).start()"
        + solver("thread"),
        "ok",
        "",
    ),
    "chatty": ("print('[0, [], null]')" + solver("chatty"), "ok", ""),
}


HANGING = {
    "hang": "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
    "endless": "while True: print('x' * 10000)",
}
HOLDER = """
import fcntl, sys, time
held = open(sys.argv[1], "w")
fcntl.flock(held, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


def test_the_doctor_survives_every_ending(site):
    sources = {name.replace("-", "_"): source for name, (source, *_) in ENDINGS.items()}
    site.add("ward", "1.2", **sources)
    checkups = {c.plugin: c for c in check_plugins(ENDINGS, jobs=4)}
    assert {name: c.laws for name, c in checkups.items()} == {
        name: status for name, (_, status, _) in ENDINGS.items()
    }
    for name, checkup in checkups.items():
        assert ENDINGS[name][2] in checkup.reason
        assert bool(checkup.reason) == checkup.failed == (checkup.laws != "ok")
    assert checkups["healthy"].names == (("solvers", "healthy", ()),)
    assert checkups["chatty"].names == (("solvers", "chatty", ()),)
    assert {(c.distribution, c.version) for c in checkups.values()} == {("ward", "1.2")}
    assert all(c.seconds > 0 for c in checkups.values())


BALLS = """
from dataclasses import dataclass
from aucbench.hookspecs import hookimpl
from aucbench.projectors import L2Ball

@dataclass(frozen=True)
class Ball(L2Ball):
    R: float = 2.0

@dataclass(frozen=True)
class Sphere(Ball):
    def contains(self, w):
        return True

@dataclass(frozen=True)
class Endless(Ball):
    def contains(self, w):
        while True:
            pass

@hookimpl
def aucbench_projectors():
    return {names}
"""


def balls(**names):
    listed = ", ".join(f"{name!r}: {made}" for name, made in names.items())
    return BALLS.replace("{names}", f"{{{listed}}}")


def test_the_laws_are_checked_of_all_that_a_plugin_registers(site):
    named = balls(fine="Ball", sphere="Sphere", given="L2Ball", any_R="lambda R: Ball(R)")
    site.add("ward", "1.2", named=named, raises="import no_such_module")
    found = {(e.plugin, e.subject): e for e in examine_plugins()}

    assert [*found] == [
        *((name, f"projector {name}") for name in ("any_R", "fine", "given")),
        ("raises", "import"),
        ("sphere", "projector sphere"),
    ]
    any_R, fine, given, raises, sphere = found.values()
    assert (fine.laws, fine.failed, fine.reason) == ("9 hold", False, "")
    assert (fine.distribution, fine.version) == ("ward", "1.2")
    assert sphere.failed
    assert sphere.laws == "7 hold, 2 broken"
    assert "the numbers differ" in sphere.reason
    assert not given.failed
    assert (any_R.laws, any_R.failed) == ("not checked", False)
    assert any_R.reason == "it needs values: aucbench check 'ward:any_R[R=...]'"
    assert (raises.laws, raises.failed) == ("error", True)
    assert "no_such_module" in raises.reason


HEARS = """from aucbench.hookspecs import hookimpl

@hookimpl
def aucbench_cell_finished(record):
    f"{record.measures.auc:.3f}"
"""


def test_a_listener_is_held_to_the_laws(site):
    site.add("ward", loud_listener=HEARS)
    [found] = examine_plugins()

    assert (found.plugin, found.subject) == ("loud-listener", "listener loud-listener")
    assert found.failed
    assert "hears-events: TypeError: unsupported format string" in found.reason
    assert "loud_listener.py:5" in found.reason


def test_only_what_is_named_is_examined_and_each_process_has_its_time(site):
    site.add("ward", slow=balls(slow="Endless"), other=balls(other="Ball"))
    [found] = examine_plugins(["ward:slow"], timeout=1.0)

    assert found.failed
    assert "did not end within 1 s" in found.reason
    with pytest.raises(UnknownNameError, match="did you mean 'slow'"):
        examine_plugins(["slo"])


def test_a_plugin_that_does_not_end_is_killed(site):
    site.add("ward", **{name: source + solver(name) for name, source in HANGING.items()})
    for checkup in check_plugins(HANGING, limit=2.0):
        assert checkup.laws == "timeout"
        assert checkup.reason.startswith("did not end within 2 s")
        assert checkup.seconds > 2


def test_what_a_plugin_leaves_behind_is_killed(site):
    lock = site.path / "lock"
    command = f"[sys.executable, '-c', {HOLDER!r}, {str(lock)!r}]"
    start = f"import subprocess, sys\nsubprocess.Popen({command}, stdout=-1).stdout.readline()\n"
    site.add("foo", foo=start + solver("foo"))
    assert [c.laws for c in check_plugins(["foo:foo"])] == ["ok"]
    assert eventually(lambda: is_free(lock))


def test_a_plugin_dies_with_the_doctor(site):
    lock = site.path / "lock"
    lock.touch()
    site.add("foo", foo=HOLDER.replace("sys.argv[1]", repr(str(lock))))
    path = f"import sys; sys.path.insert(0, {str(site.path)!r})"
    visit = f"{path}; from aucbench.bench import doctor; "
    with subprocess.Popen(
        [sys.executable, "-c", f"{visit}doctor.check_plugins(['foo'])"]
    ) as process:
        held = eventually(lambda: not is_free(lock))
        process.kill()
    assert held
    assert eventually(lambda: is_free(lock))


def eventually(condition):
    """Whether it comes true within ten seconds."""
    for _ in range(1000):
        if condition():
            return True
        sleep(0.01)
    return False


def is_free(lock):
    with lock.open() as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_built_ins_are_well():
    assert [(c.plugin, c.laws) for c in check_plugins(["logistic", "objectives"], jobs=2)] == [
        ("logistic", "ok"),
        ("objectives", "ok"),
    ]


def test_switched_off_plugins_are_not_imported(site, monkeypatch):
    site.add("foo", foo=f"open({str(site.path / 'imported')!r}, 'w').close()")
    monkeypatch.setenv("AUCBENCH_PLUGINS", "")
    with pytest.raises(UnknownNameError, match="unknown plugin 'foo'"):
        check_plugins(["foo"])
    assert not (site.path / "imported").exists()


def test_limits_are_checked_and_without_third_parties_nothing_is_examined(site):
    assert examine_plugins() == ()
    with pytest.raises(ParameterError, match="limit must be greater than 0"):
        check_plugins([], limit=0)
    with pytest.raises(ParameterError, match="jobs must be at least 1"):
        check_plugins([], jobs=0)
