"""The values of one metric by data set, method, repeat and fold: what is judged.

Design
  a. A fold counts on a data set if all methods that have any value there have one in it: a mean
     over other rows is no fair comparison. What is left out is counted.
  b. A method without any value on a data set has failed there, and keeps its place.
  c. Folds of one repeat divide the rows once. How many there are decides how much of the rows two
     values share, so that it is asked for where the table does not say it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.judging.metrics import AREAS, UNNAMED, metric_of, plain
from aucbench.judging.options import Judging, Missing
from aucbench.judging.table import Long
from aucbench.records import CellStatus
from aucbench.report.evidence import Elsewhere, Evidence, FoldKey, Group
from aucbench.report.fits import NAN, Fit
from aucbench.stats.measures import Measure
from aucbench.stats.words import counted

MISSING = "missing"  # the status of a value that the table does not have
NO_VALUE = "The table has no value."
NO_ROWS = (
    "These are values of others: rows and scores were not seen, so that DeLong's part of the "
    "verdicts is missing."
)
NO_RATIO = 1.0  # of a data set with one value of each method, of which nothing is tested
MOST_FOLDS = 10  # that are taken for one division of the rows
USUAL_FOLDS = 5  # of more it is told that they are taken for one
# Values that benchmarks write for a fit that failed: in all folds of a data set.
FAILED, CONSTANT = 0.0, 0.5
STANDS_FOR_FAILURE = "Its value is exactly {:g} in all folds, which stands for a failure."
# Last rows of printed tables.
SUMMARIES = ("average", "avg", "mean", "mean_auc", "median", "rank", "avg_rank", "average_rank")
NAMED, MOST_NAMED = 3, 8  # of what a sentence names
ROUNDED = 1e-9  # how far a share may be outside of [0, 1]

Place = tuple[str, str]  # repeat and fold, as the table names them


@dataclass(frozen=True, slots=True, eq=False)
class OnDataSet:
    """What is known of one data set."""

    name: str
    places: tuple[FoldKey, ...]  # of the folds that count; one if the table has no folds
    values: Mapping[str, Sequence[float]]  # by method, of those that have any
    ratio: float | None  # test rows divided by training rows; None where nothing says it
    left_out: int  # folds in which some method has no value

    @property
    def averaged(self) -> OnDataSet:
        """The same with the mean of each method as its only value."""
        means = {method: (float(np.mean(own)),) for method, own in self.values.items()}
        return replace(self, places=(FoldKey(0, 0),), values=means)

    def group(self, method: str, why: str) -> Group:
        """Return the values of a method as fits; without one it has failed, and `why` says how."""
        values = self.values.get(method, (NAN,) * len(self.places))
        status, why = (CellStatus.OK, "") if method in self.values else (MISSING, why)
        fits = [Fit(id="", data="", status=status, why=why, auc=value) for value in values]
        return Group(dict(zip(self.places, fits, strict=True)))


def measured(long: Long, judging: Judging) -> tuple[Measure, Evidence]:
    """Choose the metric, and sort its values; a method without one on a data set has failed there.

    Raises
    ------
    AucbenchError
        When the table has no one answer to what is judged, in one sentence.
    """
    frame, measure, remarks = _of_metric(long, judging)
    _require_names(frame)
    frame, told = _without_failures(frame, measure)
    remarks += told
    frame, told = _with_a_value(frame, measure.name)
    remarks += told
    _require_unique(frame)
    if measure.share:
        _require_shares(frame, measure.name)
    methods = tuple(dict.fromkeys(frame["method"]))
    if len(methods) < 2:
        raise DataError(f"{methods[0]} is the only method; give a table with two or more")
    names = [*dict.fromkeys(frame["dataset"])]
    if judging.missing == Missing.COMPLETE:
        names, told = _complete(names, frame, len(methods))
        remarks += told
    known = frame[frame["value"].notna()].groupby("dataset")
    sets = [_on_data_set(name, known.get_group(name), judging) for name in names]
    families, reasons = _families(frame), _reasons(frame)
    sets, told = _comparable(sets)
    ratios = {i: one.ratio or NO_RATIO for i, one in enumerate(sets)}
    return measure, Evidence(
        datasets=tuple(one.name for one in sets),
        solvers=methods,
        groups={
            (i, j): one.group(method, reasons.get((one.name, method), NO_VALUE))
            for i, one in enumerate(sets)
            for j, method in enumerate(methods)
        },
        families=tuple(families.get(one.name) for one in sets) if families else (),
        elsewhere=Elsewhere(ratios, (NO_ROWS, *remarks, *told, *_guessed(known, sets, judging))),
    )


def _of_metric(long: Long, judging: Judging) -> tuple[Any, Measure, tuple[str, ...]]:
    """Return the rows of the metric that is judged, its direction, and what is said of others."""
    frame, by = long.frame, judging.by
    names = [*dict.fromkeys(frame["metric"])]
    if by is None and len(names) > 1:
        raise ParameterError(
            f"there are {len(names)} metrics: {_some(names)}; each is judged by itself, so "
            "choose one with --by"
        )
    chosen = names[0] if by is None else _named(by, names)
    measure = metric_of(
        by if by is not None and chosen in UNNAMED else chosen,
        smaller=judging.smaller,
        larger=judging.larger,
        told=long.smaller,
    )
    remarks = long.remarks
    if len(names) > 1:
        remarks += (
            f"The table has {len(names)} metrics ({_some(names)}); nothing is adjusted for "
            "looking at several of them.",
        )
    return frame[frame["metric"] == chosen], measure, remarks


def _some(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return names; of many the first ones, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _named(by: str, names: Sequence[str]) -> str:
    """Return the metric of the table that `by` means; one without a name takes this one."""
    if by in names:
        return by
    same = [name for name in names if plain(name) == plain(by)]
    if len(same) == 1:
        return same[0]
    if len(names) == 1 and names[0] in UNNAMED:
        return names[0]
    raise UnknownNameError("metric", by, names)


def _without_failures(frame: Any, measure: Measure) -> tuple[Any, tuple[str, ...]]:
    """Return the values without those that stand for a failure, and a sentence about these.

    A share of exactly 0 in all folds of a data set is one, and so is an area of exactly 1/2 in two
    folds or more, unless the method has it on every data set, as a constant prediction has.
    """
    of_method = frame[frame["value"].notna()].groupby(["method", "dataset"], sort=False)["value"]
    least, most, folds = of_method.min(), of_method.max(), of_method.size()
    fails = measure.share & (least == FAILED) & (most == FAILED)
    if plain(measure.name) in AREAS:
        half = (least == CONSTANT) & (most == CONSTANT)
        fails |= half & (folds > 1) & ~half.groupby("method").transform("all")
    failed = [*fails.index[fails]]
    if not failed:
        return frame, ()
    at = frame.set_index(["method", "dataset"]).index.isin(failed) & frame["value"].notna()
    why = frame["value"].map(STANDS_FOR_FAILURE.format)
    told = [f"{method} on {dataset} ({least[method, dataset]:g})" for method, dataset in failed]
    sentence = (
        f"Values that are exactly 0 or 0.5 in all folds stand for a failure and count as missing: "
        f"{_some(told, NAMED)}."
    )
    return frame.assign(value=frame["value"].mask(at), why=frame["why"].mask(at, why)), (sentence,)


def _guessed(known: Any, sets: Sequence[OnDataSet], judging: Judging) -> tuple[str, ...]:
    """Return a sentence about folds of which nothing says that they divide the rows once."""
    if judging.folds is not None or judging.repeats is not None:
        return ()
    unsaid = [one for one in sets if (known.get_group(one.name)["repeat"] == "").all()]
    most = max((len(one.places) for one in unsaid), default=0)
    if most <= USUAL_FOLDS:
        return ()
    return (
        f"The folds of a data set, up to {most}, are taken for one division of its rows; --folds "
        "or --repeats says otherwise.",
    )


def _with_a_value(frame: Any, name: str) -> tuple[Any, tuple[str, ...]]:
    """Return the data sets on which any method has a value, and a sentence about the others."""
    known = frame.groupby("dataset", sort=False)["value"].transform("count") > 0
    gone = frame["dataset"][~known].nunique()
    if not known.any():
        raise DataError(f"the table has no value of {name or 'any method'}; fill its cells")
    if not gone:
        return frame, ()
    be = "is" if gone == 1 else "are"
    return frame[known], (f"{counted(gone)} {be} left out: no method has a value there.",)


def _require_names(frame: Any) -> None:
    for role, what in (("method", "method"), ("dataset", "data set")):
        if count := int((frame[role] == "").sum()):
            raise DataError(f"{count} row(s) name no {what}; give each value a {what}")
    for name in dict.fromkeys(frame["dataset"]):
        if plain(name.rstrip(".:")) in SUMMARIES:
            raise DataError(
                f"{name!r} is named as a data set, but sounds like a summary of the others; leave "
                "that row out"
            )


def _require_unique(frame: Any) -> None:
    keys = ["method", "dataset", "repeat", "fold"]
    twice = frame[frame.duplicated(keys, keep="first")].drop_duplicates(keys)
    if twice.empty:
        return
    rows = zip(*(twice[key] for key in keys), strict=True)
    told = [_told(*row) for _, row in zip(range(NAMED), rows, strict=False)]
    more = f" and {len(twice) - NAMED} more" if len(twice) > NAMED else ""
    raise DataError(
        f"there are several values of {', '.join(told)}{more}; give one value for each fold, or "
        "name the columns that tell them apart with --fold and --repeat"
    )


def _told(method: str, dataset: str, repeat: str, fold: str) -> str:
    places = [f"repeat {repeat}"] if repeat else []
    places += [f"fold {fold}"] if fold else []
    return " ".join([f"{method} on {dataset}", *([f"({', '.join(places)})"] if places else [])])


def _require_shares(frame: Any, name: str) -> None:
    values = frame["value"]
    wrong = frame[(values < -ROUNDED) | (values > 1 + ROUNDED)]
    for row in wrong.head(1).itertuples():
        raise DataError(
            f"{row.method} on {row.dataset} has {name} {row.value:g}, and {len(wrong)} value(s) in "
            f"total are outside of [0, 1]; give shares, not per cent, or name another metric with "
            "--by"
        )


def _families(frame: Any) -> dict[str, str]:
    """Return the family of each data set that has one."""
    families: dict[str, str] = {}
    told = frame[frame["family"] != ""]
    for name, family in dict.fromkeys(zip(told["dataset"], told["family"], strict=True)):
        if families.setdefault(name, family) != family:
            raise DataError(
                f"{name} is in the families {families[name]} and {family}; give each data set one"
            )
    return families


def _reasons(frame: Any) -> dict[tuple[str, str], str]:
    told = frame[frame["value"].isna() & (frame["why"] != "")]
    pairs = zip(told["dataset"], told["method"], strict=True)
    return dict(reversed([*zip(pairs, told["why"], strict=True)]))


def _complete(names: Sequence[str], frame: Any, methods: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the data sets on which all methods have a value, and a sentence about the others."""
    having = frame[frame["value"].notna()].groupby("dataset")["method"].nunique()
    gone = [name for name in names if having[name] < methods]
    if not gone:
        return [*names], ()
    if len(gone) == len(names):
        raise DataError(
            "no data set has a value of every method; --missing worst counts a missing one as the "
            "worst"
        )
    told = f"{len(gone)} of {counted(len(names))} are left out, since a method has no value there"
    return [name for name in names if name not in gone], (f"{told}: {_some(gone, NAMED)}.",)


def _on_data_set(name: str, known: Any, judging: Judging) -> OnDataSet:
    """Return the values in the folds that all methods have."""
    table = known.pivot(index=["repeat", "fold"], columns="method", values="value")
    every = _ordered(table.index)
    numbered = dict(zip(every, _places(name, every, judging), strict=True))
    common = table.loc[every].dropna()
    if common.empty:
        raise DataError(
            f"on {name} there is no fold in which all methods have a value; leave out a method, or "
            "give its values in the same folds"
        )
    return OnDataSet(
        name,
        tuple(numbered[key] for key in common.index),
        {method: values.tolist() for method, values in common.items()},
        _ratio(numbered.values(), judging.ratio),
        len(table) - len(common),
    )


def _comparable(sets: Sequence[OnDataSet]) -> tuple[list[OnDataSet], tuple[str, ...]]:
    """Return data sets of which something can be said, and sentences about what was left out."""
    if len(sets) == 1:
        _require_folds(sets[0])
        return [*sets], _uneven(sets)
    blind = [one.ratio is None and len(one.places) > 1 for one in sets]
    told = _uneven(sets)
    if any(blind):
        told += (
            f"The repeats of {counted(sum(blind))} are averaged: nothing says how much of the "
            "rows they share, so that they say nothing inside a data set; --ratio or --folds does.",
        )
    return [one.averaged if flag else one for one, flag in zip(sets, blind, strict=True)], told


def _require_folds(one: OnDataSet) -> None:
    """Raise where nothing can be tested on the only data set."""
    if len(one.places) < 2:
        raise DataError(
            "there is one data set with one value of each method, and no test can say whether they "
            "differ; give the values of its folds, or more data sets"
        )
    if one.ratio is None:
        raise ParameterError(
            "each repeat has one fold, so that it is not known how much of the rows the repeats "
            "share; give --ratio, test rows divided by training rows, or --folds"
        )


def _ordered(keys: Iterable[Place]) -> list[Place]:
    """Return repeats and folds in the order of their numbers, where they are numbers."""
    return sorted(keys, key=lambda key: [(0, int(x), x) if x.isdigit() else (1, 0, x) for x in key])


def _places(name: str, every: Sequence[Place], judging: Judging) -> list[FoldKey]:
    """Return the number of the repeat and of the fold of each key.

    Raises
    ------
    ParameterError
        When it is not known which folds are of one repeat.
    """
    repeats = [*dict.fromkeys(repeat for repeat, _ in every)]
    numbers, count = _numbers(every), len(every)
    size = judging.folds
    if judging.repeats is not None:
        size = (numbers[-1] + 1) // judging.repeats
    if size is not None:
        if not size or (numbers[-1] + 1 == count and count % size):
            what = f"--folds {size}" if judging.folds else f"--repeats {judging.repeats}"
            raise ParameterError(f"{name} has {count} folds, which {what} does not divide")
        return [FoldKey(*divmod(number, size)) for number in numbers]
    if len(repeats) < 2 and count > MOST_FOLDS:
        raise ParameterError(
            f"{name} has {count} folds, and it is not known how many of them divide the rows once; "
            "say it with --folds 10, for example, or --repeats"
        )
    seen = Counter[str]()
    places = []
    for repeat, _ in every:
        places.append(FoldKey(repeats.index(repeat), seen[repeat]))
        seen[repeat] += 1
    return places


def _numbers(every: Sequence[Place]) -> list[int]:
    """Return the numbers of folds that count from 0, where one that nobody has leaves a gap."""
    folds = [fold for _, fold in every]
    if len({*folds}) == len(folds) and folds[:1] == ["0"] and all(map(str.isdigit, folds)):
        return [int(fold) for fold in folds]
    return [*range(len(every))]


def _ratio(places: Iterable[FoldKey], asked: float | None) -> float | None:
    """Return test rows divided by training rows; None where nothing says it."""
    sizes = Counter(place.seed for place in places)
    folds = max(sizes.values(), default=1)
    return asked if asked is not None else 1.0 / (folds - 1) if folds > 1 else None


def _uneven(sets: Sequence[OnDataSet]) -> tuple[str, ...]:
    left_out = [one.left_out for one in sets if one.left_out]
    if not left_out:
        return ()
    return (
        f"On {len(left_out)} of {counted(len(sets))} the methods have values of different folds. "
        f"Only those that all of them have count, and {sum(left_out)} do not.",
    )
