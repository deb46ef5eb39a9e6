"""One record, one file: the text of a shard, and the proof that it is whole.

    {
    "record": {
    "auc": 0.93,
    ...
    "id": "3f..."
    },
    "schema": 1,
    "scores": "sha256 of the file with the scores, or null",
    "seal": "sha256 of id and all lines above this one"
    }

Keys are sorted, a line holds one key of the record, and a final newline ends the file, so
that git shows and merges what changed. The seal finds what a parser would not: a lost tail
that happens to be valid, a flipped digit, a file copied over another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from hashlib import sha256
from math import isfinite
from typing import Any

from aucbench.errors import DataError, ParameterError

SCHEMA = 1
ID = re.compile(r"[0-9a-z][0-9a-z_-]{1,127}")
BEFORE_SEAL, AFTER_SEAL = b',\n"seal": "', b'"\n}\n'
BITS = 2**13  # of an integer; the parser refuses one of 4300 digits
LENGTH = len(BEFORE_SEAL) + 64 + len(AFTER_SEAL)

_dumps = partial(json.dumps, sort_keys=True, allow_nan=False)


class Fault(Enum):
    """Why a shard does not count; the value is the sentence, the name goes into its new name."""

    DAMAGED = "is truncated or damaged"
    SCHEMA = "has another schema"
    FOREIGN = "holds the record of another cell"
    MISPLACED = "does not lie where its name belongs"


@dataclass(frozen=True, slots=True)
class Shard:
    """What a shard says."""

    record: dict[str, Any]
    scores: str | None  # sha256, hexadecimal


def require_id(cell: Any) -> str:
    """Return the id `cell` when it can be the name of a shard.

    Raises
    ------
    ParameterError
        When it cannot: it would lead out of the folder, or clash where case is ignored.
    """
    if not (isinstance(cell, str) and ID.fullmatch(cell)):
        raise ParameterError(
            f"the id of a cell is 2 to 128 of the characters 0-9 a-z _ -, got {cell!r}; use a "
            "hexadecimal hash"
        )
    return cell


def shard_text(record: Mapping[str, Any], scores: bytes | None) -> bytes:
    """Return the text of the shard of a record.

    Raises
    ------
    DataError
        When the record holds what strict JSON cannot: a number that is not finite, say.
    """
    try:
        trouble = _trouble(dict(record))
    except RecursionError:
        trouble = " is nested without end"
    if trouble is not None:
        raise DataError(
            f"the record of {record.get('id')!r} cannot be stored: record{trouble}; give plain "
            "values, null for a number that is not finite"
        )
    lines = ",\n".join(f"{_dumps(key)}: {_dumps(record[key])}" for key in sorted(record))
    digest = None if scores is None else sha256(scores).hexdigest()
    head = f'{{\n"record": {{\n{lines}\n}},\n"schema": {SCHEMA},\n"scores": {_dumps(digest)}'
    body = head.encode("ascii")
    return body + BEFORE_SEAL + _seal(record["id"], body) + AFTER_SEAL


def is_whole(cell: str, text: bytes) -> bool:
    """Whether `text` is the complete shard of `cell`, of this schema."""
    return text[-LENGTH:] == BEFORE_SEAL + _seal(cell, text[:-LENGTH]) + AFTER_SEAL


def parse(text: bytes) -> Shard:
    """Return what a whole shard says."""
    said = json.loads(text)
    return Shard(said["record"], said["scores"])


def diagnose(cell: str, text: bytes) -> Fault:
    """Return what is wrong with a shard that is not whole."""
    try:
        said = json.loads(text)
        schema, owner = said["schema"], said["record"]["id"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Fault.DAMAGED
    if schema != SCHEMA:
        return Fault.SCHEMA
    return Fault.FOREIGN if owner != cell else Fault.DAMAGED


def _seal(cell: str, body: bytes) -> bytes:
    return sha256(f"{cell} {SCHEMA}\n".encode() + body).hexdigest().encode()


def _trouble(value: Any) -> str | None:
    """Where and why a value is not strict JSON, such as "['curve'][3] is nan"."""
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
    # Python would write the key 1 as "1", and lose one of the two where both are there.
    return next((f" has the key {key!r}" for key in keys if not isinstance(key, str)), None)


def _trouble_inside(items: Iterable[tuple[Any, Any]]) -> str | None:
    for key, value in items:
        trouble = _trouble(value)
        if trouble is not None:
            return f"[{key!r}]{trouble}"
    return None
