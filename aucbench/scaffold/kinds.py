"""What differs between packages of a solver, an objective and so on."""

from __future__ import annotations

from dataclasses import dataclass

SETUPTOOLS, CYTHON = "setuptools>=77", "Cython>=3.1"
ON = "aucbench compare --data"
OWN, SHT, TWO, PAIRS = (
    f"{ON} breast-cancer,digits-8 --solvers {names}"
    for names in ("{name},sht-auc", "sht-auc", "logistic,sht-auc", "svm-or,logistic")
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What the templates of a kind of package say."""

    words: str  # the first words of its descriptions
    suite: str  # class of `aucbench.testing.benchmarks`
    attribute: str  # of the class, which names what is measured
    compare: str  # command that uses the plugin; `{name}` stands for its name
    compiled: bool = False  # whether the package has a kernel

    @property
    def build_tools(self) -> tuple[str, ...]:
        """What builds the package, beside aucbench."""
        return (CYTHON, SETUPTOOLS) if self.compiled else (SETUPTOOLS,)


KINDS = {
    "solver": Kind("A solver", "SolverSuite", "solver", OWN),
    "objective": Kind("An objective", "ObjectiveSuite", "objective", f"{SHT} --objective {{name}}"),
    "projector": Kind("A projector", "ProjectorSuite", "projector", f"{SHT} --projector {{name}}"),
    "features": Kind("A feature map", "FeaturesSuite", "features", f"{TWO} --features {{name}}"),
    "pairs": Kind("A kind of pairs", "PairsSuite", "pairs", f"{PAIRS} --pairs {{name}}"),
    "dataset": Kind("A data set", "DatasetSuite", "dataset", f"{ON} {{name}},breast-cancer"),
    "metric": Kind("A metric", "MetricSuite", "metric", f"{TWO} --metrics auc,{{name}}"),
    "kernel": Kind("A solver with a compiled kernel", "SolverSuite", "solver", OWN, compiled=True),
}
