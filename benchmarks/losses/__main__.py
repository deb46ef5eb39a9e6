"""Measure what is asked for, print it, and write what the page shows."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from benchmarks.measured import DATA, machine, one_thread, write

PACKAGES = ("lightgbm", "xgboost", "xgboost-cpu", "catboost", "torch")
SAME = ("cpu", "cores", "python", "versions", "environment")  # of all rows of a file
Row = dict[str, Any]


class Step(NamedTuple):
    """What is measured at once, and written when it is done."""

    about: Mapping[str, Any]  # what all of its rows have
    names: Sequence[str]  # of its rows: methods, or who computes what
    measure: Callable[[], list[Row]]

    def holds(self, row: Row) -> bool:
        """Say whether a row is one of this step."""
        return all(row[key] == value for key, value in self.about.items())

    def is_done(self, rows: Sequence[Row]) -> bool:
        """Say whether there is a row of each name."""
        return {*self.names} <= {name_of(row) for row in rows if self.holds(row)}


def name_of(row: Row) -> str:
    """Return the method of a row, or who computes what."""
    return str(row["method"] if "method" in row else f"{row['who']}, {row['what']}")


def main(words: Sequence[str] | None = None) -> int:
    """Run the parts that are asked for; each writes its file after each of its steps."""
    asked = arguments().parse_args(words)
    one_thread()
    libauc = peer(asked.libauc)
    from benchmarks.losses.tables import missing

    for line in missing(libauc):
        say(line)
    for part in asked.only or PARTS:
        say(f"\n{part}")
        steps = [*PARTS[part](asked, libauc)]
        chosen = [step for step in steps if is_chosen(asked, step.about)]
        path = asked.out / f"losses_{part}.json"
        here = machine(PACKAGES)
        if libauc is not None:
            here["versions"]["libauc"] = libauc.version
        rows, before = read(path)
        if asked.again:
            rows = [row for row in rows if not any(step.holds(row) for step in chosen)]
        if rows:
            here = joined(here, before, path)
        for step in chosen:
            if step.is_done(rows):
                say(f"{' '.join(map(str, step.about.values()))}: measured before")
                continue
            rows = [row for row in rows if not step.holds(row)] + step.measure()
            write(path, in_order(rows, steps), {"machine": here})
    return 0


def read(path: Path) -> tuple[list[Row], Row]:
    """Return the rows of an earlier run and its machine; nothing where there was none."""
    if not path.exists():
        return [], {}
    known = json.loads(path.read_text(encoding="utf-8"))
    return known["rows"], known["machine"]


def joined(here: Row, before: Row, path: Path) -> Row:
    """Return the machine of a file that has rows already: the larger load, and all versions.

    Raises
    ------
    SystemExit
        When the machine is another one, or a package has another version.
    """
    versions = before["versions"] | here["versions"]
    then = before | {"versions": versions | before["versions"]}
    now = here | {"versions": versions, "load": max(here["load"], before["load"])}
    if differ := [key for key in SAME if now[key] != then[key]]:
        sys.exit(
            f"{path} has rows measured with other {' and '.join(differ)}, and one file has rows of "
            "one machine: give --again without --sets, --families and --sizes, or another --out"
        )
    return now


def is_chosen(asked: argparse.Namespace, about: Mapping[str, Any]) -> bool:
    """Say whether a step is asked for by its table, its family and its number of rows."""
    sizes = [int(float(text)) for text in asked.sizes or ()]
    chosen = (("set", asked.sets), ("family", asked.families), ("n", sizes))
    return all(not few or key not in about or about[key] in few for key, few in chosen)


def in_order(rows: Sequence[Row], steps: Sequence[Step]) -> list[Row]:
    """Return rows in the order of the steps, and then those of none."""

    def place(row: Row) -> int:
        return next((i for i, step in enumerate(steps) if step.holds(row)), len(steps))

    return sorted(rows, key=place)


def arguments() -> argparse.ArgumentParser:
    """Return the options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.losses", description=__doc__)
    split: dict[str, Any] = {"type": lambda text: text.split(","), "metavar": "NAME,NAME"}
    again = "measure once more what the files have"
    parser.add_argument("--only", **split, help=f"of {', '.join(PARTS)}")
    parser.add_argument("--sets", **split, help="tables; default all")
    parser.add_argument("--families", **split, help="libraries on the tables, or network")
    parser.add_argument("--sizes", **split, help="numbers of rows; default all")
    parser.add_argument("--again", action="store_true", help=again)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each call, at least")
    parser.add_argument("--libauc", type=Path, help="the folder that holds LibAUC's package")
    parser.add_argument("--out", type=Path, default=DATA, help="folder of the files")
    return parser


def peer(folder: Path | None) -> Any:
    """Return the losses and optimisers of LibAUC from a folder; None without one."""
    if folder is None:
        return None
    sys.path.append(str(folder))
    import libauc
    from libauc.losses import auc
    from libauc.optimizers import PESG, SOPA, SOPAs

    optimisers = {"PESG": PESG, "SOPA": SOPA, "SOPAs": SOPAs}
    losses = {name: getattr(auc, name) for name in auc.__all__}
    return SimpleNamespace(version=libauc.__version__, **losses, **optimisers)


def gradients(asked: argparse.Namespace, libauc: Any) -> Iterator[Step]:
    """Yield value and gradient at each size: all ways at once, since they are measured in turns."""
    from benchmarks.losses.gradients import SIZES, measure, names

    def measured(n: int) -> list[Row]:
        rows = measure(n, libauc, asked.seconds)
        for row in rows:
            ms = row["seconds"] * 1e3
            say(f"{n:8} {name_of(row):60} {ms:10.3f} ms {row['ratio'].median:9.2f} ×")
        return rows

    for n in SIZES:
        yield Step({"n": n}, names(n, libauc), partial(measured, n))


def large(_: argparse.Namespace, __: Any) -> Iterator[Step]:
    """Yield boosted trees: a method at a size and a share of positives."""
    from benchmarks.losses.large import cells, measure

    def measured(n: int, share: float, method: str) -> list[Row]:
        row = measure(n, share, method)
        say(f"{n:8} {share:.2f} {method:40} {row['auc']:.4f} {row['seconds']:8.2f} s")
        return [row]

    for cell in cells():
        about = dict(zip(("n", "share", "method"), cell, strict=True))
        yield Step(about, [about["method"]], partial(measured, **about))


def tables(_: argparse.Namespace, libauc: Any) -> Iterator[Step]:
    """Yield the methods of a family on a table: their folds are compared in pairs."""
    from benchmarks.losses.tables import SETS, measure, methods

    for name in SETS:
        for family, found in methods(libauc).items():
            about = {"set": name, "family": family}
            yield Step(about, [*found], partial(measure, name, family, found, say))


def say(line: str) -> None:
    """Print a line at once: a run takes minutes."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


PARTS = {"gradients": gradients, "large": large, "tables": tables}

if __name__ == "__main__":
    sys.exit(main())
