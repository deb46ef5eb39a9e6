import json
import re

import pytest


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("solvers", "sht-auc"),
        ("datasets", "breast-cancer"),
        ("objectives", "pairwise-square"),
        ("projectors", "top-k"),
        ("features", "unit-centred"),
        ("plugins", "sto-iht"),
    ],
)
def test_list(cli, kind, name):
    result = cli("list", kind)

    assert result.exit_code == 0
    assert name in {line.split()[0] for line in result.stdout.splitlines() if line}


def test_list_of_an_unknown_kind_says_what_there_is(cli):
    result = cli("list", "methods")

    assert result.exit_code == 2
    assert "solvers" in result.stderr


def test_list_names_files_of_the_data_folder(cli, monkeypatch, tmp_path):
    (tmp_path / "mine.csv").write_text("a,y\n1,0\n2,1\n")
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))

    assert "mine" in {line.split()[0] for line in cli("list", "datasets").stdout.splitlines()}
    assert "mine: file of AUCBENCH_DATA" in cli("show", "mine").stdout


def test_error_functions_are_told_from_labels(cli, monkeypatch, tmp_path):
    for part in ("errors", "features"):
        (tmp_path / f"ours.{part}.csv").write_text("")
    (tmp_path / "mine.csv").write_text("a,y\n1,0\n2,1\n")
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))

    assert "error functions instead of labels" in cli("show", "ours").stdout
    assert "error functions" not in cli("show", "mine").stdout
    listed = cli("list", "datasets").stdout.splitlines()
    assert [line.split()[0] for line in listed if "error functions" in line] == ["ours"]


def test_what_a_solver_learns_from_is_told(cli):
    assert "Learns from labels and error functions" in cli("show", "aum").stdout
    assert "Learns from labels\n" in cli("show", "sht-auc").stdout + "\n"


def test_list_has_a_broken_plugin_in_one_line(cli, toys):
    result = cli("list", "solvers")
    warnings = [line for line in result.stdout.splitlines() if "toy-broken" in line]

    assert result.exit_code == 0
    assert len(warnings) == 1
    assert "licence" in warnings[0]
    assert "\x1b" not in result.output
    assert "means" in result.stdout
    assert "sht-auc" in result.stdout


def on_a_terminal(monkeypatch, columns):
    """Make lines as wide as a terminal, which the output of a test is not."""
    for module in ("bench.text", "cli.catalogue"):
        monkeypatch.setattr(f"aucbench.{module}.line_width", lambda: columns)


@pytest.mark.parametrize("command", ["list solvers", "list datasets", "list features", "describe"])
def test_lists_break_between_words_at_80_columns(cli, monkeypatch, command):
    words = cli(*command.split()).stdout.split()
    on_a_terminal(monkeypatch, 80)
    folded = cli(*command.split()).stdout
    assert max(map(len, folded.splitlines())) <= 80
    assert folded.split() == words


def test_a_list_in_a_pipe_has_one_line_for_each_name(cli):
    lines = cli("list", "solvers").stdout.splitlines()
    [line] = [line for line in lines if line.split()[:1] == ["sht-auc"]]
    assert line.split()[1] == "s---"
    assert line.endswith("  few features that rank well, by the pairwise square")
    assert lines[0].startswith("aum: aucbench ")
    assert lines[0].endswith(", BSD-3-Clause")


def test_solvers_are_listed_with_what_they_can_do(cli, toys):
    marks = {}
    for line in cli("list", "solvers").stdout.splitlines():
        if line.startswith("  "):
            name, found, *_ = line.split()
            marks[name] = found
    assert marks["sto-iht"] == "s---"
    assert marks["svm-or"] == "-c-w"
    assert marks["opauc"] == "--r-"
    assert marks["means"] == "----"


def test_a_third_party_is_listed_under_its_distribution(cli, toys):
    listed = cli("list", "solvers").stdout
    _, heading, rest = listed.partition("\ntoys 1.0, no licence is stated\n")
    assert heading
    assert "  means " in rest
    assert "sht-auc" not in rest


def test_the_references_of_a_name(cli, toys):
    printed = cli("show", "spdam", "--bibtex").stdout
    assert re.findall(r"^@\w+\{(\w+),$", printed, re.MULTILINE) == ["natole2019", "zhang2017"]

    result = cli("show", "means", "--bibtex")
    assert result.exit_code == 2
    assert "means names no reference" in result.stderr


def test_what_a_results_folder_used_is_cited(cli, tmp_path):
    solvers = "sht-auc[k=5],constant"
    data = tmp_path / "mine.csv"
    rows = (f"{i % 2},{i % 3},{i % 5}" for i in range(60))
    data.write_text("\n".join(["y,a,b", *rows]))
    for where in ("digits-8", str(data)):
        arguments = ("--splits", "2", "--passes", "1", "--out", str(tmp_path / "out"))
        done = cli("compare", "--data", where, "--solvers", solvers, *arguments)
        assert done.exit_code == 0, done.output

    result = cli("cite", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    keys = re.findall(r"^@\w+\{([\w-]+),$", result.stdout, re.MULTILINE)
    assert keys == ["aucbench", "optdigits", "yang2020"]
    missing = [
        line.partition("reference is known of the ")[2] for line in result.stderr.split("\n")
    ]
    assert [phrase.split()[0] for phrase in missing if phrase] == ["data", "solver"]
    assert "mine.csv: it is a file, or not installed here\n" in result.stderr
    assert "solver constant: it names none\n" in result.stderr


def test_a_folder_that_is_none_has_nothing_to_cite(cli, tmp_path):
    result = cli("cite", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert "none" in result.stderr


def test_everything_is_described_for_programs(cli, toys):
    document = json.loads(cli("describe", "--json").stdout)
    named = {(p["kind"], p["name"]): p for p in document["plugins"]}
    assert named["solvers", "means"]["distribution"] == "toys"
    assert named["solvers", "means"]["parameters"][1]["default"] == "inf"
    assert named["projectors", "top-k"]["parameters"][0]["name"] == "k"
    listed = cli("describe").stdout
    assert "projectors  top-k " in listed
    assert len(listed.splitlines()) == len(named)


def test_show_a_solver(cli, toys):
    result = cli("show", "means")

    assert result.exit_code == 0
    for text in ("solver of toys 1.0", "m₊ − m₋", 'Nobody, "Nothing", 1900', "scale: float = 1.0"):
        assert text in result.stdout
    assert "scale: 1.0, 2.0" in result.stdout
    assert "Honours neither --objective nor --projector" in result.stdout


def test_show_every_kind_of_a_shared_name(cli):
    text = cli("show", "logistic").stdout

    assert "logistic: solver of aucbench" in text
    assert "logistic: objective of aucbench" in text


def test_show_of_an_unknown_name_lists_what_there_is(cli):
    result = cli("show", "sht-ac")

    assert result.exit_code == 2
    assert "did you mean 'sht-auc'" in result.stderr
    assert "breast-cancer" in result.stderr


def test_plugins_are_listed_without_import(process):
    result = process(
        "-c",
        "import sys; sys.argv[1:] = ['plugins']\n"
        "from aucbench.cli import app; app(standalone_mode=False)\n"
        "print([m for m in ('toy_solvers', 'toy_broken', 'sklearn') if m in sys.modules])",
    )

    assert result.returncode == 0, result.stderr
    assert "toys" in result.stdout
    assert "third party" in result.stdout
    assert result.stdout.splitlines()[-1] == "[]"


def test_doctor(process):
    result = process("plugins", "--doctor", "toy-broken", "projectors")
    lines = [line.split() for line in result.stdout.splitlines()]

    assert result.returncode == 1, result.stderr
    assert lines[0][:4] == ["plugin", "distribution", "version", "subject"]
    rows = {(line[0], *line[3:5]): " ".join(line[5:]) for line in lines[1:]}
    assert rows["projectors", "projector", "l2-ball"].startswith("9 hold")
    [reason] = [text for key, text in rows.items() if key[0] == "toy-broken"]
    assert "licence" in reason


def test_names_of_plugins_are_for_the_doctor(process):
    result = process("plugins", "toys")

    assert result.returncode == 2
    assert "names are for --doctor, got toys" in result.stderr


def test_no_plugins_leaves_third_parties_out(process):
    result = process("--no-plugins", "list", "solvers")

    assert result.returncode == 0
    assert "means" not in result.stdout
    assert "sht-auc" in result.stdout


def test_help_imports_nothing_heavy(process):
    result = process(
        "-c",
        "import sys; sys.argv[1:] = ['--help']\n"
        "from aucbench.cli import app\n"
        "app(standalone_mode=False)\n"
        "heavy = ('numpy', 'scipy', 'sklearn', 'pandas', 'rich', 'pluggy')\n"
        "print([m for m in heavy if m in sys.modules])",
    )

    assert result.returncode == 0, result.stderr
    assert "Usage" in result.stdout
    assert result.stdout.splitlines()[-1] == "[]"


def test_version(cli):
    result = cli("--version")

    assert result.exit_code == 0
    assert result.stdout.startswith("aucbench ")


def test_a_bug_keeps_its_traceback(process):
    code = (
        "import sys; sys.argv[1:] = ['list', 'solvers']\n"
        "from aucbench import registry\n"
        "def bug(kind): raise ZeroDivisionError('a bug')\n"
        "registry.names = bug\n"
        "from aucbench.cli import main; main()"
    )
    result = process("-c", code)

    assert result.returncode == 1
    assert "Traceback" in result.stderr
    assert "ZeroDivisionError: a bug" in result.stderr
