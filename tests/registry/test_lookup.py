import sys

import pytest
from plugin_site import HEAD, listed, solver

from aucbench.errors import PluginError, UnknownNameError
from aucbench.registry import get_projector, get_solver, list_solvers, names

pytestmark = pytest.mark.plain


def test_two_third_parties_with_one_plugin_name(site):
    site.add("first", same=solver("same"))
    site.add("second", same=solver("same"))
    for distribution, other in (("first", "second"), ("second", "first")):
        assert listed("same", distribution).conflicts == (f"plugin 'same' of {other}",)
        assert get_solver(f"{distribution}:same").__class__.__module__ == f"{distribution}_same"
    with pytest.raises(PluginError, match=r"claimed by 2 .*write first:same or second:same"):
        get_solver("same")
    assert {"first:same", "second:same"} <= {*list_solvers()}
    assert "same" not in list_solvers()


def test_a_contested_plugin_is_not_imported_to_settle_it(site):
    site.add("first", same=solver("same"))
    site.add("second", same=solver("something-else"))
    with pytest.raises(PluginError, match="plugin 'same' is claimed by 2"):
        get_solver("same")
    assert not {"first_same", "second_same"} & {*sys.modules}


def test_two_third_parties_with_one_registered_name(site):
    site.add("first", one=solver("same", "mine"))
    site.add("second", two=solver("same"))
    with pytest.raises(PluginError, match=r"solver 'same' is claimed .*first:same or second:same"):
        get_solver("same")
    assert listed("one").conflicts == ("solver 'same' of second",)
    assert listed("two").conflicts == ("solver 'same' of first",)
    assert get_solver("mine").k == 3
    assert get_solver("second:same").__class__.__module__ == "second_two"
    assert {"first:same", "second:same", "mine"} <= {*list_solvers()}


def test_the_plugin_of_that_name_owns_it_whatever_was_imported_before(site):
    site.add("first", x=solver("x"))
    site.add("second", bundle=solver("x"))
    assert get_solver("x").__class__.__module__ == "first_x"
    assert "second_bundle" not in sys.modules
    assert {"x", "second:x"} <= {*list_solvers()}
    assert get_solver("x").__class__.__module__ == "first_x"
    assert listed("x").conflicts == ("solver 'x' of second",)


def test_a_broken_owner_is_not_replaced_silently(site):
    site.add("first", x="raise ImportError('gone')")
    site.add("second", bundle=solver("x"))
    with pytest.raises(PluginError, match=r"first:x is broken \(ImportError: gone\)"):
        get_solver("x")
    assert get_solver("second:x").k == 3


@pytest.mark.parametrize("plugin", ["logistic", "bundle", "top_k"])
def test_built_ins_cannot_be_shadowed(site, plugin):
    hook = "\n@hookimpl\ndef aucbench_projectors():\n    return {'top-k': Identity}\n"
    site.add("evil", **{plugin: solver("logistic") + hook})
    assert get_solver("logistic").__class__.__module__ == "aucbench_plugins.baselines.logistic"
    assert get_projector("top-k").__class__.__module__.startswith("aucbench.")
    assert get_solver("evil:logistic").__class__.__module__ == f"evil_{plugin}"
    assert {"logistic", "evil:logistic"} <= {*list_solvers()}
    assert "solver 'logistic' of aucbench" in listed(plugin.replace("_", "-"), "evil").conflicts
    assert "solver 'logistic' of evil" in listed("logistic", "aucbench").conflicts


def test_one_distribution_that_registers_a_name_twice(site):
    site.add("foo", one=solver("x"), two=solver("x"))
    with pytest.raises(PluginError, match="foo:x has the solver 'x' 2 times"):
        get_solver("x")


def test_a_name_of_another_kind_is_no_conflict(site):
    hook = "\n@hookimpl\ndef aucbench_projectors():\n    return {'logistic': Identity}\n"
    site.add("foo", foo=HEAD + hook)
    assert get_solver("logistic").__class__.__module__ == "aucbench_plugins.baselines.logistic"
    assert names("projectors").count("logistic") == 1
    assert listed("foo").conflicts == ()


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


def test_an_allow_list_can_settle_a_conflict(site, monkeypatch):
    site.add("first", same=solver("same"), more=solver("more"))
    site.add("second", same=solver("same"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", " second:same , more")
    assert get_solver("same").__class__.__module__ == "second_same"
    assert get_solver("more").k == 3
    assert "first_same" not in sys.modules
    assert listed("same", "second").conflicts == ()


def test_a_wrong_allow_list_is_an_error_on_use_but_not_when_listing(site, monkeypatch):
    site.add("foo", foo=solver("foo"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", "fooo")
    assert not listed("foo").enabled
    with pytest.raises(UnknownNameError, match=r"AUCBENCH_PLUGINS 'fooo': did you mean 'foo'\?"):
        get_solver("logistic")


@pytest.mark.parametrize(
    ("listed_names", "left"),
    [
        ("-one", {"two", "three"}),
        ("-first:one, -three", {"two"}),
        ("- two", {"one", "three"}),
        ("one,three,-three", {"one"}),
        ("one,-two", {"one"}),
        ("second:three,-one", {"three"}),
        ("one,-one", set()),
    ],
)
def test_a_minus_sign_switches_a_plugin_off(site, monkeypatch, listed_names, left):
    site.add("first", one=solver("one"), two=solver("two"))
    site.add("second", three=solver("three"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", listed_names)
    assert {*list_solvers()} & {"one", "two", "three"} == left
    assert {name for name in ("one", "two", "three") if listed(name).enabled} == left
    assert get_solver("logistic")


def test_the_way_to_switch_a_plugin_on_again_is_told(site, monkeypatch):
    site.add("foo", foo=solver("foo"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", "-foo:foo")
    with pytest.raises(PluginError, match="off: take -foo:foo out of AUCBENCH_PLUGINS"):
        get_solver("foo")


@pytest.mark.parametrize("name", ["-fooo", "-logistic", "-aucbench:logistic", "-"])
def test_what_cannot_be_switched_off_is_an_error(site, monkeypatch, name):
    site.add("foo", foo=solver("foo"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", name)
    with pytest.raises(UnknownNameError, match="unknown plugin of another package in AUCBENCH_PL"):
        get_solver("logistic")
