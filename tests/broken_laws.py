"""Plugins that are wrong on purpose are found by the law about their mistake."""

from dataclasses import dataclass, replace
from itertools import count

from aucbench.data import Labels
from aucbench.objectives import PairwiseSquare
from aucbench.testing import LAWS, Verdict
from aucbench.testing.laws import found
from aucbench.testing.samples import SMALL, extended


def verdict(kind, thing, name, at=SMALL):
    """What the law of this name finds."""
    [law] = [law for law in LAWS[kind] if law.name == name]
    with extended(at):
        return found(law, thing, "wrong", {})


def assert_found(kind, thing, name, told, wanted=Verdict.BROKEN):
    """The law of this name is broken, and says so."""
    finding = verdict(kind, thing, name)
    assert finding.verdict is wanted, finding
    assert told in finding.reason


def with_lambda(self):
    object.__setattr__(self, "rule", lambda x: x)


def maker(module):
    """Return a function that makes a dataclass with other members than its base.

    A pickle finds the class in the module with these globals.
    """
    numbers = count()

    def made(base, members, **options):
        name = f"Made{next(numbers)}"
        own = {"__module__": module["__name__"], "__qualname__": name} | members
        cls = dataclass(**{"frozen": True, **options})(type(name, (base,), own))
        module[name] = cls
        return cls

    return made


class Weightless(PairwiseSquare):
    """The pairwise square, which takes weights and ignores them."""

    def __post_init__(self):
        if self.data.weights is not None:
            without = replace(self.data, target=Labels.of(self.data.y, None, None, None))
            object.__setattr__(self, "data", without)
