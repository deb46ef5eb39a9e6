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
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from aucbench.errors import ParameterError

SPEC_EXAMPLE = "write it like sht-auc[k=50,blocks=4]"
CLOSING = {"[": "]", "(": ")", "{": "}"}
DEEPEST = 20
INLINE_MARK = "()"  # at the end of the name of an object, see `aucbench.registry.inline`
TUNED_MARK = " (tuned"  # after the specification of a tuned solver, in a label
FILE_MARK = ".py:"  # between a file and a name in it
SPEC_QUOTES = "'\""
OPENING = (*CLOSING, *SPEC_QUOTES)
WORD = re.compile(r"[A-Za-z_][\w.:-]*")  # shown without quotes
WORDS = {"true": True, "false": False, "none": None, "inf": inf, "-inf": -inf}


@dataclass(frozen=True, slots=True)
class Spec:
    """A name and its parameters.

    `str` returns a text that parses to an equal `Spec`. Two of them are equal, and have one hash,
    when they have the same parameters in any order: `k=1` and `k=1.0` differ. What spells the same
    with defaults left out is known by `aucbench.registry.identity_of`.
    """

    name: str = field(compare=False)  # what is before the brackets; also a path or an address
    params: Mapping[str, Any] = field(default_factory=dict, compare=False)  # of literals
    unnamed: tuple[Any, ...] = field(default=(), compare=False)  # that of the first parameter
    _text: str = field(init=False, repr=False, compare=False)
    _sorted: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        named = [f"{key}={_shown(value)}" for key, value in self.params.items()]
        for name, pieces in (("_text", named), ("_sorted", sorted(named))):
            inside = ",".join([*map(_shown, self.unnamed), *pieces])
            object.__setattr__(self, name, f"{self.name}[{inside}]" if inside else self.name)

    def __str__(self) -> str:
        return self._text


def split_specs(text: str) -> list[str]:
    """`a,b[x=1,y=2],c` → `a`, `b[x=1,y=2]`, `c`: commas inside brackets do not separate.

    `ParameterError`: a specification is empty, or a bracket is not closed or not opened.
    """
    return [piece for _, piece in _spec_pieces(text, _depths(text), 0, 0, len(text))]


def joined_specs(text: str) -> list[str]:
    """`a+b[x=1e+3]` → `a`, `b[x=1e+3]`: feature maps that are applied from left to right."""
    return [piece for _, piece in _spec_pieces(text, _depths(text), 0, 0, len(text), "+")]


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
    return Spec(name, _params(text, others), (_unnamed(text, at, first),))


def in_file(name: str) -> tuple[Path, str] | None:
    """`./mine.py:HeavyBall` → the path and `HeavyBall`; None for any other name."""
    file, mark, member = name.rpartition(FILE_MARK)
    if not (mark and file and "://" not in file):
        return None
    known = all(part.isidentifier() for part in member.split("."))
    return (Path(f"{file}.py"), member) if known else None


def anchored(text: str, *, joined: bool = False) -> str:
    """Return a specification with the whole path of its file: so it means the same everywhere.

    With `joined`, the text may be several specifications that are joined by +.
    """

    def whole(file: Path) -> str:
        return f"{os.path.abspath(file.expanduser())}:"  # noqa: PTH100 - links stay as they are

    return _placed(text, whole, joined=joined)


def short(text: str, *, joined: bool = False) -> str:
    """Return a specification for people: the path of its file begins in the present folder.

    A file that is elsewhere keeps its whole path, so that two files never have one name. The name
    of an object loses its parentheses. Else as `anchored`.
    """

    def near(file: Path) -> str:
        here = Path.cwd()
        return f"{file.relative_to(here) if file.is_relative_to(here) else file}:"

    return _named(text, near, joined=joined)


def bare(text: str, parts: int = 0, *, joined: bool = False) -> str:
    """Return a specification with that many parts of the path of its file, the last ones.

    The rest is as in `short`.
    """

    def last(file: Path) -> str:
        return f"{Path(*file.parts[-parts:])}:" if parts else ""

    return _named(text, last, joined=joined)


def _named(text: str, place: Callable[[Path], str], *, joined: bool) -> str:
    if INLINE_MARK not in text and FILE_MARK not in text:  # an id asks this of each of its names
        return text
    name, rest = _label(text)
    if name.endswith(INLINE_MARK):
        return f"{name.removesuffix(INLINE_MARK)}{rest}"
    return _placed(text, place, joined=joined)


def _placed(text: str, place: Callable[[Path], str], *, joined: bool) -> str:
    if FILE_MARK not in text:
        return text
    if joined:
        return "+".join(_placed(piece, place, joined=False) for piece in joined_specs(text))
    name, rest = _label(text)
    file = in_file(name.strip())
    return text if file is None else f"{place(file[0])}{file[1]}{rest}"


def _label(text: str) -> tuple[str, str]:
    """Return the name, and what follows it: brackets, or how people are told of a grid."""
    ends = [at for mark in ("[", TUNED_MARK) if (at := text.find(mark)) >= 0]
    end = min(ends, default=len(text))
    return text[:end], text[end:]


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


def _value(text: str) -> Any:
    """Return the value of a stripped text: a literal, a list of values, or the text itself."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        with warnings.catch_warnings():
            # A path such as '\data' in quotes is a value, not source code to warn about.
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        if text[0] not in OPENING:
            return text
        depths, last = _depths(text), len(text) - 1
        if text[0] != "[" or 0 in depths[:last]:
            raise _malformed(text, 0, "this is neither a value nor a word") from error
    return [_value(piece) for _, piece in _spec_pieces(text, depths, 1, 1, last)]


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
