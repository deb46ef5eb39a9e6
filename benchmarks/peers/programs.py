"""Programs of others, by a path in the environment: how each is called, and what it leaves.

| variable | program |
|---|---|
| RANKSVM | `train` of liblinear-ranksvm 2.11 (Lee and Lin): squared hinge over all pairs |
| SVM_PERF | `svm_perf_learn` 3.00 (Joachims): hinge over all pairs |
| SOFIA | `sofia-ml` (Sculley): stochastic steps on pairs |
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import dump_svmlight_file

from benchmarks.peers.process import LIMIT, program

VARIABLES = ("RANKSVM", "SVM_PERF", "SOFIA")


class Learnt(NamedTuple):
    """Weights of a program, its CPU seconds without reading its file, and its peak of memory."""

    w: np.ndarray
    seconds: float
    megabytes: float


def given(variable: str) -> str | None:
    """Return the path of a program; None when the environment names none.

    Raises
    ------
    FileNotFoundError
        When the path is no program.
    """
    path = os.environ.get(variable)
    if path and not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{variable}={path} is no program; give the path of one")
    return path or None


def write_rows(X: object, y: np.ndarray, path: Path) -> Path:
    """Write rows as svmlight text; a line ends with a space, which sofia-ml looks for."""
    plain = path.with_suffix(".plain")
    dump_svmlight_file(X, y, str(plain), zero_based=False)
    with plain.open(encoding="ascii") as source, path.open("w", encoding="ascii") as target:
        target.writelines(f"{line.rstrip()} \n" for line in source)
    plain.unlink()
    return path


def ranksvm(path: str, rows: Path, d: int, C: float, limit: int = LIMIT) -> Learnt | None:
    """Minimise C Σ [1 − w·(x_i − x_j)]₊² + ‖w‖²/2 at the default tolerance.

    With a tolerance above 1 it stops after reading and one evaluation, which is subtracted.
    """
    model = rows.with_suffix(".ranksvm")
    command = [path, "-s", "8", "-c", repr(C)]
    reading = program([*command, "-e", "2", str(rows), str(model)], limit)
    done = program([*command, str(rows), str(model)], limit)
    if reading is None or done is None:
        return None
    lines = model.read_text(encoding="ascii").split("\nw\n")[1].split()
    seconds = max(done.seconds - reading.seconds, 0.0)
    # Its scores rise with the label, whatever the order of the classes in the file.
    return Learnt(padded(np.array(lines, dtype=np.float64), d), seconds, done.megabytes)


def svm_perf(path: str, rows: Path, d: int, C: float, limit: int = LIMIT) -> Learnt | None:
    """Minimise 100 C times the mean hinge of all pairs + ‖w‖²/2; its own clock leaves out reading.

    Options: -l 10, the share of swapped pairs; -w 3, the dual with one slack.
    """
    model = rows.with_suffix(".svm_perf")
    command = [path, "-l", "10", "-w", "3", "-c", repr(C), str(rows), str(model)]
    if (done := program(command, limit)) is None:
        return None
    found = re.search(r"Runtime in cpu-seconds: ([\d.]+)", done.text)
    if found is None:
        raise RuntimeError(f"{path} did not tell its runtime: {done.text[-500:]}")
    return Learnt(svm_light_weights(model, d), float(found[1]), done.megabytes)


def sofia(path: str, rows: Path, d: int, steps: int, limit: int = LIMIT) -> Learnt | None:
    """Take Pegasos steps on random pairs of a positive and a negative row, λ = 10⁻⁴."""
    model = rows.with_suffix(".sofia")
    told = ["--learner_type", "pegasos", "--loop_type", "roc", "--lambda", "0.0001"]
    told += ["--iterations", str(steps), "--dimensionality", str(d + 1), "--no_bias_term"]
    told += ["--random_seed", "1", "--training_file", str(rows), "--model_out", str(model)]
    if (done := program([path, *told], limit)) is None:
        return None
    found = re.search(r"Time to complete training: ([\d.e+-]+)", done.text)
    if found is None:
        raise RuntimeError(f"{path} did not tell its time: {done.text[-500:]}")
    w = np.array(model.read_text(encoding="ascii").split(), dtype=np.float64)
    return Learnt(padded(w[1:], d), float(found[1]), done.megabytes)


def svm_light_weights(model: Path, d: int) -> np.ndarray:
    """Return Σ α_i x_i over the support vectors of a linear model of SVM-light."""
    w = np.zeros(d)
    text = model.read_text(encoding="ascii")
    for line in text.partition("starting with alpha*y)\n")[2].splitlines():
        alpha, *pairs = line.partition("#")[0].split()
        for pair in pairs:
            column, value = pair.split(":")
            w[int(column) - 1] += float(alpha) * float(value)
    return w


def padded(w: np.ndarray, d: int) -> np.ndarray:
    """Return weights of all features; a program knows none after the last that is stored."""
    return np.pad(w, (0, d - w.size))
