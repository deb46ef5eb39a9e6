"""Refusals: the class of an error and one word of its sentence.

A room has one table of them. A better sentence changes no table, unless the word goes:
`test_sentences.py` asks how sentences look.

    REFUSED = refusals(
        ("no labels", lambda: Data.of(X, []), DataError, "labels"),
        ("k of 0", lambda: get_solver("sht-auc", k=0), ParameterError, "k"),
    )

    @REFUSED
    def test_what_is_refused(call, error, word):
        assert_refused(call, error, word)
"""

import pytest


def refusals(*rows):
    """Parametrise `call, error, word` by rows of (id, call, class of the error, word)."""
    return pytest.mark.parametrize(
        ("call", "error", "word"), [pytest.param(*row, id=name) for name, *row in rows]
    )


def assert_refused(call, error, word):
    """Check that a call raises this class, in one line that names the word; return the line."""
    with pytest.raises(error) as raised:
        call()
    said = str(raised.value)
    assert word in said, said
    assert "\n" not in said, said
    return said
