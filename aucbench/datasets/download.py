"""Download data from a URL into the user's cache; the sha256 of the content must match."""

from __future__ import annotations

import re
from pathlib import Path

from aucbench.errors import DataError


def is_url(source: str) -> bool:
    """Return whether `source` is a URL, and not a path or a name."""
    return source.lower().startswith(("http://", "https://"))


def fetch(source: str) -> Path:
    """Return the local copy of `https://host/file#sha256=HEX`; download it if necessary.

    Parameters
    ----------
    source : str
        The URL, and after `#sha256=` the hash of the content as 64 hexadecimal digits. The hash
        ensures that a result is always about the same data.

    Raises
    ------
    DataError
        When the hash is missing or differs, or when the URL cannot be read.
    """
    import pooch

    address, _, fragment = source.partition("#")
    wanted = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    if not wanted:
        raise DataError(
            f"{source} has no hash; write {address}#sha256=HEX, where HEX is what sha256sum prints "
            "for the file"
        )
    cache = pooch.os_cache("aucbench")
    known = f"sha256:{wanted[1].lower()}"
    try:
        return Path(pooch.retrieve(address, known_hash=known, path=cache))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{address} could not be downloaded ({' '.join(str(error).split())}); check the URL "
            "and the hash"
        ) from error
