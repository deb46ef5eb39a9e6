"""Folders that may be absent, examples that are the same in every run, and a browser."""

import os
import sys
from collections import deque
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import perf_counter

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "tests" / "kernels"
OPEN = 6  # supervisors that a process of tests keeps open

# Libraries read these when they are imported, so before anything else. Threads that wait for each
# other in a busy loop take minutes for seconds of work when something else needs a core. OpenMP
# keeps its threads; OpenBLAS has no such policy, and gets one thread, as in a worker.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A test that fails must fail again; each night has more examples than each change, and
# `pytest --hypothesis-profile=explore` looks further.
settings.register_profile("steady", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("nightly", max_examples=100, derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile("steady")


def pytest_addoption(parser):
    parser.addoption(
        "--longest",
        type=float,
        metavar="SECONDS",
        help="fail tests that work longer than this, but those marked slow or nightly",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test that is too long for each change and has no mark that says so.

    Work is the time of this process and of the children that have ended, or the time that passed
    where that is less: threads work side by side. Times of one test differ, so it fails when it has
    worked half as long again. A test that waits works little; it may take three times as long, and
    longer where processes wait for a core.
    """
    longest = item.config.getoption("longest")
    if longest is None or any(map(item.get_closest_marker, ("slow", "nightly"))):
        return (yield)
    passed, worked = perf_counter(), sum(os.times()[:4])
    result = yield
    passed, worked = perf_counter() - passed, sum(os.times()[:4]) - worked
    crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    if min(passed, worked) > 1.5 * longest or passed > 3 * longest * crowd:
        pytest.fail(
            f"the test worked for {worked:.1f} s in {passed:.1f} s, but may take {longest:g} s;"
            " make it faster, or mark it: nightly if a quicker one asks much the same, else slow",
            pytrace=False,
        )
    return result


def pytest_collection_modifyitems(items):
    """Each change runs the tests of the kernels on the debug build."""
    for item in items:
        if KERNELS in item.path.parents and not item.get_closest_marker("plain"):
            item.add_marker("debug")


def folder(path: Path, what: str) -> Path:
    """Return the folder, or skip the test that asked for it."""
    if not path.is_dir():
        pytest.skip(f"no {what}: {path} is absent")
    return path


@pytest.fixture(scope="session", autouse=True)
def own_cache():
    """A cache for the tests: they neither read nor fill that of the user."""
    with (
        TemporaryDirectory(prefix="aucbench-cache-") as cache,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("AUCBENCH_CACHE", cache)
        yield


@pytest.fixture(scope="session")
def reference() -> Path:
    """Numbers recorded with other people's implementations."""
    return folder(ROOT.parent / "shared" / "reference", "reference outputs")


@pytest.fixture(scope="session")
def papers() -> Path:
    """Texts of the papers that are repeated."""
    return folder(ROOT.parent / "shared" / "papers", "texts of papers")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Real data sets: AUCBENCH_DATA, or shared/data next to the repository."""
    given = os.environ.get("AUCBENCH_DATA")
    return folder(Path(given) if given else ROOT.parent / "shared" / "data", "data sets")


@pytest.fixture(scope="session")
def supervisors_of_a_session():
    """The supervisors that were used last and are free, each with what it hands to its jobs."""
    kept = deque()
    yield kept
    for _, supervisor in kept:
        supervisor.close()


@pytest.fixture(scope="module", autouse=True)
def shared_supervisors(request, supervisors_of_a_session):
    """Keep open what runs jobs; who asks for the same again, gets it without a second's wait.

    A supervisor hands its environment and its path to its jobs, so that both must be the same.
    The tests of processes have their own.
    """
    if request.path.parent.name in ("engines", "harness", "supervise"):
        yield
        return
    from aucbench.bench.engines.local import LocalEngine
    from aucbench.processes import Supervisor, isolated

    kept, start = supervisors_of_a_session, isolated.Process.__init__
    of_cells = LocalEngine.open

    @contextmanager
    def shared(opening, *options):
        variables = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
        path = () if "registry.describing" in str(options) else sys.path  # which is told its path
        key = (*options, *path, *sorted(variables.items()))
        known = next((pair for pair in kept if pair[0] == key), None)
        if known is not None:
            kept.remove(known)
        mine = known or (key, opening())
        try:
            yield mine[1]
        finally:
            kept.append(mine)
            if len(kept) > OPEN:
                kept.popleft()[1].close()

    def start_shared(process, opening=Supervisor):
        is_plain = getattr(opening, "func", opening) is Supervisor
        start(process, partial(shared, opening, repr(opening)) if is_plain else opening)

    def open_shared(engine, further=()):
        return shared(partial(of_cells, engine, further), engine.threads, *further)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalEngine, "open", open_shared)
        patch.setattr(isolated.Process, "__init__", start_shared)
        yield


@pytest.fixture(scope="module")
def in_process(shared_supervisors):
    """Cells run in the process of the tests of a file, which ask nothing of processes."""
    from toys import cells_in_process

    with cells_in_process():
        yield


@pytest.fixture(scope="session")
def saved_models(tmp_path_factory):
    """A function from a kind of `saved_models.KINDS` to a model that is fitted and saved."""
    from saved_models import models_in

    return models_in(tmp_path_factory.mktemp("models"))


@pytest.fixture
def site(tmp_path):
    """A folder of throw-away plugins, which are forgotten after the test."""
    from toys import on_the_path

    with on_the_path(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory):
    """Such a folder for all tests of a file: what its plugins register is found out once."""
    from toys import on_the_path

    with on_the_path(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture(scope="session")
def driver():
    """Chromium without a window, which keeps what its console and its network say."""
    selenium = pytest.importorskip("selenium", reason="selenium is not installed")
    names = [which(name) for name in ("chromium", "chromedriver")]
    if None in names:
        pytest.skip("no browser: install chromium and chromium-driver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    assert selenium
    options = webdriver.ChromeOptions()
    options.binary_location = names[0]
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(names[1]))
    yield browser
    browser.quit()


@pytest.fixture
def browser(driver):
    """A window of 1200 pixels, in the light mode."""
    from screens import Browser

    found = Browser(driver)
    found.resize(1200)
    found.emulate("light")
    return found
