"""The scripts of .ci, which have no ending, as modules."""

from pathlib import Path
from sys import modules
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name):
    """Return a script of .ci as a module, without running it; it leaves no compiled file there."""
    path = ROOT / ".ci" / name
    module = ModuleType(f"ci_{name.replace('-', '_')}")
    module.__file__ = str(path)
    modules[module.__name__] = module  # dataclasses look there
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module.__dict__)
    return module


@pytest.fixture
def release(monkeypatch):
    monkeypatch.chdir(ROOT)
    return script("release")


@pytest.fixture(scope="session")
def dry_run():
    return script("dry-run")
