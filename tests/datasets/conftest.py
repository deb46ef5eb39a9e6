import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@pytest.fixture
def nothing_at_hand(monkeypatch, tmp_path):
    """No folder of data, and an empty cache."""
    monkeypatch.delenv("AUCBENCH_DATA", raising=False)
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of data."""
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    return tmp_path


class Handler(BaseHTTPRequestHandler):
    """Answers a path as the routes of its server say."""

    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.routes.get(self.path, self.server.unknown)(self)

    def say(self, body, status=200, length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Keep the test's output quiet."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.routes, self.asked, self.closing = {}, [], threading.Event()
        self.root = f"http://127.0.0.1:{self.server_port}"

    def unknown(self, call):
        call.say(b"", 404)

    def url(self, path):
        return f"{self.root}{path}"

    def handle_error(self, request, client_address):
        """A client that has hung up is what many tests are about."""


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A server that answers as its routes say, and an empty cache."""
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()
    thread.join(timeout=5)
