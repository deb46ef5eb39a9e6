"""The command line in the process of a test, where its output is no terminal."""

import json

from typer.testing import CliRunner

from aucbench.cli import app


def call(*words):
    """What came of a command."""
    return CliRunner().invoke(app, [*map(str, words)])


def done(*words, code=0):
    """What came of a command that ends with this code."""
    ended = call(*words)
    assert ended.exit_code == code, ended.output or ended.exception
    return ended


def said(*words, code=0):
    """All that such a command has printed."""
    return done(*words, code=code).output


def flat(text):
    """A text whose lines may break anywhere."""
    return " ".join(text.split())


def refused(*words):
    """The one sentence of a command that ends with code 2, before it prints anything else."""
    ended = call(*words)
    assert ended.exit_code == 2, ended.output
    assert ended.stdout == ""
    [error] = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
    return error


def strict(path):
    """The rows of a file of JSON, which has no NaN."""

    def no(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=no)
