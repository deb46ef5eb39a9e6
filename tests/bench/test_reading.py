"""What is shown while rows are read in chunks."""

import io
import sys

import pytest
from rich.console import Console

from aucbench.bench.show import progress, reading
from aucbench.scale import Here

pytestmark = pytest.mark.plain


def read_half(write):
    """Say a sentence and read half of the rows of a reading, as an engine does."""
    with reading.watched("here", write) as (engine, say):
        assert isinstance(engine, reading.Watched)
        say("now [this]")
        engine._begin(100)
        engine._begin.__self__.move(50)


def test_a_terminal_gets_a_bar_below_the_sentences(monkeypatch):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=50)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    read_half(print)
    assert "now [this]" in out.getvalue()
    assert "50%" in out.getvalue()


def test_a_notebook_gets_a_bar_with_the_sentence(monkeypatch):
    shown = []

    class Handle:
        def update(self, content, **_):
            shown.append(content)

    display = pytest.importorskip("IPython.display")
    monkeypatch.setattr(display, "display", lambda *_, **__: Handle())
    for module in (progress, reading):
        monkeypatch.setattr(module, "in_notebook", lambda: True)
        monkeypatch.setattr(module, "PACE", 0.0)
    read_half(print)
    html = shown[-2]._repr_mimebundle_((), ())["text/html"]
    assert "50%" in html
    assert "now [this]" in html
    assert shown[-1] == {"text/html": "", "text/plain": ""}


def test_where_nobody_watches_sentences_are_written():
    sentences = []
    with reading.watched("here", sentences.append) as (engine, say):
        say("now")
    assert isinstance(engine, Here)
    assert sentences == ["now"]
