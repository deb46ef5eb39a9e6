"""The text of a shard: one JSON document in one file, with a proof that it is whole.

    {
    "record": {
    "auc": 0.93,
    ...
    "id": "3f..."
    },
    "schema": 1,
    "scores": "sha256 of the blob, or null",
    "seal": "sha256 of the key and all lines above this one"
    }

"record" is the document and its "id" the key. Names are sorted, each name of the document has
a line of its own, and the file ends with a newline: so git shows what changed. The seal finds
what a JSON parser does not: a file that lost its end but is still valid JSON, a changed digit,
a file that was copied over another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from hashlib import sha256
from math import isfinite
from typing import Any

from aucbench.errors import DataError, ParameterError


@dataclass(frozen=True, slots=True)
class Seal:
    """How the seal stands in files of one kind: the sha256 of the name and of all before it."""

    before: bytes  # what encloses its digits; no file has it anywhere else
    after: bytes = b""
    end: bytes = b""  # of a content without a seal, in whose place it comes

    def put_on(self, name: str, content: bytes) -> bytes:
        """Return the content of the file `name` with its seal."""
        body = content.removesuffix(self.end)
        return body + self._text(name, body)

    def taken_off(self, name: str, content: bytes) -> bytes | None:
        """Return the content that was sealed; None if `content` is not what was sealed."""
        body = content.rpartition(self.before)[0]
        return body + self.end if content[len(body) :] == self._text(name, body) else None

    def is_on(self, content: bytes) -> bool:
        """Whether there is a seal, right or wrong."""
        return self.before in content

    def _text(self, name: str, body: bytes) -> bytes:
        digits = sha256(f"{name}\n".encode() + body).hexdigest().encode()
        return self.before + digits + self.after


SCHEMA = 2
KEY = re.compile(r"[0-9a-z][0-9a-z_-]{1,127}")
SEAL = Seal(b',\n"seal": "', b'"\n}\n', end=b"\n}\n")
OF_ARCHIVE = Seal(b"aucbench-seal:")  # after the directory of a zip archive, where readers stop
SCORES = b'"scores": '  # the last name before the seal
BITS = 2**13  # of an integer; the parser refuses integers of more than 4300 digits

_dumps = partial(json.dumps, sort_keys=True, allow_nan=False)


class Fault(Enum):
    """What is wrong with a shard: a sentence; the name becomes part of the new file name."""

    DAMAGED = "is truncated or damaged"
    SCHEMA = "has another schema"
    FOREIGN = "holds the result of another key"
    MISPLACED = "is in the wrong folder"


def require_key(key: Any) -> str:
    """Return the key when it can be the name of a file.

    Else the path could lead out of the folder, or two keys could be the same file where the file
    system ignores case.
    """
    if not (isinstance(key, str) and KEY.fullmatch(key)):
        raise ParameterError(
            f"a key of a results folder is 2 to 128 of the characters 0-9 a-z _ -, got {key!r}; "
            "use a hexadecimal hash"
        )
    return key


def shard_text(content: Mapping[str, Any], blob: bytes | None) -> bytes:
    """Return the text of the shard of a document, `content`, whose key is under "id".

    `DataError`: strict JSON cannot hold it, for example a number that is not finite.
    """
    try:
        trouble = _trouble(dict(content))
    except RecursionError:
        trouble = " is nested without end"
    if trouble is not None:
        raise DataError(
            f"the result {content.get('id')!r} cannot be stored: document{trouble}; give plain "
            "values, and null for a number that is not finite"
        )
    lines = ",\n".join(f"{_dumps(name)}: {_dumps(content[name])}" for name in sorted(content))
    blob_hash = None if blob is None else sha256(blob).hexdigest()
    head = f'{{\n"record": {{\n{lines}\n}},\n"schema": {SCHEMA},\n"scores": {_dumps(blob_hash)}'
    return SEAL.put_on(_sealed_as(content["id"]), head.encode("ascii") + SEAL.end)


def fault_of(key: str, text: bytes) -> Fault | None:
    """Return what is wrong with a text as the shard of a key; None when it is whole."""
    if SEAL.taken_off(_sealed_as(key), text) is not None:
        return None
    try:
        plain = json.loads(text)
        schema, owner = plain["schema"], plain["record"]["id"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Fault.DAMAGED
    if schema != SCHEMA:
        return Fault.SCHEMA
    return Fault.FOREIGN if owner != key else Fault.DAMAGED


def document(text: bytes) -> dict[str, Any]:
    """Return the document of a whole shard."""
    plain: dict[str, Any] = json.loads(text)["record"]
    return plain


def values(text: bytes, names: Sequence[str]) -> str:
    """Return some values of the document of a whole shard, as a JSON list; each has a line."""
    parts = []
    for name in names:
        mark = f'\n"{name}": '.encode()
        begin = text.index(mark) + len(mark)
        parts.append(text[begin : text.index(b"\n", begin)].rstrip(b","))
    return f"[{b', '.join(parts).decode('ascii')}]"


def blob_hash(text: bytes) -> str | None:
    """Return the sha256 of the blob of a whole shard, without parsing its document."""
    digest: str | None = json.loads(text.rpartition(SEAL.before)[0].rpartition(SCORES)[2])
    return digest


def _sealed_as(key: str) -> str:
    return f"{key} {SCHEMA}"


def _trouble(value: Any) -> str | None:
    """Return where and why a value is not strict JSON, such as "['curve'][3] is nan"."""
    if isinstance(value, list | tuple):
        return _trouble_inside(enumerate(value))
    if isinstance(value, dict):
        # Python would write the key 1 as "1", so that a dict with both would lose one of them.
        wrong = (f" has the key {key!r}" for key in value if not isinstance(key, str))
        return next(wrong, None) or _trouble_inside(value.items())
    if isinstance(value, float):
        return None if isfinite(value) else f" is {value}"
    if value is None or isinstance(value, str | int):
        is_long = isinstance(value, int) and value.bit_length() > BITS
        return " has too many digits" if is_long else None
    return f" is of type {type(value).__name__}"


def _trouble_inside(items: Iterable[tuple[Any, Any]]) -> str | None:
    troubles = ((place, trouble) for place, inner in items if (trouble := _trouble(inner)))
    return next((f"[{place!r}]{trouble}" for place, trouble in troubles), None)
