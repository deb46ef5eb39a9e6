"""The tables of options, from the dataclasses that both languages use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import MISSING

from aucbench.judging.options import JudgeOptions
from aucbench.models.options import FitOptions
from aucbench.options import Option, list_options
from aucbench.report.comparison import OPTIONS


def of_compare() -> Iterator[str]:
    """Yield a line for each option of `compare`."""
    return _lines(
        option
        for group in OPTIONS
        if group.cls is not None
        for option in list_options(group.cls, group)
    )


def of_fit() -> Iterator[str]:
    """Yield a line for each option of `fit`."""
    return _lines(list_options(FitOptions))


def of_judge() -> Iterator[str]:
    """Yield a line for each option of `judge`."""
    return _lines(list_options(JudgeOptions))


def _lines(options: Iterable[Option]) -> Iterator[str]:
    """Yield a line for each option: its names in both languages, its default, and what it does."""
    yield "| in Python | on the command line | default | what it is |"
    yield "|---|---|---|---|"
    for option in options:
        field, description = option.field, option.description or ""
        default = None if field.default is MISSING else field.default
        shown = "" if default in (None, (), False) else f"`{default}`"
        text = description.replace("|", "&#124;").replace("[", "\\[")
        yield f"| `{field.name}` | `--{field.name.replace('_', '-')}` | {shown} | {text} |"
