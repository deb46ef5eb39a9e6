"""What the tables of the study say: all numbers of its page, from `docs/data/study`.

Design
  a. Everything is asked of `aucbench.stats` with groups of tasks as families. So words on
     `logistic` are those that `aucbench judge` prints for the same rows of `means.csv`.
  b. What is compared is written down here, before the numbers are seen: the hypotheses of the
     protocol by their letters, and the contrasts whose slopes are looked at.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from aucbench.datasets.drawing import FEWEST as KEPT
from aucbench.registry.specs import parse_spec
from aucbench.stats import (
    ROPE,
    BestSet,
    Difference,
    Pair,
    PairTest,
    RankSets,
    ResultTable,
    SignTest,
    holm,
    versus,
)
from aucbench.study.plans import APART, TASKS, parts
from aucbench.study.standing import average_over_groups, fill_failures

sys.path.append(str(Path(__file__).parents[1] / "examples"))  # which has the package of the study

from study.advising_tree import DEPTH as DEPTH
from study.advising_tree import AdvisingTree, advising_tree
from study.advising_tree import Split as Split
from study.advising_tree import Tree as Tree
from study.advising_tree import leaves_of as leaves_of
from study.clustered import MetaRegression, mean_over_families, meta_regression
from study.clustered import Slope as Slope

FOLDER = Path(__file__).with_name("data") / "study"
ROWS = parts()["study"].rows  # of a task, at most
TUNED, DEFAULT, SECONDS, LARGE = "tuned", "default", "seconds", "large"  # arms of the study
TREES, GROUPS, TIME, TEXT = "trees", "groups", "time", "text"
SPARSE = {
    f"{parts()['sparse'].arms[1]}-{most}": f"{most} features"
    for most in parts()["sparse"].most_features
}
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
EBM = "ebm[outer_bags=2]"
ADDED = (  # curves and trees, whose loss is the usual one
    *("additive", "roc-svm-nystrom", "random-forest", "lightgbm", "xgboost", "catboost"),
)
PAIRWISE = (("lightgbm-pairs", "lightgbm"), ("xgboost-pairs", "xgboost"))  # the same trees
CURVED = (  # scores that are not linear
    *(*ADDED, EBM, "hist-gradient-boosting", *(pairs for pairs, _ in PAIRWISE)),
    *("mlp", "mlp[loss=aucm]", "aucm", "soap", "sopa-s"),
)
ROWWISE = (REFERENCE, "logistic-balanced", "linear-svc", "sto-iht", "sgd-logistic", "hsg-ht")
LIBAUC = ("aucm", "soap", "sopa-s")
MEASURES = {"auc": "AUC", "ap": "average precision", "pauc": "partial AUC"}


class Contrast(NamedTuple):
    """The mean log-odds of some solvers less those of others, which may be of another arm."""

    plus: tuple[str, ...]
    less: tuple[str, ...]
    names: tuple[str, str]
    other: str = ""  # arm of the others; empty: the same


def single(a: str, b: str, other: str = "") -> Contrast:
    """Return the contrast of two solvers, or of one solver in two arms."""
    return Contrast((a,), (b,), (a, f"{a}, {other}" if a == b else b), other)


MEANS = ("the mean of the exact", "the mean of the stochastic")
LOSSES = [single(a, b) for a, b in PAIRWISE]
BOOSTED = [*LOSSES, *(single(one, "catboost") for pair in PAIRWISE for one in pair)]
OF_LIBAUC = [single("mlp", one) for one in LIBAUC]
NETWORKS = [
    *(*OF_LIBAUC, single("mlp[loss=aucm]", "aucm")),
    *(
        single(one, other)
        for other in (REFERENCE, "lightgbm")
        for one in ("mlp", "mlp[loss=aucm]", *LIBAUC)
    ),
]
FEW_FEATURES = [
    single("sht-auc", one) for one in ("sto-iht", "hsg-ht", "abess", "celer", "spam-l1", "skglm")
]
CONTRASTS = {  # the name of a difference: solvers whose mean log-odds are taken, less those of
    **{f"{solver} − {REFERENCE}": ((solver,), (REFERENCE,)) for solver in EXACT},
    " − of ".join((MEANS[0], "the stochastic")): (EXACT, STOCHASTIC),
    **{f"{one} − {REFERENCE}": ((one,), (REFERENCE,)) for one in ("additive", "random-forest")},
    **{f"{a} − {b}": ((a,), (b,)) for a, b in PAIRWISE[:1]},
}
SHARE, POSITIVES = "share of positives", "positives"
NOISE, CURVATURE = "noise", "curvature"
PROPERTIES = ("rows", "features", SHARE, POSITIVES, NOISE, CURVATURE)
ASKED = ("rows", "features", SHARE, POSITIVES, "categories")  # of the tree


BEST = "auc-opt"  # the best AUC of two features


@cache
def beside_the_best() -> dict[str, pd.DataFrame]:
    """Return how each loss differs from the best direction, on training and on test rows.

    A line is a pair of features, of a task: AUC less that of `auc-opt`, means over folds.
    """
    table = pd.read_csv(FOLDER / "two_features.csv")
    means = table.pivot_table(["train", "test"], ["task", "first", "second"], "solver")
    return {
        rows: means[rows][[*SURROGATES]].sub(means[rows][BEST], axis=0)
        for rows in ("train", "test")
    }


def beside_the_best_on_average(rows: str) -> dict[str, Difference]:
    """Return the mean of these differences over tasks, by Student's t; the highest first."""
    found = beside_the_best()[rows]
    tasks = found.index.get_level_values("task").tolist()
    means = {loss: mean_over_families(found[loss].tolist(), tasks) for loss in found}
    return dict(sorted(means.items(), key=lambda one: -one[1].estimate))


@dataclass(frozen=True, slots=True)
class Answer:
    """Differences that belong to one question of the protocol, with their words."""

    pairs: tuple[Pair, ...]

    def of(self, *words: str) -> tuple[Pair, ...]:
        """Return the pairs with one of these words, the largest mean first."""
        found = (pair for pair in self.pairs if pair.word in words)
        return tuple(sorted(found, key=lambda pair: -pair.mean))

    def sorted(self) -> Answer:
        """Return the pairs by their effect, the largest first."""
        return Answer(tuple(sorted(self.pairs, key=lambda pair: -pair.difference.estimate)))


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
    """The files of the study, and what they say; each answer is computed once."""

    tasks: pd.DataFrame  # by task, those that are apart last
    means: pd.DataFrame
    run: dict[str, Any]

    @staticmethod
    def read(folder: Path) -> Study:
        """Read the files of a folder.

        Raises
        ------
        ValueError
            When a task is there twice, or has no row or another group in one of the tables.
        """
        means = pd.read_csv(folder / "means.csv", keep_default_na=False, na_values=[""])
        files = (
            pd.read_csv(file, keep_default_na=False, na_values=[""]) for file in (TASKS, APART)
        )
        tasks = pd.concat(files, ignore_index=True)
        if twice := [*tasks["task"][tasks["task"].duplicated()]]:
            raise ValueError(f"the tables of tasks have {', '.join(twice)} twice")
        tasks = tasks.set_index("task")
        groups = means[["task", "group"]].drop_duplicates()
        unlike = groups[
            tasks["group"].reindex(groups["task"]).to_numpy() != groups["group"].to_numpy()
        ]
        if len(unlike):
            raise ValueError(f"tasks.csv and means.csv disagree on {', '.join(unlike['task'])}")
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        return Study(tasks.loc[groups["task"]], means, run)

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
        return fill_failures(self.table(arm).dropna(how="all"))

    def averaged(self, table: pd.DataFrame) -> pd.Series:
        """Return the mean of each column over groups, each of which is the mean of its tasks."""
        return average_over_groups(table, self.groups(table))

    def results(self, arm: str = TUNED, measure: str = "auc", **some: Any) -> ResultTable:
        """Return an arm for the tests of `aucbench.stats`; `some`: only these tasks, or solvers."""
        table = self.table(arm, measure).dropna(how="all")
        tasks, solvers = some.get("tasks", table.index), some.get("solvers", table.columns)
        table = table.loc[[*tasks], [one for one in solvers if one in table]]
        return ResultTable(table, [*table.columns], families=self.groups(table))

    @cached_property
    def solvers(self) -> tuple[str, ...]:
        """Solvers of the main arm, the highest mean AUC first."""
        return tuple(self.averaged(self.filled()).sort_values(ascending=False).index)

    def against(self, arm: str = TUNED, measure: str = "auc", **some: Any) -> Answer:
        """Return all solvers of an arm less logistic regression, by a step-down over them."""
        return Answer(versus(self.results(arm, measure, **some), REFERENCE))

    @cached_property
    def everyone(self) -> Answer:
        """Return all solvers of the main arm less logistic regression."""
        return self.against()

    @cached_property
    def answers(self) -> dict[str, dict[str, Answer]]:
        """Return the answers to each hypothesis by its letter: in each arm, or by each measure.

        Those of "ebm" belong to (d).
        """
        linear = [pair for pair in self.everyone.pairs if pair.a not in (*CURVED, *ROWWISE)]
        added = [pair for pair in self.everyone.pairs if pair.a in ADDED]
        exact = [Contrast(EXACT, STOCHASTIC, MEANS), *(single("ls-svm", one) for one in SQUARE)]
        return {
            "a": {TUNED: Answer((*linear,))},
            "b": self.compared({TUNED: exact}),
            "c": self.compared({TUNED: [single(a, b) for a, b in combinations(SURROGATES, 2)]}),
            "d": {TUNED: Answer((*added,))},
            "ebm": self.compared({TREES: [single(EBM, one, TUNED) for one in (REFERENCE, *ADDED)]}),
            "e": self.compared({TUNED: [single(one, one, DEFAULT) for one in self.solvers]}),
            "f": self.compared({SECONDS: [single(one, one, TUNED) for one in self.solvers]}),
            "g": self.compared(dict.fromkeys((TUNED, DEFAULT, LARGE), BOOSTED)),
            "h": {
                name: self.compared({SECONDS: NETWORKS}, measure)[SECONDS]
                for measure, name in MEASURES.items()
            },
            "i": self.compared(dict.fromkeys(SPARSE, FEW_FEATURES), complete=True),
        }

    def compared(
        self,
        asked: Mapping[str, Sequence[Contrast]],
        measure: str = "auc",
        *,
        complete: bool = False,
    ) -> dict[str, Answer]:
        """Return the contrasts in each of some arms, by Holm for all that is asked.

        A contrast without solvers in its arm is left out, and so is one of a cell with itself.
        `complete`: tasks on which a solver has no value count for none, in place of against it.
        """
        found = {
            arm: [pair for one in contrasts if (pair := self._pair(arm, one, measure, complete))]
            for arm, contrasts in asked.items()
        }
        adjusted = iter(holm([pair.p for pairs in found.values() for pair in pairs]))
        return {
            arm: Answer(tuple(replace(pair, adjusted_p=float(next(adjusted))) for pair in pairs))
            for arm, pairs in found.items()
        }

    def _pair(self, arm: str, contrast: Contrast, measure: str, complete: bool) -> Pair | None:
        """Return a pair with the p-value of its log-odds, see `versus`."""
        sides = []
        for of, solvers in ((arm, contrast.plus), (contrast.other or arm, contrast.less)):
            table = self.table(of, measure)
            there = [solver for solver in solvers if solver in table]
            if not there:
                return None
            odds = np.log((table[there] + ROPE) / (1.0 - table[there] + ROPE)).mean(axis=1)
            sides.append(_auc_of(odds).rename(of))
        both = pd.concat(sides, axis=1, join="inner", keys=contrast.names)
        if complete:
            both = both.dropna()
        if both.empty or both.iloc[:, 0].equals(both.iloc[:, 1]):
            return None
        table = ResultTable(both.to_numpy(), contrast.names, families=self.groups(both))
        [pair] = PairTest().pairs(table)
        tested = SignTest().against(table, contrast.names[1])
        known = not np.isnan(tested.p[0]) and tested.t[0] * pair.difference.estimate >= 0.0
        p = tested.p[0] if known else 1.0
        return replace(pair, difference=replace(pair.difference, p=p))

    def twins(self, arm: str) -> dict[str, str]:
        """Return the tasks of an arm whose question is asked with random folds too, and where."""
        random = {_question(self.tasks.at[t, "dataset"]): t for t in self.table(DEFAULT).index}
        asked = {task: _question(self.tasks.at[task, "dataset"]) for task in self.table(arm).index}
        return {task: random[one] for task, one in asked.items() if one in random}

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
        """Return who may be the best in the main arm."""
        return self.best_of(TUNED)

    def best_of(self, arm: str) -> BestSet:
        """Return who may be the best on a typical group of tasks."""
        return SignTest().best_set(self.results(arm))

    @cached_property
    def ranks(self) -> RankSets:
        """Return between which ranks each solver lies."""
        return SignTest().rank_sets(self.results())

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


def _question(dataset: str) -> tuple[str, ...]:
    """Return the source of a data set, and what is asked of it."""
    spec = parse_spec(dataset)
    return (spec.name, *(str(spec.params.get(key)) for key in ("target", "positive")))
