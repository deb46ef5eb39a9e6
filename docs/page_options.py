"""The table of the options of `fit`, from the dataclasses that both languages take them from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING

from aucbench.models.fitting import OPTIONS
from aucbench.options import attributes, offered


def of_fit() -> Iterator[str]:
    """Yield a line for each option: its names in both languages, its default, and what it does."""
    yield "| in Python | on the command line | default | what it is |"
    yield "|---|---|---|---|"
    for cls, without in OPTIONS.items():
        said = attributes(cls)
        for field in offered(cls, without):
            default = None if field.default is MISSING else field.default
            shown = "" if default in (None, (), False) else f"`{default}`"
            text = said[field.name].replace("|", "&#124;").replace("[", "\\[")
            yield f"| `{field.name}` | `--{field.name.replace('_', '-')}` | {shown} | {text} |"
