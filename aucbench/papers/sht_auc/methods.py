"""The seven methods of the paper with their grids, and the simulated sets.

Design
  a. The clean protocol takes the grids that the paper prints, and each method as it is here: with
     its own step where the paper tunes none, and with its own output.
  b. The protocol of the published code takes what that code does: features standardised by all
     rows before the split, hard thresholds that keep k − 1 weights, and fixed steps. Its gradient
     of the pairwise square is p(1 − p) times that of the paper, so that its step of 1 is a γ of
     p(1 − p). SPAM returns its last weights, and rows are visited in file order.
"""

from __future__ import annotations

from aucbench.bench.plan.fields import Choice
from aucbench.papers.parts import AUC, Protocol
from aucbench.papers.results import TRUNCATED

# As published, for rows of length 1: the code scales each row to this length, which the paper does
# not say. With rows that are standardised only, ‖x‖² is about 1000, and the steps are far too long.
CLEAN_MAP = "standard+unit"
LEAKY_MAP = "unit"  # of rows that `whole` has standardised

SPARSITIES = tuple(range(10, 101, 10))
BLOCKS = (1, 2, 4, 8, 10)
STEPS = tuple(range(1, 101, 9))  # ξ, as [1:9:100]
CODE_STEPS = tuple(10.0**e for e in range(-5, 3))  # ξ of SPAM in the code
PENALTIES = tuple(10.0**e for e in range(-5, 3))
RADII = tuple(10.0**e for e in range(-1, 6))
FIRST_STEPS = tuple(2.0**e for e in range(-10, 11))  # η₁ of FSAUC
FIRST_BATCHES = (1.0, 10.0, 100.0, 1000.0)  # τ of HSG-HT: in the code, not in the paper

SHT, STO, HSG = "SHT-AUC", "StoIHT", "HSG-HT"
THRESHOLDED = frozenset({SHT, STO, HSG})  # their weights have exact zeros
FOR_AUC = (SHT, "SPAM-ℓ1", "SPAM-ℓ2", "FSAUC", "SOLAM")
PASSES = 50.0  # as in the published code; the paper does not say it


def methods(protocol: Protocol, r: float) -> dict[str, Choice]:
    """Return the methods by the names of the paper, in its order; r is the share of positives."""
    if protocol is Protocol.CLEAN:
        return {
            SHT: Choice("sht-auc", {"k": SPARSITIES, "blocks": BLOCKS}),
            "SPAM-ℓ1": Choice("spam-l1", {"xi": STEPS, "l1": PENALTIES}),
            "SPAM-ℓ2": Choice("spam-l2", {"xi": STEPS, "l2": PENALTIES}),
            "FSAUC": Choice("fsauc", {"eta": FIRST_STEPS, "R": RADII}),
            "SOLAM": Choice("solam", {"xi": STEPS, "R": RADII}),
            STO: Choice("sto-iht", {"k": SPARSITIES, "blocks": BLOCKS}),
            HSG: Choice("hsg-ht", {"tau": FIRST_BATCHES, "k": SPARSITIES}),
        }
    fewer = tuple(k - 1 for k in SPARSITIES)
    last = "average=False,shuffle=False"
    return {
        SHT: Choice(f"sht-auc[gamma={code_step(r)}]", {"k": fewer, "blocks": BLOCKS}),
        "SPAM-ℓ1": Choice(f"spam-l1[{last}]", {"xi": CODE_STEPS, "l1": PENALTIES}),
        "SPAM-ℓ2": Choice(f"spam-l2[{last}]", {"xi": CODE_STEPS, "l2": PENALTIES}),
        "FSAUC": Choice("fsauc[kappa=1.0,shuffle=False]", {"eta": FIRST_STEPS, "R": RADII}),
        "SOLAM": Choice("solam[shuffle=False]", {"xi": STEPS, "R": RADII}),
        STO: Choice("sto-iht[gamma=1.0,centre=False]", {"k": fewer, "blocks": BLOCKS}),
        HSG: Choice("hsg-ht[gamma=3.0,centre=False]", {"tau": FIRST_BATCHES, "k": fewer}),
    }


def code_step(r: float, c: float = 1.0) -> float:
    """Return the γ that the step c of the published code amounts to: c r (1 − r)."""
    return round(c * r * (1.0 - r), 10)


def simulated(k: int, r: float, trials: int, protocol: Protocol) -> tuple[str, ...]:
    """Return the data sets of the trials with k relevant features and a share r of positives."""
    sets = [f"outbreak[k={k},r={r},seed={trial}]" for trial in range(trials)]
    return tuple(sets if protocol is Protocol.CLEAN else [f"whole[data={name}]" for name in sets])


def measured_as(measure: str, method: str) -> str:
    """Return how a measure is taken of a method: small weights count as 0 where none is 0."""
    return measure if measure == AUC or method in THRESHOLDED else f"{measure}{TRUNCATED}"


CLEAN_NOTES = (
    "Protocol: each trial is a data set of its own, n = d = 1000, with five folds. Features are "
    "standardised by the training rows, and then each row is scaled to length 1. The published "
    "code scales rows in this way, and the paper's grids of steps need it; the paper does not say "
    "it. Hyperparameters are chosen by the AUC of inner folds of the training rows.",
    "The code gives every method 50 passes and stops one earlier when its weights change by less "
    "than 1e-4. The paper does not say either. Here all get 50 passes.",
    "SHT-AUC and StoIHT take the step 1/(2L̂), and HSG-HT takes 1/L̂, where L̂ is the largest "
    "curvature of a block. The paper prints no steps. SPAM and SOLAM return means of their "
    "weights, as their papers do; the code returns the last weights of SPAM.",
    "The paper tunes k of HSG-HT alone. The code also tries the first batch τ = 1, 10, 100 and "
    "1000, as here.",
)
PUBLISHED_NOTES = (
    "Protocol of the published code: features are standardised by all rows before the split, "
    "which leaks; then each row is scaled to length 1. A trial has five random test sets of a "
    "fifth of the rows, which overlap. Hard thresholds keep k − 1 weights.",
    "The code multiplies the gradient of the pairwise square by p(1 − p), so that its step of 1 is "
    "γ = p(1 − p) here. StoIHT has the step 1, HSG-HT the step 3 and features that are not "
    "centred. SPAM returns its last weights and has the grid of the code, ξ in 10^-5 … 10^2.",
    "Still different from the code: test sets and inner folds keep the shares of the classes, no "
    "fit stops early, blocks are drawn from a random permutation, and the batches of HSG-HT grow "
    "over the whole fit, not anew in each pass.",
)
