"""What the import of a plugin changes for others is its fault; what its libraries change is not."""

from toys import HEAD

from aucbench.registry.isolated_imports import import_plugins

LIBRARY = """
import os, random, warnings
import numpy as np
os.environ["BIG_LIBRARY"] = "1"
warnings.filterwarnings("ignore", module="big_library")
np.seterr(under="raise")
random.random()
np.linalg.norm = lambda x: 0.0
"""
CHANGES = {
    "np.seterr(all='ignore')": "reactions to errors of NumPy (np.seterr) (divide, invalid, over)",
    "np.random.seed(0)": "states of the global generators (numpy.random)",
    "warnings.simplefilter('ignore')": "filters of warnings (ignore Warning)",
    "os.environ['OMP_NUM_THREADS'] = '7'": "variables of the environment (OMP_NUM_THREADS)",
    "np.float = float": "functions of others (numpy.float)",
    "np.dot = lambda a, b: 0.0": "functions of others (numpy.dot)",
    "sklearn.base.clone = None or (lambda x: x)": "functions of others (sklearn.base.clone)",
    "PairwiseSquare.value = lambda self, w: 0.0": "functions of others "
    "(aucbench.objectives.pairwise_square.PairwiseSquare.value)",
}
FINE = {
    "import big_library": "",
    "with warnings.catch_warnings(), np.errstate(all='ignore'):\n"
    "    warnings.simplefilter('ignore')\n    import big_library, scipy.signal": "",
    "import aucbench.models, aucbench.report.comparison": "",
}


def test_what_an_import_changes_is_found(site):
    site.module("big_library", LIBRARY)
    head = f"{HEAD}\nimport os, sys, warnings\nimport numpy as np\nimport sklearn.base\n"
    head += "from aucbench.objectives import PairwiseSquare\n"
    cases = [*(CHANGES | FINE).items()]
    for number, (line, _) in enumerate(cases):
        site.module(f"module_{number}", f"{head}{line}\n")
    points = {f"plugin-{number}": f"module_{number}:Dummy" for number in range(len(cases))}
    site.metadata("traces", "1.0", points)
    told = {entry.name: one.failure for entry, one in import_plugins(points, watched=True).items()}
    for number, (_, changed) in enumerate(cases):
        wanted = f"its import changes {changed}, for all code of its process" if changed else None
        assert told[f"plugin-{number}"] == wanted
    assert {one.failure for one in import_plugins(points).values()} == {None}
