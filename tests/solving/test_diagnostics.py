"""`State.info` along a fit: what a solver may give."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from aucbench import solve
from aucbench.contract import Solver, State
from aucbench.data import Data
from aucbench.errors import PluginError


@dataclass(frozen=True)
class Tells(Solver):
    """Yields diagnostics."""

    info: dict = field(default_factory=dict)

    def iterates(self, problem, w0, rng, budget):
        yield State(w0, info=self.info)


DATA = Data.of(np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    ("info", "told"),
    [
        ([1.0], "State.info must be a mapping of at most 20 names to numbers, got an object of"),
        ({str(k): 1.0 for k in range(21)}, "a mapping of at most 20 names to numbers, got an ob"),
        ({5: 1.0}, "a mapping whose keys are texts of at most 40 characters, got 5"),
        ({41 * "a": 1.0}, "a mapping whose keys are texts of at most 40 characters, got an object"),
        ({"width": "wide"}, "State.info['width'] must be a number, got an object of the class str"),
        ({"width": True}, "State.info['width'] must be a number, got True"),
        ({"width": None}, "State.info['width'] must be a number, got None"),
    ],
)
def test_what_is_no_mapping_of_names_to_numbers_is_refused(info, told):
    with pytest.raises(PluginError) as caught:
        solve(Tells(info), DATA, passes=3)
    assert told in str(caught.value)
    assert f"({__file__}, line " in str(caught.value)
