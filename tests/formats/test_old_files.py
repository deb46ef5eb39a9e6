"""Files that earlier versions wrote are read, and mean what they meant."""

import json
import math
import shutil
import tomllib
import zipfile
from importlib.metadata import version

import pytest
from command_line import done, refused
from written_files import (
    EXPECTED,
    FITS,
    FORMATS,
    PLAN,
    PLAN_TEXT,
    RESULTS,
    TABLE,
    answers,
    flat_record,
)

from aucbench.bench import Store
from aucbench.bench.plan.toml import read_plan

pytestmark = pytest.mark.plain

VERSIONS = sorted(folder.name for folder in FORMATS.iterdir() if (folder / EXPECTED).is_file())
ALIKE = 1e-9  # of scores: other releases of NumPy round otherwise


def expected(version):
    return json.loads((FORMATS / version / EXPECTED).read_text(encoding="utf-8"))


def alike(one, other):
    """Whether two cells of a table are the same, but for the rounding of numbers."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=ALIKE, abs_tol=ALIKE) or one != one != other
    return one == other


def test_there_is_a_folder_of_this_version():
    assert version("aucbench") in VERSIONS, "run `.venv/bin/python tests/written_files.py`"


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_model_scores_as_it_did(version, name):
    folder = FORMATS / version
    said = answers(folder / f"{name}.aucbench", folder / TABLE)
    for column, values in expected(version)[name].items():
        pairs = zip(said[column], values, strict=True)
        assert all(alike(*pair) for pair in pairs), column


@pytest.mark.parametrize("version", VERSIONS)
def test_records_have_the_fields_that_they_had(version, tmp_path):
    folder = shutil.copytree(FORMATS / version / RESULTS, tmp_path / RESULTS)
    there = sorted(map(flat_record, Store(folder).records()), key=str)
    for record, before in zip(there, expected(version)[RESULTS], strict=True):
        assert before.items() <= record.items()
    output = done("report", folder, "--stale").output  # of another state of the code
    assert "sht-auc" in output
    assert "logistic" in output


@pytest.mark.parametrize("version", VERSIONS)
def test_a_plan_means_what_it_did(version):
    plan = read_plan(FORMATS / version / PLAN)
    written = tomllib.loads((FORMATS / version / PLAN).read_text(encoding="utf-8"))
    assert [*plan.datasets] == written["datasets"]
    assert (plan.passes, plan.gap_tol) == (
        written["budget"]["passes"],
        written["budget"]["gap_tol"],
    )
    for key in ("splits", "repeats", "seeds", "features"):
        value = getattr(plan, key)
        assert ([*value] if isinstance(value, tuple) else value) == written[key]
    assert len(plan.solvers) == len(written["solvers"])


def test_the_plan_of_today_has_the_present_text():
    folder = FORMATS / version("aucbench")
    assert (folder / PLAN).read_text(encoding="utf-8") == PLAN_TEXT


def test_a_model_of_a_later_version_is_refused_in_one_sentence(tmp_path):
    newest = FORMATS / VERSIONS[-1]
    later = tmp_path / "later.aucbench"
    with zipfile.ZipFile(newest / "linear.aucbench") as old, zipfile.ZipFile(later, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(".json"):
                content = content.replace(b'"version": 1,', b'"version": 99,', 1)
            new.writestr(name, content)
    assert "version 99" in refused("predict", later, newest / TABLE)
