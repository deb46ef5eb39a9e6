"""The tables of the options of `fit` and `judge`, from the dataclasses that both languages use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING

from aucbench.bench.options import Kinds, attributes, offered
from aucbench.judging.judge import KINDS
from aucbench.models.fitting import OPTIONS


def of_fit() -> Iterator[str]:
    """Yield a line for each option of `fit`."""
    return _lines(OPTIONS)


def of_judge() -> Iterator[str]:
    """Yield a line for each option of `judge`."""
    return _lines(KINDS)


def _lines(kinds: Kinds) -> Iterator[str]:
    """Yield a line for each option: its names in both languages, its default, and what it does."""
    yield "| in Python | on the command line | default | what it is |"
    yield "|---|---|---|---|"
    for cls, without in kinds.items():
        said = attributes(cls)
        for field in offered(cls, without):
            default = None if field.default is MISSING else field.default
            shown = "" if default in (None, (), False) else f"`{default}`"
            text = said[field.name].replace("|", "&#124;").replace("[", "\\[")
            yield f"| `{field.name}` | `--{field.name.replace('_', '-')}` | {shown} | {text} |"
