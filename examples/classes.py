"""Three or more classes: what is trained, what is measured, and what a decision is worth.

    AUCBENCH_DATA=FOLDER python examples/classes.py [NAME ...]

It prints the tables of docs/pairs.md, for satimage and pendigits: five folds, rank-svm with its
default penalty, trained for Hand and Till's M and one-vs-rest, on all rows and with rare classes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from time import perf_counter

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from aucbench import AUCClassifier, Data, solve
from aucbench.data import Categories
from aucbench.data.arrays import Index, Vector
from aucbench.data.folds import splits
from aucbench.datasets import load
from aucbench.features import Standard
from aucbench.metrics import hand_till, one_vs_rest
from aucbench.pairs import ByClass

FOLDS, RARE = 5, 0.05


def numbers_of(data: Data) -> Index:
    """Return the number of the class of each row."""
    assert isinstance(data.target, Categories)
    return data.target.y


def thinned(data: Data) -> Data:
    """Return the rows with every second class cut to a twentieth, drawn with a fixed seed."""
    rng = np.random.default_rng(0)
    y = numbers_of(data)
    kept = (y % 2 == 0) | (rng.random(y.size) < RARE)
    return data.take(np.flatnonzero(kept).astype(np.int32))


def trained(data: Data) -> Iterator[str]:
    """Yield both measures of a linear scorer that is trained for each of them."""
    rng = np.random.default_rng(0)
    for each in ("classes", "rest"):
        told = []
        for rest, held in splits(data, FOLDS, 0):
            train, test = data.take(rest), data.take(held)
            phi = Standard().fit(train, rng)
            mapped = replace(train.with_rows(phi(train.rows)), pairs=ByClass(each))
            S = solve("rank-svm", mapped, passes=1000).decision_function(phi(test.rows))
            y = numbers_of(test)
            told.append((hand_till(y, S), one_vs_rest(y, S)))
        M, rest_auc = map(fmean, zip(*told, strict=True))
        yield f"  trained for {each:8} M {M:.4f}  one-vs-rest {rest_auc:.4f}"


def decided(data: Data) -> Iterator[str]:
    """Yield the accuracy of decisions by the raw scores, by log-odds, and of scikit-learn."""
    told = []
    for rest, held in splits(data, FOLDS, 0):
        X, y = data.rows.matrix, numbers_of(data)
        model = AUCClassifier("rank-svm", passes=1000).fit(X[rest], y[rest])
        raw = model.model_.scores(X[held])
        rival = LogisticRegression(max_iter=1000).fit(_scaled(X, rest, rest), y[rest])
        told.append(
            (
                (raw.argmax(axis=1) == y[held]).mean(),
                model.score(X[held], y[held]),
                rival.score(_scaled(X, rest, held), y[held]),
            )
        )
    largest, own, other = map(fmean, zip(*told, strict=True))
    yield f"  accuracy: largest raw score {largest:.3f}, predict {own:.3f}, softmax {other:.3f}"


def _scaled(X: Vector, rest: Index, chosen: Index) -> Vector:
    scaled: Vector = (X[chosen] - X[rest].mean(axis=0)) / np.maximum(X[rest].std(axis=0), 1e-12)
    return scaled


def timed(n: int = 100_000, k: int = 10) -> Iterator[str]:
    """Yield the seconds of M here and in scikit-learn, and how far they differ."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    P = rng.random((n, k)) + np.eye(k)[y]
    P /= P.sum(axis=1, keepdims=True)
    seconds, values = [], []
    for measure in (hand_till, lambda y, P: roc_auc_score(y, P, multi_class="ovo")):
        each = []
        for _ in range(3):
            begin = perf_counter()
            value = measure(y, P)
            each.append(perf_counter() - begin)
        seconds.append(sorted(each)[1])
        values.append(value)
    yield f"M of {n} rows and {k} classes: {seconds[0]:.3f} s, scikit-learn {seconds[1]:.3f} s"
    yield f"  ratio {seconds[1] / seconds[0]:.1f}, difference {abs(values[0] - values[1]):.1e}"


def lines(names: Sequence[str]) -> Iterator[str]:
    """Yield all tables."""
    for name in names:
        data = load(name, labels="classes")
        for what, part in (("all rows", data), ("rare classes", thinned(data))):
            yield f"{name}, {what}: {part.n} rows"
            yield from trained(part)
        yield from decided(data)
    yield from timed()


if __name__ == "__main__":
    for line in lines(sys.argv[1:] or ("satimage", "pendigits")):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
