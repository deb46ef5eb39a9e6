"""What counts as a number, and what becomes of it."""

from decimal import Decimal
from fractions import Fraction
from math import inf, isnan, nan

import numpy as np
import pytest

from aucbench.errors import float_of, short, whole_of

HUGE = 10**400


class Stubborn(float):
    """A float that cannot be converted."""

    def __float__(self):
        raise RuntimeError("no")


class Shy:
    """Raises whatever it is asked."""

    @property
    def __class__(self):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (1.5, 1.5),
        (3, 3.0),
        (-inf, -inf),
        (10**308, 1e308),
        (Fraction(1, 2), 0.5),
        (np.float32(0.25), 0.25),
        (np.int8(-3), -3.0),
    ],
)
def test_a_real_number_becomes_a_float(value, wanted):
    assert float_of(value) == wanted
    assert type(float_of(value)) is float


def test_nan_is_a_float():
    assert isnan(float_of(np.float64(nan)))


NONE = [
    *(True, np.True_, None, "1", b"1", 1j, np.complex128(1), Decimal("1.5"), HUGE, -HUGE),
    *(Fraction(HUGE), Stubborn(1.0), np.array(1.0), np.ones(1), [1.0]),
]


@pytest.mark.parametrize("value", NONE, ids=lambda value: type(value).__name__)
def test_everything_else_is_none(value):
    assert float_of(value) is None


def test_what_cannot_be_asked_is_no_number():
    assert float_of(Shy()) is None
    assert whole_of(Shy()) is None


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(3, 3), (np.uint8(200), 200), (HUGE, HUGE), (True, None), (2.0, None), ("2", None)],
)
def test_whole_numbers(value, wanted):
    assert whole_of(value) == wanted
    assert type(whole_of(value)) is type(wanted)


def test_text_of_any_value_fits_into_a_sentence():
    assert short(1.5) == "1.5"
    assert len(short(HUGE)) == 60
    assert short(10**5000) == "a int"
    assert short(Shy()) == "a Shy"
    assert short("a\nb") == r"'a\nb'"
