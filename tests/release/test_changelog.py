"""The changelog of the next release: what a person reads comes first, the rest is folded."""

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
FRAGMENTS = ROOT / "changelog.d"
WIDTH, SCREENS = 100, 80  # characters of a line, and lines of two screens of 40
LINK = re.compile(r"\]\(([^)#\s]+\.md)")


def drafted(folder, version="9.9.9"):
    """What towncrier makes of the fragments of a project."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", version]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.partition("## 9.9.9")[2]


@pytest.fixture(scope="module")
def draft():
    return drafted(ROOT)


@pytest.fixture
def project(tmp_path):
    """A project without fragments, whose settings are ours."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "changelog.d").mkdir()
    shutil.copy(FRAGMENTS / "template.md.jinja", tmp_path / "changelog.d")
    return tmp_path


def test_what_a_person_reads_fits_on_two_screens(draft):
    shown, *_ = draft.partition("<details")
    lines = [part for line in shown.splitlines() for part in textwrap.wrap(line, WIDTH) or [""]]
    assert len(lines) <= SCREENS


def test_all_fragments_are_there_and_folded(draft):
    fragments = [p for p in FRAGMENTS.glob("*.md") if p.name != "README.md"]
    summaries = [p for p in fragments if p.name.endswith(".summary.md")]
    folded = sum(map(int, re.findall(r"^<summary>\w+: (\d+)</summary>$", draft, re.MULTILINE)))
    assert folded == len(fragments) - len(summaries)
    shown, *_ = draft.partition("<details")
    headings = re.findall(r"^### (.+)$", shown, re.MULTILINE)
    by_place = sorted(summaries, key=lambda path: int(path.name.partition(".")[0]))
    assert [f"### {heading}" for heading in headings] == [
        path.read_text(encoding="utf-8").partition("\n")[0] for path in by_place
    ]


def test_links_lead_to_pages_from_the_folder_of_the_project(draft):
    for place in {*LINK.findall(draft)}:
        assert place.startswith("http") or (ROOT / place).is_file(), place


def test_summaries_come_first_in_their_order_and_links_get_the_folder(project):
    for name, text in {
        "10.summary.md": "### Later\n\n- b\n",
        "2.summary.md": "### First\n\n- [a](docs/a.md)\n",
        "7.fix.md": "One [page](b.md), [another](docs/c.md) and [a site](https://x.org).\nMore.\n",
    }.items():
        (project / "changelog.d" / name).write_text(text, encoding="utf-8")
    assert drafted(project).partition(")\n")[2].strip() == (
        "### First\n\n- [a](docs/a.md)\n\n### Later\n\n- b\n\n"
        '<details markdown="1">\n<summary>Fixes: 1</summary>\n\n'
        "- One [page](docs/b.md), [another](docs/c.md) and [a site](https://x.org).\n"
        "  More. (#7)\n\n</details>"
    )
