"""Downloads, from a server on this machine that misbehaves as a test tells it to."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from aucbench.datasets import compressed, download, load
from aucbench.datasets.addresses import RefusedError, is_private, redirected
from aucbench.datasets.download import RemoteFile, cached_path, fetch, fetch_files, keep
from aucbench.errors import DataError

CONTENT = b"1 1:0.5 2:1\n-1 1:2 2:3\n1 1:1 2:4\n"
LONG = bytes(range(256)) * 2000  # 512 kB


def content(body, **headers):
    return lambda call: call.say(body, **headers)


def stalling(body, after):
    """A route that is silent after some bytes, until the test ends."""

    def answer(call):
        call.say(body[:after], length=len(body))
        call.wfile.flush()
        call.server.closing.wait(20)

    return answer


def redirect(target, status=302):
    return lambda call: call.say(b"", status, Location=target)


def remote(server, *paths, body=CONTENT, name="rows.svm", size=None):
    urls = tuple(server.url(path) for path in paths)
    return RemoteFile(name, urls, hashlib.sha256(body).hexdigest(), size)


def fetched(file):
    return fetch_files([file])[0]


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(download, "SILENCE", 0.5)


def cache_files():
    """The names of all files in the cache, without those that processes lock."""
    cache = Path(os.environ["AUCBENCH_CACHE"])
    files = (path for path in cache.rglob("*") if not path.is_dir())
    return sorted(path.name for path in files if path.suffix != ".lock")


def with_hash(url, body=CONTENT):
    return f"{url}#sha256={hashlib.sha256(body).hexdigest()}"


# Addresses that a user gives


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


@pytest.mark.parametrize("fragment", ["", "#sha256=abc", "#md5=" + "0" * 64])
def test_a_url_without_its_hash_is_refused_before_anything_is_fetched(fragment):
    with pytest.raises(DataError, match=r"has no hash; write http://h\.invalid/x#sha256=HEX"):
        load("http://h.invalid/x" + fragment)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("file:///my%20data/x.csv", r"a file of this machine; give its path, /my data/x\.csv"),
        ("FILE:///x.csv", r"give its path, /x\.csv"),
        ("ftp://h/x.csv", "an address of ftp, wanted http or https; download the file yourself"),
        ("s3://bucket/x.csv", "an address of s3, wanted http or https"),
        ("https:///x.csv", "names no host; write https://HOST/FILE"),
        ("http://[::1/x.csv", "is no address"),
        ("http://h:port/x.csv", "is no address"),
    ],
)
def test_other_addresses_are_refused_with_the_way_out(source, sentence):
    for url in (source, with_hash(source)):
        with pytest.raises(DataError, match=sentence):
            load(url)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "a/b"}, "is no name of a file"),
        ({"name": ".."}, "is no name of a file"),
        ({"sha256": "abc"}, "wanted 64 hexadecimal digits"),
        ({"urls": ()}, "has no address"),
        ({"urls": ("https://h/x", "file:///x")}, "a file of this machine"),
    ],
)
def test_a_remote_file_is_checked_when_it_is_made(change, sentence):
    with pytest.raises(DataError, match=sentence):
        RemoteFile(**{"name": "x", "urls": ("https://h/x",), "sha256": "0" * 64, **change})


# What a server may answer


def test_another_content_is_removed_and_the_mirror_is_asked(server):
    server.routes = {"/old": content(b"other"), "/new": content(CONTENT)}
    file = remote(server, "/old", "/new")
    assert cached_path(file) is None
    (path,) = fetch_files([file])
    assert path.read_bytes() == CONTENT
    assert cached_path(file) == path
    assert server.asked == ["/old", "/new"]
    assert cache_files() == ["rows.svm"]


def test_a_wrong_hash_is_one_sentence_with_both(server):
    server.routes = {"/small.svm": content(b"other")}
    found, wanted = (hashlib.sha256(body).hexdigest()[:12] for body in (b"other", CONTENT))
    with pytest.raises(DataError, match=rf"small\.svm could .*hash differs.*{found}.*{wanted}"):
        load(with_hash(server.url("/small.svm")))
    assert cache_files() == []


@pytest.mark.parametrize("status", [403, 404, 500, 503, 204, 206, 304])
def test_an_answer_without_the_content_is_one_sentence(server, status):
    server.routes = {"/x": content(b"", status=status)}
    with pytest.raises(DataError, match=rf"/x: it answers {status} .*save the file yourself as /"):
        fetch_files([remote(server, "/x")])
    assert cache_files() == []


def test_the_error_lists_what_each_mirror_said_in_order(server):
    server.routes = {"/b": content(b"other"), "/c": content(CONTENT[:20], length=99)}
    server.routes |= {"/d": lambda call: call.connection.close()}
    file = remote(server, "/a", "/b", "/c", "/d")
    gone = RemoteFile(file.name, (*file.urls, "http://127.0.0.1:1/e"), file.sha256)
    with pytest.raises(DataError) as caught:
        fetch_files([gone])
    said = str(caught.value)
    reasons = ["404", "hash differs", "after 20 of 99 bytes", "/d: it", "/e: it cannot be reached"]
    assert [said.find(reason) for reason in reasons] == sorted(map(said.index, reasons))
    assert "/e: it cannot be reached: Connection refused" in said
    assert "object at" not in said


def test_a_body_with_an_encoding_is_kept_as_it_was_sent(server):
    packed = gzip.compress(CONTENT)
    server.routes = {"/x": content(packed, Content_Encoding="gzip")}
    (path,) = fetch_files([remote(server, "/x", body=packed)])
    assert path.read_bytes() == packed


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(server, status):
    server.routes = {"/x": redirect("to/y", status), "/to/y": content(CONTENT)}
    assert fetched(remote(server, "/x")).read_bytes() == CONTENT


def test_the_body_of_a_redirect_is_not_read(server, impatient):
    def endless(call):
        call.say(b"", 302, length=10**12, Location="/y")
        call.wfile.flush()
        call.server.closing.wait(20)

    server.routes = {"/x": endless, "/y": content(CONTENT)}
    assert fetched(remote(server, "/x")).read_bytes() == CONTENT


def test_five_redirects_are_followed_and_not_six(server):
    server.routes = {f"/{k}": redirect(f"/{k + 1}") for k in range(6)}
    server.routes["/6"] = content(CONTENT)
    with pytest.raises(DataError, match=r"/0: it redirects more than 5 times"):
        fetch_files([remote(server, "/0")])
    assert fetched(remote(server, "/1")).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("file:///etc/passwd", "only http and https are followed"),
        ("ftp://h/x", "only http and https are followed"),
        ("http://[::1/x", "which is no address"),
    ],
)
def test_a_redirect_to_what_is_no_web_address_is_refused(server, target, sentence):
    server.routes = {"/x": redirect(target), "/y": content(CONTENT)}
    with pytest.raises(DataError, match=sentence):
        fetch_files([remote(server, "/x")])
    assert fetched(remote(server, "/x", "/y")).read_bytes() == CONTENT


HOSTS = {
    "public": ["93.184.216.34", "2606:2800:220:1::1"],
    "other": ["1.1.1.1"],
    "office": ["10.0.0.7"],
    "local": ["127.0.0.1", "::1"],
    "half": ["1.1.1.1", "192.168.0.1"],
    "unknown": [],
}


@pytest.mark.parametrize(
    ("given", "last", "target", "refused"),
    [
        ("https://public/a", "https://public/a", "https://other/b", ""),
        ("http://public/a", "http://public/a", "https://other/b", ""),
        ("https://public/a", "https://public/a", "http://public/a", "from https to http"),
        ("http://public/a", "https://other/a", "http://other/a", "from https to http"),
        ("http://public/a", "http://public/a", "http://local:80/b", "private network"),
        ("http://public/a", "http://other/a", "http://office/b", "private network"),
        ("http://public/a", "http://public/a", "http://half/b", "private network"),
        ("http://half/a", "http://half/a", "http://office/b", "private network"),
        ("http://unknown/a", "http://unknown/a", "http://office/b", "private network"),
        ("http://public/a", "http://public/a", "http://unknown/b", ""),
        ("http://office/a", "http://office/a", "http://local/b", ""),
        ("http://local:1/a", "http://other/a", "http://local:2/b", ""),
    ],
)
def test_no_redirect_leads_from_a_public_address_to_a_private_one(given, last, target, refused):
    if refused:
        with pytest.raises(RefusedError, match=refused):
            redirected(given, last, target, HOSTS.__getitem__)
    else:
        assert redirected(given, last, target, HOSTS.__getitem__) == target


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("8.8.8.8", False),
        ("2001:4860:4860::8888", False),
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("172.16.0.1", True),
        ("192.168.1.1", True),
        ("169.254.169.254", True),
        ("100.64.0.1", True),
        ("0.0.0.0", True),
        ("224.0.0.1", True),
        ("::1", True),
        ("fe80::1%eth0", True),
        ("fd00::1", True),
        ("ff02::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:8.8.8.8", False),
        ("2002:7f00:1::", True),
    ],
)
def test_which_addresses_are_private(address, private):
    assert is_private(address) == private


# Slow servers, sizes


@pytest.mark.parametrize("after", [None, 0, 100_000])
def test_a_silent_server_is_left_after_the_time_out(server, impatient, after):
    silent = (lambda call: call.server.closing.wait(20)) if after is None else stalling(LONG, after)
    server.routes = {"/x": silent, "/y": content(LONG)}
    with pytest.raises(DataError, match=r"/x: it was silent for 0\.5 s"):
        fetched(remote(server, "/x", body=LONG))
    start = time.monotonic()
    assert fetched(remote(server, "/x", "/y", body=LONG)).read_bytes() == LONG
    assert time.monotonic() - start < 20  # as long as the server is silent


def chunked(body, ends=True):
    def answer(call):
        call.protocol_version = "HTTP/1.1"
        call.close_connection = True
        call.send_response(200)
        call.send_header("Transfer-Encoding", "chunked")
        call.end_headers()
        call.wfile.write(b"%x\r\n%s\r\n" % (len(body), body) + b"0\r\n\r\n" * ends)

    return answer


@pytest.mark.parametrize(
    ("path", "sentence"), [("/said", "it has 512,000 bytes"), ("/unsaid", "it has more bytes")]
)
def test_a_body_that_is_too_large_is_cut_off(server, monkeypatch, path, sentence):
    server.routes = {"/said": content(LONG), "/unsaid": chunked(LONG)}
    file = remote(server, path, body=LONG)
    with pytest.raises(DataError, match=rf"{path}: {sentence}, wanted at most 34"):
        fetched(remote(server, path, size=34))
    monkeypatch.setattr(download, "LARGEST", 1000)
    with pytest.raises(DataError, match=rf"{path}: {sentence}, wanted at most 1,000"):
        fetched(file)
    assert cache_files() == []
    monkeypatch.setattr(download, "LARGEST", 512_000)
    assert fetched(file).read_bytes() == LONG


def test_a_chunked_body_without_its_end_is_refused(server):
    server.routes = {"/x": chunked(LONG, ends=False)}
    with pytest.raises(DataError, match=r"the connection ended after .* of \? bytes"):
        fetch_files([remote(server, "/x", body=LONG)])


# What is there before


@pytest.mark.parametrize("size", [None, len(LONG)])
def test_of_an_interrupted_download_nothing_is_left(server, size):
    server.routes = {"/x": content(LONG[:200_000], length=len(LONG)), "/y": content(LONG)}
    with pytest.raises(DataError, match="the connection ended after 200,000 of 512,000 bytes"):
        fetch_files([remote(server, "/x", body=LONG, size=size)])
    assert cache_files() == []
    assert fetched(remote(server, "/x", "/y", body=LONG)).read_bytes() == LONG
    assert cache_files() == ["rows.svm"]


def test_a_damaged_file_of_the_cache_is_downloaded_again(server):
    server.routes = {"/x": content(CONTENT)}
    file = remote(server, "/x", size=len(CONTENT))
    (path,) = fetch_files([file])
    path.write_bytes(CONTENT.replace(b"4", b"5"))
    assert cached_path(file) == path  # it does not read the content
    assert fetched(file).read_bytes() == CONTENT
    path.write_bytes(CONTENT[:-1])
    assert cached_path(file) is None
    assert fetched(file).read_bytes() == CONTENT
    assert server.asked == ["/x"] * 3


def test_files_that_are_fetched_together_lie_together(server):
    server.routes = {"/a": content(b"a"), "/b": content(b"b")}
    files = [remote(server, f"/{x}", body=x.encode(), name=f"set-{x}.txt") for x in "ab"]
    for _ in range(2):
        first, second = fetch_files(files)
        assert first.with_name("set-b.txt") == second
        assert (first.read_bytes(), second.read_bytes()) == (b"a", b"b")
    assert server.asked == ["/a", "/b"]
    assert fetch_files([]) == ()
    with pytest.raises(DataError, match="have a name twice"):
        fetch_files([files[0], files[0]])


# Processes

FETCH = """
import sys
from aucbench.datasets.download import RemoteFile, fetch_files
name, url, sha256 = sys.argv[1:]
(path,) = fetch_files([RemoteFile(name, (url,), sha256)], progress=True)
print(path)
"""


def another_process(file, **options):
    command = [sys.executable, "-c", FETCH, file.name, *file.urls, file.sha256]
    return subprocess.Popen(command, text=True, **options)


def wait_until(true):
    for _ in range(2000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it does not happen")


def test_a_killed_download_leaves_nothing_that_is_taken_for_the_file(server):
    server.routes = {"/x": stalling(LONG, 200_000)}
    file = remote(server, "/x", body=LONG)
    killed = another_process(file, stderr=subprocess.DEVNULL)
    folder = Path(os.environ["AUCBENCH_CACHE"]) / "files" / file.sha256[:16]
    wait_until(lambda: any(path.stat().st_size >= 1 << 16 for path in folder.glob("*")))
    killed.send_signal(signal.SIGKILL)
    killed.wait(10)
    assert cached_path(file) is None
    server.routes = {"/x": content(LONG)}
    assert fetched(file).read_bytes() == LONG
    assert cache_files() == ["rows.svm"]


def test_two_processes_download_a_file_once(server):
    both = threading.Event()

    def slow(call):
        both.wait(120)
        call.say(LONG)

    server.routes = {"/x": slow}
    file = remote(server, "/x", body=LONG)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    first = another_process(file, **pipes)
    wait_until(lambda: server.asked)
    second = another_process(file, **pipes)
    waits = second.stderr.readline()
    both.set()
    outputs = [task.communicate(timeout=120) for task in (first, second)]
    assert waits == "rows.svm is being downloaded by another process; waiting for it\n"
    assert [task.returncode for task in (first, second)] == [0, 0], outputs
    assert server.asked == ["/x"]
    paths = {path.strip() for path, _ in outputs}
    assert [Path(path).read_bytes() for path in paths] == [LONG]


def test_who_waited_for_a_download_that_failed_downloads_it(server):
    fail = threading.Event()

    def answer(call):
        if len(call.server.asked) == 1:
            fail.wait(120)
            call.say(b"", 503)
        else:
            call.say(CONTENT)

    server.routes = {"/x": answer}
    file = remote(server, "/x")
    first = another_process(file, stderr=subprocess.PIPE)
    wait_until(lambda: server.asked)
    second = another_process(file, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert "waiting" in second.stderr.readline()
    fail.set()
    assert "503" in first.communicate(timeout=120)[1]
    path, _ = second.communicate(timeout=120)
    assert Path(path.strip()).read_bytes() == CONTENT


# Where it is written, and what is said


def test_a_full_disk_is_one_sentence(server):
    server.routes = {"/x": content(LONG)}
    file = remote(server, "/x", body=LONG)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(DataError, match=r"hold .*svm \(File too large\); free some space"):
            fetch_files([file])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert cache_files() == []
    assert fetched(file).read_bytes() == LONG


def test_a_cache_that_cannot_be_written_is_one_sentence(server, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "file"))
    file = remote(server, "/x")
    assert cached_path(file) is None
    with pytest.raises(DataError, match=r"cannot hold .*Not a directory.*name another one"):
        fetch_files([file])
    assert server.asked == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_line_a_bar_or_nothing_is_shown(server, monkeypatch, capsys):
    server.routes = {"/x": content(LONG), "/unsized": chunked(LONG)}

    def say(path, **options):
        file = remote(server, path, body=LONG)
        if found := cached_path(file):
            found.unlink()
        fetch_files([file], **options)
        fetch_files([file], **options)  # nothing is said about what is there
        return capsys.readouterr()

    assert say("/x") == ("", "")
    line = f"downloading rows.svm from {server.url('/x')} (0.5 MB)\n"
    assert say("/x", progress=True) == ("", line)
    assert "(size unknown)" in say("/unsized", progress=True).err

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    say("/x", progress=True)
    assert "512.0/512.0 kB" in terminal.getvalue()
    assert terminal.getvalue().count(server.url("/x")) >= 1

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("AUCBENCH_SUPERVISED", "run")
    say("/x", progress=True)
    assert sys.stderr.getvalue() == ""


def test_the_page_states_the_limits():
    page = (Path(__file__).parents[2] / "docs" / "environment.md").read_text(encoding="utf-8")
    for text in (
        f"within {download.SILENCE:g} s, or sends nothing for {download.SILENCE:g} s",
        f"at most {download.REDIRECTS} times",
        f"{download.LARGEST / 1e9:g} GB",
        f"{compressed.RATIO} times as long, or {compressed.SMALL / 1e6:g} MB if",
        f"{compressed.LARGEST / 1e9:g} GB at most",
        f"{compressed.MEMORY / 1e9:g} GB of memory",
    ):
        assert text in page


# Files that are made of others


def test_a_file_that_is_made_is_kept_as_one_that_is_downloaded(monkeypatch, tmp_path):
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path))
    file = RemoteFile("rows.svm", ("https://x.org/all.zip",), hashlib.sha256(CONTENT).hexdigest())
    folder = tmp_path / "files" / file.sha256[: download.DIGITS]
    folder.mkdir(parents=True)
    (folder / "tmp0a1b2c3d").write_bytes(CONTENT[:5])  # by a process that was killed
    with pytest.raises(DataError, match=r"rows.svm has the sha256 .* is damaged"):
        keep(file, lambda: CONTENT[1:])
    assert cache_files() == []
    asked = iter([CONTENT])  # it is made once
    paths = {keep(file, lambda: next(asked)) for _ in range(2)}
    assert paths == {cached_path(file)}
    assert cache_files() == ["rows.svm"]
