"""Which few solvers `fit --solver auto` tries, by the tables of the study.

    python examples/auto_solvers.py    # reads docs/data/study, writes its auto.toml

What a set of solvers *loses* on a table is how far the best of the set is below the best of all
solvers of the study. A group of related tasks counts once, by its means. Which set loses least is
chosen on all groups but one, and judged on that one, for each group in turn.

Another set takes the place of the present one only where it gains more than `LEAST`, with an
interval of 95 % above 0. The same is asked of sets by the size of the table and by its imbalance:
one set for the lower half of the groups, and one for the upper half. If such a set or rule gains,
this program stops, since somebody has to write it into `plugins/defaults.toml`.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import tomli_w
from scipy import stats

from aucbench.study.plans import TASKS, parts
from aucbench.study.standing import fill_failures

ROOT = Path(__file__).resolve().parents[1]
STUDY = ROOT / "docs" / "data" / "study"
TRIED = ROOT / "plugins" / "defaults.toml"
FILE = STUDY / "auto.toml"
LIKE_OTHERS = (  # boosted trees as `lightgbm` is, which are not tried beside it
    *("lightgbm-pairs", "xgboost", "xgboost-pairs", "catboost", "hist-gradient-boosting"),
)
LEAST = 0.005  # AUC that another set has to gain: less changes no decision, see docs/study
ROWS = parts()["study"].rows  # at most
PROPERTIES = ("rows", "features", "rarer", "positives")
HEAD = "# Written by examples/auto_solvers.py from the tables of the study.\n\n"


@dataclass(frozen=True)
class Groups:
    """AUCs of groups of tasks, shape (groups, solvers), and what the groups are like."""

    names: tuple[str, ...]
    aucs: np.ndarray[Any, Any]
    best: np.ndarray[Any, Any]  # of all solvers of the study
    like: pd.DataFrame

    def losses(self, solvers: Sequence[str]) -> np.ndarray[Any, Any]:
        """Return what a set loses on each group."""
        at = [self.names.index(solver) for solver in solvers]
        return np.asarray(self.best - self.aucs[:, at].max(axis=1))


def groups_of(folder: Path = STUDY) -> Groups:
    """Return the tuned cells of the study; one that failed counts as the worst of its task."""
    cells = pd.read_csv(folder / "means.csv").query("arm == 'tuned'")
    tasks = pd.read_csv(TASKS).set_index("task")
    filled = fill_failures(cells.pivot(index=["group", "task"], columns="solver", values="auc"))
    table = filled.groupby("group").mean()
    known = tasks.loc[cells["task"].unique()].assign(
        rows=lambda t: t["rows"].clip(upper=ROWS),
        rarer=lambda t: np.minimum(t["share"], 1 - t["share"]),
    )
    like = known.groupby("group")[[*PROPERTIES]].mean().loc[table.index]
    names = tuple(name for name in table.columns if name not in LIKE_OTHERS)
    return Groups(
        names, table[[*names]].to_numpy(), table.max(axis=1).to_numpy(), like.reset_index(drop=True)
    )


def chosen(aucs: np.ndarray[Any, Any], size: int) -> list[int]:
    """Return the set whose best has the highest mean: one by one, then by swaps."""
    taken: list[int] = []
    top = np.full(len(aucs), -np.inf)
    for _ in range(size):
        means = np.maximum(top[:, None], aucs).mean(axis=0)
        means[taken] = -np.inf
        taken.append(int(means.argmax()))
        top = np.maximum(top, aucs[:, taken[-1]])
    while True:
        reached = aucs[:, taken].max(axis=1).mean()
        for place in range(size):
            rest = taken[:place] + taken[place + 1 :]
            means = np.maximum(aucs[:, rest].max(axis=1)[:, None], aucs).mean(axis=0)
            if means.max() > reached + 1e-12:
                taken = [*rest, int(means.argmax())]
                break
        else:
            return sorted(taken)


def elsewhere(groups: Groups, size: int, members: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what a set loses on each of some groups, chosen on the others of them."""
    losses = []
    for left_out in members:
        others = members[members != left_out]
        at = chosen(groups.aucs[others], size)
        losses.append(groups.best[left_out] - groups.aucs[left_out, at].max())
    return np.array(losses)


def gain(before: np.ndarray[Any, Any], after: np.ndarray[Any, Any]) -> dict[str, float]:
    """Return the mean of the AUC that is gained, with an interval of 95 % by Student's t."""
    differences = before - after
    half = stats.t.ppf(0.975, len(differences) - 1) * stats.sem(differences)
    mean = float(differences.mean())
    return {"gain": _told(mean), "low": _told(mean - half), "high": _told(mean + half)}


def rule(folder: Path, present: Sequence[str]) -> dict[str, Any]:
    """Return what auto.toml says, for the set that is tried now."""
    groups = groups_of(folder)
    every, size = np.arange(len(groups.best)), len(present)
    now, other = groups.losses(present), elsewhere(groups, size, every)
    instead = [groups.names[at] for at in chosen(groups.aucs, size)]
    found = {"solvers": instead, "loses": _told(other.mean()), **gain(now, other)}
    by = []
    for name in PROPERTIES:
        at = float(groups.like[name].median())
        lower = (groups.like[name] <= at).to_numpy()
        losses = np.empty(len(every))
        for half in (lower, ~lower):
            losses[half] = elsewhere(groups, size, every[half])
        by.append({"property": name, "median": _told(at), **gain(now, losses)})
    solvers = instead if better(found) else [*present]
    single = [{"solver": s, "loses": _told(groups.losses([s]).mean())} for s in groups.names]
    return {
        "solvers": solvers,
        "study": {
            "sha256": sha256((folder / "means.csv").read_bytes()).hexdigest(),
            "groups": len(every),
            "present": {"solvers": [*present], "loses": _told(now.mean())},
            "instead": found,
            "halves": by,
            "alone": sorted(single, key=lambda one: one["loses"]),
        },
    }


def better(found: dict[str, Any]) -> bool:
    """Whether another set gains enough, and surely."""
    return bool(found["gain"] > LEAST and found["low"] > 0)


def _told(value: Any) -> float:
    return float(f"{float(value):.4g}")


def main() -> None:
    """Write auto.toml anew."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--study", type=Path, default=STUDY, help="folder of the tables")
    folder = asked.parse_args().study
    said = rule(folder, tried())
    if halves := [one["property"] for one in said["study"]["halves"] if better(one)]:
        sys.exit(f"sets by {', '.join(halves)} gain; write such a rule into {TRIED}")
    if said["solvers"] != [*tried()]:
        sys.exit(f"{', '.join(said['solvers'])} gain; write them into {TRIED}")
    FILE.write_text(HEAD + tomli_w.dumps(said["study"]), encoding="utf-8")
    sys.stdout.write(f"{FILE}: {', '.join(said['solvers'])}\n")


def tried() -> tuple[str, ...]:
    """Return the solvers that are tried now."""
    candidates = tomllib.loads(TRIED.read_text(encoding="utf-8"))["candidates"]
    return tuple(one["solver"] for one in candidates if one["solver"] not in LIKE_OTHERS)


if __name__ == "__main__":
    main()
