"""The content of compressed files, up to a limit.

A small file can hold very much: 1 MB of bzip2 can become more than 1 TB of zeros (a decompression
bomb). So the content may be 1000 times as long as the file, or 100 MB if that is more, but 50 GB at
most; and a file of xz may need 1 GB of memory, where `xz -9` needs 65 MB.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Mapping
from functools import partial
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_BZIP2, ZipFile, ZipInfo, is_zipfile

from aucbench.datasets.endings import BZ2, GZ, XZ, ZIP
from aucbench.errors import DataError

RATIO = 1000
SMALL = 10**8  # bytes
LARGEST = 50 * 10**9  # bytes
MEMORY = 10**9  # bytes
CHUNK = 1 << 16  # bytes
_Opener = Callable[[Path], Any]  # gives what has `read` and `close`


def limit_of(packed: int) -> int:
    """Return how many bytes a compressed file of `packed` bytes may become."""
    return min(LARGEST, max(SMALL, RATIO * packed))


def open_plain(path: Path) -> IO[bytes]:
    """Open a file for reading; a compressed one is decompressed."""
    opener = _OPENERS.get(path.suffix.lower())
    return path.open("rb") if opener is None else BufferedReader(_Plain(path, opener), CHUNK)


class Xz:
    """Decompress xz and lzma within a limit of memory, which `lzma.open` does not have."""

    def __init__(self, path: Path):
        self._file = path.open("rb")
        self.close = self._file.close
        self._decoder = self._new()

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        data = b""
        while not data:
            packed = b""
            if self._decoder.eof:
                packed = self._between()
                if not packed:
                    return b""
                self._decoder = self._new()
            elif self._decoder.needs_input and not (packed := self._file.read(CHUNK)):
                raise EOFError("it ends in the middle")
            try:
                data = self._decoder.decompress(packed, size)
            except lzma.LZMAError as error:
                if "Memory usage limit" not in str(error):
                    raise
                raise DataError(
                    f"decompressing it takes more than {MEMORY:,} bytes of memory; pack it again, "
                    "for example with xz -9"
                ) from error
        return data

    def _between(self) -> bytes:
        """Return what follows the end of a stream, without the zeros that fill it up."""
        packed = self._decoder.unused_data.lstrip(b"\0")
        while not packed and (more := self._file.read(CHUNK)):
            packed = more.lstrip(b"\0")
        return packed

    def _new(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(memlimit=MEMORY)


def _zipped(path: Path) -> IO[bytes]:
    with ZipFile(path) as archive:  # the file stays open as long as its member is
        return archive.open(only_member(archive))


def only_member(archive: ZipFile) -> ZipInfo:
    """Return the only file of an archive that has no other; raise `DataError` if there is none."""
    members = [
        info
        for info in archive.infolist()
        if not info.is_dir()
        and not info.filename.startswith("__MACOSX/")
        and not Path(info.filename).name.startswith(".")
    ]
    if len(members) != 1:
        listed = ", ".join(info.filename for info in members[:5]) or "nothing"
        raise DataError(
            f"there are {len(members)} files in the archive ({listed}); give one with one table"
        )
    if members[0].flag_bits & 1:
        raise DataError("the archive needs a password; unpack it first")
    _refuse_bzip2(members[0])
    return members[0]


def require_small_members(stream: IO[bytes]) -> None:
    """Raise `DataError` if the files of a zip archive, such as .npz and .xlsx, are too long.

    zipfile reads no more bytes than the archive declares.
    """
    if is_zipfile(stream):
        with ZipFile(stream) as archive:
            members = archive.infolist()
        for info in members:
            _refuse_bzip2(info)
        packed = sum(info.compress_size for info in members)
        if sum(info.file_size for info in members) > limit_of(packed):
            raise _too_long(packed)
    stream.seek(0)


def _refuse_bzip2(info: ZipInfo) -> None:
    if info.compress_type == ZIP_BZIP2:  # zipfile decompresses whole pieces of it, of any length
        raise DataError(
            f"{info.filename} is packed by bzip2 in the archive, wanted deflate; unpack it first"
        )


class _Plain(RawIOBase):
    """The content of a compressed file; to go back, it begins anew."""

    def __init__(self, path: Path, opener: _Opener):
        self._open = partial(opener, path)
        self._source, self._at = self._open(), 0
        self._packed = path.stat().st_size
        self._limit = limit_of(self._packed)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        if self._at > self._limit:
            raise _too_long(self._packed)
        return len(data)

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        scratch = memoryview(bytearray(CHUNK))
        if whence == SEEK_CUR:
            offset += self._at
        elif whence == SEEK_END:
            while self.readinto(scratch):
                continue
            offset += self._at
        if offset < self._at:
            self._source.close()
            self._source, self._at = self._open(), 0
        while self._at < offset and self.readinto(scratch[: offset - self._at]):
            continue
        return self._at

    def close(self) -> None:
        if not self.closed:
            self._source.close()
        super().close()


def _too_long(packed: int) -> DataError:
    return DataError(
        f"its {packed:,} bytes become more than {limit_of(packed):,} when they are decompressed; "
        "if they are meant to, unpack it yourself and give the unpacked file"
    )


_OPENERS: Mapping[str, _Opener] = {
    XZ: Xz,
    BZ2: bz2.open,
    GZ: gzip.open,
    ZIP: _zipped,
}
