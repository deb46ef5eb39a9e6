"""`Understood`: what a reader took from a source, for people to check before they believe a number.

It is said before every run and above every table. Nothing computes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from aucbench.errors import DataError

SHOWN_LABELS = 5  # labels of a class that a sentence lists


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _maps_to(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(type(v) is kind for v in value.values())


FITS: Mapping[str, Callable[[Any], bool]] = {  # whether a value of JSON has the type of a field
    "label": lambda value: isinstance(value, str),
    **dict.fromkeys(("positive", "negative", "warnings"), _is_texts),
    "kinds": _maps_to(int),
    "dropped": _maps_to(str),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What a reader took from a source."""

    # where the labels come from and why, such as "column 'y', which has the name of labels"
    label: str = ""
    positive: tuple[str, ...] = ()  # the labels of both classes
    negative: tuple[str, ...] = ()
    # numbers of features by kind, before they are encoded
    kinds: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)  # columns that are left out, and why
    warnings: tuple[str, ...] = ()  # sentences about what may be wrong

    def to_json(self) -> dict[str, Any]:
        """Plain values, as JSON holds them."""
        plain = asdict(self)
        return {name: [*v] if isinstance(v, tuple) else v for name, v in plain.items()}

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Understood:
        """Inverse of `to_json`."""
        wrong = [name for name, fits in FITS.items() if not fits(plain[name])]
        if wrong:
            raise DataError(f"{wrong[0]!r} of what was understood is {plain[wrong[0]]!r}")
        lists = {name: tuple(plain[name]) for name in ("positive", "negative", "warnings")}
        return Understood(**{**plain, **lists})

    @property
    def classes(self) -> str:
        """Both classes, such as "positive 'yes', negative 'no'"; empty when there are no labels."""
        if not self.positive:
            return ""
        return f"positive {_listed(self.positive)}, negative {_listed(self.negative)}"

    @property
    def features(self) -> str:
        """Numbers of features by kind, such as "7 numeric, 2 category"."""
        return ", ".join(f"{count} {kind}" for kind, count in self.kinds.items() if count)

    def lines(self) -> Iterator[str]:
        """Yield lines about the label, the classes, columns that are left out, and warnings."""
        if self.label:
            yield f"label: {self.label}" + (f"; {self.classes}" if self.classes else "")
        if self.dropped:
            left = ", ".join(f"{name} ({why})" for name, why in self.dropped.items())
            yield f"left out: {left}"
        yield from (f"warning: {warning}" for warning in self.warnings)


def _listed(labels: tuple[str, ...]) -> str:
    shown = ", ".join(f"'{label}'" for label in labels[:SHOWN_LABELS])
    more = len(labels) - SHOWN_LABELS
    return f"{shown} and {more} more" if more > 0 else shown
