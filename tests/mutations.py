"""Damage to the bytes of a file: flips, cuts, other sizes in headers, other members of archives."""

from __future__ import annotations

import re
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

NUMBERS = (0, 1, 127, 255, 2**31 - 1, 2**31, 2**32 - 1, 10**11, 2**62, 2**63, 2**64 - 1)
WORDS = (b"", *b'0 -1 99999999999 1e9 nan [ ) < " |O <U9999999'.split())
TAIL = 1000  # bytes at the end, where Parquet and Arrow say what is in the file


def mutated(content, rng):
    """Return content with one kind of damage, to itself or to the members of an archive."""
    if content[:2] == b"PK" and rng.random() < 0.7:
        return _other_members(content, rng)
    at = max(0, len(content) - TAIL) if rng.random() < 0.5 else 0
    return content[:at] + rng.choice(DAMAGES)(bytearray(content[at:]), rng)


def _flipped(part, rng):
    for _ in range(rng.choice((1, 1, 4, 32))):
        part[rng.randrange(len(part))] ^= 1 << rng.randrange(8)
    return bytes(part)


def _cut(part, rng):
    return bytes(part[: rng.randrange(len(part))])


def _other_number(part, rng):
    size = rng.choice((2, 4, 8))
    at = rng.randrange(max(1, len(part) - size))
    part[at : at + size] = (rng.choice(NUMBERS) % 256**size).to_bytes(size, "little")
    return bytes(part)


def _moved(part, rng):
    to, at, size = rng.randrange(len(part)), rng.randrange(len(part)), rng.choice((1, 4, 8, 64))
    part[to : to + rng.choice((0, size))] = part[at : at + size]
    return bytes(part)


def _other_word(part, rng):
    """Put something else in place of a number, a word or a sign of a header or of a text."""
    found = [*re.finditer(rb"\d+|[A-Za-z]+|[<>(){}\[\]'\",:/]", bytes(part))]
    if not found:
        return _flipped(part, rng)
    word, other = rng.choice(found), rng.choice((*WORDS, rng.choice(found)[0]))
    part[word.start() : word.end()] = other
    return bytes(part)


DAMAGES = (_flipped, _cut, _other_number, _moved, _other_word)


def _other_members(content, rng):
    """Return an archive one of whose members is damaged, empty, absent, or another one."""
    with ZipFile(BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    one, other = (rng.choice([*members]) for _ in range(2))
    how = rng.choice(("damaged", "damaged", "swapped", "empty", "absent"))
    if how == "damaged" and members[one]:
        members[one] = rng.choice(DAMAGES)(bytearray(members[one]), rng)
    elif how == "swapped":
        members[one], members[other] = members[other], members[one]
    elif how == "absent":
        del members[one]
    else:
        members[one] = b""
    packed = BytesIO()
    with ZipFile(packed, "w", rng.choice((ZIP_STORED, ZIP_DEFLATED))) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return packed.getvalue()
