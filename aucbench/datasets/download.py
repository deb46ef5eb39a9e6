"""Download data files from http and https into the user's cache; their sha256 must match.

    CACHE/
      files/3f9a.../NAME   a file; the folder has the first 16 digits of its sha256
      files/3f9a....lock   is locked while it is downloaded
      sets/81c0.../NAME    links to files that belong together

pooch writes a file under another name, compares its hash and renames it. Here are the rest of the
rules: mirrors, patience, sizes, redirects (see `addresses`), and one download for all processes.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from aucbench.datasets.addresses import RefusedError, redirected, require_address
from aucbench.errors import DataError

if TYPE_CHECKING:
    import requests

CACHE = "AUCBENCH_CACHE"
WORKER = "AUCBENCH_SUPERVISED"  # is set in all processes that a run has started
DIGITS = 16  # of the sha256 in the name of a folder
SHOWN = 12  # of the sha256 in a message
CHUNK = 1 << 16  # bytes
HEADERS = {"Accept-Encoding": "identity", "User-Agent": "aucbench"}
SILENCE = 30.0  # seconds to connect, and seconds without a byte
LARGEST = 20_000_000_000  # bytes of a body
REDIRECTS = 5  # how often one address may send us to the next
UNFINISHED = "tmp????????"  # names of the files that pooch writes


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A data file, and where it can be downloaded."""

    name: str  # in the cache; its ending says the format
    urls: tuple[str, ...]  # the source, then mirrors
    sha256: str
    size: int | None = None  # bytes, if it is known

    def __post_init__(self) -> None:
        if self.name in ("", ".", "..") or re.search(r"[/\\\0]", self.name):
            raise DataError(f"{self.name!r} is no name of a file; give one without a folder")
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise DataError(
                f"{self.name} has the hash {self.sha256!r}, wanted 64 hexadecimal digits; give "
                "what sha256sum prints for the file"
            )
        if not self.urls:
            raise DataError(f"{self.name} has no address; give one of http or https")
        for url in self.urls:
            require_address(url)


def cache_folder() -> Path:
    """Return the folder that AUCBENCH_CACHE names, or else `aucbench` in the user's cache."""
    if named := os.environ.get(CACHE):
        return Path(named).expanduser().absolute()
    import pooch

    return Path(pooch.os_cache("aucbench"))


def cached_path(file: RemoteFile) -> Path | None:
    """Return where a file of the wanted size is in the cache, or None; its content is not read."""
    path = _place(file)
    return path if _has_size(path, file) else None


def fetch_files(files: Sequence[RemoteFile], *, progress: bool = False) -> tuple[Path, ...]:
    """Return local copies of files, whose content is checked; download those that are lacking.

    Several files are returned in one folder, since formats of several files look for the others
    beside the first, by name.
    """
    if len({file.name for file in files}) < len(files):
        raise DataError(
            f"{', '.join(file.name for file in files)} are fetched together and have a name twice; "
            "give each file a name of its own"
        )
    paths = [_filled(file, partial(_download, file), progress=progress) for file in files]
    if len(paths) < 2:
        return tuple(paths)
    listed = "\n".join(f"{file.sha256} {file.name}" for file in files)
    folder = cache_folder() / "sets" / hashlib.sha256(listed.encode()).hexdigest()[:DIGITS]
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            _link(folder / path.name, path)
    return tuple(folder / path.name for path in paths)


def keep(file: RemoteFile, make: Callable[[], bytes]) -> Path:
    """Return where a file is in the cache; `make` returns its content, where it is not there.

    Raises
    ------
    DataError
        When the content has another sha256, or the cache cannot hold it.
    """

    def written(path: Path, _: _Shown) -> None:
        content = make()
        found = hashlib.sha256(content).hexdigest()
        if found != file.sha256:
            raise DataError(
                f"{file.name} has the sha256 {found[:SHOWN]}... and not {file.sha256[:SHOWN]}...; "
                "what it comes from is damaged, or another version"
            )
        _write(path, content)

    return _filled(file, written, progress=False)


def _link(link: Path, path: Path) -> None:
    """Let a file have a second place; its target follows from the name of the folder."""
    if sys.platform == "win32":  # where not every user may make symbolic links
        link.unlink(missing_ok=True)
        link.hardlink_to(path)
        return
    with suppress(FileExistsError):
        link.symlink_to(os.path.relpath(path, link.parent))


def fetch(source: str) -> Path:
    """Return the local copy of `https://host/file#sha256=HEX`; download it if necessary."""
    address, _, fragment = source.partition("#")
    require_address(address)
    wanted = re.fullmatch(r"sha256=([0-9a-fA-F]{64})", fragment)
    if not wanted:
        raise DataError(
            f"{source} has no hash; write {address}#sha256=HEX, where HEX is what sha256sum prints "
            "for the file"
        )
    last = unquote(urlsplit(address).path).rpartition("/")[2]
    name = re.sub(r"[^\w.+-]", "_", last).lstrip(".")[-100:] or "file"
    file = RemoteFile(name, (address,), wanted[1].lower())
    return fetch_files([file], progress=True)[0]


def _place(file: RemoteFile) -> Path:
    return cache_folder() / "files" / file.sha256[:DIGITS] / file.name


def _filled(file: RemoteFile, fill: Callable[[Path, _Shown], None], *, progress: bool) -> Path:
    """Return the path of a file with the wanted content; `fill` writes it, in one process."""
    from filelock import FileLock, Timeout

    path = _place(file)
    with _writing(path):
        if _is(path, file):
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.parent.with_suffix(".lock"))
        with _Shown(file.name, progress) as shown:
            try:
                lock.acquire(blocking=False)
            except Timeout:
                shown.line(f"{file.name} is being downloaded by another process; waiting for it")
                lock.acquire()
            try:
                if not _is(path, file):  # else another process was quicker
                    for left in path.parent.glob(UNFINISHED):  # by a process that was killed
                        left.unlink()
                    fill(path, shown)
            finally:
                lock.release()
    return path


def _write(path: Path, content: bytes) -> None:
    """Write a file under another name, and rename it."""
    handle, name = mkstemp(prefix=UNFINISHED.rstrip("?"), dir=path.parent)
    try:
        with open(handle, "wb") as out:  # noqa: PTH123 - a number of an open file
            out.write(content)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _download(file: RemoteFile, path: Path, shown: _Shown) -> None:
    """Ask one address after the other."""
    import pooch

    pooch.get_logger().setLevel("WARNING")  # what it would say is shown by us
    said = []
    most = LARGEST if file.size is None else min(LARGEST, file.size)
    for url in file.urls:
        receive = partial(_receive, most, shown)
        try:
            pooch.retrieve(url, f"sha256:{file.sha256}", path.name, path.parent, downloader=receive)
            return
        except RefusedError as error:
            said.append(f"{url}: {error}")
        except ValueError as error:  # of pooch
            got = re.search(r"got ([0-9a-f]{64})", str(error))
            if got is None:
                raise
            differs = f"the sha256 is {got[1][:SHOWN]}... and not {file.sha256[:SHOWN]}..."
            said.append(f"{url}: its hash differs, {differs}")
    raise DataError(
        f"{file.name} could not be downloaded ({'; '.join(said)}); check the network, the address "
        f"and the hash, or save the file yourself as {path}"
    )


def _receive(most: int, shown: _Shown, url: str, into: str, _: Any) -> None:
    """Write the content of an address into a file; pooch calls it."""
    import requests
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    came, end = 0, None
    Path(into).unlink()  # which pooch has made for its owner alone
    try:
        with (
            _session(url) as session,
            session.get(url, headers=HEADERS, timeout=SILENCE, stream=True) as answer,
            Path(into).open("xb") as out,
        ):
            end = _length(answer, most)
            shown.begins(answer.url, end)
            for piece in answer.raw.stream(CHUNK, decode_content=False):  # as curl would save it
                came += len(piece)
                _require_size(came, "it has more bytes", most)
                out.write(piece)
                shown.came(len(piece))
    except requests.TooManyRedirects as error:
        raise RefusedError(f"it redirects more than {REDIRECTS} times") from error
    except (requests.Timeout, ReadTimeoutError) as error:
        after = f" after {came:,} bytes" if came else ""
        raise RefusedError(f"it was silent for {SILENCE:g} s{after}") from error
    except requests.RequestException as error:
        raise RefusedError(f"it cannot be reached: {_reason(error)}") from error
    except HTTPError as error:
        whole = "?" if end is None else f"{end:,}"
        raise RefusedError(f"the connection ended after {came:,} of {whole} bytes") from error


def _session(url: str) -> requests.Session:
    """Return what follows the redirects of `url` that are allowed, without reading their bodies."""
    import requests

    class Session(requests.Session):
        def get_redirect_target(self, resp: requests.Response) -> str | None:
            target = super().get_redirect_target(resp)
            if target is not None:
                redirected(url, resp.url, target)
                resp.raw.close()  # however long its body is
            return target

    session = Session()
    session.max_redirects = REDIRECTS
    return session


def _length(answer: Any, most: int) -> int | None:
    """Return the bytes of a body, None where the server does not say; refuse what is no answer."""
    if answer.status_code != 200:
        raise RefusedError(f"it answers {answer.status_code} {answer.reason or ''}".strip())
    length = re.fullmatch(r"[0-9]{1,18}", answer.headers.get("Content-Length", ""))
    if length is None:
        return None
    _require_size(int(length[0]), f"it has {int(length[0]):,} bytes", most)
    return int(length[0])


def _require_size(size: int, what: str, most: int) -> None:
    if size > most:
        raise RefusedError(f"{what}, wanted at most {most:,}")


def _reason(error: BaseException) -> str:
    """Return the innermost reason of an exception of requests, without its wrappers."""
    inner = getattr(error, "reason", None) or next(reversed(error.args), None)
    if isinstance(inner, BaseException):
        return _reason(inner)
    text = re.sub(r"\[Errno -?\d+\] ", "", str(error).rpartition(": ")[2])
    return " ".join(text.split()) or type(error).__name__


def _is(path: Path, file: RemoteFile) -> bool:
    """Return whether `path` is there with the content of `file`."""
    if not _has_size(path, file):
        return False
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256


def _has_size(path: Path, file: RemoteFile) -> bool:
    return path.is_file() and file.size in (None, path.stat().st_size)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a `DataError`."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"the cache cannot hold {path} ({error.strerror or error}); free some space, make the "
            f"folder writable, or name another one in {CACHE}"
        ) from error


class _Shown(ExitStack):
    """A download is shown by a bar on a terminal, by lines elsewhere, and never in a worker."""

    def __init__(self, name: str, wanted: bool):
        super().__init__()
        self._name, self._wanted = name, wanted and WORKER not in os.environ
        self._bars: Any = None

    def line(self, text: str) -> None:
        if self._wanted:
            sys.stderr.write(f"{text}\n")

    def begins(self, url: str, size: int | None) -> None:
        """The content comes from `url`; None if its size is not known."""
        if not self._wanted:
            return
        if not sys.stderr.isatty():
            told = "size unknown" if size is None else f"{size / 1e6:.1f} MB"
            self.line(f"downloading {self._name} from {url} ({told})")
            return
        from rich import progress
        from rich.console import Console

        self.close()  # the bar of another address
        columns = (
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(),
        )
        self._bars = self.enter_context(progress.Progress(*columns, console=Console(stderr=True)))
        self._bars.add_task(f"{self._name} ({url})", total=size)

    def came(self, count: int) -> None:
        if self._bars:
            self._bars.advance(self._bars.task_ids[-1], count)
