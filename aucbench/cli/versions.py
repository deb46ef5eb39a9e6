"""`aucbench compare --before PATH --after PATH`: is the new version better?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from aucbench.cli.running import BROKEN, print_findings, refuse, rows_into
from aucbench.cli.saying import say
from aucbench.errors import INTERRUPTED, ParameterError

if TYPE_CHECKING:
    from aucbench.bench.options import Options
    from aucbench.bench.plan.plan import Plan
    from aucbench.bench.results.record import Record
    from aucbench.bench.versions import Tell, Version
    from aucbench.cli.options import Printed


def go_versions(
    plan: Plan,
    options: Options,
    paths: Sequence[Path | None],
    folder: Path | None,
    json: Path | None,
    printed: Printed,
) -> None:
    """Run a plan in two environments; print one table, the answer, and the ratio of times.

    It exits as `aucbench.cli.running.go`.

    Parameters
    ----------
    paths : sequence of Path
        Before and after, see `aucbench.bench.versions.version_at`.
    folder : Path or None
        Takes the results folders `before` and `after`; None: they are not kept.

    Raises
    ------
    ParameterError
        When one of the paths is missing, or an option does not go with them; else as `version_at`
        and `run_sides`.
    """
    from aucbench.bench.isolated.resolved import supervised
    from aucbench.bench.results.store import Store
    from aucbench.bench.show.tally import Tally
    from aucbench.bench.versions import SIDES, both, run_sides, version_at
    from aucbench.processes.scratch import Scratch
    from aucbench.report.evidence import evidence_of
    from aucbench.report.speed import speed_lines

    named = dict(zip(SIDES, paths, strict=True))
    known = {side: path for side, path in named.items() if path is not None}
    if len(known) < len(SIDES):
        raise ParameterError("--before and --after name two versions; give both")
    if options.engine != "local":
        raise ParameterError(f"--before and --after run on this host, not on {options.engine}")
    shown_plan = both(plan)
    refuse(shown_plan, printed, json)
    versions = [version_at(side, path) for side, path in known.items()]
    with ExitStack() as stack:
        place = folder or stack.enter_context(Scratch()).path
        try:
            sides = run_sides(plan, versions, place, _options(options), _teller(options))
        except KeyboardInterrupt:
            way_on = "run the same command again to go on" if folder else "--out DIR keeps results"
            say(f"interrupted; {way_on}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        stores = {side: stack.enter_context(Store(place / side)) for side in SIDES}
        stack.enter_context(supervised())
        records = [record for side in SIDES for record in sides[side]]
        homes = {record.id: stores[side] for side in SIDES for record in sides[side]}
        tally = Tally(shown_plan)
        for record in records:
            tally.add(record)
        with rows_into(json, lambda record: homes[record.id], tally, printed) as add:
            for record in records:
                add(record)
        evidence = evidence_of(
            records,
            [shown_plan],
            scores=lambda fit: homes[fit.id].scores(fit.id, fit.data),
            about=lambda data: next(filter(None, (s.about(data) for s in stores.values())), None),
        )
        broken = print_findings(shown_plan, evidence, tally.remarks(), tally.tried, printed)
    typer.echo()
    for line in (*speed_lines(evidence), *_origins(versions, sides)):
        say(line)
    if broken:
        raise typer.Exit(BROKEN)


def _options(options: Options) -> list[str]:
    jobs = 1 if options.timing else options.jobs
    words = [] if jobs is None else ["--jobs", str(jobs)]
    words += ["--threads", str(options.threads)]
    return words + [text for status in options.retry for text in ("--retry", status)]


def _teller(options: Options) -> Tell:
    return (lambda _: None) if options.quiet else partial(say, err=True)


def _origins(versions: Sequence[Version], sides: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """Yield where each side comes from: its path, and the versions of aucbench and the plugins."""
    for version in versions:
        own = [record.plugin for record in sides[version.side]]
        used = sorted({plugin[:2] for plugin in own if plugin and plugin[0] != "aucbench"})
        yield ", ".join([str(version), *(f"{name} {number}" for name, number in used)])
