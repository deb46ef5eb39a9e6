"""The published descent of a linear model, replayed with the public functions of the AUM."""

import json

import numpy as np
import pytest
from paths import first_max_auc
from sequences import breakpoints

from aucbench import aum
from aucbench.data.breakpoints import Breakpoints

SETS = ("subtrain", "validation")


def at_most(count):
    """The best of so many crossings, row 0 and one that rounding sets apart from it counted."""
    return [lambda lines, m=m: aum.best_min(lines, max_events=m) for m in (count - 1, count - 2)]


SEARCHES = {  # of the recorded `maxIterations`
    "min.aum": [aum.first_min],
    "max.auc": [first_max_auc],
    40: at_most(40),
    200: at_most(200),
    781: [aum.best_min],
}
KINDS = """
    lm_minaum_thresh lm_minaum_steps lm_linear_thresh lm_quadratic_steps lm_maxauc_thresh
    lm_validation_search lm_rate_minaum lm_rate_linear
"""
NAMES = pytest.mark.parametrize("name", [f"e_{kind}" for kind in KINDS.split()])
# The best point of a line is a kink, where two scores are equal but for rounding: whether the
# published code takes the derivatives before it, behind it or at the tie is a matter of chance.
BESIDE = (0.0, -1e-9, 1e-9)
TIED = 9  # digits after which scores count as tied


class Replay:
    """The published descent: all weights that it may have had, with the derivatives there."""

    def __init__(self, sets, w, kind, searched=0):
        self.sets, self.searches, self.searched = sets, SEARCHES[kind], searched
        X, changes = sets[0]
        self.states = [(w, aum.aum_loss(changes, X @ w).gradient)]

    @classmethod
    def of(cls, inputs):
        sets = [rows(inputs, name) for name in SETS]
        w, searched = inputs["initial_weights"], inputs.get("line_search_set", "subtrain")
        return cls(sets, np.array(w), inputs["maxIterations"], SETS.index(searched))

    def measures(self, w):
        """(AUM, AUC) of each set."""
        pairs = [(b, X @ w) for X, b in self.sets]
        return np.array([(aum.aum_loss(b, s).value, aum.roc_auc(b, s)) for b, s in pairs])

    def step(self, wanted=None):
        """Go all ways; those alone that lead to the recorded AUM of both sets, if there is one."""
        found = {}
        for w, c in self.states:
            p = self.sets[0][0].T @ c
            for eta in {*self.lengths(w, p)}:
                after = w - eta * p
                aums = None if wanted is None else self.measures(after)[:, 0]
                if wanted is None or np.allclose(aums, wanted, rtol=1e-6, atol=0):
                    found |= {key: (after, c) for key, c in self.slopes(w, p, eta)}
        self.states = [*found.values()]

    def lengths(self, w, p):
        X, changes = self.sets[self.searched]
        for s in (X @ w, np.round(X @ w, TIED)):
            for search in self.searches:
                yield search(aum.Lines.of(changes, s, X @ p)).step

    def slopes(self, w, p, eta):
        """Derivatives at the kink and beside it, under a key that tells them apart."""
        X, changes = self.sets[0]
        beside = [X @ (w - eta * (1 + e) * p) for e in BESIDE]
        for s in (*beside, np.round(beside[0], TIED)):
            c = aum.aum_loss(changes, s).gradient
            yield (round(eta, 9), *np.round(X.T @ c, 9)), c


def rows(inputs, name):
    """Features and breakpoints of one set."""
    X, diffs = np.array(inputs[f"{name}_features"]), inputs[f"{name}_error_diff"]
    value, fp, fn = (np.array(diffs[c], dtype=float) for c in ("pred", "fp_diff", "fn_diff"))
    return X, breakpoints(diffs["example"], value, fp, fn, len(X))


def case(reference, name):
    recorded = json.loads((reference / "aum" / f"{name}.json").read_text())
    return recorded["inputs"], recorded["outputs"]


@NAMES
def test_published_learner_and_an_intercept_of_no_more_errors(reference, name):
    inputs, outputs = case(reference, name)
    loss = outputs["loss"]
    wanted = np.array([loss["aum"], loss["auc"]]).T.reshape(-1, 2, 2)
    run = Replay.of(inputs)

    np.testing.assert_allclose(run.measures(run.states[0][0]), wanted[0], rtol=1e-9)
    for t, row in enumerate(wanted[1:], 1):
        run.step(row[:, 0])
        assert run.states, f"no way leads to step {t}"

    X, changes = rows(inputs, "subtrain")
    s = X @ outputs["weights"]
    ours, published = aum.intercept_of_least_errors(changes, s), outputs["intercept"]
    assert errors(changes, s, ours) <= errors(changes, s, published) + 1e-12


def errors(changes, scores, constant):
    """Changes of FP + FN up to the constant, which is no threshold itself."""
    passed = changes.value - scores[changes.example] < constant
    return (changes.fp_diff + changes.fn_diff)[passed].sum()


def test_refit_after_cross_validation(reference):
    """Features scaled, the constant one dropped, weights 1, as many steps as the folds chose."""
    inputs, outputs = case(reference, "e_cv")
    X = np.array(inputs["features"])[:, np.array(outputs["keep"], dtype=bool)]
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    run = Replay([(X, Breakpoints.of_labels(inputs["labels"], "count"))], np.ones(2), "min.aum")

    for _ in range(outputs["best"]["step_number"]):
        run.step()

    reached = np.array([w for w, _ in run.states])
    assert np.abs(reached - outputs["weights_scaled"]).max(axis=1).min() < 1e-8
