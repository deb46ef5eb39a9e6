from pathlib import Path

import pytest
from refusals import assert_refused, refusals

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


REFUSED = refusals(
    ("name", lambda: make_engine("task"), UnknownNameError, "'dask'"),
    ("jobs", lambda: make_engine(jobs=0), ParameterError, "at least 1"),
    ("threads", lambda: make_engine(threads=0), ParameterError, "at least 1"),
    ("half a job", lambda: make_engine(jobs=1.5), ParameterError, "whole number"),
    ("address", lambda: make_engine("local=tcp://h:1"), ParameterError, "only 'dask'"),
    ("cells per job", lambda: make_engine(cells_per_job=3), ParameterError, "only 'slurm'"),
    ("no scheduler", lambda: make_engine("dask"), ParameterError, "address"),
    ("no folder", lambda: make_engine("slurm"), ParameterError, "folder"),
)


@REFUSED
def test_options_that_make_no_sense_or_belong_elsewhere_are_refused(call, error, word):
    assert_refused(call, error, word)


@pytest.mark.parametrize("name", ["dask", "slurm"])
def test_a_missing_extra_is_named(monkeypatch, name):
    monkeypatch.setattr(engines, "find_spec", lambda module: None)
    assert_refused(lambda: make_engine(name), MissingExtraError, f"'aucbench[{name}]'")


def test_a_cluster_has_a_scheduler_and_slurm_a_folder():
    pytest.importorskip("distributed", reason="the extra [dask] is not installed")
    pytest.importorskip("submitit", reason="the extra [slurm] is not installed")
    from aucbench.bench.engines.dask import DaskEngine
    from aucbench.bench.engines.slurm import SlurmEngine

    assert make_engine("dask=tcp://h:1", threads=2) == DaskEngine("tcp://h:1", None, 2)
    made = make_engine("slurm", folder=Path("out"), cells_per_job=3)
    assert made == SlurmEngine(Path("out"), jobs=16, threads=1, cells_per_job=3)
