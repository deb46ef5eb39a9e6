"""Plugins are imported in a process that may end, hang, or change what others use."""

import fcntl
import subprocess
import sys
import warnings
from importlib import import_module
from time import sleep

import numpy as np
import pytest
from toys import HEAD, HOOK, solver

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
    assert eventually(lambda: is_free(lock))


def test_a_plugin_dies_with_its_parent(site):
    lock = site.path / "lock"
    lock.touch()
    site.add("foo", foo=HOLDER.replace("sys.argv[1]", repr(str(lock))))
    visit = f"import sys; sys.path.insert(0, {str(site.path)!r})\n"
    visit += "from aucbench.registry.isolated_imports import import_plugins as go; go(['foo'])"
    with subprocess.Popen([sys.executable, "-c", visit]) as process:
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


LIBRARY = """
import os, random, warnings
import numpy as np
os.environ["BIG_LIBRARY"] = "1"
warnings.filterwarnings("ignore", module="big_library")
np.seterr(under="raise")
random.random()
np.linalg.norm = lambda x: 0.0
"""
CHANGES = {
    "np.seterr(all='ignore')": "np.seterr",
    "np.random.seed(0)": "numpy.random",
    "warnings.simplefilter('ignore')": "ignore Warning",
    "os.environ['OMP_NUM_THREADS'] = '7'": "OMP_NUM_THREADS",
    "np.float = float": "numpy.float",
    "np.dot = lambda a, b: 0.0": "numpy.dot",
    "sklearn.base.clone = None or (lambda x: x)": "sklearn.base.clone",
    "PairwiseSquare.value = lambda self, w: 0.0": "PairwiseSquare.value",
}
FINE = [
    "with warnings.catch_warnings(), np.errstate(all='ignore'):\n"
    "    warnings.simplefilter('ignore')\n    import big_library, scipy.signal",
    "import aucbench.models, aucbench.report.comparison",
]


@pytest.fixture
def sources(site):
    """sources(lines): make a module for each line, and return their names."""
    head = f"{HEAD}\nimport os, sys, warnings\nimport numpy as np\nimport sklearn.base\n"
    head += "from aucbench.objectives import PairwiseSquare\n"
    site.module("big_library", LIBRARY)

    def make(lines):
        for number, line in enumerate(lines):
            site.module(f"module_{number}", f"{head}{line}\n")
        return [f"module_{number}" for number in range(len(lines))]

    return make


def test_what_an_import_changes_is_found_and_what_its_libraries_change_is_not(sources, monkeypatch):
    monkeypatch.setattr(np, "dot", np.dot)  # so that both are restored
    monkeypatch.setattr(np.linalg, "norm", np.linalg.norm)
    monkeypatch.setenv("BIG_LIBRARY", "0")
    assign = "np.dot = lambda a, b: 0.0"
    found = []
    with warnings.catch_warnings(), np.errstate():
        for name in sources(["import big_library", assign]):
            with watch_import({name}) as changes:
                import_module(name)
            found.append(changes)

    assert found[0] == []
    assert CHANGES[assign] in found[1][0]


@pytest.mark.nightly
def test_every_kind_of_change_is_found(site, sources):
    names = sources([*CHANGES, *FINE])
    points = {name.replace("_", "-"): f"{name}:Dummy" for name in names}
    site.metadata("traces", "1.0", points)
    watched, plain = (import_plugins(points, watched=which) for which in (True, False))
    found = {entry.value.partition(":")[0]: one.failure for entry, one in watched.items()}

    assert {one.failure for one in plain.values()} == {None}
    for name, word in zip(names, (*CHANGES.values(), *len(FINE) * [None]), strict=True):
        assert word in found[name] if word else found[name] is None
