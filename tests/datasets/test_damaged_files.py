"""Damaged files of each format: they are read, or refused by a sentence that names them.

`pytest --hypothesis-profile=explore` damages 400 files of each format.
"""

import bz2
import gzip
import lzma
import struct
from io import BytesIO
from random import Random
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from mutations import mutated
from scipy.sparse import random_array
from sklearn.datasets import dump_svmlight_file
from table_models import model_of
from typer.testing import CliRunner

from aucbench.cli import app
from aucbench.datasets import load
from aucbench.errors import DataError

pytest.importorskip("pyarrow")
pytest.importorskip("openpyxl")

N = 40
CHANGES = 400 if settings().max_examples >= 2000 else 5  # of each format
BUGS = (AssertionError, AttributeError, KeyError, NameError, TypeError)  # in code of ours
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": np.round(RNG.normal(size=N), 3),
        "label": np.where(np.arange(N) % 3, "no", "yes"),
        "colour": np.resize(["red", "green", "blue", "red"], N),
        "since": pd.date_range("2020-01-01", periods=N),
        "member": np.arange(N) % 2 == 0,
        "kind": pd.Categorical(np.resize(["a", "b", "c", "d"], N)),
        "note": [None if i % 5 == 0 else f"t{i % 4}" for i in range(N)],
    }
)
SPARSE = random_array((N, 9), density=0.3, rng=np.random.default_rng(0)).tocsr()
SIGNS = np.where(np.arange(N) % 3, -1, 1)


def written(write, *arguments, **options):
    content = BytesIO()
    write(*arguments, content, **options)
    return content.getvalue()


def in_zip(name, content):
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def stream_of_arrow(content):
    import pyarrow as pa

    table = pa.Table.from_pandas(TABLE)
    with pa.ipc.new_stream(content, table.schema) as stream:
        stream.write_table(table)


def npz(save, **arrays):
    content = BytesIO()
    save(content, **arrays)
    return content.getvalue()


CSR = {"data": SPARSE.data, "indices": SPARSE.indices, "indptr": SPARSE.indptr}
CSV = TABLE.to_csv(index=False).encode()
SVM = written(dump_svmlight_file, SPARSE, SIGNS, zero_based=False)
PARQUET = written(TABLE.to_parquet)
SOUND = {
    ".parquet": [PARQUET, written(TABLE.to_parquet, compression=None)],
    ".feather": [
        written(TABLE.to_feather, compression=packed) for packed in ("uncompressed", "lz4")
    ],
    ".arrow": [written(stream_of_arrow)],
    ".xlsx": [written(TABLE.to_excel, index=False)],
    ".npz": [
        npz(np.savez, X=SPARSE.toarray(), y=SIGNS),
        npz(np.savez_compressed, X=SPARSE.toarray(), y=SIGNS),
        npz(np.savez, **CSR, shape=SPARSE.shape, y=np.where(SIGNS > 0, "yes", "no")),
    ],
    ".csv": [CSV],
    ".csv.gz": [gzip.compress(CSV)],
    ".csv.bz2": [bz2.compress(CSV)],
    ".csv.xz": [lzma.compress(CSV)],
    ".zip": [in_zip("t.csv", CSV), in_zip("t.parquet", PARQUET)],
    ".svm": [SVM],
    ".svm.gz": [gzip.compress(SVM)],
}
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
    (folder / "t.csv").write_bytes(CSV)
    made, _ = model_of(load(folder / "t.csv", target="label"))
    made.save(folder / "m")
    return folder / "m"


@pytest.mark.parametrize("ending", SOUND)
def test_a_damaged_file_is_read_or_refused(tmp_path, model, ending):
    options = {} if ending in NO_TABLE else {"target": "label"}
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


@pytest.mark.parametrize("part", ["images-idx3", "labels-idx1"])
def test_a_damaged_file_of_images_is_read_or_refused(tmp_path, part):
    shapes = {"images-idx3": (N, 3, 2), "labels-idx1": (N,)}
    first = tmp_path / "m-train-images-idx3-ubyte"
    for name, shape in shapes.items():
        values = RNG.integers(0, 2, shape).astype(np.uint8).tobytes()
        head = struct.pack(f">BBBB{len(shape)}i", 0, 0, 8, len(shape), *shape)
        for which in ("train", "t10k"):
            (tmp_path / f"m-{which}-{name}-ubyte").write_bytes(head + values)
    assert outcome(first)
    path = tmp_path / f"m-train-{part}-ubyte"
    sound = path.read_bytes()
    for seed in range(CHANGES):
        path.write_bytes(mutated(sound, Random(f"{part} {seed}")))
        outcome(first)


def test_texts_that_are_no_characters_are_refused(tmp_path):
    y = np.where(SIGNS > 0, "yes", "no")
    y.view(np.uint32)[-1] = 0x110000
    np.savez(tmp_path / "t.npz", X=SPARSE.toarray(), y=y)
    with pytest.raises(DataError, match="cannot be read as npz"):
        load(tmp_path / "t.npz")


def test_dates_that_no_calendar_has_are_refused_and_far_ones_are_read(tmp_path):
    path = tmp_path / "t.feather"
    far = TABLE.assign(since=np.full(N, 10**15).astype("datetime64[s]"))
    far.to_feather(path)
    with pytest.raises(
        DataError, match=r"column 'since' has a date outside of the years 1 to 9999"
    ):
        load(path, target="label")
    far = TABLE.assign(since=["0068-01-01 10:30", "", *["9999-12-31 00:00"] * (N - 2)])
    far.to_csv(tmp_path / "t.csv", index=False)
    assert load(tmp_path / "t.csv", target="label").understood.kinds["date"] == 1
