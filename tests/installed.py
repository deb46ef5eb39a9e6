"""The solvers whose packages are installed here; the nightly tests install those of the others."""

import pytest

from aucbench.registry import describe, list_solvers

MISSING = {name: describe("solvers", name).missing for name in list_solvers()}
SOLVERS = [name for name, why in MISSING.items() if not why]
FEW_ROUNDS = "ebm[interactions=1,outer_bags=2,max_rounds=30]"  # its default takes a minute
WAITING = [pytest.param(n, marks=pytest.mark.skip(reason=y)) for n, y in MISSING.items() if y]
