"""The script `.ci/release`, which has no ending, as a module."""

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def release(monkeypatch):
    """The script as a module, without running it; it leaves no compiled file in `.ci`."""
    monkeypatch.chdir(ROOT)
    path = ROOT / ".ci" / "release"
    module = ModuleType("ci_release")
    module.__file__ = str(path)
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module.__dict__)
    return module
