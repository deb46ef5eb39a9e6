"""Any classifier of scikit-learn's kind, by the name of its class."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from aucbench.about import about
from aucbench.errors import ParameterError, PluginError, UnknownNameError
from aucbench.optim.classifiers import SCORES, FromEstimator, from_estimator

ESTIMATOR_EXAMPLE = (
    "write it like estimator[sklearn.ensemble:RandomForestClassifier,n_estimators=200]"
)


@about("any classifier with the interface of scikit-learn, by its class", cites=("buitinck2013",))
def estimator(classifier: str, **params: Any) -> FromEstimator:
    """One fit of any scikit-learn classifier: `estimator[sklearn.svm:SVC,C=10]`.

    The score of a row is the value of `decision_function`. If there is no such method, it is the
    value of `predict_proba` for the positive class. The classifier gets the labels 0 and 1, and 1
    is the positive class. If its `random_state` is None, it is drawn with the seed of the cell.
    There is no published grid: tune it over one of your own, as in
    `tune = {n_estimators = [50, 200]}`.

    The module must be installed, or lie in a folder of PYTHONPATH. Its version, or its files
    where it has none, are a part of the id of a cell.

    Parameters
    ----------
    classifier : str
        module:Class, the first piece in the brackets.
    **params
        What the class is called with.

    Raises
    ------
    ParameterError
        When there is no such module, it is no class, or no classifier that gives scores, or
        refuses a value.
    UnknownNameError
        When there is no such class, or the class has no such parameter.
    PluginError
        When the module cannot be imported.

    References
    ----------
    Buitinck et al., "API design for machine learning software", 2013.
    """
    module, colon, name = str(classifier).partition(":")
    if not (colon and name.isidentifier() and module.replace(".", "_").isidentifier()):
        raise ParameterError(f"got {classifier!r}, wanted module:Class; {ESTIMATOR_EXAMPLE}")
    cls = _class(module, name)
    accepted = inspect.signature(cls).parameters.values()
    names = [p.name for p in accepted if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for key in params if not any(p.kind is p.VAR_KEYWORD for p in accepted) else ():
        if key not in names:
            raise UnknownNameError(f"parameter of {name}", key, names)
    fresh = cls(**params)
    solver = from_estimator(fresh)
    if hasattr(fresh, "_validate_params"):  # of scikit-learn, which else asks at the fit
        fresh._validate_params()
    return solver


def _class(module: str, name: str) -> Any:
    home = _import(module)
    cls = getattr(home, name, None)
    if isinstance(cls, type):
        return cls
    if cls is not None:
        raise ParameterError(f"{module}:{name} is {cls!r}, wanted a class; {ESTIMATOR_EXAMPLE}")
    classes = ((n, c) for n, c in vars(home).items() if isinstance(c, type) and n[0] != "_")
    able = [n for n, c in classes if hasattr(c, "fit") and any(hasattr(c, m) for m in SCORES)]
    raise UnknownNameError(f"class of {module}", name, able)


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if f"{module}.".startswith(f"{error.name}."):
            raise ParameterError(
                f"there is no module {error.name!r}; install what has it, or add its folder to "
                f"PYTHONPATH, or {ESTIMATOR_EXAMPLE}"
            ) from error
        raise PluginError(f"{module} cannot be imported: {error}; install that too") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(f"{module} cannot be imported ({reason}); fix the module") from error
