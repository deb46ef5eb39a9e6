"""Experiments of papers, and results of them: those of small runs, and made ones."""

from dataclasses import replace

import numpy as np
from in_process import cells_in_process

from aucbench.bench import Store, make_engine, run
from aucbench.papers.experiment import experiments, paper
from aucbench.papers.parts import Protocol, Scale
from aucbench.papers.results import Results, by_cell
from aucbench.papers.sections import parts_of


def made(name, place, scale=Scale.FULL, protocol=Protocol.CLEAN):
    kind, number = place.split()
    [one] = experiments(paper(name), **{kind: int(number)}, scale=scale, protocol=protocol)
    return one


def file_of(name):
    """Return the file of a paper, which a test may make smaller."""
    return next(iter(paper(name).experiments.values())).args[0]


def told(name, place):
    """Return an experiment of the file of a paper."""
    return file_of(name)["experiments"][place]


def cells_of(experiment):
    return [cell for plan in experiment.plans for cell in plan.cells()]


def ran(experiment, folder, **smaller):
    """Run an experiment, with other fields of its plans; return its results and what is shown."""
    plans = tuple(replace(plan, **smaller) for plan in experiment.plans)
    experiment = replace(experiment, plans=plans)
    with Store(folder, create=True) as store, cells_in_process():
        records = [record for p in plans for record in run(p, store, make_engine())]
    assert {record.why for record in records} == {""}
    results = Results(by_cell(records), Store(folder))
    return results, parts_of(experiment, results)


class Given:
    """Results that are given: values by line and measure, and curves by line and y."""

    def __init__(self, values=None, curves=None):
        self._values, self._curves = values, curves

    def of(self, line):
        class Record:
            def __init__(self, dataset):
                self.cell = type("Cell", (), {"dataset": dataset, "repeat": 0})

        return [Record(name) for name in line.datasets]

    def values(self, line, measure="auc"):
        return np.array(self._values(line, measure), np.float64)

    def curves(self, line, x="passes", y="test_auc"):
        return self._curves(line, y)
