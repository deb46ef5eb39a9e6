import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

from aucbench import AUCClassifier
from aucbench.data.arrays import rows
from aucbench.data.inputs import require_filled
from aucbench.datasets import load, stream
from aucbench.datasets.tables.cells import date_formats, numbers
from aucbench.errors import DataError, is_number
from aucbench.solving.loop import solve

LAST = 2**31 - 2  # the largest column that an int32 can count
ONLY_PYTHON = {
    "index": "1 1_000:2\n-1 2:3\n",
    "last index": "1 1:1 2:1 1_000:2\n-1 2:3\n",
    "value": "1 1:2_0\n-1 2:3\n",
    "label": "1_0 1:2\n-1 2:3\n",
    "late": "1 1:2\n-1 2:3\n1 4_0:1\n",
}


@pytest.mark.parametrize("text", ONLY_PYTHON.values(), ids=ONLY_PYTHON)
def test_what_only_python_takes_for_a_number_is_refused(text, tmp_path):
    path = tmp_path / "s.svm"
    path.write_text(text)
    for read in (load, lambda p: [*stream(p)], lambda p: [*stream(p, features=2000, rows=1)]):
        with pytest.raises(DataError, match=r"s\.svm: .*_.* is no number; write digits"):
            read(path)


@pytest.mark.parametrize("text", ["1_000", "١٢", "0x10", "1,5", ""])
def test_cells_are_numbers_as_other_programs_read_them(text):
    assert not is_number(text)
    assert np.isnan(numbers([text.replace(",", ":")], ".")).all()


def test_dates_have_the_digits_of_ascii():
    assert date_formats("2020-01-31")
    assert not date_formats("٢٠٢٠-٠١-٣١")


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "w.svm"
    path.write_text("".join(f"{1 if i % 3 else -1} {i + 1}:1 {LAST}:2\n" for i in range(12)))
    return path


def test_a_wide_file_takes_memory_for_its_values_only(wide):
    load(wide)  # imports what it needs
    tracemalloc.start()
    try:
        data = load(wide)
        chunks = [*stream(wide)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (data.d, chunks[0].rows.d, data.rows.stored.size) == (LAST, LAST, 24)
    assert peak < 2_000_000


def test_a_fit_of_far_more_columns_than_values_is_refused_before_it_asks_for_memory(wide):
    sentence = rf"X has {LAST} columns and 24 values in them; .* takes at most {1 << 24} columns"
    with pytest.raises(DataError, match=sentence):
        solve("logistic", load(wide))
    X = csr_array((np.ones(4), [0, 3, 5, LAST - 1], np.arange(5)), shape=(4, LAST))
    with pytest.raises(DataError, match=rf"X has {LAST} columns and 4 values"):
        AUCClassifier().fit(X, [0, 1, 0, 1])


def test_the_most_columns_grow_with_the_values():
    values, d = 20_000, 20_000_000
    parts = (np.ones(values), np.arange(values), [0, values])
    require_filled(rows(csr_array(parts, shape=(1, d))))
    with pytest.raises(DataError, match=f"{d + 1} columns and {values} values"):
        require_filled(rows(csr_array(parts, shape=(1, d + 1))))


ROWS = ("1 0:3 2:1", "-1 1:1 3:2", "1 1:2 2:5", "-1 2:1 3:1")


def test_indices_count_alike_in_files_that_are_read_together(tmp_path):
    train, test = tmp_path / "r.svm", tmp_path / "s.svm"
    train.write_text("\n".join(ROWS))
    test.write_text("\n".join(ROWS[1:]))  # without an index 0
    for one, other in ((train, test), (test, train)):
        data = load(one, test=str(other))
        X = data.rows.dense().matrix
        assert (data.d, data.understood.first_index) == (4, 0)
        np.testing.assert_array_equal(X[data.folds == -1][-3:], X[data.folds == 0][-3:])
    [chunk] = stream(test, first_index=0)
    np.testing.assert_array_equal(chunk.rows.dense().matrix, X[-3:])
    with pytest.raises(DataError, match=r"line 1 cannot be read .*Invalid index 0"):
        [*stream(train, first_index=1)]


@pytest.mark.parametrize("row", ["-1 2:1 2:1", "-1 -1:1", "-1 3000000000:1", "-1 2"])
def test_a_line_that_cannot_be_read_is_named(row, tmp_path):
    path = tmp_path / "s.svm"
    path.write_text("\n".join(["1 1:1 2:1"] * 1500 + ["# a comment", row]))
    for read in (load, lambda p: [*stream(p)]):
        with pytest.raises(DataError, match=r"s\.svm: line 1502 cannot be read"):
            read(path)
