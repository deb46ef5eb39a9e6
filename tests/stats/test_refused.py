"""Numbers that make no sense are refused in one sentence."""

from functools import partial

import numpy as np
from refusals import assert_refused, refusals

from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.stats import (
    Advice,
    Fold,
    PairTest,
    ResultTable,
    SignTest,
    SplitTest,
    auc_difference,
    auc_interval,
    corrected_difference,
    corrected_interval,
    holm,
)
from aucbench.stats.ranking import Bootstrap
from aucbench.stats.signed_rank import signed_rank
from aucbench.stats.versus import fragile

NAN, INF = float("nan"), float("inf")
FOLD = Fold([1, 0, 1], [3, 1, 2])
GROUPED = Fold([1, 0, 1], [3, 1, 2], None, [0, 1, 1])
VALUES = np.linspace(0.6, 0.9, 24).reshape(8, 3)
TABLE = ResultTable(VALUES, "abc")


def pairs(values, names, **options):
    return PairTest().pairs(ResultTable(values, names, **options))


def advice(**options):
    return Advice(table=TABLE, **options)


def of_rows(a, b):
    return SplitTest(ratio=0.25).of_rows({"good": {(0, 2): a}, "fair": {(0, 2): b}})


REFUSED = refusals(
    ("rows of two lengths", lambda: Fold([1, 0], [1, 2, 3]), DataError, "(3,)"),
    ("a score of NaN", lambda: Fold([1, 0, 1], [1, 2, NAN]), DataError, "NaN"),
    ("a weight below 0", lambda: Fold([1, 0, 1], [1, 2, 3], [1, -1, 1]), DataError, "at least 0"),
    ("groups that are floats", lambda: Fold([0, 1], [0, 1], None, [1.5, 2]), DataError, "whole"),
    ("some with groups", lambda: auc_interval([FOLD, GROUPED]), DataError, "groups"),
    ("other labels", lambda: auc_difference([FOLD], [Fold([0, 1, 1], [3, 1, 2])]), DataError, "0"),
    (
        *("other weights", lambda: auc_difference([FOLD], [Fold([1, 0, 1], [3, 1, 2], [1, 2, 1])])),
        *(DataError, "fold 0"),
    ),
    ("other rows", lambda: of_rows(FOLD, Fold([0, 1, 1], [1, 2, 3])), DataError, "good and fair"),
    *(
        (f"level {level} of {name}", partial(call, level), ParameterError, "level")
        for level in (0.0, 1.0, 95, NAN)
        for name, call in {
            "an interval": lambda level: auc_interval([FOLD], level),
            "a difference": lambda level: auc_difference([FOLD], [FOLD], level),
            "splits": lambda level: corrected_interval([0.8, 0.9], 0.25, level),
            "ranks": lambda level: signed_rank([0.1] * 9, level=level),
            "pairs": lambda level: PairTest(level=level).pairs(TABLE),
            "bootstrap": lambda level: Bootstrap(level=level).ranks(TABLE),
        }.items()
    ),
    ("repeats 0", lambda: auc_interval([FOLD], repeats=0), ParameterError, "repeats"),
    *(
        (f"ratio {ratio}", partial(corrected_interval, [0.8, 0.9], ratio), ParameterError, "ratio")
        for ratio in (0.0, -1.0, NAN)
    ),
    ("splits of two lengths", lambda: corrected_difference([1, 2], [1], 0.25), DataError, "(2,)"),
    ("an infinite split", lambda: corrected_interval([1.0, INF], 0.25), DataError, "finite"),
    ("a p above 1", lambda: holm([0.1, 1.1]), DataError, "p-values"),
    ("a matrix of p", lambda: holm([[0.1]]), DataError, "p-values"),
    ("a difference of NaN", lambda: signed_rank([0.1, NAN]), DataError, "NaN"),
    ("a matrix of differences", lambda: signed_rank([[0.1], [0.2]]), DataError, "NaN"),
    ("too few columns", lambda: pairs([[0.1, 0.2]], "abc"), DataError, "column"),
    ("an infinite value", lambda: pairs([[0.1, INF]], "ab"), DataError, "NaN"),
    ("twins", lambda: pairs([[0.1, 0.2]], "aa"), DataError, "names"),
    ("few families", lambda: pairs(VALUES, "abc", families=["f"] * 3), DataError, "3 families"),
    ("rope -1", lambda: PairTest(rope=-1.0).pairs(TABLE), ParameterError, "rope"),
    ("draws 0", lambda: Bootstrap(draws=0).ranks(TABLE), ParameterError, "draws"),
    ("no share", lambda: SignTest().best_set(ResultTable([[1.2, 0.5]], "ab")), DataError, "1.2"),
    ("flips 0", lambda: SignTest(flips=0).best_set(TABLE), ParameterError, "flips"),
    ("no such solver", lambda: SignTest().against(TABLE, "z"), UnknownNameError, "'z'"),
    ("names", lambda: fragile(ResultTable(VALUES, "abc", ["x"]), "a"), DataError, "1 names"),
    ("seconds", lambda: advice(seconds=[1.0]), DataError, "seconds"),
    ("folds", lambda: advice(folds=np.ones((8, 3))), DataError, "folds"),
)


@REFUSED
def test_numbers_that_make_no_sense_are_refused(call, error, word):
    assert_refused(call, error, word)
