"""Files in chunks of rows: they are the rows of the file, whatever its format, in little memory."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from refusals import assert_refused
from scipy.sparse import csr_array, vstack
from tables import PACKERS, framed, matrix, svmlight, written

from aucbench import AUCClassifier
from aucbench.data.arrays import rows
from aucbench.data.inputs import require_filled
from aucbench.datasets import load, stream
from aucbench.datasets.tables.cells import date_formats, numbers
from aucbench.errors import DataError, is_number
from aucbench.solving.loop import solve

N = 31
X, Y = matrix(0, N, 5)
LAST = 2**31 - 2  # the largest column that an int32 can count


def stacked(chunks):
    X = vstack([csr_array(chunk.rows.matrix) for chunk in chunks]).toarray()
    return X, np.concatenate([chunk.y for chunk in chunks])


def same_as_load(source, rows, **options):
    whole, chunks = load(source, **options), [*stream(source, rows=rows, **options)]
    found, y = stacked(chunks)
    np.testing.assert_array_equal(found, whole.rows.dense().matrix)
    np.testing.assert_array_equal(y, whole.y)
    assert [chunk.n for chunk in chunks[:-1]] == [rows] * (len(chunks) - 1)
    assert 1 <= chunks[-1].n <= rows
    assert len({chunk.rows.is_sparse for chunk in chunks}) == 1
    return chunks


@pytest.mark.parametrize("ending", [".svm", ".csv", ".parquet"])
@pytest.mark.parametrize(
    ("rows", "packed"), [*zip((1, 7, 10, N, 1000), ["", *PACKERS], strict=True)]
)
def test_the_chunks_of_any_file_are_its_rows(ending, packed, rows, tmp_path):
    for zeros in (0.1, 0.8):
        path = written(matrix(0, N, 5, zeros=zeros), tmp_path / f"set{ending}{packed}")
        same_as_load(path, rows)


@pytest.mark.parametrize("rows", [1, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "# head\n\n1 qid:1 2:1 4:2 # row\n  \n-1 qid:1 1:3\n  # -1 1:1\n1 qid:3 2:5\n-1 qid:3\n\n",
        "1 1:1\r\n-1 2:2\r\n\r\n1 7:0\r\n",
        "1 0:4\n-1 3:1\n1 2:1\n",
        "1\n-1 3:1\n1 0:4 2:1\n-1",
        "0 1:1\n1 2:2\n0\t3:1  5:2",
        "1 00002:1 00012:3\n-1 4:1e300\n",
    ],
    ids=["comments", "crlf", "zero-based", "zero-based late", "tabs", "odd numbers"],
)
def test_svmlight_is_read_as_scikit_learn_reads_the_whole(text, rows, tmp_path):
    same_as_load(written(text, tmp_path / "set.svm"), rows)


def test_tables_keep_their_header_and_label_column(tmp_path):
    path, made = tmp_path / "t.tsv", framed(X, Y, "label", 1)
    same_as_load(written(made, path, index=True), 4)
    part = written("0 1:1\n0 2:1\n", tmp_path / "part.svm")  # of one class
    for options, side in (({}, -1), ({"positive": [0, 3]}, 1)):
        assert (next(stream(part, **options)).y == side).all()
    written(framed(X, Y), path, header=False)
    same_as_load(path, 1, drop=[0], target=5)
    same_as_load(path, 4, drop=[0])  # one row does not show which column has two values
    written(framed(X, np.where(Y > 0, "sick", "well")), path)
    same_as_load(path, 4, positive=["sick"], drop=["c3"])
    next(stream(path, rows=2, positive=["sick"]))  # it can be left in the middle
    path.unlink()


@pytest.mark.parametrize("ending", [".csv", ".svm"])
def test_the_layout_is_that_of_the_first_chunk(ending, tmp_path):
    full, empty = np.ones((4, 5)), np.zeros((4, 5))
    empty[:, 4] = 1
    for parts, sparse in (((full, empty), False), ((empty, full), True)):
        path = written((np.vstack(parts), [1, -1] * 4), tmp_path / f"l{ending}")
        chunks = [*stream(path, rows=4)]
        assert [chunk.rows.is_sparse for chunk in chunks] == [sparse, sparse]
        np.testing.assert_array_equal(stacked(chunks)[0], np.vstack(parts))


def test_a_given_width_saves_the_scan_and_is_kept(tmp_path):
    path = written("1 2:1\n-1 3:1\n1 1:1\n", tmp_path / "w.svm")
    assert {chunk.d for chunk in stream(path, rows=2, features=9)} == {9}
    found, _ = stacked([*stream(path, rows=2, features=3)])
    np.testing.assert_array_equal(found, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    written("# c\n1 0:1\n\n-1 2:1\n1 3:1\n", path)
    found, _ = stacked([*stream(path, rows=2, features=4)])
    np.testing.assert_array_equal(found, [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


# svmlight: numbers, indices and the widest rows


def test_indices_count_alike_in_two_files_and_numbers_have_plain_digits(tmp_path):
    lines = ("1 0:3 2:1", "-1 1:1 3:2", "1 1:2 2:5", "-1 2:1 3:1")
    train = written("\n".join(lines), tmp_path / "r.svm")
    test = written("\n".join(lines[1:]), tmp_path / "s.svm")  # without an index 0
    for one, other in ((train, test), (test, train)):
        data = load(one, test=str(other))
        found = data.rows.dense().matrix
        assert (data.d, data.understood.first_index) == (4, 0)
        np.testing.assert_array_equal(found[data.folds == -1][-3:], found[data.folds == 0][-3:])
    for text in ("1_000", "١٢", "0x10", "1,5", ""):  # what only Python takes for a number
        assert not is_number(text)
        assert np.isnan(numbers([text.replace(",", ":")], ".")).all()
    assert not date_formats("٢٠٢٠-٠١-٣١")
    [chunk] = stream(test, first_index=0)
    np.testing.assert_array_equal(chunk.rows.dense().matrix, found[-3:])


def test_a_wide_file_takes_memory_for_its_values_and_no_fit_takes_more(tmp_path):
    lines = (f"{1 if i % 3 else -1} {i + 1}:1 {LAST}:2\n" for i in range(12))
    path = written("".join(lines), tmp_path / "w.svm")
    load(path)  # imports what it needs
    tracemalloc.start()
    try:
        data, chunks = load(path), [*stream(path)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (data.d, chunks[0].rows.d, data.rows.stored.size) == (LAST, LAST, 24)
    assert peak < 2_000_000
    assert_refused(lambda: solve("logistic", data), DataError, f"{LAST} columns and 24 values")
    wide = csr_array((np.ones(4), [0, 3, 5, LAST - 1], np.arange(5)), shape=(4, LAST))
    fit = AUCClassifier().fit
    assert_refused(lambda: fit(wide, [0, 1, 0, 1]), DataError, f"{LAST} columns and 4 values")
    values, d = 20_000, 20_000_000  # more values may have more columns
    parts = (np.ones(values), np.arange(values), [0, values])
    require_filled(rows(csr_array(parts, shape=(1, d))))
    more = rows(csr_array(parts, shape=(1, d + 1)))
    assert_refused(lambda: require_filled(more), DataError, f"{d + 1} columns")


# The most memory of a process that reads. The kernel hands the ru_maxrss of a parent on to its
# children; VmHWM begins at exec.
READ = """
import sys
from pathlib import Path
from aucbench.datasets import stream
n = sum(chunk.n for chunk in stream(sys.argv[1], rows=1000))
[peak] = [l.split()[1] for l in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in l]
print(n, int(peak) * 1024)
"""


def peak(path, wanted):
    command = [sys.executable, "-c", READ, str(path)]
    n, most = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert int(n) == wanted
    return int(most)


@pytest.mark.nightly
def test_the_memory_of_a_stream_is_small_and_does_not_grow_with_the_file(tmp_path):
    path, text = tmp_path / "rows.svm", svmlight(*matrix(0, 4000, 40))
    first, more = (peak(written(k * text, path), k * 4000) for k in (2, 8))
    assert more < 300e6
    assert more - first < 12e6
