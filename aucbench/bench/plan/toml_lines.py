"""Find the line of a TOML text in which something is defined; tomllib does not report it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aucbench.errors import ParameterError
from aucbench.registry.specs import Spec, anchored, parse_spec

Place = tuple[str | int, ...]
TOML_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""+'
    r"|'''.*?'''+"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'"
    r"|\#[^\n]*"
    r"|[][{}\n]",
    re.DOTALL,
)
TOML_QUOTES = "'\""
DEPTH = {"[": 1, "{": 1, "]": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class Statement:
    """A header, or a key with its value: what it defines, and its lines."""

    places: tuple[Place, ...]
    text: str
    line: int


def line_of(text: str, place: Place, value: Any = None) -> int:
    """Return the line, from 1, where `place` is defined in a valid text; 0 when it is not.

    Parameters
    ----------
    text : str
        TOML that tomllib accepts.
    place : tuple of str and int
        Keys and positions in arrays, from the outside in.
    value : object
        A text to look for in what is defined there, or a `Spec` of which a text is looked for.
    """
    best, nearest = 0, (0, False)
    for statement in _statements(text):
        common = max((_common(place, own) for own in statement.places), default=0)
        line = _line_inside(statement, value) if common >= nearest[0] else 0
        if common and (common, line > 0) > nearest:
            best, nearest = line or statement.line, (common, line > 0)
    return best


def _line_inside(statement: Statement, value: Any) -> int:
    """Return the line of the first text of a statement that means `value`; 0 without one."""
    for token in TOML_TOKEN.finditer(statement.text) if isinstance(value, str | Spec) else ():
        if token[0][0] in TOML_QUOTES and _means(tomllib.loads(f"a={token[0]}")["a"], value):
            return statement.line + statement.text.count("\n", 0, token.start())
    return 0


def _means(text: str, value: str | Spec) -> bool:
    try:
        if isinstance(value, str):
            return text == value or anchored(text, joined=True) == value
        return parse_spec(anchored(text)) == value
    except ParameterError:  # the text is no specification
        return False


def _common(wanted: Place, own: Place) -> int:
    """Return how many keys two places share; 0 when neither is inside the other."""
    length = min(len(wanted), len(own))
    return length if wanted[:length] == own[:length] else 0


def _statements(text: str) -> Iterator[Statement]:
    header: Place = ()
    tables: dict[str | int, int] = {}  # how many [[name]] there were
    for line, piece in _statement_texts(text):
        places = [place for place in _places(tomllib.loads(piece)) if place]
        opening = piece.lstrip()
        if opening.startswith("["):
            top, *rest = max(places, key=len)
            if opening.startswith("[["):
                tables[top], rest = tables.get(top, 0) + 1, []
            header = (top, tables[top] - 1, *rest) if top in tables else (top, *rest)
            places = [()]
        yield Statement(tuple((*header, *place) for place in places), piece, line)


def _statement_texts(text: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each statement: newlines inside brackets and quotes end nothing."""
    begin, depth = 0, 0
    for token in TOML_TOKEN.finditer(text + "\n"):
        depth += DEPTH.get(token[0], 0)
        if token[0] == "\n" and not depth:
            yield text.count("\n", 0, begin) + 1, text[begin : token.start()]
            begin = token.end()


def _places(found: Any, outer: Place = ()) -> Iterator[Place]:
    """Places of everything inside, tables and arrays included."""
    yield outer
    inside = found.items() if isinstance(found, Mapping) else ()
    for key, value in enumerate(found) if isinstance(found, list) else inside:
        yield from _places(value, (*outer, key))
