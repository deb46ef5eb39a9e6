import bz2
import gzip
import hashlib
import io
import lzma

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, vstack
from sklearn.datasets import dump_svmlight_file

from aucbench.datasets import load, stream
from aucbench.errors import DataError, UnknownNameError

PACKERS = {"": bytes, ".xz": lzma.compress, ".bz2": bz2.compress, ".gz": gzip.compress}
N = 31
CUTS = (1, 7, 10, N, 1000)


def table(sparse=False):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(N, 5)), 3)
    X[rng.random(X.shape) < (0.8 if sparse else 0.1)] = 0
    X[-1, 4] = 1.5
    return X, np.where(np.arange(N) % 3, -1, 1)


def frame(X, y):
    made = pd.DataFrame(X, columns=["age", "height", "weight", "pulse", "dose"])
    made.insert(1, "label", y)
    return made


def svm_bytes(X, y, zero_based=False, **options):
    out = io.BytesIO()
    dump_svmlight_file(X, y, out, zero_based=zero_based, **options)
    return out.getvalue()


def parquet_bytes(X, y):
    pytest.importorskip("pyarrow")
    out = io.BytesIO()
    frame(X, y).to_parquet(out, row_group_size=8)
    return out.getvalue()


CONTENT = {
    ".svm": svm_bytes,
    ".csv": lambda X, y: frame(X, y).to_csv(index=False).encode(),
    ".parquet": parquet_bytes,
}


def write(path, text):
    """The text, packed as the name of the file says."""
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(PACKERS[path.suffix if path.suffix in PACKERS else ""](content))
    return path


def stacked(chunks):
    X = vstack([csr_array(chunk.rows.matrix) for chunk in chunks]).toarray()
    return X, np.concatenate([chunk.y for chunk in chunks])


def same_as_load(source, rows, **options):
    whole, chunks = load(source, **options), [*stream(source, rows=rows, **options)]
    X, y = stacked(chunks)
    np.testing.assert_array_equal(X, csr_array(whole.rows.matrix).toarray())
    np.testing.assert_array_equal(y, whole.y)
    assert [chunk.n for chunk in chunks[:-1]] == [rows] * (len(chunks) - 1)
    assert 1 <= chunks[-1].n <= rows
    assert len({chunk.rows.is_sparse for chunk in chunks}) == 1
    return chunks


@pytest.mark.parametrize("ending", CONTENT)
@pytest.mark.parametrize(("rows", "packed"), [*zip(CUTS, [*PACKERS, ""], strict=True)])
def test_the_chunks_of_any_file_are_its_rows(ending, packed, rows, tmp_path):
    for sparse in (False, True):
        path = write(tmp_path / f"set{ending}{packed}", CONTENT[ending](*table(sparse)))
        same_as_load(path, rows)


@pytest.mark.parametrize("rows", [1, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "# head\n\n1 qid:1 2:1 4:2 # row\n  \n-1 qid:1 1:3\n  # -1 1:1\n1 qid:3 2:5\n-1 qid:3\n\n",
        "1 1:1\r\n-1 2:2\r\n\r\n0 7:0\r\n".replace("0 7", "1 7"),
        "1\n-1\n1\n",
        "1 0:4\n-1 3:1\n1 2:1\n",
        "1\n-1 3:1\n1 0:4 2:1\n-1",
        "0 1:1\n1 2:2\n0\t3:1  5:2",
        "1 00002:1 00012:3\n-1 4:1e300\n",
    ],
    ids=["comments", "crlf", "no values", "zero-based", "zero-based late", "tabs", "odd numbers"],
)
def test_svmlight_is_read_as_scikit_learn_reads_the_whole(text, rows, tmp_path):
    same_as_load(write(tmp_path / "set.svm", text), rows)


def test_tables_keep_their_header_and_label_column(tmp_path):
    X, y = table()
    path, made = tmp_path / "t.tsv", frame(X, y)
    made.to_csv(path, sep="\t", index=True)
    same_as_load(path, 4)
    made.drop(columns="label").assign(last=y).to_csv(path, sep="\t", index=False, header=False)
    same_as_load(path, 1, drop=[0], target=X.shape[1])
    same_as_load(path, 4, drop=[0])  # one row does not show which column has two values
    words = np.where(y > 0, "sick", "well")
    frame(X, words).to_csv(path, sep="\t", index=False)
    same_as_load(path, 4, positive=["sick"], drop=["pulse"])
    with pytest.raises(DataError, match=r"rows 0 to 3: the labels are 'sick' .*, 'well' .*; say"):
        [*stream(path, rows=4)]


def test_labels_that_come_late_are_compared_with_the_earlier_ones(tmp_path):
    lines = ["1 1:1", "0 2:1", "0 1:2", "1 2:2"]
    path = write(tmp_path / "t.svm", "\n".join([*lines, "-1 1:3"]))
    for features in (None, 2):
        with pytest.raises(
            DataError, match=r"t\.svm: rows 4 to 4: the labels are -1 .*, 0 .*, 1 .*; say"
        ):
            [*stream(path, rows=2, features=features)]
    write(path, "\n".join([*lines, "7 1:3"]))
    with pytest.raises(DataError, match=r"rows 4 to 4: .*7.*; say which are positive"):
        [*stream(path, rows=2, features=2)]
    with pytest.raises(DataError, match=r"the labels are 0 .*, 1 .*, 7 .*; say which"):
        [*stream(path, rows=2, positive=1)]
    write(tmp_path / "t.csv", "a,y\n1,0\n2,1\n3,1\n4,b\n")
    with pytest.raises(DataError, match="rows 2 to 3: the column of the labels holds text here"):
        [*stream(tmp_path / "t.csv", rows=2, positive=["1"])]


def test_a_file_of_one_class_is_a_part_of_the_data(tmp_path):
    path = write(tmp_path / "part.svm", "0 1:1\n0 2:1\n")
    [chunk] = stream(path)
    assert (chunk.y == -1).all()
    [chunk] = stream(path, positive=[0, 3])
    assert (chunk.y == 1).all()


@pytest.mark.parametrize("ending", [".csv", ".svm"])
def test_the_layout_is_that_of_the_first_chunk(ending, tmp_path):
    full, empty = np.ones((4, 5)), np.zeros((4, 5))
    empty[:, 4] = 1
    for parts, sparse in (((full, empty), False), ((empty, full), True)):
        text = CONTENT[ending](np.vstack(parts), [1, -1] * 4)
        chunks = [*stream(write(tmp_path / f"l{ending}", text), rows=4)]
        assert [chunk.rows.is_sparse for chunk in chunks] == [sparse, sparse]
        np.testing.assert_array_equal(stacked(chunks)[0], np.vstack(parts))


def test_a_given_width_saves_the_scan_and_is_kept(tmp_path):
    text = "1 2:1\n-1 3:1\n1 1:1\n"
    path = write(tmp_path / "w.svm", text)
    assert {chunk.d for chunk in stream(path, rows=2, features=9)} == {9}
    X, _ = stacked([*stream(path, rows=2, features=3)])
    np.testing.assert_array_equal(X, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    with pytest.raises(DataError, match=r"w\.svm: line 2 cannot be read .* indices from 1 to 2"):
        next(stream(path, features=2))
    write(path, "# c\n1 0:1\n\n-1 2:1\n1 3:1\n")
    X, _ = stacked([*stream(path, rows=2, features=4)])
    np.testing.assert_array_equal(X, [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    with pytest.raises(DataError, match=r"line 5 .* from 0 to 2"):
        [*stream(path, rows=2, features=3)]
    write(path, "1\n-1\n1 2:1\n1 0:3\n")
    with pytest.raises(DataError, match=r"line 4 .* indices from 1 to 4"):
        [*stream(path, rows=2, features=4)]


BAD = {
    "no number": ("t.svm", "1 1:1\n\n-1 1:x\n", "line 3 cannot be read"),
    "no order": ("t.svm", "1 1:1\n-1 3:1 2:1\n", "line 2 cannot be read .*sorted"),
    "nan": ("t.svm", "1 1:1\n-1 1:1\n1 1:1 2:nan\n", "rows 2 to 2: X has nan in row 0, column 1"),
    "label": ("t.svm", "1 1:1\n-1 1:1\nnan 1:1 2:1\n", "rows 2 to 2: y has nan in row 0"),
    "gap": ("t.csv", "a,b,y\n1,2,1\n3,4,0\n,6,1\n", "X has nan in row 0, column 0 .'a'."),
    "no label": ("t.csv", "a,b,y\n1,2,1\n3,4,0\n5,6,\n", "the label is missing in row 2"),
    "short": ("t.csv", "a,b,y\n1,2,1\n3,4,0\n5,6\n", "line 4 has 2 cells, but line 1 has 3"),
    "text": ("t.csv", "a,b,y\n1,2,1\n3,4,0\n5,six,1\n", "rows 2 to .*column 'b' holds text here"),
    "truth": ("t.csv", "a,b,y\n1,2,1\n3,4,0\n5,True,1\n", "column 'b' holds truth values here"),
    "header only": ("t.csv", "a,b,y\n", "there are 0 rows"),
    "comments": ("t.svm", "# a\n\n#b\n", "there is no row"),
    "nothing": ("t.svm", "", "is empty"),
    "nothing packed": ("t.svm.xz", "", "there is no row"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_told_with_file_and_row(case, tmp_path):
    name, text, sentence = BAD[case]
    path = write(tmp_path / name, text)
    with pytest.raises(DataError, match=sentence) as told:
        [*stream(path, rows=2)]
    assert str(told.value).count(str(path)) == 1
    assert "\n" not in str(told.value)


def test_names_widths_and_hashes_beside_the_file_count(tmp_path, monkeypatch):
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    X, y = table()
    path = write(tmp_path / "bank.svm.xz", svm_bytes(X, y))
    names = tmp_path / "bank.features.txt"
    names.write_text("age\nduration\nweight\npulse\ndose\nlast\n")
    assert {chunk.d for chunk in same_as_load("bank", 7)} == {5}
    same_as_load("bank", 7, drop=["age"])
    names.write_text("age\n")
    with pytest.raises(DataError, match="5 features, but the file of names beside it has 1"):
        next(stream("bank"))
    names.unlink()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest = tmp_path / "MANIFEST.csv"
    manifest.write_text(f"name,file,features,sha256\nb,bank.svm.xz,8,{digest}\n")
    assert {chunk.d for chunk in same_as_load(path, 7)} == {8}
    manifest.write_text(f"name,file,features,sha256\nb,bank.svm.xz,8,{digest[::-1]}\n")
    with pytest.raises(DataError, match="has the sha256"):
        next(stream(path))
    with pytest.raises(UnknownNameError, match="did you mean 'bank'"):
        stream("bnak")


def test_it_can_be_left_in_the_middle(tmp_path):
    path = write(tmp_path / "t.csv.gz", frame(*table()).to_csv(index=False))
    for count, _ in enumerate(stream(path, rows=2)):
        if count == 3:
            break
    path.unlink()
