"""What the tables of the study say: all numbers of its page, from `docs/data/study`.

Design
  a. Everything is asked of `aucbench.stats` with groups of tasks as families. So words on
     `logistic` are those that `aucbench judge` prints for the same rows of `means.csv`.
  b. What is compared is written down here, before the numbers are seen: the questions (a) to (f) of
     the protocol, their references, and the contrasts whose slopes are looked at.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aucbench.datasets.drawing import FEWEST as KEPT
from aucbench.stats import (
    ROPE,
    BestSet,
    Pair,
    PairTest,
    RankSets,
    ResultTable,
    SignTest,
    holm,
    versus,
)
from aucbench.study.plans import TASKS

sys.path.append(str(Path(__file__).parents[1] / "examples"))  # which has the package of the study

from study.advising_tree import DEPTH as DEPTH
from study.advising_tree import AdvisingTree, advising_tree, regrets_of
from study.advising_tree import Split as Split
from study.advising_tree import Tree as Tree
from study.advising_tree import leaves_of as leaves_of
from study.clustered import MetaRegression, meta_regression
from study.clustered import Slope as Slope

FOLDER = Path(__file__).with_name("data") / "study"
ROWS = json.loads((FOLDER / "run.json").read_text(encoding="utf-8"))["rows"]  # of a task, at most
FEWEST = 12  # groups of complete tasks, below which nothing is said yet
TUNED, DEFAULT, SECONDS, LARGE = "tuned", "default", "seconds", "large"  # arms of the study
REFERENCE = "logistic"
EXACT = ("svm-or", "rank-svm", "ls-svm")  # the certified optimum over all pairs
STOCHASTIC = (  # steps on rows or pairs that are drawn, or come one by one
    *("solam", "spam-l1", "spam-l2", "fsauc", "opauc", "oam-gra", "uni-exp", "roc-svm"),
)
SQUARE = ("solam", "opauc", "spam-l2")  # those of them that minimise what ls-svm does
SURROGATES = {
    "ls-svm": "square",
    "svm-or": "hinge",
    "rank-svm": "squared hinge",
    "logistic": "logistic, of single rows",
    "aum": "AUM",
}
CURVED = (  # scores that are not linear
    *("additive", "roc-svm-nystrom", "random-forest", "hist-gradient-boosting"),
    *("lightgbm", "lightgbm-pairwise", "xgboost", "xgboost-pairwise"),
)
ROWWISE = (REFERENCE, "logistic-balanced", "linear-svc", "sto-iht", "sgd-logistic", "hsg-ht")
TREES = (("lightgbm-pairwise", "lightgbm"), ("xgboost-pairwise", "xgboost"))
CONTRASTS = {  # the name of a difference: solvers whose mean log-odds are taken, less those of
    **{f"{solver} − {REFERENCE}": ((solver,), (REFERENCE,)) for solver in EXACT},
    "the mean of the exact − of the stochastic": (EXACT, STOCHASTIC),
    **{f"{one} − {REFERENCE}": ((one,), (REFERENCE,)) for one in ("additive", "random-forest")},
    **{f"{a} − {b}": ((a,), (b,)) for a, b in TREES[:1]},
}
SHARE, POSITIVES = "share of positives", "positives"
NOISE, CURVATURE = "noise", "curvature"
PROPERTIES = ("rows", "features", SHARE, POSITIVES, NOISE, CURVATURE)
ASKED = ("rows", "features", SHARE, POSITIVES, "categories")  # of the tree


BEST = "auc-opt"  # the best AUC of two features


@cache
def beside_the_best() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how each solver differs from the best direction, on training and on test rows.

    A line is a pair of features, of a task: AUC less that of `auc-opt`, means over folds.
    """
    table = pd.read_csv(FOLDER / "two_features.csv")
    means = table.pivot_table(["train", "test"], ["task", "first", "second"], "solver")
    train, test = (
        means[rows][[*SURROGATES]].sub(means[rows][BEST], axis=0) for rows in ("train", "test")
    )
    return train, test


@dataclass(frozen=True, slots=True)
class Answer:
    """Differences that belong to one question of the protocol, with their words."""

    pairs: tuple[Pair, ...]

    def of(self, *words: str) -> tuple[Pair, ...]:
        """Return the pairs with one of these words, the largest mean first."""
        found = (pair for pair in self.pairs if pair.word in words)
        return tuple(sorted(found, key=lambda pair: -pair.mean))


@dataclass(frozen=True, slots=True)
class Slopes:
    """How a difference of two solvers goes with properties of the tasks."""

    name: str
    auc: float  # mean AUC of what is subtracted
    together: MetaRegression
    alone: MetaRegression  # each property by itself

    @property
    def factor(self) -> float:
        """AUC for a unit of the log-odds, at that mean."""
        return (self.auc + ROPE) * (1.0 - self.auc + ROPE) / (1.0 + 2.0 * ROPE)


@dataclass(frozen=True, eq=False)
class Study:
    """The three files, and what they say; each answer is computed once."""

    tasks: pd.DataFrame  # by task
    means: pd.DataFrame
    run: dict[str, Any]

    @staticmethod
    def read(folder: Path) -> Study | None:
        """Read the files of a folder; None while the run has not ended.

        Raises
        ------
        ValueError
            When a task is there twice, or has no row or another group in one of the tables.
        """
        if not (folder / "means.csv").is_file():
            return None
        means = pd.read_csv(folder / "means.csv", keep_default_na=False, na_values=[""])
        tasks = pd.read_csv(TASKS, keep_default_na=False, na_values=[""])
        if twice := [*tasks["task"][tasks["task"].duplicated()]]:
            raise ValueError(f"tasks.csv has {', '.join(twice)} twice")
        tasks = tasks.set_index("task")
        told = means[["task", "group"]].drop_duplicates()
        unlike = told[tasks["group"].reindex(told["task"]).to_numpy() != told["group"].to_numpy()]
        if len(unlike):
            raise ValueError(f"tasks.csv and means.csv disagree on {', '.join(unlike['task'])}")
        if told["group"].nunique() < FEWEST:
            return None
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        return Study(tasks.loc[told["task"]], means, run)

    def arms(self) -> list[str]:
        """Return the arms that were run, the main one first."""
        there = {*self.means["arm"]}
        return [arm for arm in (TUNED, DEFAULT, SECONDS, LARGE) if arm in there]

    def table(self, arm: str = TUNED, column: str = "auc") -> pd.DataFrame:
        """Return a column as tasks × solvers of an arm; a failed cell has no value."""
        rows = self.means[self.means["arm"] == arm]
        wide = rows.pivot(index="task", columns="solver", values=column)
        order = [task for task in self.tasks.index if task in wide.index]
        return wide.loc[order, [*dict.fromkeys(rows["solver"])]].astype(float)

    def groups(self, table: pd.DataFrame) -> list[str]:
        """Return the group of each task of a table."""
        return self.tasks.loc[table.index, "group"].tolist()

    def filled(self, arm: str = TUNED) -> pd.DataFrame:
        """Return the AUCs with the worst of the task where a solver failed."""
        table = self.table(arm).dropna(how="all")
        best = table.max(axis=1).to_numpy()[:, None]
        return pd.DataFrame(best - regrets_of(table, [*table.columns]), table.index, table.columns)

    def averaged(self, table: pd.DataFrame) -> pd.Series:
        """Return the mean of each column over groups, each of which is the mean of its tasks."""
        return table.groupby(self.groups(table)).mean().mean()

    @cached_property
    def solvers(self) -> tuple[str, ...]:
        """Solvers of the main arm, the highest mean AUC first."""
        return tuple(self.averaged(self.filled()).sort_values(ascending=False).index)

    def against(self, arm: str = TUNED, measure: str = "auc") -> Answer:
        """Return all solvers of an arm less logistic regression, by a step-down over them."""
        table = self.table(arm, measure).dropna(how="all")
        names = [*table.columns]
        return Answer(versus(ResultTable(table, names, families=self.groups(table)), REFERENCE))

    @cached_property
    def everyone(self) -> Answer:
        """Return all solvers of the main arm less logistic regression."""
        return self.against()

    @cached_property
    def answers(self) -> dict[str, Answer]:
        """Return the answers to the questions of the protocol, by their letters."""
        apart = {
            "a": lambda pair: pair.a not in (*CURVED, *ROWWISE),
            "d": lambda pair: pair.a in CURVED,
        }
        mean = ("the mean of the exact", "the mean of the stochastic")
        return {
            **{key: Answer(tuple(filter(of, self.everyone.pairs))) for key, of in apart.items()},
            "b": self._singles(
                [(mean, EXACT, STOCHASTIC), *((("ls-svm", s), ("ls-svm",), (s,)) for s in SQUARE)]
            ),
            "c": self._singles([((a, b), (a,), (b,)) for a, b in combinations(SURROGATES, 2)]),
            "trees": self._singles([((a, b), (a,), (b,)) for a, b in TREES]),
        }

    def _singles(
        self, asked: Sequence[tuple[tuple[str, str], Sequence[str], Sequence[str]]]
    ) -> Answer:
        """Compare means of log-odds of solvers of the main arm, by Holm for all that is asked."""
        table = self.table().dropna(how="all")
        odds = np.log((table + ROPE) / (1.0 - table + ROPE))
        pairs = []
        for names, *sides in asked:
            there = [[solver for solver in side if solver in table] for side in sides]
            if all(there):
                means = [odds[side].mean(axis=1) for side in there]
                pairs.append(self._pair(names, *(_auc_of(one) for one in means)))
        return _by_holm(pairs)

    def _pair(self, names: tuple[str, str], plus: pd.Series, less: pd.Series) -> Pair:
        """Return a pair with the p-value of its log-odds, see `versus`."""
        groups = self.tasks.loc[plus.index, "group"].tolist()
        table = ResultTable(np.column_stack([plus, less]), names, families=groups)
        [pair] = PairTest().pairs(table)
        tested = SignTest().against(table, names[1])
        known = not np.isnan(tested.p[0]) and tested.t[0] * pair.difference.estimate >= 0.0
        p = tested.p[0] if known else 1.0
        return replace(pair, difference=replace(pair.difference, p=p))

    def arm_less_arm(self, arm: str, other: str) -> Answer:
        """Return each solver in an arm less itself in another one, on the tasks of both."""
        tables = [self.table(one) for one in (arm, other)]
        tasks = [task for task in tables[0].index if task in tables[1].index]
        pairs = []
        for solver in self.solvers:
            if all(solver in table for table in tables):
                plus, less = (table.loc[tasks, solver] for table in tables)
                if not plus.equals(less):  # else it is the same cell
                    pairs.append(self._pair((solver, f"{solver}, {other}"), plus, less))
        return _by_holm(pairs)

    @cached_property
    def tuning(self) -> Answer:
        """Return each solver tuned less itself by default."""
        return self.arm_less_arm(TUNED, DEFAULT)

    @cached_property
    def in_seconds(self) -> Answer:
        """Return each solver tuned in equal seconds less itself tuned with as many points."""
        return self.arm_less_arm(SECONDS, TUNED)

    @cached_property
    def fastest_star(self) -> str:
        """The fastest solver of the main arm that may be the best."""
        of = self.costs[(self.costs["arm"] == TUNED) & self.costs["solver"].isin(self.stars)]
        return str(of.sort_values("seconds")["solver"].iloc[0])

    @property
    def stars(self) -> tuple[str, ...]:
        """Return who may be the best, the highest mean first."""
        there = self.best.of(self.best.possible)
        return tuple(solver for solver in self.solvers if solver in there)

    @cached_property
    def best(self) -> BestSet:
        """Return who may be the best on a typical group of tasks."""
        table = self.table().dropna(how="all")
        named = ResultTable(table, [*table.columns], families=self.groups(table))
        return SignTest().best_set(named)

    @cached_property
    def ranks(self) -> RankSets:
        """Return between which ranks each solver lies."""
        table = self.table().dropna(how="all")
        named = ResultTable(table, [*table.columns], families=self.groups(table))
        return SignTest().rank_sets(named)

    @cached_property
    def costs(self) -> pd.DataFrame:
        """Return mean AUC, and the geometric mean of the seconds of tuning and fit, by arm."""
        lines = []
        for arm in self.arms():
            seconds = self.table(arm, "fit_seconds") + self.table(arm, "tune_seconds").fillna(0)
            spent = np.exp(self.averaged(np.log(seconds.clip(lower=1e-6))))
            reached = self.averaged(self.filled(arm))
            lines += [(arm, s, reached[s], spent[s]) for s in reached.index]
        return pd.DataFrame(lines, columns=["arm", "solver", "auc", "seconds"])

    def front(self, arm: str = TUNED) -> pd.DataFrame:
        """Return the solvers than which none has both a higher mean AUC and less time."""
        of = self.costs[self.costs["arm"] == arm].dropna().sort_values("seconds")
        return of[of["auc"] > of["auc"].cummax().shift(fill_value=-1.0)]

    def properties(self, tasks: pd.Index) -> pd.DataFrame:
        """Return what is known of tasks before a fit, as counts and shares."""
        of = self.tasks.loc[tasks]
        rows, positives = drawn(of["rows"], of["positives"])
        return pd.DataFrame(
            {
                "rows": rows,
                "features": of["features"],
                SHARE: positives / rows,
                POSITIVES: positives,
                "categories": (of["kind"] != "numbers").astype(float),
            }
        ).astype(float)

    @cached_property
    def slopes(self) -> tuple[Slopes, ...]:
        """Return the slopes of all contrasts whose solvers were run."""
        there = {*self.solvers}
        return tuple(
            self._slopes(name, [s for s in a if s in there], [s for s in b if s in there])
            for name, (a, b) in CONTRASTS.items()
            if there & {*a} and there & {*b}
        )

    def _slopes(self, name: str, plus: list[str], minus: list[str]) -> Slopes:
        """Regress the difference of mean log-odds on properties that other solvers tell."""
        table = self.table()
        odds = np.log((table + ROPE) / (1.0 - table + ROPE))
        y = odds[plus].mean(axis=1) - odds[minus].mean(axis=1)
        known, own = self.properties(table.index), {*plus, *minus}
        x = np.log(known[["rows", "features", POSITIVES]])
        x[SHARE] = np.log(known[SHARE] / (1.0 - known[SHARE]))
        others = [s for s in table.columns if s not in own]
        x[NOISE] = 1.0 - table[others].max(axis=1)
        names = [*PROPERTIES[:-1]]
        if not own & {*CURVED}:  # else it is, nearly, the difference itself
            curved = [s for s in others if s in CURVED]
            linear = [s for s in others if s not in CURVED]
            x[CURVATURE] = table[curved].max(axis=1) - table[linear].max(axis=1)
            names.append(CURVATURE)
        kept = (y.notna() & x.notna().all(axis=1)).to_numpy()
        y, x, groups = y[kept], x.loc[kept, names], self.groups(x[kept])
        joint = [one for one in names if one != POSITIVES]  # rows times share
        auc = float(self.averaged(self.filled()[minus]).mean())
        return Slopes(
            name,
            auc,
            meta_regression(y, x[joint], joint, families=groups),
            meta_regression(y, x, names, families=groups, separately=True),
        )

    @cached_property
    def tree(self) -> AdvisingTree:
        """Return the tree that advises a solver."""
        return self.tree_of(DEPTH)

    def tree_of(self, depth: int) -> AdvisingTree:
        """Return the tree of a depth."""
        table = self.table().dropna(how="all")
        x = self.properties(table.index)[[*ASKED]]
        groups = self.groups(table)
        return advising_tree(table, [*table.columns], x, ASKED, families=groups, depth=depth)


def drawn(rows: pd.Series, positives: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return the rows and the positives of tasks in the main part.

    Of more than `ROWS` rows so many are drawn, of which the rarer class keeps its share, but not
    fewer than 100 rows if it has so many.
    """
    rarer, n = np.minimum(positives, rows - positives), np.minimum(rows, ROWS)
    kept = np.minimum.reduce([rarer, np.maximum(np.round(n * rarer / rows), KEPT), n // 2])
    kept = pd.Series(np.where(rows > ROWS, kept, rarer), rows.index)
    return n, kept.where(positives <= rows - positives, n - kept)


def _auc_of(odds: pd.Series) -> pd.Series:
    """Return the AUC that has these log-odds, as the tests take them."""
    e = 1.0 / (1.0 + np.exp(-odds))
    return ((1.0 + 2.0 * ROPE) * e - ROPE).clip(0.0, 1.0)


def _by_holm(pairs: Sequence[Pair]) -> Answer:
    adjusted = holm([pair.p for pair in pairs])
    told = zip(pairs, adjusted, strict=True)
    return Answer(tuple(replace(pair, adjusted_p=float(p)) for pair, p in told))
