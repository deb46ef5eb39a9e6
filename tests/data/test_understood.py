"""What was understood of a source: short above a table, whole in a report."""

from aucbench.data.understood import Remark, Understood


def constants(count):
    return [
        Remark(f"column 'c{i}' is constant", "constant", f"c{i}", "constant") for i in range(count)
    ]


def test_a_kind_of_warning_has_one_line():
    leak = Remark("column 'paid' tells the label", "leak", "paid", "AUC .99")
    understood = Understood(remarks=(*constants(1578), leak, Remark("rows occur twice")))
    assert [*understood.lines()] == [
        "warning: column 'paid' tells the label",
        "warning: 1578 columns are suspicious: constant: 'c0', 'c1', 'c2' and 1575 more",
        "warning: rows occur twice",
    ]
    assert len(understood.warnings) == 1580


def test_columns_that_are_left_out_are_listed_up_to_a_number():
    understood = Understood(dropped={f"c{i}": "has no value" for i in range(20)})
    [line] = understood.lines()
    assert line.endswith("c8 (has no value) and 11 more")
    [whole] = understood.facts()
    assert whole.endswith("c19 (has no value)")
