"""`aucbench compare`: run every solver on every split and print the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucbench.bench.options import RUN_ONLY, Fits, Options
from aucbench.cli.groups import Group, grouped
from aucbench.cli.options import FILES, FITS, OUTPUT, RUNS, Output, specs
from aucbench.cli.running import go
from aucbench.datasets.reading import Reading

Texts = list[str] | None
OWN = "In place of the solvers' own."
PAIRS = (
    "Which pairs count, in training and in the measure: group[column=user], "
    "fpr[max=0.1,rest=0.5], top, or what `list pairs` shows. [default: what the target says, all "
    "pairs of labels]"
)

MONOTONE = (
    "What effects of columns must be: increasing (+1), decreasing (-1), convex or concave, as in "
    "income=+1,age=-1,dose=increasing-convex."
)


@grouped
def compare(
    solvers: Annotated[
        Texts,
        typer.Option(
            help="Such as sht-auc[k=50,blocks=4],logistic, or ./mine.py:Class for a class in a "
            "file; repeatable. "
            "[default: logistic,svm-or,additive,roc-svm-nystrom,hist-gradient-boosting; for "
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
            help="auto, maxabs, min-max, standard, unit, unit-centred or none; "
            "maxabs+nystroem[rank=50] applies one after the other; repeatable. [default: auto, "
            "which is standard for dense rows and maxabs for sparse ones]",
        ),
    ] = None,
    tune: Annotated[
        bool, typer.Option("--tune", help="Tune each solver over its published grid.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder that keeps the results.")] = None,
    *,
    files: Annotated[Reading, Group(FILES, first=("target", "positive"))],
    objective: Annotated[str | None, typer.Option(help=OWN, rich_help_panel=FITS)] = None,
    projector: Annotated[str | None, typer.Option(help=OWN, rich_help_panel=FITS)] = None,
    pairs: Annotated[str | None, typer.Option(help=PAIRS, rich_help_panel=FITS)] = None,
    monotone: Annotated[str | None, typer.Option(help=MONOTONE, rich_help_panel=FITS)] = None,
    fits: Annotated[Fits, Group(FITS, without=("holdout",), first=("splits", "passes"))],
    options: Annotated[Options, Group(RUNS, without=(*RUN_ONLY, "threads"))],
    output: Annotated[Output, Group(OUTPUT, first=("metrics",))],
    json: Annotated[
        Path | None,
        typer.Option(help="File that takes one object per fit.", rich_help_panel=OUTPUT),
    ] = None,
) -> None:
    """Fit every solver on every split of every data set; print the test AUC."""
    from aucbench.bench.plan.fields import DEFAULT_FEATURES, choices
    from aucbench.bench.plan.plan import Plan, default_solvers

    datasets = specs(data or ())
    usual = default_solvers(datasets, pairs, files, monotone)
    plan = Plan(
        datasets,
        choices(specs(solvers or ()) or usual, tune=tune),
        specs(features or ()) or DEFAULT_FEATURES,
        objective,
        projector,
        reading=files,
        splits=fits.splits,
        repeats=fits.repeats,
        seeds=(fits.seed,),
        passes=fits.passes,
        seconds=fits.seconds,
        pairs=pairs,
        monotone=monotone,
    )
    plan = options.limited(plan)
    way_on = "run the same command again to go on" if out else "--out DIR would keep the others"
    go(plan, options, out, json, way_on, output)
