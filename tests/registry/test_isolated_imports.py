import fcntl
import subprocess
import sys
from time import sleep

from toys import HEAD, HOOK, solver

from aucbench.registry.isolated_imports import import_plugins, within

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


def test_every_ending_is_reported(site):
    sources = {name.replace("-", "_"): source for name, (source, *_) in ENDINGS.items()}
    site.add("ward", "1.2", **sources)
    found = import_plugins(ENDINGS)
    imports = {entry.name: one for entry, one in found.items()}
    assert {name: c.ending for name, c in imports.items()} == {
        name: status for name, (_, status, _) in ENDINGS.items()
    }
    for name, one in imports.items():
        assert ENDINGS[name][2] in (one.failure or "")
        assert bool(one.failure) == (one.ending != "ok")
    assert {(entry.distribution, entry.version) for entry in found} == {("ward", "1.2")}
    assert all(c.seconds > 0 for c in imports.values())


def test_a_plugin_that_does_not_end_is_killed(site):
    site.add("ward", **{name: source + solver(name) for name, source in HANGING.items()})
    with within(2.0):
        imports = import_plugins(HANGING)
    for one in imports.values():
        assert one.ending == "timeout"
        assert one.failure.startswith("did not end within 2 s")
        assert one.seconds > 2


def test_what_a_plugin_leaves_behind_is_killed(site):
    lock = site.path / "lock"
    command = f"[sys.executable, '-c', {HOLDER!r}, {str(lock)!r}]"
    start = f"import subprocess, sys\nsubprocess.Popen({command}, stdout=-1).stdout.readline()\n"
    site.add("foo", foo=start + solver("foo"))
    assert [c.ending for c in import_plugins(["foo:foo"]).values()] == ["ok"]
    assert eventually(lambda: is_free(lock))


def test_a_plugin_dies_with_its_parent(site):
    lock = site.path / "lock"
    lock.touch()
    site.add("foo", foo=HOLDER.replace("sys.argv[1]", repr(str(lock))))
    path = f"import sys; sys.path.insert(0, {str(site.path)!r})"
    visit = f"{path}; from aucbench.registry import isolated_imports; "
    with subprocess.Popen(
        [sys.executable, "-c", f"{visit}isolated_imports.import_plugins(['foo'])"]
    ) as process:
        held = eventually(lambda: not is_free(lock))
        process.kill()
    assert held
    assert eventually(lambda: is_free(lock))


def eventually(condition):
    """Whether it comes true within a minute."""
    for _ in range(6000):
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


def test_without_third_parties_nothing_is_imported(site):
    assert import_plugins() == {}
