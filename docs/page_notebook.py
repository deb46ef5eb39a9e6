"""The page notebook.md as a notebook: its blocks of python are the cells of code.

The page is the source. The site offers the notebook, and a test runs it in a kernel.
"""

from __future__ import annotations

import json
import re
from typing import Any

PAGE, NOTEBOOK = "notebook.md", "notebook.ipynb"
CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^!\[([^\]]*)\]\(img/([\w-]+\.png)\)\n", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((?!http)[^)]+\)")  # pages are not beside the notebook


def cells(page: str) -> list[tuple[str, str]]:
    """Return the cells of a page: "markdown" or "code", and the text."""
    parts = CODE.split(page)
    return [
        ("code" if number % 2 else "markdown", text.strip())
        for number, text in enumerate(parts)
        if text.strip()
    ]


def pictures(page: str) -> dict[int, str]:
    """Return the picture that follows a cell of code, by the number of the cell of code."""
    return {
        number: found[2]
        for number, text in enumerate(CODE.split(page)[2::2])
        if (found := PICTURE.match(text.lstrip("\n")))
    }


def notebook(page: str) -> dict[str, Any]:
    """Return the notebook of a page, as its JSON; it has no outputs and no pictures."""
    plain = LINK.sub(r"\1", PICTURE.sub("", page))
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": [_cell(number, *cell) for number, cell in enumerate(cells(plain))],
    }


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"id": f"cell-{number}", "cell_type": kind, "metadata": {}, "source": text, **code}


def content(page: str) -> str:
    """Return the file of the notebook of a page."""
    return json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"
