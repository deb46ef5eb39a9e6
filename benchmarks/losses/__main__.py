"""Measure what is asked for, print it, and write what the page shows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.measured import DATA, machine, one_thread, write

PACKAGES = ("lightgbm", "xgboost", "xgboost-cpu", "catboost", "torch")
Row = dict[str, Any]


def main(words: Sequence[str] | None = None) -> int:
    """Run the parts that are asked for; each writes its file after each of its steps."""
    asked = arguments().parse_args(words)
    one_thread()
    libauc = peer(asked.libauc)
    from benchmarks.losses.tables import missing

    for line in missing(libauc):
        say(line)
    versions = {} if libauc is None else {"libauc": libauc.version}
    for part in asked.only or PARTS:
        say(f"\n{part}")
        here = machine(PACKAGES)
        here["versions"] |= versions
        rows: list[Row] = []
        for more in PARTS[part](asked, libauc):
            rows += more
            write(asked.out / f"losses_{part}.json", rows, {"machine": here})
    return 0


def arguments() -> argparse.ArgumentParser:
    """Return the options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.losses", description=__doc__)
    split: dict[str, Any] = {"type": lambda text: text.split(","), "metavar": "NAME,NAME"}
    parser.add_argument("--only", **split, help=f"of {', '.join(PARTS)}")
    parser.add_argument("--sets", **split, help="tables; default all")
    parser.add_argument("--families", **split, help="libraries on the tables, or network")
    parser.add_argument("--sizes", **split, help="numbers of rows; default all")
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


def gradients(asked: argparse.Namespace, libauc: Any) -> Iterator[list[Row]]:
    """Yield value and gradient at each size."""
    from benchmarks.losses.gradients import SIZES, measure

    for n in sizes(asked, SIZES):
        rows = measure(n, libauc, asked.seconds)
        for row in rows:
            name, ms = f"{row['who']}, {row['what']}", row["seconds"] * 1e3
            say(f"{n:8} {name:60} {ms:10.3f} ms {row['ratio'].median:9.2f} ×")
        yield rows


def large(asked: argparse.Namespace, _: Any) -> Iterator[list[Row]]:
    """Yield boosted trees at each size."""
    from benchmarks.losses.large import SIZES, measure

    for n in sizes(asked, SIZES):
        for row in measure(n):
            told = f"{row['auc']:.4f} {row['seconds']:8.2f} s"
            say(f"{n:8} {row['share']:.2f} {row['method']:40} {told}")
            yield [row]


def tables(asked: argparse.Namespace, libauc: Any) -> Iterator[list[Row]]:
    """Yield the methods on each table."""
    from benchmarks.losses.tables import BASELINES, SETS, measure

    for name in asked.sets or SETS:
        yield measure(name, libauc, asked.families or [*BASELINES], say)


def sizes(asked: argparse.Namespace, default: Sequence[int]) -> list[int]:
    """Return the numbers of rows that are asked for."""
    return [int(float(text)) for text in asked.sizes] if asked.sizes else [*default]


def say(line: str) -> None:
    """Print a line at once: a run takes minutes."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


PARTS = {"gradients": gradients, "large": large, "tables": tables}

if __name__ == "__main__":
    sys.exit(main())
