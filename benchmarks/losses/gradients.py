"""Value and gradient of a loss over pairs, at n scores of which one in five is a positive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from aucbench.losses import PairLoss
from aucbench.losses.pair_loss import Loss
from benchmarks.measured import Side, in_turns, middle, ratio
from benchmarks.peers.kernels import scored

BATCH = 256  # of a network
SIZES = (BATCH, 10**4, 10**5, 10**6)
MOST_PAIRS = 25 * 10**6  # of which a loss by a matrix of pairs can hold several times the memory
QUERY = 10**4  # rows, the most that LightGBM takes in a query
# Above so many pairs, a gradient that visits each pair takes minutes.
SLOWEST = 10**9
ROUNDS = 5
OURS: tuple[Loss, ...] = ("squared-hinge", "hinge", "logistic", "square", "aum")


class Way(NamedTuple):
    """Who computes what; a call that contains a tree names the call that is a tree alone."""

    who: str
    what: str
    pairs: str  # which pairs count
    call: Callable[[], object]
    tree: str = ""


def measure(n: int, libauc: Any, seconds: float) -> list[dict[str, Any]]:
    """Return the CPU seconds of each way at n scores, in turns, and their ratio to ours.

    Scores change from call to call between two vectors, so that no order is remembered.
    """
    y, s = scored(n, 0.2)
    other = np.random.default_rng(1).permutation(s)
    ways = {f"{way.who}, {way.what}": way for way in _ways(y, s, other, libauc)}
    taken = in_turns([Side(way.call) for way in ways.values()], seconds, ROUNDS)
    times = dict(zip(ways, taken, strict=True))
    ours = times["aucbench, squared-hinge"]
    rows = []
    for name, way in ways.items():
        own = times[name]
        if way.pairs == "":  # a tree, which is there to be subtracted
            continue
        if way.tree:
            own = [max(a - b, 1e-9) for a, b in zip(own, times[way.tree], strict=True)]
        about = {"n": n, "who": way.who, "what": way.what, "pairs": way.pairs}
        rows.append(about | {"seconds": middle(own), "ratio": ratio(ours, own)})
    return rows


def names(n: int, libauc: Any) -> list[str]:
    """Return the ways at n scores; each one is "who, what"."""
    y, s = scored(n, 0.2)
    return [f"{way.who}, {way.what}" for way in _ways(y, s, s, libauc) if way.pairs]


def _ways(y: np.ndarray, s: np.ndarray, other: np.ndarray, libauc: Any) -> Iterator[Way]:
    yield from _of_kernels(y, s, other)
    if find_spec("torch") is not None:
        yield from _of_torch(y, s, other, libauc)
    if find_spec("lightgbm") is not None and y.size > BATCH:
        yield from _of_lightgbm(y)
    if find_spec("xgboost") is not None and y.size > BATCH:
        yield from _of_xgboost(y)


def _of_kernels(y: np.ndarray, s: np.ndarray, other: np.ndarray) -> Iterator[Way]:
    for loss in OURS:
        bound, turns = PairLoss(loss).bind(y), cycle((s, other))
        call = partial(_next, bound.value_and_gradient, turns)
        yield Way("aucbench", loss, "all", call)
    bound, turns = PairLoss("squared-hinge", "fpr").bind(y), cycle((s, other))
    call = partial(_next, bound.value_and_gradient, turns)
    yield Way("aucbench", "squared-hinge, FPR ≤ 0.1", "of the range", call)
    free, turns = PairLoss("squared-hinge"), cycle((s, other))
    yield Way(
        "aucbench",
        "squared-hinge, labels prepared in each call",
        "all",
        partial(_next, partial(_at, free, y), turns),
    )


def _at(loss: PairLoss, y: np.ndarray, s: np.ndarray) -> object:
    return loss.value_and_gradient(s, y)


def _next(call: Callable[[Any], object], turns: Iterator[Any]) -> object:
    return call(next(turns))


def _of_torch(y: np.ndarray, s: np.ndarray, other: np.ndarray, libauc: Any) -> Iterator[Way]:
    import torch

    from aucbench.losses import torch as face

    torch.set_num_threads(1)
    labels = torch.as_tensor((y > 0).astype(np.float32))

    def of(loss: Callable[..., Any], dtype: Any = torch.float32) -> Callable[[], object]:
        """Return forward and backward passes, at two vectors of scores in turn."""
        vectors = [torch.tensor(x, dtype=dtype, requires_grad=True) for x in (s, other)]
        turns = cycle(vectors)

        def call() -> None:
            x = next(turns)
            x.grad = None
            loss(x, labels).backward()

        return call

    yield Way("aucbench in torch", "squared-hinge, float32", "all", of(face.PairLoss()))
    yield Way("aucbench in torch", "aum, float32", "all", of(face.PairLoss("aum")))
    bound = PairLoss("squared-hinge").bind(y)
    by_sort = of(lambda x, _: face.by_torch(bound, x), torch.float64)
    name = "squared-hinge, as on other devices"
    yield Way("aucbench in torch", name, "all", by_sort)
    positives = int((y > 0).sum())
    if positives * (y.size - positives) <= MOST_PAIRS:

        def by_matrix(x: Any, labels: Any) -> Any:
            margins = x[labels == 1][:, None] - x[labels == 0][None, :]
            return (1.0 - margins).clamp(min=0.0).square().mean()

        yield Way("torch", "squared hinge, a matrix of all pairs", "all", of(by_matrix))
        if libauc is not None:
            loss = libauc.PairwiseAUCLoss("squared_hinge")
            yield Way("LibAUC", "PairwiseAUCLoss", "all", of(loss))
    if libauc is not None:
        yield Way("LibAUC", "AUCMLoss", "none: means of the classes", of(libauc.AUCMLoss()))


def _of_lightgbm(y: np.ndarray) -> Iterator[Way]:
    """Rounds of a booster with two leaves on a feature of two values, and its tree alone."""
    import lightgbm

    n = y.size
    sizes = [min(n, QUERY)] * max(1, n // QUERY)
    X = (np.arange(n) % 2).astype(float)[:, None]
    plain = {"verbosity": -1, "num_threads": 1, "num_leaves": 2, "metric": "None", "max_bin": 3}

    def rounds(**words: Any) -> Callable[[], object]:
        rows = lightgbm.Dataset(X, (y > 0).astype(int), group=sizes, params=plain)
        return lightgbm.Booster(plain | words, rows).update

    tree = "LightGBM, a tree"
    yield Way("LightGBM", "a tree", "", rounds(objective="regression"))
    yield Way(
        "LightGBM", "lambdarank", "of the first 30 rows", rounds(objective="lambdarank"), tree
    )
    if n * QUERY // 2 <= SLOWEST:
        whole = rounds(objective="lambdarank", lambdarank_truncation_level=QUERY)
        yield Way("LightGBM", "lambdarank, no truncation", "within 10⁴ rows", whole, tree)


def _of_xgboost(y: np.ndarray) -> Iterator[Way]:
    """Rounds of a booster of stumps on a feature of two values, and its tree alone."""
    import xgboost

    n = y.size
    X = (np.arange(n) % 2).astype(float)[:, None]

    def rounds(**words: Any) -> Callable[[], object]:
        rows = xgboost.QuantileDMatrix(X, (y > 0).astype(int), group=[n], nthread=1)
        booster = xgboost.Booster({"nthread": 1, "max_depth": 1, **words}, [rows])
        booster.update(rows, 0)
        numbers = iter(range(1, 10**6))
        return lambda: booster.update(rows, next(numbers))

    tree = "XGBoost, a tree"
    yield Way("XGBoost", "a tree", "", rounds(objective="reg:squarederror"))
    pairwise = {"objective": "rank:pairwise"}
    yield Way("XGBoost", "rank:pairwise", "of the first 32 rows", rounds(**pairwise), tree)
    if n * n // 2 <= SLOWEST:
        whole = rounds(**pairwise, lambdarank_num_pair_per_sample=n)
        yield Way("XGBoost", "rank:pairwise, every pair", "all", whole, tree)
