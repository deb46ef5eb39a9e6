"""A server on this host that shows a results folder while a run goes on.

Design
  a. It listens on 127.0.0.1 only, answers no other name than that of this host, so that a page of
     another site cannot read it under a name of its own (DNS rebinding), and only reads.
  b. The page asks every few seconds whether the folder has changed, and loads itself again. It is
     made again when somebody asks for it, not when a cell ends.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

from aucbench.bench.addons import Addon, sections_of
from aucbench.errors import AucbenchError, ParameterError
from aucbench.report.document import signed
from aucbench.report.findings import Settings, findings_of
from aucbench.report.folder import FolderReader
from aucbench.report.page import page_of
from aucbench.report.render import to_html

HOST = "127.0.0.1"
NAMES = re.compile(rf"({re.escape(HOST)}|localhost)(:[0-9]+)?")


class LivePage:
    """The page of a folder, made again when the folder has changed."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        *,
        stale: bool = False,
        sections: Sequence[Addon] = (),
    ) -> None:
        self._reader = FolderReader(folder, stale=stale)
        self._settings, self._sections = settings, sections
        self._lock = Lock()
        self._last = ("", b"")  # version and page

    @property
    def version(self) -> str:
        """A text that changes when a cell ends, a plan is added, or a run ends."""
        return self._reader.version

    def html(self) -> bytes:
        """Return the page; the previous one if the folder has not changed."""
        with self._lock:
            version = self.version
            if version != self._last[0]:
                findings = findings_of(self._reader.read(), self._settings)
                folder = self._reader.folder
                added = signed(sections_of(self._sections, folder, findings.evidence.ids))
                page = page_of(findings, folder=str(folder), added=added)
                self._last = version, to_html(page, live=version)
            return self._last[1]


def server(page: LivePage, port: int) -> ThreadingHTTPServer:
    """Return a server of the page, which listens but does not answer before `serve_forever`.

    Port 0 takes a free one. It raises `ParameterError` when the port cannot be used.
    """
    try:
        return _Server((HOST, port), _handler(page))
    except (OSError, OverflowError) as error:
        raise ParameterError(
            f"cannot listen on port {port} of {HOST}: {error}; give another --port, or 0 for a "
            "free one"
        ) from error


class _Server(ThreadingHTTPServer):
    """Says nothing of a browser that goes away before it has its answer."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the traceback of a bug."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler(page: LivePage) -> type[BaseHTTPRequestHandler]:
    contents: dict[str, tuple[str, Callable[[], bytes]]] = {
        "/": ("text/html; charset=utf-8", page.html),
        "/version": ("text/plain; charset=utf-8", lambda: page.version.encode()),
    }

    class Handler(BaseHTTPRequestHandler):
        """Answers GET for the page and its version."""

        def do_GET(self) -> None:
            """Send a page, or why there is none."""
            known = contents.get(self.path)
            if not NAMES.fullmatch(self.headers.get("Host", "")):
                self.send_error(HTTPStatus.FORBIDDEN, "This server answers to 127.0.0.1 only")
            elif known is None:
                self.send_error(HTTPStatus.NOT_FOUND)
            else:
                try:
                    self._send(HTTPStatus.OK, known[0], known[1]())
                except AucbenchError as error:
                    text = f"error: {error}".encode("utf-8", "backslashreplace")
                    self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain; charset=utf-8", text)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """Say nothing: a line for each question every few seconds helps nobody."""

        def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(content)

    return Handler
