"""A folder of throw-away plugins."""

import sys

import pytest
from plugin_site import Site


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.delenv("AUCBENCH_PLUGINS", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    before = {*sys.modules}
    yield Site(tmp_path)
    for name in {*sys.modules} - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
