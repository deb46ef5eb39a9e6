"""The tables of the options of `fit` and `judge`, from the dataclasses that both languages use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING

from aucbench.judging.options import JudgeOptions
from aucbench.models.options import FitOptions
from aucbench.options import list_options


def of_fit() -> Iterator[str]:
    """Yield a line for each option of `fit`."""
    return _lines(FitOptions)


def of_judge() -> Iterator[str]:
    """Yield a line for each option of `judge`."""
    return _lines(JudgeOptions)


def _lines(cls: type) -> Iterator[str]:
    """Yield a line for each option: its names in both languages, its default, and what it does."""
    yield "| in Python | on the command line | default | what it is |"
    yield "|---|---|---|---|"
    for option in list_options(cls):
        field, description = option.field, option.description or ""
        default = None if field.default is MISSING else field.default
        shown = "" if default in (None, (), False) else f"`{default}`"
        text = description.replace("|", "&#124;").replace("[", "\\[")
        yield f"| `{field.name}` | `--{field.name.replace('_', '-')}` | {shown} | {text} |"
