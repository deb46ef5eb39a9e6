"""Specifications: what a user types for a solver, data set, objective or projector.

A specification is `name` or `name[parameter=value, ...]`, with or without `distribution:` in
front. The first value in the brackets may be without a name: it belongs to the first parameter,
as in `estimator[sklearn.svm:SVC,C=10]`. A value is a Python literal (`5`, `1e-3`, `None`,
`[5, 6]`, `'a,b'`). The words true, false, none and inf may be written in upper or lower case.
Any other text is a string, so that words need no quotes. The name of a data set may be a path
or an address; only commas and square brackets have a special meaning in it. `./mine.py:Name` names
a class or a function in a file, see `aucbench.registry.source_files`.
"""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from pathlib import Path
from types import NoneType
from typing import Any, Protocol

from aucbench.errors import ParameterError

SPEC_EXAMPLE = "write it like sht-auc[k=50,blocks=4]"
CLOSING = {"[": "]", "(": ")", "{": "}"}
DEEPEST = 20
INLINE_MARK = "()"  # at the end of the name of an object, see `aucbench.registry.inline`
FIRST = ""  # key of a value that stands without a name: it is that of the first parameter
FILE_MARK = ".py:"  # between a file and a name in it
SPEC_QUOTES = "'\""
OPENING = (*CLOSING, *SPEC_QUOTES)
WORD = re.compile(r"[A-Za-z_][\w.:-]*")  # shown without quotes
WORDS = {"true": True, "false": False, "none": None, "inf": inf, "-inf": -inf}


@dataclass(frozen=True, slots=True)
class Spec:
    """A name and its parameters.

    A specification is parsed once, from what a user typed, and travels as this object; it is kept
    as {"name": ..., "params": {...}}. Two are equal, and have one hash, when they have the same
    parameters in any order: `k=1` and `k=1.0` differ. What spells the same with defaults left out
    is known by `aucbench.registry.identity_of`.

    Attributes
    ----------
    name : str
        What is before the brackets; also a path or an address.
    params : mapping of str to literal
        A value without a name, which is that of the first parameter, has the key `FIRST`.
    """

    name: str = field(compare=False)
    params: Mapping[str, Any] = field(default_factory=dict, compare=False)
    _inside: str = field(init=False, repr=False, compare=False)
    _sorted: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pieces = [f"{key}={_shown(v)}" if key else _shown(v) for key, v in self.params.items()]
        object.__setattr__(self, "_inside", f"[{','.join(pieces)}]" if pieces else "")
        object.__setattr__(self, "_sorted", f"{self.name}[{','.join(sorted(pieces))}]")

    def __str__(self) -> str:
        return self.format(str)

    def format(self, named: Callable[[str], str]) -> str:
        """Return a text for people, in which the name is what `named` makes of it."""
        return f"{named(self.name)}{self._inside}"


class SpecChain(tuple[Spec, ...]):
    """Feature maps that are applied from left to right; written `a+b`."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.format(str)

    def format(self, named: Callable[[str], str]) -> str:
        """Return a text for people, as that of a `Spec`."""
        return "+".join(spec.format(named) for spec in self)


class Formatted(Protocol):
    """What has names of specifications in its text: a `Spec`, a `SpecChain`, a solver's choice."""

    def format(self, named: Callable[[str], str]) -> str:
        """Return a text for people, in which each name is what `named` makes of it."""


def split_specs(text: str) -> list[str]:
    """`a,b[x=1,y=2],c` → `a`, `b[x=1,y=2]`, `c`: commas inside brackets do not separate.

    `ParameterError`: a specification is empty, or a bracket is not closed or not opened.
    """
    return [piece for _, piece in _spec_pieces(text, _depths(text), 0, 0, len(text))]


def parse_chain(text: str) -> SpecChain:
    """Read `a+b[x=1e+3]`: feature maps that are applied from left to right."""
    pieces = _spec_pieces(text, _depths(text), 0, 0, len(text), "+")
    return SpecChain(parse_spec(piece) for _, piece in pieces)


def parse_spec(text: str) -> Spec:
    """Read one specification; an error names the character, and shows an example."""
    depths = _depths(text)
    begin = depths.index(1) if 1 in depths else len(text)
    name = text[:begin].strip()
    if not name or "," in name:
        what = "one name is wanted here, not several" if name else "a name is missing"
        raise _malformed(text, max(text.find(","), 0), what)
    if begin == len(text):
        return Spec(name)
    end = depths.index(0, begin)
    if text[end + 1 :].strip():
        raise _malformed(text, end + 1, "nothing may follow the closing bracket")
    if not text[begin + 1 : end].strip():
        return Spec(name)
    (at, first), *others = pieces = [*_spec_pieces(text, depths, 1, begin + 1, end)]
    if _is_named(first):
        return Spec(name, _params(text, pieces))
    return Spec(name, {FIRST: _unnamed(text, at, first), **_params(text, others)})


def in_file(name: str) -> tuple[Path, str] | None:
    """`./mine.py:HeavyBall` → the path and `HeavyBall`; None for any other name."""
    file, mark, member = name.rpartition(FILE_MARK)
    if not (mark and file and "://" not in file):
        return None
    known = all(part.isidentifier() for part in member.split("."))
    return (Path(f"{file}.py"), member) if known else None


def anchored(spec: Spec) -> Spec:
    """Return a specification with the whole path of its file: so it means the same everywhere."""
    file = in_file(spec.name)
    if file is None:
        return spec
    whole = os.path.abspath(file[0].expanduser())  # noqa: PTH100 - links stay as they are
    return replace(spec, name=f"{whole}:{file[1]}")


def without_place(spec: Spec) -> Spec:
    """Return a specification without the path of its file, by whose content it is known."""
    name = _bare_name(spec.name)
    return spec if name == spec.name else replace(spec, name=name)


def short(thing: Formatted | str) -> str:
    """Return a text for people: the path of a file begins in the present folder.

    A file that is elsewhere keeps its whole path, so that two files never have one name. The name
    of an object loses its parentheses. A text is taken for a name.
    """
    return _short_name(thing) if isinstance(thing, str) else thing.format(_short_name)


def bare(thing: Formatted, parts: int = 0) -> str:
    """Return a text for people with that many parts of the path of a file, the last ones.

    The rest is as in `short`.
    """
    return thing.format(partial(_bare_name, parts=parts))


def _short_name(name: str) -> str:
    file = in_file(name)
    if file is None:
        return name.removesuffix(INLINE_MARK)
    here = Path.cwd()
    place = file[0].relative_to(here) if file[0].is_relative_to(here) else file[0]
    return f"{place}:{file[1]}"


def _bare_name(name: str, parts: int = 0) -> str:
    file = in_file(name)
    if file is None:
        return name.removesuffix(INLINE_MARK)
    return f"{Path(*file[0].parts[-parts:])}:{file[1]}" if parts else file[1]


def _is_named(piece: str) -> bool:
    """Whether there is an equals sign outside brackets and quotes."""
    inside = f"[{piece}]"  # where quotes have a meaning
    return any(c == "=" and depth == 1 for c, depth in zip(inside, _depths(inside), strict=True))


def _unnamed(text: str, at: int, piece: str) -> Any:
    value = _value(piece)
    if isinstance(value, str) and piece[0] not in SPEC_QUOTES and not WORD.fullmatch(piece):
        raise _malformed(text, at, f"{piece!r} is neither parameter=value nor a word; quote it")
    return value


def _params(text: str, pieces: Iterable[tuple[int, str]]) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for at, piece in pieces:
        if not _is_named(piece):
            what = f"{piece!r} is not parameter=value; only the first may stand without its name"
            raise _malformed(text, at, what)
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not (equals and value and key.isidentifier()):
            raise _malformed(text, at, f"{piece!r} is not parameter=value")
        if key in params:
            raise _malformed(text, at, f"{key} is given twice")
        params[key] = _value(value)
    return params


def is_literal(value: Any) -> bool:
    """Whether a parameter can have this value: a specification can be written with it and kept."""
    if isinstance(value, list | tuple | set):
        return all(map(is_literal, value))
    if isinstance(value, dict):
        return all(map(is_literal, (*value, *value.values())))
    return type(value) in (bool, int, str, NoneType) or (type(value) is float and value == value)


def _value(text: str) -> Any:
    """Return the value of a stripped text: a literal, a list of values, or the text itself."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        with warnings.catch_warnings():
            # A path such as '\data' in quotes is a value, not source code to warn about.
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        if text[0] not in OPENING:
            return text
        depths, last = _depths(text), len(text) - 1
        if text[0] != "[" or 0 in depths[:last]:
            raise _malformed(text, 0, "this is neither a value nor a word") from error
        return [_value(piece) for _, piece in _spec_pieces(text, depths, 1, 1, last)]
    if not is_literal(value):
        raise _malformed(text, 0, f"a parameter holds no {type(value).__name__}")
    return value


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(_shown, value))}]"
    if isinstance(value, str) and WORD.fullmatch(value) and _value(value) == value:
        return value
    return _literal(value) if isinstance(value, tuple | set | dict) else repr(value)


def _literal(value: Any) -> str:
    """As `repr`, with sets in one order and with infinity as a number that Python reads back."""
    if isinstance(value, dict):
        items = (f"{_literal(key)}: {_literal(held)}" for key, held in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, set) and value:
        return f"{{{', '.join(sorted(map(_literal, value)))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, tuple):
        inside = [*map(_literal, value)]
        return f"({', '.join(inside)}{',' * (len(inside) == 1)})"
    return repr(value).replace("inf", "1e999") if isinstance(value, float) else repr(value)


def _spec_pieces(
    text: str, depths: list[int], depth: int, begin: int, end: int, cut: str = ","
) -> Iterator[tuple[int, str]]:
    """Yield (position, stripped piece) of text[begin:end], cut at the commas of one depth."""
    for at in range(begin, end + 1):
        if at == end or (text[at] == cut and depths[at] == depth):
            if not text[begin:at].strip():
                raise _malformed(text, begin, "something is missing here")
            yield begin, text[begin:at].strip()
            begin = at + 1


def _depths(text: str) -> list[int]:
    """Return how many brackets and quotes are open after each character.

    Outside square brackets there is a name or a path, which may contain quotes and other
    brackets.
    """
    closing: list[str] = []
    depths: list[int] = []
    quote, escaped = "", False
    for at, c in enumerate(text):
        if quote:
            escaped, ends = c == "\\" and not escaped, c == quote and not escaped
            quote = "" if ends else quote
        elif closing and c in SPEC_QUOTES and text[:at].rstrip()[-1] in "=,:[({":
            quote = c
        elif c == "[" or (closing and c in CLOSING):
            if len(closing) == DEEPEST:
                raise _malformed(text, at, f"more than {DEEPEST} brackets are open")
            closing.append(CLOSING[c])
        elif (c == "]" or (closing and c in ")}")) and (not closing or closing.pop() != c):
            raise _malformed(text, at, f"{c!r} has no opening bracket")
        depths.append(len(closing) + bool(quote))
    if depths and depths[-1]:
        raise _malformed(text, len(text), f"{quote or closing[-1]!r} is missing")
    return depths


def _malformed(text: str, at: int, what: str) -> ParameterError:
    return ParameterError(f"cannot read {text!r} at character {at + 1}: {what}; {SPEC_EXAMPLE}")
