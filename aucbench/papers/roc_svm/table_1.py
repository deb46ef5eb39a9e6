"""Table 1: the linear ROC-SVM on all pairs and on a sample of them, where the truth is linear."""

from __future__ import annotations

from typing import Final

from aucbench.papers.experiment import Experiment
from aucbench.papers.parts import Claim, Protocol, Scale
from aucbench.papers.roc_svm.protocol import tuned
from aucbench.papers.roc_svm.simulated_tables import Found, experiment
from aucbench.papers.roc_svm.simulation import LAMS, Method, Simulation

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
    return experiment(LINEAR, _claims, scale, protocol)


def _claims(found: Found) -> list[Claim]:
    return [
        found.no_loss(
            "The incomplete model loses virtually no AUC against the full one (section 4.1)",
            INCOMPLETE,
            FULL,
        ),
        found.times_as_long(
            "The full model takes at least 70 times as long as the incomplete one (table 1: 73 and "
            "271 times)",
            FULL,
            INCOMPLETE,
            70,
        ),
        found.grows_above(
            "The time of the full model grows with the square of the rows, and not linearly "
            "(section 1; table 1: exponent 2.06): the exponent is above 1.5",
            FULL,
            1.5,
        ),
        found.grows_below(
            "The time of the incomplete model grows linearly with the rows, and not with their "
            "square (section 5; table 1: exponent 0.47): the exponent is below 1.5",
            INCOMPLETE,
            1.5,
        ),
    ]
