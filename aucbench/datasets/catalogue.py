"""How a set with several or oddly coded classes becomes binary, and what must be left out.

A set whose labels are −1/+1 or 0/1 needs no entry. Classes are halved in numerical order
where the source papers halve them at random without saying how (SPDAM paper, section 5.2:
"each group includes the same number of classes"): a fixed split can be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """What to do with the set `name`, and where that comes from."""

    name: str
    positive: tuple[int, ...] = ()  # labels that count as positive; () when -1/+1 or 0/1
    drop: tuple[str, ...] = ()  # columns left out
    reason: str = ""


_ENTRIES = (
    Entry("accelerometer", (0,), reason="0 = standing is the rare class (571 of 31 991)"),
    Entry(
        "bank",
        drop=("duration",),
        reason="the length of the call is known only after its outcome (UCI's own warning)",
    ),
    Entry("mnist", tuple(range(5, 10)), reason="digits 5-9 against 0-4, halves of ten classes"),
    Entry("mushrooms", (1,), reason="1 = poisonous, the rarer class (3916 of 8124)"),
    Entry("news20", tuple(range(11, 21)), reason="classes 11-20 against 1-10, halves of twenty"),
    Entry("pendigits", tuple(range(5, 10)), reason="digits 5-9 against 0-4, halves of ten"),
    Entry("satimage", (4, 5, 7), reason="classes 4, 5, 7 against 1-3, halves of six"),
    Entry(
        "sector",
        tuple(range(54, 106)),
        reason="classes 54-105 against 1-53; of 105 the smaller half is positive",
    ),
    Entry("skin", (1,), reason="1 = skin, the rarer class (UCI: 50 859 of 245 057)"),
    Entry("usps", tuple(range(5, 10)), reason="digits 5-9 against 0-4, halves of ten classes"),
)

CATALOGUE = {entry.name: entry for entry in _ENTRIES}


def entry(name: str) -> Entry:
    """Return the entry of `name`; one that changes nothing when there is none."""
    return CATALOGUE.get(name, Entry(name))
