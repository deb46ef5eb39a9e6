"""Specifications: the text of a name with its parameters, its one identity, and places of files."""

from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from aucbench.bench.cell import Choice
from aucbench.errors import ParameterError
from aucbench.registry import identity_of
from aucbench.registry.specs import (
    FIRST,
    Spec,
    anchored,
    bare,
    in_file,
    parse_chain,
    parse_spec,
    short,
    split_specs,
    without_place,
)

pytestmark = pytest.mark.plain

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.sampled_from(["true", "None", "inf", "don't", "a,b]", "[", "blocks", "1e3", "\\'"]),
)
LISTS = st.lists(st.one_of(SCALARS, st.lists(SCALARS, max_size=2)), max_size=3)
VALUES = st.one_of(SCALARS, LISTS, st.lists(SCALARS, max_size=3).map(tuple))
NAMES = st.from_regex(r"[A-Za-z0-9./:\\_'() -]+", fullmatch=True).map(str.strip).filter(bool)
SPECS = st.builds(
    Spec,
    NAMES,
    st.builds(
        lambda first, others: {**first, **others},
        st.dictionaries(st.just(FIRST), VALUES, max_size=1),
        st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True), VALUES, max_size=3),
    ),
)


@given(SPECS)
def test_text_of_a_specification_parses_to_it(spec):
    read = parse_spec(str(spec))
    assert read == spec
    assert hash(read) == hash(spec)
    assert repr(read) == repr(spec)


@given(st.lists(SPECS, min_size=1, max_size=4))
def test_a_list_of_specifications_splits_into_its_members(specs):
    assert split_specs(",".join(map(str, specs))) == [*map(str, specs)]


@given(st.text(alphabet="ab=,[](){}'\"\\ 1.-", max_size=20))
def test_any_text_gives_a_specification_or_a_sentence(text):
    try:
        spec = parse_spec(text)
    except ParameterError:
        return  # any other error fails the test
    assert spec.name
    assert parse_spec(str(spec)) == spec
    assert parse_spec(str(spec)).params == spec.params


@pytest.mark.parametrize(
    ("text", "name", "params"),
    [
        ("sht-auc", "sht-auc", {}),
        (" sht-auc [ k = 50 , blocks=4 ] ", "sht-auc", {"k": 50, "blocks": 4}),
        ("a[gamma=1e-3,w0=none]", "a", {"gamma": 1e-3, "w0": None}),
        ("a[sampling=blocks]", "a", {"sampling": "blocks"}),
        ("a[low=-inf,high=Inf,of=(1,)]", "a", {"low": -inf, "high": inf, "of": (1,)}),
        ("iris.csv[positive=setosa]", "iris.csv", {"positive": "setosa"}),
        ("a[positive=[don't,Iris-setosa]]", "a", {"positive": ["don't", "Iris-setosa"]}),
        ("C:\\data\\o'brien (1).csv[target=y]", "C:\\data\\o'brien (1).csv", {"target": "y"}),
        ("https://host:80/a?b=1&c=2", "https://host:80/a?b=1&c=2", {}),
        # The first value may stand without its name.
        ("e[ sklearn.svm:SVC , C=10 ]", "e", {FIRST: "sklearn.svm:SVC", "C": 10}),
        ("e['a=b',k=1]", "e", {FIRST: "a=b", "k": 1}),
        ("e[[a,b=1],k=1]", "e", {FIRST: ["a", "b=1"], "k": 1}),
    ],
)
def test_examples(text, name, params):
    assert parse_spec(text) == Spec(name, params)


@pytest.mark.parametrize(
    ("text", "at", "word"),
    [
        ("", 1, "name is missing"),
        ("a,b", 2, "one name"),
        ("a[", 3, "']' is missing"),
        ("a[k=1]x", 7, "closing"),
        ("a[k=(1]", 7, "opening"),
        ("a[k='x]", 8, '"\'" is missing'),
        ("a[k=1j]", 1, "complex"),
        ("a[k=1,,]", 7, "something"),
        (f"a[k={'[' * 20}{']' * 20}]", 24, "more than 20"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text, at, word):
    said = assert_refused(lambda: parse_spec(text), ParameterError, word)
    assert f"at character {at}: " in said


def test_the_order_of_parameters_says_nothing():
    one, other = parse_spec("a[k=2,b=1]"), parse_spec("a[b=1,k=2]")
    assert one == other
    assert hash(one) == hash(other)
    assert [str(one), str(other)] == ["a[k=2,b=1]", "a[b=1,k=2]"]
    assert parse_spec("a[2,b=1]") != one != parse_spec("a[k=2.0,b=1]")


SPELLINGS = [
    ("solvers", ("sht-auc[k=2,blocks=1]", "sht-auc[blocks=1,k=2]", "sht-auc[2,blocks=1]")),
    ("solvers", ("sht-auc", "aucbench:sht-auc[shuffle=true]", "sht-auc[gamma=none]")),
    ("solvers", ("svm-or[lam=1]", "svm-or[lam=1.0]")),
    ("features", ("standard", "aucbench:standard", "standard[]")),
    ("pairs", ("fpr[max=0.1]", "fpr[min_tpr=0,max=0.1]", "fpr[max=.1,min_tpr=0.0]")),
]


@pytest.mark.parametrize(("kind", "texts"), SPELLINGS)
def test_spellings_of_one_thing_have_one_identity(kind, texts):
    assert len({identity_of(kind, text) for text in texts}) == 1


def test_what_differs_has_another_identity():
    texts = ("sht-auc", "sht-auc[k=2]", "sht-auc[k=2,blocks=1]", "sto-iht[k=2]")
    assert len({identity_of("solvers", text) for text in texts}) == len(texts)
    # A parameter that a grid may tune is fixed by its default in the brackets.
    tuned = {identity_of("solvers", text, filled=False) for text in ("sht-auc", "sht-auc[k=50]")}
    assert len(tuned) == 2


def test_specifications_of_files():
    assert in_file("./a b/mine.py:Descent") == (Path("a b/mine.py"), "Descent")
    assert in_file("mine.py:Outer.Inner") == (Path("mine.py"), "Outer.Inner")
    for other in ("mine.py", "sht-auc", "dist:name", "https://x.org/a.py:b", "mine.py:3", ".py:A"):
        assert in_file(other) is None
    where = f"{Path.cwd()}/mine.py"
    assert anchored(Spec("./mine.py:A", {"k": 1})) == Spec(f"{where}:A", {"k": 1})
    assert anchored(Spec("c++/mine.py:A")) == Spec(f"{Path.cwd()}/c++/mine.py:A")
    assert without_place(Spec("/x/mine.py:A", {"k": 1})) == Spec("A", {"k": 1})
    assert bare(parse_spec("/x/mine.py:A[k=/y/b.py:c]")) == "A[k='/y/b.py:c']"
    assert bare(parse_chain("a+/x/mine.py:B")) == "a+B"
    tuned = Choice(Spec("/x/y/mine.py:A"), tune=True)
    assert (bare(tuned), bare(tuned, 1)) == ("A (tuned)", "mine.py:A (tuned)")
    assert short(parse_chain(f"a+{where}:B[k=1]")) == "a+mine.py:B[k=1]"
    assert short(Spec("/x/mine.py:A", {"k": 5})) == "/x/mine.py:A[k=5]"
    assert short(Choice(Spec("A()", {"k": 5}), tune=True)) == "A[k=5] (tuned)"
