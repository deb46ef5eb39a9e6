"""Sections of documents: plain data that every output escapes."""

import json

import pytest

from aucbench.errors import ParameterError
from aucbench.papers.reproduction import part_from_json, part_to_json
from aucbench.report.chart import Chart
from aucbench.report.document import Section, markdown, tex, text
from aucbench.report.grid import Grid


def test_a_section_comes_back_from_json():
    table = Grid(["a", "b"], [("x", 1), ("y", float("nan")), ("z", None)])
    chart = Chart("c", "x", "y", {"l": ([1, 2], [0.5, float("inf")])})
    parts = ["p", table, chart]
    plain = json.dumps([*map(part_to_json, parts)], allow_nan=False)
    again = [*map(part_from_json, json.loads(plain))]
    assert (again[0], again[2]) == (parts[0], parts[2])
    assert again[1].lines == (("x", 1), ("y", None), ("z", None))
    assert again[2].lines["l"] == ((1, 2), (0.5, None))


WRONG = {
    "width": lambda: Grid(["a", "b"], [(1,)]),
    "no lines": lambda: Chart("t", "x", "y", {}),
    "lengths": lambda: Chart("t", "x", "y", {"a": ([1, 2], [1])}),
    "band of no line": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, bands={"b": ([1], [1])}),
    "band length": lambda: Chart("t", "x", "y", {"a": ([1], [1])}, bands={"a": ([1, 2], [1, 2])}),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_section_is_refused(name):
    with pytest.raises(ParameterError):
        WRONG[name]()


def test_nothing_of_a_text_is_markup():
    parts = "- a\n<b>*x*", Grid(["|"], [("a|b",)])
    odd = [Section("# t\x1b[31m", "Computed by d:n 1.0.", parts)]
    assert "Computed by d:n 1.0." in text(odd)
    assert "\x1b" not in text(odd)
    marked = markdown(odd)
    assert "## \\# t\\\\x1b\\[31m" in marked
    assert "\\- a\n\\<b\\>\\*x\\*" in marked
    assert "| a\\|b |" in marked
    assert r"\textbackslash{}x1b" in tex([Grid(("\x1b",), ())])
