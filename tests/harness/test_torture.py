"""Plugins that do everything wrong, and libraries with threads of their own: the run goes on."""

import re

import pytest
from toys import TORTURE_STATUS

HANGS = ("holds-gil", "ignores-term")  # they have a short limit, and others one for a slow machine


@pytest.mark.slow
@pytest.mark.parametrize("hangs", [False, True])
def test_each_plugin_costs_its_own_cells(shell, hangs):
    names = [name for name in TORTURE_STATUS if name == "healthy" or (name in HANGS) is hangs]
    found = shell.compare(
        *("breast-cancer", ",".join(names), "kept", "--passes", 30, "--memory", 500),
        *("--timeout", 3 if hangs else 120),
        features="maxabs",
    )

    assert len(found) == 2 * len(names)
    for (solver, split), record in found.items():
        assert record.status.status == TORTURE_STATUS[solver], (solver, record.why)
        if record.ok:
            assert record.measures.auc == found["healthy", split].measures.auc, solver
        else:
            assert record.why
        if record.status.status == "timeout":
            assert re.search(r'misbehaves.py", line \d+ in misbehave\n', record.process.log)
    shell.require_nothing_left()
