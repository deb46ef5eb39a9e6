"""The server of a results folder: it follows the folder, and answers this host only."""

import socket
import struct
from http.client import HTTPConnection
from threading import Thread

import pytest

from aucbench.bench import Store
from aucbench.errors import DataError, ParameterError
from aucbench.report.findings import Settings
from aucbench.report.serve import LivePage, server


@pytest.fixture
def serve():
    """Return a function that starts a server of a folder and returns a function that asks it."""
    running = []

    def start(folder):
        found = server(LivePage(folder, Settings(), stale=True), 0)
        thread = Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((found, thread))

        def ask(path="/", host=None):
            connection = HTTPConnection("127.0.0.1", found.server_port, timeout=60)
            name = f"127.0.0.1:{found.server_port}" if host is None else host
            connection.request("GET", path, headers={"Host": name})
            answer = connection.getresponse()
            content = answer.read().decode()
            connection.close()
            return answer.status, content

        ask.port = found.server_port
        return ask

    yield start
    for found, thread in running:
        found.shutdown()
        thread.join()
        found.server_close()


def test_it_shows_what_was_added_since(serve, doctored, results):
    kept = []
    folder = doctored(lambda r: r if r.cell.split == 0 else kept.append(r))
    ask = serve(folder)

    status, page = ask()
    assert status == 200
    assert "9 ok" in page
    assert "18 not run yet" in page
    version = ask("/version")[1]
    assert f'data-version="{version}"' in page
    assert ask() == (200, page)

    with Store(folder, create=True) as store:
        for record in kept:
            store.write(record)
    assert ask("/version")[1] != version
    assert "27 ok." in ask()[1]


def test_it_answers_no_other_name_and_no_other_path(serve, results):
    ask = serve(results)
    assert ask(host=f"evil.example:{ask.port}")[0] == 403
    for wrong in ("", "localhost:80:80", "localhost:x", "127.0.0.1.evil.example"):
        assert ask(host=wrong)[0] == 403
    for name in ("127.0.0.1", "localhost"):  # as behind a tunnel to port 80
        assert ask(host=name, path="/version")[0] == 200
    assert ask(host=f"localhost:{ask.port}", path="/version")[0] == 200
    for path in ("/../aucbench-results.json", "/cells", "/version/x"):
        assert ask(path)[0] == 404


def test_who_goes_away_early_is_not_told_about(serve, results, capfd):
    ask = serve(results)
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", ask.port)) as early:
            # Closed with a reset, so that the answer meets a broken connection.
            early.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            early.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert ask("/version")[0] == 200
    assert capfd.readouterr().err == ""


def test_a_bug_keeps_its_traceback(results, capfd):
    with server(LivePage(results, Settings(), stale=True), 0) as found:
        for error, lines in ((ConnectionResetError("gone"), 0), (KeyError("bug"), 1)):
            try:
                raise error
            except Exception:
                found.handle_error(None, ("127.0.0.1", 1))
            assert capfd.readouterr().err.count(f"{type(error).__name__}: {error}") == lines


def test_it_listens_on_this_host_only(results):
    with server(LivePage(results, Settings(), stale=True), 0) as found:
        assert found.server_address[0] == "127.0.0.1"
        with pytest.raises(ParameterError, match=f"port {found.server_port} of 127.0.0.1"):
            server(LivePage(results, Settings(), stale=True), found.server_port)
    with pytest.raises(ParameterError, match="port 70000"):
        server(LivePage(results, Settings(), stale=True), 70000)


def test_a_folder_that_cannot_be_read_is_a_sentence(serve, doctored):
    folder = doctored(lambda record: record)
    ask = serve(folder)
    assert ask()[0] == 200
    (folder / "aucbench-results.json").write_text("{}", "utf-8")
    (folder / "cells" / "zz").mkdir()
    status, text = ask()
    assert status == 500
    assert text.startswith("error: ")
    with pytest.raises(DataError):
        LivePage(folder, Settings()).html()


def test_an_open_page_loads_itself_again(serve, doctored, browser):
    kept = []
    folder = doctored(lambda r: r if r.cell.split == 0 else kept.append(r))
    ask = serve(folder)
    browser.open(f"http://127.0.0.1:{ask.port}/")
    assert "9 ok" in browser.texts(".facts")[0]
    with Store(folder, create=True) as store:
        for record in kept:
            store.write(record)
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser.driver, 60).until(lambda _: "27 ok" in browser.texts(".facts")[0])
    addresses = {address for address in browser.requests() if not address.startswith("data:")}
    home = f"http://127.0.0.1:{ask.port}/"
    assert addresses == {home, f"{home}version"}
    assert browser.console() == []
