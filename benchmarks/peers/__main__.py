"""Measure all peers that are at hand, print their ratios, and write what the page shows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measured import DATA, machine, one_thread, write
from benchmarks.peers import curves, groups, kernels, objectives
from benchmarks.peers.process import apart
from benchmarks.peers.programs import VARIABLES, given
from benchmarks.peers.sets import Kept, keep

OBJECTIVES = ("a9a", "ijcnn1", "usps", "mnist", "news20", "normal")
CURVES = ("a9a", "ijcnn1", "usps", "mnist", "sector", "skin")
PACKAGES = ("lightgbm", "xgboost", "xgboost-cpu", "catboost", "torch", "libauc")
Row = dict[str, Any]


def main(words: Sequence[str] | None = None) -> int:
    """Run the parts that are asked for; each writes one file."""
    asked = arguments().parse_args(words)
    one_thread()
    programs = [variable for variable in VARIABLES if given(variable)]
    about = {"machine": machine(PACKAGES), "programs": programs, "repeats": asked.repeats}
    with TemporaryDirectory() as folder:
        sets: dict[str, Kept] = {}

        def kept(names: Iterable[str]) -> list[Kept]:
            for name in names:
                if name not in sets:
                    sets[name] = apart(keep, name, Path(folder))
                    if sets[name].why:
                        say(f"{name} is not at hand: {sets[name].why}")
            return [sets[name] for name in names if not sets[name].why]

        for part in asked.only or PARTS:
            say(f"\n{part}")
            rows = PARTS[part](asked, kept)
            write(asked.out / f"speed_{part}.json", rows, about)
    return 0


def arguments() -> argparse.ArgumentParser:
    """Return the options of the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--only", type=names(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--sets", type=names(), help="data sets, separated by commas")
    parser.add_argument("--cases", type=names(kernels.CASES), help="of the kernels; default all")
    parser.add_argument("--peers", type=names(), help="of the objectives and curves; default all")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=curves.SECONDS, help="of each curve")
    parser.add_argument("--out", type=Path, default=DATA, help="folder of the files")
    return parser


def names(known: Iterable[str] = ()) -> Callable[[str], list[str]]:
    """Return a type of options: names separated by commas, each one known."""

    def parsed(text: str) -> list[str]:
        found = text.split(",")
        if known and (wrong := [name for name in found if name not in known]):
            raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of {', '.join(known)}")
        return found

    return parsed


def of_kernels(asked: argparse.Namespace, kept: Callable[[Iterable[str]], list[Kept]]) -> list[Row]:
    """Measure pairs of calls."""
    rows = []
    for name in asked.cases or kernels.CASES:
        row = apart(kernels.measure, name, asked.repeats)
        rows.append(row)
        middle, low, high = row["ratio"]
        times = f"{row['ours'] * 1e3:9.3f} ms {row['theirs'] * 1e3:9.3f} ms"
        say(f"{name:32} {times} {middle:7.2f} × ({low:.2f} to {high:.2f})")
    return rows


def of_objectives(
    asked: argparse.Namespace, kept: Callable[[Iterable[str]], list[Kept]]
) -> list[Row]:
    """Measure the time to equal objectives."""
    rows = []
    for each in kept(asked.sets or OBJECTIVES):
        for peer in asked.peers or objectives.peers():
            if peer not in objectives.peers():
                continue
            for row in apart(objectives.measure, each, peer, asked.repeats):
                rows.append(row)
                say(f"{each.name:8} {peer:9} λ {row['lam']:.2g}: {told(row)}")
    return rows


def told(row: Row) -> str:
    """Return seconds and ratio of a row in words."""
    if row["theirs"] is None:
        return "took too long"
    if row["ours"] is None:
        return f"{row['theirs']:.3g} s, which ours does not reach"
    ratio = row["theirs"] / row["ours"]
    return f"{row['theirs']:.3g} s, {row['ours']:.3g} s: {ratio:.1f} ×, excess {row['excess']:.1e}"


def of_curves(asked: argparse.Namespace, kept: Callable[[Iterable[str]], list[Kept]]) -> list[Row]:
    """Measure test AUC against seconds."""
    rows = []
    for each in kept(asked.sets or CURVES):
        for name in asked.peers or curves.methods():
            if name not in curves.methods():
                continue
            row = apart(curves.measure, each, name, asked.seconds)
            rows.append(row)
            seconds, auc = row["points"][-1] if row["points"] else (0.0, 0.0)
            say(f"{each.name:8} {name:16} {auc:.4f} after {seconds:.3f} s {row['why']}")
    return rows


def of_groups(asked: argparse.Namespace, kept: Callable[[Iterable[str]], list[Kept]]) -> list[Row]:
    """Measure pairs within groups: the time to equal objectives, and the grouped AUC."""
    rows: list[Row] = []
    for name in asked.sets or groups.SETS:
        if why := groups.at_hand(name):
            say(f"{name} is not at hand: {why}")
            continue
        with TemporaryDirectory() as folder:
            for row in apart(groups.objective, name, Path(folder), asked.repeats):
                rows.append({"what": "objective", **row})
                say(f"{name:8} λ {row['lam']:.2g}: {told(row)}")
        for row in apart(groups.quality, name):
            rows.append({"what": "quality", **row})
            say(f"{name:8} {row['method']:20} {row['gauc']:.4f} after {row['seconds']:.3g} s")
    return rows


def say(line: str) -> None:
    """Print a line at once: a run takes minutes."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


PARTS = {
    "kernels": of_kernels,
    "objectives": of_objectives,
    "curves": of_curves,
    "groups": of_groups,
}

if __name__ == "__main__":
    sys.exit(main())
