"""Where the data of a task come from: source, licence, references, hashes; no network is asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from aucbench.about import bibtex
from aucbench.datasets.catalogue import NOT_STATED, Entry, Facts, entry_of
from aucbench.datasets.collections import Member, member_of
from aucbench.datasets.endings import format_of
from aucbench.errors import AucbenchError
from aucbench.registry import describe, parse_spec
from aucbench.registry.specs import in_file

NOT_HERE = "A file of who ran the cells, or a plugin that is not installed where this was made."


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a source."""

    name: str
    address: str  # may be empty
    sha256: str  # likewise


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a data set comes from; texts are empty where nothing is known."""

    title: str = ""
    address: str = ""
    licence: str = NOT_STATED
    papers: tuple[str, ...] = ()  # BibTeX
    files: tuple[SourceFile, ...] = ()
    note: str = ""


@cache
def source_of(dataset: str) -> Source:
    """Return where a data set comes from, by its specification in a plan."""
    try:
        name = parse_spec(dataset).name
        if (member := member_of(name)) is not None:
            return _of_member(member)
        entry = entry_of(name)
        return _of_entry(entry) if entry.title else _of_plugin(name)
    except AucbenchError:
        return Source(note=NOT_HERE)


def _of_member(member: Member) -> Source:
    collection = member.source
    facts = _facts(member)
    address = facts.address if format_of(facts.address) else ""  # else it is that of a page
    file = SourceFile(name=member.name, address=address, sha256=facts.sha256)
    return Source(
        title=f"{member.name}, of {collection.PREFIX}: {collection.TITLE}",
        address=facts.address,
        licence=facts.licence,
        papers=tuple(bibtex(facts.cites).values()),
        files=(file,) if facts.sha256 else (),
    )


def _facts(member: Member) -> Facts:
    """Return what is known of a set of a collection; of one that is not here, of the collection."""
    try:
        return member.whence()
    except AucbenchError:
        told = member.source
        return Facts(
            name=str(member),
            address=told.ADDRESS,
            licence=told.LICENCE,
            cites=told.CITES,
            at_hand=False,
        )


def _of_entry(entry: Entry) -> Source:
    return Source(
        title=entry.title,
        address=entry.source,
        licence=entry.licence,
        papers=tuple(bibtex(entry.cites).values()),
        files=tuple(
            SourceFile(name=file.name, address=file.urls[0], sha256=file.sha256)
            for file in entry.files
        ),
        note=entry.note,
    )


def _of_plugin(name: str) -> Source:
    if in_file(name) is not None:
        return Source(note=NOT_HERE)  # its code is not run
    about = describe("datasets", name)
    return Source(
        title=about.about.purpose,
        licence=f"that of the package {about.distribution}: {about.licence or NOT_STATED}",
        papers=tuple(bibtex(about.about.cites).values()),
    )
