from pathlib import Path

import pytest

from aucbench.bench import engines
from aucbench.bench.engines import make_engine
from aucbench.bench.engines.local import LocalEngine
from aucbench.errors import MissingExtraError, ParameterError, UnknownNameError


def test_local_is_the_default_and_fills_the_cores(monkeypatch):
    monkeypatch.setattr(engines, "cores", lambda: 7)
    assert make_engine() == LocalEngine(7, 1)
    assert make_engine("local", threads=3) == LocalEngine(2, 3)
    assert make_engine("local", threads=16) == LocalEngine(1, 16)
    assert make_engine("local", jobs=5, threads=3) == LocalEngine(5, 3)


def test_an_unknown_engine_is_refused_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"'task': did you mean 'dask'.*dask, local, slurm"):
        make_engine("task")


@pytest.mark.parametrize("name", ["dask", "slurm"])
def test_a_missing_extra_is_named(monkeypatch, name):
    monkeypatch.setattr(engines, "find_spec", lambda module: None)
    with pytest.raises(MissingExtraError, match=rf"--engine {name} .*'aucbench\[{name}\]'"):
        make_engine(name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": 0}, "jobs must be at least 1, got 0"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"jobs": 1.5}, "jobs must be a whole number"),
        ({"name": "local=tcp://h:1"}, "'local=tcp://h:1' has an address, but only 'dask'"),
        ({"cells_per_job": 3}, "cells_per_job=3 was given to engine 'local', but only 'slurm'"),
    ],
)
def test_options_that_make_no_sense_or_belong_elsewhere_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        make_engine(**options)


def test_dask_wants_a_scheduler():
    pytest.importorskip("distributed", reason="the extra [dask] is not installed")
    from aucbench.bench.engines.dask import DaskEngine

    with pytest.raises(ParameterError, match="got no scheduler; add the address"):
        make_engine("dask")
    made = make_engine("dask=tcp://h:1", threads=2)
    assert made == DaskEngine("tcp://h:1", None, 2)


def test_slurm_wants_a_folder():
    pytest.importorskip("submitit", reason="the extra [slurm] is not installed")
    from aucbench.bench.engines.slurm import SlurmEngine

    with pytest.raises(ParameterError, match="got no results folder"):
        make_engine("slurm")
    made = make_engine("slurm", folder=Path("out"), cells_per_job=3)
    assert made == SlurmEngine(Path("out"), jobs=16, threads=1, cells_per_job=3)
