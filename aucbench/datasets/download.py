"""Download data files into the user's cache by pooch; their sha256 must match.

CACHE/files/3f9a.../NAME   a file; the folder has the first 16 digits of its sha256, or of the
hash of all files that belong together
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from aucbench.datasets.endings import short_reason
from aucbench.errors import DataError
from aucbench.progress import Progress, show_progress

CACHE = "AUCBENCH_CACHE"
WORKER = "AUCBENCH_SUPERVISED"  # is set in all processes that a run has started
DIGITS, SHOWN = 16, 12  # of the sha256: in the name of a folder, and in a message
CHUNK = 1 << 16  # bytes
# As curl asks: a server that packed a file on its way would change its hash.
HEADERS = {"Accept-Encoding": "identity", "User-Agent": "aucbench"}
SILENCE = 30.0  # seconds to connect, and seconds without a byte


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A data file, and where it can be downloaded."""

    name: str  # in the cache; its ending says the format
    urls: tuple[str, ...]  # the source, then mirrors
    sha256: str
    size: int | None = None  # bytes, if it is known


def is_url(source: str) -> bool:
    """Return whether `source` begins as `scheme://`, so that it is no path and no name.

    A scheme of one letter is a drive of Windows.
    """
    return re.match(r"[a-z][a-z0-9+.-]+://", source, re.IGNORECASE) is not None


def cache_folder() -> Path:
    """Return the folder that AUCBENCH_CACHE names, or else `aucbench` in the user's cache."""
    if named := os.environ.get(CACHE):
        return Path(named).expanduser().absolute()
    import pooch

    return Path(pooch.os_cache("aucbench"))


def cached_paths(files: Sequence[RemoteFile]) -> tuple[Path, ...]:
    """Return where files that belong together are in the cache; they may not be there."""
    if not files:
        return ()
    digest = files[0].sha256
    if len(files) > 1:
        listed = "\n".join(f"{file.sha256} {file.name}" for file in files)
        digest = hashlib.sha256(listed.encode()).hexdigest()
    folder = cache_folder() / "files" / digest[:DIGITS]
    return tuple(folder / file.name for file in files)


def fetch_files(files: Sequence[RemoteFile], *, progress: bool = False) -> tuple[Path, ...]:
    """Return local copies of files, whose content is checked; download those that are lacking.

    Several files are returned in one folder, since formats of several files look for the others
    beside the first, by name.

    Raises
    ------
    DataError
        When no address gives a file with its sha256, or the cache cannot hold it.
    """
    places = [*zip(files, cached_paths(files), strict=True)]
    shown = progress and WORKER not in os.environ and not all(p.is_file() for _, p in places)
    with show_progress(0, _write_line, quiet=not shown) as display:
        for file, path in places:
            if not path.is_file():
                size = "size unknown" if file.size is None else f"{file.size / 1e6:.1f} MB"
                display.write(f"downloading {file.name} from {file.urls[0]} ({size})")
            _retrieve(file, path, _receiver(display))
    return cached_paths(files)


def _write_line(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


def _receiver(display: Progress) -> Any:
    """Return what downloads a file, and shows how many bytes have come."""
    import pooch

    return pooch.HTTPDownloader(
        progressbar=_Bytes(display), chunk_size=CHUNK, headers=HEADERS, timeout=SILENCE
    )


class _Bytes:
    """The bytes of a file as pooch counts them."""

    def __init__(self, display: Progress) -> None:
        self._display = display
        self.update = display.advance

    @property
    def total(self) -> int:
        """Bytes of the file; 0: the server does not say."""
        return self._display.total

    @total.setter
    def total(self, size: int) -> None:
        self._display.begin(size)

    def reset(self) -> None:
        """Begin again."""
        self._display.begin(self.total)

    def close(self) -> None:
        """Do nothing: the display goes on with the next file."""


def keep(file: RemoteFile, make: Callable[[], bytes]) -> Path:
    """Return where a file is in the cache; `make` returns its content, where it is not there.

    Raises
    ------
    DataError
        When the content has another sha256, or the cache cannot hold it.
    """

    def write(_url: str, into: str, _pooch: object) -> None:
        Path(into).write_bytes(make())

    [path] = cached_paths([file])
    _retrieve(file, path, write)
    return path


def fetch(source: str) -> Path:
    """Return the local copy of `https://host/file#sha256=HEX`; download it if necessary."""
    address, _, fragment = source.partition("#")
    wanted = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    if not wanted:
        raise DataError(
            f"{source} has no hash; write {address}#sha256=HEX, where HEX is what sha256sum prints "
            "for the file"
        )
    last = unquote(address.partition("?")[0]).rpartition("/")[2]
    name = re.sub(r"[^\w.+-]", "_", last).lstrip(".")[-100:] or "file"
    file = RemoteFile(name, (address,), wanted[1].lower())
    return fetch_files([file], progress=True)[0]


def _retrieve(file: RemoteFile, path: Path, receive: Any) -> None:
    """Ask one address after the other for a file, unless it is in the cache with its content."""
    import pooch

    pooch.get_logger().setLevel("WARNING")  # what it would say is shown by us
    reasons = []
    for url in file.urls:
        try:
            pooch.retrieve(url, f"sha256:{file.sha256}", path.name, path.parent, downloader=receive)
            return
        except OSError as error:  # also those of requests
            reasons.append(f"{url}: {short_reason(error)}")
        except ValueError:
            reasons.append(f"{url}: the content has another sha256 than {file.sha256[:SHOWN]}...")
    raise DataError(
        f"{file.name} could not be downloaded ({'; '.join(reasons)}); check the network, the "
        f"address, the hash, and the folder {CACHE}, or save the file yourself as {path}"
    )
