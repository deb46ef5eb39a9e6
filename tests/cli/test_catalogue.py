"""list, show, plugins, cite and data: what there is; and streams that are closed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import done, refused, said

SCRIPT = Path(sys.executable).with_name("aucbench")


@pytest.mark.usefixtures("in_process")
def test_what_a_results_folder_used_is_cited(tmp_path):
    data, out = tmp_path / "mine.csv", tmp_path / "out"
    data.write_text("\n".join(["y,a,b", *(f"{i % 2},{i % 3},{i % 5}" for i in range(60))]))
    for where in ("digits-8", data):
        asked = ("--solvers", "sht-auc[k=5],constant", "--splits", 2, "--passes", 1, "--out", out)
        said("compare", "--data", where, *asked)
    result = done("cite", out)
    keys = re.findall(r"^@\w+\{([\w-]+),$", result.stdout, re.MULTILINE)
    assert keys == ["aucbench", "optdigits", "yang2020"]
    missing = re.findall(r"reference is known of the (\w+)", result.stderr)
    assert missing == ["data", "solver"]
    assert "mine.csv: it is a file, or not installed here\n" in result.stderr
    assert "solver constant: it names none\n" in result.stderr


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("means", ("solver of toys 1.0", "m₊ − m₋", '"Nothing", 1900', "scale: float = 1.0")),
        ("logistic", ("logistic: solver of aucbench", "logistic: objective of aucbench")),
    ],
)
def test_show(toys, name, texts):
    shown = said("show", name)
    assert all(text in shown for text in texts), shown


HELP = """
import sys; sys.argv[1:] = ['--help']
from aucbench.cli import app; app(standalone_mode=False)
heavy = ("numpy", "scipy", "sklearn", "pandas", "rich", "pluggy")
print([m for m in heavy if m in sys.modules])
"""
BUG = """
import sys; sys.argv[1:] = ['list', 'solvers']
from aucbench import registry
def bug(kind): raise ZeroDivisionError('a bug')
registry.described = bug
from aucbench.cli import main; main()
"""


def test_help_imports_no_library_and_a_bug_keeps_its_traceback(process):
    result = process("-c", HELP)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "[]"
    assert "Usage" in result.stdout

    result = process("-c", BUG)
    assert result.returncode == 1
    assert "Traceback" in result.stderr
    assert "ZeroDivisionError: a bug" in result.stderr


def test_plugins_are_imported_on_demand_and_a_broken_one_is_said(toys):
    assert said("--version").startswith("aucbench ")
    told, _, table = said("plugins", "toy-broken", "projectors", code=1).partition("\n\n")
    lines = [line.split() for line in table.splitlines()]
    assert told.startswith("aucbench ")
    assert lines[0] == ["plugin", "distribution", "version", "import", "seconds", "reason"]
    rows = {line[0]: line[3:] for line in lines[1:]}
    assert rows["projectors"][0] == "ok"
    assert rows["toy-broken"][0] == "error"
    assert "licence" in " ".join(rows["toy-broken"])


@pytest.mark.parametrize(
    ("shell", "code", "sentence"),
    [
        ('"$0" list objectives >&-', 2, "error: stdout is closed; redirect it"),
        ('"$0" list objectives > /dev/full', 1, "written to stdout: No space left on device"),
        ('"$0" guide | true', 1, "error: not all of the answer was written to stdout: it was"),
        ('"$0" list objectives <&- 2>&-', 0, ""),
    ],
)
def test_a_command_whose_streams_are_closed_says_so_without_a_traceback(shell, code, sentence):
    command = ["bash", "-o", "pipefail", "-c", shell, SCRIPT]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == code, found.stderr
    assert sentence in found.stderr
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr


@pytest.fixture
def folder(monkeypatch, tmp_path):
    (tmp_path / "german.svm").write_text("1 1:2\n-1 1:3\n")
    (tmp_path / "b\x1bm.svm").write_text("1 1:2\n-1 1:3\n")
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))


def test_the_list_says_where_each_data_set_is(folder):
    shown = said("data", "list")
    lines = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    for name, words in {
        **{"german": "folder", "ijcnn1": "download 4.0 MB", "breast-cancer": "embedded"},
        **{"splice": "nowhere", r"b\x1bm": "the catalogue does not know", "keel:NAME": ""},
    }.items():
        assert words in lines[name]
    assert "\x1b" not in shown


def test_fetch_says_what_is_here_and_what_cannot_be_had(folder):
    here = ["german: is here already (folder)", "digits-3: is here already (embedded)"]
    assert done("data", "fetch", "german", "digits-3").stdout.splitlines() == here
    assert "splice, usps, acoustic" in refused("data", "fetch", "suite:spdam")
    # Nor does a run begin without its data.
    names = ("--data", "suite:sht-genes", "--solvers", "logistic")
    assert "colon, leukemia" in refused("compare", *names)
