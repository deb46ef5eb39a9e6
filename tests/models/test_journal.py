"""A journal of what parts have answered: nothing is asked twice, and nothing is unpickled."""

from dataclasses import dataclass

import numpy as np
import pytest

from aucbench.data import Data
from aucbench.errors import DataError
from aucbench.models import journal
from aucbench.models.journal import Journal, answers_in
from aucbench.scale import ChunkedData, Here, InMemory
from aucbench.scale.survey import Gap, survey

pytestmark = pytest.mark.plain


class Counted(Here):
    """Counts the readings."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def reduce(self, *args, **kwargs):
        self.count += 1
        return super().reduce(*args, **kwargs)


def parts(seed=0, n=500):
    rng = np.random.default_rng(seed)
    return InMemory(Data.of(rng.standard_normal((n, 2)), np.where(rng.random(n) < 0.4, 1, -1)), 100)


def equal(a, b):
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b) and a.dtype == b.dtype
    if isinstance(a, tuple):
        return all(map(equal, a, b)) and len(a) == len(b)
    if hasattr(a, "__dataclass_fields__"):
        own = [f.name for f in a.__dataclass_fields__.values() if f.init]
        return type(a) is type(b) and all(equal(getattr(a, f), getattr(b, f)) for f in own)
    return a == b


def test_a_question_is_asked_once_and_the_answer_has_the_same_bits(tmp_path):
    engine = Counted()
    asked = (parts(), survey, np.zeros(2), 10, 0)
    first = Journal(engine, tmp_path / "new").reduce(*asked)
    again = Journal(engine, tmp_path / "new").reduce(*asked)
    assert engine.count == 1 == answers_in(tmp_path / "new")
    assert equal(first, again)
    assert again.samples[0].rows.matrix.shape == (10, 2)


@pytest.mark.parametrize(
    "other",
    [
        (parts(1), survey, np.zeros(2), 10, 0),
        (parts(), survey, np.ones(2), 10, 0),
        (parts(), survey, np.zeros(2), 11, 0),
    ],
)
def test_other_rows_or_arguments_are_another_question(tmp_path, other):
    engine = Counted()
    own = Journal(engine, tmp_path)
    own.reduce(parts(), survey, np.zeros(2), 10, 0)
    own.reduce(*other)
    own.reduce(parts(), survey, np.zeros(2), 10, 0, some=(0, 1))
    assert engine.count == 3


def test_a_solver_sees_no_difference(tmp_path):
    known = [ChunkedData(parts(), Journal(Here(), tmp_path)).survey for _ in range(2)]
    assert equal(known[0], ChunkedData(parts()).survey)
    assert equal(known[0], known[1])


def test_whole_numbers_of_any_size_and_infinities_are_kept(tmp_path):
    file = tmp_path / "one.npz"
    journal.write(file, Gap(part=10**30, row=-1, column=2, value=float("-inf")))
    assert journal.read(file) == Gap(10**30, -1, 2, float("-inf"))


def test_a_damaged_file_is_said(tmp_path):
    file = tmp_path / "one.npz"
    journal.write(file, Gap())
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"one\.npz is damaged.* remove it"):
        journal.read(file)


def test_the_answer_to_another_question_is_refused(tmp_path):
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    journal.write(one, Gap(part=1))
    journal.write(other, Gap(part=2))
    one.rename(tmp_path / "x")
    other.rename(one)
    with pytest.raises(DataError, match=r"one\.npz is damaged, or stands in the place of another"):
        journal.read(one)


@dataclass
class Other:
    x: int = 1


def test_only_our_records_are_kept_and_made(tmp_path, monkeypatch):
    file = tmp_path / "one.npz"
    journal.write(file, Other())
    assert not file.exists()
    with monkeypatch.context() as patched:
        patched.setattr(journal, "OURS", (Other.__module__,))
        journal.write(file, Other())
        assert journal.read(file) == Other()
    with pytest.raises(DataError, match="damaged"):
        journal.read(file)


def test_what_a_journal_cannot_keep_is_an_error(tmp_path):
    with pytest.raises(TypeError, match="a summary holds list"):
        journal.write(tmp_path / "one.npz", Gap(part=[1]))
