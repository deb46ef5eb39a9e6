"""`Facts`: what is known of a set of a collection before it is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a set without a download.

    Attributes
    ----------
    name : str
        With the prefix of its collection.
    address, licence : str
    cites : tuple of str
        Keys of the references of aucbench.
    at_hand : bool
        Whether it can be read without a network.
    rows, features, classes : int, optional
        Numbers; None where they are known only after the download.
    positive : int, optional
        Rows of the rarer class, for two classes.
    sha256 : str
        Of its file; empty if it is not known.
    """

    name: str
    address: str
    licence: str
    cites: tuple[str, ...]
    at_hand: bool
    rows: int | None = None
    features: int | None = None
    classes: int | None = None
    positive: int | None = None
    sha256: str = ""
