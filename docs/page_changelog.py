"""The changelog as a page: its links begin in the folder of the project, those of pages here."""

from __future__ import annotations

from pathlib import Path

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"


def changes() -> list[str]:
    """Return its lines."""
    return CHANGELOG.read_text(encoding="utf-8").replace("](docs/", "](").splitlines()
