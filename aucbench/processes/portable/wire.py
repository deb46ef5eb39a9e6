"""What crosses the pipes between the client and an interpreter.

To it: a JSON object, and bytes that go with it; later a byte that lets the call begin.

From it: frames, see `answers`, and some more kinds.
    warm      it has imported what all calls need
    begun     it has imported what this call needs, and waits for the byte
    refused   a module cannot be imported; the content says why
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, BinaryIO, NamedTuple

READY, BEGUN, REFUSED = b"w", b"b", b"p"
SIZES = Struct("<QQ")  # bytes of the object, and of all that goes with it
LENGTHS = "lengths"


class Message(NamedTuple):
    """An object, and bytes that go with it."""

    told: dict[str, Any]
    blobs: list[bytes]


def packed(told: Mapping[str, Any], blobs: Sequence[bytes] = ()) -> bytes:
    """Return a message as bytes."""
    text = json.dumps({**told, LENGTHS: [len(blob) for blob in blobs]}).encode()
    rest = b"".join(blobs)
    return SIZES.pack(len(text), len(rest)) + text + rest


def read(pipe: BinaryIO) -> Message | None:
    """Wait for a message; None when the other end is closed."""
    head = pipe.read(SIZES.size)
    if len(head) < SIZES.size:
        return None
    size, rest = SIZES.unpack(head)
    text, content = pipe.read(size), pipe.read(rest)
    if len(text) < size or len(content) < rest:
        return None
    told, blobs, at = json.loads(text), [], 0
    for length in told.pop(LENGTHS):
        blobs.append(content[at : at + length])
        at += length
    return Message(told, blobs)
