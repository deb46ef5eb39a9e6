"""The pages on changes: what is to be released comes first, and each old name has a line."""

from pathlib import Path

import pytest

from aucbench.moved import moves

pytestmark = pytest.mark.plain

HEAD = "# Changelog\n\nWords.\n"
RELEASED = "\n## 0.2.0 (2026-11-26)\n\n- [a page](docs/new.md)\n"


@pytest.fixture
def page(documents, monkeypatch, tmp_path):
    """The page of a project with this changelog and these summaries."""
    page_changelog = documents("page_changelog")
    monkeypatch.setattr(page_changelog, "ROOT", tmp_path)

    def lines(changelog, *summaries):
        folder = tmp_path / "changelog.d"
        folder.mkdir()
        (tmp_path / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
        for number, text in enumerate(summaries, 9):
            (folder / f"{number}.summary.md").write_text(text, encoding="utf-8")
        (folder / "3.fix.md").write_text("A fix.", encoding="utf-8")
        return [line for line in page_changelog.changes() if line]

    return lines


def test_summaries_stand_before_the_newest_release_in_their_order(page):
    assert page(HEAD + RELEASED, "### One\n", "### Two, [more](docs/policy.md)\n") == [
        *("# Changelog", "Words.", "## Not released yet", "### One", "### Two, [more](policy.md)"),
        *("## 0.2.0 (2026-11-26)", "- [a page](new.md)"),
    ]


def test_without_summaries_it_is_the_changelog(page):
    assert page(HEAD + RELEASED) == [
        *("# Changelog", "Words.", "## 0.2.0 (2026-11-26)", "- [a page](new.md)")
    ]


def test_before_the_first_release_only_summaries_are_there(page):
    assert page(HEAD, "### One\n") == ["# Changelog", "Words.", "## Not released yet", "### One"]


def test_each_move_has_a_line_on_the_page(documents):
    moved = documents("page_moved")
    assert {move.kind for move in moves()} <= {*moved.MOVED}
    lines = [line for kind in moved.MOVED for line in moved.rows_of(kind)]
    assert sum(line.startswith("| `") for line in lines) == len(moves())
    page = (Path(__file__).resolve().parents[2] / "docs" / "moved.md").read_text(encoding="utf-8")
    assert all(f"<!-- moved {kind} -->" in page for kind in moved.MOVED)
    assert list(moved.rows_of("commands")) == ["None has moved."]
