import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


class Refused(Exception):
    pass


@pytest.fixture
def hooks(monkeypatch):
    """docs/hooks.py, also where mkdocs is not installed."""
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.setitem(sys.modules, "mkdocs", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "mkdocs.exceptions", SimpleNamespace(PluginError=Refused))
    monkeypatch.setitem(sys.modules, "mkdocs.structure", SimpleNamespace())
    files = SimpleNamespace(File=object, Files=list)
    monkeypatch.setitem(sys.modules, "mkdocs.structure.files", files)
    if importlib.util.find_spec("latex2mathml") is None:
        formulas = SimpleNamespace(with_formulas=lambda page: page)
        monkeypatch.setitem(sys.modules, "page_formulas", formulas)
    spec = importlib.util.spec_from_file_location("hooks_of_the_docs", DOCS / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def example():
    page = (DOCS / "known_plugins.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return text


def test_the_page_is_made_from_the_file(hooks):
    page = (DOCS / "known_plugins.md").read_text(encoding="utf-8")
    filled = hooks.on_page_markdown(page)
    assert hooks.KNOWN not in filled
    listed = tomllib.loads((DOCS / "known_plugins.toml").read_text(encoding="utf-8"))
    names = [plugin["distribution"] for plugin in listed.get("plugin", ())]
    assert all(f"[{name}](" in filled for name in names)
    assert names or "No package is known yet." in filled


def test_the_example_of_the_page_is_a_row(hooks):
    assert hooks.known_plugins(example()).splitlines()[2:] == [
        "| [aucbench-heavy-ball](https://github.com/somebody/aucbench-heavy-ball) | "
        "gradient descent with momentum | `heavy-ball` | BSD-3-Clause | 0.1.0 |"
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (example().replace("licence", "license"), "licence, license"),
        (example().replace('url = "', '# url = "'), "too much: url"),
        (example() * 2, "has a distribution twice"),
    ],
)
def test_a_wrong_entry_is_refused(hooks, text, sentence):
    with pytest.raises(Refused, match=sentence):
        hooks.known_plugins(text)
