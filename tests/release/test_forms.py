"""Forms for issues and requests: GitHub can show them, and what they tell people to run exists."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from command_line import call
from typer.main import get_command

from aucbench.cli import app

pytestmark = pytest.mark.plain

GITHUB = Path(__file__).resolve().parents[2] / ".github"
FORMS = sorted(p for p in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if p.stem != "config")
TYPES = {"markdown", "input", "textarea", "checkboxes", "dropdown"}
COMMAND = re.compile(r"`aucbench ([^`]+)`")


def text_of(path):
    return path.read_text(encoding="utf-8")


def test_there_are_forms_for_a_fault_a_solver_and_a_data_set():
    assert [path.stem for path in FORMS] == ["bug", "dataset", "solver"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_one_that_can_be_shown(path):
    form = yaml.safe_load(text_of(path))
    assert form.keys() == {"name", "description", "labels", "body"}
    asked = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in form["body"]} <= TYPES
    assert len({field["id"] for field in asked}) == len(asked)
    assert all(field["attributes"]["label"] for field in asked)
    assert any(field.get("validations", {}).get("required") for field in asked)
    assert not any(
        field["attributes"].get("render") for field in asked if field["type"] != "textarea"
    )


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_the_commands_of_a_form_exist(path):
    commands = COMMAND.findall(" ".join(text_of(path).split()))
    assert commands
    top = get_command(app)
    for words in (line.split() for line in commands):
        command = top if words[0].startswith("-") else top.commands[words[0]]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, words


def test_the_template_of_requests_names_what_is_there():
    text = text_of(GITHUB / "PULL_REQUEST_TEMPLATE.md")
    for place in re.findall(r"`([\w./]+(?:\.py|\.toml|/run|/))`", text):
        assert (GITHUB.parent / place).exists(), place
    assert "tests/public_names.py" in text


def test_the_doctor_prints_what_the_form_asks_for(monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", "a\x1b[31mb")
    ended = call("--doctor")
    assert ended.exit_code == 0, ended.output
    said = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines() if line[:1] != " ")
    assert {"aucbench", "Python", "system", "processor", "kernels", "libraries"} <= said.keys()
    assert re.match(r"SIMD \S+, sort \S+", said["kernels"])
    assert re.match(r"by \w+Supervisor", said["processes"])
    assert "numpy 2." in said["libraries"]
    assert "AUCBENCH_DATA=a" in ended.stdout
    assert "\x1b" not in ended.stdout


def test_the_doctor_says_what_is_wrong():
    command = [sys.executable, "-c", "from aucbench.cli import main; main()", "--doctor"]
    wrong = {**os.environ, "AUCBENCH_SIMD": "sse9"}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=wrong)
    assert ended.returncode == 0, ended.stderr
    assert re.search("^kernels +cannot be loaded: AUCBENCH_SIMD", ended.stdout, re.MULTILINE)
