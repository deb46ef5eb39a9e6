"""Laws of solvers."""

from aucbench.testing.laws import Laws
from aucbench.testing.solvers import declared, minimum, needs, parameters, repeatable, rows, streams

PARTS = (declared, repeatable, parameters, rows, minimum, needs, streams)
laws = Laws("solvers", *(part.laws for part in PARTS))
