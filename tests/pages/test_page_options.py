"""The table of the options of `fit`."""

import inspect
import re

import pytest

import aucbench


@pytest.mark.plain
def test_the_table_has_each_option_once(documents):
    lines = [*documents("page_options").of_fit()]
    names = [re.match(r"\| `(\w+)` \| `--([\w-]+)` \| .* \| (.+) \|$", line) for line in lines[2:]]
    assert [n[1] for n in names] == [*inspect.signature(aucbench.fit).parameters][1:]
    assert all(n[2] == n[1].replace("_", "-") for n in names)
    assert {line.count("|") for line in lines} == {5}
