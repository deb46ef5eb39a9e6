"""Receive one body from one address into an open file, from where the file ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from aucbench.datasets.download.progress import Show
from aucbench.datasets.download.rules import RefusedError, redirected, require_address

if TYPE_CHECKING:
    import requests

CHUNK = 1 << 16  # bytes


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server may ask of us."""

    silence: float = 30.0  # seconds to connect, and seconds without a byte
    size: int = 20_000_000_000  # bytes of a body
    redirects: int = 5  # how often one address may send us to the next


def receive(url: str, part: BinaryIO, limits: Limits, show: Show) -> int:
    """Append the rest of the body to `part`, and return the byte with which it began.

    A server that cannot continue sends the whole body, which replaces what the file held.
    """
    if part.tell() >= limits.size:
        cut(part, 0)
    if at := part.tell():
        with _answer(url, limits, at) as response:
            start = _start(response)
            if start in (0, at):
                return _append(response, start, part, limits, show)
    with _answer(url, limits, 0) as response:
        return _append(response, 0, part, limits, show)


def cut(part: BinaryIO, size: int) -> None:
    """Shorten an open file to its first `size` bytes, and go on there."""
    part.seek(part.truncate(size))


def _append(
    response: requests.Response, start: int, part: BinaryIO, limits: Limits, show: Show
) -> int:
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    cut(part, start)
    length = re.fullmatch(r"[0-9]{1,18}", response.headers.get("Content-Length", ""))
    end = start + int(length[0]) if length else None
    if end is not None and end > limits.size:
        raise _too_large(part, f"it has {end:,} bytes", limits)
    show.begins(response.url, start, end)
    came = start
    body = response.raw.stream(CHUNK, decode_content=False)  # as curl would save it
    try:
        for piece in body:
            came += len(piece)
            if came > limits.size:
                raise _too_large(part, "it has more bytes", limits)
            part.write(piece)
            show.came(len(piece))
    except ReadTimeoutError as error:
        raise RefusedError(_silent(limits, f" after {came:,} bytes")) from error
    except HTTPError as error:
        raise RefusedError(_broken(came, end)) from error
    if end is not None and came < end:
        raise RefusedError(_broken(came, end))
    return start


def _start(response: requests.Response) -> int | None:
    """Return the byte with which a body begins; None if the server does not say."""
    if response.status_code == 200:
        return 0
    given = re.match(r"bytes ([0-9]{1,18})-", response.headers.get("Content-Range", ""))
    return int(given[1]) if response.status_code == 206 and given else None


@contextmanager
def _answer(url: str, limits: Limits, at: int) -> Iterator[requests.Response]:
    """Ask for the bytes from `at` on, follow redirects, and refuse what is no answer."""
    import requests

    class Session(requests.Session):
        """Leaves redirects to us; else the body of a redirect is read, however long it is."""

        def get_redirect_target(self, resp: requests.Response) -> None:
            return None

    require_address(url)
    headers = {"Accept-Encoding": "identity", "User-Agent": "aucbench"}
    if at:
        headers["Range"] = f"bytes={at}-"
    address = url
    with Session() as session, ExitStack() as opened:
        for _ in range(limits.redirects + 1):
            try:
                response = session.get(
                    address,
                    headers=headers,
                    timeout=limits.silence,
                    stream=True,
                    allow_redirects=False,
                )
            except requests.Timeout as error:
                raise RefusedError(_silent(limits)) from error
            except requests.RequestException as error:
                raise RefusedError(f"it cannot be reached: {_reason(error)}") from error
            opened.callback(response.close)
            location = super(Session, session).get_redirect_target(response)
            if location is None:
                break
            address = redirected(url, address, location)
        else:
            raise RefusedError(f"it redirects more than {limits.redirects} times")
        if response.status_code not in ((200, 206, 416) if at else (200,)):
            raise RefusedError(f"it answers {response.status_code} {response.reason or ''}".strip())
        yield response


def _too_large(part: BinaryIO, found: str, limits: Limits) -> RefusedError:
    cut(part, 0)
    return RefusedError(f"{found}, wanted at most {limits.size:,}")


def _silent(limits: Limits, when: str = "") -> str:
    return f"it was silent for {limits.silence:g} s{when}"


def _broken(came: int, end: int | None) -> str:
    return f"the connection ended after {came:,} of {'?' if end is None else f'{end:,}'} bytes"


def _reason(error: BaseException) -> str:
    """Return the innermost reason of an exception of requests, without its wrappers."""
    inner = getattr(error, "reason", None) or next(reversed(error.args), None)
    if isinstance(inner, BaseException):
        return _reason(inner)
    text = re.sub(r"\[Errno -?\d+\] ", "", str(error).rpartition(": ")[2])
    return " ".join(text.split()) or type(error).__name__
