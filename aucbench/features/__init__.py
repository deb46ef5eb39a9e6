"""Feature maps φ, one file each. A map learns from the training rows only."""

from __future__ import annotations

from aucbench.contract import NoMap
from aucbench.features.affine import Affine, Automatic, MaxAbs, MinMax, Standard
from aucbench.features.append_one import AppendOne
from aucbench.features.bins import Bins
from aucbench.features.chain import Chain
from aucbench.features.kernel_columns import Kernel, KernelColumns
from aucbench.features.nystroem import Nystroem
from aucbench.features.splines import Splines
from aucbench.features.unit import Unit, UnitCentred
from aucbench.hookspecs import Factories, hookimpl

__all__ = [
    "Affine",
    "AppendOne",
    "Automatic",
    "Bins",
    "Chain",
    "Kernel",
    "KernelColumns",
    "MaxAbs",
    "MinMax",
    "Nystroem",
    "Splines",
    "Standard",
    "Unit",
    "UnitCentred",
]


@hookimpl
def aucbench_features() -> Factories:
    """Return the built-in feature maps by the names that the command line takes."""
    return {
        "none": NoMap,
        "append-one": AppendOne,
        "auto": Automatic,
        "bins": Bins,
        "maxabs": MaxAbs,
        "min-max": MinMax,
        "nystroem": Nystroem,
        "splines": Splines,
        "standard": Standard,
        "unit": Unit,
        "unit-centred": UnitCentred,
    }
