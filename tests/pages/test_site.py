"""The built site: nothing of another host, and narrow screens, in a real browser."""

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from shown_pages import DOCS

pytestmark = pytest.mark.slow
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "simulations")
WIDE = ["", "choose/", "judge/", "reproduce/", "others/", "speed/", "methods/"]
CODE = ["install/", "notebook/", "ten_minutes/", "solver/", "model/", "guide/"]


def test_no_page_loads_anything_from_another_host_and_the_search_knows_all(built):
    loads = re.compile(
        r"<(?:script|img|iframe|link rel=\"(?:stylesheet|preconnect|preload)\")[^>]*"
        r"(?:src|href)=[\"']?(?:https?:)?//"
    )
    pages = [*built.rglob("*.html")]
    assert len(pages) > len(PAGES)
    for page in pages:
        if page.parent.name != "data":  # reports are pages of their own
            assert not loads.search(page.read_text(encoding="utf-8")), page
    index = (built / "search" / "search_index.json").read_text(encoding="utf-8")
    for page in PAGES:
        name = page.relative_to(DOCS).with_suffix("").as_posix()
        assert f'"location":"{"" if name == "index" else name.removesuffix("index")}' in index, name


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def address(built):
    """Where the built site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=built))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_wide_tables_scroll_inside_their_box(browser, address):
    browser.resize(400)
    for page in WIDE:
        browser.open(address + page)
        assert browser.run("return document.documentElement.scrollWidth") <= 400, page
        tables = browser.run(
            "return [...document.querySelectorAll('.md-typeset table:not([class])')].map(table => {"
            "  const scrolls = e => /auto|scroll/.test(getComputedStyle(e).overflowX)"
            "    && e.getBoundingClientRect().right <= innerWidth;"
            "  let box = table;"
            "  while (box && !scrolls(box)) box = box.parentElement;"
            "  return [table.scrollWidth, box !== null]"
            "})"
        )
        assert tables, page
        assert all(inside <= 400 or in_a_box for inside, in_a_box in tables), page
        if page == "others/":  # which has wide tables
            assert max(inside for inside, _ in tables) > 400  # else nothing was tested


def test_no_code_is_cut_on_a_narrow_screen(browser, address):
    for page in CODE:
        browser.resize(400)
        browser.open(address + page)
        boxes = browser.run(
            "return [...document.querySelectorAll('.md-typeset pre > code')].map(code => {"
            "  const box = code.getBoundingClientRect();"
            "  return [code.scrollWidth - code.clientWidth, box.left, box.right, box.height]"
            "})"
        )
        assert boxes, page
        assert all(cut <= 0 and left > 8 and right < 392 for cut, left, right, _ in boxes), page
        browser.resize(1200)
        wide = browser.run(
            "return [...document.querySelectorAll('.md-typeset pre > code')]"
            ".map(code => code.getBoundingClientRect().height)"
        )
        assert any(box[3] > 1.3 * high for box, high in zip(boxes, wide, strict=True)), page
