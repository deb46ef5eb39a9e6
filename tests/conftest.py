"""Folders that may be absent, examples that are the same in every run, and a browser."""

import os
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Libraries read these when they are imported, so before anything else. Threads that wait for each
# other in a busy loop take minutes for seconds of work when something else needs a core. OpenMP
# keeps its threads; OpenBLAS has no such policy, and gets one thread, as in a worker.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A test that fails must fail again; `pytest --hypothesis-profile=explore` looks further.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile("steady")


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


@pytest.fixture(scope="module")
def shared_supervisors():
    """Keep open what runs cells; who asks for the same again, gets it without a second's wait.

    A supervisor hands its environment and its path to its jobs, so that both must be the same.
    """
    from aucbench.bench.engines.local import LocalEngine

    started, real = {}, LocalEngine.open

    def open_shared(engine):
        variables = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
        key = (engine.threads, *sys.path, *sorted(variables.items()))
        if key not in started:
            started[key] = stack.enter_context(real(engine))
        return nullcontext(started[key])

    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalEngine, "open", open_shared)
        yield


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of throw-away plugins, which are forgotten after the test."""
    from plugin_site import Site

    monkeypatch.delenv("AUCBENCH_PLUGINS", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    before = {*sys.modules}
    yield Site(tmp_path)
    for name in {*sys.modules} - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


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
    from report_results import Browser

    found = Browser(driver)
    found.resize(1200)
    found.emulate("light")
    return found
