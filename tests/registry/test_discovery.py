import sys

import pytest
from toys import HEAD, HOOK, listed, solver

from aucbench.errors import PluginError
from aucbench.registry import get_solver, list_solvers
from aucbench.registry.discovery import entries
from aucbench.registry.lookup import names

pytestmark = pytest.mark.plain


def test_listing_never_imports(site):
    site.add("foo", foo=f"open({str(site.path / 'imported')!r}, 'w').close()")
    row = listed("foo")
    entry = row.entry
    assert (entry.distribution, entry.version, entry.value) == ("foo", "1.0", "foo_foo")
    assert (entry.builtin, row.enabled, row.failure) == (False, True, None)
    assert not (site.path / "imported").exists()
    with pytest.raises(PluginError):
        get_solver("foo")
    assert (site.path / "imported").exists()


def test_built_ins_come_by_the_same_door_and_first(site):
    site.add("aaa", aaa=solver("aaa"))
    rows = entries()
    own = [p for p in rows if p.builtin]
    assert [*rows[: len(own)]] == own
    assert {"sht-auc", "logistic", "objectives", "datasets"} <= {p.name for p in own}
    assert {p.distribution for p in own} == {"aucbench"}


def test_only_the_plugin_of_that_name_is_imported(site):
    site.add("foo", foo=solver("foo"))
    site.add("bar", bar=solver("bar"))
    assert get_solver("foo").k == 3
    assert "foo_foo" in sys.modules
    assert "bar_bar" not in sys.modules
    get_solver("logistic")
    assert "bar_bar" not in sys.modules


def test_a_module_may_register_several_names_with_an_entry_point_for_each(site):
    site.add("foo", bundle=solver("one", "two"))
    assert get_solver("two[k=7]").k == 7
    assert {"one", "two"} <= {*list_solvers()}
    assert "bundle" not in list_solvers()


NAMED = {
    "Dummy": "",
    "made": "def made(k: int, further: int = 2) -> Dummy: return Dummy(k)\n",
    "rows": "def rows(n: int) -> Data: return outbreak(n)\n",
    "gain": "def gain(y, scores, depth) -> float: return 0.5\n",
    "unclear": "def unclear(n): return 3\n",
    "number": "number = 5\n",
}


def test_an_entry_point_names_a_class_or_a_function(site):
    given = "from aucbench.data import Data\nfrom aucbench.datasets.simulated import outbreak\n"
    site.module("foo", HEAD + given + "".join(NAMED.values()))
    site.metadata("foo", "1.0", {f"the-{name.lower()}": f"foo:{name}" for name in NAMED})
    assert get_solver("the-dummy[k=7]").k == 7
    assert get_solver("foo:the-made[9]").k == 9
    assert {"the-dummy", "the-made"} <= {*list_solvers()}
    assert "the-rows" in names("datasets")
    assert "the-gain" in names("metrics")
    for name in ("unclear", "number"):
        with pytest.raises(PluginError, match=f"foo:{name} is .*, whose kind is not clear; inh"):
            get_solver(f"the-{name}")


def test_a_name_without_an_entry_point_is_told_with_the_line_that_is_missing(site):
    site.module("foo_bundle", solver("one", "two"))
    site.metadata("foo", "1.0", {"one": "foo_bundle", "bundle": "foo_bundle"})
    site.add("bar", bar=solver("bar"))
    reason = (
        "it registers the solver 'two', which no entry point of foo names; write the line "
        'two = "foo_bundle" below [project.entry-points.aucbench], and install it again'
    )
    for name in ("one", "bundle", "foo:one"):
        with pytest.raises(PluginError) as caught:
            get_solver(name)
        assert reason in str(caught.value)
    assert {"one", "two", "bar"} & {*list_solvers()} == {"bar"}


def test_names_that_could_play_tricks_on_a_terminal_are_refused(site):
    site.metadata("foo", "1.0", {"[red]x\x1b[2J": "foo_foo", "good": "foo good"})
    rows = [p for p in entries() if p.distribution == "foo"]
    assert [p.name for p in rows] == ["?red?x??2J", "good"]
    assert "holds more than letters" in rows[0].fault
    assert "is not module or module:object" in rows[1].fault
    with pytest.raises(PluginError, match="is not module"):
        get_solver("good")


def test_unreadable_metadata_are_a_failure_of_their_own(site):
    site.add("foo", foo=solver("foo"))
    site.metadata("bar", "1.0", {})
    (site.path / "bar-1.0.dist-info" / "entry_points.txt").write_bytes(b"[aucbench]\n\xff\xfe=x")
    assert "cannot be read" in listed("unreadable").failure
    assert get_solver("foo").k == 3


BROKEN = {
    "ModuleNotFoundError": "import no_such_module",
    "SyntaxError": "def f(:",
    "SystemExit: 3": "raise SystemExit(3)",
    "Panic: boom": "class Panic(BaseException): pass\nraise Panic('boom')",
    "cannot be shown": (
        "class Rude(Exception):\n    def __str__(self): raise ValueError\nraise Rude"
    ),
    "aucbench_solver, which is no hook; did you mean aucbench_solvers?": (
        HEAD + HOOK + "return {}\n@hookimpl\ndef aucbench_solver():\n    return {}"
    ),
    "ZeroDivisionError": HEAD + HOOK + "return 1 / 0",
    "returned None": HEAD + HOOK + "return None",
    "wanted a mapping": HEAD + HOOK + "return [('broken', Dummy)]",
    "names 5": HEAD + HOOK + "return {5: Dummy}",
    "names 'a b'": HEAD + HOOK + "return {'a b': Dummy}",
    "has 5 under 'broken'": HEAD + HOOK + "return {'broken': 5}",
    "no function marked": HEAD,
    "wanted a function with @hookimpl": HEAD
    + "\ndef aucbench_solvers():\n    return {'broken': Dummy}",
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_plugin_is_recorded_and_leaves_the_others_alone(site, reason):
    site.add("bad", "0.7", broken=BROKEN[reason])
    site.add("foo", healthy=solver("healthy"))
    assert listed("broken").failure is None
    shown = list_solvers()
    assert "healthy" in shown
    assert "broken" not in shown
    assert get_solver("healthy").k == 3
    row = listed("broken")
    assert reason in row.failure
    assert row.failure.isprintable()
    assert (row.entry.distribution, row.entry.version) == ("bad", "0.7")
    for name in ("broken", "bad:broken"):
        with pytest.raises(PluginError) as caught:
            get_solver(name)
        assert row.failure in str(caught.value)
        assert "aucbench plugins" in str(caught.value)


def test_an_interrupt_by_the_user_is_not_a_failure_of_the_plugin(site):
    here = "import os\nif 'AUCBENCH_SUPERVISED' not in os.environ:\n    raise KeyboardInterrupt\n"
    site.add("foo", foo=here + solver("foo"))
    with pytest.raises(KeyboardInterrupt):
        get_solver("foo")
    assert listed("foo").failure is None


def test_a_plugin_that_asks_for_itself_is_broken(site):
    site.add("foo", foo="import aucbench\naucbench.get_solver('foo')\n" + solver("foo"))
    with pytest.raises(PluginError, match="asks for 'foo' while it is imported itself"):
        get_solver("foo")
    assert "foo" not in list_solvers()


def test_plugins_that_ask_for_each_other_are_broken_and_end(site):
    site.add("foo", foo="import aucbench\naucbench.get_solver('bar')\n" + solver("foo"))
    site.add("bar", bar="import aucbench\naucbench.get_solver('foo')\n" + solver("bar"))
    for name in ("foo", "bar"):
        with pytest.raises(PluginError, match=f"asks for '{name}' while it is imported itself"):
            get_solver(name)
