"""list, show, plugins, cite: what there is."""

import json
import re

import pytest
from command_line import call, said


def names(kind):
    return {line.split()[0] for line in said("list", kind).splitlines() if line}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("solvers", "sht-auc"),
        ("datasets", "breast-cancer"),
        ("objectives", "pairwise-square"),
        ("projectors", "top-k"),
        ("features", "unit-centred"),
        ("features", "nystroem"),
    ],
)
def test_list(kind, name):
    assert name in names(kind)


def test_what_a_results_folder_used_is_cited(tmp_path):
    data, out = tmp_path / "mine.csv", tmp_path / "out"
    data.write_text("\n".join(["y,a,b", *(f"{i % 2},{i % 3},{i % 5}" for i in range(60))]))
    for where in ("digits-8", data):
        asked = ("--solvers", "sht-auc[k=5],constant", "--splits", 2, "--passes", 1, "--out", out)
        said("compare", "--data", where, *asked)
    result = call("cite", out)
    assert result.exit_code == 0, result.output
    keys = re.findall(r"^@\w+\{([\w-]+),$", result.stdout, re.MULTILINE)
    assert keys == ["aucbench", "optdigits", "yang2020"]
    missing = re.findall(r"reference is known of the (\w+)", result.stderr)
    assert missing == ["data", "solver"]
    assert "mine.csv: it is a file, or not installed here\n" in result.stderr
    assert "solver constant: it names none\n" in result.stderr


def test_everything_is_described_for_programs(toys):
    document = json.loads(call("list", "--json").stdout)
    named = {(p["kind"], p["name"]): p for p in document["plugins"]}
    assert named["solvers", "means"]["distribution"] == "toys"
    assert named["solvers", "means"]["parameters"][1]["default"] == "inf"
    assert named["projectors", "top-k"]["parameters"][0]["name"] == "k"
    listed = call("list").stdout
    assert "projectors  top-k " in listed
    one = json.loads(call("list", "projectors", "--json").stdout)
    assert {plugin["kind"] for plugin in one["plugins"]} == {"projectors"}


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("means", ("solver of toys 1.0", "m₊ − m₋", 'Nobody, "Nothing", 1900')),
        ("means", ("scale: float = 1.0", "scale: 1.0, 2.0")),
        ("svm-or", ("chunks: It also learns from",)),
        ("logistic", ("logistic: solver of aucbench", "logistic: objective of aucbench")),
        ("aum", ("breakpoints: It learns from error functions too",)),
        ("sht-auc", ("any-projector: It keeps whatever Ω",)),
    ],
)
def test_show(toys, name, texts):
    shown = said("show", name) + "\n"
    assert all(text in shown for text in texts), shown


def test_help_imports_no_library(process):
    modules = ("numpy", "scipy", "sklearn", "pandas", "rich", "pluggy")
    result = process(
        "-c",
        "import sys; sys.argv[1:] = ['--help']\n"
        "from aucbench.cli import app; app(standalone_mode=False)\n"
        f"print([m for m in {modules!r} if m in sys.modules])",
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "[]"
    assert "Usage" in result.stdout


def test_plugins_are_imported_on_demand_and_a_broken_one_is_said(process):
    result = process("plugins", "toy-broken", "projectors")
    told, _, table = result.stdout.partition("\n\n")
    lines = [line.split() for line in table.splitlines()]
    assert result.returncode == 1, result.stderr
    assert told.startswith("aucbench ")
    assert lines[0] == ["plugin", "distribution", "version", "import", "seconds", "reason"]
    rows = {line[0]: line[3:] for line in lines[1:]}
    assert rows["projectors"][0] == "ok"
    assert rows["toy-broken"][0] == "error"
    assert "licence" in " ".join(rows["toy-broken"])


def test_no_plugins_leaves_third_parties_out(process):
    result = process("--no-plugins", "list", "solvers")
    assert result.returncode == 0
    assert "means" not in result.stdout
    assert "sht-auc" in result.stdout


def test_version():
    assert said("--version").startswith("aucbench ")


def test_a_bug_keeps_its_traceback(process):
    code = (
        "import sys; sys.argv[1:] = ['list', 'solvers']\n"
        "from aucbench import registry\n"
        "def bug(kind): raise ZeroDivisionError('a bug')\n"
        "registry.described = bug\n"
        "from aucbench.cli import main; main()"
    )
    result = process("-c", code)
    assert result.returncode == 1
    assert "Traceback" in result.stderr
    assert "ZeroDivisionError: a bug" in result.stderr
