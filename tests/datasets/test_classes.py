"""Files with three or more labels, each of which is a class."""

from __future__ import annotations

import pandas as pd
import pytest

from aucbench.data import Categories, Labels
from aucbench.data.understood import Understood
from aucbench.datasets import load
from aucbench.errors import DataError, ParameterError

FRAME = pd.DataFrame(
    {
        "a": [float(i * i % 17) for i in range(60)],
        "code": [i % 3 for i in range(60)],
        "class": [["x", "y", "z"][i % 3] for i in range(60)],
    }
)


def test_each_label_is_a_class():
    data = load(FRAME[["a", "class"]], labels="classes")
    assert isinstance(data.target, Categories)
    assert data.target.names.tolist() == ["x", "y", "z"]
    assert data.target.counts.tolist() == [20, 20, 20]
    assert data.understood.labels == ("x", "y", "z")
    assert "3 classes, 'x', 'y', 'z'" in next(data.understood.lines())
    assert Understood.from_json(data.understood.to_json()) == data.understood


def test_numbers_stay_numbers_and_are_in_their_order(tmp_path):
    path = tmp_path / "three.svm"
    path.write_text("".join(f"{label} 1:{i} 2:{i % 4}\n" for i, label in enumerate([10, 9, 2] * 9)))
    data = load(path, labels="classes")
    assert data.target.names.tolist() == ["2", "9", "10"]
    assert data.understood.labels == (2, 9, 10)


def test_two_labels_are_two_classes():
    data = load(FRAME.assign(**{"class": ["no", "yes"] * 30}), labels="classes")
    assert isinstance(data.target, Labels)
    assert data.understood.positive == ("yes",)


def test_weights_and_groups_go_with_them_and_their_numbers_are_suspicious():
    frame = FRAME.assign(w=[1.0, 2.0] * 30, user=[i // 6 for i in range(60)])
    data = load(frame, labels="classes", weights="w", groups="user")
    assert data.weights[:2].tolist() == [1.0, 2.0]
    assert data.groups.max() == 9
    said = "'code' is suspicious: tells the label alone"
    assert any(said in line for line in data.understood.warnings)


def test_without_it_the_message_names_this_way_too():
    with pytest.raises(DataError, match=r"--negative rest .*--labels classes \(in Python labels="):
        load(FRAME)


def test_what_makes_two_classes_is_refused():
    with pytest.raises(ParameterError, match="labels=classes has all of them"):
        load(FRAME, labels="classes", positive="x")
    with pytest.raises(DataError, match="task=first makes two classes"):
        load(FRAME, labels="classes", task="first")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "all 24 labels are 'red'; give rows of both classes"),
        ({"negative": "red"}, "all 24 labels are negative; give rows of both"),
        ({"positive": "red"}, "all 24 labels are positive; give rows of both"),
    ],
)
def test_a_column_of_one_label_is_said_to_be_one(tmp_path, options, sentence):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i % 9},red\n" for i in range(24)))
    with pytest.raises(DataError, match=sentence):
        load(tmp_path / "t.csv", target="y", **options)
