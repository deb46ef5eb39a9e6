"""A task as Croissant 1.0, the JSON-LD by which programs find data sets.

Source: the specification at https://docs.mlcommons.org/croissant/docs/croissant-spec.html.
Loading is not described: `aucbench` reads the many formats, and a plan says how.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aucbench.report.site.publishing import Publishing
from aucbench.report.site.sources import SourceFile
from aucbench.report.site.tasks import NUMBERS, Task

ENDING = ".croissant.json"
CONFORMS = "http://mlcommons.org/croissant/1.0"
TERMS = (
    *("citeAs", "column", "equivalentProperty", "examples", "extract", "field", "fileObject"),
    *("fileProperty", "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace"),
    *("samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
}


def croissant(task: Task, published: Publishing, date: str) -> dict[str, Any]:
    """Return the description of a task; what is not known is left out."""
    source = task.source
    known = {
        "name": task.name,
        "description": _description(task),
        "license": source.licence,
        "url": source.address or published.address(f"tasks/{task.file}.html"),
        "citeAs": "\n\n".join(source.papers),
        "datePublished": date,
        "identifier": task.hash,
        "keywords": ["binary classification", "ROC curve", *filter(None, [task.kind])],
        "distribution": [_file(number, file) for number, file in enumerate(source.files)],
        "recordSet": [*_record_sets(task)],
    }
    head = {"@context": CONTEXT, "@type": "sc:Dataset", "conformsTo": CONFORMS}
    return {**head, **{key: value for key, value in known.items() if value}}


def _description(task: Task) -> str:
    sizes = [
        f"{count} {what}"
        for count, what in (
            (task.rows, "rows"),
            (task.features, "features"),
            (task.positives, "positive rows"),
        )
        if count is not None
    ]
    parts = (
        f"{task.source.title or task.name}. A binary task of a benchmark of aucbench",
        ", ".join(sizes),
        f"named {task.spec} in a plan" if task.spec else "",
        *task.facts,
        *([task.source.note] if task.source.note else ()),
    )
    return ". ".join(part.rstrip(".") for part in parts if part) + "."


def _file(number: int, file: SourceFile) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": f"file-{number}",
        "name": file.name,
        "contentUrl": file.address or file.name,
        "encodingFormat": "application/octet-stream",
        "sha256": file.sha256,
    }


def _record_sets(task: Task) -> Iterator[dict[str, Any]]:
    """Yield the classes, and the rows where a file is known by its hash.

    Of a file that nobody can check, the format allows no field to be said.
    """
    yield {
        "@type": "cr:RecordSet",
        "@id": "classes",
        "name": "classes",
        "dataType": "sc:Enumeration",
        "key": {"@id": "classes/label"},
        "field": [
            _field("classes/label", "The class of a row.", "sc:Integer"),
            _field("classes/name", "What it is called.", "sc:Text"),
        ],
        "data": [
            {"classes/label": 1, "classes/name": "positive"},
            {"classes/label": 0, "classes/name": "negative"},
        ],
    }
    if len(task.source.files) == 1:
        of_file = {"fileObject": {"@id": "file-0"}, "extract": {"fileProperty": "content"}}
        count = "" if task.features is None else f"{task.features} "
        told = f"The {count}features ({task.kind or 'of any kind'})."
        kind = "sc:Float" if task.kind == NUMBERS else "sc:Text"
        label = _field("rows/label", "The class of the row.", "sc:Integer")
        features = _field("rows/features", told, kind)
        yield {
            "@type": "cr:RecordSet",
            "@id": "rows",
            "name": "rows",
            "description": "A row for each example.",
            "field": [
                {**label, "references": {"field": {"@id": "classes/label"}}, "source": of_file},
                {**features, "repeated": True, "source": of_file},
            ],
        }


def _field(name: str, told: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": name,
        "name": name.partition("/")[2],
        "description": told,
        "dataType": kind,
    }
