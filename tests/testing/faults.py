"""Sixty plugins with one mistake each, and twenty without: which law finds which.

`python -m tests.testing.faults` checks all of them as `aucbench check` does, `--thorough` as with
this option, and writes the table; `--right` does so with those without a mistake, and with all
that aucbench registers itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Fault:
    """A plugin, what is wrong with it, and the law that must find it."""

    target: str  # file:name below this folder
    wrong: str
    law: str
    thorough: bool = False  # whether only `--thorough` must find it

    @property
    def name(self) -> str:
        """What it is called in the table."""
        return self.target.partition(".py:")[2] or Path(self.target).stem


def _of(file: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[Fault]:
    for name, *rest in rows:
        yield Fault(f"wrong/{file}.py:{name}" if name else f"wrong/{file}.py", *rest)


FAULTS = (
    *_of(
        "solvers",
        (
            ("FrozenAfterPass3", "w stays as it is after pass 3", "optimum"),
            ("WrongStepAfterPass20", "the step is too long after pass 20", "optimum"),
            ("WrongStepOfLargeBudget", "steps vanish where the budget is large", "optimum"),
            ("LambdaTimesN", "λ·n for λ", "optimum"),
            ("LastColumnLeftOut", "the last weight is never learnt", "optimum"),
            ("LastBatchLeftOut", "the rows after the last whole batch are not read", "optimum"),
            ("OffByOneInBlocks", "each block lacks its last row; steps are drawn", "optimum"),
            ("ZeroOneLabels", "labels 0/1 for ±1 in its own gradient", "optimum"),
            ("RescaledScores", "yields w/‖w‖", "optimum"),
            ("BestTrainingAuc", "keeps the best training AUC, undeclared", "optimum"),
            ("FalseGapAtTheEnd", "false gap at the smallest λ of `space`", "ends-of-space"),
            ("FalseGapBeyond", "false gap ten times beyond `space`", "ends-of-space"),
            ("WarmStartElsewhere", "a warm start ends elsewhere", "path"),
            ("IgnoresStart", "declares warm-start, and starts from 0", "warm-start"),
            ("OneLiveModel", "one model, which grows, in all states", "models-stay"),
            ("GlobalRandom", "draws from the global generator", "same-seed"),
            ("KeepsItsLastFit", "a fit starts from the weights of the last one", "same-seed"),
            ("ReadsTheClock", "the clock decides how many steps a state has", "same-seed"),
            ("ChangesData", "its library centres X in place", "data-are-left-alone"),
            ("RowsUncounted", "reads raw arrays without count_rows", "states"),
            ("ValueLies", "State.value lacks Ω", "states"),
            ("WeightsIgnored", "declares weights, and ignores them", "weights"),
            ("PairsIgnored", "declares group-pairs, and ignores them", "group-pairs"),
            ("ShapesIgnored", "declares shapes, and ignores the bounds", "shapes"),
            ("ProjectorIgnored", "declares any-projector, and ignores it", "any-projector"),
            ("ObjectiveIgnored", "declares any-objective, and ignores it", "any-objective"),
            ("DependsOnOrder", "learns from the first 80 % of the rows", "any-order"),
            ("SingleDigits", "float32 scores in State.value", "states"),
            ("CsrDiffers", "means of CSR columns are of stored entries", "layouts"),
            ("OnePositiveOnly", "NaN at one positive: a variance of n − 1", "one-positive"),
            ("ConstantColumnOnly", "NaN at a constant column", "constant-column"),
            ("FewRowsOnly", "nλ for λ where n < d", "optimum"),
            ("ManyRowsOnly", "diverges from 20 000 rows on", "optimum on 30000 x 4", True),
            ("ThreadsMatter", "each thread descends on its own rows", "threads"),
            ("LeavesFiles", "leaves a temporary file", "leaves-nothing"),
        ),
    ),
    *_of(
        "parts",
        (
            ("RepeatedRowsOnce", "gradient of a block with repeated rows", "blocks"),
            ("StepsIgnored", "gradient of a slice with a step", "slices"),
            ("OneRowIsNothing", "gradient of one row", "blocks"),
            ("SmallCurvature", "half the curvature", "curvature"),
            ("Uncounted", "scores of raw arrays are not counted", "counts-rows"),
            ("CutAbove", "the cut has the wrong intercept", "cut"),
            ("WeightsOfPositives", "weights of negatives are forgotten", "weights-of-rows"),
            ("StepForgotten", "the prox forgets the step", "nearest"),
            ("UsesTestRows", "centres rows by their own mean", "row-by-row"),
            ("HoldsRows", "holds training rows, undeclared", "keeps-rows"),
            ("FalseTerms", "names the terms in another order", "terms"),
            ("FalseConstant", "input_weights has a constant of the wrong sign", "affine"),
        ),
    ),
    *_of(
        "measures",
        (
            ("weights_of_positives", "weights of negatives are forgotten", "weights-of-rows"),
            ("ties_by_order", "the order of rows breaks ties", "order-of-rows"),
            ("binned_when_many", "bins scores of more than 10 000 rows", "weights-of-rows"),
            ("label_as_feature", "a feature tells the label", "no-label-among-features"),
            ("row_number", "a feature is the number of the row", "no-row-number"),
            ("age_today", "a feature depends on the date", "another-day"),
            ("drawn_anew", "two loads differ", "repeatable"),
        ),
    ),
    *_of("imported/seeds", (("", "seeds the global generator at import", "import"),)),
    *_of("imported/error_state", (("", "np.seterr at import", "import"),)),
    *_of("imported/silenced", (("", "silences warnings at import", "import"),)),
    *_of("imported/numpy_patched", (("", "replaces np.argsort at import", "import"),)),
    *_of("imported/sklearn_patched", (("", "replaces roc_auc_score at import", "import"),)),
    *_of("imported/aucbench_patched", (("", "replaces aucbench.metrics.auc", "import"),)),
)

RIGHT = (
    *(
        f"right/solvers.py:{name}"
        for name in (
            *("ScipyLbfgs", "GreedySparse", "MomentumBatches", "StopsEarly", "Stream"),
            *("NaiveBayes", "Coordinates", "FrankWolfe", "OwnTree", "NearestRows"),
            *("LandmarkSvm", "LassoPath", "RandomFeatures", "Averaged", "OneOfTwo"),
        )
    ),
    *(f"right/parts.py:{name}" for name in ("Huber", "Simplex", "Roots", "somers", "moons")),
)


@dataclass(frozen=True)
class Checked:
    """What `check` said of one target, and what it cost."""

    findings: list[dict[str, Any]]
    cpu: float  # seconds of all processes

    @property
    def broken(self) -> dict[str, str]:
        """The broken laws, with the reasons."""
        return {
            " on ".join(filter(None, (f["law"], f["extent"]))): f["reason"]
            for f in self.findings
            if f["verdict"] == "BROKEN"
        }


def checked(target: str, *, thorough: bool, laws: tuple[str, ...] = ()) -> Checked:
    """Check a target in a process of its own."""
    options = ["--thorough"] * thorough + [f"--law={law}" for law in laws]
    command = [sys.executable, __file__, "--one", target, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=HERE)
    assert process.stdout is not None
    answer = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise RuntimeError(f"the check of {target} ended with {status}")
    return Checked(json.loads(answer), usage.ru_utime + usage.ru_stime)


def _answer(target: str, laws: tuple[str, ...], *, thorough: bool) -> None:
    from dataclasses import asdict

    from aucbench.bench.lawful import check_targets

    findings = check_targets([target], laws, thorough=thorough, timeout=120.0)
    _tell(json.dumps([asdict(finding) for finding in findings]))


def _registered() -> list[str]:
    from aucbench.datasets.registered import aucbench_datasets
    from aucbench.registry.discovery import KINDS
    from aucbench.registry.lookup import suggested_names

    names = [name for kind in KINDS if kind != "datasets" for name in suggested_names(kind)]
    given = {"estimator": "estimator[classifier=sklearn.linear_model:RidgeClassifier]"}
    return [given.get(name, name) for name in dict.fromkeys((*names, *aucbench_datasets()))]


def _tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Write the table, one line as soon as it is known."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="names of the table; none: all")
    parser.add_argument("--one", help="check this target, and print the findings as JSON")
    parser.add_argument("--law", action="append", default=[])
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--right", action="store_true")
    parser.add_argument("--builtin", action="store_true")
    given = parser.parse_args()
    if given.one:
        _answer(given.one, tuple(given.law), thorough=given.thorough)
        return
    if given.right or given.builtin:
        rows = [Fault(target, "", "") for target in (_registered() if given.builtin else RIGHT)]
    else:
        rows = list(FAULTS)
    rows = [row for row in rows if not given.targets or row.name in given.targets]
    _tell("| plugin | what is wrong | found by | CPU s |\n|---|---|---|---|")
    found, seconds = 0, []
    for row in rows:
        answer = checked(row.target, thorough=given.thorough, laws=tuple(given.law))
        seconds.append(answer.cpu)
        found += bool(answer.broken)
        laws = ", ".join(answer.broken) or "–"
        _tell(f"| {row.name or row.target} | {row.wrong} | {laws} | {answer.cpu:.1f} |")
        if not row.law:
            for law, reason in answer.broken.items():
                _tell(f"|  | {law}: {reason} | | |")
    seconds.sort()
    _tell(f"\n{found} of {len(rows)} have a broken law; CPU seconds: median "
          f"{seconds[len(seconds) // 2]:.1f}, at most {seconds[-1]:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
