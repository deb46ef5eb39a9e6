"""A plugin that is wrong on purpose is found by the law about its mistake."""

from aucbench.testing import LAWS, Verdict
from aucbench.testing.laws import found


def assert_found(kind, thing, name, told):
    """The law of this name is broken, and says so."""
    [law] = [law for law in LAWS[kind] if law.name == name]
    finding = found(law, thing, "wrong", {})
    assert finding.verdict is Verdict.BROKEN, finding
    assert told in finding.reason
