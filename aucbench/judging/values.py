"""The values of one metric by data set, method, repeat and fold: what is judged.

Design
  a. A fold is used on a data set if all methods that have any value there have one in it: a mean
     over other rows is no fair comparison. What is left out is counted.
  b. A method without any value on a data set has failed there, and keeps its place.
  c. Folds of one repeat split the rows once. How many there are decides how much of the rows two
     values share, so that the table or an option has to say it.
  d. Items are units as data sets are, each with one value: the mean over its repeats. An item
     without a value was not solved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.judging.metrics import AREAS, UNNAMED, metric_of, plain
from aucbench.judging.options import JudgeOptions, Missing
from aucbench.judging.table import Long
from aucbench.stats.measures import Measure

NO_VALUE = "The table has no value."
NO_ROWS = (
    "These are values of others: rows and scores were not seen, so that DeLong's part of the "
    "verdicts is missing."
)
NO_RATIO = 1.0  # of a data set with one value of each method, inside which nothing is tested
MOST_FOLDS = 10  # that are taken for one split of the rows
USUAL_FOLDS = 5  # if there are more, a remark says that they are taken for one split
# Values that benchmarks write for a fit that failed: in all folds of a data set.
FAILED, CONSTANT = 0.0, 0.5
STANDS_FOR_FAILURE = "Its value is exactly {:g} in all folds, which stands for a failure."
# Last rows of printed tables.
SUMMARIES = ("average", "avg", "mean", "mean_auc", "median", "rank", "avg_rank", "average_rank")
NAMED, MOST_NAMED = 3, 8  # names in a sentence
ROUNDED = 1e-9  # how far a share may be outside of [0, 1]
UNIT = ["dataset", "method"]
PLACE = ["dataset", "repeat", "fold"]

Place = tuple[int, int]  # the numbers of a repeat and of a fold in it


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The values of one metric in the folds that all methods have.

    Attributes
    ----------
    metric : Measure
    datasets, methods : tuple of str
        Their names; of items, these are the data sets.
    folds : array of shape (N, m, J)
        The values. NaN if a method has none on a data set, and behind the last fold of a data set.
    places : tuple of tuple of (int, int)
        For each data set the numbers of the repeat and the fold of each value.
    ratios : tuple of float
        Test rows divided by training rows, for each data set.
    families : tuple of str or None
        For each data set the name of its family. Empty: there are none.
    reasons : mapping of (str, str) to str
        Why a method has no value on a data set, by the names of both.
    remarks : tuple of str
        Sentences for the reader of the verdict.
    of_items : bool
        Whether the data sets are single items, whose families flip together without being averaged.
    """

    metric: Measure
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    folds: NDArray[np.float64]
    places: tuple[tuple[Place, ...], ...]
    ratios: tuple[float, ...]
    families: tuple[str | None, ...]
    reasons: Mapping[tuple[str, str], str]
    remarks: tuple[str, ...]
    of_items: bool

    def why(self, dataset: int, method: int) -> str:
        """Return why a method has no value on a data set."""
        return self.reasons.get((self.datasets[dataset], self.methods[method]), NO_VALUE)


def measure_values(long: Long, options: JudgeOptions) -> Values:
    """Choose the metric, and sort its values; a method without one on a data set has failed there.

    Raises
    ------
    AucbenchError
        When the table has no one answer to what is judged, in one sentence.
    """
    frame, metric, remarks = _of_metric(long, options)
    _require_names(frame)
    if not long.of_items:
        frame, remarks = _without_failures(frame, metric, remarks)
    frame, remarks = _with_a_value(frame, metric.name, remarks)
    _require_unique(frame)
    if metric.share:
        _require_shares(frame, metric.name)
    methods = tuple(dict.fromkeys(frame["method"]))
    if len(methods) < 2:
        raise DataError(f"{methods[0]} is the only method; give a table with two or more")
    if options.missing == Missing.COMPLETE:
        frame, remarks = _complete(frame, len(methods), remarks)
    names = tuple(dict.fromkeys(frame["dataset"]))
    families, reasons = _families(frame), _reasons(frame)
    known = frame[frame["value"].notna()]
    if long.of_items:
        known = known.groupby(UNIT, sort=False, as_index=False)["value"].mean()
        known = known.assign(repeat="", fold="")
        metric = replace(metric, share=False)  # the mean over items is one, and not each value
    sets: Sequence[DataSet] = _sets(known, names, options)
    folds = _folds(known, names, methods, sets)
    if long.of_items:
        folds, remarks = _unsolved(folds, metric, remarks)
    else:
        sets, folds, remarks = _comparable(sets, folds, remarks)
        remarks = (NO_ROWS, *remarks, *_guessed(known, sets, options))
    return Values(
        metric,
        names,
        methods,
        folds,
        tuple(tuple(one.places.values()) for one in sets),
        tuple(one.ratio or NO_RATIO for one in sets),
        tuple(families.get(name) for name in names) if families else (),
        reasons,
        remarks,
        long.of_items,
    )


def _of_metric(long: Long, options: JudgeOptions) -> tuple[Any, Measure, tuple[str, ...]]:
    """Return the rows of the metric that is judged, its direction, and remarks on the others."""
    frame, by = long.frame, options.by
    names = [*dict.fromkeys(frame["metric"])]
    if by is None and len(names) > 1:
        raise ParameterError(
            f"there are {len(names)} metrics: {_some(names)}; each is judged by itself, so "
            "choose one with --by"
        )
    chosen = names[0] if by is None else _named(by, names)
    metric = metric_of(
        by if by is not None and chosen in UNNAMED else chosen,
        smaller=options.smaller,
        larger=options.larger,
        by_format=long.smaller,
    )
    remarks = long.remarks
    if len(names) > 1:
        remarks += (
            f"The table has {len(names)} metrics ({_some(names)}); nothing is adjusted for "
            "looking at several of them.",
        )
    return frame[frame["metric"] == chosen], metric, remarks


def _some(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return names; of many the first ones, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _counted(count: int) -> str:
    return f"{count} data set{'' if count == 1 else 's'}"


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


def _without_failures(
    frame: Any, metric: Measure, remarks: tuple[str, ...]
) -> tuple[Any, tuple[str, ...]]:
    """Return the values without those that stand for a failure, and a remark on these.

    A share of exactly 0 in all folds of a data set is one, and so is an area of exactly 1/2 in two
    folds or more, unless the method has it on every data set, as a constant prediction has.
    """
    of_method = frame[frame["value"].notna()].groupby(["method", "dataset"], sort=False)["value"]
    least, most, folds = of_method.min(), of_method.max(), of_method.size()
    fails = metric.share & (least == FAILED) & (most == FAILED)
    if plain(metric.name) in AREAS:
        half = (least == CONSTANT) & (most == CONSTANT)
        fails |= half & (folds > 1) & ~half.groupby("method").transform("all")
    failed = [*fails.index[fails]]
    if not failed:
        return frame, remarks
    at = frame.set_index(["method", "dataset"]).index.isin(failed) & frame["value"].notna()
    why = frame["value"].map(STANDS_FOR_FAILURE.format)
    examples = [f"{method} on {dataset} ({least[method, dataset]:g})" for method, dataset in failed]
    sentence = (
        f"Values that are exactly 0 or 0.5 in all folds stand for a failure and count as missing: "
        f"{_some(examples, NAMED)}."
    )
    measured = frame.assign(value=frame["value"].mask(at), why=frame["why"].mask(at, why))
    return measured, (*remarks, sentence)


def _with_a_value(frame: Any, name: str, remarks: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    """Return the data sets on which any method has a value, and a remark on the others."""
    known = frame.groupby("dataset", sort=False)["value"].transform("count") > 0
    gone = frame["dataset"][~known].nunique()
    if not known.any():
        raise DataError(f"the table has no value of {name or 'any method'}; fill its cells")
    if not gone:
        return frame, remarks
    be = "is" if gone == 1 else "are"
    sentence = f"{_counted(gone)} {be} left out: no method has a value there."
    return frame[known], (*remarks, sentence)


def _require_unique(frame: Any) -> None:
    keys = ["method", *PLACE]
    twice = frame[frame.duplicated(keys, keep="first")].drop_duplicates(keys)
    if twice.empty:
        return
    rows = zip(*(twice[key] for key in keys), strict=True)
    places = [_place(*row) for _, row in zip(range(NAMED), rows, strict=False)]
    more = f" and {len(twice) - NAMED} more" if len(twice) > NAMED else ""
    raise DataError(
        f"there are several values of {', '.join(places)}{more}; give one value for each fold, or "
        "name the columns that distinguish them with --fold and --repeat"
    )


def _place(method: str, dataset: str, repeat: str, fold: str) -> str:
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


def _complete(frame: Any, methods: int, remarks: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    """Return the data sets on which all methods have a value, and a remark on the others."""
    having = frame[frame["value"].notna()].groupby("dataset", sort=False)["method"].nunique()
    gone = [*having.index[having < methods]]
    if not gone:
        return frame, remarks
    if len(gone) == len(having):
        raise DataError(
            "no data set has a value of every method; --missing worst counts a missing one as the "
            "worst"
        )
    sentence = (
        f"{len(gone)} of {_counted(len(having))} are left out, since a method has no value there: "
        f"{_some(gone, NAMED)}."
    )
    return frame[~frame["dataset"].isin(gone)], (*remarks, sentence)


def _families(frame: Any) -> dict[str, str]:
    """Return the family of each data set that has one."""
    families: dict[str, str] = {}
    named = frame[frame["family"] != ""]
    for name, family in dict.fromkeys(zip(named["dataset"], named["family"], strict=True)):
        if families.setdefault(name, family) != family:
            raise DataError(
                f"{name} is in the families {families[name]} and {family}; give each data set one"
            )
    return families


def _reasons(frame: Any) -> dict[tuple[str, str], str]:
    failed = frame[frame["value"].isna() & (frame["why"] != "")]
    pairs = zip(failed["dataset"], failed["method"], strict=True)
    return dict(reversed([*zip(pairs, failed["why"], strict=True)]))


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """What is known of one data set, besides its values."""

    name: str
    places: Mapping[tuple[str, str], Place]  # of the folds that are used, by repeat and fold
    ratio: float | None  # test rows divided by training rows; None if nothing says it
    left_out: int  # folds in which some method has no value


def _sets(known: Any, names: Sequence[str], options: JudgeOptions) -> list[DataSet]:
    """Return the folds of each data set that all methods with a value there have."""
    having = known.groupby("dataset", sort=False)["method"].nunique().to_dict()
    keys: dict[str, dict[tuple[str, str], int]] = {name: {} for name in names}
    for (name, repeat, fold), count in known.groupby(PLACE, sort=False).size().items():
        keys[name][repeat, fold] = count
    return [_data_set(name, keys[name], having[name], options) for name in names]


def _data_set(
    name: str, counts: Mapping[tuple[str, str], int], methods: int, options: JudgeOptions
) -> DataSet:
    every = sorted(counts, key=_order)
    numbered = dict(zip(every, _places(name, every, options), strict=True))
    common = {key: place for key, place in numbered.items() if counts[key] == methods}
    if not common:
        raise DataError(
            f"on {name} there is no fold in which all methods have a value; leave out a method, or "
            "give its values in the same folds"
        )
    ratio = _ratio(numbered.values(), options.ratio)
    return DataSet(name, common, ratio, len(every) - len(common))


def _order(key: tuple[str, str]) -> list[tuple[int, int, str]]:
    """Return what sorts repeats and folds by their numbers, if they are numbers."""
    return [(0, int(x), x) if x.isdigit() else (1, 0, x) for x in key]


def _places(name: str, every: Sequence[tuple[str, str]], options: JudgeOptions) -> list[Place]:
    """Return the number of the repeat and of the fold of each key.

    Raises
    ------
    ParameterError
        When it is not known which folds are of one repeat.
    """
    repeats = [*dict.fromkeys(repeat for repeat, _ in every)]
    numbers, count = _numbers(every), len(every)
    size = options.folds
    if options.repeats is not None:
        size = (numbers[-1] + 1) // options.repeats
    if size is not None:
        if not size or (numbers[-1] + 1 == count and count % size):
            what = f"--folds {size}" if options.folds else f"--repeats {options.repeats}"
            raise ParameterError(f"{name} has {count} folds, which {what} does not divide")
        return [divmod(number, size) for number in numbers]
    if len(repeats) < 2 and count > MOST_FOLDS:
        raise ParameterError(
            f"{name} has {count} folds, and it is not known how many of them split the rows once; "
            "say it with --folds 10, for example, or --repeats"
        )
    seen = Counter[str]()
    places = []
    for repeat, _ in every:
        places.append((repeats.index(repeat), seen[repeat]))
        seen[repeat] += 1
    return places


def _numbers(every: Sequence[tuple[str, str]]) -> list[int]:
    """Return the numbers of folds that count from 0, where one that nobody has leaves a gap."""
    folds = [fold for _, fold in every]
    if len({*folds}) == len(folds) and folds[:1] == ["0"] and all(map(str.isdigit, folds)):
        return [int(fold) for fold in folds]
    return [*range(len(every))]


def _ratio(places: Iterable[Place], asked: float | None) -> float | None:
    """Return test rows divided by training rows; None if nothing says it."""
    sizes = Counter(repeat for repeat, _ in places)
    folds = max(sizes.values(), default=1)
    return asked if asked is not None else 1.0 / (folds - 1) if folds > 1 else None


def _folds(
    known: Any, names: Sequence[str], methods: Sequence[str], sets: Sequence[DataSet]
) -> NDArray[np.float64]:
    """Return the values in the folds that are used, (N, m, J)."""
    row = {name: number for number, name in enumerate(names)}
    column = {name: number for number, name in enumerate(methods)}
    place = {(one.name, *key): number for one in sets for number, key in enumerate(one.places)}
    folds = np.full((len(row), len(column), max(len(one.places) for one in sets)), np.nan)
    at = [place.get(key, -1) for key in zip(*(known[name] for name in PLACE), strict=True)]
    used = np.array(at) >= 0
    i, j = known["dataset"].map(row).to_numpy(), known["method"].map(column).to_numpy()
    folds[i[used], j[used], np.array(at)[used]] = known["value"].to_numpy()[used]
    return folds


def _comparable(
    sets: Sequence[DataSet], folds: NDArray[np.float64], remarks: tuple[str, ...]
) -> tuple[Sequence[DataSet], NDArray[np.float64], tuple[str, ...]]:
    """Average repeats of which nothing says how much of the rows they share; with remarks."""
    remarks += _uneven(sets)
    if len(sets) == 1:
        _require_folds(sets[0])
        return sets, folds, remarks
    blind = [one.ratio is None and len(one.places) > 1 for one in sets]
    if not any(blind):
        return sets, folds, remarks
    folds = folds.copy()
    sets = [
        replace(one, places={("", ""): (0, 0)}) if b else one
        for one, b in zip(sets, blind, strict=True)
    ]
    for i in np.flatnonzero(blind):
        known = ~np.isnan(folds[i]).all(axis=0)
        folds[i, :, 0], folds[i, :, 1:] = folds[i][:, known].mean(axis=1), np.nan
    return (
        sets,
        folds[:, :, : max(len(one.places) for one in sets)],
        (
            *remarks,
            f"The repeats of {_counted(sum(blind))} are averaged: nothing says how much of the "
            "rows they share, so that they say nothing inside a data set; --ratio or --folds does.",
        ),
    )


def _require_folds(one: DataSet) -> None:
    """Raise if nothing can be tested on the only data set."""
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


def _uneven(sets: Sequence[DataSet]) -> tuple[str, ...]:
    left_out = [one.left_out for one in sets if one.left_out]
    if not left_out:
        return ()
    return (
        f"On {len(left_out)} of {_counted(len(sets))} the methods have values of different folds. "
        f"Only those that all of them have are used, and {sum(left_out)} are left out.",
    )


def _guessed(known: Any, sets: Sequence[DataSet], options: JudgeOptions) -> tuple[str, ...]:
    """Return a remark on folds of which nothing says that they split the rows once."""
    if options.folds is not None or options.repeats is not None:
        return ()
    numbered = {*known["dataset"][known["repeat"] != ""]}
    most = max((len(one.places) for one in sets if one.name not in numbered), default=0)
    if most <= USUAL_FOLDS:
        return ()
    return (
        f"The folds of a data set, up to {most}, are taken for one split of its rows; --folds or "
        "--repeats says otherwise.",
    )


def _unsolved(
    folds: NDArray[np.float64], metric: Measure, remarks: tuple[str, ...]
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return the values of items with 0 for a share that is missing, and a remark on these."""
    missing = np.isnan(folds)
    is_share = not metric.smaller and np.nanmin(folds) >= 0.0 and np.nanmax(folds) <= 1.0
    if not missing.any() or not is_share:
        return folds, remarks
    sentence = f"{int(missing.sum())} item(s) of a method have no value and count as 0."
    return np.where(missing, 0.0, folds), (*remarks, sentence)
