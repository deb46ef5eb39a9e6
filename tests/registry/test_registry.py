from dataclasses import dataclass
from pathlib import Path

import pytest
from toys import HEAD, solver

from aucbench import registry
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.registry import (
    describe,
    get_dataset,
    get_solver,
    names,
)

pytestmark = pytest.mark.plain


def test_an_instance_is_returned_unchanged():
    made = get_solver("logistic")
    assert get_solver(made) is made
    message = "is an instance already; C can only be given with a name"
    with pytest.raises(ParameterError, match=message):
        get_solver(made, C=2.0)


@pytest.mark.parametrize("thing", [5, None, object(), ["logistic"], registry.Description])
def test_what_is_no_solver_is_refused(thing):
    with pytest.raises(ParameterError, match="wanted the name of a solver or an instance of one"):
        get_solver(thing)


def test_parameters_in_brackets_and_beside(site):
    site.add("foo", foo=solver("foo"))
    assert get_solver("foo[k=5,fast=false]", gamma=0.5) == get_solver(
        "foo:foo", k=5, fast=False, gamma=0.5
    )
    with pytest.raises(ParameterError, match="k of foo is given twice"):
        get_solver("foo[k=5]", k=6)


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("foo[kk=5]", UnknownNameError, "unknown parameter of foo 'kk': did you mean 'k'?"),
        ("foo[needs=5]", UnknownNameError, "known are: fast, gamma, k"),
        ("foo[fast=no]", ParameterError, "fast of foo must be True or False, got 'no'"),
        ("foo[k=many]", ParameterError, "k of foo must be a number, got 'many'"),
        ("foo[k=none]", ParameterError, "k of foo must be a number, got None"),
        ("foo[k=101]", ParameterError, "foo: k is too large"),
        ("foo[k=", ParameterError, "cannot read"),
        ("fooo", UnknownNameError, "unknown solver 'fooo': did you mean 'foo'?"),
        ("bar:foo", UnknownNameError, "unknown solver 'bar:foo'"),
        ("foo bar", UnknownNameError, "unknown solver 'foo bar'"),
    ],
)
def test_mistakes_are_told_in_one_sentence(site, spec, error, message):
    site.add("foo", foo=solver("foo"))
    with pytest.raises(error) as caught:
        get_solver(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_parameter_is_named(site):
    source = f"{HEAD}\n@hookimpl\ndef aucbench_solvers():\n    return {{'foo': lambda n, m: n}}"
    site.add("foo", foo=source)
    with pytest.raises(ParameterError, match=r"foo needs n, m: write foo\[n=...,m=...\]"):
        get_solver("foo")


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_built_in_is_what_it_says(site, kind):
    assert names(kind) == sorted({*names(kind)})
    for name in names(kind):
        told = describe(kind, name)
        assert (told.name, told.distribution, told.kind) == (name, "aucbench", kind)
        assert told.doc
        assert all(p.type for p in told.parameters), name
        assert {name for grid in told.space for name in grid} <= {p.name for p in told.parameters}


def test_describe_tells_parameters_grid_and_origin(site):
    site.add("foo", "2.5", foo=solver("foo"))
    told = describe("solvers", "foo")
    assert (told.plugin, told.distribution, told.version) == ("foo", "foo", "2.5")
    assert told.doc == "w <- 0."
    assert [(p.name, p.type, p.required, p.default) for p in told.parameters] == [
        ("k", "int", False, 3),
        ("fast", "bool", False, True),
        ("gamma", "float | None", False, None),
    ]
    assert told.space == ({"k": {"text": "1, 2", "values": [1, 2]}},)
    assert "data" not in [p.name for p in describe("objectives", "logistic").parameters]
    with pytest.raises(UnknownNameError, match="known are: datasets, features"):
        describe("solver", "foo")


@dataclass
class Folder:
    path: Path

    def csv(self, name):
        (self.path / name).write_text("a,y\n1,0\n2,1\n3,0\n4,1\n", encoding="utf-8")
        return str(self.path / name)


def test_what_nobody_registers_is_a_file(tmp_path, monkeypatch):
    folder = Folder(tmp_path)
    path = folder.csv("my data (1).csv")
    assert get_dataset(path).n == 4
    assert get_dataset(f"{path}[target=a,positive=[1,2],negative=rest]").y.tolist() == [
        1,
        1,
        -1,
        -1,
    ]
    folder.csv("mine.csv")
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    assert get_dataset("mine", positive=0).y.tolist() == [1, -1, 1, -1]
    monkeypatch.chdir(tmp_path)
    assert get_dataset("mine.csv").d == 1
    with pytest.raises(UnknownNameError, match=r"unknown parameter of mine 'k': known are: .*drop"):
        get_dataset("mine[k=5]")


def test_addresses_and_foreign_paths_reach_the_reader_whole(monkeypatch):
    from aucbench.datasets import files

    seen = []
    monkeypatch.setattr(files, "load", lambda source, *, positive=None: seen.append(source))
    for source in ("https://host:80/a.csv?b=1", "C:\\data\\x.csv", "C:x.csv", "./o'brien.csv"):
        get_dataset(source)
    assert seen == ["https://host:80/a.csv?b=1", "C:\\data\\x.csv", "C:x.csv", "./o'brien.csv"]


def test_an_unknown_data_set_lists_names_and_files(tmp_path, monkeypatch):
    Folder(tmp_path).csv("mine.csv")
    monkeypatch.setenv("AUCBENCH_DATA", str(tmp_path))
    with pytest.raises(UnknownNameError) as caught:
        get_dataset("breast-cancr")
    assert "unknown data set 'breast-cancr': did you mean 'breast-cancer'?" in str(caught.value)
    assert "mine" in str(caught.value)
    with pytest.raises(DataError):
        get_dataset(str(tmp_path / "absent.csv"))
