"""What other studies of the same questions say, and what is found here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from page_study_answers import (
    BEST,
    LOSSES,
    REFERENCE,
    SECONDS,
    SURROGATES,
    TUNED,
    Contrast,
    Study,
    beside_the_best,
    beside_the_best_on_average,
    single,
)
from page_study_rulings import summarise_words, verdict_of_tree
from page_study_words import format_code, format_count, format_interval, list_names

from aucbench.stats import ROPE
from aucbench.study.plans import parts

BOOSTERS = ("lightgbm", "xgboost", "catboost")
STUDIES = {
    "Zhou and Skiena, 2023": "https://doi.org/10.1609/aaai.v37i9.26349",
    "TabArena, 2025": "https://arxiv.org/abs/2506.16791",
    "TILBench, 2026": "https://arxiv.org/abs/2605.14915",
    "CLIMB, 2025": "https://arxiv.org/abs/2505.17451",
}


def lacking_to_train(_: Study) -> str:
    """Say on how many pairs of features a loss lacks much on the training rows."""
    found = beside_the_best()["train"]
    lacking = (found < -ROPE).sum()
    first, *others = SURROGATES
    listed = "".join(f", `{solver}` on {lacking[solver]}" for solver in others)
    return (
        f"Of {format_count(len(found), 'pair')} of features, `{first}` lacks more than {ROPE} of "
        f"the best AUC of training rows on {lacking[first]}{listed}."
    )


def gained_on_test(_: Study) -> str:
    """Say what the best direction of the training rows gains on test rows."""
    means = beside_the_best_on_average("test")
    listed = ", ".join(f"`{solver}` {format_interval(d)}" for solver, d in means.items())
    return f"On test rows the losses are, less `{BEST}`: {listed}."


def curved_pairs(study: Study) -> str:
    """Say what losses of pairs add to curved scores."""
    return _differences(study, TUNED, [*LOSSES, single("roc-svm-nystrom", REFERENCE)])


def boosted_trees(study: Study) -> str:
    """Say where boosted trees stand."""
    ranks = study.ranks
    places = [
        f"`{name}` {low} to {high}"
        for name, low, high in zip(ranks.names, ranks.low, ranks.high, strict=True)
        if name in BOOSTERS
    ]
    lead = _differences(study, TUNED, [single(one, REFERENCE) for one in BOOSTERS])
    return f"{lead} Their ranks among {len(ranks.names)} solvers are: {', '.join(places)}."


def networks(study: Study) -> str:
    """Say how a network compares without what the sentence asks for."""
    lead = _differences(study, SECONDS, [single("mlp", "lightgbm"), single("mlp", REFERENCE)])
    return (
        f"With {parts()[SECONDS].tune_seconds:g} seconds for tuning and fit, and without "
        f"ensembles: {lead} Larger budgets were not run."
    )


def tuning(study: Study) -> str:
    """Say what tuning adds."""
    [answer] = study.answers["e"].values()
    text = summarise_words(answer.pairs, "tuned solvers", "their own default")
    return f"{text[0].upper()}{text[1:]}. Ensembles were not run."


def best_of_tasks(study: Study) -> str:
    """Say how often the solver with the highest mean is the best one."""
    table = study.filled()
    first = study.solvers[0]
    ahead = int((table[first] >= table.max(axis=1)).sum())
    return (
        f"{format_count(len(study.stars), 'solver')} may be the best on a typical task: "
        f"{list_names(study.stars, 8)}. The highest mean is that of `{first}`, which has the "
        f"highest AUC on {ahead} of {format_count(len(table), 'task')}."
    )


def rebalanced(study: Study) -> str:
    """Say what weights of the classes add to logistic regression."""
    return _differences(study, TUNED, [single("logistic-balanced", REFERENCE)])


def _differences(study: Study, arm: str, contrasts: Sequence[Contrast]) -> str:
    """Say each of a few differences, adjusted by Holm within the sentence."""
    pairs = study.compared({arm: contrasts})[arm].pairs
    listed = [
        f"{format_code(f'{one.a} − {one.b}')} {format_interval(one)}, {one.word}" for one in pairs
    ]
    return f"{'; '.join(listed)}." if listed else "Not run."


SENTENCES: tuple[tuple[str, str, Callable[[Study], str]], ...] = (
    (
        "Zhou and Skiena, 2023",
        "With two features, the best AUC of training rows is significantly higher than that of "
        "other methods on 17 to 40 of 50 data sets.",
        lacking_to_train,
    ),
    (
        "",
        "On most test sets the gain over the best standard classifiers is insignificant.",
        gained_on_test,
    ),
    ("", "It is similar for nonlinear methods of the AUC on real data.", curved_pairs),
    ("TabArena, 2025", "Boosted trees are still strong contenders.", boosted_trees),
    (
        "",
        "Deep networks have caught up with larger budgets of time and with ensembles of their "
        "configurations.",
        networks,
    ),
    ("", "Validation, and ensembles of tuned configurations, have much influence.", tuning),
    ("TILBench, 2026", "No method dominates in all settings.", best_of_tasks),
    (
        "",
        "How well a method does depends on properties of the data and on limits of computation.",
        verdict_of_tree,
    ),
    ("CLIMB, 2025", "Naive rebalancing of classes often hurts.", rebalanced),
)


def compare_studies(study: Study) -> Iterator[str]:
    """Yield a table: a study, what it says, and what is found here."""
    yield "| study | what it says | what is found here |"
    yield "|---|---|---|"
    for name, says, found in SENTENCES:
        link = f"[{name}]({STUDIES[name]})" if name else ""
        yield f"| {link} | {says} | {found(study)} |"
