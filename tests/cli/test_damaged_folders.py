"""A results folder in which one file was changed: each command says what is wrong, or is right.

`pytest --hypothesis-profile=explore` changes twenty times as many files.
"""

import json
import shutil
from pathlib import Path
from random import Random

import pytest
from command_line import call, done
from hypothesis import settings

from aucbench.store import index

pytestmark = [pytest.mark.usefixtures("in_process"), pytest.mark.slow]

PLAN = """
data = ["outbreak[n=120,d=10,k=3]", "outbreak[n=120,d=12,k=3]"]
splits = 2
solvers = ["sht-auc[k=5]", "logistic"]
[budget]
passes = 2
"""
CHANGES = settings().max_examples // 10  # of each of the two folders
SAME = ("auc", "status", "solver", "dataset", "split", "passes", "nnz", "data")  # in each run


def flipped(content, rng, same):
    for _ in range(rng.choice((1, 1, 5))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return content


def other_digit(content, rng, same):
    places = [place for place, byte in enumerate(content) if chr(byte).isdecimal()] or [0]
    content[rng.choice(places)] ^= 1
    return content


HOWS = {
    "flipped": flipped,
    "other digit": other_digit,
    "cut": lambda content, rng, same: content[: rng.randrange(len(content))],
    "noise": lambda content, rng, same: rng.randbytes(rng.randrange(200)),
    "swapped": lambda content, rng, same: rng.choice(same).read_bytes(),
    "deleted": None,
    "a folder": None,
}


def change(folder, rng):
    """Change one file, and return how and which."""
    kinds = sorted(path for path in folder.iterdir() if any(p.is_file() for p in path.rglob("*")))
    within = rng.choice([*kinds, folder])  # one plan as often as one of many scores
    files = sorted(path for path in within.rglob("*") if path.is_file())
    path, how = rng.choice(files), rng.choice([*HOWS])
    if HOWS[how] is None:
        path.unlink()
    else:
        path.write_bytes(HOWS[how](bytearray(path.read_bytes()), rng, files))
    if how == "a folder":
        path.mkdir()
    return f"{how}: {path}"


def code_of(*words):
    """The exit code of a command, which is one of those that are promised, without a traceback."""
    result = call(*words)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    refusals = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert result.exit_code in (0, 2), result.output
    assert len(refusals) == (result.exit_code == 2), result.output
    return result.exit_code


def rows(folder):
    """The rows of a folder by id; None where it cannot be exported."""
    if code_of("export", folder, "rows.json") != 0:
        return None
    return {row["id"]: row for row in json.loads(Path("rows.json").read_text())}


@pytest.mark.parametrize("indexed", [False, True])
def test_one_changed_file_changes_no_number(tmp_path, monkeypatch, indexed):
    if indexed:
        monkeypatch.setattr(index, "MANY", 1)
        monkeypatch.setattr(index, "SETTLED", -(10**18))
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)
    done("run", "plan.toml", "--out", "whole", "--quiet")
    assert Path("whole/index.json").exists() == indexed
    expected = {key: [row[name] for name in SAME] for key, row in rows("whole").items()}
    for seed in range(CHANGES):
        folder = shutil.copytree("whole", Path(f"changed-{seed}"))
        what = change(folder, Random(seed))
        code_of("status", folder)
        code_of("report", folder, "--html", "page.html")
        ran = code_of("run", "plan.toml", "--out", folder, "--quiet")
        found = rows(folder)
        if ran == 0:
            assert found is not None, what
            assert found.keys() == expected.keys(), what
        for key, row in (found or {}).items():
            assert [row[name] for name in SAME] == expected[key], what
        shutil.rmtree(folder)
