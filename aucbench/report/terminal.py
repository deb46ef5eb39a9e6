"""What `compare` and `run` print: a table for each data set, and the answer in words.

Design
  a. A table has one line for each solver, and a column only when it says something.
  b. Numbers are never cut or wrapped. Where a terminal is too narrow, names of solvers and data
     sets lose their middle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from textwrap import wrap
from typing import Any

from aucbench.bench.show.endings import Ends, end_notes
from aucbench.bench.text import aligned, shown
from aucbench.errors import ParameterError
from aucbench.report.evidence import Evidence, Group
from aucbench.report.findings import Findings, Means
from aucbench.report.inside import Inside, Row
from aucbench.stats.words import Interval

NOTHING = "-"
LEADING = "*"
WIDEST = 100  # characters of a line of facts where stdout is no terminal
SHORTEST = 12  # characters of a name that is shortened
SHOWN_CHOICES = 2  # points of a tuned solver that are named
TEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    }
)
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\|*_`<>[]"})


def _as_planned(_: Row) -> float:
    return 0.0


def _by_value(row: Row) -> float:
    return inf if isnan(row.loss) else row.loss


def _by_seconds(row: Row) -> float:
    seconds = row.group.median("seconds")
    return inf if isnan(seconds) else seconds


SORTS: dict[str, Callable[[Row], float]] = {
    "plan": _as_planned,
    "value": _by_value,
    "seconds": _by_seconds,
}


@dataclass(frozen=True, slots=True)
class Table:
    """The solvers on one data set.

    Attributes
    ----------
    title : str
        The data set and its sizes.
    facts : tuple of str
        What was understood of it: label, classes, columns that are left out, warnings.
    header : tuple of str
    lines : tuple of tuple of str
    best : tuple of bool
        Which lines have the best value among the solvers without a failed cell.
    """

    title: str
    facts: tuple[str, ...]
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    best: tuple[bool, ...]


def tables(findings: Findings, others: Sequence[Means] = (), sort: str = "plan") -> list[Table]:
    """Return one table for each data set.

    Parameters
    ----------
    findings : Findings
        Of the measure that decides.
    others : sequence of Means
        Of further measures, which get a column each.
    sort : {"plan", "value", "seconds"}
        Order of the lines.

    Raises
    ------
    ParameterError
        When there is no such order.
    """
    if sort not in SORTS:
        raise ParameterError(f"there is no order {sort!r}; sort by {', '.join(SORTS)}")
    columns = _columns(findings, others)
    sets = [(one, sorted(one.rows, key=SORTS[sort])) for one in findings.insides]
    texts = [[[column.text(row) for column in columns] for row in rows] for _, rows in sets]
    lines = [line for some in texts for line in some]
    kept = [j for j, c in enumerate(columns) if any(line[j] not in c.idle for line in lines)]
    return [
        Table(
            _title(findings.evidence, one),
            tuple(findings.evidence.understood(one.dataset).lines()),
            tuple(columns[j].name for j in kept),
            tuple(tuple(line[j] for j in kept) for line in some),
            _best(rows),
        )
        for (one, rows), some in zip(sets, texts, strict=True)
    ]


def _best(rows: Sequence[Row]) -> tuple[bool, ...]:
    first = min((row.rank for row in rows if not isnan(row.rank)), default=None)
    return tuple(row.rank == first for row in rows)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: its text for a row, and the texts that say nothing when all rows have them."""

    name: str
    text: Callable[[Row], str]
    idle: tuple[str, ...] = ()


def _columns(findings: Findings, others: Sequence[Means]) -> list[_Column]:
    evidence = findings.evidence
    level = f"{100 * findings.settings.level:g} % interval"

    def mean_of(other: Means) -> Callable[[Row], str]:
        return lambda row: _number(other.values.get((row.dataset, row.solver), nan), ".4f")

    return [
        _Column("", lambda row: LEADING if row.leading else ""),
        _Column("solver", lambda row: evidence.solvers[row.solver]),
        _Column(findings.measure, lambda row: _number(row.estimate, ".4f")),
        _Column(level, _interval, (NOTHING,)),
        *(_Column(other.measure, mean_of(other)) for other in others),
        _Column("rank", lambda row: _number(row.rank, "g")),
        _Column("fit s", lambda row: _number(row.group.median("seconds"), ".3g")),
        _Column("spread s", lambda row: _number(row.group.median("spread"), ".3g"), (NOTHING,)),
        _Column("non-zeros", _nonzeros),
        _Column("ok", lambda row: f"{len(row.group.ok)}/{row.group.planned}"),
        _Column("end", lambda row: _ends(evidence, row).mark, ("",)),
    ]


def _number(value: float, form: str) -> str:
    return NOTHING if isnan(value) else format(value, form)


def _interval(row: Row) -> str:
    found = interval_of(row)
    if found is None or isnan(found.low):
        return NOTHING
    return f"{found.low:.3f}–{found.high:.3f}"


def interval_of(row: Row) -> Interval | None:
    """Return the interval that is shown: DeLong's, or else the one over splits."""
    if row.known is None:
        return None
    return row.known.resampled if isnan(row.known.delong.low) else row.known.delong


def _nonzeros(row: Row) -> str:
    return _number(row.group.mean("nnz"), ".1f").removesuffix(".0")


def _ends(evidence: Evidence, row: Row) -> Ends:
    return Ends.of(*evidence.convergence(row.dataset, row.solver))


def _title(evidence: Evidence, one: Inside) -> str:
    """Return the name of a data set with its rows, positives and features."""
    fit = next((fit for row in one.rows for fit in row.group.ok), None)
    facts = []
    if one.classes is not None:
        rows = sum(one.classes)
        # Folds test each row once; a share, a test file or windows of time do not.
        tested = "rows" if fit is None or rows == fit.n_train + fit.n_test else "test rows"
        facts.append(f"{rows} {tested}, {one.classes[0]} positive ({one.classes[0] / rows:.1%})")
    elif fit is not None and not isnan(fit.n_train + fit.n_test):
        facts.append(f"{fit.n_train + fit.n_test:.0f} rows")
    widths = sorted({fit.d for row in one.rows for fit in row.group.ok if not isnan(fit.d)})
    if len(widths) > 2:  # of a table, whose levels differ between splits
        facts.append(f"{widths[0]:.0f} to {widths[-1]:.0f} features")
    elif widths:
        facts.append(f"{' or '.join(f'{d:.0f}' for d in widths)} features")
    name = evidence.datasets[one.dataset]
    return f"{name}: {', '.join(facts)}" if facts else name


def text(found: Sequence[Table], width: int | None = None) -> str:
    """Return the tables as aligned columns without control characters.

    Parameters
    ----------
    width : int, optional
        Columns of the terminal. Names that do not fit lose their middle. None: nothing is cut.
    """
    return "\n\n".join(_text(table, width) for table in found)


def _text(table: Table, width: int | None) -> str:
    lines = [table.header, *table.lines]
    place = table.header.index("solver")
    right = [j for j, name in enumerate(table.header) if name not in ("", "solver", "end")]
    whole = aligned(lines, right)
    too_long = max(map(len, whole.splitlines())) - (width or inf)
    title = shown(table.title)
    if too_long > 0:
        longest = max(len(shown(line[place])) for line in lines)
        room = max(SHORTEST, longest - int(too_long))
        names = cut([shown(line[place]) for line in lines], room)
        lines = [
            (*line[:place], name, *line[place + 1 :])
            for line, name in zip(lines, names, strict=True)
        ]
        whole = aligned(lines, right)
    if width is not None and len(title) > width:
        name, _, facts = title.partition(": ")
        title = f"{shortened(name, max(SHORTEST, width - len(facts) - 2))}: {facts}"
    said = [line for fact in table.facts for line in _wrapped(fact, width or WIDEST)]
    return "\n".join([title, *said, whole])


def _wrapped(fact: str, width: int) -> list[str]:
    return wrap(shown(fact), width, initial_indent="  ", subsequent_indent="    ")


def cut(names: Sequence[str], room: int) -> list[str]:
    """Return names of at most `room` characters; whole ones where two would become the same."""
    found = [shortened(name, room) for name in names]
    return found if len({*found}) == len({*names}) else [*names]


def shortened(name: str, room: int) -> str:
    """Return a name of at most `room` characters; one that is longer loses its middle."""
    if len(name) <= room:
        return name
    kept = room - 1
    return f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"


def markdown(found: Sequence[Table]) -> str:
    """Return the tables in Markdown; names are escaped."""
    return "\n\n".join(_markdown(table) for table in found)


def _markdown(table: Table) -> str:
    lines = [[shown(cell).translate(MARKDOWN) for cell in line] for line in table.lines]
    lines = [
        [f"**{cell}**" if best and cell and j < 3 else cell for j, cell in enumerate(line)]
        for best, line in zip(table.best, lines, strict=True)
    ]
    rule = ["---" if name in ("", "solver", "end") else "---:" for name in table.header]
    rows = [table.header, rule, *lines]
    head = shown(table.title).translate(MARKDOWN)
    facts = [f"- {shown(fact).translate(MARKDOWN)}" for fact in table.facts]
    notes = ["", *facts] if facts else []
    return "\n".join([head, *notes, "", *(f"| {' | '.join(row)} |" for row in rows)])


def tex(found: Sequence[Table]) -> str:
    """Return the tables in LaTeX, for the package booktabs; names are escaped."""
    return "\n\n".join(_tex(table) for table in found)


def _tex(table: Table) -> str:
    sides = "".join("l" if name in ("", "solver", "end") else "r" for name in table.header)
    lines = [
        " & ".join(
            rf"\textbf{{{texed(cell)}}}" if best and cell and j < 3 else texed(cell)
            for j, cell in enumerate(line)
        )
        for best, line in zip(table.best, table.lines, strict=True)
    ]
    return "\n".join(
        [
            *(f"% {shown(line)}" for line in (table.title, *table.facts)),
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            " & ".join(map(texed, table.header)) + r" \\",
            r"\midrule",
            *(rf"{line} \\" for line in lines),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def texed(cell: str) -> str:
    """Return a text as LaTeX shows it."""
    return shown(cell).translate(TEX).replace("–", "--")


FORMS = {"text": text, "md": markdown, "tex": tex}


def notes(findings: Findings) -> Iterator[str]:
    """Yield the lines below the tables: what the marks mean, and which points were chosen."""
    rows, evidence = findings.rows, findings.evidence
    methods = Counter(
        found.method for row in rows if (found := interval_of(row)) and not isnan(found.low)
    )
    if any(row.leading for row in rows):
        yield f"{LEADING} not worse than the best of its data set"
    if findings.smaller:
        yield f"a smaller {findings.measure} is better"
    if methods:
        yield f"intervals: {', '.join(method for method, _ in methods.most_common())}"
    names = evidence.solvers, evidence.datasets
    yield from end_notes(
        [(names[0][row.solver], names[1][row.dataset], _ends(evidence, row)) for row in rows]
    )
    for row in rows:
        if chosen := _chosen(row.group):
            yield f"{names[0][row.solver]} on {names[1][row.dataset]} chose {chosen}"


def _chosen(group: Group) -> str:
    """Return the points that a tuned solver chose most often; empty if it was not tuned."""
    points = Counter(_point(fit.chosen) for fit in group.ok if fit.chosen is not None)
    some = points.most_common(SHOWN_CHOICES)
    rest = f", and {len(points) - len(some)} other point(s)" if len(points) > len(some) else ""
    return ", ".join(f"{point} ({n}x)" for point, n in some) + rest


def _point(chosen: Any) -> str:
    return ",".join(f"{name}={value}" for name, value in chosen.items()) or "its defaults"


def answer(findings: Findings, width: int = 80) -> str:
    """Return the recommendation, a line for each sentence or more."""
    lines = [wrap(sentence, width, subsequent_indent="  ") for sentence in sentences(findings)]
    return "\n".join(line for some in lines for line in some)


def sentences(findings: Findings) -> list[str]:
    """Return the recommendation, and what to know about it."""
    said = (*findings.advice.sentences, findings.times, findings.evidence.left_out)
    return [shown(sentence) for sentence in said if sentence]
