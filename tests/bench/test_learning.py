"""Which plugins are likely to need scikit-learn."""

import pytest
from plugin_site import solver

from aucbench.bench.learning import LEARNING, PRELOADED, likely
from aucbench.registry.specs import parse_spec

ALL = tuple(PRELOADED.values())
LATE = "\ndef late():\n    import sklearn.svm\n"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("sht-auc[k=3]", ()),
        ("logistic", LEARNING),
        ("hist-gradient-boosting", ALL),
        ("nobody-knows-it", ()),
    ],
)
def test_plugins_of_aucbench_are_known_by_their_files(spec, expected):
    assert likely(spec) == likely(parse_spec(spec)) == expected


def test_one_file_of_a_package_is_enough(site):
    site.add("first", light=solver("light"))
    site.add("second", heavy=solver("heavy", "further") + LATE)

    assert likely("light") == likely("first:light[k=2]") == ()
    assert likely("heavy") == likely("second:heavy") == LEARNING
    assert likely("further") == likely("second:further") == LEARNING


def test_of_a_loose_file_the_file_counts(tmp_path):
    (tmp_path / "light.py").write_text(solver("light"))
    (tmp_path / "heavy.py").write_text(solver("heavy") + LATE)

    assert likely(f"{tmp_path}/light.py:Dummy") == ()
    assert likely(f"{tmp_path}/heavy.py:Dummy") == LEARNING
    assert likely(f"{tmp_path}/gone.py:Dummy") == ()
