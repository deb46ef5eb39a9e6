"""Each wrong plugin breaks the law that is named for it, and no right one breaks any."""

import pytest
from testing.faults import FAULTS, HERE, RIGHT, checked

from aucbench.testing.asking import asked
from aucbench.testing.subjects import named

QUICK = [pytest.param(each, id=each.name) for each in FAULTS if each.law != "import"]
FEW = ("Stream", "FrankWolfe", "OwnTree", "Huber", "Simplex", "Roots", "somers", "moons")
SOME = [target for target in RIGHT if target.partition(":")[2] in FEW]  # nightly asks all


def _broken(target, laws=()):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HERE)
        found = [take() for one in named(target) for _, take in asked(one, {}, laws)]
    assert found
    return {each.law: each.reason for each in found if each.verdict.value == "BROKEN"}


@pytest.mark.parametrize("fault", QUICK)
def test_the_law_of_a_fault_finds_it(fault):
    assert _broken(fault.target, (fault.law,))


@pytest.mark.parametrize("target", SOME, ids=lambda each: each.partition(":")[2])
def test_no_law_is_broken_without_a_fault(target):
    assert _broken(target) == {}


@pytest.mark.nightly
def test_the_command_finds_the_faults():
    found = {each.name: bool(checked(each.target, thorough=True).broken) for each in FAULTS}
    assert sum(found.values()) >= 57, [name for name, yes in found.items() if not yes]


@pytest.mark.nightly
@pytest.mark.parametrize("target", RIGHT, ids=lambda each: each.partition(":")[2])
def test_the_command_finds_nothing_without_a_fault(target):
    assert checked(target, thorough=True).broken == {}
