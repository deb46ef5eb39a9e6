"""The page on history says what the measurements say; its commits are states that were landed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMITS = [{"hash": h, "date": f"day {i}", "subject": h} for i, h in enumerate("abcd")]


@pytest.fixture
def page(documents):
    return documents("page_history")


def kept(page, monkeypatch, tmp_path, **seconds):
    file = tmp_path / "history.json"
    file.write_text(json.dumps({"commits": COMMITS, "seconds": seconds}))
    monkeypatch.setattr(page, "FILE", file)


def test_a_change_is_that_from_the_first_commit_that_has_it(page, monkeypatch, tmp_path):
    kept(page, monkeypatch, tmp_path, sort=[None, 0.8, 0.1, 0.2], same=[1.0, 1.1, 1.0, 1.2])
    _, _, *rows = page.changes()
    assert rows == ["| `sort` | `b` | 800 ms | 200 ms | 4 × faster | 8 × faster at `c` |"]


def test_the_machine_is_no_change_of_ours(page, monkeypatch, tmp_path):
    yard = {"Yardstick.time_numpy_sort": [1e-3, 5e-3, 5e-6, 5.0], "ours": [1e-3, None, 1e-3, 1e-3]}
    kept(page, monkeypatch, tmp_path, **yard)
    assert len([*page.changes()]) == len([*page.slower()]) == 2
    _, _, first, second, *_ = page.states()
    assert first == "| `a` | day 0 | a | 2 | 1 ms |"
    assert second == "| `b` | day 1 | b | 1 | 5 ms |"


def test_the_commits_of_a_history_are_the_last_ones_before_a_pause(tmp_path):
    def git(*arguments, at=0):
        when = f"{1_700_000_000 + 60 * at} +0000"
        place = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_NOSYSTEM": "1"}
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(tmp_path), *who, *arguments]
        environment = {**os.environ, "HOME": str(tmp_path), **place}
        told = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        return told.stdout.strip()

    git("init", "--quiet")
    for minute in (0, 10, 50, 60, 75, 200):  # pauses of 40 and 125 minutes
        git("commit", "--quiet", "--allow-empty", "-m", str(minute), at=minute)
    script = (
        "import benchmarks.history as h, pathlib, sys;"
        "h.ROOT = pathlib.Path(sys.argv[1]); print(*h.commits(int(sys.argv[2]), 30.0))"
    )
    for count, wanted in ((9, ["200", "75", "10"]), (2, ["200", "75"])):
        command = [sys.executable, "-c", script, str(tmp_path), str(count)]
        told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        assert [git("log", "-1", "--format=%s", name) for name in told.split()] == wanted
