"""Experiments of papers, and results of them: those of small runs, and given ones."""

from dataclasses import replace

from toys import cells_in_process

from aucbench.bench import Store, make_engine, run
from aucbench.papers.comparison import compare
from aucbench.papers.experiments import experiments, paper
from aucbench.papers.parts import Protocol, Scale
from aucbench.papers.results import Results, index_records


def made(name, place, scale=Scale.FULL, protocol=Protocol.CLEAN):
    kind, number = place.split()
    [one] = experiments(paper(name), **{kind: int(number)}, scale=scale, protocol=protocol)
    return one


def told(name, place):
    """Return an experiment of the file of a paper, which a test may make smaller."""
    return paper(name).plain["experiments"][place]


def cells_of(experiment):
    return [cell for plan in experiment.plans for cell in plan.cells()]


def ran(experiment, folder, **smaller):
    """Run an experiment, with other fields of its plans; return its results and what is shown."""
    plans = tuple(replace(plan, **smaller) for plan in experiment.plans)
    experiment = replace(experiment, plans=plans)
    with Store(folder, create=True) as store, cells_in_process():
        records = [record for p in plans for record in run(p, store, make_engine())]
    assert {record.why for record in records} == {""}
    results = Results(experiment, index_records(records), Store(folder))
    return results, compare(results)


class Given(Results):
    """Results that are given: values by line and measure, and curves by line and y."""

    def __init__(self, experiment, values=None, curves=None):
        super().__init__(experiment, {}, None)
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_curves", curves)

    def series(self, line, measure="auc"):
        return {(run,): float(x) for run, x in enumerate(self._values(line, measure))}

    def curves(self, line, y, x="passes"):
        return dict(enumerate(self._curves(line, y)))

    def ratio(self, line):
        return 0.25
