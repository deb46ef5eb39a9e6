"""Tables of simulations, which `examples/verdict_simulations.py` writes, in the place of a mark."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.exceptions import PluginError

FOLDER = Path(__file__).with_name("data") / "simulations"
MARK = re.compile(r"^<!-- simulation ([a-z_]+) -->$", re.MULTILINE)


def with_simulations(markdown: str) -> str:
    """Return a page with the tables that its marks name."""
    return MARK.sub(lambda mark: _table(mark[1]), markdown)


def _table(name: str) -> str:
    path = FOLDER / f"{name}.md"
    if not path.is_file():
        raise PluginError(
            f"there is no {path}; `python examples/verdict_simulations.py` writes the tables"
        )
    return path.read_text(encoding="utf-8").strip()
