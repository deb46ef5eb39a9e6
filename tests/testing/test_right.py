"""Plugins in a file, as authors outside write them, break no law; the wrong ones are found by
`tests/conformance`.
"""

from pathlib import Path

import pytest

from aucbench.bench.lawful import check_targets
from aucbench.testing.asking import asked
from aucbench.testing.subjects import named

RIGHT = ["OwnTree", "Huber", "Simplex", "Roots", "somers", "moons"]


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)


def broken(findings):
    return {f.law: f.reason for f in findings if f.verdict.value == "BROKEN"}


@pytest.mark.parametrize("name", RIGHT)
def test_no_law_is_broken_without_a_fault(name):
    findings = [take() for one in named(f"right.py:{name}") for _, take in asked(one, {})]
    assert findings
    assert broken(findings) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("name", RIGHT)
def test_the_command_finds_nothing_without_a_fault(name):
    findings = [*check_targets([f"right.py:{name}"], (), thorough=True, timeout=120.0)]
    assert findings
    assert broken(findings) == {}
