"""Which addresses are read, and which redirects are followed.

A server may redirect to an address inside the network of the user (server-side request forgery). So
an address that a server names must be public, unless the address that the user gave is private
itself. A proxy, if the environment names one, looks names up on its own.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from aucbench.errors import DataError

SCHEMES = ("http", "https")


class RefusedError(Exception):
    """What is wrong with a server or its answer; the message goes on after its address."""


def is_url(source: str) -> bool:
    """Return whether `source` begins as `scheme://`, so that it is no path and no name.

    A scheme of one letter is a drive of Windows.
    """
    return re.match(r"[a-z][a-z0-9+.-]+://", source, re.IGNORECASE) is not None


def require_address(url: str) -> None:
    """Raise `DataError` unless `url` is an address of http or https with a host."""
    parts = _parts(url)
    if parts.scheme == "file":
        raise DataError(f"{url} is a file of this machine; give its path, {unquote(parts.path)}")
    if parts.scheme not in SCHEMES:
        raise DataError(
            f"{url} is an address of {parts.scheme or 'no scheme'}, wanted http or https; download "
            "the file yourself and give its path"
        )
    if not parts.hostname:
        raise DataError(f"{url} names no host; write https://HOST/FILE")


def resolved(host: str) -> tuple[str, ...]:
    """Return the IP addresses of a host; none if its name is not known here."""
    try:
        infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # the connection will say why, or a proxy knows the name
        return ()
    return tuple(str(address[4][0]) for address in infos)


def is_private(address: str) -> bool:
    """Return whether an IP address is not of the public internet.

    These are private, loopback, link-local, shared, reserved and multicast addresses.
    """
    ip = ip_address(address)
    if isinstance(ip, IPv6Address):
        ip = ip.ipv4_mapped or ip.sixtofour or ip
    return not ip.is_global or ip.is_multicast


def redirected(
    asked: str, last: str, location: str, addresses: Callable[[str], Sequence[str]] = resolved
) -> str:
    """Return the address to which a server sends us."""
    try:
        target = urljoin(last, location)
        there = _parts(target)
    except ValueError as error:
        raise RefusedError(f"it redirects to {location}, which is no address") from error
    if there.scheme not in SCHEMES or not there.hostname:
        raise RefusedError(f"it redirects to {target}, but only http and https are followed")
    if _parts(last).scheme == "https" and there.scheme == "http":
        raise RefusedError(f"it redirects from https to {target}, which is not encrypted")
    own = addresses(_parts(asked).hostname or "")
    if not (own and all(map(is_private, own))) and any(map(is_private, addresses(there.hostname))):
        raise RefusedError(f"it redirects to {target}, which is an address of a private network")
    return target


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise DataError(f"{url} is no address ({error}); write https://HOST/FILE") from error
    return parts
