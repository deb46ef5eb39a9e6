"""A messy table on the command line: what is warned of, and what the options make of it."""

import numpy as np
import pandas as pd
import pytest
from command_line import done, flat

from aucbench.bench import Store

pytestmark = pytest.mark.usefixtures("in_process")

N, PATIENTS = 600, 200
WORDS = ("pain", "fever", "cough", "stable", "severe", "mild", "acute", "left", "knee", "heart")


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    rng = np.random.default_rng(0)
    patient = np.sort(rng.integers(0, PATIENTS, N))
    creatinine = rng.lognormal(0, 0.6, N)
    log_odds = 1.8 * np.log(creatinine) + rng.normal(size=PATIENTS)[patient] - 1
    ill = rng.random(N) < 1 / (1 + np.exp(-log_odds))
    label = np.where(ill, "Y", "N").astype(object)
    label[::60] = None
    frame = pd.DataFrame(
        {
            "patient_id": 5000 + patient,
            "creatinine": np.where(rng.random(N) < 0.2, -999, creatinine.round(2)),
            "status": np.where(ill & (rng.random(N) < 0.97), "back", rng.choice(["a", "b"], N)),
            "note": [" ".join([*rng.choice(WORDS, 6), f"case{i}"]) for i in range(N)],
            **{f"zero{j}": 0 for j in range(30)},
            "readmitted": label,
        }
    )
    path = tmp_path_factory.mktemp("hospital") / "h.csv"
    frame.to_csv(path, index=False)
    return path


COMPARE = ("compare", "--solvers", "logistic", "--passes", 5, "--target", "readmitted")
ASKED = (
    *("--positive", "Y", "--unlabelled", "skip", "--missing", "creatinine=-999"),
    *("--groups", "patient_id", "--drop", "status"),
)


def test_warnings_come_by_kind_before_the_table(hospital):
    ended = done(*COMPARE, "--data", hospital, "--positive", "Y", "--unlabelled", "skip")
    before, _, _ = ended.stdout.partition("solver ")
    assert before.count("warning:") == 6
    for sentence in (
        "column 'status' is suspicious: nearly tells the label alone",
        "% are -999, far from the others",
        "say --missing creatinine=-999",
        "column 'note' holds free text",
        "column 'patient_id' is suspicious: a key by its name",
        "30 columns are suspicious: constant: 'zero0', 'zero1', 'zero2' and 27 more",
        "10 of 600 rows have no label in the column 'readmitted', and are left out",
    ):
        assert sentence in flat(before)
        assert sentence in flat(ended.stderr)


@pytest.mark.nightly
def test_options_answer_the_warnings_and_a_resume_has_the_same_numbers(hospital, tmp_path):
    command = (*COMPARE, "--data", hospital, *ASKED, "--out", tmp_path / "r")
    first = done(*command).stdout
    assert "intervals: DeLong by groups, mixture beta" in first
    assert "groups, not rows, because rows of one group may be alike" in flat(first)
    assert "-999" not in first
    with Store(tmp_path / "r") as store:
        known = {record.id: record.measures.auc for record in store.records()}
        [record, *_] = store.records()
        assert "groups" in store.scores(record.id)
    again = done(*command).stdout
    assert again == first
    with Store(tmp_path / "r") as store:
        assert {record.id: record.measures.auc for record in store.records()} == known
