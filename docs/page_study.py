"""The page of the study: tables, sentences and figures in the place of its marks.

    <!-- study NAME -->                     a table, or sentences
    <!-- study figure NAME: caption -->     a figure

Everything comes from `docs/data/study`, so that no sentence can say something else than the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from math import isnan

from mkdocs.exceptions import PluginError
from page_figures import drawn
from page_study_answers import (
    BEST,
    DEFAULT,
    DEPTH,
    FOLDER,
    GROUPS,
    LARGE,
    REFERENCE,
    SHARE,
    SPARSE,
    SURROGATES,
    TEXT,
    TIME,
    TREES,
    TUNED,
    Answer,
    Slope,
    Slopes,
    Split,
    Study,
    Tree,
    beside_the_best,
    beside_the_best_on_average,
)
from page_study_figures import ARMS, FIGURES, asked, label
from page_study_related import compare_studies
from page_study_rulings import (
    HELD,
    OPEN,
    REFUTED,
    group_by_word,
    hypotheses_that_are,
    short,
    verdict_of_tree,
)
from page_study_words import (
    format_code,
    format_count,
    format_interval,
    format_p,
    format_signed,
    list_names,
)

from aucbench.stats import Pair
from aucbench.study.plans import parts, tasks

MARK = re.compile(r"^<!-- study (?:figure (\w+): (.+)|(\w+)) -->$", re.MULTILINE)


@cache
def read() -> Study:
    """Return the study of the documents, once."""
    return Study.read(FOLDER)


def with_study(markdown: str) -> str:
    """Return a page with what its marks name.

    Raises
    ------
    PluginError
        When there is no such table or figure.
    """
    return MARK.sub(_filled, markdown)


def _filled(mark: re.Match[str]) -> str:
    name, caption, table = mark[1], mark[2], mark[3]
    known = FIGURES if name else PARTS
    if (name or table) not in known:
        raise PluginError(f"the study has no {name or table}; known are {', '.join(known)}")
    study = read()
    if name:
        return drawn(
            f"study-{name}", " ".join(caption.split()), lambda it: FIGURES[name](it, study)
        )
    return "\n".join(PARTS[table](study))


def state(study: Study) -> Iterator[str]:
    """Yield what was run."""
    run, main = study.run, study.tasks.loc[study.table().index]
    ok, planned, left = run["ok"], run["planned"], run.get("not_run", 0)
    known = study.properties(main.index)
    low, high = known.min(), known.max()
    groups = format_count(main["group"].nunique(), "group")
    solvers = format_count(len(study.solvers), "solver")
    yield (
        f"{len(main)} of {format_count(len(tasks()), 'task')} are complete, of {groups}, with "
        f"{solvers} in the main part, {low['rows']:.0f} to {high['rows']:.0f} rows, "
        f"{low['features']:.0f} to {high['features']:.0f} features, and "
        f"{100 * low[SHARE]:.1f} % to {100 * high[SHARE]:.1f} % positives. "
        f"Of {format_count(planned, 'cell')} {ok} have a value, {planned - ok - left} have none, "
        f"and {left} were not run; they took {run['hours']:.1f} hours."
    )
    if len(main) < len(tasks()):
        yield "The run ended before the others were complete; those of many rows are a random part."


def method(_: Study) -> Iterator[str]:
    """Yield the effort, which is that of the protocol."""
    main, few = parts()["study"], parts()["few"]
    yield (
        f"- **Effort.** {format_count(main.splits, 'fold')}, {few.splits} on tasks of at most "
        f"{main.few_rows} rows; at most {main.rows} rows of a task. A tuned solver has its "
        f"default and {main.tune_evals - 1} more points of its published grid, by "
        f"{main.inner_splits} inner folds. Fitted once, in both arms: "
        f"{list_names(main.self_tuned, 9)}."
    )


def log(study: Study) -> Iterator[str]:
    """Yield why cells have no value."""
    if not study.run["failed"]:
        yield "Each cell that was run has a value."
        return
    yield "| why a cell has no value | cells |"
    yield "|---|---|"
    for reason, count in sorted(study.run["failed"].items(), key=lambda one: -one[1]):
        yield f"| {escape(str(reason)).replace('|', '&#124;')} | {count} |"


def provenance(study: Study) -> Iterator[str]:
    """Yield where the tables come from."""
    run = study.run
    names = {
        "protocol_commit": "commit of the protocol",
        "means_sha256": "SHA-256 of `aucbench/study/means.csv`",
    }
    for key, name in names.items():
        if key in run:
            yield f"- {name}: `{run[key]}`"
    for name, plan in run.get("plans", {}).items():
        yield (
            f"- SHA-256 of the results of `{name}.toml`, {plan['ok']} of {plan['cells']} cells: "
            f"`{plan['sha256']}`"
        )
    yield f"- machine: {escape('; '.join(run['machine']))}"
    yield f"- versions: {', '.join(f'{name} {text}' for name, text in run['versions'].items())}"


def everyone(study: Study) -> Iterator[str]:
    """Yield the table of all solvers of the main arm."""
    pairs, best, ranks = {p.a: p for p in study.everyone.pairs}, study.best, study.ranks
    costs = study.costs[study.costs["arm"] == TUNED].set_index("solver")
    failed = study.table().isna().sum()
    words = dict.fromkeys(best.names, "probably not")
    words |= dict.fromkeys(best.of(best.behind), "behind")
    words |= dict.fromkeys(best.of(best.possible), "★ may be")
    yield (
        f"| solver | mean AUC | less `{REFERENCE}`, 95 % interval | than `{REFERENCE}` | the best? "
        "| ranks | seconds | tasks without a value |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for solver in study.solvers:
        pair, at, of = pairs.get(solver), ranks.names.index(solver), costs.loc[solver]
        cells = f"{format_interval(pair)} | {pair.word}" if pair else "– | –"
        yield (
            f"| `{solver}` | {of['auc']:.4f} | {cells} | {words[solver]} | {ranks.low[at]} to "
            f"{ranks.high[at]} | {of['seconds']:.3g} | {failed[solver]} |"
        )


def command(arm: str, measure: str = "auc") -> Iterator[str]:
    """Yield the command that repeats the words on an arm."""
    table = "docs/data/study/means.csv"
    yield "```sh"
    yield f"aucbench judge {table} --where arm={arm} --by {measure} --family group"
    yield "```"


def of_question(key: str) -> Callable[[Study], Iterator[str]]:
    """Return what yields the sentence and the table of a hypothesis with one arm."""

    def section(study: Study) -> Iterator[str]:
        [answer] = study.answers[key].values()
        yield from format_pairs(answer.pairs)

    return section


def format_pairs(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield pairs in one sentence, and in a table."""
    if not pairs:
        yield "Not run."
        return
    yield f"{count_words(pairs)}\n"
    losses = all(pair.a in SURROGATES and pair.b in SURROGATES for pair in pairs)
    common = {pair.b for pair in pairs}
    less = f"less `{pairs[0].b}`" if len(common) == 1 else "difference"
    yield (
        f"| solver | {'losses | ' if losses else ''}{less}, 95 % interval | p | word | "
        "groups ahead, tied, behind |"
    )
    yield f"|---|{'---|' if losses else ''}---|---|---|---|"
    for pair in sorted(pairs, key=lambda pair: -pair.difference.estimate):
        loss = f"{SURROGATES[pair.a]} − {SURROGATES[pair.b]} | " if losses else ""
        yield (
            f"| {format_code(label(pair, pairs))} | {loss}{format_interval(pair)} | "
            f"{format_p(pair.adjusted_p)} | {pair.word} | {pair.wins}, {pair.ties}, {pair.losses} |"
        )


def count_words(pairs: Sequence[Pair]) -> str:
    """Return how many have which word, and their names, in one sentence."""
    text = "; ".join(
        f"{word}: {len(of)} ({list_names([label(pair, pairs) for pair in of], len(of))})"
        for word, of in group_by_word(pairs).items()
    )
    return f"{text[0].upper()}{text[1:]}."


def format_columns(answers: Mapping[str, Answer], *, counted: bool = False) -> Iterator[str]:
    """Yield a table of the same differences in several arms, or by several measures."""
    every = [pair for answer in answers.values() for pair in answer.pairs]
    if not every:
        yield "Not run."
        return
    yield f"| difference | {' | '.join(answers)} |"
    yield f"|---|{'---|' * len(answers)}"
    for names in dict.fromkeys((pair.a, pair.b) for pair in every):
        cells = []
        for answer in answers.values():
            of = [pair for pair in answer.pairs if (pair.a, pair.b) == names]
            groups = f", {format_count(of[0].data_sets, 'group')}" if of and counted else ""
            cells.append(f"{format_interval(of[0])} {of[0].word}{groups}" if of else "–")
        one = next(pair for pair in every if (pair.a, pair.b) == names)
        yield f"| {format_code(label(one, every))} | {' | '.join(cells)} |"


def boosted(study: Study) -> Iterator[str]:
    """Yield trees with exact losses of pairs beside others, in each arm."""
    yield from format_columns({ARMS[arm]: answer for arm, answer in study.answers["g"].items()})


def networks(study: Study) -> Iterator[str]:
    """Yield networks at equal seconds, by three measures."""
    yield from format_columns(study.answers["h"])


def sparse(study: Study) -> Iterator[str]:
    """Yield sparse solvers at equal numbers of features, and the tasks that have a value."""
    found = {SPARSE[arm]: answer for arm, answer in study.answers["i"].items()}
    yield from format_columns(found, counted=True)
    tables = {name: study.table(arm) for arm, name in SPARSE.items()}
    yield f"\n| solver | {' | '.join(f'{name}: tasks, mean AUC' for name in tables)} |"
    yield f"|---|{'---|' * len(tables)}"
    for solver in dict.fromkeys(solver for table in tables.values() for solver in table):
        of = [table[solver].dropna() for table in tables.values() if solver in table]
        yield f"| `{solver}` | {' | '.join(f'{len(one)}, {one.mean():.4f}' for one in of)} |"


def ebm(study: Study) -> Iterator[str]:
    """Yield `ebm` less others on its tasks."""
    [answer] = study.answers["ebm"].values()
    yield f"On the {format_count(len(study.table(TREES)), 'task')} of its part:\n"
    yield from format_pairs(answer.pairs)


def apart(arm: str) -> Callable[[Study], Iterator[str]]:
    """Return what yields the verdict on tasks that are apart, beside that with random folds."""

    def section(study: Study) -> Iterator[str]:
        if arm not in {*study.means["arm"]}:
            yield "Not run."
            return
        twins, best = study.twins(arm), study.best_of(arm)
        means = study.averaged(study.filled(arm)).sort_values(ascending=False)
        stars = [name for name in means.index if name in best.of(best.possible)]
        count = format_count(len(stars), "solver")
        yield f"On a typical task {count} may be the best: {list_names(stars, 8)}."
        yield from (*failures(study, arm), "")
        by, solvers = f"by {arm}", [*study.table(arm)]
        found = {
            f"{by}, {format_count(len(study.table(arm)), 'task')}": study.against(arm).sorted()
        }
        if twins:
            both = format_count(len(twins), "task")
            found[f"{by}, {both} of these"] = study.against(arm, tasks=[*twins])
            found[f"random folds, {both}"] = study.against(
                DEFAULT, tasks=[*twins.values()], solvers=solvers
            )
            here, random = (
                study.averaged(study.filled(of).loc[[*names]])
                for of, names in ((arm, twins), (DEFAULT, twins.values()))
            )
            change = (here - random).dropna().sort_values()
            yield (
                f"On the {both} that are also asked with random folds, the mean AUC of "
                f"`{REFERENCE}` is {random[REFERENCE]:.4f} with these and "
                f"{here[REFERENCE]:.4f} {by}. The change is {format_signed(change.iloc[0])} for "
                f"`{change.index[0]}`, the lowest, and {format_signed(change.iloc[-1])} for "
                f"`{change.index[-1]}`, the highest.\n"
            )
        yield from format_columns(found)

    return section


def text(study: Study) -> Iterator[str]:
    """Yield the AUC of each solver on the tasks of text, and its mean."""
    table = study.table(TEXT)
    if table.empty:
        yield "Not run."
        return
    table = table.T.assign(mean=table.mean()).sort_values("mean", ascending=False)
    yield f"| solver | {' | '.join(table)} |"
    yield f"|---|{'---|' * len(table.columns)}"
    for solver, row in table.iterrows():
        yield f"| `{solver}` | {' | '.join('–' if isnan(v) else f'{v:.4f}' for v in row)} |"


def part(arm: str) -> Callable[[Study], Iterator[str]]:
    """Return what yields another part than the main one, and how its words are repeated."""

    def section(study: Study) -> Iterator[str]:
        if arm not in study.arms():
            yield "Not run."
            return
        yield f"{format_count(len(study.table(arm)), 'task')}.\n"
        yield from format_pairs(study.against(arm).pairs)
        yield from ("", *command(arm))

    return section


def slopes(study: Study) -> Iterator[str]:
    """Yield a table of slopes, together and each property alone."""
    yield (
        "| difference | property | AUC for 1 SD, together | p | alone | p | variance by the "
        "others |"
    )
    yield "|---|---|---|---|---|---|---|"
    for one in study.slopes:
        joint = {slope.name: slope for slope in one.together.slopes}
        for slope in one.alone.slopes:
            cells = ["–", "–", "–"]
            if slope.name in joint:
                j = joint[slope.name]
                cells = [_slope(j, one), format_p(j.adjusted), f"{j.inflation:.1f}×"]
            cells.insert(2, f"{_slope(slope, one)} | {format_p(slope.adjusted)}")
            yield f"| {format_code(one.name)} | {slope.name} | {' | '.join(cells)} |"
    for note in dict.fromkeys(one.together.note for one in study.slopes if one.together.note):
        yield f"\n{note}"


def _slope(slope: Slope, one: Slopes) -> str:
    """Return a slope with the interval that holds for all properties together, as AUC."""
    values = (slope.difference.estimate, slope.low, slope.high)
    effect, low, high = (format_signed(one.factor * value) for value in values)
    return f"{effect} [{low}, {high}]"


def measures(study: Study) -> Iterator[str]:
    """Yield two other measures, and how many weights are not 0."""
    found = [{p.a: p for p in study.against(measure=m).pairs} for m in ("pauc", "ap")]
    kept = study.averaged(study.table(column="nnz"))
    yield (
        "| solver | partial AUC, difference | word | average precision, difference | word | "
        "weights that are not 0 |"
    )
    yield "|---|---|---|---|---|---|"
    for solver in study.solvers:
        cells = [
            f"{format_interval(of[solver])} | {of[solver].word}" for of in found if solver in of
        ]
        share = "–" if isnan(kept[solver]) else f"{100 * kept[solver]:.0f} %"
        yield f"| `{solver}` | {' | '.join(cells or ['– | –'] * 2)} | {share} |"


def time(study: Study) -> Iterator[str]:
    """Yield the fronts of AUC and time."""
    yield "| arm | solver | mean AUC | seconds |"
    yield "|---|---|---|---|"
    for arm in study.arms():
        for row in study.front(arm).itertuples():
            yield f"| {ARMS[arm]} | `{row.solver}` | {row.auc:.4f} | {row.seconds:.3g} |"


def tree(study: Study) -> Iterator[str]:
    """Yield the tree as a list, and what its advice loses."""
    found = study.tree
    yield f"{verdict_of_tree(study)}\n"
    yield from _lines(found.tree, 0)
    yield "\n| questions, at most | loses | one solver loses | the tree gains, 95 % interval |"
    yield "|---|---|---|---|"
    for depth in range(1, DEPTH + 1):
        of = study.tree_of(depth) if depth < DEPTH else found
        g = of.gain
        yield (
            f"| {depth} | {of.by_tree.estimate:.4f} | {of.by_single.estimate:.4f} | "
            f"{format_signed(g.estimate)} [{format_signed(g.low)}, {format_signed(g.high)}] |"
        )


def _lines(node: Tree, depth: int) -> Iterator[str]:
    space = "    " * depth
    if not isinstance(node, Split):
        yield f"{space}- `{node.solver}` (of {node.families:.0f} groups; loses {node.regret:.4f})"
        return
    for word, side in (("yes", node.yes), ("no", node.no)):
        yield f"{space}- {asked(node)} {word}:"
        yield from _lines(side, depth + 1)


def failures(study: Study, arm: str = TUNED) -> Iterator[str]:
    """Yield which solvers have no value somewhere."""
    table = study.table(arm)
    lacking = table.isna().sum()
    lacking = lacking[lacking > 0].sort_values(ascending=False)
    if lacking.empty:
        yield "Each solver has a value on each task."
        return
    cells = ", ".join(f"`{solver}` on {count}" for solver, count in lacking.items())
    yield f"Without a value: {cells} of {len(table)} tasks. There they count as the worst."


def two_features(_: Study) -> Iterator[str]:
    """Yield what losses lack to the best AUC of two features, on training and on test rows."""
    found = beside_the_best()
    train, test = (beside_the_best_on_average(rows) for rows in found)
    tables = format_count(found["test"].index.get_level_values("task").nunique(), "table")
    yield (
        f"{format_count(len(found['test']), 'pair')} of features of {tables}; means and 95 % "
        "intervals are over tables.\n"
    )
    yield (
        "| solver | loss | training rows: less than the best | most | test rows: less "
        f"`{BEST}` | pairs ahead of `{BEST}`, behind |"
    )
    yield "|---|---|---|---|---|---|"
    for solver, mean in test.items():
        of = found["test"][solver]
        yield (
            f"| `{solver}` | {SURROGATES[solver]} | {format_interval(train[solver])} | "
            f"{format_signed(found['train'][solver].min())} | {format_interval(mean)} | "
            f"{(of > 0).sum()}, {(of < 0).sum()} |"
        )


PARTS: dict[str, Callable[[Study], Iterator[str]]] = {
    "state": state,
    "short": short,
    "negative": hypotheses_that_are(REFUTED, OPEN),
    "positive": hypotheses_that_are(HELD),
    "method": method,
    "all": everyone,
    "command": lambda _: command(TUNED),
    "failures": failures,
    "a": of_question("a"),
    "b": of_question("b"),
    "c": of_question("c"),
    "d": of_question("d"),
    "ebm": ebm,
    "tuning": of_question("e"),
    "time": time,
    "seconds": of_question("f"),
    "boosted": boosted,
    "networks": networks,
    "sparse": sparse,
    "two_features": two_features,
    "slopes": slopes,
    "tree": tree,
    "groups": apart(GROUPS),
    "windows": apart(TIME),
    "text": text,
    "default": part(DEFAULT),
    "large": part(LARGE),
    "measures": measures,
    "related": compare_studies,
    "log": log,
    "provenance": provenance,
}
