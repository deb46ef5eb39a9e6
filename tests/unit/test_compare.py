import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from aucbench import auc
from aucbench.bench.cell import Row, fit, prepare
from aucbench.bench.compare import compare, run
from aucbench.bench.plan import Cell, Settings, make_plan
from aucbench.bench.store import require_writable, write_rows
from aucbench.bench.tables import failures, plain_table, protocol, summarise
from aucbench.bench.text import aligned, shown
from aucbench.data import Data
from aucbench.errors import DataError, ParameterError, UnsupportedError
from aucbench.features import MaxAbs
from aucbench.protocols import Needs, Problem, State
from aucbench.records import CellStatus


@dataclass(frozen=True)
class Noisy:
    """w ← m₊ − m₋ + noise, once per pass."""

    noise: float = 0.1
    space: ClassVar = {}
    needs: ClassVar = Needs()

    def problem(self, data, rng):
        return Problem(None, train=data)

    def iterates(self, problem, rng):
        m_neg, m_pos = problem.data.means
        for step in range(1, 1000):
            w = m_pos - m_neg + self.noise * rng.standard_normal(problem.data.d)
            yield State(step, w, step * problem.data.n)


@dataclass(frozen=True)
class Overflowing(Noisy):
    """Finite weights whose scores are not."""

    def iterates(self, problem, rng):
        yield State(1, np.array([1e308, -1e308]), problem.data.n)


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.arange(90) % 3 == 0
    return Data.of(rng.standard_normal((90, 2)) * [1, 50] + y[:, None] * [1, 0], y)


def row(solver="a", dataset="x", *, split=0, **measured):
    given = {"status": CellStatus.OK, **measured}
    return Row(solver, dataset, 0, split, 0, "maxabs", None, None, **given)


def test_cells_are_the_grid_and_their_seed_is_that_of_the_repeat(data):
    settings = Settings(splits=3, repeats=2, seed=5)
    cells = make_plan([Noisy(), "logistic"], [("mine", data)], settings).cells

    assert len({*cells}) == len(cells) == 12
    assert cells[:2] == (
        Cell("Noisy(noise=0.1)", "mine", 0, 0, 5),
        Cell("logistic", "mine", 0, 0, 5),
    )
    assert {(cell.repeat, cell.seed) for cell in cells} == {(0, 5), (1, 6)}


def test_a_split_is_scikit_learns_and_preprocessing_sees_training_rows_only(data):
    settings = Settings(splits=4)
    folds = StratifiedKFold(4, shuffle=True, random_state=9).split(np.zeros(90), data.y)
    for number, (train, test) in enumerate(folds):
        split = prepare(Cell("", "mine", 0, number, 9), data, MaxAbs(), settings)
        raw = data.rows.matrix
        scale = np.abs(raw[train]).max(axis=0)

        np.testing.assert_allclose(split.train.rows.matrix, raw[train] / scale)
        np.testing.assert_allclose(split.test.rows.matrix, raw[test] / scale)
        np.testing.assert_array_equal(split.test.y, data.y[test])


def test_rows_say_what_was_measured(data):
    settings = Settings(splits=3, passes=4)
    (first, *_) = rows = compare([Noisy()], [("mine", data)], splits=3, passes=4)
    split = prepare(Cell("", "mine", 0, 0, 0), data, MaxAbs(), settings)
    states = Noisy().iterates(
        Problem(None, train=split.train), np.random.default_rng(0).spawn(2)[1]
    )
    w = [state.w for state, _ in zip(states, range(4), strict=False)][-1]

    assert len(rows) == 3
    assert (first.status, first.reason, first.stop) == (CellStatus.OK, None, "PASSES")
    assert (first.passes, first.n_train, first.n_test, first.d) == (4, 60, 30, 2)
    assert (first.nnz, first.objective, first.parameters) == (2, None, {"noise": 0.1})
    assert first.auc == auc(split.test.y, split.test.scores(w))


def test_a_seed_repeats_everything_but_the_clock(data):
    twice = [
        [replace(r, fit_seconds=None) for r in compare([Noisy(2.0)], [("m", data)], seed=seed)]
        for seed in (1, 1, 2)
    ]

    assert twice[0] == twice[1]
    assert [r.auc for r in twice[0]] != [r.auc for r in twice[2]]


def test_scores_that_are_nan_are_invalid(data):
    with np.errstate(all="ignore"):
        (first, *_) = compare([Overflowing()], [("mine", data)], preprocess="none")

    assert (first.status, first.auc) == (CellStatus.INVALID, None)
    assert "NaN" in first.reason


def test_a_preprocessing_that_fails_is_a_row():
    cell, settings = Cell("s", "d", 0, 0, 0), Settings()

    def refuse():
        raise DataError("too large")

    def crash():
        raise ZeroDivisionError

    refused, crashed = (fit(cell, Noisy(), split, settings) for split in (refuse, crash))

    assert (refused.status, refused.reason) == (CellStatus.SKIPPED, "too large")
    assert (crashed.status, crashed.reason) == (CellStatus.ERROR, "ZeroDivisionError")


def test_rows_come_one_at_a_time(data):
    rows = run(make_plan([Noisy(), Overflowing()], [("mine", data)], Settings(preprocess="none")))

    assert next(rows).solver == "Noisy(noise=0.1)"
    rows.close()


def test_specifications_may_be_one_text():
    rows = compare("logistic,logistic[C=10]", "breast-cancer", splits=2)

    assert [r.solver for r in rows] == ["logistic", "logistic[C=10]"] * 2


@pytest.mark.parametrize(
    ("solvers", "sets", "options", "sentence"),
    [
        ([], ["radial"], {}, "no solver was named; known are: .*sht-auc"),
        (["logistic"], [], {}, "no data set was named; .*radial"),
        (["logistic"], ["radial", "radial"], {}, "the data set radial is named twice"),
        (["logistic"], ["radial"], {"splits": 2.5}, "splits must be a whole number"),
        (["logistic"], ["radial"], {"seed": 2**32 - 1, "repeats": 2}, "below 2..32"),
        (["logistic"], ["radial"], {"preprocess": "append-one"}, "intercept=True"),
    ],
)
def test_mistakes_show_before_anything_runs(solvers, sets, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        compare(solvers, sets, **options)


def test_options_that_a_solver_ignores_name_it(data):
    with pytest.raises(UnsupportedError, match=r"own projector: Noisy\(noise=0.1\), logistic;"):
        compare([Noisy(), "sht-auc", "logistic"], [("mine", data)], projector="top-k[k=1]")


def test_json_is_strict(tmp_path):
    path = tmp_path / "rows.json"
    write_rows([row(auc=0.5, objective=float("inf"), passes=float("nan"))], path)
    (read,) = json.loads(path.read_text(), parse_constant=pytest.fail)

    assert (read["auc"], read["objective"], read["passes"]) == (0.5, None, None)
    assert read["status"] == "ok"


def test_an_interrupted_write_leaves_the_older_file(tmp_path):
    path = tmp_path / "rows.json"
    write_rows([row()], path)
    before = path.read_text()

    def rows():
        yield row()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rows(rows(), path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["rows.json"]


def test_a_link_to_the_rows_stays_a_link(tmp_path):
    target, link = tmp_path / "rows.json", tmp_path / "link.json"
    target.write_text("[]")
    link.symlink_to(target)
    require_writable(link)
    write_rows([row()], link)

    assert link.is_symlink()
    assert len(json.loads(target.read_text())) == 1


@pytest.mark.parametrize("name", ["", "absent/rows.json", "x" * 300])
def test_a_path_that_cannot_be_written_is_refused(tmp_path, name):
    with pytest.raises(ParameterError, match=r"is not a file|name another file"):
        require_writable(tmp_path / name)
    assert [*tmp_path.iterdir()] == []


def test_summary_counts_ok_rows_only():
    rows = [
        row(split=0, auc=0.8, fit_seconds=1.0, nnz=2),
        row(split=1, auc=0.9, fit_seconds=2.0, nnz=3),
        row(split=2, auc=1.0, fit_seconds=9.0, nnz=3),
        row("b", split=0, auc=1.0, fit_seconds=1.0, nnz=1),
        row("b", split=1, status=CellStatus.ERROR, reason="boom"),
        row("c", split=0, status=CellStatus.INVALID, reason="nan"),
    ]
    a, b, c = summarise(rows)

    assert (a.auc, a.spread, a.fit_seconds) == pytest.approx((0.9, 0.1, 2.0))
    assert (a.ok, a.planned, a.best) == (3, 3, True)
    assert (b.auc, b.spread, b.ok, b.planned) == (1.0, None, 1, 2)
    assert not b.best
    assert (c.auc, c.fit_seconds, c.nnz, c.ok, c.best) == (None, None, None, 0, False)
    assert plain_table([a, c]).splitlines()[1:] == [
        "x         a       0.9000 ± 0.1000      2        2.7  3/3",
        "x         c                     -      -          -  0/1",
    ]


def test_best_is_chosen_for_each_data_set():
    rows = [row("a", "x", auc=0.7), row("b", "x", auc=0.6), row("a", "y", auc=0.5)]

    assert [summary.best for summary in summarise(rows)] == [True, False, True]


def test_failures_tell_the_first_reason_of_each_solver():
    bad = [row("b", split=j, status=CellStatus.ERROR, reason=f"E{j}") for j in range(2)]

    assert failures([row()]) == ()
    assert failures([row(), *bad]) == (
        "2 of 3 rows failed; the first of each solver:",
        "  b on x: error: E0",
    )


def test_protocol_tells_the_budget():
    both = protocol(Settings(passes=2, seconds=0.5, objective="logistic"))

    assert "maxabs, objective logistic, 2 passes or 0.5 seconds, gap 1e-06" in both
    assert ", 50 passes, " in protocol(Settings())
    assert ", 3 seconds, " in protocol(Settings(seconds=3))


def test_text_is_aligned_and_harmless():
    assert shown("a\x1b[1m\nµ") == "a\\x1b[1m\\nµ"
    assert aligned([("a", "1"), ("bcd", "22")], right=[1]) == "a     1\nbcd  22"
    assert aligned([]) == ""
