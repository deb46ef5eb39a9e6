"""Table 1: the linear ROC-SVM on all pairs and on a sample of them, where the truth is linear."""

from __future__ import annotations

from typing import Final

from aucbench.papers.experiment import Experiment, Protocol, Scale
from aucbench.papers.roc_svm.protocol import tuned
from aucbench.papers.roc_svm.simulation import LAMS, Method, Simulation, experiment

# Means, and the numbers in parentheses, as table 1 prints them: seconds, and AUC in %.
FULL: Final = Method(
    name="full",
    choice=tuned("roc-svm-full", LAMS),
    seconds={5_000: (196.10, 7.75), 10_000: (819.10, 31.41)},
    auc={5_000: (90.370, 0.88), 10_000: (90.374, 0.37)},
)
INCOMPLETE: Final = Method(
    name="incomplete",
    choice=tuned("roc-svm", LAMS),
    seconds={
        5_000: (2.69, 0.15),
        10_000: (3.02, 0.21),
        50_000: (8.03, 0.90),
        100_000: (10.26, 0.24),
    },
    auc={
        5_000: (90.370, 1.14),
        10_000: (90.373, 0.54),
        50_000: (90.375, 0.22),
        100_000: (90.376, 0.10),
    },
)
EXACT: Final = Method(name="full, exact (svm-or)", choice=tuned("svm-or", LAMS), seconds={}, auc={})
LINEAR: Final = Simulation(
    place="table 1",
    title="training time and test AUC of the linear ROC-SVM on all pairs and on a sample",
    model="linear",
    population=0.90377,
    methods=(FULL, INCOMPLETE, EXACT),
    notes=(
        "The paper cannot run the full model on 50 000 rows and more, where it prints a dash. Here "
        "all pairs cost O(n log n), so that it runs on all sizes.",
        "svm-or solves the problem of the full model exactly; the paper has no such line.",
    ),
)


def table_1(scale: Scale, protocol: Protocol) -> Experiment:
    """Return table 1."""
    return experiment(LINEAR, scale, protocol)
