"""Plugins are imported in a process that may end, hang, or change what others use."""

import fcntl
import warnings
from importlib import import_module

import numpy as np
import pytest
from supervise.asking import until
from toys import HEAD, HOOK, solver

from aucbench.objectives import PairwiseSquare
from aucbench.registry.import_traces import watch_import
from aucbench.registry.isolated_imports import import_plugins, within

LAST_WORDS = "without a result; its last output was: bye"
THREAD = "import threading; threading.Thread(target=threading.Event().wait).start()"
ENDINGS = {
    "healthy": (solver("healthy", "more"), "ok", ""),
    "raises": ("import no_such_module", "error", "no_such_module"),
    "leaves": ("raise SystemExit(0)", "error", "SystemExit: 0"),
    "half": (HEAD + HOOK + "return 5", "error", "returned 5"),
    "segfault": ("import ctypes; ctypes.string_at(0)", "crash", "SIGSEGV"),
    "exit0": ("import os; print('bye', flush=True); os._exit(0)", "crash", LAST_WORDS),
    "interrupts": ("raise KeyboardInterrupt", "error", "KeyboardInterrupt"),
    "atexit": ("import atexit, os; atexit.register(os._exit, 3)" + solver("atexit"), "ok", ""),
    "thread": (THREAD + solver("thread"), "ok", ""),
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
    until(lambda: is_free(lock))


def is_free(lock):
    with lock.open() as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


LIBRARY = """
import os, random, warnings
import numpy as np
os.environ["BIG_LIBRARY"] = "1"
warnings.filterwarnings("ignore", module="big_library")
np.seterr(under="raise")
random.random()
np.linalg.norm = lambda x: 0.0
"""
CHANGES = {  # what a line of a plugin changes; None: nothing that counts
    "np.seterr(all='ignore')": "np.seterr",
    "np.random.seed(0)": "numpy.random",
    "warnings.simplefilter('ignore')": "ignore Warning",
    "os.environ['OMP_NUM_THREADS'] = '7'": "OMP_NUM_THREADS",
    "np.dot = lambda a, b: 0.0": "numpy.dot",
    "PairwiseSquare.value = lambda self, w: 0.0": "PairwiseSquare.value",
    "import big_library": None,
    "with np.errstate(all='ignore'): import big_library": None,
}


@pytest.mark.parametrize("line", CHANGES)
def test_what_an_import_changes_is_found_and_what_its_libraries_change_is_not(
    site, monkeypatch, line
):
    imports = "import os, warnings\nfrom aucbench.objectives import PairwiseSquare\n"
    site.module("big_library", LIBRARY)
    site.module("watched", f"import numpy as np\n{imports}{line}\n")
    for owner, name in ((np, "dot"), (np.linalg, "norm"), (PairwiseSquare, "value")):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # so that it is restored
    for name in ("BIG_LIBRARY", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    state = np.random.get_state()  # noqa: NPY002 - plugins use it
    with warnings.catch_warnings(), np.errstate(), watch_import({"watched"}) as changes:
        import_module("watched")
    np.random.set_state(state)  # noqa: NPY002
    assert len(changes) == (CHANGES[line] is not None)
    assert all(CHANGES[line] in change for change in changes)


def test_a_plugin_whose_import_changes_others_is_broken_where_this_is_asked(site):
    site.add("foo", foo=f"import numpy\nnumpy.dot = None or len\n{solver('foo')}")
    for watched in (True, False):
        [one] = import_plugins(["foo:foo"], watched=watched).values()
        assert ("numpy.dot" in (one.failure or "")) == watched
