"""Names of files and addresses that are safe, whatever a task or a solver is called."""

from __future__ import annotations

import re
from hashlib import sha256
from unicodedata import normalize

LONGEST = 60  # characters of a name in the name of a file
DIGITS = 8  # of its hash


def file_name(name: str) -> str:
    """Return a name of a file without ending: letters, digits and hyphens of a name, and its hash.

    It depends on the name alone, so that addresses stay when a board grows. Two names have two
    files, also where a disk does not know large letters from small ones.
    """
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].rstrip("-")
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    return f"{slug}-{digest}" if slug else digest


def web_address(text: str) -> str:
    """Return an address that a page may link to; empty for any other text, such as a script."""
    return text if re.fullmatch(r"https?://[^\s\"'<>\\]+", text) else ""
