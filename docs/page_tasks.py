"""The tables of the tasks of the study, of the releases that carry them, and an answer on some."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap

from aucbench.datasets.collections.pypi import packages
from aucbench.study.means import published_means, published_tasks
from aucbench.study.plans import TASKS, command_options, main_parts, spread
from aucbench.study.standing import Standing

Rows = list[dict[str, str]]


def tasks() -> Rows:
    """Return the rows of the table of tasks."""
    with TASKS.open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def listed() -> Iterator[str]:
    """Yield the table of the tasks."""
    head = (
        *("task", "what is asked, and why it is in", "rows of the source", "rows", "features"),
        *("positive", "kind", "missing", "group", "licence"),
    )
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for task in tasks():
        cells = (
            f"`{task['task']}`",
            task["why"],
            _number(task["all_rows"]),
            _number(task["rows"]),
            _number(task["features"]),
            f"{float(task['share']):.1%}",
            task["kind"],
            f"{float(task['missing']):.1%}" if float(task["missing"]) else "",
            task["group"],
            task["licence"],
        )
        yield f"| {' | '.join(cells)} |"


def names() -> Iterator[str]:
    """Yield the table of what each task is as a data set."""
    yield "| task | data set |"
    yield "|---|---|"
    yield from (f"| `{task['task']}` | `{task['dataset']}` |" for task in tasks())


def sources() -> Iterator[str]:
    """Yield the table of the sources, and how many tasks and groups each has."""
    rows = tasks()
    counts = Counter(task["source"] for task in rows)
    yield "| source | tasks | groups |"
    yield "|---|---|---|"
    for source, count in counts.most_common():
        groups = {task["group"] for task in rows if task["source"] == source}
        yield f"| {source} | {count} | {len(groups)} |"


def releases() -> Iterator[str]:
    """Yield the table of the releases whose tables are read."""
    yield "| before the slash | release | file | size | licence of the package |"
    yield "|---|---|---|---|---|"
    for one in packages():
        release = f"{one.distribution} {one.version}"
        size = f"{one.size / 1e6:.1f} MB"
        yield f"| `{one.package}/` | {release} | `{one.archive}` | {size} | {one.licence} |"


def counted() -> Iterator[str]:
    """Yield a sentence with the sizes of the tasks."""
    rows = tasks()
    large = {task["group"] for task in rows if int(task["all_rows"]) >= 5000}
    rare = sum(float(task["share"]) < 0.1 for task in rows)
    kinds = Counter(task["kind"] for task in rows)
    yield (
        f"There are {len(rows)} tasks of {len({task['group'] for task in rows})} groups; "
        f"{len(large)} groups have a source of at least 5000 rows, and {rare} tasks have less than "
        f"10 % positives. {kinds['numbers']} tasks have numbers only, {kinds['categories']} "
        f"categories only, and {kinds['mixed']} both."
    )


def _number(text: str) -> str:
    return f"{int(text):,}".replace(",", " ")


def answer(like: str = "svm-or", count: int = 24, width: int = 90) -> Iterator[str]:
    """Yield what `aucbench study` says of a solver that has the means of a published one.

    The first tasks are those that a run of so many tasks would have, and the machine is that of
    the study.
    """
    main, reference = main_parts()[0], command_options().reference
    first = {task.task for task in spread(published_tasks(), main.rows)[:count]}
    arm = [one for one in published_means() if one.arm == main.arms[0] and one.task in first]
    name = "mine.py:MySolver"
    means = tuple(replace(one, solver=name) for one in arm if one.solver == like)
    timed = tuple(one for one in arm if one.solver == reference)
    yield "```text"
    yield f"$ aucbench study ./{name} --minutes 30"
    for sentence in Standing(name, means, timed).sentences:
        yield from wrap(sentence, width, subsequent_indent="  ", break_on_hyphens=False)
    yield "```"
