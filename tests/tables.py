"""Tables of labelled rows by the kinds of their columns, and files of them in each format.

A test names the columns that it needs: `table(0, 200, "age ward", gaps=0.1)`. A further column is
one call of `assign`. `written(frame, path)` writes the format that the ending of the path says.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pandas as pd

# What the cells of a column are, by the name of the column: from a generator and a number of rows.
KINDS = {
    "age": lambda rng, n: rng.integers(18, 80, n).astype(float),  # whole numbers
    "dose": lambda rng, n: rng.normal(size=n).round(3),  # numbers with three decimals
    "lab": lambda rng, n: rng.normal(size=n),  # numbers with all their digits
    "income": lambda rng, n: rng.lognormal(8, 1, n).round(1),  # a heavy tail
    "ward": lambda rng, n: rng.choice(["a", "b", "c"], n),  # words
    "colour": lambda rng, n: rng.choice(["red", "blue", "green"], n, p=[0.6, 0.35, 0.05]),
    "town": lambda rng, n: [f"t{int(k)}" for k in rng.exponential(9, n)],  # many, most of them rare
    "member": lambda rng, n: rng.choice(["yes", "no"], n),
    "smokes": lambda rng, n: rng.choice([True, False], n),
    "since": lambda rng, n: (
        pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 366, n), unit="D")
    ),
    "seen": lambda rng, n: (
        pd.Timestamp("2020-06-01") + pd.to_timedelta(rng.integers(0, 4e7, n), unit="s")
    ),
    "note": lambda rng, n: [
        " ".join(rng.choice([f"word{k}" for k in range(60)], rng.integers(4, 12))) for _ in range(n)
    ],
    "number": lambda _, n: [f"P{i:03}" for i in range(n)],  # another text in each row
}


def table(
    seed: int = 0,
    n: int = 120,
    columns: str = "age ward lab",
    *,
    gaps: float | Mapping[str, float] = 0.0,
    target: str | None = "y",
    labels: tuple = ("no", "yes"),
    positives: float = 0.3,
) -> pd.DataFrame:
    """Return a table whose columns have the kinds of their names, with its labels at the end.

    `columns` are names of `KINDS`, `gaps` the share of the cells that are missing, also by column.
    `labels` stand for a negative row and a positive one; with `target=None` there are none.
    Positive rows have larger numbers in the first columns, and other words.
    """
    rng = np.random.default_rng(seed)
    made = pd.DataFrame({name: KINDS[name](rng, n) for name in columns.split()})
    signal = rng.normal(size=n)
    for name in made.columns[:3]:
        codes = pd.factorize(made[name], sort=True)[0].astype(float)
        signal += 1.5 * (codes - codes.mean()) / (codes.std() or 1.0)
    for name in made.columns:
        share = gaps if isinstance(gaps, float | int) else gaps.get(name, 0.0)
        if share:
            made[name] = made[name].mask(rng.random(n) < share)
    if target is not None:
        is_positive = signal > np.quantile(signal, 1 - positives)
        made[target] = np.array(labels, dtype=object)[is_positive.astype(int)]
        made[target] = made[target].infer_objects()
    return made


def matrix(seed: int = 0, n: int = 30, d: int = 4, *, zeros: float = 0.1):
    """Return numbers with three decimals, some of them 0, and labels -1 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    X[rng.random(X.shape) < zeros] = 0
    X[-1, -1] = 1.5  # svmlight files do not know a last column of zeros
    return X, np.where(np.arange(n) % 3, -1, 1)


def framed(X, y, target: str = "y", at: int | None = None) -> pd.DataFrame:
    """Return a matrix and its labels as a table with the columns c0, c1, …; the labels stand last,
    or before the column `at`.
    """
    made = pd.DataFrame(X, columns=[f"c{j}" for j in range(np.shape(X)[1])])
    made.insert(made.shape[1] if at is None else at, target, y)
    return made


def zipped(members: bytes | Mapping[str, bytes | str], name: str = "rows.csv") -> bytes:
    """Return an archive with some members, or with one that has this name."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for one, content in ({name: members} if isinstance(members, bytes) else members).items():
            archive.writestr(one, content)
    return packed.getvalue()


def tarred(members: Mapping[str, bytes]) -> bytes:
    """Return a compressed tar archive of some members."""
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    return packed.getvalue()


PACKERS = {".xz": lzma.compress, ".bz2": bz2.compress, ".gz": gzip.compress, ".zip": zipped}


def svmlight(X, y, **options) -> bytes:
    """Return rows as svmlight writes them, from index 1 on."""
    from sklearn.datasets import dump_svmlight_file

    content = BytesIO()
    dump_svmlight_file(X, y, content, **{"zero_based": False, **options})
    return content.getvalue()


def npz(*, packed: bool = False, **arrays) -> bytes:
    content = BytesIO()
    (np.savez_compressed if packed else np.savez)(content, **arrays)
    return content.getvalue()


def stream_of_arrow(frame: pd.DataFrame) -> bytes:
    """Return the other form of Arrow files: a stream."""
    import pyarrow as pa

    content, rows = BytesIO(), pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(content, rows.schema) as stream:
        stream.write_table(rows)
    return content.getvalue()


def _by_pandas(method: str, **fixed):
    def content(frame: pd.DataFrame, **options) -> bytes:
        out = BytesIO()
        getattr(frame, method)(out, **{**fixed, **options})
        return out.getvalue()

    return content


FORMATS = {
    ".csv": _by_pandas("to_csv", index=False),
    ".tsv": _by_pandas("to_csv", index=False, sep="\t"),
    ".parquet": _by_pandas("to_parquet", index=False),
    ".feather": _by_pandas("to_feather"),
    ".arrow": stream_of_arrow,
    ".xlsx": _by_pandas("to_excel", index=False),
    ".svm": lambda rows, **options: svmlight(*rows, **options),
    ".npz": lambda rows, **options: npz(X=rows[0], y=rows[1], **options),
}


def content_of(rows, ending: str, **options) -> bytes:
    """Return the content of a file with this ending, such as .csv.gz.

    Rows are a data frame, a pair of a matrix and labels, which becomes a table where the format
    has names of columns, or the text or bytes before they are compressed. Options are those of the
    function that writes the format, such as `sep` or `row_group_size`.
    """
    plain, _, packed = ending.rpartition(".")
    if "." + packed not in PACKERS:
        plain, packed = ending, ""
    if isinstance(rows, str):
        content = rows.encode()
    elif isinstance(rows, bytes):
        content = rows
    else:
        plain = plain or ".svm"
        is_pair = isinstance(rows, tuple) and plain not in (".svm", ".npz")
        content = FORMATS[plain](framed(*rows) if is_pair else rows, **options)
    if packed == "zip":
        return zipped(content, f"rows{plain}")
    return PACKERS["." + packed](content) if packed else content


def written(rows, path: Path, **options) -> Path:
    """Write rows as the name of the file says, and return its path; see `content_of`."""
    endings = [ending for ending in path.suffixes if ending in (*FORMATS, *PACKERS)]
    path.write_bytes(content_of(rows, "".join(endings), **options))
    return path
