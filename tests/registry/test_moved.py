"""Names that have moved: the table, and what imports, attributes, parameters and commands say."""

import subprocess
import sys
import warnings
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from command_line import done, flat, refused, said

from aucbench import moved
from aucbench.errors import AucbenchDeprecation
from aucbench.moved import Move, moved_name, moves, old_attributes, old_parameters, today

pytestmark = pytest.mark.plain

KINDS = {"modules", "names", "parameters", "members", "options", "commands", "keys"}
IMPORTED = [move for move in moves() if move.kind in ("modules", "names") and move.named]


def of_kind(kind):
    return [move for move in moves() if move.kind == kind]


def release(text):
    return tuple(map(int, text.split(".")))[:2]


@pytest.fixture
def table(monkeypatch):
    """Let the table have these rows."""

    def put(*rows):
        monkeypatch.setattr(moved, "moves", lambda: tuple(Move(*row) for row in rows))

    return put


def test_the_kinds_are_those_that_something_reads():
    assert {move.kind for move in moves()} <= KINDS
    assert len({(move.kind, move.old) for move in moves()}) == len(moves())


def test_a_module_that_has_moved_is_gone():
    for move in of_kind("modules"):
        room, *rest = move.old.split(".")
        place = Path(import_module(room).__file__).parent.joinpath(*rest)
        assert not place.with_name(f"{place.name}.py").exists(), move
        assert not (place / "__init__.py").exists(), move


def test_what_the_table_names_is_there():
    for move in IMPORTED:
        place, _, name = move.new.rpartition(".")
        assert (move.kind == "modules" and find_spec(move.new)) or hasattr(
            import_module(place), name
        ), move


def test_a_deprecated_name_is_taken_away_in_the_release_that_its_warning_names():
    now = release(version("aucbench"))
    over = [move for move in moves() if move.works and release(move.until) <= now]
    assert not over, "move these rows to the table of what is gone, and remove what serves them"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("import aucbench.arrays", "'aucbench.arrays': since aucbench 0.2, use aucbench.data.arr"),
        ("from aucbench import arrays", "use aucbench.data.arrays"),
        ("from aucbench.arrays import Rows", "use aucbench.data.arrays"),
        ("import aucbench.infra.supervise.limits", "use aucbench.processes or aucbench.store"),
        ("import aucbench.fit.grid", "use aucbench.bench.worker"),
        (
            "from aucbench.models import TreeSum",
            "^cannot import name 'TreeSum' from 'aucbench.models': .* use aucbench.optim.trees.T",
        ),
        ("from aucbench.datasets import CATALOGUE", "entries.. and entry_of.name. of aucbench.da"),
        ("from aucbench_plugins.online import spam_l1", "use aucbench_plugins.online.spam"),
    ],
)
def test_an_import_says_where_a_name_is_now(statement, sentence):
    with pytest.raises(ImportError, match=sentence):
        exec(statement, {})


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("import aucbench.nothing", "^No module named 'aucbench.nothing'$"),
        ("from aucbench.models import nothing", "^cannot import name 'nothing' from 'aucbench.m"),
        ("import nothing_at_all", "^No module named 'nothing_at_all'$"),
    ],
)
def test_python_says_what_it_always_said_of_other_names(statement, error):
    with pytest.raises(ImportError, match=error):
        exec(statement, {})


def test_what_is_in_a_folder_that_moved_twice_is_found():
    assert moved_name("aucbench.arrays.Rows")[1] == "aucbench.data.arrays.Rows"
    assert moved_name("aucbench.infra.store.npz.x")[1] == "aucbench.data.npz.x"
    assert moved_name("aucbench.methods.Lbfgs")[1] == "aucbench.optim.lbfgs.Lbfgs"
    assert moved_name("aucbench.solving.loop.solve") is None


def test_a_name_that_is_not_in_its_folder_any_more_is_called_by_the_folder():
    assert today("aucbench.arrays.Rows")[1] == "aucbench.data.arrays.Rows"
    assert today("aucbench.arrays.Nothing")[1] == "aucbench.data.arrays"
    assert today("aucbench.infra.store.packs")[1] == "aucbench.store"
    assert today("aucbench.infra.scratch")[1] == "aucbench.processes or aucbench.store"
    assert today("aucbench.ranges.Range") is None


def test_the_rows_of_modules_are_sorted():
    listed = [move.old for move in of_kind("modules")]
    assert listed == sorted(listed)


def test_a_start_does_not_read_the_table():
    code = "import sys, aucbench; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"aucbench.moved", "tomllib"} & {*ended.stdout.split()}


def test_a_deprecated_attribute_works_and_warns_at_the_line_that_uses_it():
    from aucbench.solving import wrappers

    with pytest.warns(AucbenchDeprecation, match=r"WithProblems; .* until 0\.4") as caught:
        assert wrappers.Observed is wrappers.WithProblems
    assert caught[0].filename == __file__
    with pytest.warns(AucbenchDeprecation) as caught:
        exec(compile("from aucbench.solving.wrappers import Started", "mine.py", "exec"), {})
    assert caught[0].filename == "mine.py"
    with pytest.raises(AttributeError, match=r"^module '\S+' has no attribute 'nothing'$"):
        wrappers.nothing  # noqa: B018


def test_a_deprecated_module_works_and_warns_at_the_line_that_imports_it(table, monkeypatch):
    import aucbench.ranges

    table(("modules", "aucbench.axes", "aucbench.ranges", "0.2", True))
    monkeypatch.delitem(sys.modules, "aucbench.axes", raising=False)
    with pytest.warns(AucbenchDeprecation, match=r"module aucbench.axes .* until 0\.4") as caught:
        from aucbench.axes import Range
    assert caught[0].filename == __file__
    assert Range is aucbench.ranges.Range
    assert sys.modules["aucbench.axes"] is aucbench.ranges
    assert aucbench.ranges.__name__ == "aucbench.ranges"
    monkeypatch.delitem(sys.modules, "aucbench.axes")
    monkeypatch.delattr(aucbench, "axes")


def test_what_a_package_serves_otherwise_is_not_hindered(table):
    table(("names", "room.old", "aucbench.ranges.Range", "0.2", True))
    serve = old_attributes("room", str.upper)
    assert serve("other") == "OTHER"
    with pytest.warns(AucbenchDeprecation):
        assert serve("old").__name__ == "Range"


def test_an_attribute_that_is_gone_says_where_it_is(table):
    table(("names", "room.old", "room.new", "0.2", False))
    with pytest.raises(AttributeError, match=r"attribute 'old': since aucbench 0\.2, use room\.n"):
        old_attributes("room")("old")


@old_parameters
def scaled(x, *, factor=2):
    return factor * x


def test_a_deprecated_parameter_works_and_warns(table):
    table(("parameters", f"{scaled.__module__}.scaled.by", "factor", "0.2", True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scaled(1) == 2
        assert scaled(x=1, factor=3) == 3
    with pytest.warns(AucbenchDeprecation, match="parameter by of .* use factor") as caught:
        assert scaled(1, by=4) == 4
    assert caught[0].filename == __file__
    with pytest.raises(TypeError, match="got by and factor, which are the same"):
        scaled(1, by=4, factor=4)
    with pytest.raises(TypeError, match="unexpected keyword argument 'bye'"):
        scaled(1, bye=4)


def test_a_parameter_that_is_gone_says_what_to_use(table):
    table(("parameters", f"{scaled.__module__}.scaled.by", "factor", "0.2", False))
    with pytest.raises(TypeError, match=r"no parameter by: since aucbench 0\.2, use factor"):
        scaled(1, by=4)


def test_run_takes_the_name_that_its_parameter_had():
    from aucbench.bench import run

    with (
        pytest.warns(AucbenchDeprecation, match=r"parameter given of aucbench.bench.runner.run"),
        pytest.raises(TypeError, match="missing 3 required positional arguments"),
    ):
        run(given=None)


def test_a_key_of_a_plan_that_is_gone_says_what_to_use():
    from aucbench.bench.plan.toml import parse_plan
    from aucbench.errors import AucbenchError

    with pytest.raises(
        AucbenchError, match=r"no key preprocess: since aucbench 0\.2, use features"
    ):
        parse_plan('datasets = ["breast-cancer"]\npreprocess = ["none"]\n')


def test_users_see_the_warning_without_asking_for_it(tmp_path):
    script = tmp_path / "mine.py"
    script.write_text("from aucbench.solving.wrappers import Observed\n", encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "mine.py:1: AucbenchDeprecation: Observed of aucbench.solving.wr" in ended.stderr


def test_an_option_that_has_moved_works_with_a_warning():
    output = flat(said("fit", "nothing.csv", "--preprocess=none", code=2))
    assert "warning: --preprocess is deprecated: since aucbench 0.2, use --features" in output
    assert "No such option" not in output


def test_an_option_or_a_command_that_is_gone_says_what_to_use(table):
    table(
        ("options", "--tests", "--test", "0.2", False), ("commands", "table", "compare", "0.2", 0)
    )
    assert refused("compare", "--tests", "x.csv").endswith("since aucbench 0.2, use --test")
    assert refused("table") == "error: there is no table: since aucbench 0.2, use compare"


def test_a_command_that_has_moved_works_with_a_warning(table):
    table(("commands", "catalogue", "list", "0.2", True))
    ended = done("catalogue", "pairs")
    assert "warning: catalogue is deprecated" in ended.stderr
    assert ended.stdout == done("list", "pairs").stdout
