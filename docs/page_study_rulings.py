"""What the rules of the protocol say of its hypotheses, and the answer in short."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from page_study_answers import (
    FOLDER,
    LOSSES,
    OF_LIBAUC,
    REFERENCE,
    SPARSE,
    SURROGATES,
    TUNED,
    Answer,
    Contrast,
    Study,
    beside_the_best_on_average,
)
from page_study_figures import ARMS
from page_study_words import format_code, format_count, format_interval, format_signed, list_names

from aucbench.stats import ROPE, Pair, Word

WORDS = (Word.BETTER, Word.EQUIVALENT, Word.UNCLEAR, Word.WORSE)
HYPOTHESIS = re.compile(r"^\| ([a-k]) \| (.+?) \|", re.MULTILINE)
REFUTED, OPEN, HELD = "refuted", "not decided", "held"


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
        beside = f"; on {format_count(more[0].data_sets, 'group')} {_each(more)}" if more else ""
        yield Ruling(key, word, f"{summarise_words(of[key], what, quoted)}{beside}")
    if of["b"]:
        why = f"{_each(of['b'][:1])}; for one loss, `ls-svm` is {_words(of['b'][1:])}"
        yield Ruling("b", ruling_of(of["b"][:1]), why)
    yield _of_losses(of["c"])
    tuned = summarise_words(of["e"], "tuned solvers", "their own default")
    yield Ruling("e", ruling_of(of["e"], counted=True), tuned)
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
        listed = []
        for arm, answer in answers["i"].items():
            if answer.pairs:
                least = min(answer.pairs, key=lambda pair: pair.difference.estimate)
                listed.append(
                    f"at {SPARSE[arm]} `sht-auc` is {_words(answer.pairs)}, and its difference is "
                    f"smallest to `{least.b}`, {format_interval(least)}"
                )
        yield Ruling("i", ruling_of(of["i"], counted=True), "; ".join(listed))
    yield _of_plane()


def ruling_of(pairs: Sequence[Pair], *, counted: bool = False) -> str:
    """Return whether a gain is held; refuted where each interval is inside, or a loss is certain.

    `counted`: say for how many.
    """
    words = [pair.word for pair in pairs]
    if all(word in (Word.EQUIVALENT, Word.WORSE) for word in words):
        return REFUTED
    if Word.BETTER not in words:
        return OPEN
    count = words.count(Word.BETTER)
    return f"{HELD} for {count} of {len(words)}" if counted and count < len(words) else HELD


def _some(answer: Answer, contrasts: Sequence[Contrast]) -> list[Pair]:
    """Return the pairs of some contrasts."""
    names = [one.names for one in contrasts]
    return [pair for pair in answer.pairs if (pair.a, pair.b) in names]


def _each(pairs: Sequence[Pair]) -> str:
    """Say each of a few pairs."""
    return "; ".join(
        f"{format_code(pair.a)} is {pair.word.between} {format_code(pair.b)}, "
        f"{format_interval(pair)}"
        for pair in pairs
    )


def _words(pairs: Sequence[Pair]) -> str:
    """Say how the first solver of all pairs compares with the others, grouped by word."""
    by_word = {word: [pair.b for pair in pairs if pair.word is word] for word in WORDS}
    return ", ".join(
        f"{word.between} {list_names(of, len(of))}" for word, of in by_word.items() if of
    )


def group_by_word(pairs: Iterable[Pair]) -> dict[Word, list[Pair]]:
    """Return the pairs of each word that one has, in the order of the words, largest first."""
    largest = sorted(pairs, key=lambda pair: -pair.difference.estimate)
    grouped = {word: [pair for pair in largest if pair.word is word] for word in WORDS}
    return {word: of for word, of in grouped.items() if of}


def summarise_words(pairs: Sequence[Pair], what: str, reference: str) -> str:
    """Say how many of many solvers are better than one, and who gains most."""
    by_word = group_by_word(pairs)
    better = [pair.a for pair in by_word.get(Word.BETTER, ())]
    gain = f"{len(better)} ({list_names(better)})" if better else "none"
    verb = "are" if len(better) > 1 else "is"
    others = [f"{len(of)} {word}" for word, of in by_word.items() if word is not Word.BETTER]
    most = max(pairs, key=lambda pair: pair.difference.estimate)
    return (
        f"of {len(pairs)} {what} {gain} {verb} better than {reference}"
        f"{''.join(f', {one}' for one in others)}; the largest gain is {format_interval(most)} of "
        f"{format_code(most.a)}"
    )


def _of_losses(pairs: Sequence[Pair]) -> Ruling:
    """Rule on (c): which losses differ."""
    differ = [pair for pair in pairs if pair.word in (Word.BETTER, Word.WORSE)]
    same, unclear = (sum(p.word is w for p in pairs) for w in (Word.EQUIVALENT, Word.UNCLEAR))
    named_losses = "; ".join(
        f"{SURROGATES[p.a]} {p.word.between} {SURROGATES[p.b]}, {format_interval(p)}"
        for p in differ
    )
    why = (
        f"of {format_count(len(pairs), 'pair')} of losses {same} are equivalent, {unclear} not "
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
            f"slower and certainly better are {list_names(slower)}"
            if slower
            else "no slower one is better"
        ),
    )


def _of_pairs(study: Study) -> Iterator[Ruling]:
    """Rule on (g) by the tuned solvers; the other arms are listed after it."""
    by_arm = {arm: _some(answer, LOSSES) for arm, answer in study.answers["g"].items()}
    if by_arm[TUNED]:
        word = ruling_of(by_arm[TUNED], counted=True)
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
    listed = [f"{format_interval(d)} ({SURROGATES[loss]})" for loss, d in means.items()]
    why = (
        f"on training rows the AUC less the best one of two features is {listed[0]} to "
        f"{listed[-1]}; of {format_count(len(means), 'loss', 'losses')} {len(near)} are inside "
        f"the region, and {len(far)} outside"
    )
    return Ruling("k", word, why)


@cache
def hypotheses() -> dict[str, str]:
    """Return the hypotheses of the protocol by their letters."""
    protocol = FOLDER.parents[1] / "study" / "protocol.md"
    return dict(HYPOTHESIS.findall(protocol.read_text(encoding="utf-8")))


def hypotheses_that_are(*words: str) -> Callable[[Study], Iterator[str]]:
    """Return what yields the hypotheses on which a ruling begins with one of these words."""

    def section(study: Study) -> Iterator[str]:
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

    return section


def short(study: Study) -> Iterator[str]:
    """Yield the answer to the question of the page."""
    main = study.tasks.loc[study.table().index]
    sources = format_count(main["group"].nunique(), "source")
    yield f"**In short.** {format_count(len(main), 'task')} of {sources} were asked."
    for key, what in (("a", "a linear score that maximises the AUC"), ("d", "a curved score")):
        [answer] = study.answers[key].values()
        lead = answer.of(Word.BETTER)
        most = max(lead or answer.pairs, key=lambda pair: pair.difference.estimate)
        yield (
            f"On a typical task {what} is {'' if lead else 'not shown to be '}better than "
            f"`{REFERENCE}`: the one that gains most, `{most.a}`, is {most.word.between} it, "
            f"{format_interval(most)}."
        )
    stars = study.stars
    if len(stars) == 1:
        yield f"The best solver on a typical task is `{stars[0]}`."
    else:
        yield f"No solver is shown to be the best; {len(stars)} may be: {list_names(stars, 8)}."


def verdict_of_tree(study: Study) -> str:
    """Say what the tree loses on groups that it has not seen, and whether it helps."""
    found = study.tree
    g = found.gain
    what = (
        f"On groups that it has not seen, the tree loses {found.by_tree.estimate:.4f} AUC against "
        f"the best solver of each task, and one solver for all loses "
        f"{found.by_single.estimate:.4f}: a gain of {format_signed(g.estimate)} "
        f"[{format_signed(g.low)}, {format_signed(g.high)}]"
    )
    if found.helps:
        return f"{what}. So its questions help."
    return f"{what}. So the tree is not shown to be better than always `{found.single}`."
