"""All that is registered, as one JSON document that programs read; it has a version."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from inspect import cleandoc
from math import isfinite
from typing import Any

from aucbench import registry
from aucbench.about import bibtex
from aucbench.errors import AucbenchError
from aucbench.registry.describing import Description, describe
from aucbench.registry.discovery import KINDS, is_enabled
from aucbench.registry.lookup import broken_plugins, owner
from aucbench.registry.signatures import Parameter

VERSION = 1
NAMED_FIELDS = ("kind", "name", "plugin", "distribution", "version", "licence", "family")
UNIT = re.compile(r"\bin ((?:inverse )?(?:\w+ )?units? of [^.;,:()]+(?:\([^()]*\)[^.;,:()]*)*)")
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
NAMED = re.compile(r"^(\w+(?:, \w+)*)(?: : .*)?$")


def described() -> dict[str, Any]:
    """Return the document: its version, that of aucbench, and every plugin by kind and name.

    Under "broken" are the plugins that could not be imported, and why: `plugin`, `distribution`,
    `version` and `reason`. It imports every enabled plugin, those of other packages in processes
    of their own.
    """
    plugins = [plain(d) for kind in KINDS for d in registry.described(kind)]
    broken = [
        {
            "plugin": entry.name,
            "distribution": entry.distribution,
            "version": entry.version,
            "reason": failure,
        }
        for entry, failure in broken_plugins().items()
        if is_enabled(entry)
    ]
    about = {"version": VERSION, "aucbench": version("aucbench")}
    return {**about, "plugins": plugins, "broken": broken}


def plain(d: Description) -> dict[str, Any]:
    """Return a description as JSON holds it.

    Returns
    -------
    dict
        kind, name, plugin, distribution, version, licence, family, purpose, doc : str
            As in `Description`. `doc` is the whole docstring.
        parameters : list of dict
            `name`, `type` as annotated, `required`, `default`, `unit` (what the docstring says
            after "in units of"; None where it says nothing) and `doc`. A default that JSON cannot
            hold is a text, such as "inf".
        space : list of dict
            The grids: by parameter `{"values": [...]}`, `{"range": {"low", "high", "log",
            "integer"}}` or `{"distribution": text}`.
        needs : dict or None
            The fields of `aucbench.protocols.Needs`; None for other kinds than solvers.
        sparse, certified, streaming : bool
            As in `aucbench.about.About` and `aucbench.protocols.Streaming`.
        metric : dict or None
        Of a metric: `greater_is_better`, `low`, `high` (None where it has no end), and `weights`:
        whether it takes weights of rows.
        pairs : dict or None
            Of pairs: `kind`, and `measure` unless it depends on parameters.
        missing : str or None
            What to install before it can be used.
        bibtex : list of str or None
            Its papers; None, with the reason in `problem`, where they cannot be read.
        problem : str or None
            One sentence.
    """
    told = parameter_docs(d.doc)
    document: dict[str, Any] = {
        **{name: getattr(d, name) for name in NAMED_FIELDS},
        "purpose": d.about.purpose,
        "doc": d.doc,
        "parameters": [_parameter(p, told.get(p.name, "")) for p in d.parameters],
        "space": [{name: axis.plain for name, axis in grid.items()} for grid in d.space if grid],
        "needs": d.needs,
        "sparse": d.about.sparse,
        "certified": d.about.certified,
        "streaming": d.streaming,
        "missing": d.missing,
        "metric": _metric(d),
        "pairs": dict(zip(("kind", "measure"), d.counting, strict=False)) or None,
    }
    try:
        return {**document, "bibtex": list(bibtex(d.about.cites).values()), "problem": None}
    except AucbenchError as error:
        return {**document, "bibtex": None, "problem": str(error)}


def parameter_docs(doc: str) -> dict[str, str]:
    """Return what the section "Parameters" of a numpy docstring says of each parameter."""
    parts = HEADING.split(doc)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    told: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in sections.get("Parameters", "").splitlines():
        if line and not line[0].isspace():
            lines = []  # shared by the names of this line
            named = NAMED.match(line)
            told |= dict.fromkeys(named[1].split(", ") if named else (), lines)
        else:
            lines.append(line)
    return {name: cleandoc("\n".join(["", *said])) for name, said in told.items()}


def _parameter(p: Parameter, doc: str) -> dict[str, Any]:
    unit = UNIT.search(" ".join(doc.split()))
    return {
        "name": p.name,
        "type": p.type,
        "required": p.required,
        "default": p.default,
        "unit": unit[1].strip() if unit else None,
        "doc": doc,
    }


def _metric(d: Description) -> dict[str, Any] | None:
    """Return what a metric says of its values; an end of its range that is infinite is None."""
    if d.scale is None:
        return None
    low, high = (end if isfinite(end) else None for end in (d.scale.low, d.scale.high))
    better = d.scale.greater_is_better
    return {"greater_is_better": better, "low": low, "high": high, "weights": d.weighted}


def kinds_of(name: str) -> Iterator[Description]:
    """Yield the descriptions of whatever has this name, one for each kind."""
    yield from (describe(kind, name) for kind in KINDS if owner(kind, name))
