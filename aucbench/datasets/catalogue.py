"""Rules for known data sets: which classes are positive, and which columns are left out.

A set whose labels are −1/+1 or 0/1 needs no rule. Where the source papers divide the classes at
random and do not say how (SPDAM paper, section 5.2: "each group includes the same number of
classes"), the first half in numerical order is negative here. A fixed split can be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClassRule:
    """The rule for one data set.

    Attributes
    ----------
    name : str
        The name of the set.
    positive : tuple of int
        Labels that are positive; empty when the labels are -1/+1 or 0/1.
    drop : tuple of str
        Columns that are left out.
    reason : str
        Why, in one phrase that the user reads.
    """

    name: str
    positive: tuple[int, ...] = ()
    drop: tuple[str, ...] = ()
    reason: str = ""


_RULES = (
    ClassRule("accelerometer", (0,), reason="0 = standing is the rare class (571 of 31 991)"),
    ClassRule(
        "bank",
        drop=("duration",),
        reason="the length of the call is known only after its outcome (UCI's own warning)",
    ),
    ClassRule("mnist", tuple(range(5, 10)), reason="digits 5-9 against 0-4, halves of ten classes"),
    ClassRule("mushrooms", (1,), reason="1 = poisonous, the rarer class (3916 of 8124)"),
    ClassRule(
        "news20", tuple(range(11, 21)), reason="classes 11-20 against 1-10, halves of twenty"
    ),
    ClassRule("pendigits", tuple(range(5, 10)), reason="digits 5-9 against 0-4, halves of ten"),
    ClassRule("satimage", (4, 5, 7), reason="classes 4, 5, 7 against 1-3, halves of six"),
    ClassRule(
        "sector",
        tuple(range(54, 106)),
        reason="classes 54-105 against 1-53; of 105 the smaller half is positive",
    ),
    ClassRule("skin", (1,), reason="1 = skin, the rarer class (UCI: 50 859 of 245 057)"),
    ClassRule("usps", tuple(range(5, 10)), reason="digits 5-9 against 0-4, halves of ten classes"),
)

CATALOGUE = {rule.name: rule for rule in _RULES}


def rule_of(name: str) -> ClassRule:
    """Return the rule for `name`, or a rule that changes nothing."""
    return CATALOGUE.get(name, ClassRule(name))
