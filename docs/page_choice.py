"""Make the tables of the page "Choose a solver" from the tables of the study.

Groups of related tasks count once, as in the study: a number is the mean over groups of the mean of
their tasks. A cell that failed counts as the worst solver of its task.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from page_study_answers import CURVED, drawn

from aucbench.registry import describe
from aucbench.registry.lookup import names
from aucbench.stats import ResultTable, SignTest
from aucbench.study.plans import TASKS, parts

STUDY = Path(__file__).with_name("data") / "study"
AUTO = STUDY / "auto.toml"
ROPE = 0.005  # a smaller difference of the AUC changes no decision
SHOWN = 4  # solvers of a cell
FEW = 5  # groups of a kind of data, below which it has no line
TUNED, DEFAULT = "tuned", "default"  # parts of the study
KINDS: dict[str, tuple[str, Callable[[pd.DataFrame], pd.Series]]] = {  # with a short name
    "all tasks": ("all", lambda t: t["rows"] > 0),
    "at most 10 features": ("d ≤ 10", lambda t: t["features"] <= 10),
    "11 to 30 features": ("11–30", lambda t: t["features"].between(11, 30)),
    "more than 30 features": ("d > 30", lambda t: t["features"] > 30),
    "at most 500 rows": ("n ≤ 500", lambda t: t["rows"] <= 500),
    "more than 500 rows": ("n > 500", lambda t: t["rows"] > 500),
    "at most 10 % in the rarer class": ("rare", lambda t: t["rarer"] <= 0.1),
    "at least 30 % in the rarer class": ("even", lambda t: t["rarer"] >= 0.3),
    "numbers only": ("numbers", lambda t: t["kind"] == "numbers"),
    "with categories": ("categories", lambda t: t["kind"] != "numbers"),
}


def measured(arm: str = TUNED, folder: Path = STUDY) -> pd.DataFrame:
    """Return the rows of a part of the study, and what their tasks are like.

    The column `auc` has a value everywhere: one that is missing is that of the worst solver of the
    task. `failed` says where.
    """
    cells = pd.read_csv(folder / "means.csv")
    tasks = pd.read_csv(TASKS).drop(columns="group")
    rows = cells[cells["arm"] == arm].merge(tasks, on="task", validate="m:1")
    rows["rows"], positives = drawn(rows["rows"], rows["positives"])
    share = positives / rows["rows"]
    rows["rarer"] = np.minimum(share, 1 - share)
    rows["failed"] = rows["auc"].isna()
    worst = rows.groupby("task")["auc"].transform("min")
    return rows.assign(auc=rows["auc"].fillna(worst))


def standings(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean AUC and geometric mean of the seconds of each solver, groups counting once."""
    logs = rows.assign(logs=np.log(rows["fit_seconds"].clip(lower=1e-5)))
    found = _by_solver(logs, ["auc", "logs"])
    return pd.DataFrame({"auc": found["auc"], "seconds": np.exp(found["logs"])})


def _by_solver(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return rows.groupby(["solver", "group"])[columns].mean().groupby("solver").mean()


def kinds(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each kind of data that has enough groups."""
    chosen = {name: rows[belongs(rows)] for name, (_, belongs) in KINDS.items()}
    return {name: some for name, some in chosen.items() if some["group"].nunique() >= FEW}


def of_study() -> Iterator[str]:
    """Yield what the numbers of the page were measured on."""
    rows, main, few = measured(), parts()["study"], parts()["few"]
    once = ", ".join(f"`{solver}`" for solver in main.self_tuned)
    yield (
        f"The numbers are those of [the study](study/index.md): {rows['task'].nunique()} real "
        f"tasks of {rows['rows'].min():.0f} to {rows['rows'].max():.0f} rows, {main.splits} folds "
        f"({few.splits} on tasks of at most {main.few_rows} rows), each solver with its default "
        f"and {main.tune_evals - 1} more points of its published grid; fitted once: {once}."
    )


def by_data() -> Iterator[str]:
    """Yield the lines of the table by kind of data."""
    rows = measured()
    near = "within 0.005 of it, the fastest first"
    yield (
        f"| data | tasks (groups) | highest mean AUC | {near} | the best linear one | {near} |"
        f" `logistic` |"
    )
    yield "|---|---|---|---|---|---|---|"
    for name, some in kinds(rows).items():
        found = standings(some)
        linear = found.drop([solver for solver in CURVED if solver in found.index])
        cells = [name, f"{some['task'].nunique()} ({some['group'].nunique()})"]
        for table in (found, linear):
            best = table["auc"].idxmax()
            near = table[table["auc"] >= table["auc"].max() - ROPE].drop(best)
            cells += [_one(table, best), _some(near.sort_values("seconds"))]
        cells.append(f"{found.loc['logistic', 'auc']:.4f}")
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
    rows, plain = measured(), measured(DEFAULT)
    some = {name: one for name, one in kinds(rows).items() if KINDS[name][0] != "all"}
    tables = [standings(one) for one in some.values()]
    first = (
        *("solver", "AUC, tuned", "AUC, default", "the best?", "s", "failed", "certifies"),
        *("streams", "row weights", "sparse weights"),
    )
    heads = (*first, *(KINDS[name][0] for name in some))
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    tuned, default, said = standings(rows), standings(plain), words(rows)
    every = pd.concat([default["auc"], tuned["auc"]], axis=1).max(axis=1)
    failed = pd.concat([rows, plain]).groupby("solver")["failed"].sum()
    for solver in every.sort_values(ascending=False).index:
        times = tuned if solver in tuned.index else default
        name, can = _abilities(solver)
        cells = [
            name,
            _value(tuned, solver),
            _value(default, solver),
            said.get(solver, "—"),
            f"{times.loc[solver, 'seconds']:.3g}",
            str(failed[solver]),
            *("yes" if able else "" for able in can),
        ]
        cells += [_loss(table, solver) for table in tables]
        yield f"| {' | '.join(cells)} |"


def _abilities(solver: str) -> tuple[str, tuple[bool, ...]]:
    """Return the name with a link, and the last columns; of a solver that is gone its name."""
    if solver not in names("solvers"):
        return f"`{solver}` (gone)", (False,) * 4
    known = describe("solvers", solver)
    weighted = known.needs is not None and "weights" in known.needs["capabilities"]
    can = (known.certified, known.streaming, weighted, known.sparse)
    return f"[`{solver}`](catalogue.md#solvers-{solver})", can


def of_auto() -> Iterator[str]:
    """Yield what the study says of the solvers that `auto` tries."""
    study = tomllib.loads(AUTO.read_text(encoding="utf-8"))
    named = ", ".join(f"`{solver}`" for solver in study["present"]["solvers"])
    yield f"`auto` tries {named}; without LightGBM, `hist-gradient-boosting` is in its place."
    present, instead, first = study["present"], study["instead"], study["alone"][0]
    yield (
        f"On {study['groups']} groups of tasks, the best of this set, tuned, "
        f"is {present['loses']:.4f} below the best of all solvers on average; the best "
        f"single solver, `{first['solver']}`, is {first['loses']:.4f} below."
    )
    yield (
        f"As many solvers that were chosen on all groups but one, and judged on that one, lose "
        f"{instead['loses']:.4f}, which gains {_gain(instead)}. So the set stays."
    )
    halves = "; ".join(f"{one['property']} {_gain(one)}" for one in study["halves"])
    yield (
        "Two sets instead of one, for the groups below and above the median of a property, gain: "
        f"{halves}. So there is one set for all tables."
    )


def _gain(found: dict[str, float]) -> str:
    return f"{found['gain']:+.4f} ({found['low']:+.4f} to {found['high']:+.4f})"


def words(rows: pd.DataFrame) -> dict[str, str]:
    """Return who may be the best on a typical task, who is probably not, and who is behind.

    Tasks of one group count once, where the rows have a column `group`.
    """
    aucs = rows if "failed" not in rows else rows.assign(auc=rows["auc"].mask(rows["failed"]))
    table = aucs.pivot_table(index="task", columns="solver", values="auc", dropna=False)
    families = None
    if "group" in rows:
        families = [*rows.groupby("task")["group"].first()[table.index]]
    values = ResultTable(table.to_numpy(), [*table.columns], families=families)
    found = SignTest().best_set(values)
    said = dict.fromkeys(found.names, "probably not")
    said |= dict.fromkeys(found.of(found.behind), "behind")
    return said | dict.fromkeys(found.of(found.possible), "★ may be")


def _value(table: pd.DataFrame, solver: str) -> str:
    return f"{table.loc[solver, 'auc']:.4f}" if solver in table.index else "—"


def _loss(table: pd.DataFrame, solver: str) -> str:
    return f"{table['auc'].max() - table.loc[solver, 'auc']:.3f}" if solver in table.index else "—"
