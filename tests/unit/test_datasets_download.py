from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from aucbench.datasets import load
from aucbench.errors import DataError

CONTENT = b"1 1:0.5 2:1\n-1 1:2 2:3\n1 1:1 2:4\n"


class Server(BaseHTTPRequestHandler):
    requests = 0

    def do_GET(self):
        type(self).requests += 1
        found = self.path.endswith(("small.svm", "small"))
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(CONTENT) if found else 0))
        self.end_headers()
        self.wfile.write(CONTENT if found else b"")

    def log_message(self, *args):
        """Keep the test's output quiet."""


@pytest.fixture
def address(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(timeout=5)


def with_hash(url, content=CONTENT):
    return f"{url}#sha256={hashlib.sha256(content).hexdigest()}"


def test_a_url_is_fetched_once_and_then_read_from_the_cache(address):
    before = Server.requests
    for _ in range(2):
        data = load(with_hash(f"{address}/small.svm"))
        np.testing.assert_array_equal(data.rows.matrix, [[0.5, 1], [2, 3], [1, 4]])
        np.testing.assert_array_equal(data.y, [1, -1, 1])
    assert Server.requests == before + 1
    assert load(with_hash(f"{address}/small")).n == 3


def test_a_file_with_another_hash_is_refused(address):
    with pytest.raises(DataError, match=r"small\.svm could not be downloaded .*hash"):
        load(with_hash(f"{address}/small.svm", b"other"))


def test_an_address_that_does_not_answer_is_one_sentence(address):
    with pytest.raises(DataError, match=r"could not be downloaded .*404"):
        load(with_hash(f"{address}/nothing.csv"))


@pytest.mark.parametrize("fragment", ["", "#sha256=abc", "#md5=" + "0" * 64])
def test_a_url_without_its_hash_is_refused_before_anything_is_fetched(fragment):
    with pytest.raises(DataError, match=r"has no hash; write http://h\.invalid/x#sha256=HEX"):
        load("http://h.invalid/x" + fragment)
