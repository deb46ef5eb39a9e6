"""The changelog: its newest entry is short, and links lead to pages."""

import re
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
WIDTH, LINES = 100, 90  # characters of a line, and lines of what a person reads
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
PAGES = [ROOT / "CHANGELOG.md", *(ROOT / "changelog.d").glob("*.md")]


def test_the_newest_entry_is_read_at_once():
    newest = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1]
    lines = [part for line in newest.splitlines() for part in textwrap.wrap(line, WIDTH) or [""]]
    assert len(lines) <= LINES


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_to_pages_from_the_folder_of_the_project(page):
    for place in re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8")):
        assert "://" in place or page.name == "README.md" or (ROOT / place).is_file(), place
