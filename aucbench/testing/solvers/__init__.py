"""Laws of solvers."""

from aucbench.testing.laws import Laws
from aucbench.testing.solvers import aims, capabilities, contract, inputs

laws = Laws("solvers", contract.laws, inputs.laws, aims.laws, capabilities.laws)
