"""A small results folder, and doctored copies of it."""

import shutil

import pytest
from result_folders import findings, frame, records, results_folder

from aucbench.bench import Store
from aucbench.bench.options import ShowOptions
from aucbench.report.collecting import frame_of
from aucbench.report.findings import findings_of

__all__ = ["findings", "frame", "records", "results_folder"]


@pytest.fixture
def scored(results_folder):
    """Return a function that makes findings of records, with the scores of the folder."""

    def made(records, **settings):
        some = frame_of(records, scores=Store(results_folder).scores)
        return findings_of(some, ShowOptions(**settings))

    return made


@pytest.fixture
def doctored(results_folder, tmp_path):
    """Return a function that copies the folder with changed records; None leaves one out."""

    def copy(change, name="doctored"):
        folder = tmp_path / name
        shutil.copytree(results_folder, folder)
        shutil.rmtree(folder / "cells")
        with Store(folder, create=True) as store:
            for record in Store(results_folder).records():
                if (changed := change(record)) is not None:
                    path = results_folder / "scores" / record.id[:2] / f"{record.id}.npz"
                    store.write(changed, path.read_bytes() if changed.ok else None)
        return folder

    return copy
