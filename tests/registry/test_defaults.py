"""The core names no solver: capabilities decide, and the plugins say what runs by default."""

import ast
import re
from itertools import chain
from pathlib import Path

import aucbench
from aucbench.contract import CAPABILITIES
from aucbench.objectives import aucbench_objectives
from aucbench.registry.defaults import class_needs, defaults
from aucbench.registry.discovery import BUILT_IN, entries
from aucbench.registry.specs import parse_spec

CORE = Path(aucbench.__file__).parent
SOLVERS = {entry.name for entry in entries() if entry.top == BUILT_IN}
FIELD = re.compile(r"^    (\w+): ", re.MULTILINE)
NAMED = re.compile(rf"""["'](?:{"|".join(SOLVERS)})["'\[]""")


def test_no_module_of_the_core_names_a_solver():
    sources = {path: path.read_text(encoding="utf-8") for path in CORE.rglob("*.py")}
    # A text that is the name of a field means the field.
    fields = {name for text in sources.values() for name in FIELD.findall(text)}
    found = [
        f"{path.relative_to(CORE)}, line {line}: {text}"
        for path, source in sources.items()
        if NAMED.search(source) and path.relative_to(CORE).parts[0] != "papers"
        for line, text in _texts(ast.parse(source))
        if text.partition("[")[0] in SOLVERS - fields - _objectives_of(path)
    ]
    assert not found


def _texts(tree):
    """Yield lines and texts of a module, without docstrings and lists of files of the core."""
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(node.value)
        if isinstance(node, ast.Tuple):
            texts = [getattr(one, "value", "") for one in node.elts]
            if all(isinstance(text, str) and text and (CORE / text).exists() for text in texts):
                left_out |= {*node.elts}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and node not in left_out:
            yield node.lineno, node.value


def _objectives_of(path):
    """Return the names that the room of objectives registers itself."""
    return {*aucbench_objectives()} if path.is_relative_to(CORE / "objectives") else set()


def test_each_default_is_a_solver_with_the_capability_of_its_list():
    lists = {**defaults()["solvers"], **defaults()["fit"]}
    alone = [defaults()[name] for name in ("reference", "classifier", "ranker")]
    candidates = [one["solver"] for one in defaults()["candidates"]]
    named = {parse_spec(text).name for text in chain(alone, candidates, *lists.values())}
    assert named <= SOLVERS
    for capability in CAPABILITIES.keys() & lists.keys():
        assert all(capability in class_needs(name).capabilities for name in lists[capability])
