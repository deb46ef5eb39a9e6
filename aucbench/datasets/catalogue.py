"""The data sets that aucbench knows by name; `catalogue.toml` beside this file is the list."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files as resources
from types import MappingProxyType
from typing import Any

from aucbench.datasets.download import RemoteFile
from aucbench.datasets.reading import SUITE
from aucbench.errors import UnknownNameError

KINDS = ("labels", "changepoint", "embedded", "simulated")
NOT_STATED = "not stated by the source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """How the raw files of a set are read, see `aucbench.datasets.sources`."""

    reader: str = "rows"  # which reader takes the files; "rows" reads each as `load` reads a file
    target: str | int | None = None  # the label column, by name or number
    drop: tuple[str | int, ...] = ()  # columns of the raw files that are no features of the set
    names: tuple[str, ...] = ()  # names of the features, where the raw files have none


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is known of a data set by its name."""

    name: str
    title: str = ""  # what the set is, in one phrase
    # "labels": rows with labels, in files. "changepoint": error functions instead of labels, in
    # files. "embedded": comes with scikit-learn. "simulated": is drawn
    kind: str = KINDS[0]
    n: int = 0  # rows and features; of a simulated set those by default
    d: int = 0
    # the classes as the source codes them, and how many rows each has, where this is known. Of a
    # changepoint set, the labels that can be a false positive and a false negative
    labels: tuple[int | str, ...] = (-1, 1)
    counts: tuple[int, ...] = ()
    # labels that are positive; empty when the labels are -1/+1 or 0/1
    positive: tuple[int, ...] = ()
    why: str = ""  # why they are positive, in one phrase
    drop: Mapping[str, str] = field(default_factory=dict)  # columns that are left out, and why
    source: str = ""  # page of the source
    licence: str = NOT_STATED
    cites: tuple[str, ...] = ()  # what to cite: keys of the references of aucbench
    note: str = ""  # what to know before using it
    # names of the features that are known to matter, from the literature
    relevant: tuple[str, ...] = ()
    raw: Raw = field(default_factory=Raw)  # how the files are read
    # the files as the source publishes them; empty when they cannot be downloaded
    files: tuple[RemoteFile, ...] = ()
    # who published the sha256 of the files; empty when they were computed from the repository
    # that the addresses name
    hashes: str = ""
    lacking: str = ""  # why there are no files, and where they are as far as it is known
    address: str = ""

    @property
    def in_files(self) -> bool:
        """Whether there is such a set, in files, and not made by a function."""
        return bool(self.files or self.lacking)

    @property
    def positives(self) -> int | None:
        """Rows of the positive classes; None where they are not known."""
        if not self.counts or self.kind == "changepoint":
            return None
        positive = self.positive or self.labels[-1:]
        return sum(
            n for label, n in zip(self.labels, self.counts, strict=True) if label in positive
        )

    @property
    def size(self) -> int | None:
        """Bytes to download; None where it is not known."""
        sizes = [file.size for file in self.files]
        return None if not sizes or None in sizes else sum(filter(None, sizes))


NOT_KNOWN = Entry(name="")  # of a file or a table


@cache
def entries() -> Mapping[str, Entry]:
    """Return all entries, by name in the order of the list."""
    document = _document()
    known: dict[str, Entry] = {}
    for name, fields in document["sets"].items():
        whole = document["templates"].get(fields.get("like", ""), {}) | fields
        raw = Raw(**_frozen(whole.pop("raw", {})))
        files = tuple(RemoteFile(**_frozen(file)) for file in whole.pop("files", ()))
        whole.pop("like", None)
        known[name] = Entry(name=name, raw=raw, files=files, **_frozen(whole))
    return MappingProxyType(known)


def entry_of(name: str) -> Entry:
    """Return the entry of a name; an entry that says nothing where there is none."""
    return entries().get(name, Entry(name=name))


def names_like(name: str) -> list[str]:
    """Return the names of entries that may have been meant."""
    return get_close_matches(name, entries())


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Several data sets under one name."""

    name: str
    title: str
    version: int  # another list of members is another version
    members: tuple[str, ...]  # specifications of data sets, or suites of fewer members
    package: str = ""  # the package and version that has the members, where it is not aucbench

    def __str__(self) -> str:
        return f"{SUITE}{self.name}"


@cache
def suites() -> Mapping[str, Suite]:
    """Return all suites, by name in the order of the list."""
    suites = _document()["suites"].items()
    return MappingProxyType({name: Suite(name=name, **_frozen(known)) for name, known in suites})


def suite_of(text: str) -> Suite | None:
    """`suite:spdam` → the suite; None for a text that names none."""
    if not text.startswith(SUITE):
        return None
    name = text.removeprefix(SUITE)
    if name not in suites():
        raise UnknownNameError("suite", name, suites())
    return suites()[name]


def expanded(specs: Iterable[str]) -> tuple[str, ...]:
    """Return specifications of data sets, with the members of suites in place of the suites.

    A member may be a suite itself.
    """
    both = ((spec, suite_of(spec)) for spec in specs)
    return tuple(
        member for spec, suite in both for member in (expanded(suite.members) if suite else [spec])
    )


@cache
def _document() -> dict[str, Any]:
    text = (resources("aucbench.datasets") / "catalogue.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _frozen(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()}
