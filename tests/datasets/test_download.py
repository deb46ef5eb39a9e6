"""Downloads: a hash that is compared, mirrors, errors of one sentence, and the cache."""

import gzip
import hashlib
import os
from functools import partial
from pathlib import Path

import numpy as np
from refusals import assert_refused

from aucbench.datasets import download, load
from aucbench.datasets.download import RemoteFile, cached_paths, fetch, fetch_files
from aucbench.errors import DataError

CONTENT = b"1 1:0.5 2:1\n-1 1:2 2:3\n1 1:1 2:4\n"


def content(body, **headers):
    return lambda call: call.say(body, **headers)


def remote(server, *paths, body=CONTENT, name="rows.svm"):
    urls = tuple(server.url(path) for path in paths)
    return RemoteFile(name, urls, hashlib.sha256(body).hexdigest())


def fetched(file):
    return fetch_files([file])[0]


def cached(file):
    [path] = cached_paths([file])
    return path.is_file()


def cache_files():
    """The names of all files in the cache."""
    cache = Path(os.environ["AUCBENCH_CACHE"])
    return sorted(path.name for path in cache.rglob("*") if not path.is_dir())


def with_hash(url, body=CONTENT):
    return f"{url}#sha256={hashlib.sha256(body).hexdigest()}"


def test_a_url_is_fetched_once_and_then_read_from_the_cache(server, monkeypatch, tmp_path):
    server.routes = dict.fromkeys(("/a/small.svm", "/small", "/?x=1"), content(CONTENT))
    for _ in range(2):
        data = load(with_hash(server.url("/a/small.svm")))
        np.testing.assert_array_equal(data.rows.matrix, [[0.5, 1], [2, 3], [1, 4]])
        np.testing.assert_array_equal(data.y, [1, -1, 1])
    assert server.asked == ["/a/small.svm"]
    assert load(with_hash(server.url("/small"))).n == 3
    assert fetch(with_hash(server.url("/?x=1"))).name == "file"
    monkeypatch.delenv("AUCBENCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert fetch(with_hash(server.url("/small"))).is_relative_to(tmp_path / "xdg" / "aucbench")


def test_addresses_and_answers_without_the_content_are_one_sentence(server):
    for source in ("file:///data/x.csv", "https:///x.csv", "http://[::1/x.csv"):
        said = assert_refused(partial(load, with_hash(source)), DataError, "x.csv")
        assert "save the file yourself" in said
    for status in (404, 500, 204):
        server.routes = {"/x": content(b"", status=status)}
        assert_refused(lambda: fetched(remote(server, "/x")), DataError, "/x: ")
    assert cache_files() == []


def test_another_content_is_removed_and_the_mirror_is_asked(server):
    server.routes = {"/old": content(b"other"), "/new": content(CONTENT)}
    file = remote(server, "/old", "/new")
    assert not cached(file)
    assert fetched(file).read_bytes() == CONTENT
    assert cached(file)
    assert server.asked == ["/old", "/new"]
    assert cache_files() == ["rows.svm"]
    [path] = cached_paths([file])
    path.write_bytes(CONTENT.replace(b"4", b"5"))  # as a disk does
    assert fetched(file).read_bytes() == CONTENT
    assert server.asked == ["/old", "/new"] * 2


def test_a_body_with_an_encoding_is_asked_for_as_it_is(server):
    packed, asked = gzip.compress(CONTENT), []

    def answer(call):
        asked.append(call.headers["Accept-Encoding"])
        call.say(packed)

    server.routes = {"/x": answer}
    assert fetched(remote(server, "/x", body=packed)).read_bytes() == packed
    assert asked == ["identity"]


def test_a_silent_server_is_left_after_the_time_out(server, monkeypatch):
    monkeypatch.setattr(download, "SILENCE", 0.5)
    server.routes = {"/x": lambda call: call.server.closing.wait(20)}
    assert_refused(lambda: fetched(remote(server, "/x")), DataError, "ReadTimeout")


def test_files_that_are_fetched_together_lie_together(server):
    server.routes = {"/a": content(b"a"), "/b": content(b"b")}
    files = [remote(server, f"/{x}", body=x.encode(), name=f"set-{x}.txt") for x in "ab"]
    for _ in range(2):
        first, second = fetch_files(files)
        assert first.with_name("set-b.txt") == second
        assert (first.read_bytes(), second.read_bytes()) == (b"a", b"b")
    assert server.asked == ["/a", "/b"]
    assert fetch_files([]) == ()


def test_a_cache_that_cannot_be_written_is_one_sentence(server, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "file"))
    assert_refused(lambda: fetched(remote(server, "/x")), DataError, "AUCBENCH_CACHE")
    assert server.asked == []
