"""Show functions of the package beside the listings of the papers: what stands there is the file.

A page asks for one with

    <!-- listing plugins/thresholding/sht_auc.py: ShtAuc.iterates reference_update -->

The docstrings are left out, because the page says the same. Comments such as `# line 3` name the
line of the listing above. A line that the listing has and no comment names is an error, so that
the two cannot drift apart.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]
ASKED = re.compile(r"^<!-- listing (\S+): (.+) -->$", re.MULTILINE)
HEADING = re.compile(r"^(?=##+ )", re.MULTILINE)
LINE = re.compile(r"^\| (\d+) \|", re.MULTILINE)  # of the listing of a paper
NAMED = re.compile(r"#.*\blines? (\d+)(?:(?: to |–|-)(\d+))?(?:(?:,| and) (\d+))?")


def with_listings(page: str) -> str:
    """Return a page with the functions that it asks for.

    Raises
    ------
    ValueError
        When a file has no such function, or when no comment names a line of a listing.
    """
    sections = HEADING.split(page)
    for number, section in enumerate(sections):
        asked = ASKED.findall(section)
        shown = "\n".join(source(file, name) for file, names in asked for name in names.split())
        missing = {int(line) for line in LINE.findall(section)} - named_lines(shown)
        if asked and missing:
            title = section.partition("\n")[0].lstrip("# ")
            lines = ", ".join(map(str, sorted(missing)))
            raise ValueError(f"no comment in the files of {title!r} names line {lines}")
        sections[number] = ASKED.sub(lambda found: _block(found[1], found[2].split()), section)
    return "".join(sections)


def named_lines(code: str) -> set[int]:
    """Return the lines of a listing that comments name, such as `# line 3` or `# lines 3 to 5`."""
    lines: set[int] = set()
    for first, last, other in NAMED.findall(code):
        lines |= {*range(int(first), int(last or first) + 1), *([int(other)] if other else [])}
    return lines


def source(file: str, name: str) -> str:
    """Return a function of a file without its docstring; `Class.method` names a method.

    Raises
    ------
    ValueError
        When the file has no such function.
    """
    text = (ROOT / file).read_text(encoding="utf-8")
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        body = getattr(node, "body", [])
        node = next((child for child in body if getattr(child, "name", "") == part), node)
        if getattr(node, "name", "") != part:
            raise ValueError(f"{file} has no {name}")
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    lines = text.splitlines()
    start = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
    kept = lines[start : node.end_lineno]
    if ast.get_docstring(node) is not None:
        first, last = node.body[0].lineno - 1 - start, (node.body[0].end_lineno or 0) - start
        kept = kept[:first] + kept[last:]
    return dedent("\n".join(kept))


def _block(file: str, names: list[str]) -> str:
    code = "\n\n\n".join(source(file, name) for name in names)
    return f'```python title="{file}"\n{code}\n```'
