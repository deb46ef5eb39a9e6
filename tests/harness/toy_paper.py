"""A paper of one figure, whose measurements sign a folder and wait for a moment."""

import os

from aucbench.papers.experiment import Experiment, Paper
from aucbench.papers.parts import Claim, Measurement

COUNT = 8


def figure(scale, protocol):
    asked = [{"n": n, "folder": os.environ["TOY_FOLDER"], "seconds": 0.3} for n in range(COUNT)]
    return Experiment(
        title="numbers",
        measurements=tuple(
            Measurement(
                name=f"number {request['n']}",
                call="toy_measured:count",
                request=request,
                dataset="breast-cancer",
            )
            for request in asked
        ),
        claims=lambda results: [Claim("all are there", len(results.measured) == COUNT, "counted")],
    )


PAPER = Paper(name="toy", experiments={"figure 1": figure})
