"""The results of a board as RO-Crate 1.1 and as CITATION.cff: what they are, by whom, with what.

Source: https://www.researchobject.org/ro-crate/specification/1.1/ and
https://github.com/citation-file-format/citation-file-format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aucbench.bench.results.origins import Origin
from aucbench.report.site.publishing import Publishing

METADATA, CFF, BIB = "ro-crate-metadata.json", "CITATION.cff", "references.bib"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
CONFORMS = "https://w3id.org/ro/crate/1.1"
FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".html": "text/html",
    ".toml": "application/toml",
    ".cff": "application/yaml",
    ".bib": "application/x-bibtex",
}
Entity = dict[str, Any]


def crate(
    files: Mapping[str, tuple[str, int]],
    origins: tuple[Origin, ...],
    published: Publishing,
    *,
    title: str,
    about: str,
    date: str,
    version: str,
) -> Entity:
    """Return the metadata: `files` has what each file is, in a phrase, and its bytes."""
    people = {name: f"#person-{k}" for k, name in enumerate(authors(origins, published))}
    software = {"@id": "#aucbench", "@type": "SoftwareApplication", "name": "aucbench"}
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": title,
        "description": about,
        "datePublished": date,
        "author": [{"@id": key} for key in people.values()],
        "license": {"@id": published.licence_address} if published.licence else "not stated",
        "hasPart": [{"@id": name} for name in files],
        "mentions": [{"@id": _run(k)} for k, _ in enumerate(origins)],
        **({"url": published.url} if published.url else {}),
    }
    licence = {"@id": published.licence_address, "@type": "CreativeWork", "name": published.licence}
    graph: list[Entity] = [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": CONFORMS},
        },
        {key: value for key, value in root.items() if value != []},
        *([licence] if published.licence else []),
        {**software, "softwareVersion": version},
        *({"@id": key, "@type": "Person", "name": name} for name, key in people.items()),
        *(_file(name, told, size) for name, (told, size) in files.items()),
        *(entity for k, one in enumerate(origins) for entity in _action(k, one, people)),
    ]
    return {"@context": CONTEXT, "@graph": graph}


def authors(origins: tuple[Origin, ...], published: Publishing) -> tuple[str, ...]:
    """Return who publishes the board and who sent results, each once."""
    return tuple(dict.fromkeys([*published.author, *(one.by for one in origins if one.by)]))


def citation(origins: tuple[Origin, ...], published: Publishing, *, title: str, date: str) -> str:
    """Return CITATION.cff; its texts are in quotes as JSON writes them, which YAML reads."""
    names = authors(origins, published) or (f"the authors of {title}",)
    lines = [
        "cff-version: 1.2.0",
        "type: dataset",
        f"title: {_quoted(title)}",
        f"message: {_quoted(f'Cite these results, and what is in {BIB} of what you use of them.')}",
        "authors:",
        *(f"  - name: {_quoted(name)}" for name in names),
        f"date-released: {date}",
        *([f"url: {_quoted(published.url)}"] if published.url else []),
        *([f"license-url: {_quoted(published.licence_address)}"] if published.licence else []),
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text)


def _run(number: int) -> str:
    return f"#run-{number}"


def _file(name: str, told: str, size: int) -> Entity:
    ending = f".{name.rpartition('.')[2]}"
    known = {"encodingFormat": FORMATS[ending]} if ending in FORMATS else {}
    return {"@id": name, "@type": "File", "name": told, "contentSize": str(size), **known}


def _action(number: int, origin: Origin, people: Mapping[str, str]) -> Iterator[Entity]:
    """Yield a run of cells, and the software with which they ran."""
    packages = origin.packages.items()
    yield {
        "@id": _run(number),
        "@type": "CreateAction",
        "name": f"cells of {origin.name}: {', '.join(origin.solvers)}",
        "endTime": origin.made,
        "instrument": [{"@id": f"{_run(number)}-{k}"} for k, _ in enumerate(packages)],
        "result": {"@id": "results.csv"},
        **({"agent": {"@id": people[origin.by]}} if origin.by else {}),
    }
    for k, (name, version) in enumerate(packages):
        yield {
            "@id": f"{_run(number)}-{k}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
        }
