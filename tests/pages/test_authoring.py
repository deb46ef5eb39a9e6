"""Pages are played as sessions: their files, commands and outputs."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from page_session import Session, alike_cell, commands, played, same
from shown_pages import section

DOCS = Path(__file__).resolve().parents[2] / "docs"
SURVIVAL = ("pairs.md", "## Survival times and grades")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_page_shows_what_comes(tmp_path):
    text = section(*SURVIVAL)
    ran = []
    for command, shown, came in played(text, tmp_path):
        assert same(shown, came), f"{command}\n{came}"
        ran.append(command)
    assert len(ran) == shown_outputs(text) > 0


def imported(text):
    """The names of aucbench that code imports."""
    for module, listed in re.findall(
        r"^from (aucbench[\w.]*) import ([^(\n]+)$", text, re.MULTILINE
    ):
        yield from ((module, name.strip()) for name in listed.split(","))


def test_what_authors_import_is_documented():
    reference = "".join(p.read_text(encoding="utf-8") for p in DOCS.rglob("*.md"))
    documented = {*re.findall(r"^::: ([\w.]+)", reference, re.MULTILINE)}
    arrays = {"ALL", "Block", "Index", "Vector"}  # in a sentence of the guide
    text = section(*SURVIVAL) + (DOCS.parent / "aucbench" / "guide.md").read_text(encoding="utf-8")
    page = (DOCS / "guide.md").read_text(encoding="utf-8")
    for file in re.findall(r'^--8<-- "(examples/\w+\.py)"', page, re.MULTILINE):
        text += (DOCS.parent / file).read_text(encoding="utf-8")
    used = {*imported(text)}
    assert used
    for module, name in used:
        found = getattr(import_module(module), name)
        home = f"{getattr(found, '__module__', module)}.{name}"
        registered = module in ("aucbench.objectives", "aucbench.projectors")  # in the catalogue
        known = {module, f"{module}.{name}", home} & documented or name in arrays or registered
        assert known, f"{module}.{name} is in no page of reference"


def shown_outputs(text):
    """Commands with an output, and scripts with the text that they print."""
    with_output = sum(
        bool(shown)
        for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for _, shown in commands(block)
    )
    return with_output + len(re.findall(r"^```\n\n```text\n", text, re.MULTILINE))


def test_outputs_may_differ_in_seconds_and_rounding_only():
    table = "solver   AUC  fit s  ok\nsht-auc  {}  {}  5/5\n"
    assert same(table.format(0.9512, 0.1), table.format(0.9513, 0.0023))
    assert not same(table.format(0.9512, 0.1), table.format(0.9312, 0.1))
    assert not same(table.format(0.9512, 0.1), table.format(0.9512, 0.1).replace("5/5", "4/5"))
    law = "gradient  BROKEN  {}  the slope is {}\n"
    assert same(law.format(0.01, 2.1), law.format(3.5, 2.1))
    assert not same(law.format(0.01, 2.1), law.format(0.01, 3.1))
    assert not same("one\n", "one\ntwo\n")
    assert not alike_cell("k=3", "k=4")


def test_lines_can_be_left_out():
    came = "a\nb\nc\nd\n"
    assert same("a\n...\n", came)
    assert same("a\n...\nd\n", came)
    assert same("...\nb\n...\n", came)
    assert not same("b\n...\n", came)
    assert not same("a\n...\nc\n", came)
    assert not same("...\nc\n...\nb\n...\n", came)


def test_a_command_that_fails_without_a_shown_output_is_a_failure(tmp_path):
    page = "```console\n$ false\n```\n"
    with pytest.raises(AssertionError, match="false"):
        [*played(page, tmp_path)]


def test_a_session_writes_files_and_knows_entry_points(tmp_path):
    page = (
        "```python\n# my_package/loss.py\nx = 1\n```\n"
        '```toml\n[project.entry-points.aucbench]\nloss = "my_package.loss"\n```\n'
        "```console\n$ pip install --editable .\n$ cat my_package/loss.py\nx = 1\n```\n"
    )
    assert [*played(page, tmp_path)] == [("cat my_package/loss.py", "x = 1\n", "x = 1\n")]
    points = (tmp_path / "my_package-0.1.dist-info" / "entry_points.txt").read_text()
    assert points == "[aucbench]\nloss = my_package.loss\n"
    assert Session(tmp_path).run("echo $PWD") == (0, "…\n")
