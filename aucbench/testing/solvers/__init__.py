"""Laws of solvers."""

from aucbench.testing.laws import Laws
from aucbench.testing.solvers import aims, contract, inputs

laws = Laws("solvers", contract.laws, inputs.laws, aims.laws)
