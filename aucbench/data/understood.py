"""`Understood`: what a reader took from a source, for people to check before they believe a number.

It is said before every run and above every table. Nothing computes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from typing import Any

from aucbench.errors import DataError

SHOWN_LABELS = 5  # labels of a class that a sentence lists
SHOWN_COLUMNS, SHOWN_DROPPED = 3, 9  # columns that a line about several lists, or left out
# Kinds of warnings about columns, the gravest first, and what a line says of several columns.
KINDS: Mapping[str, str] = {
    "leak": "tell the label alone, or nearly so",
    "sentinel": "have a repeated value far from the others, which may mean a missing cell",
    "outliers": "have a few cells that make their standard deviation",
    "text": "hold free text, which is read as hashed words",
    "id": "may hold keys",
    "constant": "are suspicious: constant",
    "cells": "could be understood in another way",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about what may be wrong."""

    text: str
    kind: str = ""  # of `KINDS`; empty if it stands alone
    column: str = ""  # that it is about
    brief: str = ""  # what is special about this column, for a line about several


def remark_of(text: str, kind: str = "", column: str = "", brief: str = "") -> Remark:
    """Return a remark that was written, of a kind that is known here."""
    return Remark(text, kind if kind in KINDS else "", column, brief)


def _is_list_of(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(v, kinds) for v in value)


def _are_remarks(value: Any) -> bool:
    is_texts = _is_list_of(str)
    return isinstance(value, list) and all(is_texts(one) and len(one) == 4 for one in value)


def _maps_to(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(type(v) is kind for v in value.values())


FITS: Mapping[str, Callable[[Any], bool]] = {  # whether a value of JSON has the type of a field
    "label": lambda value: isinstance(value, str),
    **dict.fromkeys(("positive", "negative", "labels"), _is_list_of(str, bool, int, float)),
    "warnings": _is_list_of(str),
    "remarks": _are_remarks,
    "kinds": _maps_to(int),
    "dropped": _maps_to(str),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """What a reader took from a source."""

    # where the labels come from and why, such as "column 'y', which has the name of labels"
    label: str = ""
    positive: tuple[str | int | float | bool, ...] = ()  # the labels of both classes
    negative: tuple[str | int | float | bool, ...] = ()
    labels: tuple[str | int | float | bool, ...] = ()  # of three classes or more, in their order
    # numbers of features by kind, before they are encoded
    kinds: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)  # columns that are left out, and why
    first_index: int | None = None  # of the features of svmlight: 0 or 1
    remarks: tuple[Remark, ...] = ()  # what may be wrong

    def to_json(self) -> dict[str, Any]:
        """Plain values, as JSON holds them, and the sentences of all remarks as `warnings`."""
        plain = {**asdict(self), "remarks": tuple([*astuple(one)] for one in self.remarks)}
        plain["warnings"] = self.warnings
        return {name: [*v] if isinstance(v, tuple) else v for name, v in plain.items()}

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Understood:
        """Inverse of `to_json`."""
        wrong = [name for name, fit in FITS.items() if not fit(plain[name])]
        if wrong:
            raise DataError(f"{wrong[0]!r} of what was understood is {plain[wrong[0]]!r}")
        return Understood(
            label=plain["label"],
            positive=tuple(plain["positive"]),
            negative=tuple(plain["negative"]),
            labels=tuple(plain["labels"]),
            kinds=plain["kinds"],
            dropped=plain["dropped"],
            first_index=plain.get("first_index"),
            remarks=tuple(remark_of(*one) for one in plain["remarks"]),
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """The sentences of all remarks, by kind, the gravest first."""
        order = [*KINDS, ""]
        return tuple(
            one.text for one in sorted(self.remarks, key=lambda one: order.index(one.kind))
        )

    @property
    def classes(self) -> str:
        """The classes, such as "positive 'yes', negative 'no'"; empty when there are no labels."""
        if self.labels:
            return f"{len(self.labels)} classes, {_listed(self.labels)}"
        if not self.positive:
            return ""
        return f"positive {_listed(self.positive)}, negative {_listed(self.negative)}"

    @property
    def features(self) -> str:
        """Numbers of features by kind, such as "7 numeric, 2 category"."""
        return ", ".join(f"{count} {kind}" for kind, count in self.kinds.items() if count)

    def lines(self) -> Iterator[str]:
        """Yield lines about the label, the classes, columns that are left out, and warnings.

        A kind of warning has one line.
        """
        yield from self.facts(SHOWN_DROPPED)
        yield from (f"warning: {line}" for line in by_kind(self.remarks))

    def facts(self, most: int | None = None) -> Iterator[str]:
        """Yield lines about the label, the classes, and at most so many columns left out."""
        if self.label:
            yield f"label: {self.label}" + (f"; {self.classes}" if self.classes else "")
        if self.dropped:
            left = [f"{name} ({why})" for name, why in self.dropped.items()]
            more = len(left) - len(left[:most])
            yield f"left out: {', '.join(left[:most])}" + (f" and {more} more" if more else "")


def by_kind(remarks: Sequence[Remark]) -> Iterator[str]:
    """Yield a line for each kind of remark, the gravest first."""
    for kind, what in KINDS.items():
        some = [remark for remark in remarks if remark.kind == kind]
        if len(some) == 1:
            yield some[0].text
        elif some:
            yield f"{len(some)} columns {what}: {_columns(some)}"
    yield from (remark.text for remark in remarks if remark.kind not in KINDS)


def _columns(remarks: Sequence[Remark]) -> str:
    shown = remarks[:SHOWN_COLUMNS]
    said = KINDS[shown[0].kind].rpartition(": ")[2]  # once for all of them
    briefs = [one.brief.removeprefix(said).removeprefix(", ") for one in shown]
    both = zip(shown, briefs, strict=True)
    listed = ", ".join(f"{one.column!r}" + (f" ({brief})" if brief else "") for one, brief in both)
    more = len(remarks) - len(shown)
    return f"{listed} and {more} more" if more > 0 else listed


def _listed(labels: tuple[object, ...]) -> str:
    shown = ", ".join(f"'{label}'" for label in labels[:SHOWN_LABELS])
    more = len(labels) - SHOWN_LABELS
    return f"{shown} and {more} more" if more > 0 else shown
