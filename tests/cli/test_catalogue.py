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
    assert name in {line.split()[0] for line in result.stdout.splitlines()}


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


def test_list_warns_of_a_broken_plugin_in_one_line(cli, toys):
    result = cli("list", "solvers")
    warnings = [line for line in result.stderr.splitlines() if "toys:toy-broken" in line]

    assert result.exit_code == 0
    assert len(warnings) == 1
    assert "licence" in warnings[0]
    assert "\x1b" not in result.output
    assert "means" in result.stdout
    assert "sht-auc" in result.stdout


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
    result = process("plugins", "--doctor")
    found = {line.split()[0]: line for line in result.stdout.splitlines()}

    assert result.returncode == 0, result.stderr
    assert " ok " in found["toys"]
    assert "solver means" in found["toys"]
    assert " error " in found["toy-broken"]
    assert "licence" in found["toy-broken"]


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
