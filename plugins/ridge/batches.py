"""The mini-batches of SPDAM: their blocks, how likely each is, and the step sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from aucbench.data.arrays import Block, Vector
from aucbench.errors import DataError
from aucbench.optim import top_eigenvalue

from .centred import CentredRows


@dataclass(frozen=True, slots=True)
class Batches:
    """The mini-batches to sample from.

    Attributes
    ----------
    norms : array of shape (B,)
        ‖X̄_b‖₂ of each block, or one bound for all batches.
    in_pass : float
        Number K of batches in a pass.
    blocks : list of blocks, optional
        The blocks. None: each batch is a sample of `size` rows, without replacement.
    rows, size : int
        Number of rows, and of rows in a batch.
    """

    norms: Vector
    in_pass: float
    blocks: list[Block] | None
    rows: int
    size: int

    @staticmethod
    def uniform(rows: CentredRows, m: int) -> Batches:
        """Return all batches of m rows, whose norm is at most R √m with R = max ‖x̄_i‖."""
        n = rows.data.n
        return Batches(np.array([rows.largest_norm() * sqrt(m)]), n / m, None, n, m)

    @staticmethod
    def partition(rows: CentredRows, m: int, rng: np.random.Generator) -> Batches:
        """Return a random partition into blocks of at most m rows."""
        n = rows.data.n
        blocks = rows.data.blocks(-(-n // m), rng)
        norms = np.array([_norm(rows, block, rng) for block in blocks])
        return Batches(norms, float(len(blocks)), blocks, n, m)

    def sample(self, chance: Vector, rng: np.random.Generator) -> Iterator[tuple[int, Block]]:
        """Draw batches for ever, each with the position of its norm."""
        while self.blocks is None:
            batch = rng.choice(self.rows, self.size, replace=False, shuffle=False)
            yield 0, np.sort(batch).astype(np.int32)
        while True:
            for b in rng.choice(len(self.blocks), len(self.blocks), p=chance):
                yield b, self.blocks[b]


def _norm(rows: CentredRows, block: Block, rng: np.random.Generator) -> float:
    """Return ‖X̄_B‖₂, with a margin because the search ends early."""
    value, _ = top_eigenvalue(
        lambda v: rows.pullback(rows.scores(v, block), block), rng.standard_normal(rows.data.d)
    )
    return sqrt(1.01 * value)


@dataclass(frozen=True, slots=True)
class StepSizes:
    """How likely each batch is, and σ, τ and θ of Theorem 4.1 in a consistent scale.

    With μ = λ/2, the modulus of g, K batches in a pass, κ_b = ‖X̄_b‖²/(nμ) and
    q_b = 1 − 1/K + √((1 − 1/K)² + 4κ_b): p_b ∝ q_b, σ_b = q_b/(4κ_b), 1/τ = μ Σ q_b,
    θ = 1/(1 + 2τμ). For equal κ = mR²/(nμ), with m = n/K, this is
    σ = μ[(n − m) + √((n − m)² + 4nmR²/μ)]/(4mR²), τ = 1/(4σR²).
    The theorem prints σ without the factor μ, and with 8 for 4. This form needs no division by R,
    which is 0 where all rows equal the mean of their class.

    Attributes
    ----------
    chance : array of shape (B,)
        p_b, which sum to B/K.
    share : array of shape (B,)
        σ_b/(1 + σ_b).
    pull : float
        1/τ.
    theta : float
        θ.
    """

    chance: Vector
    share: Vector
    pull: float
    theta: float

    @staticmethod
    def of(lam: float, n: int, batches: Batches) -> StepSizes:
        """Return the steps for the ridge `lam`.

        Raises
        ------
        DataError
            When ‖X̄_b‖²/λ overflows.
        """
        mu, others = 0.5 * lam, 1.0 - 1.0 / batches.in_pass
        with np.errstate(over="ignore"):
            bend = 4.0 * batches.norms * (batches.norms / n / mu)
            q = others + np.sqrt(others * others + bend)
        if not np.isfinite(q).all():
            raise DataError(
                f"rows of length {batches.norms.max():.3g} from their class mean are too long for "
                f"a ridge of {lam}; scale the features, as the feature map maxabs does"
            )
        total = batches.in_pass * float(q.mean())
        even = np.full(q.size, 1.0 / batches.in_pass)
        return StepSizes(
            np.divide(q, total, out=even, where=q > 0.0),
            np.divide(q, q + bend, out=np.ones(q.size), where=bend > 0.0),
            mu * total,
            total / (total + 2.0),
        )
