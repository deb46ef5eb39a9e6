"""The simulations behind docs/statistics.md: how often intervals cover and words are false.

    python examples/verdict_simulations.py [--only NAME] [--effort .1] [--out FOLDER]

Each file `simulate_*.py` beside this one has a function `tables`, whose tables are written as
Markdown into docs/data/simulations, where the pages take them from.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter

from simulated import Simulation

from aucbench.report.document import markdown

HERE = Path(__file__).parent
OUT = HERE.parent / "docs" / "data" / "simulations"
PREFIX = "simulate_"


def simulations() -> dict[str, Simulation]:
    """Return the functions of all simulations by the names of their files."""
    names = sorted(path.stem for path in HERE.glob(f"{PREFIX}*.py"))
    return {name.removeprefix(PREFIX): import_module(name).tables for name in names}


def write(simulation: Simulation, effort: float, out: Path) -> list[Path]:
    """Run a simulation, and write each of its tables into a file."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in simulation(effort).items():
        written.append(out / f"{name}.md")
        written[-1].write_text(f"{markdown([table])}\n", encoding="utf-8")
    return written


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the simulations that are asked for."""
    known = simulations()
    parser = argparse.ArgumentParser(description="Write the tables of docs/statistics.md.")
    parser.add_argument("--only", choices=[*known], help="one of the simulations")
    parser.add_argument("--effort", type=float, default=1.0, help="of the usual repetitions")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the tables")
    asked = parser.parse_args(arguments)
    for name in known if asked.only is None else [asked.only]:
        start = perf_counter()
        written = write(known[name], asked.effort, asked.out)
        files = ", ".join(path.name for path in written)
        sys.stdout.write(f"{name}: {perf_counter() - start:.0f} s, {files}\n")


if __name__ == "__main__":
    main()
