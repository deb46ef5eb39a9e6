"""The changelog as a page: its links begin in the folder of the project, those of pages here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEXT = "\n## Not released yet\n"


def changes() -> list[str]:
    """Return the lines of the changelog, and before them the summaries of the next release."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    head, newest, older = text.partition("\n## ")
    coming = list(_coming())
    whole = "\n".join([head, *([NEXT, *coming] if coming else []), newest + older])
    return whole.replace("](docs/", "](").splitlines()


def _coming() -> Iterator[str]:
    """Yield the summaries of the fragments that are in no release, in their order."""
    files = (ROOT / "changelog.d").glob("*.summary.md")
    for path in sorted(files, key=lambda path: int(path.name.partition(".")[0])):
        yield path.read_text(encoding="utf-8")
