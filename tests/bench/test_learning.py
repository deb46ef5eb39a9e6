"""Which plugins are likely to need scikit-learn."""

import pytest

from aucbench.bench.learning import LEARNING, PRELOADED, likely
from aucbench.registry.specs import parse_spec

ALL = tuple(PRELOADED.values())


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
