"""The site: as `make docs` has built it, or built here."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("mkdocs.yml", "README.md", "docs", "aucbench", "plugins", "examples")


def is_new(site):
    """Whether all of the built pages are younger than everything that they are made from."""
    pages = [page.stat().st_mtime for page in site.rglob("*.html")]
    read = (path for name in SOURCES for path in [ROOT / name, *(ROOT / name).rglob("*")])
    made = max(path.stat().st_mtime for path in read if path.suffix not in (".pyc", ".so", ""))
    return bool(pages) and min(pages) > made


@pytest.fixture
def documents(monkeypatch):
    """Return a function that imports a module of docs/; all are forgotten after the test."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    before = {*sys.modules}
    yield import_module
    for name in {*sys.modules} - before:
        if name.startswith("page_"):
            del sys.modules[name]


@pytest.fixture(scope="session")
def built(tmp_path_factory, request):
    """The folder of the built site; each change looks at what `make docs` has built."""
    for needed in ("material", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(needed, reason=f"no {needed}: pip install 'aucbench[docs]'")
    if is_new(ROOT / "site"):
        return ROOT / "site"
    if "not nightly" in (request.config.getoption("-m") or ""):
        pytest.skip("site/ is older than what it is made from: make docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return folder
