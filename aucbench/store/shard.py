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
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from hashlib import sha256
from math import isfinite
from typing import Any

from aucbench.errors import DataError, ParameterError

SCHEMA = 2
KEY = re.compile(r"[0-9a-z][0-9a-z_-]{1,127}")
HEAD, BEFORE_SEAL, AFTER_SEAL = b'{\n"record": {\n', b',\n"seal": "', b'"\n}\n'
SCORES = b'"scores": '  # the last name before the seal
BITS = 2**13  # of an integer; the parser refuses integers of more than 4300 digits
LENGTH = len(BEFORE_SEAL) + 64 + len(AFTER_SEAL)

_dumps = partial(json.dumps, sort_keys=True, allow_nan=False)


class Fault(Enum):
    """What is wrong with a shard: a sentence; the name becomes part of the new file name."""

    DAMAGED = "is truncated or damaged"
    SCHEMA = "has another schema"
    FOREIGN = "holds the result of another key"
    MISPLACED = "is in the wrong folder"


@dataclass(frozen=True, slots=True)
class Shard:
    """The content of a shard."""

    document: dict[str, Any]
    blob_hash: str | None  # sha256, hexadecimal


def require_key(key: Any) -> str:
    """Return the key when it can be the name of a file.

    Raises
    ------
    ParameterError
        When it cannot: the path could lead out of the folder, or two keys could be the same
        file where the file system ignores case.
    """
    if not (isinstance(key, str) and KEY.fullmatch(key)):
        raise ParameterError(
            f"a key of a results folder is 2 to 128 of the characters 0-9 a-z _ -, got {key!r}; "
            "use a hexadecimal hash"
        )
    return key


def shard_text(document: Mapping[str, Any], blob: bytes | None) -> bytes:
    """Return the text of the shard of a document, whose key is under "id".

    Raises
    ------
    DataError
        When strict JSON cannot hold the document, for example a number that is not finite.
    """
    try:
        trouble = _trouble(dict(document))
    except RecursionError:
        trouble = " is nested without end"
    if trouble is not None:
        raise DataError(
            f"the result {document.get('id')!r} cannot be stored: document{trouble}; give plain "
            "values, and null for a number that is not finite"
        )
    lines = ",\n".join(f"{_dumps(name)}: {_dumps(document[name])}" for name in sorted(document))
    blob_hash = None if blob is None else sha256(blob).hexdigest()
    head = f'{{\n"record": {{\n{lines}\n}},\n"schema": {SCHEMA},\n"scores": {_dumps(blob_hash)}'
    body = head.encode("ascii")
    return body + BEFORE_SEAL + _seal(document["id"], body) + AFTER_SEAL


def is_whole(key: str, text: bytes) -> bool:
    """Whether `text` is the complete shard of this key, of this schema."""
    return text[-LENGTH:] == BEFORE_SEAL + _seal(key, text[:-LENGTH]) + AFTER_SEAL


def parse(text: bytes) -> Shard:
    """Return the content of a whole shard."""
    found = json.loads(text)
    return Shard(found["record"], found["scores"])


def values(text: bytes, names: Collection[str]) -> dict[str, Any]:
    """Return some values of the document of a whole shard, each from the line that it has."""
    found = {}
    for name in names:
        mark = f'\n"{name}": '.encode()
        begin = text.index(mark) + len(mark)
        found[name] = _value(text[begin : text.index(b"\n", begin)].rstrip(b","))
    return found


@lru_cache(maxsize=1024)  # many records were made under the same conditions
def _value(line: bytes) -> Any:
    return json.loads(line)


def blob_hash(text: bytes) -> str | None:
    """Return the hash of the blob of a whole shard, without parsing its document."""
    found: str | None = json.loads(text[:-LENGTH].rpartition(SCORES)[2])
    return found


def found_in(content: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield key, begin and length of the whole shards in a file of many, of which no list is left.

    No text inside a shard can look like its head or its seal: JSON writes a line feed in a text as
    an escape. So a shard ends with the first seal, also where the head of the next one is damaged.
    """
    for head in re.finditer(re.escape(HEAD), content):
        begin = head.start()
        text = content[begin : content.find(BEFORE_SEAL, begin) + LENGTH]
        try:
            key = require_key(values(text, ["id"])["id"])
        except (ValueError, LookupError):
            continue
        if is_whole(key, text):
            yield key, begin, len(text)


def diagnose(key: str, text: bytes) -> Fault:
    """Return what is wrong with a shard that is not whole."""
    try:
        found = json.loads(text)
        schema, owner = found["schema"], found["record"]["id"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Fault.DAMAGED
    if schema != SCHEMA:
        return Fault.SCHEMA
    return Fault.FOREIGN if owner != key else Fault.DAMAGED


def _seal(key: str, body: bytes) -> bytes:
    return sha256(f"{key} {SCHEMA}\n".encode() + body).hexdigest().encode()


def _trouble(value: Any) -> str | None:
    """Return where and why a value is not strict JSON, such as "['curve'][3] is nan"."""
    if value is None or isinstance(value, bool | str):
        return None
    if isinstance(value, float):
        return None if isfinite(value) else f" is {value}"
    if isinstance(value, int):
        return None if value.bit_length() <= BITS else " has too many digits"
    if isinstance(value, dict):
        return _trouble_of_keys(value) or _trouble_inside(value.items())
    if isinstance(value, list | tuple):
        return _trouble_inside(enumerate(value))
    return f" is of type {type(value).__name__}"


def _trouble_of_keys(keys: Iterable[Any]) -> str | None:
    # Python would write the key 1 as "1", so that a dict with both would lose one of them.
    return next((f" has the key {key!r}" for key in keys if not isinstance(key, str)), None)


def _trouble_inside(items: Iterable[tuple[Any, Any]]) -> str | None:
    for place, value in items:
        trouble = _trouble(value)
        if trouble is not None:
            return f"[{place!r}]{trouble}"
    return None
