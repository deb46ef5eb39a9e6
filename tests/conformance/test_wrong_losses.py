"""Losses that are wrong on purpose are found by their law; right ones are named, and break none."""

import numpy as np
import pytest
from broken_laws import assert_found, verdict

from aucbench.errors import UnknownNameError
from aucbench.losses import PairLoss
from aucbench.testing import LAWS, Verdict, check
from aucbench.testing.foreign import ForeignLoss
from aucbench.testing.subjects import named


@pytest.fixture(scope="module")
def torch():
    """Torch, which takes seconds to import."""
    return pytest.importorskip("torch", reason="torch is not installed: an extra of aucbench")


LOSSES = ["squared-hinge", "hinge", "logistic", "square", "aum"]


def dense(phi, count=None, keep=None):
    """Return the mean of phi(z) over all pairs, by a matrix; phi returns values and slopes."""

    def f(scores, labels):
        up, down = (np.flatnonzero(side) for side in (labels > 0, labels <= 0))
        z = scores[up][:, np.newaxis] - scores[down]
        value, slope = phi(z)
        share = np.broadcast_to(1.0 if keep is None else keep(z), z.shape)
        share = share / (count(up.size, down.size) if count else max(z.size, 1))
        g = np.zeros(scores.size)
        g[up], g[down] = (share * slope).sum(axis=1), -(share * slope).sum(axis=0)
        return (share * value).sum(), g

    return f


def bend(z, m=1.0):
    x = np.maximum(m - z, 0.0)
    return x * x, -2.0 * x


def line(z, m=1.0):
    return np.maximum(m - z, 0.0), -1.0 * (z < m)


def exponential(z):
    return np.exp(-z), -np.exp(-z)


def naive_logistic(z):
    return np.log(1.0 + np.exp(-z)), -1.0 / (1.0 + np.exp(z))


right = dense(bend)


def mean_of(side, scores, labels):
    return scores[labels > 0 if side > 0 else labels <= 0]


def square_of_means(share=None, within=None):
    """Return the square loss by means and variances, with mistakes in a term."""

    def f(scores, labels):
        up, down = (mean_of(side, scores, labels) for side in (1, -1))
        a, b = (x(up.size, down.size) if x else 1.0 for x in (share, within))
        return (1.0 + a * down.mean() - up.mean()) ** 2 + up.var() + b * down.var()

    return f


def doubled(scores, labels):
    value, g = right(scores, labels)
    return value, 2.0 * g


def by_sorting(scores, labels):
    """The gradient of the AUM where no scores are tied: equal rows get those of their places."""
    value, g = right(scores, labels)
    return value, g * (1.0 + 0.1 * np.argsort(np.argsort(scores, kind="stable")) / scores.size)


class Counting:
    def __init__(self):
        self.average = 0.0

    def value_and_gradient(self, scores, labels):
        value, g = right(scores, labels)
        self.average = 0.9 * value + 0.1 * self.average
        return self.average, 0.9 * g


def of_empty_means(scores, labels):
    with np.errstate(invalid="ignore"):
        return right(scores, labels)[0] + 0.0 * (scores[labels > 0].sum() / (labels > 0).sum())


def with_deviation(scores, labels):
    up = scores[labels > 0]
    if not np.ptp(labels):
        return 0.0
    deviations = (up - up.mean()) ** 2
    return right(scores, labels)[0] + 0.0 * deviations.sum() / (up.size - 1)


def of_zeros_and_ones(scores, labels):
    z = scores[labels == 1][:, np.newaxis] - scores[labels == 0]
    return bend(z)[0].sum() / max(z.size, 1)


def broadcasting(scores, labels):
    z = (scores[:, np.newaxis] - scores).reshape(scores.size, -1)[:, : scores.size]
    pairs = (labels[:, np.newaxis] > labels).reshape(scores.size, -1)[:, : scores.size]
    return (bend(z)[0] * pairs).sum() / max(pairs.sum(), 1) * np.ndim(scores)


WARNING = Verdict.WARNING
SHARE = square_of_means(share=lambda m, n: n / (m + n))
WRONG = {
    "a vector": ("declared", "no way to call it", lambda scores, labels: scores),
    "another loss": ("exact-loss", "none of the exact losses", dense(exponential), WARNING),
    "twice the gradient": ("gradient", "differences of its values", doubled),
    "a share in the cross term": ("offsets", "distinct scores +1", SHARE),
    "a factor of a class": ("repeated-rows", "twice it is", square_of_means(within=np.divide)),
    "rows for pairs": (
        "repeated-rows",
        "0.5 with each negative twice",
        dense(bend, count=lambda m, n: m * n * n),
        WARNING,
    ),
    "ties left out": ("ties", "ties in 202 of 1664 pairs", dense(bend, keep=lambda z: z != 0)),
    "gradients of ties": ("ties", "gradients of equal rows", by_sorting),
    "a moving average": ("repeatable", "called again", Counting()),
    "an empty mean": ("one-class", "negatives only: it gave nan", of_empty_means),
    "a deviation": ("one-class", "one positive: it gave nan", with_deviation),
    "an overflow": ("separated", "-1000, negatives at 1000: it gave inf", dense(naive_logistic)),
    "labels 0 and 1 only": ("labels-and-shapes", "labels -1 and 1", of_zeros_and_ones),
    "a matrix": ("labels-and-shapes", "scores (n, 1)", broadcasting),
    "all pairs at once": ("many-rows", "at this rate 100000 rows take", right),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_loss_is_found(name):
    law, words, loss, *wanted = WRONG[name]
    assert_found("losses", ForeignLoss(loss), law, words, *wanted)


def test_each_law_of_losses_finds_one():
    assert {law for law, *_ in WRONG.values()} | {"leaves-nothing"} == {
        law.name for law in LAWS["losses"]
    }


def assert_right(thing, words):
    """No law is broken, and the exact loss is that of these words."""
    found = check(thing)
    assert {f.verdict for f in found} <= {Verdict.HOLDS, Verdict.NOT_ASKED}, found
    [exact] = [f.reason for f in found if f.law == "exact-loss"]
    assert exact == f"it is {words}"


MARGINS = {"aum": "", "logistic": " of z / 1"}


@pytest.mark.parametrize("loss", LOSSES)
def test_our_losses_break_no_law(loss):
    words = f"the {loss}{MARGINS.get(loss, ' with margin 1')}"
    assert_right(PairLoss(loss), words)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.usefixtures("torch")
def test_our_losses_of_torch_break_no_law(loss):
    words = f"the {loss}{MARGINS.get(loss, ' with margin 1')}"
    assert_right(f"aucbench.losses.torch:PairLoss[{loss}]", words)


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (dense(lambda z: bend(z, 0.5)), "the squared-hinge with margin 0.5"),
        (dense(lambda z: line(z, 2.0), count=lambda m, n: 1), "108 times the hinge with margin 2"),
        (dense(lambda z: naive_logistic(4.0 * z)), "the logistic of z / 0.25"),
        (lambda s, y: (square_of_means()(s, y), None), "the square with margin 1"),
        (lambda s, y: right(s.astype(np.float32), y), "the squared-hinge with margin 1"),
    ],
)
def test_an_exact_loss_is_named_with_margin_and_factor(loss, words):
    finding = verdict("losses", ForeignLoss(loss), "exact-loss")
    assert (finding.verdict, finding.reason) == (Verdict.HOLDS, f"it is {words}")


FILE = """
def mean(scores, labels, margin=1.0):
    z = scores[labels > 0][:, None] - scores[labels <= 0]
    return (margin - z).clip(0).mean()
"""


HELPED = """
from aucbench.projectors import L2Ball

class Ball(L2Ball): pass

class Hinge:
    def value_and_gradient(self, scores, labels): return 0.0, 0.0 * scores
"""


def test_a_loss_in_a_file_has_parameters(tmp_path):
    (tmp_path / "hinge_of_mine.py").write_text(FILE)
    for target, margin in (("", "1"), ("[margin=0.5]", "0.5")):
        [subject] = named(f"{tmp_path}/hinge_of_mine.py:mean{target}")
        assert subject.kind == "losses"
        reason = verdict("losses", subject.build(), "exact-loss").reason
        assert reason == f"it is the hinge with margin {margin}"
    with pytest.raises(UnknownNameError, match="margn"):
        named(f"{tmp_path}/hinge_of_mine.py:mean[margn=2]")
    (tmp_path / "two_of_mine.py").write_text(FILE + HELPED)
    [subject] = named(f"{tmp_path}/two_of_mine.py")  # a loss beside a plugin helps it
    assert subject.kind == "projectors"
    [subject] = named("aucbench.losses:PairLoss[hinge]")
    assert subject.name == "aucbench.losses:PairLoss[hinge]"
    assert subject.build().thing.loss == "hinge"


# --- modules of torch ------------------------------------------------------------------------


def aucm(torch, share=False, nonzero=False):
    """The AUC margin loss: min over a, b and max over alpha of E(s₊ − a)² + E(s₋ − b)² +
    2 alpha (1 + E s₋ − E s₊) − alpha²; its value is the square loss over pairs.
    """

    class Margin(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name in ("a", "b", "alpha"):
                setattr(self, name, torch.nn.Parameter(torch.zeros(1)))

        def mean(self, x, side):
            return (x * side).sum() / (torch.count_nonzero(x * side) if nonzero else side.sum())

        def forward(self, scores, labels):
            scores, labels = scores.reshape(-1), labels.reshape(-1)
            up, down = (labels > 0).to(scores.dtype), (labels <= 0).to(scores.dtype)
            factor = down.mean() if share else 1.0
            within = self.mean((scores - self.a) ** 2, up) + self.mean((scores - self.b) ** 2, down)
            apart = 1.0 + factor * self.mean(scores, down) - self.mean(scores, up)
            return within + 2.0 * self.alpha * apart - self.alpha**2

    return ForeignLoss(Margin)


def test_parameters_of_a_saddle_are_moved_to_it(torch):
    loss = aucm(torch)
    known = {law.name: verdict("losses", loss, law.name) for law in LAWS["losses"][1:-1]}
    assert "a, b, alpha are where it is stationary" in known["declared"].reason
    assert known["exact-loss"].reason == "it is the square with margin 1"
    broken = {name for name, finding in known.items() if finding.verdict is Verdict.BROKEN}
    assert broken == {"one-class"}  # 0 / 0
    assert [float(p) for p in loss.thing.parameters()] == [0.0, 0.0, 0.0]


def test_wrong_terms_of_a_saddle_are_found(torch):
    assert_found("losses", aucm(torch, share=True), "offsets", "distinct scores +1")
    assert_found("losses", aucm(torch, nonzero=True), "separated", "negatives at 0: it gave nan")


def test_parameters_without_a_saddle_stay(torch):
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(()))

        def forward(self, scores, labels):
            z = scores[labels > 0][:, None] - scores[labels <= 0]
            return self.scale.exp() * (1.0 - z).clamp(min=0).mean()

    finding = verdict("losses", ForeignLoss(Scaled), "declared")
    assert "its parameters scale are as they are" in finding.reason


def test_a_loss_may_be_a_function_of_tensors_with_labels_minus_one(torch):
    def of_tensors(scores, labels):
        return torch.relu(1.0 - scores[labels == 1][:, None] + scores[labels == -1]).mean()

    loss = ForeignLoss(of_tensors)
    known = {law.name: verdict("losses", loss, law.name) for law in LAWS["losses"]}
    assert known["declared"].reason == "it takes tensors of float64 (n,), labels -1 and 1"
    assert known["exact-loss"].reason == "it is the hinge with margin 1"
    broken = {name for name, one in known.items() if one.verdict is Verdict.BROKEN}
    assert broken == {"one-class", "labels-and-shapes", "many-rows"}


def test_a_loss_without_a_finite_value_is_none_of_ours():
    loss = ForeignLoss(lambda scores, labels: np.inf * (scores[labels > 0].sum() + 9.0))
    assert_found("losses", loss, "declared", "the scores: it gave inf, wanted a finite number")
    assert_found("losses", loss, "exact-loss", "it is nan to nan times", WARNING)


def test_a_loss_may_take_numbers_of_rows_and_float32_only(torch):
    class Averaging(torch.nn.Module):
        def __init__(self, rows=200_000):
            super().__init__()
            self.u = torch.zeros(rows)

        def forward(self, scores, labels, index):
            z = scores[labels > 0][:, None] - scores[labels <= 0]
            each = (1.0 - z).clamp(min=0).mean(1)
            at = index[labels > 0]
            self.u[at] = 0.1 * self.u[at] + 0.9 * each.detach()
            return (each * self.u[at]).mean()

    loss = ForeignLoss(Averaging)
    assert verdict("losses", loss, "declared").reason == (
        "it takes tensors of float32 (n,), labels 0 and 1, and the numbers of the rows"
    )
    assert_found("losses", loss, "repeatable", "called again")
    assert_found("losses", loss, "gradient", "differences of its values")
