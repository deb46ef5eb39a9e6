"""Workflows have no more rights than they need, and run nothing that can change by itself."""

import re
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]
FLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r'.*: "?(\S+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)(?:",)?$')
WRITES = {"docs.pages": {"contents"}, "publish.publish": {"id-token"}}


def flow(path):
    return yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)  # `on` is no boolean


def jobs():
    for path in FLOWS:
        for name, job in flow(path)["jobs"].items():
            yield pytest.param(f"{path.stem}.{name}", job, id=f"{path.stem}.{name}")


@pytest.mark.parametrize("path", FLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_no_rights_and_one_run_at_a_time(path):
    assert flow(path)["permissions"] == {}
    assert flow(path)["concurrency"]["group"]


@pytest.mark.parametrize(("name", "job"), list(jobs()))
def test_a_job_has_its_rights_and_ends(name, job):
    written = {right for right, level in job["permissions"].items() if level == "write"}
    assert written == WRITES.get(name, set())
    assert "uses" in job or int(job["timeout-minutes"]) <= 360
    assert not re.search("latest", job.get("runs-on", ""))


@pytest.mark.parametrize(("name", "job"), list(jobs()))
def test_no_text_of_others_becomes_a_command(name, job):
    for step in job.get("steps", ()):
        assert "${{" not in step.get("run", "")
        if "actions/checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] == "false"


def test_an_action_is_pinned_by_one_digest():
    versions = {}
    for path in FLOWS:
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search("uses: [^$]|: .*@[0-9a-f]{40}", line):
                action, digest, version = PINNED.search(line).groups()
                versions.setdefault(action, set()).add((digest, version))
    assert len(versions) >= 5
    assert all(len(pins) == 1 for pins in versions.values())


def test_only_a_published_release_is_published():
    [publish] = [path for path in FLOWS if "pypi-publish" in path.read_text(encoding="utf-8")]
    assert flow(publish)["on"] == {"release": {"types": ["published"]}}
    last = flow(publish)["jobs"]["publish"]
    assert (last["environment"], last["needs"]) == ("pypi", "check")
    assert last["steps"][-1]["with"] == {"attestations": "true"}
    assert "secrets." not in publish.read_text(encoding="utf-8")
