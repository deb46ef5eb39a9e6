"""The page of the study: tables, sentences and figures in the place of its marks.

    <!-- study NAME -->                     a table, or sentences
    <!-- study figure NAME: caption -->     a figure

Everything comes from `docs/data/study`, so that no sentence can say something else than the tables.
While the run has not ended, the mark `state` says so, and the others stand for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import escape
from math import isinf, isnan, sqrt

from mkdocs.exceptions import PluginError
from page_figures import drawn
from page_study_answers import (
    BEST,
    DEFAULT,
    DEPTH,
    FOLDER,
    LARGE,
    REFERENCE,
    SECONDS,
    SHARE,
    SURROGATES,
    TUNED,
    Answer,
    Slope,
    Slopes,
    Split,
    Study,
    Tree,
    beside_the_best,
)
from page_study_figures import ARMS, FIGURES, asked, label, minus
from scipy.stats import t

from aucbench.stats import Pair, Word

MARK = re.compile(r"^<!-- study (?:figure (\w+): (.+)|(\w+)) -->$", re.MULTILINE)
BESIDE = {  # the main part: what was run, and what its tasks have
    SECONDS: ("cells with equal seconds", "both"),
    LARGE: ("tasks with many rows", "a source with many rows"),
    DEFAULT: ("cells without tuning", ""),
}
NOT_YET = "**The run has not ended yet, so that this page has no numbers.**"
SHOWN = 8  # solvers that a sentence names


@cache
def read() -> Study | None:
    """Return the study of the documents, once; None while the run has not ended."""
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
    if study is None:
        return NOT_YET if table == "state" else ""
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


def interval(pair: Pair) -> str:
    """Return the effect of a pair with its interval."""
    d = pair.difference
    low, high = d.ends(of=float) if d.open else (signed(d.low), signed(d.high))
    return f"{signed(d.estimate)} [{minus(low)}, {minus(high)}]"


def p_value(p: float) -> str:
    """Return a p-value with three digits."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def state(study: Study) -> Iterator[str]:
    """Yield what was run."""
    run, tasks = study.run, study.tasks
    ok, planned, left = run["ok"], run["planned"], run.get("not_run", 0)
    yield (
        f"{plural(len(tasks), 'task')} of {plural(tasks['group'].nunique(), 'group')} are "
        f"complete, with {plural(len(study.solvers), 'solver')} in the main arm. "
        f"Of {plural(planned, 'cell')} {ok} have a value, {planned - ok - left} have none, and "
        f"{left} were not run; they took {run['hours']:.1f} hours."
    )
    known = study.properties(tasks.index)
    low, high = known.min(), known.max()
    yield (
        f"In the main part tasks have {low['rows']:.0f} to {high['rows']:.0f} rows, "
        f"{low['features']:.0f} to {high['features']:.0f} features, and {100 * low[SHARE]:.1f} % "
        f"to {100 * high[SHARE]:.1f} % positives."
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
    machine = run["machine"]
    parts = machine.items() if isinstance(machine, dict) else [*machine]
    told = [part if isinstance(part, str) else ": ".join(map(str, part)) for part in parts]
    yield f"- machine: {escape('; '.join(told))}"
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


def of_question(study: Study, key: str) -> Iterator[str]:
    """Yield the sentence and the table of a question."""
    yield from told_of(study.answers[key].pairs)


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
    parts = []
    for word in (Word.BETTER, Word.EQUIVALENT, Word.UNCLEAR, Word.WORSE):
        of = sorted((p for p in pairs if p.word is word), key=lambda p: -p.difference.estimate)
        if of:
            names = [label(pair, pairs) for pair in of]
            parts.append(f"{word}: {len(of)} ({named(names, len(names))})")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def tuning(study: Study) -> Iterator[str]:
    """Yield what tuning adds to each solver."""
    yield from told_of(study.tuning.pairs)


def part(study: Study, arm: str) -> Iterator[str]:
    """Yield what another part of the study than the main one says."""
    what, have = BESIDE[arm]
    if arm not in study.arms():
        yield f"The {what} were not run."
        return
    if have:
        yield f"{plural(len(study.table(arm)), 'task')} have {have}.\n"
    if arm == SECONDS:
        yield from told_of(study.in_seconds.pairs)
        return
    yield from told_of(study.against(arm).pairs)
    yield from ("", *command(arm))


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


Finding = tuple[bool, str]  # whether it is negative, and the sentence


def findings(study: Study) -> Iterator[Finding]:
    """Yield what was found, and what was not."""
    stars = study.stars
    if len(stars) == 1:
        yield False, f"On a typical data set the best solver is `{stars[0]}`."
    else:
        yield True, f"No solver is shown to be the best; {len(stars)} may be: {named(stars)}."
    answers = study.answers
    quoted = f"`{REFERENCE}`"
    yield from _of("a", "linear solvers of the AUC", quoted, answers["a"], Word.BETTER)
    yield from _each("b", answers["b"], hoped=(Word.BETTER,))
    yield from _losses(answers["c"])
    yield from _of("d", "solvers with curved scores", quoted, answers["d"], Word.BETTER)
    yield from _each("d", answers["trees"], hoped=(Word.BETTER,))
    yield from _of("e", "tuned solvers", "their own default", study.tuning, Word.BETTER)
    yield from _of_time(study)
    yield from _of_slopes(study)
    yield not study.tree.helps, f"(which solver when) {_verdict_of_tree(study)}"


def _of(key: str, what: str, reference: str, answer: Answer, gain: Word) -> Iterator[Finding]:
    """Yield findings on many solvers and one reference; `gain` is what the question asks for."""
    total = len(answer.pairs)
    if total and not answer.of(gain):
        yield True, f"({key}) None of {total} {what} is {gain.between} {reference}."
    for word in (Word.BETTER, Word.EQUIVALENT, Word.UNCLEAR, Word.WORSE):
        of = sorted(answer.of(word), key=lambda pair: -pair.difference.estimate)
        if of:
            ends = [signed(pair.difference.estimate) for pair in (of[-1], of[0])]
            how = ends[0] if len(of) == 1 else f"{ends[0]} to {ends[1]}"
            verb = "is" if len(of) == 1 else "are"
            yield (
                word is not gain,
                f"({key}) {len(of)} of {total} {what} {verb} {word.between} {reference} ({how}): "
                f"{named([pair.a for pair in of])}.",
            )


def _each(key: str, answer: Answer, hoped: tuple[Word, ...]) -> Iterator[Finding]:
    """Yield a finding for each of a few pairs."""
    for pair in answer.pairs:
        told = f"{coded(pair.a)} is {pair.word.between} {coded(pair.b)}: {interval(pair)}"
        yield pair.word not in hoped, f"({key}) {told}."


def _losses(answer: Answer) -> Iterator[Finding]:
    """Yield which losses differ, and how many pairs of them do not."""
    told = answer.of(Word.BETTER, Word.WORSE)
    for pair in told:
        one, other = SURROGATES[pair.a], SURROGATES[pair.b]
        yield False, f"(c) {one} is {pair.word.between} {other}: {interval(pair)}."
    for word in (Word.EQUIVALENT, Word.UNCLEAR):
        if count := len(answer.of(word)):
            verb = "is" if count == 1 else "are"
            yield True, f"(c) {count} of {len(answer.pairs)} pairs of losses {verb} {word}."


def _of_time(study: Study) -> Iterator[Finding]:
    """Yield what time buys."""
    costs = study.costs[study.costs["arm"] == TUNED].set_index("solver")["seconds"]
    first, at = study.fastest_star, study.ranks.names.index(study.fastest_star)
    slower = [one for one in study.ranks.above[at] if costs[one] > costs[first]]
    yield (
        not slower,
        f"(f) The fastest solver that may be the best is `{first}`, {costs[first]:.3g} seconds. "
        + (
            f"Slower and certainly better: {named(slower)}."
            if slower
            else "No slower one is better."
        ),
    )
    yield False, f"(f) None is faster and higher in mean than {named([*study.front()['solver']])}."
    if SECONDS in study.arms():
        what = "solvers tuned in equal seconds"
        yield from _of("f", what, "the same with equal points", study.in_seconds, Word.BETTER)


def _of_slopes(study: Study) -> Iterator[Finding]:
    """Yield which properties go with a difference, and the differences with which none goes."""
    flat = []
    for one in study.slopes:
        told = [s for s in one.together.slopes if s.low > 0 or s.high < 0]
        if not told:
            flat.append(coded(one.name))
            continue
        which = "; ".join(f"{s.name} {_slope(s, one)}" for s in told)
        yield (
            False,
            f"(where) {coded(one.name)} goes, for one standard deviation, with {which}.",
        )
    if flat:
        yield True, f"(where) No property of the tasks is shown to go with {', '.join(flat)}."


def _findings(study: Study, *, negative: bool) -> Iterator[str]:
    for is_negative, sentence in findings(study):
        if is_negative is negative:
            yield f"- {sentence}"


def failures(study: Study) -> Iterator[str]:
    """Yield which solvers have no value somewhere."""
    lacking = study.table().isna().sum()
    lacking = lacking[lacking > 0].sort_values(ascending=False)
    if lacking.empty:
        yield "Each solver has a value on each task."
        return
    told = ", ".join(f"`{solver}` on {count}" for solver, count in lacking.items())
    yield f"Without a value: {told} of {len(study.table())} tasks. There they count as the worst."


def two_features(study: Study) -> Iterator[str]:
    """Yield what losses lack to the best AUC of two features, on training and on test rows."""
    train, test = beside_the_best()
    tasks, lacking = (rows.groupby("task").mean() for rows in (test, train))
    margins = t.ppf(0.975, len(tasks) - 1) * tasks.std() / sqrt(len(tasks))
    yield (
        f"{plural(len(test), 'pair')} of features of {plural(len(tasks), 'task')}; means and "
        "intervals are over tasks.\n"
    )
    yield (
        "| solver | loss | training rows: less than the best, mean | most | test rows: less "
        f"`{BEST}`, 95 % interval | pairs ahead of `{BEST}`, behind |"
    )
    yield "|---|---|---|---|---|---|"
    for solver in tasks.mean().sort_values(ascending=False).index:
        of, mean, margin = test[solver], tasks[solver].mean(), margins[solver]
        yield (
            f"| `{solver}` | {SURROGATES[solver]} | "
            f"{signed(lacking[solver].mean())} | {signed(train[solver].min())} | "
            f"{signed(mean)} [{signed(mean - margin)}, {signed(mean + margin)}] | "
            f"{(of > 0).sum()}, {(of < 0).sum()} |"
        )


PARTS: dict[str, Callable[[Study], Iterator[str]]] = {
    "state": state,
    "log": log,
    "provenance": provenance,
    "negative": lambda study: _findings(study, negative=True),
    "positive": lambda study: _findings(study, negative=False),
    "all": everyone,
    "command": lambda _: command(TUNED),
    "failures": failures,
    "a": lambda study: of_question(study, "a"),
    "b": lambda study: of_question(study, "b"),
    "c": lambda study: of_question(study, "c"),
    "d": lambda study: of_question(study, "d"),
    "trees": lambda study: of_question(study, "trees"),
    "slopes": slopes,
    "tuning": tuning,
    "seconds": lambda study: part(study, SECONDS),
    "large": lambda study: part(study, LARGE),
    "default": lambda study: part(study, DEFAULT),
    "time": time,
    "tree": tree,
    "measures": measures,
    "two_features": two_features,
}
