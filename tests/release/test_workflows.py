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


@pytest.mark.parametrize("path", FLOWS, ids=lambda path: path.stem)
def test_a_workflow_and_its_jobs_have_their_rights_and_end_and_run_no_text_of_others(path):
    assert flow(path)["permissions"] == {}
    assert flow(path)["concurrency"]["group"]
    for name, job in flow(path)["jobs"].items():
        written = {right for right, level in job["permissions"].items() if level == "write"}
        assert written == WRITES.get(f"{path.stem}.{name}", set()), name
        assert "uses" in job or int(job["timeout-minutes"]) <= 360, name
        assert not re.search("latest", job.get("runs-on", "")), name
        for step in job.get("steps", ()):
            assert "${{" not in step.get("run", ""), name
            if "actions/checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] == "false", name


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
