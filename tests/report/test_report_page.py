"""What docs/report.md shows works on a results folder."""

import re
import shlex
from pathlib import Path

import pytest
from command_line import done
from nights import first

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "report.md").read_text("utf-8")
COMMANDS = re.findall(r"^\$ aucbench (report .*)$", PAGE, re.MULTILINE)


@pytest.fixture
def here(results_folder, tmp_path, monkeypatch):
    (tmp_path / "results").symlink_to(results_folder)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", first(COMMANDS, 3))
def test_commands_of_the_page_run(command):
    done(*shlex.split(command))
    for path in map(Path, re.findall(r"[\w-]+\.(?:html|json|pdf|png|svg)", command)):
        assert path.stat().st_size > 1000


@pytest.mark.usefixtures("here")
def test_the_python_example_runs(capsys):
    [code] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(code, {})
    said = capsys.readouterr().out.splitlines()
    assert "highest mean AUC" in said[0]
    assert len(said) == 4
    assert Path("report.html").read_bytes().startswith(b"<!doctype html>")
