"""The module of torch gives the loss and the gradient of the kernels, and refuses the rest."""

import warnings

import numpy as np
import pytest
from refusals import assert_refused, refusals

from aucbench.errors import DataError, UnsupportedError
from aucbench.losses import PairLoss as OfArrays
from aucbench.losses.pair_loss import BoundLoss
from aucbench.pairs import Fpr

torch = pytest.importorskip("torch", reason="torch is an extra; make nightly installs it")
pytest.importorskip("torch.fx.experimental.symbolic_shapes")  # which gradcheck imports, slowly

from aucbench.losses.torch import PairLoss, by_torch  # noqa: E402  # needs torch

LOSSES = ("squared-hinge", "hinge", "logistic", "square")
KINDS = [
    *((loss, pairs) for loss in LOSSES for pairs in ("all", "group", "survival", "grades")),
    *((loss, pairs) for loss in LOSSES[:3] for pairs in ("fpr", Fpr(max=0.5, rest=0.3))),
    ("aum", "all"),
]
ON_DEVICES = [(loss, pairs) for loss, pairs in KINDS if loss != "logistic" and pairs != "fpr"]
ON_DEVICES = [(loss, pairs) for loss, pairs in ON_DEVICES if isinstance(pairs, str)]


def rows(pairs, n=24, seed=0):
    """A target for these pairs, and groups where they are needed."""
    rng = np.random.default_rng(seed)
    if pairs == "survival":
        return rng.choice([-1.0, 1.0], n, p=[0.3, 0.7]) * rng.integers(1, n // 2 + 2, n), None
    if pairs == "grades":
        return rng.integers(0, 4, n), np.arange(n) % 3
    y = (rng.random(n) < 0.4).astype(int)
    y[:6] = 1, 0, 1, 0, 1, 0
    return y, np.arange(n) // 6 if pairs == "group" else None


def scores(n=24, seed=1, *, dtype=None):
    made = torch.tensor(np.random.default_rng(seed).normal(size=n))
    return made.to(dtype or torch.float64).requires_grad_()


@pytest.mark.parametrize(("loss", "pairs"), KINDS)
def test_gradients_are_those_of_differences_and_of_the_kernels(loss, pairs):
    (target, groups), module, s = rows(pairs), PairLoss(loss, pairs), scores()
    weights = None if loss == "aum" else np.linspace(0.5, 2.0, s.numel())
    assert torch.autograd.gradcheck(lambda x: module(x, target, groups, weights), (s,))
    value = module(s, target, groups, weights)
    (3.0 * value).backward()
    wanted = OfArrays(loss, pairs, weights).value_and_gradient(s.detach().numpy(), target, groups)
    assert value.item() == wanted[0]
    np.testing.assert_array_equal(s.grad, 3.0 * wanted[1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_loss_and_its_gradient_have_the_type_of_the_scores(dtype):
    (y, _), s = rows("all"), scores(dtype=dtype)
    value = PairLoss()(s, torch.tensor(y))
    value.backward()
    wanted = OfArrays().value_and_gradient(s.detach().double().numpy(), y)
    assert value.dtype == s.grad.dtype == dtype
    assert value == torch.tensor(wanted[0], dtype=dtype)
    assert torch.equal(s.grad, torch.tensor(wanted[1]).to(dtype))


@pytest.mark.parametrize("shape", ["column", "every second", "of a batch"])
def test_scores_of_any_layout(shape):
    (y, _), wide = rows("all"), torch.tensor(np.random.default_rng(0).normal(size=(24, 2)))
    wide.requires_grad_()
    s = {"column": lambda: wide[:, :1], "every second": lambda: wide.view(-1)[::2],
         "of a batch": lambda: wide.sum(dim=1, keepdim=True)}[shape]()  # fmt: skip
    PairLoss("hinge")(s, y).backward()
    c = OfArrays("hinge").value_and_gradient(s.detach().numpy().reshape(-1), y)[1]
    both = shape == "of a batch"
    np.testing.assert_array_equal(wide.grad, np.stack([c, c if both else 0.0 * c], axis=1))


def test_the_kernels_read_the_scores_where_they_are(monkeypatch):
    (y, _), s, read = rows("all"), scores(), []
    plain = BoundLoss.value_and_gradient
    monkeypatch.setattr(
        BoundLoss, "value_and_gradient", lambda bound, x: read.append(x) or plain(bound, x)
    )
    PairLoss()(s, y)
    assert np.shares_memory(read[0], s.detach().numpy())


def test_second_derivatives_are_refused():
    (y, _), s = rows("all"), scores()
    value = PairLoss()(s, y)
    assert_refused(lambda: value.backward(create_graph=True), UnsupportedError, "curvature")


@refusals(
    ("whole numbers", lambda: PairLoss()(torch.arange(24), rows("all")[0]), DataError, "floats"),
    ("two columns", lambda: PairLoss()(scores(48).view(24, 2), rows("all")[0]), DataError, "48"),
    ("infinity", lambda: PairLoss()(scores() / 0.0, rows("all")[0]), DataError, "finite"),
    *((name, lambda at=at: by_torch(OfArrays(*at).bind(rows("all")[0]), scores()),
       UnsupportedError, "cpu()")
      for name, at in {"logistic": ("logistic",), "range": ("hinge", "fpr")}.items()),
)  # fmt: skip
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


@pytest.mark.parametrize("y", [np.ones(24), np.zeros(24), np.empty(0)])
def test_a_batch_of_one_class_costs_nothing_and_one_warning(y):
    module, s = PairLoss("hinge"), scores(y.size)
    with pytest.warns(UserWarning, match="both classes"):
        value = module(s, y)
    value.backward()
    assert value.item() == 0.0
    assert torch.equal(s.grad, torch.zeros_like(s))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert module(s, y).item() == 0.0
        assert module(scores(), rows("all")[0]).item() > 0.0


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e6, -1e6])
@pytest.mark.parametrize(("loss", "pairs"), ON_DEVICES)
def test_sums_of_torch_are_those_of_the_kernels(loss, pairs, offset, ties):
    n, rng = 600, np.random.default_rng(3)
    target, groups = rows(pairs, n)
    weights = None if loss == "aum" else rng.integers(1, 5, n).astype(float)
    s = offset + (np.round(2.0 * rng.normal(size=n)) / 2.0 if ties else rng.normal(size=n))
    bound = OfArrays(loss, pairs, weights).bind(target, groups)
    value = by_torch(bound, x := torch.tensor(s, requires_grad=True))
    [c] = torch.autograd.grad(value, x)
    wanted = bound.value_and_gradient(s)
    assert value.item() == pytest.approx(wanted[0], rel=1e-11)
    np.testing.assert_allclose(c, wanted[1], rtol=1e-9, atol=1e-13 * np.abs(wanted[1]).max())
