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
from math import isinf, isnan
from typing import NamedTuple

from mkdocs.exceptions import PluginError
from page_figures import drawn
from page_study_answers import (
    BEST,
    DEFAULT,
    DEPTH,
    FOLDER,
    GROUPS,
    LARGE,
    LOSSES,
    OF_LIBAUC,
    REFERENCE,
    SHARE,
    SPARSE,
    SURROGATES,
    TEXT,
    TIME,
    TREES,
    TUNED,
    Answer,
    Contrast,
    Slope,
    Slopes,
    Split,
    Study,
    Tree,
    beside_the_best,
    beside_the_best_on_average,
)
from page_study_figures import ARMS, FIGURES, asked, label, minus

from aucbench.stats import ROPE, Difference, Pair, Word
from aucbench.study.plans import parts, tasks

MARK = re.compile(r"^<!-- study (?:figure (\w+): (.+)|(\w+)) -->$", re.MULTILINE)
SHOWN = 4  # solvers that a sentence names
WORDS = (Word.BETTER, Word.EQUIVALENT, Word.UNCLEAR, Word.WORSE)
HYPOTHESIS = re.compile(r"^\| ([a-k]) \| (.+?) \|", re.MULTILINE)
REFUTED, OPEN, HELD = "refuted", "not decided", "held"


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


def signed(value: float) -> str:
    """Return a difference with its sign; infinite where too many cells failed."""
    if isnan(value):
        return "–"
    return minus(f"{value:+.4f}") if not isinf(value) else ("−∞" if value < 0 else "+∞")


def coded(text: str) -> str:
    """Return the solvers of "a" or "a − b" as code; other names stay as they are."""
    return " − ".join(part if " " in part else f"`{part}`" for part in text.split(" − "))


def named(solvers: Sequence[str], most: int = SHOWN) -> str:
    """Return solvers as code, all or the first ones."""
    told = [coded(solver) for solver in solvers[:most]]
    more = len(solvers) - len(told)
    if more:
        return f"{', '.join(told)} and {more} more"
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def plural(count: int, one: str, more: str = "") -> str:
    """Return a number with its word."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def interval(pair: Pair | Difference) -> str:
    """Return a difference with its interval."""
    d = pair.difference if isinstance(pair, Pair) else pair
    low, high = d.ends() if d.open else (signed(d.low), signed(d.high))
    return f"{signed(d.estimate)} [{minus(low)}, {minus(high)}]"


def p_value(p: float) -> str:
    """Return a p-value with three digits."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def state(study: Study) -> Iterator[str]:
    """Yield what was run."""
    run, main = study.run, study.tasks.loc[study.table().index]
    ok, planned, left = run["ok"], run["planned"], run.get("not_run", 0)
    known = study.properties(main.index)
    low, high = known.min(), known.max()
    yield (
        f"{len(main)} of {plural(len(tasks()), 'task')} are complete, of "
        f"{plural(main['group'].nunique(), 'group')}, with {plural(len(study.solvers), 'solver')} "
        f"in the main part, {low['rows']:.0f} to {high['rows']:.0f} rows, {low['features']:.0f} "
        f"to {high['features']:.0f} features, and {100 * low[SHARE]:.1f} % to "
        f"{100 * high[SHARE]:.1f} % positives. Of {plural(planned, 'cell')} {ok} have a value, "
        f"{planned - ok - left} have none, and {left} were not run; they took {run['hours']:.1f} "
        "hours."
    )
    if len(main) < len(tasks()):
        yield "The run ended before the others were complete; those of many rows are a random part."


def method(_: Study) -> Iterator[str]:
    """Yield the effort, which is that of the protocol."""
    main, few = parts()["study"], parts()["few"]
    yield (
        f"- **Effort.** {plural(main.splits, 'fold')}, {few.splits} on tasks of at most "
        f"{main.few_rows} rows; at most {main.rows} rows of a task. A tuned solver has its "
        f"default and {main.tune_evals - 1} more points of its published grid, by "
        f"{main.inner_splits} inner folds. Fitted once, in both arms: {named(main.self_tuned, 9)}."
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
        told = f"{interval(pair)} | {pair.word}" if pair else "– | –"
        yield (
            f"| `{solver}` | {of['auc']:.4f} | {told} | {words[solver]} | {ranks.low[at]} to "
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

    def told(study: Study) -> Iterator[str]:
        [answer] = study.answers[key].values()
        yield from told_of(answer.pairs)

    return told


def told_of(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield pairs in one sentence, and in a table."""
    if not pairs:
        yield "Not run."
        return
    yield f"{sorted_out(pairs)}\n"
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
            f"| {coded(label(pair, pairs))} | {loss}{interval(pair)} | "
            f"{p_value(pair.adjusted_p)} | {pair.word} | {pair.wins}, {pair.ties}, {pair.losses} |"
        )


def sorted_out(pairs: Sequence[Pair]) -> str:
    """Return how many have which word, and their names, in one sentence."""
    sides = []
    for word in WORDS:
        of = sorted((p for p in pairs if p.word is word), key=lambda p: -p.difference.estimate)
        if of:
            names = [label(pair, pairs) for pair in of]
            sides.append(f"{word}: {len(of)} ({named(names, len(names))})")
    text = "; ".join(sides)
    return f"{text[0].upper()}{text[1:]}."


def in_columns(answers: Mapping[str, Answer], *, counted: bool = False) -> Iterator[str]:
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
            groups = f", {plural(of[0].data_sets, 'group')}" if of and counted else ""
            cells.append(f"{interval(of[0])} {of[0].word}{groups}" if of else "–")
        one = next(pair for pair in every if (pair.a, pair.b) == names)
        yield f"| {coded(label(one, every))} | {' | '.join(cells)} |"


def boosted(study: Study) -> Iterator[str]:
    """Yield trees with exact losses of pairs beside others, in each arm."""
    yield from in_columns({ARMS[arm]: answer for arm, answer in study.answers["g"].items()})


def networks(study: Study) -> Iterator[str]:
    """Yield networks at equal seconds, by three measures."""
    yield from in_columns(study.answers["h"])


def sparse(study: Study) -> Iterator[str]:
    """Yield sparse solvers at equal numbers of features, and the tasks that have a value."""
    found = {SPARSE[arm]: answer for arm, answer in study.answers["i"].items()}
    yield from in_columns(found, counted=True)
    tables = {name: study.table(arm) for arm, name in SPARSE.items()}
    yield f"\n| solver | {' | '.join(f'{name}: tasks, mean AUC' for name in tables)} |"
    yield f"|---|{'---|' * len(tables)}"
    for solver in dict.fromkeys(solver for table in tables.values() for solver in table):
        of = [table[solver].dropna() for table in tables.values() if solver in table]
        yield f"| `{solver}` | {' | '.join(f'{len(one)}, {one.mean():.4f}' for one in of)} |"


def ebm(study: Study) -> Iterator[str]:
    """Yield `ebm` less others on its tasks."""
    [answer] = study.answers["ebm"].values()
    yield f"On the {plural(len(study.table(TREES)), 'task')} of its part:\n"
    yield from told_of(answer.pairs)


def apart(arm: str) -> Callable[[Study], Iterator[str]]:
    """Return what yields the verdict on tasks that are apart, beside that with random folds."""

    def told(study: Study) -> Iterator[str]:
        if arm not in {*study.means["arm"]}:
            yield "Not run."
            return
        twins, best = study.twins(arm), study.best_of(arm)
        means = study.averaged(study.filled(arm)).sort_values(ascending=False)
        stars = [name for name in means.index if name in best.of(best.possible)]
        count = plural(len(stars), "solver")
        yield f"On a typical task {count} may be the best: {named(stars, 8)}."
        yield from (*failures(study, arm), "")
        by, solvers = f"by {arm}", [*study.table(arm)]
        found = {f"{by}, {plural(len(study.table(arm)), 'task')}": study.against(arm).sorted()}
        if twins:
            both = plural(len(twins), "task")
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
                f"{here[REFERENCE]:.4f} {by}. The change is {signed(change.iloc[0])} for "
                f"`{change.index[0]}`, the lowest, and {signed(change.iloc[-1])} for "
                f"`{change.index[-1]}`, the highest.\n"
            )
        yield from in_columns(found)

    return told


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

    def told(study: Study) -> Iterator[str]:
        if arm not in study.arms():
            yield "Not run."
            return
        yield f"{plural(len(study.table(arm)), 'task')}.\n"
        yield from told_of(study.against(arm).pairs)
        yield from ("", *command(arm))

    return told


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
                cells = [_slope(j, one), p_value(j.adjusted), f"{j.inflation:.1f}×"]
            cells.insert(2, f"{_slope(slope, one)} | {p_value(slope.adjusted)}")
            yield f"| {coded(one.name)} | {slope.name} | {' | '.join(cells)} |"
    for note in dict.fromkeys(one.together.note for one in study.slopes if one.together.note):
        yield f"\n{note}"


def _slope(slope: Slope, one: Slopes) -> str:
    """Return a slope with the interval that holds for all properties together, as AUC."""
    values = (slope.difference.estimate, slope.low, slope.high)
    effect, low, high = (signed(one.factor * value) for value in values)
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
        told = [f"{interval(of[solver])} | {of[solver].word}" for of in found if solver in of]
        share = "–" if isnan(kept[solver]) else f"{100 * kept[solver]:.0f} %"
        yield f"| `{solver}` | {' | '.join(told or ['– | –'] * 2)} | {share} |"


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
    yield f"{_verdict_of_tree(study)}\n"
    yield from _lines(found.tree, 0)
    yield "\n| questions, at most | loses | one solver loses | the tree gains, 95 % interval |"
    yield "|---|---|---|---|"
    for depth in range(1, DEPTH + 1):
        of = study.tree_of(depth) if depth < DEPTH else found
        g = of.gain
        yield (
            f"| {depth} | {of.by_tree.estimate:.4f} | {of.by_single.estimate:.4f} | "
            f"{signed(g.estimate)} [{signed(g.low)}, {signed(g.high)}] |"
        )


def _lines(node: Tree, depth: int) -> Iterator[str]:
    space = "    " * depth
    if not isinstance(node, Split):
        yield f"{space}- `{node.solver}` (of {node.families:.0f} groups; loses {node.regret:.4f})"
        return
    for word, side in (("yes", node.yes), ("no", node.no)):
        yield f"{space}- {asked(node)} {word}:"
        yield from _lines(side, depth + 1)


def _verdict_of_tree(study: Study) -> str:
    found = study.tree
    g = found.gain
    what = (
        f"On groups that it has not seen, the tree loses {found.by_tree.estimate:.4f} AUC against "
        f"the best solver of each task, and one solver for all loses "
        f"{found.by_single.estimate:.4f}: a gain of {signed(g.estimate)} "
        f"[{signed(g.low)}, {signed(g.high)}]"
    )
    if found.helps:
        return f"{what}. So its questions help."
    return f"{what}. So the tree is not shown to be better than always `{found.single}`."


class Ruling(NamedTuple):
    """What the rule of the protocol says of a hypothesis, and why."""

    letter: str
    word: str
    why: str


def rulings(study: Study) -> Iterator[Ruling]:
    """Yield a ruling on each hypothesis whose part was run, in the order of the protocol."""
    answers, quoted = study.answers, f"`{REFERENCE}`"
    of = {key: [p for a in answers[key].values() for p in a.pairs] for key in answers}
    ebm = of["ebm"][:1]
    for key, what in (("a", "linear solvers of the AUC"), ("d", "solvers with curved scores")):
        more = ebm if key == "d" else []
        word = HELD if any(p.word is Word.BETTER for p in (*of[key], *more)) else REFUTED
        beside = f"; on {plural(more[0].data_sets, 'group')} {_each(more)}" if more else ""
        yield Ruling(key, word, f"{_counted(of[key], what, quoted)}{beside}")
    if of["b"]:
        why = f"{_each(of['b'][:1])}; for one loss, `ls-svm` is {_words(of['b'][1:])}"
        yield Ruling("b", ruling_of(of["b"][:1]), why)
    yield _of_losses(of["c"])
    tuned = _counted(of["e"], "tuned solvers", "their own default")
    yield Ruling("e", ruling_of(of["e"], parted=True), tuned)
    yield _of_time(study)
    yield from _of_pairs(study)
    if networks := _some(answers["h"]["AUC"], OF_LIBAUC):
        worse = any(pair.word is Word.WORSE for pair in networks)
        unclear = any(pair.word is Word.UNCLEAR for pair in networks)
        why = f"`mlp` is {_words(networks)}"
        for name in ("average precision", "partial AUC"):
            why += f"; by {name}: {_words(_some(answers['h'][name], OF_LIBAUC))}"
        yield Ruling("h", REFUTED if worse else OPEN if unclear else HELD, why)
    if of["i"]:
        told = []
        for arm, answer in answers["i"].items():
            if answer.pairs:
                least = min(answer.pairs, key=lambda pair: pair.difference.estimate)
                told.append(
                    f"at {SPARSE[arm]} `sht-auc` is {_words(answer.pairs)}, and its difference is "
                    f"smallest to `{least.b}`, {interval(least)}"
                )
        yield Ruling("i", ruling_of(of["i"], parted=True), "; ".join(told))
    yield _of_plane()


def ruling_of(pairs: Sequence[Pair], *, parted: bool = False) -> str:
    """Return whether a gain is held; refuted where each interval is inside, or a loss is certain.

    `parted`: say for how many.
    """
    words = [pair.word for pair in pairs]
    if all(word in (Word.EQUIVALENT, Word.WORSE) for word in words):
        return REFUTED
    if Word.BETTER not in words:
        return OPEN
    count = words.count(Word.BETTER)
    return f"{HELD} for {count} of {len(words)}" if parted and count < len(words) else HELD


def _some(answer: Answer | None, contrasts: Sequence[Contrast]) -> list[Pair]:
    """Return the pairs of some contrasts."""
    names = [one.names for one in contrasts]
    return [pair for pair in answer.pairs if (pair.a, pair.b) in names] if answer else []


def _each(pairs: Sequence[Pair]) -> str:
    """Say each of a few pairs."""
    return "; ".join(
        f"{coded(pair.a)} is {pair.word.between} {coded(pair.b)}, {interval(pair)}"
        for pair in pairs
    )


def _words(pairs: Sequence[Pair]) -> str:
    """Say how the first solver of all pairs compares with the others, grouped by word."""
    told = {word: [pair.b for pair in pairs if pair.word is word] for word in WORDS}
    return ", ".join(f"{word.between} {named(of, len(of))}" for word, of in told.items() if of)


def _counted(pairs: Sequence[Pair], what: str, reference: str) -> str:
    """Say how many of many solvers are better than one, and who gains most."""
    told = {
        word: sorted((p for p in pairs if p.word is word), key=lambda p: -p.difference.estimate)
        for word in WORDS
    }
    better = [pair.a for pair in told[Word.BETTER]]
    gain = f"{len(better)} ({named(better)})" if better else "none"
    verb = "are" if len(better) > 1 else "is"
    others = [f"{len(of)} {word}" for word, of in told.items() if of and word is not Word.BETTER]
    most = max(pairs, key=lambda pair: pair.difference.estimate)
    return (
        f"of {len(pairs)} {what} {gain} {verb} better than {reference}"
        f"{''.join(f', {one}' for one in others)}; the largest gain is {interval(most)} of "
        f"{coded(most.a)}"
    )


def _of_losses(pairs: Sequence[Pair]) -> Ruling:
    """Rule on (c): which losses differ."""
    differ = [pair for pair in pairs if pair.word in (Word.BETTER, Word.WORSE)]
    same, unclear = (sum(p.word is w for p in pairs) for w in (Word.EQUIVALENT, Word.UNCLEAR))
    named_losses = "; ".join(
        f"{SURROGATES[p.a]} {p.word.between} {SURROGATES[p.b]}, {interval(p)}" for p in differ
    )
    why = (
        f"of {plural(len(pairs), 'pair')} of losses {same} are equivalent, {unclear} not "
        f"distinguishable and {len(differ)} different"
    )
    word = HELD if differ else REFUTED if same == len(pairs) else OPEN
    return Ruling("c", word, f"{why}{f' ({named_losses})' if differ else ''}")


def _of_time(study: Study) -> Ruling:
    """Rule on (f): who is slower and certainly better than the fastest that may be the best."""
    costs = study.costs[study.costs["arm"] == TUNED].set_index("solver")["seconds"]
    first, at = study.fastest_star, study.ranks.names.index(study.fastest_star)
    slower = [one for one in study.ranks.above[at] if costs[one] > costs[first]]
    return Ruling(
        "f",
        HELD if slower else REFUTED,
        f"the fastest solver that may be the best is `{first}`, {costs[first]:.3g} seconds, and "
        + (
            f"slower and certainly better are {named(slower)}"
            if slower
            else "no slower one is better"
        ),
    )


def _of_pairs(study: Study) -> Iterator[Ruling]:
    """Rule on (g) by the tuned solvers; the other arms are said beside."""
    by_arm = {arm: _some(answer, LOSSES) for arm, answer in study.answers["g"].items()}
    if by_arm[TUNED]:
        word = ruling_of(by_arm[TUNED], parted=True)
        why = f"tuned, {_each(by_arm.pop(TUNED))}"
        for arm, pairs in by_arm.items():
            words = " and ".join(f"`{pair.a}` {pair.word}" for pair in pairs)
            why += f"; {ARMS[arm]}, {words}" if pairs else ""
        yield Ruling("g", word, why)


def _of_plane() -> Ruling:
    """Rule on (k) by the mean loss on the training rows."""
    means = beside_the_best_on_average("train")
    near = [loss for loss, d in means.items() if d.low >= -ROPE and d.high <= ROPE]
    far = [loss for loss, d in means.items() if d.high < -ROPE or d.low > ROPE]
    word = HELD if near else REFUTED if len(far) == len(means) else OPEN
    if 0 < len(near) < len(means):
        word = f"{HELD} for {len(near)} of {len(means)}"
    told = [f"{interval(d)} ({SURROGATES[loss]})" for loss, d in means.items()]
    why = (
        f"on training rows the AUC less the best one of two features is {told[0]} to {told[-1]}; "
        f"of {plural(len(means), 'loss', 'losses')} {len(near)} are inside the region, and "
        f"{len(far)} outside"
    )
    return Ruling("k", word, why)


@cache
def hypotheses() -> dict[str, str]:
    """Return the hypotheses of the protocol by their letters."""
    protocol = FOLDER.parents[1] / "study" / "protocol.md"
    return dict(HYPOTHESIS.findall(protocol.read_text(encoding="utf-8")))


def hypotheses_that_are(*words: str) -> Callable[[Study], Iterator[str]]:
    """Return what yields the hypotheses on which a ruling begins with one of these words."""

    def told(study: Study) -> Iterator[str]:
        found = sorted(rulings(study))
        for word in words:
            for one in found:
                if one.word.startswith(word):
                    yield (
                        f"- **({one.letter}) {one.word[0].upper()}{one.word[1:]}:** "
                        f"*{hypotheses()[one.letter].rstrip('.')}*: {one.why}."
                    )
        if not any(one.word.startswith(words) for one in found):
            yield f"No hypothesis was {' or '.join(words)}."

    return told


def short(study: Study) -> Iterator[str]:
    """Yield the answer to the question of the page."""
    main = study.tasks.loc[study.table().index]
    sources = plural(main["group"].nunique(), "source")
    yield f"**In short.** {plural(len(main), 'task')} of {sources} were asked."
    for key, what in (("a", "a linear score that maximises the AUC"), ("d", "a curved score")):
        [answer] = study.answers[key].values()
        lead = answer.of(Word.BETTER)
        most = max(lead or answer.pairs, key=lambda pair: pair.difference.estimate)
        yield (
            f"On a typical task {what} is {'' if lead else 'not shown to be '}better than "
            f"`{REFERENCE}`: the one that gains most, `{most.a}`, is {most.word.between} it, "
            f"{interval(most)}."
        )
    stars = study.stars
    if len(stars) == 1:
        yield f"The best solver on a typical task is `{stars[0]}`."
    else:
        yield f"No solver is shown to be the best; {len(stars)} may be: {named(stars, 8)}."


def failures(study: Study, arm: str = TUNED) -> Iterator[str]:
    """Yield which solvers have no value somewhere."""
    table = study.table(arm)
    lacking = table.isna().sum()
    lacking = lacking[lacking > 0].sort_values(ascending=False)
    if lacking.empty:
        yield "Each solver has a value on each task."
        return
    told = ", ".join(f"`{solver}` on {count}" for solver, count in lacking.items())
    yield f"Without a value: {told} of {len(table)} tasks. There they count as the worst."


def two_features(_: Study) -> Iterator[str]:
    """Yield what losses lack to the best AUC of two features, on training and on test rows."""
    found = beside_the_best()
    train, test = (beside_the_best_on_average(rows) for rows in found)
    tables = found["test"].index.get_level_values("task").nunique()
    yield (
        f"{plural(len(found['test']), 'pair')} of features of {plural(tables, 'table')}; means and "
        "95 % intervals are over tables.\n"
    )
    yield (
        "| solver | loss | training rows: less than the best | most | test rows: less "
        f"`{BEST}` | pairs ahead of `{BEST}`, behind |"
    )
    yield "|---|---|---|---|---|---|"
    for solver, mean in test.items():
        of = found["test"][solver]
        yield (
            f"| `{solver}` | {SURROGATES[solver]} | {interval(train[solver])} | "
            f"{signed(found['train'][solver].min())} | {interval(mean)} | "
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
    "log": log,
    "provenance": provenance,
}
