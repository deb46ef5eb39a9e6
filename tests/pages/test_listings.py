"""Pages show functions of the package beside the listings of the papers."""

from pathlib import Path

import pytest

METHODS = Path(__file__).resolve().parents[2] / "docs" / "methods"
LISTED = [p for p in sorted(METHODS.glob("*.md")) if "<!-- listing " in p.read_text("utf-8")]
SECTION = """# Page

## Hard thresholding

| line | listing |
|---|---|
| {line} | w |

<!-- listing plugins/thresholding/sht_auc.py: {name} -->
"""


@pytest.fixture
def listings(documents):
    return documents("page_listings")


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.stem)
def test_a_comment_names_each_line_of_a_listing(listings, page):
    shown = listings.with_listings(page.read_text("utf-8"))
    assert "<!-- listing" not in shown
    assert '```python title="' in shown


def test_a_function_is_shown_without_its_docstring(listings):
    shown = listings.with_listings(SECTION.format(line=4, name="ShtAuc.iterates"))
    assert "Yield one state per block" not in shown
    assert "B = blocks[rng.integers(m)]  # line 3" in shown


def test_a_line_that_no_comment_names_is_refused(listings):
    with pytest.raises(ValueError, match="'Hard thresholding' names line 5"):
        listings.with_listings(SECTION.format(line=5, name="ShtAuc.iterates"))


def test_a_function_that_is_not_there_is_refused(listings):
    with pytest.raises(ValueError, match=r"has no ShtAuc.iterate$"):
        listings.with_listings(SECTION.format(line=4, name="ShtAuc.iterate"))


@pytest.mark.parametrize(
    ("comment", "lines"),
    [("# line 3", {3}), ("x  # lines 3 to 5: w", {3, 4, 5}), ("# lines 1 and 4", {1, 4})],
)
def test_comments_name_lines(listings, comment, lines):
    assert listings.named_lines(comment) == lines
