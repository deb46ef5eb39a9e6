"""The list of public names is that of the code, and what goes is said."""

import subprocess
import sys

import public_names as public
import pytest

pytestmark = pytest.mark.plain

BEFORE = ["aucbench.solve(solver, data, *, passes=50, w0=None)", "aucbench.gone(x)", "key splits"]
NOW = ["aucbench.solve(solver, data, *, passes=20)", "key splits"]


def test_the_list_is_that_of_the_code():
    listed = public.LIST.read_text(encoding="utf-8").splitlines()
    there = public.public_names()
    new, old = sorted({*there} - {*listed}), sorted({*listed} - {*there})
    assert (new, old) == ([], []), (
        "the public names have changed: write a changelog fragment, for a name that goes also a "
        "row of aucbench/moved.toml, and run `.venv/bin/python tests/public_names.py`"
    )


def test_a_name_or_a_parameter_that_goes_must_be_said():
    assert public.unsaid(BEFORE, NOW, "nothing") == ["aucbench.solve: w0", "aucbench.gone: gone"]
    assert public.unsaid(BEFORE, NOW, "`aucbench.gone` is gone, and w0 too") == []
    assert public.unsaid(BEFORE, BEFORE, "") == []
    assert public.unsaid(["$ aucbench fit[--by, --to]"], ["$ aucbench fit[--to]"], "") == [
        "$ aucbench fit: --by"
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("aucbench.require_kernel_api", ["aucbench.require_kernel_api(built, kernel)"]),
        (
            "aucbench.records.Verdict",
            ["aucbench.records.Verdict[HOLDS, BROKEN, EXPECTED, NOT_ASKED]"],
        ),
        ("aucbench.errors.MissingExtraError", ["aucbench.errors.MissingExtraError(what, extra)"]),
    ],
)
def test_a_line_has_the_parameters_or_the_members(name, lines):
    described = [*public.described(name)]
    assert [line for line in lines if line in described] == lines, described


def test_a_module_is_listed_by_what_it_has():
    lines = [*public.described("aucbench.ranges.Range")]
    assert any(line.startswith("aucbench.ranges.Range.at(u)") for line in lines)
    with pytest.raises(LookupError):
        public.resolved("nowhere.at_all")


def test_the_list_of_a_release_is_compared(tmp_path, monkeypatch, capsys):
    git = ["git", "-c", "user.name=x", "-c", "user.email=x", "-C", str(tmp_path)]
    for folder in ("tests", "changelog.d", "aucbench"):
        (tmp_path / folder).mkdir()
    (tmp_path / "aucbench" / "moved.toml").touch()
    (tmp_path / "CHANGELOG.md").write_text("\n## 0.2.0 (2026)\n\ngone\n", encoding="utf-8")
    (tmp_path / "tests" / "names.txt").write_text("\n".join(BEFORE), encoding="utf-8")
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "x"], check=True)
    subprocess.run([*git, "tag", "v0.2.0"], check=True)
    monkeypatch.setattr(public, "ROOT", tmp_path)
    monkeypatch.setattr(public, "LIST", tmp_path / "tests" / "names.txt")
    monkeypatch.setattr(public, "public_names", lambda: NOW)
    assert public.main(["--since", "v0.2.0"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "aucbench.solve: w0: nothing says that it went",
        "aucbench.gone: gone: nothing says that it went",
    ]
    (tmp_path / "changelog.d" / "1.removal.md").write_text("`gone`, `w0`", encoding="utf-8")
    assert public.main(["--since", "v0.2.0"]) == 0
    with pytest.raises(SystemExit, match=r"v9 has no list: .*v9"):
        public.main(["--since", "v9"])


def test_an_unknown_option_is_refused():
    command = [sys.executable, public.__file__, "--until", "today"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "--since REV is the only option, got --until\n"
