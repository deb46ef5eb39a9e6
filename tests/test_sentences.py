"""The style of errors, by their source: one test for all rooms.

An error says what came, what was wanted, and the way out. Tables of refusals elsewhere ask for its
class and one word.
"""

import ast

import pytest
from conftest import ROOT

# Their first argument is the sentence; other classes make it of their arguments.
TELLING = {"DataError", "ParameterError", "UnsupportedError", "PluginError", "PlanError"}
APOLOGIES = ("please", "sorry", "invalid", "illegal", "!")


def sentences(file):
    """Line and text of the errors that a file raises, with {} for each value."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[message, *_])):
                parts = getattr(message, "values", [message])
                if name in TELLING and isinstance(message, ast.Constant | ast.JoinedStr):
                    texts = [p.value if isinstance(p, ast.Constant) else "{}" for p in parts]
                    yield node.lineno, "".join(texts)


@pytest.mark.slow
def test_an_error_is_one_sentence_without_a_period():
    files = [*(ROOT / "aucbench").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]
    found = [(file.name, *told) for file in files for told in sentences(file)]
    wrong = [
        (name, line, text)
        for name, line, text in found
        if "\n" in text
        or (text.endswith((".", " ", ",")) and not text.endswith("..."))
        or any(word in text.lower() for word in APOLOGIES)
    ]
    assert len(found) > 500  # that many are found, so the pattern above still fits
    assert wrong == []
