"""A page of the documents as a session in an empty folder: its files, commands and outputs.

- A block whose first line is a comment with a path, such as `# my_package/loss.py`, is that file.
- A block of python before a block of text is a script that prints this text.
- In a block of console, a line that begins with `$ ` is a command; what follows is its output.
- `pip install` makes the entry points of blocks of toml known, as the installation does, in the
  distribution my-package 0.1.

In an output a line `...` stands for any lines. Seconds differ from run to run.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from toys import Site

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"# ([\w./]+\.(?:py|csv))\n")
NUMBER = re.compile(r"(\d+\.\d+(?:e-?\d+)?)")
SECONDS = ("seconds", "fit s")
VERDICTS = ("holds", "BROKEN", "expected", "not asked")  # in the table of `aucbench check`
ELIDED = "..."


@dataclass
class Session:
    """A folder, the environment of the commands in it, and the entry points of its package."""

    folder: Path
    points: dict = field(default_factory=dict)

    def environment(self):
        programs = str(Path(sys.executable).parent)
        given = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "80"}
        given |= {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        given.pop("AUCBENCH_PLUGINS", None)
        return given

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".py" and file.parent != self.folder:
            (file.parent / "__init__.py").touch()
        file.write_text(text, encoding="utf-8")

    def configure(self, text):
        """Take the entry points of a part of `pyproject.toml`."""
        project = tomllib.loads(text).get("project", {})
        self.points |= project.get("entry-points", {}).get("aucbench", {})

    def install(self):
        """What `pip install` would do: name the entry points in metadata."""
        info = self.folder / "my_package-0.1.dist-info"
        shutil.rmtree(info, ignore_errors=True)
        Site(self.folder).metadata("my_package", "0.1", self.points)
        head = "Metadata-Version: 2.4\nName: my-package\nVersion: 0.1\n"
        (info / "METADATA").write_text(f"{head}License-Expression: BSD-3-Clause\n")

    def run(self, command):
        """The output of a command of a shell; of one that is shown without output, exit code 0."""
        if command.startswith("pip install"):
            self.install()
            return 0, ""
        done = self._ran("bash", "-c", command)
        came = done.stdout or done.stderr
        return done.returncode, came.replace(str(self.folder), "…")

    def script(self, code):
        done = self._ran(sys.executable, "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _ran(self, *command):
        place = {"cwd": self.folder, "env": self.environment()}
        return subprocess.run(command, **place, capture_output=True, text=True, check=False)


def commands(block):
    """(command, shown output) of a block of console."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)[0]
        yield re.sub(r"\s+# .*", "", command).replace("\\\n", " ").strip(), part[len(command) :]


def played(page, folder):
    """Yield (what ran, shown, came) of a page, in its order."""
    session = Session(folder)
    blocks = FENCE.findall(page)
    following = [*blocks[1:], ("", "")]
    for (language, text), after in zip(blocks, following, strict=True):
        if path := PATH.match(text):
            session.write(path[1], text[path.end() :])
        elif language == "toml":
            session.configure(text)
        elif language == "console":
            for command, shown in commands(text):
                code, came = session.run(command)
                if shown:
                    yield command, shown, came
                else:
                    assert code == 0, f"{command}: {came}"
        elif language == "python":
            came = session.script(text)
            if after[0] == "text":
                yield text.splitlines()[0], after[1], came


def same(shown, came):
    """Whether an output is what is shown, up to seconds, rounding and what is left out."""
    pattern = [[]]
    for line in cells(shown):
        if line == [ELIDED]:
            pattern.append([])
        else:
            pattern[-1].append(line)
    rest = cells(came)
    for position, part in enumerate(pattern):
        places = range(len(rest) - len(part) + 1) if position else [0]
        if position and position == len(pattern) - 1 and part:
            places = [len(rest) - len(part)]
        fits = (at for at in places if at >= 0 and alike(part, rest[at : at + len(part)]))
        at = next(fits, None)
        if at is None:
            return False
        rest = rest[at + len(part) :]
    return len(pattern) > 1 or not rest


def cells(text):
    """Lines as lists of cells, without the columns of seconds."""
    timed, found = [], []
    for line in text.rstrip("\n").splitlines():
        parts = re.split(r" {2,}", line.strip().removeprefix("* ").strip())
        if any(name in parts for name in SECONDS):
            timed = [i for i, part in enumerate(parts) if part in SECONDS]
        elif len(parts) < 3:
            timed = []
        seconds = [2] if parts[1:2] and parts[1] in VERDICTS else timed
        kept = [part for i, part in enumerate(parts) if i not in seconds]
        found.append(kept)
    return found


def alike(one, other):
    return len(one) == len(other) and all(map(alike_line, one, other))


def alike_line(one, other):
    return len(one) == len(other) and all(map(alike_cell, one, other))


def alike_cell(one, other):
    parts, others = NUMBER.split(one), NUMBER.split(other)
    if parts[::2] != others[::2]:
        return False
    numbers = zip(parts[1::2], others[1::2], strict=True)
    return all(abs(float(a) - float(b)) <= 0.002 + 1e-6 * abs(float(b)) for a, b in numbers)
