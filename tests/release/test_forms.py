"""Forms for issues and requests: GitHub can show them, and what they tell people to run exists."""

import re
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


def test_the_check_of_plugins_prints_what_the_form_asks_for():
    ended = call("--no-plugins", "plugins", "--check")
    assert ended.exit_code == 0, ended.output
    lines = ended.stdout.partition("\n\n")[0].splitlines()
    said = dict(line.split(maxsplit=1) for line in lines if line[:1] != " ")
    assert {"aucbench", "Python", "system", "kernels", "libraries"} <= said.keys()
    assert re.match(r"SIMD \S+, sort \S+", said["kernels"])
    assert re.match(r"by \w+Supervisor", said["processes"])
    assert "numpy 2." in said["libraries"]
