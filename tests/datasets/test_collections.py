"""Collections of data sets: `keel:glass1`, `openml:1590`, `pmlb:adult`, `pypi:spreg/columbus`."""

import gzip
import hashlib
import json
import re
import socket
import sys
import urllib.request
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest
from refusals import assert_refused
from tables import tarred, zipped

from aucbench import get_dataset, registry
from aucbench.bench import Plan
from aucbench.bench.citations import citations_of
from aucbench.datasets import load
from aucbench.datasets.collections import openml, pmlb, pypi
from aucbench.datasets.collections.pypi import PYPI
from aucbench.datasets.download import RemoteFile, cached_paths, keep
from aucbench.datasets.located import bring
from aucbench.errors import DataError, UnknownNameError


def digest(content):
    return hashlib.sha256(content).hexdigest()


def answer(body, status=200):
    return lambda call: call.say(body, status)


def test_sets_of_collections_are_cited():
    names = ("keel:glass1", "pmlb:adult[drop=sex]", "keel:zoo-3")
    found = citations_of(Plan.of({"data": names, "solvers": "sht-auc"}).cells())
    keys = re.findall(r"^@\w+\{([\w-]+),$", "\n".join(found.entries), re.MULTILINE)
    assert sorted(keys[1:]) == ["alcalafdez2011", "olson2017", "romano2022", "yang2020"]


# KEEL

TEXT = """@relation toy
@attribute size real [0.0, 9.0]
@attribute colour {red, blue, red}
@attribute grade {1, 2}
@attribute Class {yes_it_is, no}
@data
1.0, red, 1, no
2.5,blue,2,no
<null>, red, 1, yes_it_is
4,?,2, no
0,red,1,no
"""


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """Return a function that lets the collections of packages have one set, in the cache."""
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))

    def write(name, text=TEXT):
        content = text.encode()
        file = RemoteFile(f"{name}.arff", ("https://nowhere",), digest(content), len(content))
        keep(file, lambda: content)
        one = pypi.Carried(name=name, package=None, path="", file=file, target="")
        monkeypatch.setattr(pypi, "_known", lambda *_: {name: one})

    return write


def test_a_set_of_keel_is_a_table_with_categories_and_gaps(packaged):
    packaged("toy")
    data = load("keel:toy")
    assert data.y.tolist() == [-1, -1, 1, -1, -1]
    assert data.names == ("size", "colour", "grade")
    assert data.understood.kinds == {"category": 2, "numeric": 1}
    assert data.schema.columns[2].levels == ("1", "2")  # declared as words, and no numbers
    first = next(data.understood.lines())
    assert first.startswith("label: the last column, 'Class', whose rarer class is positive")
    assert np.isnan(data.rows.matrix[[2, 3], [0, 1]]).all()


def test_a_damaged_file_of_keel_is_named(packaged):
    cut, green = TEXT[: TEXT.rindex(",")], TEXT.replace("2.5,blue", "2.5,green")
    for text in (green, "no header", "", TEXT.replace("@data", ""), cut, TEXT.replace(",", ",1,")):
        packaged("toy", text)
        assert_refused(partial(load, "keel:toy"), DataError, "toy")


def test_no_distribution_can_take_a_prefix(packaged, site):
    hook = "from aucbench.hookspecs import hookimpl\n\n\n@hookimpl\ndef aucbench_datasets():\n"
    site.add("keel", toy=f"{hook}    return {{'toy': lambda: 1 / 0}}\n")
    packaged("toy")
    assert registry.lookup.owner("datasets", "keel:toy") is not None
    assert get_dataset("keel:toy").y.size == 5


# OpenML

ARFF = """@relation toy
@attribute id numeric
@attribute age numeric
@attribute 'blood group' {A,B}
@attribute class {good,bad}
@data
1,20,A,good
2,?,B,good
3,40,A,bad
4,50,?,good
"""
TYPES = {"id": "numeric", "age": "numeric", "blood group": "nominal", "class": "nominal"}
CONTENT = "/data/v1/download/79/toy.arff"


@pytest.fixture
def served(server, monkeypatch):
    """A server that stands for OpenML and for PMLB."""
    server.unknown = answer(b'{"error": {"code": "111"}}', 412)

    def urlopen(request, *args, **options):
        path = urlsplit(request.full_url).path
        return urllib.request.urlopen(server.url(path), *args, **options)

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", urlopen)
    monkeypatch.setattr("sklearn.datasets._openml.time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr(pmlb, "ROOTS", (server.url("/first"), server.url("/second")))
    return server


def publish(served, *, arff=ARFF, targets=("class",), types=TYPES, **more):
    """Answer as OpenML does about one set, the number 7."""
    description = {
        **{"id": "7", "name": "toy", "version": "1", "description": "Four people."},
        **{"format": "ARFF", "licence": "CC0", "status": "active"},
        "url": f"https://www.openml.org{CONTENT}",
        "default_target_attribute": ",".join(targets),
        "md5_checksum": hashlib.md5(arff.encode(), usedforsecurity=False).hexdigest(),
        **more,
    }
    features = [
        {
            **{"index": str(j), "name": name, "data_type": kind, "is_ignore": "false"},
            "is_target": str(name in targets).lower(),
            "is_row_identifier": str(name == "id").lower(),
            "number_of_missing_values": "0",
        }
        for j, (name, kind) in enumerate(types.items())
    ]
    qualities = {"NumberOfInstances": "4.0", "NumberOfFeatures": "4.0", "NumberOfClasses": "2.0"}
    qualities |= {"MinorityClassSize": "1.0"}
    values = [{"name": name, "value": value} for name, value in qualities.items()]
    for path, said in {
        "7": {"data_set_description": description},
        "features/7": {"data_features": {"feature": features}},
        "qualities/7": {"data_qualities": {"quality": values}},
    }.items():
        served.routes[f"/api/v1/json/data/{path}"] = answer(json.dumps(said).encode())
    served.routes[CONTENT] = answer(arff.encode())


def test_a_set_of_openml_is_read_by_its_number_and_asked_for_once(served):
    publish(served)
    assert not openml.at_hand("7")
    data = get_dataset("openml:7")
    assert data.y.tolist() == [-1, -1, 1, -1]
    assert data.names == ("age", "blood group")
    assert data.understood.kinds == {"numeric": 1, "category": 1}
    assert data.understood.label.startswith("column 'class', the target that OpenML names")
    assert np.isnan(data.rows.matrix[1, 0])
    asked = len(served.asked)
    served.routes.clear()
    assert get_dataset("openml:7").y.tolist() == data.y.tolist()
    assert len(served.asked) == asked
    assert openml.at_hand("7")


def test_a_sparse_set_of_openml_is_read_and_its_warnings_are_passed_on(served):
    arff = "@relation toy\n@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n@data\n"
    arff += "".join(f"{{0 {k + 1}, 2 {'y' if k == 3 else 'x'}}}\n" for k in range(6))
    types = {"a": "numeric", "b": "numeric", "c": "nominal"}
    more = {"format": "Sparse_ARFF", "warning": "rows are missing"}
    publish(served, arff=arff, types=types, targets=("c",), **more)
    data = load("openml:7")
    assert data.y.tolist() == [-1, -1, -1, 1, -1, -1]
    assert any("rows are missing" in warning for warning in data.understood.warnings)


def test_without_openml_the_error_says_what_to_do(served, monkeypatch, tmp_path):
    ask = partial(load, "openml:7")
    publish(served)
    served.routes[CONTENT] = answer(ARFF.replace("50", "60").encode())
    assert_refused(ask, DataError, "md5")
    served.routes[CONTENT] = answer(b"", 503)
    assert_refused(ask, DataError, "503")
    publish(served, arff=ARFF.replace("20,A", "20,A,A"))
    assert_refused(ask, DataError, "openml:7")

    def unreachable(request, *args, **options):
        raise urllib.error.URLError("no route")

    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", unreachable)
    assert str(tmp_path / "empty" / "openml") in assert_refused(ask, DataError, "no route")


def test_a_silent_server_of_openml_is_given_up(served, monkeypatch):
    monkeypatch.setattr(openml, "SILENT", 0.1)
    before = socket.getdefaulttimeout()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        served.root = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert_refused(partial(load, "openml:7"), DataError, "timed out")
    assert socket.getdefaulttimeout() == before


# PMLB


@pytest.fixture
def people(served, monkeypatch):
    """A set of PMLB which the second address has."""
    text = b"age\theight\ttarget\n20\t1.6\t1\n30\t1.7\t1\n40\t1.5\t0\n50\t1.8\t1\n"
    body = gzip.compress(text, mtime=0)
    row = {"name": "a+b", "sha256": digest(body), "bytes": str(len(body))}
    monkeypatch.setattr(pmlb, "_known", lambda: {"a+b": row})
    served.routes["/second/a%2Bb/a%2Bb.tsv.gz"] = answer(body)


def test_sets_are_downloaded_once_and_before_a_run(served, people):
    publish(served, targets=())  # fit to be downloaded, though not to be read without a name
    assert not pmlb.at_hand("a+b")
    assert bring(["pmlb:a+b", "german[drop=x]", "openml:7", "pmlb:a+b"]) == ("pmlb:a+b", "openml:7")
    served.routes.clear()
    assert bring(["pmlb:a+b", "openml:7"]) == ()
    assert pmlb.at_hand("a+b")
    data = get_dataset("pmlb:a+b")
    assert data.y.tolist() == [-1, -1, 1, -1]  # 0 is the rarer class, and so positive
    assert data.names == ("age", "height")
    assert load("pmlb:a+b", target="age", positive=20, negative="rest").names[-1] == "target"
    assert load("openml:7", target="class").y.size == 4
    assert_refused(partial(load, "openml:7"), DataError, "--target")
    assert_refused(lambda: bring(["openml:8"]), DataError, "openml:8")
    assert_refused(lambda: bring(["pmlb:nobody"]), UnknownNameError, "nobody")


# Tables that packages of PyPI carry

TABLE = b'"","size","y"\n"1",3,no\n"2",4,no\n"3",5,yes\n"4",6,no\n'
PLAIN = b"3,n\n4,n\n5,y\n6,n\n"
COMMENTS = b"% a comment\n@relation toy\n@attribute size numeric\n@attribute y {no, 'yes'}\n@data\n"
COMMENTS += b"3,no\n% another\n4,no\n5,'yes'\n6,no\n"


SDIST = tarred({"toy-1.2/toy/all.tar.gz": tarred({"data/toy.csv": TABLE})})
WHEEL = zipped({"toy/data/toy.csv": TABLE, "toy/__init__.py": b"raise RuntimeError\n"})


@pytest.fixture
def carried(monkeypatch, tmp_path):
    """Return a function that lets the collection know one release and one table in it."""
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))

    def know(content, path, table=TABLE, *, file="toy.csv", target=""):
        archive = "toy-1.2.tar.gz" if content == SDIST else "toy-1.2-py3-none-any.whl"
        package = pypi.Package(
            **{"package": "toy", "distribution": "toy-that-nobody-has", "version": "1.2"},
            **{"archive": archive, "path": f"aa/{archive}", "licence": "MIT"},
            sha256=digest(content),
            size=len(content),
        )
        inner = replace(package.file, name=file, sha256=digest(table), size=len(table))
        one = pypi.Carried(name="toy/toy", package=package, path=path, file=inner, target=target)
        monkeypatch.setattr(pypi, "_known", lambda *_: {"toy/toy": one})
        monkeypatch.setattr(pypi, "_packages", lambda: {"toy": package})
        return package

    return know


@pytest.mark.parametrize(
    ("archive", "path", "table", "more", "names"),
    [
        (WHEEL, "toy/data/toy.csv", TABLE, {}, ("size",)),  # the names of the rows are none
        (SDIST, "toy/all.tar.gz!data/toy.csv", TABLE, {}, ("size",)),
        (zipped({"toy.dat": PLAIN}), "toy.dat", PLAIN, {"target": "1"}, None),
        (zipped({"toy.txt": COMMENTS}), "toy.txt", COMMENTS, {"file": "toy.arff"}, ("size",)),
    ],
    ids=["wheel", "sdist", "no names", "arff"],
)
def test_a_table_of_a_release_is_read_from_its_archive(carried, archive, path, table, more, names):
    carried(archive, path, table + b"5,7,no\n", **more)  # another content than in the archive
    keep(PYPI.known()["toy/toy"].package.file, lambda: archive)
    assert_refused(partial(load, "pypi:toy/toy"), DataError, "sha256")
    package = carried(archive, path, table, **more)
    keep(package.file, lambda: archive)
    assert PYPI.at_hand("toy/toy")
    data = get_dataset("pypi:toy/toy")
    assert data.names == names
    assert data.y.tolist() == [-1, -1, 1, -1]
    assert cached_paths([PYPI.known()["toy/toy"].file])[0].is_file()
    assert "toy" not in sys.modules


def test_an_installed_release_is_read_and_another_version_is_not(carried, tmp_path, monkeypatch):
    folder = tmp_path / "site"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "toy.csv").write_bytes(TABLE)
    (folder / "toy" / "__init__.py").write_text("raise RuntimeError('its code is not wanted')\n")
    metadata = folder / "toy_that_nobody_has-1.2.dist-info" / "METADATA"
    metadata.parent.mkdir()
    monkeypatch.syspath_prepend(folder)
    carried(b"no archive", "toy/toy.csv")
    for version in ("1.3", "1.2"):
        text = f"Metadata-Version: 2.1\nName: toy-that-nobody-has\nVersion: {version}\n"
        metadata.write_text(text)
        assert PYPI.at_hand("toy/toy") == (version == "1.2")
    assert get_dataset("pypi:toy/toy").n == 4
