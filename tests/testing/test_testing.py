"""`check` and the decorators; the laws themselves are tested in tests/conformance."""

import subprocess
import sys
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from refusals import assert_refused, refusals

from aucbench import get_dataset, get_projector, get_solver
from aucbench.errors import ParameterError, PluginError, UnknownNameError
from aucbench.metrics import auc
from aucbench.objectives import PairwiseHinge, PairwiseSquare
from aucbench.projectors import L2Ball
from aucbench.testing import LAWS, Verdict, check, parametrize_checks
from aucbench.testing.asking import asked
from aucbench.testing.laws import LawBroken, Laws, causes, found, warn
from aucbench.testing.samples import Extent
from aucbench.testing.solvers.fits import require_same
from aucbench.testing.subjects import subject_of


@pytest.mark.parametrize(
    ("thing", "kinds"),
    [
        ("constant", ["solvers"]),
        (PairwiseSquare, ["objectives"]),
        (get_projector("l2-ball"), ["projectors"]),
        (L2Ball, ["projectors"]),
        ("maxabs", ["features"]),
        (get_dataset("breast-cancer"), ["datasets"]),
        (lambda: get_dataset("breast-cancer"), ["datasets"]),
        (auc, ["metrics"]),
        ("logistic", ["solvers", "objectives"]),
    ],
)
def test_the_kind_of_a_thing_is_found(thing, kinds):
    found = check(thing)
    assert sorted(f.law for f in found) == sorted(law.name for kind in kinds for law in LAWS[kind])
    assert {f.kind for f in found} == {*kinds}
    assert Verdict.BROKEN not in {f.verdict for f in found}


@dataclass(frozen=True, kw_only=True)
class Needy(L2Ball):
    k: int


def test_what_cannot_be_built_is_one_finding():
    [finding] = check(Needy)
    assert (finding.law, finding.verdict) == ("built", Verdict.BROKEN)
    assert "'k'" in finding.reason


def test_an_expected_failure_has_its_reason_and_may_not_hold():
    hinge = {f.law: f.verdict for f in check(PairwiseHinge)}
    assert hinge["blocks"] is Verdict.EXPECTED
    found = check(L2Ball, expected={"nearest": "rounding"})
    [broken] = [f for f in found if f.verdict is Verdict.BROKEN]
    assert broken.law == "nearest"
    assert "it holds now" in broken.reason
    assert "rounding" in broken.reason


@dataclass(frozen=True)
class Misnamed(L2Ball):
    expected_failures: ClassVar = {"nearst": "a slip"}


def thorough(thing, *laws, expected=None):
    """The verdicts of a thorough check, by whether the rows are larger ones."""
    takes = asked(subject_of(thing), expected or {}, laws, larger=[Extent(2000, 5)])
    return {bool(f.extent): f.verdict for f in (take() for _, take in takes)}


def of_few_rows(y, scores):
    return auc(y, scores) if len(y) < 300 else None


def test_an_expected_failure_may_be_of_larger_rows():
    law = "returns-a-number"
    known = {f"{law} on larger rows": "it has no value for many rows"}
    holds, broken, expected = Verdict.HOLDS, Verdict.BROKEN, Verdict.EXPECTED
    assert thorough(of_few_rows, law) == {False: holds, True: broken}
    assert thorough(of_few_rows, law, expected=known) == {False: holds, True: expected}
    assert thorough(auc, law, expected=known) == {False: holds, True: holds}


def test_what_a_parameter_changes_is_asked_on_the_small_sample_only():
    assert thorough(get_solver("aum-margin"), "parameters") == {False: Verdict.HOLDS}


def test_a_solver_of_two_columns_is_asked_on_two_columns():
    assert thorough(get_solver("auc-opt"), "ranks") == {False: Verdict.HOLDS, True: Verdict.HOLDS}


def test_larger_rows_are_drawn_within_bounds():
    for many, wide in (Extent.drawn() for _ in range(200)):
        assert 10_000 <= many.n <= 50_000
        assert 6 <= many.d <= 20
        assert 100 <= wide.n < wide.d <= 5_000
        assert all(Extent.of(str(at)) == at for at in (many, wide))


def test_warnings_come_between_what_is_broken_and_what_is_expected():
    laws = Laws("metrics")

    @laws("exact")
    def doubtful(thing):
        """It is not sure."""
        warn(f"it is {thing}")

    [law] = laws
    warned, known = (found(law, 5, "five", expected) for expected in ({}, {"doubtful": "known"}))
    assert (warned.verdict, warned.reason) == (Verdict.WARNING, "it is 5")
    broken = replace(known, verdict=Verdict.BROKEN, law="other", reason="1 row")
    others = [known, warned, replace(broken, law="second", reason="2 rows"), broken]
    assert [(c.verdict, c.laws, c.reason) for c in causes(others)] == [
        (Verdict.BROKEN, ("second",), "2 rows"),
        (Verdict.BROKEN, ("other",), "1 row"),
        (Verdict.WARNING, ("doubtful",), "it is 5"),
        (Verdict.EXPECTED, ("doubtful",), "known"),
    ]


def of_larger_row():
    return thorough(auc, expected={"returns-a-number on larger row": "a slip"})


def ranks_of_projectors():
    return parametrize_checks("projectors", ["l2-ball"], expected={"ranks": "why"})


@refusals(
    ("no plugin", lambda: check(5), ParameterError, "kind="),
    ("no kind", lambda: check(L2Ball, kind="solver"), UnknownNameError, "'solver'"),
    ("no name", lambda: check("sht-ac"), UnknownNameError, "sht-auc"),
    ("no law of its own", lambda: check(Misnamed()), UnknownNameError, "nearest"),
    ("no law of the kind", ranks_of_projectors, UnknownNameError, "ranks"),
    ("no larger rows", of_larger_row, UnknownNameError, "larger rows"),
)
def test_what_is_refused(call, error, word):
    assert_refused(call, error, word)


HOOK = "from aucbench.projectors import L2Ball\ndef aucbench_projector(): return {'b': L2Ball}"


@pytest.mark.parametrize(
    ("name", "source", "word"),
    [
        ("empty_file", "x = 1", "no class"),
        ("decimal", "x = 1", "another module"),
        ("misspelt", HOOK, "aucbench_projectors"),
    ],
)
def test_a_file_has_plugins_and_a_name_of_its_own(tmp_path, name, source, word):
    __import__("decimal")
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    with pytest.raises(PluginError, match=word):
        check(str(path))


def raising(y, scores):
    raise ValueError("boom")


def calling(y, scores):
    return np.linalg.cholesky(np.zeros((2, 3)))[0, 0]


@pytest.mark.parametrize("function", [raising, calling])
def test_an_exception_names_the_line_of_the_plugin(function):
    [finding] = [f for f in check(function, kind="metrics") if f.law == "order-of-rows"]
    line = function.__code__.co_firstlineno + 1
    assert finding.verdict is Verdict.BROKEN
    assert finding.reason.endswith(f"({__file__}:{line})"), finding.reason


def test_pytest_is_not_needed():
    code = "import sys, aucbench.testing; aucbench.testing.check('maxabs'); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pytest" not in ended.stdout.split()


def test_each_law_says_what_it_checks_and_how_exactly():
    for laws in LAWS.values():
        assert len({law.name for law in laws}) == len(laws)
        assert all(law.doc and law.tolerance for law in laws)


def test_trajectories_need_not_agree_near_their_end():
    """From the third state on, w moves by less than half of where it ends."""
    first = [(1, 10, np.array([1.0])), (2, 20, np.array([0.5]))]
    one = [*first, (3, 30, np.array([0.0101])), (4, 40, np.array([0.01]))]
    other = [*first, (3, 35, np.array([0.0099])), (4, 40, np.array([0.01]))]
    require_same("a fit", one, other, near=0.5)
    require_same("a fit", one, [*other, (5, 50, np.array([0.01]))], near=0.5)
    moved = [first[0], (2, 21, np.array([0.5])), *other[2:]]
    for wrong, near in ((other, 0.0), (moved, 0.5)):
        with pytest.raises(LawBroken):
            require_same("a fit", one, wrong, near=near)
