"""The data sets that aucbench knows by name: their raw files, places, suites, tasks and makers."""

import csv
import inspect
import os
from functools import partial

import numpy as np
import pytest
from refusals import assert_refused
from scipy import stats
from sklearn.datasets import load_digits
from tables import tarred, written

from aucbench import get_dataset
from aucbench.about import references
from aucbench.bench.plan.errors import PlanError
from aucbench.bench.plan.plan import Plan
from aucbench.bench.plan.toml import parse_plan, write_plan
from aucbench.data import Data
from aucbench.datasets import load, located, sources
from aucbench.datasets.catalogue import (
    KINDS,
    Entry,
    Raw,
    entries,
    entry_of,
    expanded,
    suite_of,
    suites,
)
from aucbench.datasets.download import RemoteFile, cache_folder
from aucbench.datasets.images import CIFAR_PARTS, CIFAR_PIXELS, STL_PARTS, STL_PIXELS
from aucbench.datasets.located import Place, bring, place_of
from aucbench.datasets.registered import aucbench_datasets, digits
from aucbench.datasets.simulated import (
    OFFSETS,
    linear,
    outbreak,
    outbreak_support,
    radial,
    true_scores,
)
from aucbench.datasets.targets import divide
from aucbench.errors import DataError
from aucbench.metrics import auc
from aucbench.registry import describe, parse_spec

pytestmark = pytest.mark.usefixtures("nothing_at_hand")


def test_entries_and_suites_say_what_they_are_and_why():
    for name, entry in entries().items():
        assert entry.kind in KINDS, name
        assert all((entry.title, entry.why, entry.source, entry.licence, entry.cites)), name
        assert min(entry.n, entry.d) > 0, name
        assert {*entry.cites} <= {*references()}, name
        assert {*entry.positive} < {*entry.labels}, name
        if entry.counts and entry.kind != "changepoint":
            assert len(entry.counts) == len(entry.labels), name
            assert sum(entry.counts) == entry.n > entry.positives > 0, name
    for name, suite in suites().items():
        members = {parse_spec(member).name for member in suite.members}
        assert all(":" in member for member in members - {*entries()}), name


def test_every_file_of_the_folder_agrees_with_its_entry(data_folder):
    with (data_folder / "MANIFEST.csv").open(newline="") as lines:
        listed = [row for row in csv.DictReader(lines) if ".svm" in row["file"]]
    assert len(listed) > 20
    for row in listed:
        entry = entry_of(row["name"])
        counts = dict(part.split(":") for part in row["classes_with_counts"].split(";"))
        assert (entry.n, entry.d) == (int(row["rows"]), int(row["features"])), row["name"]
        assert counts == dict(zip(map(str, entry.labels), map(str, entry.counts), strict=True))


# Raw files


@pytest.fixture
def publish(monkeypatch):
    """Return a function that makes a set of the catalogue of files; they count as downloaded."""

    def known(*paths, d=2, **fields):
        remotes = (RemoteFile(path.name, ("https://x.org/file",), "0" * 64) for path in paths)
        listed = {**entries(), "own": Entry(name="own", d=d, files=tuple(remotes), **fields)}
        monkeypatch.setattr("aucbench.datasets.catalogue.entries", lambda: listed)
        monkeypatch.setattr(sources, "fetch_files", lambda files, progress: paths)

    return known


def require_own(X, y):
    data = load("own")
    np.testing.assert_array_equal(data.rows.dense().matrix, X)
    np.testing.assert_array_equal(data.y, y)
    return data


def test_raw_tables_have_the_label_column_and_the_names_of_the_entry(publish, tmp_path):
    text = "a,when,b,kind\n1,10:01,2,yes\n3,10:02,4,no\n5,10:03,6,no\n"
    publish(*(written(f"1 1:{a}\n-1 2:1\n", tmp_path / f"own.{a}.svm") for a in (1, 3)))
    require_own([[1, 0], [0, 1], [3, 0], [0, 1]], [1, -1, 1, -1])
    path = written(text, tmp_path / "own.csv")
    raw = Raw(target="kind", drop=("when",), names=("u", "v"))
    publish(path, raw=raw, positive=("yes",))
    assert require_own([[1, 2], [3, 4], [5, 6]], [1, -1, -1]).names == ("u", "v")
    publish(path, d=7, raw=raw, positive=("yes",))
    assert_refused(partial(load, "own"), DataError, "2 features, wanted 7")


def tar(path, parts):
    path.write_bytes(tarred({f"folder/{name}": content for name, content in parts.items()}))
    return path


def test_images_are_read_from_their_binary_batches(publish, tmp_path):
    rng, ask = np.random.default_rng(0), partial(load, "own")
    records = rng.integers(0, 256, (12, 1 + CIFAR_PIXELS), dtype=np.uint8)
    records[:, 0] = np.arange(12) % 10
    content = {name: records[2 * k : 2 * k + 2].tobytes() for k, name in enumerate(CIFAR_PARTS)}
    path = tar(tmp_path / "cifar.tar.gz", content | {"readme.html": b"about"})
    publish(path, d=CIFAR_PIXELS, raw=Raw(reader="cifar10"), positive=(5, 6, 7, 8, 9))
    require_own(records[:, 1:], np.where(records[:, 0] > 4, 1, -1))
    assert_refused(partial(load, "own", decimal=","), DataError, "for tables")
    tar(path, {**content, CIFAR_PARTS[0]: b"123"})
    assert_refused(ask, DataError, "3 bytes")
    tar(path, {name: content[name] for name in CIFAR_PARTS[:5]})
    assert_refused(ask, DataError, "test_batch.bin")
    path.write_bytes(b"no archive")
    assert_refused(ask, DataError, "tar archive")

    X, y = rng.integers(0, 256, (5, STL_PIXELS), dtype=np.uint8), np.uint8([1, 10, 3, 7, 5])
    cut = (X[:3], y[:3], X[3:], y[3:])
    content = {name: part.tobytes() for name, part in zip(STL_PARTS, cut, strict=True)}
    tar(path, {"unlabeled_X.bin": b"\0" * 9, **content})  # which are left out
    publish(path, d=STL_PIXELS, raw=Raw(reader="stl10"), positive=(7, 10))
    require_own(X, [-1, 1, -1, 1, -1])
    tar(path, {**content, STL_PARTS[3]: b"\1"})
    assert_refused(ask, DataError, "5 images")


def test_a_task_is_a_parameter_of_the_set_and_is_understood(folder):
    drawn = {seed: divide(range(10), "halves", seed) for seed in range(20)}
    for positive, negative, _ in drawn.values():
        assert len(positive) == len(negative) == 5
        assert {*positive, *negative} == {*range(10)}
    assert len({tuple(positive) for positive, _, _ in drawn.values()}) > 15
    digits = np.arange(40) % 4
    written((np.column_stack([digits + 1.0, np.ones(40)]), digits), folder / "own.svm")
    first, halves = (get_dataset(f"own[task={task}]") for task in ("first", "halves,seed=3"))
    np.testing.assert_array_equal(first.y, np.where(digits > 0, 1, -1))
    assert "the first of 4 classes" in next(first.understood.lines())
    positive, _, why = divide(range(4), "halves", 3)
    np.testing.assert_array_equal(halves.y, np.where(np.isin(digits, positive), 1, -1))
    assert why in next(halves.understood.lines())
    assert halves.understood.positive == tuple(positive)


# Places and suites


@pytest.fixture
def german(folder):
    lines = (f"{1 if k % 3 else -1} 1:{k} 2:{k * k % 7}\n" for k in range(12))
    return written("".join(lines), folder / "german.svm")


def into_cache(name):
    """Put files of the wanted size into the cache, where those of a set belong."""
    for file in entry_of(name).files:
        path = cache_folder() / "files" / file.sha256[:16] / file.name
        path.parent.mkdir(parents=True)
        with path.open("wb") as content:
            os.truncate(content.fileno(), file.size)


def test_a_set_is_looked_for_in_the_folder_then_in_the_cache(german):
    for name, place in (
        ("german", Place.FOLDER),
        ("fourclass", Place.DOWNLOAD),
        ("splice", Place.NOWHERE),
        ("nothing", Place.NOWHERE),
        ("digits-3", Place.EMBEDDED),
        ("outbreak", Place.SIMULATED),
    ):
        assert place_of(name) is place
    into_cache("fourclass")
    into_cache("german")
    assert place_of("fourclass") is Place.CACHE
    assert place_of("german") is Place.FOLDER
    assert load("german").d == 2
    assert not any(sources.in_cache(entry_of(name)) for name in ("splice", "a9a"))


def test_what_is_missing_is_downloaded_and_nothing_else(german, monkeypatch):
    asked = []
    monkeypatch.setattr(located, "fetched", lambda entry, progress: asked.append(entry.name))
    names = ["german", "digits-3", "a.csv", "keel:glass1", "fourclass", "fourclass", "a9a"]
    assert bring(names, progress=True) == ("fourclass", "a9a")
    monkeypatch.chdir(german.parent)
    moved = german.rename(german.with_name("splice"))
    assert bring(["splice"]) == ()
    moved.unlink()
    assert_refused(lambda: bring(["w8a", "splice", "acoustic"]), DataError, "splice, acoustic")
    assert asked == ["fourclass", "a9a"]


def test_a_suite_stands_for_its_members():
    assert expanded(["a.csv", "suite:sht-genes"]) == ("a.csv", "colon", "leukemia")
    assert suite_of("spdam") is None
    plan = Plan.of({"data": ("suite:sht-genes", "digits-3")})
    assert [*map(str, plan.data)] == ["colon", "leukemia", "digits-3"]
    assert parse_plan('data = ["suite:sht-genes", "digits-3"]').data == plan.data
    assert "suite" not in write_plan(plan)
    for data, word in ((("suite:spdm",), "'spdam'"), (("colon", "suite:sht-genes"), "twice")):
        assert_refused(partial(Plan.of, {"data": data}), PlanError, word)


# Sets that functions make


def test_sets_without_files_are_those_that_functions_make():
    made = {entry.name for entry in entries().values() if not entry.in_files}
    assert made == {*aucbench_datasets()} - {"sample"}  # which draws rows of another set
    for name, factory in aucbench_datasets().items():
        data = factory()
        assert isinstance(data, Data), name
        assert inspect.getdoc(factory), name
        if name in made:
            entry = entry_of(name)
            assert describe("datasets", name).cites == entry.cites
            if entry.counts:
                assert (data.n, data.d, data.target.n_pos) == (entry.n, entry.d, entry.positives)
    found, bunch = digits(8), load_digits()
    np.testing.assert_array_equal(found.y, np.where(bunch.target == 8, 1, -1))
    assert found.names == tuple(bunch.feature_names)


def test_outbreak_shifts_the_positives_on_its_support_only():
    parameters = {"k": 15, "r": 0.3, "n": 4000, "d": 60, "mu": 0.3, "seed": 3}
    data, support = outbreak(**parameters), outbreak_support(**parameters)
    X, positive = data.rows.matrix, data.y > 0
    shift = X[positive].mean(axis=0) - X[~positive].mean(axis=0)
    assert (data.n, data.d, data.target.n_pos) == (4000, 60, 1200)
    assert support.size == 15
    assert (np.diff(support) > 0).all()
    wanted = np.where(np.isin(np.arange(60), support), 0.3, 0.0)
    np.testing.assert_allclose(shift, wanted, atol=0.14)  # 4 standard errors
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.06)


@pytest.mark.parametrize(
    ("make", "noisy", "wanted"),
    [(linear, stats.norm(scale=np.sqrt(3)), 0.90809), (radial, stats.exponnorm(2), 0.96471)],
)
def test_simulations_have_a_fifth_positives_and_the_population_auc(make, noisy, wanted):
    assert noisy.cdf(-OFFSETS[make.__name__]) == pytest.approx(0.8, abs=1e-12)
    data = make(200_000, seed=1)
    assert (data.y < 0).mean() == pytest.approx(0.8, abs=0.004)
    found = auc(data.y, true_scores(make.__name__, data.rows))
    assert found == pytest.approx(wanted, abs=0.003)
    first, again, other = (make(100, seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.rows.stored, again.rows.stored)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.rows.stored, other.rows.stored)
    values = {"linear": [3.0, -2.5], "radial": [5.0, 9.25]}[make.__name__]
    X = [[1.0, 2.0], [-3.0, 0.5]]
    np.testing.assert_array_equal(true_scores(make.__name__, X), values)
