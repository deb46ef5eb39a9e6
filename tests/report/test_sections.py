"""Sections of documents: plain data that every output escapes."""

import json

import pytest

from aucbench.errors import ParameterError
from aucbench.report.document import Chapter, Grid, markdown, tex, text
from aucbench.report.sections import Chart, Section, Table


def test_a_section_comes_back_from_json():
    table = Table(["a", "b"], [("x", 1), ("y", float("nan")), ("z", None)])
    chart = Chart("c", "x", "y", {"l": ([1, 2], [0.5, float("inf")])})
    section = Section("t", ["p", table, chart])
    again = Section.from_json(json.loads(json.dumps(section.to_json(), allow_nan=False)))
    assert again == section
    assert again.parts[1].rows == (("x", 1), ("y", None), ("z", None))
    assert again.parts[2].lines["l"] == ((1, 2), (0.5, None))


WRONG = {
    "width": lambda: Table(["a", "b"], [(1,)]),
    "no lines": lambda: Chart("t", "x", "y", {}),
    "lengths": lambda: Chart("t", "x", "y", {"a": ([1, 2], [1])}),
    "band of no line": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, bands={"b": ([1], [1])}),
    "band length": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, bands={"a": ([1, 2], [1, 2])}),
    "no section": lambda: Section.from_json(
        {"title": "t", "parts": [{"table": {"header": ["a"]}}]}
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_section_is_refused(name):
    with pytest.raises(ParameterError):
        WRONG[name]()


def test_nothing_of_a_text_is_markup():
    section = Section("# t\x1b[31m", ["- a\n<b>*x*", Table(["|"], [("a|b",)])])
    odd = [Chapter.of(section, "Computed by d:n 1.0.")]
    assert "Computed by d:n 1.0." in text(odd)
    assert "\x1b" not in text(odd)
    marked = markdown(odd)
    assert "## \\# t\\\\x1b\\[31m" in marked
    assert "\\- a\n\\<b\\>\\*x\\*" in marked
    assert "| a\\|b |" in marked
    assert r"\textbackslash{}x1b" in tex([Grid(("\x1b",), (), ())])
