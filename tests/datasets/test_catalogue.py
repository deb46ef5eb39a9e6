"""The data sets that aucbench knows by name, their raw files, and their tasks."""

import csv
import hashlib
import io
import tarfile

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from aucbench import get_dataset
from aucbench.about import references
from aucbench.datasets import entries, entry_of, load, located, sources, suites
from aucbench.datasets.catalogue import KINDS, Entry, Raw
from aucbench.datasets.download import RemoteFile
from aucbench.datasets.images import CIFAR_PARTS, CIFAR_PIXELS, STL_PARTS, STL_PIXELS
from aucbench.datasets.registered import aucbench_datasets
from aucbench.datasets.targets import divide
from aucbench.errors import DataError
from aucbench.registry import describe, parse_spec

WITHOUT_COUNTS = {"acoustic", "linear", "radial"}


pytestmark = pytest.mark.usefixtures("nothing_at_hand")


@pytest.mark.parametrize("entry", entries().values(), ids=lambda entry: entry.name)
def test_an_entry_says_what_it_is_and_why(entry):
    assert entry.kind in KINDS
    assert entry.title
    assert entry.why
    assert entry.source
    assert entry.licence
    assert entry.n > 0
    assert entry.d > 0
    assert entry.cites
    assert {*entry.cites} <= {*references()}
    assert {*entry.positive} < {*entry.labels}
    assert entry.in_files == (entry.kind in ("labels", "changepoint"))
    assert not (entry.files and entry.lacking)
    assert not entry.address or entry.lacking
    assert (not entry.counts) == (entry.name in WITHOUT_COUNTS)
    if entry.counts and entry.kind != "changepoint":
        assert len(entry.counts) == len(entry.labels)
        assert sum(entry.counts) == entry.n
        assert 0 < entry.positives < entry.n
    assert len({file.name for file in entry.files}) == len(entry.files)


def test_sets_without_files_are_those_that_functions_make():
    made = {entry.name for entry in entries().values() if not entry.in_files}
    assert made == {*aucbench_datasets()} - {"sample"}  # which draws rows of another set
    for name in made:
        assert describe("datasets", name).cites == entry_of(name).cites
    for name in ("breast-cancer", "digits-8", "outbreak"):
        data, entry = get_dataset(name), entry_of(name)
        assert (data.n, data.d, data.target.n_pos) == (entry.n, entry.d, entry.positives)


@pytest.mark.parametrize("suite", suites().values(), ids=lambda suite: suite.name)
def test_a_suite_has_known_members_once(suite):
    assert len({*suite.members}) == len(suite.members) > 1
    assert suite.title
    assert suite.version >= 1
    for member in suite.members:
        name = parse_spec(member).name
        assert name in entries() or ":" in name


def test_every_file_of_the_folder_agrees_with_its_entry(data_folder):
    with (data_folder / "MANIFEST.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if ".svm" in row["file"]]
    assert len(rows) > 20
    for row in rows:
        entry = entry_of(row["name"])
        told = dict(part.split(":") for part in row["classes_with_counts"].split(";"))
        assert (entry.n, entry.d) == (int(row["rows"]), int(row["features"])), row["name"]
        assert told == dict(zip(map(str, entry.labels), map(str, entry.counts), strict=True))


# --- raw files


def remote(path):
    """Describe a file that is on this machine."""
    return RemoteFile(path.name, ("https://example.org/file",), "0" * 64)


@pytest.fixture
def publish(monkeypatch, tmp_path):
    """Return a function that makes a set of the catalogue of files; they count as downloaded."""

    def known(name, *paths, d=2, **fields):
        entry = Entry(name=name, d=d, files=tuple(map(remote, paths)), **fields)
        told = {**entries(), name: entry}
        monkeypatch.setattr("aucbench.datasets.catalogue.entries", lambda: told)
        monkeypatch.setattr(sources, "fetch_files", lambda files, progress: paths)
        return entry

    return known


def test_svmlight_parts_are_stacked_with_one_width(publish, tmp_path):
    X = np.array([[1.0, 0, 2], [3, 4, 0], [0, 5, 0]])
    train, test = tmp_path / "own.trn.svm", tmp_path / "own.tst.svm"
    dump_svmlight_file(X[:1], [1], str(train), zero_based=False)
    dump_svmlight_file(X[1:], [-1, 1], str(test), zero_based=False)
    publish("own", train, test, d=4)

    data = load("own")
    np.testing.assert_array_equal(data.rows.dense().matrix[:, :3], X)
    assert data.d == 4
    np.testing.assert_array_equal(data.y, [1, -1, 1])
    with pytest.raises(DataError, match="target='a' is for tables"):
        load("own", target="a")


def test_raw_tables_have_the_label_column_and_the_names_of_the_entry(publish, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("a,when,b,kind\n1,10:01,2,yes\n3,10:02,4,no\n5,10:03,6,no\n")
    raw = Raw(target="kind", drop=("when",), names=("u", "v"))
    publish("own", path, raw=raw, positive=("yes",))

    data = load("own")
    assert data.names == ("u", "v")
    np.testing.assert_array_equal(data.rows.dense().matrix, [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(data.y, [1, -1, -1])
    publish("own", path, d=7, raw=raw, positive=("yes",))
    with pytest.raises(DataError, match="has 2 features, wanted 7"):
        load("own")


def tar(path, parts):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in parts.items():
            info = tarfile.TarInfo(f"folder/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def test_cifar10_is_read_from_its_binary_batches(publish, tmp_path):
    rng = np.random.default_rng(0)
    records = rng.integers(0, 256, (12, 1 + CIFAR_PIXELS), dtype=np.uint8)
    records[:, 0] = np.arange(12) % 10
    content = {name: records[2 * k : 2 * k + 2].tobytes() for k, name in enumerate(CIFAR_PARTS)}
    path = tar(tmp_path / "cifar.tar.gz", content | {"readme.html": b"about"})
    fields = {"d": CIFAR_PIXELS, "raw": Raw(reader="cifar10"), "positive": (5, 6, 7, 8, 9)}
    publish("own", path, **fields)

    data = load("own")
    np.testing.assert_array_equal(data.rows.dense().matrix, records[:, 1:])
    np.testing.assert_array_equal(data.y, np.where(records[:, 0] > 4, 1, -1))
    with pytest.raises(DataError, match="are for tables, not for own"):
        load("own", decimal=",")
    tar(path, {**content, CIFAR_PARTS[0]: b"123"})
    with pytest.raises(DataError, match="has a file of 3 bytes, but a record has 3073"):
        load("own")
    del content[CIFAR_PARTS[5]]
    tar(path, content)
    with pytest.raises(DataError, match=r"lacks test_batch\.bin"):
        load("own")
    path.write_bytes(b"no archive")
    with pytest.raises(DataError, match="cannot be read as a tar archive"):
        load("own")


def test_stl10_is_read_without_its_unlabelled_images(publish, tmp_path):
    X = np.random.default_rng(0).integers(0, 256, (5, STL_PIXELS), dtype=np.uint8)
    y = np.array([1, 10, 3, 7, 5], dtype=np.uint8)
    cut = (X[:3], y[:3], X[3:], y[3:])
    content = {name: part.tobytes() for name, part in zip(STL_PARTS, cut, strict=True)}
    path = tar(tmp_path / "stl.tar.gz", {"unlabeled_X.bin": b"\0" * 9, **content})
    publish("own", path, d=STL_PIXELS, raw=Raw(reader="stl10"), positive=(7, 10))

    data = load("own")
    np.testing.assert_array_equal(data.rows.dense().matrix, X)
    np.testing.assert_array_equal(data.y, [-1, 1, -1, 1, -1])
    tar(path, {**content, STL_PARTS[3]: b"\1"})
    with pytest.raises(DataError, match="has 5 images, but 4 labels"):
        load("own")


def test_a_set_that_cannot_be_downloaded_says_why_and_what_to_do():
    with pytest.raises(
        DataError, match=r"splice cannot be .* two sources, see .* put a file such as"
    ):
        load("splice")
    with pytest.raises(DataError, match=r"give https://www.*acoustic\.bz2#sha256=HEX"):
        load("acoustic")
    assert not sources.in_cache(entry_of("splice"))
    assert not sources.in_cache(entry_of("a9a"))


def test_a_set_is_downloaded_once_and_then_read_from_the_cache(server, monkeypatch, capfd):
    texts = {"own.trn.svm": b"1 1:2\n-1 2:1\n", "own.tst.svm": b"1 3:4\n"}
    server.routes = {f"/{n}": lambda call, text=text: call.say(text) for n, text in texts.items()}
    remotes = tuple(
        RemoteFile(name, (server.url(f"/{name}"),), hashlib.sha256(text).hexdigest(), len(text))
        for name, text in texts.items()
    )
    told = {"own": Entry(name="own", d=4, files=remotes)}
    monkeypatch.setattr("aucbench.datasets.catalogue.entries", lambda: told)
    monkeypatch.setattr(located, "entries", lambda: told)

    assert located.bring(["own"], progress=True) == ("own",)
    said = capfd.readouterr().err
    assert f"downloading own.trn.svm from {server.url('/own.trn.svm')}" in said
    server.routes.clear()
    assert located.place_of("own") is located.Place.CACHE
    assert located.bring(["own"], progress=True) == ()
    data = get_dataset("own")
    np.testing.assert_array_equal(data.y, [1, -1, 1])
    assert data.d == 4


# --- tasks


def test_halves_are_drawn_by_the_seed():
    drawn = {seed: divide(range(10), "halves", seed) for seed in range(20)}
    for positive, negative, _ in drawn.values():
        assert len(positive) == len(negative) == 5
        assert {*positive, *negative} == {*range(10)}
    assert len({tuple(positive) for positive, _, _ in drawn.values()}) > 15
    assert len(divide(range(7), "halves", 1)[0]) == 3


def test_a_task_is_a_parameter_of_the_set_and_is_understood(tmp_path, monkeypatch):
    digits = np.arange(40) % 4
    X = np.column_stack([digits + 1.0, np.ones(40)])
    dump_svmlight_file(X, digits, str(tmp_path / "own.svm"))
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    first, halves = (get_dataset(f"own[task={task}]") for task in ("first", "halves,seed=3"))
    np.testing.assert_array_equal(first.y, np.where(digits > 0, 1, -1))
    assert "the first of 4 classes against the others" in next(first.understood.lines())
    positive, _, why = divide(range(4), "halves", 3)
    np.testing.assert_array_equal(halves.y, np.where(np.isin(digits, positive), 1, -1))
    assert why == "task=halves, seed=3: 2 of 4 classes drawn"
    assert why in next(halves.understood.lines())
    assert halves.understood.positive == tuple(positive)


# --- what is in the folder
