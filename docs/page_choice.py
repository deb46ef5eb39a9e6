"""Make the tables of the page "Choose a solver" from the numbers of the worked example."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from aucbench.registry import describe
from aucbench.stats import best_set

DATA = Path(__file__).with_name("data")
ROPE = 0.005  # a smaller difference of the AUC changes no decision
SHOWN = 4  # solvers of a cell
CURVED = (  # scores that are not linear in the features
    *("random-forest", "hist-gradient-boosting", "lightgbm", "lightgbm-pairwise"),
    *("xgboost", "xgboost-pairwise", "roc-svm-nystrom", "roc-svm-kernel"),
)


def measured() -> pd.DataFrame:
    """Return the rows of the worked example: a solver on a task, and what the task is like."""
    cells = pd.read_csv(DATA / "leaderboard.csv")
    return cells.merge(pd.read_csv(DATA / "leaderboard_tasks.csv"), on="task", validate="m:1")


def kinds(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return which rows belong to each kind of data."""
    rarer = np.minimum(rows["positive"], 1 - rows["positive"])
    return {
        "all 20 tasks": rows["rows"] > 0,
        "at most 10 features": rows["features"] <= 10,
        "11 to 99 features": rows["features"].between(11, 99),
        "100 to 999 features": rows["features"].between(100, 999),
        "more features than rows": rows["features"] > rows["rows"],
        "sparse: at most 30 % of the values are not 0": rows["stored"] <= 0.3,
        "dense: at least 90 % of the values are not 0": rows["stored"] >= 0.9,
        "at most 10 % in the rarer class": rarer <= 0.1,
        "at least 30 % in the rarer class": rarer >= 0.3,
    }


def standings(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean AUC and geometric mean of the seconds of each solver with a value everywhere."""
    by = rows.groupby("solver")
    found = pd.DataFrame(
        {
            "auc": by["auc"].mean(),
            "seconds": np.exp(np.log(rows["seconds"]).groupby(rows["solver"]).mean()),
            "certified": by["certified"].sum() / by["cells"].sum(),
        }
    )
    return found[by["auc"].count() == by.size()]


def by_data() -> Iterator[str]:
    """Yield the lines of the table by kind of data."""
    rows = measured()
    near = "within 0.005 of it, the fastest first"
    yield f"| data | tasks | highest mean AUC | {near} | the best linear one | {near} |"
    yield "|---|---|---|---|---|---|"
    for name, chosen in kinds(rows).items():
        found = standings(rows[chosen])
        linear = found.drop([solver for solver in CURVED if solver in found.index])
        cells = [name, str(rows[chosen]["task"].nunique())]
        for table in (found, linear):
            best = table["auc"].idxmax()
            near = table[table["auc"] >= table["auc"].max() - ROPE].drop(best)
            cells += [_one(table, best), _some(near.sort_values("seconds"))]
        yield f"| {' | '.join(cells)} |"


def _one(table: pd.DataFrame, solver: str) -> str:
    row = table.loc[solver]
    return f"`{solver}` {row['auc']:.4f}, {_seconds(row['seconds'])}"


def _some(near: pd.DataFrame) -> str:
    shown = [f"`{s}` {_seconds(near.loc[s, 'seconds'])}" for s in near.index[:SHOWN]]
    more = len(near) - len(shown)
    return ", ".join(shown + ([f"{more} more"] if more else [])) or "none"


def _seconds(value: float) -> str:
    return f"{1000 * value:.2g} ms" if value < 0.1 else f"{value:.2f} s"


def by_solver() -> Iterator[str]:
    """Yield the lines of the table of all solvers: what they can, and lose to the best one."""
    rows = measured()
    tables = [standings(rows[chosen]) for chosen in [*kinds(rows).values()][1:]]
    first = (
        "solver",
        "mean AUC",
        "the best?",
        "s",
        "certified fits",
        "streams",
        "row weights",
        "sparse weights",
    )
    heads = (*first, "d ≤ 10", "11–99", "100–999", "d > n", "sparse", "dense", "rare", "even")
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    whole, said = standings(rows), words(rows)
    every = rows.groupby("solver")["auc"].mean().sort_values(ascending=False)
    for solver in every.index:
        known = describe("solvers", solver)
        mine = rows[rows["solver"] == solver]
        certified = mine["certified"].sum() / mine["cells"].sum()
        cells = [
            f"[`{solver}`](catalogue.md#solvers-{solver})",
            _value(whole, solver, "auc", ".4f"),
            said[solver],
            _value(whole, solver, "seconds", ".3g"),
            f"{100 * certified:.0f} %" if known.about.certified else "",
            "yes" if known.streaming else "",
            "yes" if known.needs is not None and known.needs.weights else "",
            "yes" if known.about.sparse else "",
        ]
        cells += [_loss(table, solver) for table in tables]
        yield f"| {' | '.join(cells)} |"


def words(rows: pd.DataFrame) -> dict[str, str]:
    """Return who may be the best on a typical task, who is probably not, and who is behind."""
    table = rows.pivot_table(index="task", columns="solver", values="auc")
    found = best_set(table.to_numpy(), [*table.columns])
    said = dict.fromkeys(found.names, "probably not")
    said |= dict.fromkeys(found.of(found.behind), "behind")
    return said | dict.fromkeys(found.of(found.possible), "★ may be")


def _value(table: pd.DataFrame, solver: str, column: str, digits: str) -> str:
    return format(table.loc[solver, column], digits) if solver in table.index else "—"


def _loss(table: pd.DataFrame, solver: str) -> str:
    return f"{table['auc'].max() - table.loc[solver, 'auc']:.3f}" if solver in table.index else "—"
