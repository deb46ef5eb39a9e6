"""The tables of the options of `fit` and `judge`."""

import inspect
import re

import pytest

import aucbench

FIRST = {"fit": 1, "judge": 2}  # the tables themselves, and their format, which the page tells


@pytest.mark.plain
@pytest.mark.parametrize("function", FIRST)
def test_the_table_has_each_option_once(documents, function):
    lines = [*getattr(documents("page_options"), f"of_{function}")()]
    names = [re.match(r"\| `(\w+)` \| `--([\w-]+)` \| .* \| (.+) \|$", line) for line in lines[2:]]
    taken = [*inspect.signature(getattr(aucbench, function)).parameters]
    assert [n[1] for n in names] == taken[FIRST[function] :]
    assert all(n[2] == n[1].replace("_", "-") for n in names)
    assert {line.count("|") for line in lines} == {5}
