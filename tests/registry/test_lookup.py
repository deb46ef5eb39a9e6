import sys

import pytest
from toys import listed, solver

from aucbench import progress
from aucbench.errors import PluginError, UnknownNameError
from aucbench.registry import get_projector, get_solver, list_solvers

pytestmark = pytest.mark.plain


def test_two_third_parties_with_one_plugin_name(site):
    site.add("first", same=solver("same"))
    site.add("second", same=solver("same"))
    for distribution in ("first", "second"):
        assert get_solver(f"{distribution}:same").__class__.__module__ == f"{distribution}_same"
    with pytest.raises(PluginError, match=r"claimed by 2 .*write first:same or second:same"):
        get_solver("same")
    assert {"first:same", "second:same"} <= {*list_solvers()}
    assert "same" not in list_solvers()


def test_a_mistyped_name_imports_no_plugin(site):
    site.add("first", slow_one="import time\ntime.sleep(600)")
    for name in ("slow-on", "sht-acu"):
        with pytest.raises(UnknownNameError, match=r"did you mean '(slow-one|sht-auc)'\? .*solam"):
            get_solver(name)
    with pytest.raises(UnknownNameError, match="did you mean 'top-k'"):
        get_projector("topk")


def test_whose_import_is_waited_for_is_said(site, monkeypatch, capfd):
    monkeypatch.setattr(progress, "LATE", 0.05)
    site.add("first", slow_one="import time\ntime.sleep(1)\n" + solver("slow-one"))
    assert get_solver("slow-one").k == 3
    assert capfd.readouterr().err == "waiting for the import of slow-one (first_slow_one) …\n"


def test_a_contested_plugin_is_not_imported_to_settle_it(site):
    site.add("first", same=solver("same", "mine"))
    site.add("second", same="raise ImportError('gone')")
    with pytest.raises(PluginError, match="plugin 'same' is claimed by 2"):
        get_solver("same")
    assert not {"first_same", "second_same"} & {*sys.modules}
    assert get_solver("mine").k == get_solver("first:same").k == 3
    with pytest.raises(PluginError, match=r"second:same is broken \(ImportError: gone\)"):
        get_solver("second:same")


def test_built_ins_cannot_be_shadowed(site):
    hook = "\n@hookimpl\ndef aucbench_projectors():\n    return {'top-k': Identity}\n"
    site.add("evil", all=solver("logistic") + hook)
    assert get_solver("logistic").__class__.__module__ == "aucbench_plugins.baselines.logistic"
    assert get_projector("top-k").__class__.__module__.startswith("aucbench.")
    assert get_solver("evil:logistic").__class__.__module__ == "evil_all"
    assert {"logistic", "evil:logistic"} <= {*list_solvers()}


def test_one_distribution_that_has_a_name_twice(site):
    site.add("foo", one=solver("x"))
    points = site.path / "foo-1.0.dist-info" / "entry_points.txt"
    points.write_text("[aucbench]\nx = foo_one\nx = foo_two\n", encoding="utf-8")
    with pytest.raises(PluginError, match="foo:x has the plugin 'x' 2 times"):
        get_solver("x")


def test_an_empty_allow_list_leaves_the_built_ins(site, monkeypatch):
    site.add("foo", foo=solver("foo"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", "")
    assert get_solver("logistic")
    assert "foo" not in list_solvers()
    assert "foo_foo" not in sys.modules
    assert not listed("foo").enabled
    for name in ("foo", "foo:foo"):
        with pytest.raises(
            PluginError, match="foo:foo is switched off: add it to AUCBENCH_PLUGINS"
        ):
            get_solver(name)


def test_an_allow_list_leaves_the_named_plugins(site, monkeypatch):
    site.add("first", one=solver("one"), two=solver("two"))
    site.add("second", three=solver("three"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", "one, second:three")
    assert {*list_solvers()} & {"one", "two", "three"} == {"one", "three"}
    assert [listed(name).enabled for name in ("one", "two", "three")] == [True, False, True]
