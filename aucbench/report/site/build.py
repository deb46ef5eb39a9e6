"""Build the site of a board: read a results folder, and write all files of the site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from aucbench.about import reference_line
from aucbench.bench.addons import supervised
from aucbench.bench.cell import Cell
from aucbench.bench.citations import citations_of
from aucbench.bench.results.store import Store
from aucbench.registry import parse_spec
from aucbench.registry.specs import in_file
from aucbench.report.evidence import Evidence
from aucbench.report.findings import Findings, Settings, findings_of
from aucbench.report.folder import FolderReader
from aucbench.report.page import page_of
from aucbench.report.render import rendered, require_jinja
from aucbench.report.site.board import Board
from aucbench.report.site.crate import BIB, CFF, METADATA, citation, crate
from aucbench.report.site.croissant import ENDING, croissant
from aucbench.report.site.entrants import entrants_of
from aucbench.report.site.names import file_name, web_address
from aucbench.report.site.provenance import Provenance
from aucbench.report.site.publishing import Publishing
from aucbench.report.site.results import NAME, results_csv
from aucbench.report.site.tasks import tasks_of
from aucbench.store.trees import whole_tree

MARK = "aucbench-board.json"  # by which a site is known, so that it may be replaced
SCRIPTS = ("chart.js", "table.js", "site.js")


@dataclass(frozen=True, slots=True)
class Site:
    """A site that was written."""

    folder: Path
    tasks: int
    solvers: int
    cells: int
    verified: int  # of the cells
    files: int
    size: int  # bytes of all files
    problems: tuple[str, ...]  # about files of the results folder that could not be used

    def __str__(self) -> str:
        """Return what there is, for people."""
        return (
            f"{self.folder}: {self.tasks} tasks, {self.solvers} solvers, {self.cells} cells, "
            f"{self.verified} of them verified; {self.files} files, {self.size / 1e6:.1f} MB"
        )


def board_site(
    folder: Path,
    out: Path,
    *,
    settings: Settings | None = None,
    published: Publishing | None = None,
) -> Site:
    """Write the static site of a results folder, in place of an earlier one.

    Parameters
    ----------
    folder : Path
        A results folder, merged or not.
    out : Path
        Folder of the site: new, empty, or an earlier site. It is replaced as a whole.
    settings : Settings, optional
        How results are judged. No curves are drawn.
    published : Publishing, optional
        What the site says of itself.

    Returns
    -------
    Site
        What was written.

    Raises
    ------
    MissingExtraError
        When Jinja2 is not installed.
    DataError
        When the folder cannot be read, or holds nothing.
    ParameterError
        When `out` holds something else, or cannot be written.
    """
    require_jinja()
    with whole_tree(Path(out), MARK) as made:  # which is refused before the long part
        evidence = FolderReader(Path(folder), stale=True).read()
        board = board_of(
            evidence,
            settings or Settings(),
            published or Publishing(),
            name=Path(folder).resolve().name,
            provenance=Provenance.of(Store(Path(folder))),
        )
        files = {}
        for name, told, content in files_of(board):
            path = made / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            files[name] = (told, len(content))
        _write_metadata(made, board, files)
        size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file())
        count = sum(path.is_file() for path in made.rglob("*"))
    return Site(
        Path(out),
        len(board.tasks),
        len(board.entrants),
        len(evidence.ids),
        board.verified,
        count,
        size,
        evidence.problems(),
    )


def board_of(
    evidence: Evidence,
    settings: Settings,
    published: Publishing,
    *,
    name: str,
    provenance: Provenance,
) -> Board:
    """Return the board of what the folder `name` holds."""
    with supervised():
        findings = findings_of(evidence, replace(settings, curves=False))
        entrants = entrants_of(evidence)
        tasks = tasks_of(evidence)
    today = datetime.now(UTC).date().isoformat()
    return Board(page_of(findings, folder=name), published, tasks, entrants, provenance, today)


def files_of(board: Board) -> Iterator[tuple[str, str, bytes]]:
    """Yield name, meaning and content of each file but the metadata of the whole."""
    told: Any = {"board": board, "page": board.page, "web_address": web_address}
    told["reference_line"] = reference_line
    plans = {_plan(name): text for name, text in board.page.findings.evidence.plans.items()}
    beside = [f"solvers/{one.file}.html" for one in board.entrants]
    inside = {**told, "hrefs": [f"../{path}" for path in beside]}
    yield (
        "index.html",
        "The board: all solvers, filters, and all tasks",
        rendered("site_index.html", SCRIPTS, board.data, hrefs=beside, plans=[*plans], **told),
    )
    for task in board.tasks:
        page = rendered("site_task.html", SCRIPTS, board.task_data(task), task=task, **inside)
        yield f"tasks/{task.file}.html", f"The task {task.name}", page
        meaning = f"The task {task.name} as Croissant"
        plain = croissant(task, board.published, board.date)
        yield f"tasks/{task.file}{ENDING}", meaning, _json(plain)
    for entrant in board.entrants:
        page = rendered("site_solver.html", SCRIPTS, {}, entrant=entrant, **inside)
        yield f"solvers/{entrant.file}.html", f"The solver {entrant.name}", page
    findings = board.page.findings
    yield NAME, f"The {findings.measure} of each solver on each task", results_csv(findings)
    for path, text in plans.items():
        yield path, "A plan of the results", text.encode("utf-8", "backslashreplace")
    yield BIB, "What to cite of what was used, as BibTeX", _bibtex(findings)


def _plan(name: str) -> str:
    return f"plans/{file_name(Path(name).stem)}.toml"


def _bibtex(findings: Findings) -> bytes:
    groups = findings.evidence.groups.values()
    first = (fit.cell for group in groups for fit in [*group.fits.values()][:1])
    cells = [cell for cell in first if cell is not None and _is_named(cell)]
    return ("\n\n".join(citations_of(cells).entries) + "\n").encode("utf-8", "backslashreplace")


def _is_named(cell: Cell) -> bool:
    """Whether nothing of a cell is in a file of who ran it, whose code is not run here."""
    return all(in_file(parse_spec(str(spec)).name) is None for _, _, spec in cell.parts())


def _write_metadata(made: Path, board: Board, files: dict[str, tuple[str, int]]) -> None:
    """Write what describes all files, and the mark of a site."""
    origins, title = board.provenance.origins, board.title
    text = citation(origins, board.published, title=title, date=board.date)
    (made / CFF).write_text(text, encoding="utf-8")
    files[CFF] = ("How to cite these results", len(text.encode()))
    plain = crate(
        files,
        origins,
        board.published,
        title=title,
        about=" ".join(board.answer) or title,
        date=board.date,
        version=metadata.version("aucbench"),
    )
    (made / METADATA).write_bytes(_json(plain))
    mark = {"aucbench": metadata.version("aucbench"), "made": board.date, "title": title}
    (made / MARK).write_bytes(_json(mark))


def _json(plain: Any) -> bytes:
    return json.dumps(plain, allow_nan=False, indent=1).encode("ascii") + b"\n"
