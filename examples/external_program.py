"""A solver that is another program: it gets the rows in a file, and leaves the weights in one.

    cc -O2 -o pairwise-sgd examples/pairwise_sgd.c -lm
    PATH="$PWD:$PATH" aucbench check examples/external_program.py:PairwiseSgd

To wrap a program of your own, change `command`, and `weights` if it writes another format.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import dump_svmlight_file

from aucbench.about import about
from aucbench.contract import Budget, Problem, Solver, State, count_rows
from aucbench.data import Vector
from aucbench.errors import ParameterError, require_above
from aucbench.ranges import Range

PASSES = 50.0  # of a fit that only seconds limit, or nothing


@about("showing how a program in another language becomes a solver")
@dataclass(frozen=True)
class PairwiseSgd(Solver):
    """w ← w + γ/√t (x₊ − x₋) for random pairs with w·(x₊ − x₋) < 1, by another program.

    The id of a cell depends on these parameters and on the files of this package, and not on a
    program outside of it: after a change of the program, give it another name, such as
    pairwise-sgd-2, or ship it inside of the package.

    Parameters
    ----------
    gamma : float
        Length γ > 0 of the first step, in units of w / x.
    program : str
        A path, or a name in a folder of PATH.
    limit : float
        Seconds after which the program is killed.

    Raises
    ------
    ParameterError
        When there is no such program, or a number is not greater than 0.
    """

    gamma: float = 0.1
    program: str = "pairwise-sgd"
    limit: float = 600.0

    space = {"gamma": Range(1e-3, 10.0, log=True)}

    def __post_init__(self) -> None:
        require_above(0, gamma=self.gamma, limit=self.limit)
        if which(self.program) is None:
            raise ParameterError(
                f"there is no program {self.program!r}; compile examples/pairwise_sgd.c, and give "
                "the path of the program, or add its folder to PATH"
            )

    def iterates(
        self, problem: Problem, w0: Vector, rng: np.random.Generator, budget: Budget
    ) -> State:
        """Return the weights of one run of the program, whose files are removed.

        A pair is two rows, so that the program gets as many pairs as the passes of the budget have.
        """
        data = problem.data
        pairs = ceil((budget.passes or PASSES) * data.n / 2)
        with TemporaryDirectory() as folder:
            rows, weights = Path(folder, "rows.svm"), Path(folder, "weights.txt")
            dump_svmlight_file(data.rows.matrix, data.y, str(rows), zero_based=False)
            self.run(self.command(rows, weights, data.d, pairs, int(rng.integers(2**31))))
            count_rows(2 * pairs)
            return State(self.weights(weights, data.d))

    def command(self, rows: Path, weights: Path, d: int, pairs: int, seed: int) -> list[object]:
        """Return the words of the command line."""
        return [self.program, rows, weights, d, pairs, self.gamma, seed]

    def run(self, command: list[object]) -> None:
        """Run the program to its end.

        Raises
        ------
        RuntimeError
            When it fails; the message has the last line that it wrote.
        TimeoutError
            When it takes longer than `limit`.
        """
        words = [str(word) for word in command]
        try:
            done = subprocess.run(
                words, check=False, capture_output=True, text=True, timeout=self.limit
            )
        except subprocess.TimeoutExpired as late:
            raise TimeoutError(
                f"{self.program} took longer than {self.limit} seconds; raise limit"
            ) from late
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise RuntimeError(f"{self.program} ended with {done.returncode}: {''.join(said)}")

    def weights(self, path: Path, d: int) -> Vector:
        """Return the numbers of a file, one a line.

        Raises
        ------
        ValueError
            When they are not d numbers.
        """
        w = np.loadtxt(path, dtype=np.float64, ndmin=1)
        if w.shape != (d,):
            raise ValueError(f"{self.program} wrote {w.size} weights, and there are {d} features")
        return w
