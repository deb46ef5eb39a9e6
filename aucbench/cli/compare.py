"""`aucbench compare`: run every solver on every split and print the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.cli.options import (
    CellsPerJob,
    Decimal,
    Drop,
    DropSuspicious,
    Encode,
    EngineName,
    FailIf,
    Groups,
    Jobs,
    Markdown,
    Memory,
    MetricNames,
    Negative,
    Options,
    Positive,
    Printed,
    Quiet,
    Retry,
    Rope,
    Scheduler,
    Sections,
    Separator,
    Sort,
    Target,
    Test,
    Tex,
    Texts,
    Threads,
    Time,
    Timeout,
    Timing,
    Weights,
    entries,
    limited,
    reading,
)
from aucbench.cli.running import go
from aucbench.cli.versions import go_versions


def compare(
    solvers: Annotated[
        Texts,
        typer.Option(
            help="Such as sht-auc[k=50,blocks=4],logistic, or ./mine.py:Class for a class in a "
            "file; repeatable. "
            "[default: logistic,svm-or,sht-auc,roc-svm-nystrom,hist-gradient-boosting; for "
            "changepoint sets aum,interval-regression,interval-regression[penalty=l1],constant]"
        ),
    ] = None,
    data: Annotated[
        Texts,
        typer.Option(
            help="Names, suite:NAME, files, or https://...#sha256=HEX; repeatable. A name that "
            "`data list` shows as a download is downloaded."
        ),
    ] = None,
    features: Annotated[
        Texts,
        typer.Option(
            "--features",
            "--preprocess",
            help="auto, maxabs, min-max, standard, unit, unit-centred or none; "
            "maxabs+nystroem[rank=50] applies one after the other; repeatable. [default: auto, "
            "which is standard for dense rows and maxabs for sparse ones]",
        ),
    ] = None,
    objective: Annotated[str | None, typer.Option(help="In place of the solvers' own.")] = None,
    projector: Annotated[str | None, typer.Option(help="In place of the solvers' own.")] = None,
    target: Target = None,
    positive: Positive = None,
    negative: Negative = None,
    drop: Drop = None,
    encode: Encode = "auto",
    decimal: Decimal = ".",
    separator: Separator = None,
    groups: Groups = None,
    time: Time = None,
    weights: Weights = None,
    test: Test = None,
    splits: Annotated[int | None, typer.Option(help="Stratified folds. [default: 5]")] = None,
    holdout: Annotated[
        float | None, typer.Option(help="Share of the rows that is tested, in place of folds.")
    ] = None,
    repeats: Annotated[int, typer.Option(help="How often the splits are drawn anew.")] = 1,
    passes: Annotated[
        float | None,
        typer.Option(help="Passes over the data in a fit. [default: 50, or the solver's own]"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds of a fit; the first limit reached ends it.")
    ] = None,
    before: Annotated[
        Path | None,
        typer.Option(
            help="With --after: the old version of the package of --solvers, as an environment "
            "(a folder with bin/python), an interpreter, or a folder with packages."
        ),
    ] = None,
    after: Annotated[
        Path | None, typer.Option(help="The new version; each side runs in its environment.")
    ] = None,
    gap_tol: Annotated[float, typer.Option(help="A certified gap this small ends a fit.")] = 1e-6,
    seed: Annotated[int, typer.Option(help="Of the folds and of the solvers.")] = 0,
    *,
    drop_suspicious: DropSuspicious = False,
    tune: Annotated[
        bool, typer.Option("--tune", help="Tune each solver over its published grid.")
    ] = False,
    json: Annotated[Path | None, typer.Option(help="File that takes one object per fit.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder that keeps the results.")] = None,
    timeout: Timeout = None,
    memory: Memory = None,
    jobs: Jobs = None,
    threads: Threads = 1,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    cells_per_job: CellsPerJob = None,
    retry: Retry = None,
    timing: Timing = False,
    quiet: Quiet = False,
    metrics: MetricNames = None,
    rope: Rope = 0.005,
    sort: Sort = "plan",
    md: Markdown = False,
    tex: Tex = False,
    fail_if: FailIf = None,
    sections: Sections = None,
) -> None:
    """Fit every solver on every split of every data set; print the test AUC."""
    from aucbench.bench.plan.fields import DEFAULT_FEATURES, choices
    from aucbench.bench.plan.plan import Plan, default_solvers

    datasets = _specs(data)
    how = reading(
        target,
        positive,
        negative,
        drop,
        drop_suspicious=drop_suspicious,
        encode=encode,
        decimal=decimal,
        separator=separator,
        groups=groups,
        time=time,
        weights=weights,
        test=test,
    )
    plan = Plan(
        datasets,
        choices(_specs(solvers) or default_solvers(datasets), tune=tune),
        _specs(features) or DEFAULT_FEATURES,
        objective,
        projector,
        reading=how,
        splits=splits,
        holdout=holdout,
        repeats=repeats,
        seeds=(seed,),
        passes=passes,
        seconds=seconds,
        gap_tol=gap_tol,
    )
    plan = limited(plan, timeout, memory, timing=timing)
    where = (jobs, threads, engine, scheduler, cells_per_job)
    options = Options(*where, entries("retry", retry), quiet, timing)
    about = (metrics, rope, sort, fail_if, sections)
    printed = Printed.of(*about, md=md, tex=tex, timeout=plan.timeout)
    if before is not None or after is not None:
        go_versions(plan, options, (before, after), out, json, printed)
        return
    way_on = "run the same command again to go on" if out else "--out DIR would keep the others"
    go(plan, options, out, json, way_on, printed)


def _specs(texts: Texts) -> tuple[str, ...]:
    from aucbench.registry.specs import split_specs

    return tuple(spec for text in texts or () for spec in split_specs(text))
