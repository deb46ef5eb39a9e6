"""`Facts`: what is known of a set of a collection before it is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a set without a download."""

    name: str  # with the prefix of its collection
    address: str
    licence: str
    cites: tuple[str, ...]  # keys of the references of aucbench
    at_hand: bool  # whether it can be read without a network
    rows: int | None = None  # numbers; None where they are known only after the download
    features: int | None = None
    classes: int | None = None
    positive: int | None = None  # rows of the rarer class, for two classes
    sha256: str = ""  # of its file; empty if it is not known
