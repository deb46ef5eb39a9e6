"""Damaged files of each format: they are read, or refused by a sentence that names them.

`pytest --hypothesis-profile=explore` damages 400 files of each format.
"""

from functools import partial
from random import Random

import numpy as np
import pytest
from hypothesis import settings
from mutations import mutated
from refusals import assert_refused
from saved_models import learnt
from scipy.sparse import random_array
from tables import content_of, npz, svmlight, table, written
from typer.testing import CliRunner

from aucbench.cli import app
from aucbench.datasets import load
from aucbench.errors import DataError

pytest.importorskip("pyarrow")
pytest.importorskip("openpyxl")

N = 40
CHANGES = 400 if settings().max_examples >= 2000 else 5  # of each format
BUGS = (AssertionError, AttributeError, KeyError, NameError, TypeError)  # in code of ours
TABLE = table(0, N, "dose colour since smokes ward note", gaps={"note": 0.2})
TABLE["ward"] = TABLE["ward"].astype("category")
SPARSE = random_array((N, 9), density=0.3, rng=np.random.default_rng(0)).tocsr()
SIGNS = np.where(np.arange(N) % 3, -1, 1)
WORDS = np.where(SIGNS > 0, "yes", "no")
CSR = {"data": SPARSE.data, "indices": SPARSE.indices, "indptr": SPARSE.indptr}
MATRIX = (SPARSE.toarray(), SIGNS)
SOUND = {
    **{end: [content_of(TABLE, end)] for end in (".csv", ".csv.gz", ".csv.bz2", ".csv.xz")},
    ".parquet": [content_of(TABLE, ".parquet", compression=kind) for kind in ("snappy", None)],
    ".feather": [content_of(TABLE, ".feather", compression=how) for how in ("lz4", "uncompressed")],
    ".arrow": [content_of(TABLE, ".arrow")],
    ".xlsx": [content_of(TABLE, ".xlsx")],
    ".npz": [
        *(content_of(MATRIX, ".npz", packed=packed) for packed in (False, True)),
        npz(**CSR, shape=SPARSE.shape, y=WORDS),
    ],
    ".zip": [content_of(TABLE, ".csv.zip"), content_of(TABLE, ".parquet.zip")],
    ".svm": [svmlight(SPARSE, SIGNS)],
    ".svm.gz": [content_of(svmlight(SPARSE, SIGNS), ".svm.gz")],
}  # fmt: skip
NO_TABLE = (".npz", ".svm", ".svm.gz")  # has no names of columns, so that no model scores it


def is_bug(error):
    """Whether code of ours raised what became a `DataError`, as only a bug does."""
    while error.__cause__ is not None:
        error = error.__cause__
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return isinstance(error, BUGS) and "/aucbench/" in trace.tb_frame.f_code.co_filename


def outcome(path, **options):
    """Whether a file is read, and else that its refusal is one sentence about it."""
    try:
        load(path, **options)
    except DataError as error:
        refusal = error
    else:
        return True
    assert str(path) in str(refusal)
    assert "\n" not in str(refusal)
    assert not is_bug(refusal), refusal
    return False


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    _, made = learnt(data=load(written(TABLE, folder / "t.csv"), target="y"))
    made.save(folder / "m")
    return folder / "m"


@pytest.mark.parametrize("ending", SOUND)
def test_a_damaged_file_is_read_or_refused(tmp_path, model, ending):
    options = {} if ending in NO_TABLE else {"target": "y"}
    path = tmp_path / f"t{ending}"
    for content in SOUND[ending]:
        path.write_bytes(content)
        assert outcome(path, **options)
    refused = 0
    for seed in range(CHANGES):
        rng = Random(f"{ending} {seed}")
        path.write_bytes(mutated(rng.choice(SOUND[ending]), rng))
        refused += not outcome(path, **options)
        told = CliRunner().invoke(app, ["predict", str(model), str(path)])
        assert told.exception is None or isinstance(told.exception, SystemExit), told.exc_info
        assert told.exit_code in (0, 2) or "error: no row of" in told.stderr
        assert (f"error: {path}" in told.stderr) == (told.exit_code == 2), told.stderr
    assert refused


def test_dates_that_no_calendar_has_are_refused_and_far_ones_are_read(tmp_path):
    far = np.full(N, 10**15).astype("datetime64[s]")
    path = written(TABLE.assign(since=far), tmp_path / "t.feather")
    assert_refused(partial(load, path, target="y"), DataError, "'since' has a date outside")
    days = ["0068-01-01 10:30", "", *["9999-12-31 00:00"] * (N - 2)]
    path = written(TABLE.assign(since=days), tmp_path / "t.csv")
    assert load(path, target="y").understood.kinds["date"] == 1
