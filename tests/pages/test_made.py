"""Tables, figures and listings that the pages make from files say what the files say."""

import inspect
import json
import re

import numpy as np
import pandas as pd
import pytest
from shown_pages import DOCS, ROOT, text_of

import aucbench

PAGES = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "simulations")


# --- figures -----------------------------------------------------------------------------


def asked():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name, caption in re.findall(r"^<!-- figure (\w+): (.+) -->$", text, re.MULTILINE):
            yield name, caption, text


@pytest.mark.slow
def test_every_known_figure_is_drawn_from_its_page(documents):
    figures, drawn = documents("page_figures"), set()
    for name, caption, text in asked():
        svg = figures.figure(name, caption, text)
        assert svg.count("<svg") == 1, name
        assert "\n" not in svg, name
        assert figures.INK not in svg, name
        assert len(re.findall(r"<(?:use|path) ", svg)) > 5, name
        assert "nan" not in re.sub(r">[^<]*<", "><", svg), name
        drawn.add(name)
    assert drawn == {*figures.FIGURES}
    with pytest.raises(ValueError, match="nothing"):
        figures.with_figures("<!-- figure nothing: of nothing -->")


def test_a_figure_follows_the_numbers_of_its_table(documents):
    figures, page = documents("page_figures"), text_of("defaults.md")
    changed = page.replace("| sector | 9619", "| another | 9619", 1)
    assert page != changed
    before, after = (figures.figure("how_soon", "seconds", text) for text in (page, changed))
    assert ">sector<" in before
    assert ">sector<" not in after
    assert ">another<" in after


def test_the_table_of_additive_models_is_that_of_the_file(documents):
    page = text_of("curved.md")
    found = documents("page_tables").table(page, "less that of `ebm`")
    rows = pd.read_csv(DOCS / "data" / "additive.csv")
    whole = rows.pivot(index="task", columns="method", values="auc")[found.text(0)].dropna()
    assert f"{len(whole)} tasks have a value" in page
    ahead = whole.sub(whole["linear"], axis=0)
    for column, wanted in enumerate((whole.mean(), ahead.mean(), ahead.min()), 1):
        np.testing.assert_allclose(found.numbers(column), wanted.to_numpy(), atol=6e-5)


def test_the_answer_of_the_page_is_what_the_command_says_of_published_means(documents):
    begin, command, *lines, end = documents("page_tasks").answer()
    assert (begin, end) == ("```text", "```")
    assert command.startswith("$ aucbench study ")
    text = " ".join(" ".join(lines).split())
    assert "mine.py:MySolver was run on 24 of the " in text
    assert "svm-or" in re.search(r"It is equivalent to \d+ solvers?: (.*?)\.", text)[1]
    assert "Here logistic takes 1 times its published seconds" in text


# --- how fast -------------------------------------------------------------------------------


@pytest.fixture
def speed(documents):
    return documents("page_speed")


@pytest.fixture
def given(speed, monkeypatch, tmp_path):
    """Write a file of a run with these rows, and let the page read it."""
    monkeypatch.setattr(speed, "DATA", tmp_path)

    def write(part, *rows, **about):
        text = json.dumps({"rows": rows, **about})
        (tmp_path / f"speed_{part}.json").write_text(text, encoding="utf-8")

    return write


@pytest.mark.parametrize("name", ["speed", "losses"])
def test_every_table_of_the_page_is_asked_for_once_and_has_rows(documents, name):
    tables = documents(f"page_{name}").TABLES
    asked = re.findall(rf"^<!-- {name} .+ -->$", text_of(f"{name}.md"), re.MULTILINE)
    assert sorted(asked) == sorted(tables)
    for name, lines in tables.items():
        found = [*lines()]
        assert found, name
        if found[0].startswith("|"):
            assert len(found) > 2, name
            assert len({line.count("|") for line in found}) == 1, name


def objective(ours, theirs):
    about = {"set": "a9a", "n": 32561, "d": 123, "lam": 0.01, "peer": "P", "solver": "svm-or"}
    excess = None if theirs is None else 1.2e-4
    return {**about, "ours": ours, "theirs": theirs, "excess": excess, "megabytes": [9, 30]}


def curve(method, points, ours=False):
    return {"set": "usps", "method": method, "linear": True, "ours": ours, "points": points}


def test_what_is_slower_equal_and_lost_is_told(speed, given):
    row = {"group": "pairs", "peer": "`np.sort`", "ours": 0.02, "theirs": 0.05}
    won = {**row, "what": "`auc`", "ratio": [2.5, 2.4, 2.61], "megabytes": [8.2, 7.6]}
    lost = {**won, "what": "b", "ratio": [0.5, 0.5, 0.5]}
    given("kernels", won, lost)
    given("objectives", objective(0.05, 0.4), objective(None, 0.4), objective(0.4, 0.2))
    slow, quick = curve("slow", [[0.1, 0.5], [2.0, 0.9]], ours=True), curve("quick", [[1.0, 0.899]])
    given("curves", slow, quick, curve("weak", [[0.1, 0.8]]), curve("dense", []))
    [*_, line, _] = speed.of_kernels("pairs")
    assert line == "| `auc` | 20 ms | `np.sort` | 50 ms | 2.5 × faster | 2.4 to 2.6 | 8, 8 MB |"
    [*_, first, second, _] = speed.of_objectives()
    assert first.startswith("| a9a, 32 561 × 123 | 0.01 | P | 400 ms | 1e-4 | `svm-or` | 50 ms |")
    assert "| 400 ms | 1e-4 | `svm-or` | not reached | – |" in second
    [*_, slow, quick, weak, dense, best] = speed.of_curves(True)
    assert (slow, quick) == ("| slow | 2 s |", "| quick | **1 s** |")
    assert (weak, dense, best) == ("| weak | (0.8000) |", "| dense | – |", "| best AUC | 0.9000 |")
    assert [*speed.of_losses()] == [
        "- b: 2 × slower than `np.sort`.",
        "- `svm-or` on a9a, λ = 0.01: never as low than P.",
        "- `svm-or` on a9a, λ = 0.01: 2 × slower than P.",
        "- usps, linear scores: quick is first, 1 s; ours 2 s.",
    ]


# --- options, listings and simulations ----------------------------------------------------

FIRST = {"fit": 1, "judge": 2}  # the tables themselves, and their format, which the page tells


@pytest.mark.parametrize("function", FIRST)
def test_the_table_has_each_option_once(documents, function):
    lines = [*getattr(documents("page_options"), f"of_{function}")()]
    names = [re.match(r"\| `(\w+)` \| `--([\w-]+)` \| .* \| (.+) \|$", line) for line in lines[2:]]
    taken = [*inspect.signature(getattr(aucbench, function)).parameters]
    assert [n[1] for n in names] == taken[FIRST[function] :]
    assert all(n[2] == n[1].replace("_", "-") for n in names)
    assert {line.count("|") for line in lines} == {5}


LISTING = """# Page

## Hard thresholding

| line | listing |
|---|---|
| {line} | w |

<!-- listing plugins/thresholding/sht_auc.py: {name} -->
"""


def test_a_comment_names_each_line_of_a_listing(documents):
    listings = documents("page_listings")
    texts = [page.read_text("utf-8") for page in sorted((DOCS / "methods").glob("*.md"))]
    listed = [text for text in texts if "<!-- listing " in text]
    assert listed
    for text in listed:
        shown = listings.with_listings(text)
        assert "<!-- listing" not in shown
        assert '```python title="' in shown
    shown = listings.with_listings(LISTING.format(line=4, name="ShtAuc.iterates"))
    assert "Yield one state per block" not in shown  # its docstring
    assert "B = blocks[rng.integers(m)]  # line 3" in shown
    for line, name, word in (
        (5, "ShtAuc.iterates", "names line 5"),
        (4, "ShtAuc.iterate", "no ShtAuc.iterate"),
    ):
        with pytest.raises(ValueError, match=word):
            listings.with_listings(LISTING.format(line=line, name=name))
    assert listings.named_lines("x  # lines 3 to 5: w") == {3, 4, 5}


@pytest.fixture
def frame(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import verdict_simulations

    return verdict_simulations


def test_each_table_of_the_pages_is_written_by_a_simulation(frame):
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    wanted = {*re.findall(r"^<!-- simulation ([a-z_]+) -->$", text, re.MULTILINE)}
    assert wanted == {path.stem for path in frame.OUT.glob("*.md")}


@pytest.mark.nightly
def test_the_frame_writes_the_tables_of_one_simulation(frame, tmp_path):
    frame.main(["--only", "families", "--effort", "0", "--out", str(tmp_path)])
    names = {f"families_{name}" for name in ("words", "ranks", "slopes")}
    assert {path.stem for path in tmp_path.iterdir()} == names
    for path in tmp_path.iterdir():
        header, rule, *lines = path.read_text(encoding="utf-8").splitlines()
        assert len({line.count("|") for line in (header, rule, *lines)}) == 1
        stored = (frame.OUT / path.name).read_text(encoding="utf-8").splitlines()
        assert (stored[0], len(stored)) == (header, len(lines) + 2)
