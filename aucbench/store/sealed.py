"""A seal at the end of a file: the sha256 of its name and of all that stands before it.

It finds what a parser does not: a changed digit, and a file that was copied over another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Seal:
    """How the seal stands in files of one kind."""

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
