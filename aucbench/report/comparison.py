"""`compare`: make a plan from arguments and run it on this host, for use from Python.

Design
  a. What was found is computed when it is asked for. The store has the scores of the test rows
     that were just computed in memory, since the folder may be a temporary one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Self

from aucbench.bench.inline import NOTHING, Inline, name_solvers
from aucbench.bench.measuring import measure_of, metrics_of, supervised
from aucbench.bench.options import RunOptions, ShowOptions
from aucbench.bench.plan.pairs import read_pairs, spec_of_pairs
from aucbench.bench.plan.plan import NOT_OF_COMPARE, Plan
from aucbench.bench.plan.values import FILES
from aucbench.bench.results.convergence import Optima, flat_row
from aucbench.bench.results.export import flat
from aucbench.bench.results.record import Record
from aucbench.bench.results.store import HELD, Store
from aucbench.data import Data
from aucbench.datasets.files import TESTS, load
from aucbench.datasets.memory import is_table
from aucbench.datasets.reading import ReadOptions
from aucbench.errors import ParameterError
from aucbench.options import OptionGroup, select_options, takes_options
from aucbench.processes.scratch import Scratch
from aucbench.registry.specs import Spec
from aucbench.report.running import (
    End,
    handed_over,
    name_of,
    require_no_run,
    resolve_metrics,
    run_plan,
    warn_of,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from aucbench.report.findings import Findings
    from aucbench.report.html_page import InlinePage

MOST_REASONS = 3  # of records without an AUC
MOST_SETS, MOST_LINES = 10, 60  # data sets of a notebook, lines of text
PLAIN_READING = ReadOptions()
OPTIONS = (  # of `compare`
    OptionGroup("Plan", without=("solvers", "data", *NOT_OF_COMPARE), cls=Plan),
    OptionGroup("Run", cls=RunOptions),
    OptionGroup("Show", cls=ShowOptions),
)


@takes_options(*OPTIONS)
def compare(
    *given: Any,
    solvers: Any = None,
    data: Any = None,
    reading: ReadOptions = PLAIN_READING,
    **options: Any,
) -> Results:
    """Fit every solver on every split of every data set, each in its own process.

    `compare(table, target="readmitted")` compares the default solvers on a data frame, and
    `compare("sht-auc,logistic", "breast-cancer")` these two on this set. `compare(plan)` runs a
    `Plan`, such as one that `read_plan` has read from a file. A table is read as a file
    is: text, dates and missing cells become numbers, and what looks like a mistake is a warning of
    the results. The options are those of the command `aucbench compare`, with the same defaults.
    There is a bar in a notebook, and in a terminal on stderr, unless it is `quiet`.

    Parameters
    ----------
    given :
        A table, and solvers if wanted; or solvers and data. Both can also be named.
    solvers : str, Solver or iterable of str, Spec and Solver, optional
        Specifications as `sht-auc[k=50,blocks=4],logistic`, and instances such as
        `HeavyBall(beta=0.5)`, whose class need not be in a plugin. The default is that of the
        command.
    data : str, Data, table or iterable of these
        Specifications, files, or URLs with `#sha256=`; rows in memory; and tables: data frames of
        pandas and polars, tables of pyarrow, and others that hand over their columns as Arrow.
    reading : ReadOptions
        How files and tables are read, such as `ReadOptions(target="outcome")`. Its fields can also
        be given by themselves: `target="outcome"`. `test` may be a table too.
    **options :
        See below. `pairs` may be an object such as `Fpr(max=0.1)` too, and `monotone` a mapping
        such as `{"dose": "convex"}`.

    Returns
    -------
    Results
        A tuple of `Record`: one for each cell, failed or not, in the order of the plan. It has
        the verdict too: `answer`, `table` and `findings`. A notebook shows it as a page does.

    Raises
    ------
    AucbenchError
        Before the first fit, when the arguments make no sense.

    Warns
    -----
    UserWarning
        Of what may be wrong in a table, outside of notebooks, where results show it.
    """
    require_no_run("compare")
    raw, *others = select_options(OPTIONS, options, "compare")
    run, show = RunOptions(**others[0]), ShowOptions(**others[1])
    if given and isinstance(given[0], Plan):
        if raw or len(given) > 1 or solvers is not None or data is not None:
            raise ParameterError("a plan says all that is computed; leave the other options out")
        return compare_plan(run.limit(given[0]), run, resolve_metrics(show, given[0].pairs))
    solvers, sets = _asked(given, solvers, data)
    test = {"test": raw.pop("test")} if is_table(raw.get("test")) else {}
    reading = replace(reading, **{name: raw.pop(name) for name in FILES if name in raw})
    pairs, reading = read_pairs(_pairs(raw.get("pairs"), sets), reading)
    show = resolve_metrics(show, pairs)
    named, held, reading = _named(sets, reading, test)
    chosen, inline = (None, NOTHING) if solvers is None else name_solvers(_specs(solvers))
    raw |= {"solvers": chosen, "data": named, "pairs": pairs, "reading": reading}
    plan = run.limit(Plan.of(raw))
    with handed_over(held, inline) as objects:
        return compare_plan(plan, run, show, objects)


def compare_plan(
    plan: Plan, run: RunOptions, show: ShowOptions, inline: Inline = NOTHING
) -> Results:
    """Run a plan, and return its results.

    Raises
    ------
    AucbenchError
        As `aucbench.bench.runner.run`, and when no solver has the name of the reference.
    """
    from aucbench.report.collecting import require_planned

    require_planned(plan, show.reference)
    with ExitStack() as stack:
        folder = run.out or stack.enter_context(Scratch()).path / "out"
        held = HELD if run.out else inf  # the temporary folder is gone when scores are asked for
        store = stack.enter_context(Store(folder, create=True, held=held))
        records, end = run_plan(plan, store, run, inline=inline)
        if end is End.INTERRUPTED:
            raise KeyboardInterrupt
        return Results(records, store, plan, show)


class Results(tuple[Record, ...]):
    """The records of a comparison, in the order of its plan, and what they say.

    All that it returns raises `DataError` when there is no record, or none has an AUC.

    Parameters
    ----------
    records : iterable of Record
    store : Store
        Has the scores of the records, and what is known of their data sets.
    plan : Plan
        What was asked for.
    show : ShowOptions
        The verdict is on the first metric that can be had.
    curves : bool
        Make ROC and precision-recall curves, which a page shows, and a command does not.
    """

    _store: Store
    _curves: bool
    plan: Plan
    show: ShowOptions

    def __new__(
        cls,
        records: Iterable[Record],
        store: Store,
        plan: Plan,
        show: ShowOptions,
        *,
        curves: bool = True,
    ) -> Self:
        """Make a tuple of the records."""
        results = super().__new__(cls, records)
        results._store, results._curves = store, curves
        results.plan, results.show = plan, show
        return results

    def __repr__(self) -> str:
        """Return the tables and the answer; without an AUC, the reasons."""
        from aucbench.report.notes import answer

        if self._failure:
            return self._failure
        lines = self.table().splitlines()
        if len(lines) > MOST_LINES:
            more = f"… {len(lines) - MOST_LINES} more lines: print(.table())"
            lines = [*lines[:MOST_LINES], more]
        return "\n".join([*lines, "", *answer(self.findings).splitlines()])

    def _repr_html_(self) -> str:
        """Return the answer, the tables and the notes, for a notebook."""
        from aucbench.report.document import Section
        from aucbench.report.html_page import make_fragment
        from aucbench.report.notes import notes, sentences
        from aucbench.report.tables import grids

        if self._failure:
            return make_fragment([self._failure])
        tables = grids(self.findings)
        count = len(self.findings.datasets)
        left = count - MOST_SETS
        more = [f"{left} more data sets: print(.table())"] if left > 0 else []
        over_all, first = tables[count:], tables[: min(count, MOST_SETS)]
        below = Section("Notes", "", tuple(notes(self.findings)))
        return make_fragment([*sentences(self.findings), *over_all, *first, *more, below])

    @property
    def _failure(self) -> str:
        """Why there is no AUC; empty if there is one."""
        if any(record.ok for record in self):
            return ""
        reasons = "; ".join(dict.fromkeys(record.why for record in self[:MOST_REASONS]))
        text = f"Results: {len(self)} records, none with an AUC"
        return f"{text}: {reasons}" if reasons else text

    def report(self) -> InlinePage:
        """Return the page of a report, which a notebook shows inline and `save` keeps."""
        from aucbench.report.page import page_of

        return page_of(self.findings, folder="results")

    def answer(self) -> str:
        """Return the recommendation in words, a sentence on each line."""
        from aucbench.report.notes import sentences

        return "\n".join(sentences(self.findings))

    def table(self) -> str:
        """Return the tables of all data sets, and the one over all."""
        from aucbench.report.document import text
        from aucbench.report.tables import grids

        return text(grids(self.findings))

    @cached_property
    def findings(self) -> Findings:
        """All that the statistics say: values, intervals, pairs with their words, ranks, advice."""
        from aucbench.report.collecting import frame_of
        from aucbench.report.findings import findings_of

        frame = frame_of(
            self,
            (self.plan,),
            scores=self._store.scores,
            about=self._store.about,
            problems=self._store.problems,
        )
        return findings_of(frame, self.show, curves=self._curves)

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each cell and a column for each plain field.

        The columns are those of `--json`; hyperparameters, conditions and the machine have a
        column for each entry, such as `parameters.k`. Each measure has a column.
        """
        from pandas import DataFrame

        with supervised():
            return DataFrame([flat(row) for row in self.rows()])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each record, with the values of the metrics."""
        optima = Optima(self)
        measures = [measure_of(name) for name in self.show.metrics]
        for record in self:
            yield flat_row(record, optima) | metrics_of(record, self._store, measures)


def _specs(given: Any) -> tuple[Any, ...]:
    """Return texts and objects one by one; a text may name several things."""
    alone = isinstance(given, str | Spec) or hasattr(given, "problem") or _is_rows(given)
    return (given,) if alone else tuple(given)


def _is_rows(one: Any) -> bool:
    return isinstance(one, Data) or is_table(one)


def _asked(given: tuple[Any, ...], solvers: Any, data: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return solvers, or None for the default ones, and the data sets."""
    if len(given) == 1 and solvers is not None and data is None:
        given = (None, *given)
    elif given and _is_rows(given[0]):
        given = (given[1] if len(given) > 1 else None, given[0], *given[2:])
    for name, value, place in (("solvers", solvers, 0), ("data", data, 1)):
        if value is not None and len(given) > place and given[place] is not None:
            raise ParameterError(f"{name} are given twice; give them once")
    first, second = (*given, None, None)[:2]
    if len(given) > 2:
        raise ParameterError(f"{len(given)} things are given by place, wanted solvers and data")
    data = second if data is None else data
    if data is None:
        raise ParameterError("there is no data; give a table, a file, or the name of a set")
    if isinstance(data, Mapping) or hasattr(data, "to_frame") or hasattr(data, "collect"):
        raise ParameterError(
            f"got {type(data).__name__} as data, wanted a table with columns, such as a data "
            "frame; collect a lazy one"
        )
    return first if solvers is None else solvers, _specs(data)


def _pairs(pairs: Any, sets: Iterable[Any]) -> Spec | None:
    """Return the pairs that are asked for; or else of those that rows come with."""
    held = (spec_of_pairs(one.pairs) for one in sets if isinstance(one, Data))
    own = {known for known in held if known is not None}
    asked = spec_of_pairs(pairs)
    if own - {asked} and (asked is not None or len(own) > 1):
        raise ParameterError(
            f"rows come with the pairs {', '.join(sorted(map(str, own)))}, and one kind of pairs "
            "counts in a comparison; give it as pairs, and leave it out of the rows"
        )
    return asked if asked is not None else next(iter(own), None)


def _named(
    sets: Iterable[Any], asked: ReadOptions, test: Mapping[str, Any]
) -> tuple[list[str | Spec], dict[Spec, Data], ReadOptions]:
    """Return names of data sets, rows in memory by name, and how files among them are read."""
    names: list[str | Spec] = []
    held: dict[Spec, Data] = {}
    files = False
    for one in sets:
        rows = load(one, asked, **test) if is_table(one) else one
        if isinstance(rows, Data):
            name = name_of(rows, "data" if rows is one else "table")
            names.append(name)
            held[name] = rows
            if rows is not one:
                warn_of(rows, name)
        elif isinstance(one, str):
            names.append(one)
        else:
            raise ParameterError(f"got {one!r} as a data set, wanted a name, a table or Data.of")
        files = files or not is_table(one)
    if files and test:
        raise ParameterError("a table of test rows is for a table; for a file name a file")
    return names, held, asked if files else ReadOptions(test=TESTS if test else None)
