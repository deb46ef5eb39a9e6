"""Data from a URL, kept in the user's cache, accepted by its sha256 only."""

from __future__ import annotations

import re
from pathlib import Path

from aucbench.errors import DataError


def is_url(source: str) -> bool:
    """Whether `source` is an address rather than a path or a name."""
    return source.lower().startswith(("http://", "https://"))


def fetch(source: str) -> Path:
    """Return the local copy of `https://host/file#sha256=HEX`, downloaded when not cached.

    Parameters
    ----------
    source : str
        The address, and after `#sha256=` the 64 hexadecimal digits of the content's hash:
        a number that is measured today must mean the same data tomorrow.

    Raises
    ------
    DataError
        When the hash is missing or differs, or the address cannot be read.
    """
    import pooch

    address, _, fragment = source.partition("#")
    wanted = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    if not wanted:
        raise DataError(
            f"{source} has no hash; write {address}#sha256=HEX with what sha256sum prints for "
            "the file"
        )
    cache = pooch.os_cache("aucbench")
    known = f"sha256:{wanted[1].lower()}"
    try:
        return Path(pooch.retrieve(address, known_hash=known, path=cache))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{address} could not be fetched: {' '.join(str(error).split())}"
        ) from error
