"""What differs between packages of a solver, an objective and so on."""

from __future__ import annotations

from dataclasses import dataclass

SETUPTOOLS, CYTHON = "setuptools>=77", "Cython>=3.1"
ON_BOTH = "aucbench compare --data breast-cancer,digits-8"


@dataclass(frozen=True, slots=True)
class Kind:
    """What the templates of a kind of package say.

    Attributes
    ----------
    words : str
        The first words of its descriptions.
    suite, attribute : str
        Class of `aucbench.testing.benchmarks`, and the attribute of it that names what is measured.
    compare : str
        Command that uses the plugin; `{name}` stands for its name.
    compiled : bool
        Whether the package has a kernel.
    """

    words: str
    suite: str
    attribute: str
    compare: str
    compiled: bool = False

    @property
    def build_tools(self) -> tuple[str, ...]:
        """What builds the package, beside aucbench."""
        return (CYTHON, SETUPTOOLS) if self.compiled else (SETUPTOOLS,)

    @property
    def build_names(self) -> tuple[str, ...]:
        """The names of `build_tools`, without versions."""
        return tuple(tool.partition(">")[0] for tool in self.build_tools)


KINDS = {
    "solver": Kind("A solver", "SolverSuite", "solver", f"{ON_BOTH} --solvers {{name}},sht-auc"),
    "objective": Kind(
        "An objective",
        "ObjectiveSuite",
        "objective",
        f"{ON_BOTH} --solvers sht-auc --objective {{name}}",
    ),
    "projector": Kind(
        "A projector",
        "ProjectorSuite",
        "projector",
        f"{ON_BOTH} --solvers sht-auc --projector {{name}}",
    ),
    "features": Kind(
        "A feature map",
        "FeaturesSuite",
        "features",
        f"{ON_BOTH} --solvers logistic,sht-auc --features {{name}}",
    ),
    "dataset": Kind(
        "A data set", "DatasetSuite", "dataset", "aucbench compare --data {name},breast-cancer"
    ),
    "metric": Kind(
        "A metric",
        "MetricSuite",
        "metric",
        f"{ON_BOTH} --solvers logistic,sht-auc --metrics auc,{{name}}",
    ),
    "kernel": Kind(
        "A solver with a compiled kernel",
        "SolverSuite",
        "solver",
        f"{ON_BOTH} --solvers {{name}},sht-auc",
        compiled=True,
    ),
}
