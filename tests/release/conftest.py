"""The scripts of .ci, which have no ending, as modules."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from sys import modules

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name):
    """Return a script of .ci as a module, without running it."""
    loader = SourceFileLoader(f"ci_{name.replace('-', '_')}", str(ROOT / ".ci" / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    modules[loader.name] = module  # dataclasses look there
    loader.exec_module(module)
    return module


@pytest.fixture
def release(monkeypatch):
    monkeypatch.chdir(ROOT)
    return script("release")


@pytest.fixture(scope="session")
def dry_run():
    return script("dry-run")
