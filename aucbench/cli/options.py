"""Options that `run` and `compare` share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucbench.datasets.reading import Reading
from aucbench.errors import DataError, ParameterError, UnknownNameError, require_at_least

if TYPE_CHECKING:
    from aucbench.bench.addons import Addon
    from aucbench.bench.engines import Engine
    from aucbench.bench.plan.plan import Plan
    from aucbench.report.demand import Demand
    from aucbench.report.evidence import Evidence
    from aucbench.report.findings import Findings, Means, Settings
    from aucbench.stats import Measure

TIMED_FITS = 5  # of a cell under --timing, when the plan does not ask for more

Texts = list[str] | None
Target = Annotated[
    str | None, typer.Option(help="Label column of files, by name or by number from 0.")
]
Positive = Annotated[Texts, typer.Option(help="Labels of files that count as positive.")]
Negative = Annotated[
    Texts, typer.Option(help="Labels of files that count as negative; rest means all others.")
]
Drop = Annotated[Texts, typer.Option(help="Columns of files to leave out.")]
Groups = Annotated[
    str | None,
    typer.Option(help="Column of files; rows that share a value are on one side of each split."),
]
Time = Annotated[
    str | None, typer.Option(help="Column of files; training rows are earlier than test rows.")
]
Weights = Annotated[
    str | None, typer.Option(help="Column of files; rows count for it, in the AUC and in training.")
]
Test = Annotated[str | None, typer.Option(help="File of test rows, in place of splits.")]
DropSuspicious = Annotated[
    bool, typer.Option("--drop-suspicious", help="Leave out the columns that a warning is about.")
]
Encode = Annotated[
    str,
    typer.Option(help="auto: tables may hold text, dates and missing cells; none: numbers only."),
]
Decimal = Annotated[str, typer.Option(help="Decimal mark of tables: a point or a comma.")]
Separator = Annotated[
    str | None,
    typer.Option(help="Of the cells of text files: a character, tab or space.  [default: found]"),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        help="Seconds of wall time after which a cell is killed; 0: never.  "
        "[default: that of the plan, or 3600]"
    ),
]
Memory = Annotated[
    float | None, typer.Option(help="Megabytes that a cell may take beyond an idle one.")
]
Jobs = Annotated[
    int | None, typer.Option(help="Cells at once. [default: as many as cores, for local]")
]
Threads = Annotated[int, typer.Option(help="Threads of aucbench, BLAS and OpenMP in each cell.")]
EngineName = Annotated[str, typer.Option(help="local, dask or slurm.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a dask scheduler.")]
CellsPerJob = Annotated[
    int | None, typer.Option(help="Cells that one job of SLURM runs. [default: 20]")
]
Retry = Annotated[
    Texts, typer.Option(help="Statuses that are computed again, such as error,crash.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]
Timing = Annotated[
    bool,
    typer.Option(
        "--timing",
        help=f"One cell at a time, kept to its cores and fitted {TIMED_FITS} times.",
    ),
]
MetricNames = Annotated[
    Texts,
    typer.Option(
        "--metrics",
        help="auc, ap, pauc[max_fpr=.1], precision[k=10], recall[k=10], brier, log-loss, or what "
        "`list metrics` shows, from the stored scores; the verdict is on the first one; "
        "repeatable. [default: auc]",
    ),
]
Rope = Annotated[
    float, typer.Option(help="Differences of the measure up to this size are practically zero.")
]
Sections = Annotated[
    Texts,
    typer.Option(
        help="Sections of plugins, as `list report_sections` shows them; repeatable.",
    ),
]
Sort = Annotated[str, typer.Option(help="Order of the lines: plan, value or seconds.")]
Markdown = Annotated[bool, typer.Option("--md", help="Print the tables in Markdown.")]
Tex = Annotated[bool, typer.Option("--tex", help="Print the tables in LaTeX.")]
FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        help='Exit with 1 if this holds: "A worse than B [on MEASURE] [by DIFFERENCE]", or better; '
        "repeatable.",
    ),
]


@dataclass(frozen=True, slots=True)
class Printed:
    """What `run` and `compare` print when a run has ended.

    Attributes
    ----------
    measures : tuple of Measure
        The verdict is on the first one.
    rope : float
    sort, form : str
        Keys of `aucbench.report.terminal.SORTS` and `aucbench.report.document.FORMS`.
    demands : tuple of Demand
    sections : tuple of Addon
        Sections of plugins, which follow the answer.
    """

    measures: tuple[Measure, ...]
    rope: float
    sort: str
    form: str
    demands: tuple[Demand, ...]
    sections: tuple[Addon, ...]

    @staticmethod
    def of(
        metrics: Texts,
        rope: float,
        sort: str,
        fail_if: Texts,
        sections: Texts,
        *,
        md: bool,
        tex: bool,
        timeout: float,
    ) -> Printed:
        """Read the options; each look-up has at most `timeout` seconds, unless that is 0.

        Raises
        ------
        AucbenchError
            When one of them makes no sense, or both `md` and `tex` are given.
        """
        from aucbench.bench.addons import supervised
        from aucbench.bench.measuring import measure_of
        from aucbench.registry.specs import split_specs
        from aucbench.registry.visits import within
        from aucbench.report.demand import Demand
        from aucbench.report.terminal import SORTS

        if md and tex:
            raise ParameterError("--md and --tex are two forms of the same tables; give one")
        if sort not in SORTS:
            raise ParameterError(f"--sort {sort} is no order; give {', '.join(SORTS)}")
        require_at_least(0.0, rope=rope)
        specs = [spec for text in metrics or ("auc",) for spec in split_specs(text)]
        with supervised(), within(timeout or None):
            return Printed(
                tuple(dict.fromkeys(map(measure_of, specs))),
                rope,
                sort,
                "md" if md else "tex" if tex else "text",
                tuple(map(Demand.of, fail_if or ())),
                named_sections(sections),
            )

    def findings(self, evidence: Evidence) -> tuple[Findings, list[Means], list[str]]:
        """Return the findings of the first measure that can be had, and the means of the others.

        Where none of those that were asked for can be had, it is the AUC. The third is why some
        cannot.
        """
        from aucbench.report.findings import findings_of, means_of

        names = [measure.name for measure in self.measures]
        missing: list[str] = []
        for name in dict.fromkeys((*names, "auc")):
            try:
                found = findings_of(evidence, self._settings(name, self.rope))
                break
            except DataError as error:
                if name == "auc":
                    raise
                missing.append(f"{name} is missing: {error}")
        others: list[Means] = []
        for name in names[len(missing) + 1 :]:
            try:
                others.append(means_of(evidence, name))
            except DataError as error:
                missing.append(f"{name} is missing: {error}")
        return found, others, missing

    def findings_for(self, demand: Demand, known: Findings) -> Findings:
        """Return the findings by which a demand is judged; most often they are known already."""
        from aucbench.report.findings import findings_of

        settings = self._settings(demand.measure, demand.by)
        return known if known.settings == settings else findings_of(known.evidence, settings)

    def _settings(self, name: str, rope: float) -> Settings:
        from aucbench.report.findings import Settings

        return Settings(measure=name, rope=rope, curves=False)


def named_sections(texts: Texts) -> tuple[Addon, ...]:
    """Look up the sections of plugins that an option names.

    Raises
    ------
    AucbenchError
        When one of them cannot be used.
    """
    from aucbench.bench.addons import addon_of, supervised
    from aucbench.registry.specs import split_specs

    specs = dict.fromkeys(spec for text in texts or () for spec in split_specs(text))
    with supervised():
        return tuple(addon_of("report_sections", spec) for spec in specs)


@dataclass(frozen=True, slots=True)
class Options:
    """How a plan is run. These options do not change the results of cells."""

    jobs: int | None = None
    threads: int = 1
    engine: str = "local"
    scheduler: str | None = None
    cells_per_job: int | None = None
    retry: tuple[str, ...] = ()
    quiet: bool = False
    timing: bool = False

    def __post_init__(self) -> None:
        from aucbench.records import CellStatus

        known = [status.value for status in CellStatus]
        for status in self.retry:
            if status not in known:
                raise UnknownNameError("status in --retry", status, known)
        if self.timing and self.jobs not in (None, 1):
            raise ParameterError(
                f"--timing runs one cell at a time, got --jobs {self.jobs}; leave one of them out"
            )

    def make_engine(self, folder: Path | None) -> Engine:
        """Engine for results that are kept in `folder`; None: they are not kept."""
        from aucbench.bench.engines import make_engine

        return make_engine(
            self.engine,
            jobs=1 if self.timing else self.jobs,
            threads=self.threads,
            scheduler=self.scheduler,
            folder=folder,
            cells_per_job=self.cells_per_job,
        )


def reading(
    target: str | None,
    positive: Texts,
    negative: Texts,
    drop: Texts,
    *,
    drop_suspicious: bool,
    encode: str,
    decimal: str,
    separator: str | None,
    groups: str | None,
    time: str | None,
    weights: str | None,
    test: str | None,
) -> Reading:
    """Return how files are read.

    Raises
    ------
    ParameterError
        When an option makes no sense.
    """
    return Reading(
        target=target,
        positive=entries("positive", positive) or None,
        negative=_negative(entries("negative", negative)),
        drop=entries("drop", drop),
        drop_suspicious=drop_suspicious,
        encode=encode,
        decimal=decimal,
        separator=separator,
        groups=groups,
        time=time,
        weights=weights,
        test=test,
    )


def _negative(labels: tuple[str, ...]) -> tuple[str, ...] | str | None:
    from aucbench.data.targets import REST  # with NumPy, which --help does not need

    return REST if labels == (REST,) else labels or None


def limited(
    plan: Plan, timeout: float | None, memory: float | None, *, timing: bool = False
) -> Plan:
    """Plan with the limits of the command line in place of its own."""
    fits = max(plan.repeat_fits, TIMED_FITS) if timing else plan.repeat_fits
    return replace(
        plan,
        timeout=plan.timeout if timeout is None else timeout,
        memory=plan.memory if memory is None else memory,
        repeat_fits=fits,
    )


def entries(option: str, texts: Texts) -> tuple[str, ...]:
    """Return the entries of an option that can be repeated and takes commas.

    Raises
    ------
    ParameterError
        When an entry is empty.
    """
    found = [part.strip() for text in texts or () for part in text.split(",")]
    if "" in found:
        raise ParameterError(f"--{option} has an empty entry; write it like --{option} a,b")
    return tuple(found)
