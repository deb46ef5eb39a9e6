"""Submissions that somebody has altered, and sealed again: what is refused, and in which words."""

import json
import os
import re
import shutil
from dataclasses import replace
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from joining.conftest import DATASETS, TOY, Forger, better, joined, plan, ran

from aucbench.bench import merge, submit
from aucbench.bench.joining import cells, foreign, here
from aucbench.bench.results.origins import hash_of_scores, keep_origin, origins_of, verified
from aucbench.bench.results.store import SEALS, Store
from aucbench.data.packed import pack_arrays
from aucbench.errors import AucbenchError, DataError
from aucbench.metrics import auc
from aucbench.store.shard import SCHEMA, SEAL

OUTBREAK, LINEAR = DATASETS


def refused(folders, match, **more):
    """The submission is refused with a sentence, and nothing is written."""
    with pytest.raises(DataError, match=match):
        joined(folders, **more)
    assert not [path for path in folders.board.parent.iterdir() if "joined" in path.name]


def y_of(folders, key):
    return Store(folders.mine).scores(key)["y"]


def test_altered_scores_are_refused(folders, forger):
    key = forger.key(dataset=LINEAR)
    forger.write(key, arrays=better(forger.arrays(key)))
    refused(folders, r"sent: toy on linear.*the AUC is .* in its record, and its scores give")


def test_an_altered_auc_is_refused(folders, forger):
    key = forger.key(dataset=LINEAR)
    forger.write(key, measures={"auc": forger.store.read(key).measures.auc + 1e-6})
    refused(folders, "the AUC is .* in its record, and its scores give")


@pytest.mark.parametrize("told", [None, 2.0])
def test_an_auc_that_is_none_is_refused(folders, forger, told):
    forger.write(forger.key(dataset=LINEAR), measures={"auc": told})
    refused(folders, "the AUC is (missing|2) in its record, and its scores give")


def test_the_end_of_a_curve_is_the_auc(folders, forger):
    key = forger.key(dataset=LINEAR)
    curve = [{**point, "test_auc": 0.99} for point in forger.store.read(key).curve]
    forger.write(key, curve=tuple(curve))
    refused(folders, "the AUC at the end of its curve is 0.99 in its record")


def forge_well(folders, forger):
    """Scores that sort the labels, with the AUC that they have: all that a forger can do."""
    key = forger.key(dataset=LINEAR)
    arrays = {**forger.arrays(key), "scores": y_of(folders, key) + 0.0}
    record = forger.store.read(key)
    curve = [{**point, "test_auc": 1.0} for point in record.curve]
    forger.write(key, arrays=arrays, measures={"auc": 1.0}, curve=tuple(curve))
    return key


def test_a_forgery_that_fits_is_not_verified_and_refused_beside_a_run(folders, forger):
    forge_well(folders, forger)
    refused(
        folders,
        r"sent and .*mine have other scores of toy on linear.*AUC 1.0 and 0",
        own=[folders.mine],
    )
    done = joined(folders)
    assert verified(Store(done.folder)) == frozenset()


def test_scores_that_the_origin_does_not_name_are_refused(folders, forger):
    key = forger.key(dataset=LINEAR)
    forger.name_scores(key, "00" * 32)
    refused(folders, "its scores are not those that toy handed over")


def test_swapped_rows_are_refused(folders, forger):
    key = forger.key(dataset=LINEAR)
    arrays = forger.arrays(key)
    order = np.argsort(-arrays["rows"])
    swapped = {name: arrays[name][order] for name in ("rows", "scores")}
    forger.write(key, arrays=swapped)
    refused(folders, "its scores are not of the rows that this split tests here, by seed 0")


def test_the_rows_of_another_seed_are_refused(folders, tmp_path):
    other = ran(tmp_path / "other", plan("toy", seeds=(7,)))
    submit(other, "toy", tmp_path / "sent-7")
    with pytest.raises(DataError, match=r"another protocol.*its seeds: \(7,\) and \(0,\)"):
        merge([folders.board, tmp_path / "sent-7"], tmp_path / "joined")
    forger = Forger(tmp_path / "sent-7")  # who says that it was seed 0
    for key, record in forger.records().items():
        forger.write(key, record=replace(record, cell=replace(record.cell, seed=0)))
    forger.text(lambda text: re.sub(r"seeds = \[\s*7,\s*\]\n", "", text))
    with pytest.raises(DataError, match="not of the rows that this split tests here, by seed 0"):
        merge([folders.board, tmp_path / "sent-7"], tmp_path / "joined")


def test_other_data_are_refused(folders, forger):
    forger.write(forger.key(dataset=LINEAR), sizes={"data": "00" * 16})
    refused(folders, "computed with other data than linear.* has here .hash 0{32}, here [0-9a-f]")


def test_other_data_of_the_same_name_are_refused(folders, tmp_path):
    """Rows that were drawn by another seed, in a plan that says nothing of it."""
    other = "linear[n=100,seed=1]"
    mine = ran(tmp_path / "other", replace(plan("toy"), datasets=(OUTBREAK, other)))
    submit(mine, "toy", tmp_path / "sent-1")
    with pytest.raises(DataError, match=r"1 data sets are missing .*further ones"):
        merge([folders.board, tmp_path / "sent-1"], tmp_path / "joined")
    forger = Forger(tmp_path / "sent-1")
    for key, record in forger.records().items():
        if record.cell.dataset == other:
            forger.write(key, record=replace(record, cell=replace(record.cell, dataset=LINEAR)))
    forger.text(lambda text: text.replace(other, LINEAR))
    with pytest.raises(DataError, match="computed with other data than linear"):
        merge([folders.board, tmp_path / "sent-1"], tmp_path / "joined")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("repeats = 2\n", "its repeats: 2 and 1"),
        ('features = ["standard"]\n', "its feature maps"),
        ("seconds = 100.0", "its seconds: 100.0 and None"),
        ("[tuning]\nevals = 99\n", "its points of tuning: 99 and 20"),
        ("[limits]\ntimeout = 7200.0\n", "its timeout: 7200, more than 3600"),
    ],
)
def test_another_protocol_is_refused(folders, forger, line, what):
    def changed(text):
        place = {"[": "[budget]", "s": "passes"}.get(line[0], "splits")
        return text.replace(place, f"{line}\n{place}", 1)

    forger.text(changed)
    refused(folders, rf"sent was run by another protocol than .*board: {re.escape(what)}")


def test_less_time_is_no_other_protocol(folders, forger):
    forger.text(lambda text: text.replace("[budget]", "[limits]\ntimeout = 60.0\n\n[budget]"))
    assert joined(folders).cells == 8


def test_tuning_where_none_is_tuned_is_another_protocol(folders, forger):
    forger.text(lambda text: text.replace('spec = "toy"', 'spec = "toy", tune = true'))
    refused(folders, "it tunes its solvers, and none is tuned there")


def test_fewer_cells_are_refused(folders, forger):
    forger.remove(forger.key(dataset=LINEAR))
    refused(folders, "sent lacks 1 cells of toy, and all of its plan count")


def test_a_failure_cannot_be_left_out_with_its_data_set(folders, forger):
    for key, record in forger.records().items():
        if record.cell.dataset == LINEAR:
            forger.remove(key)
    forger.text(lambda text: re.sub(r'\s+"linear\[n=100\]",', "", text))
    refused(folders, r"1 data sets are missing \(linear\[n=100\]\)")


def test_a_cell_of_another_solver_is_no_cell_of_this_one(folders, forger):
    other = Forger(folders.board)
    key = other.key(dataset=LINEAR)
    forger.store.write(other.store.read(key), pack_arrays(other.arrays(key)))
    mine = forger.key(dataset=LINEAR)
    forger.remove(mine)
    refused(folders, "sent lacks 1 cells of toy")


def test_a_copied_cell_under_the_name_of_this_solver_is_said(folders, forger):
    other = Forger(folders.board)
    key = other.key(dataset=LINEAR, split=0)
    mine = forger.key(dataset=LINEAR, split=0)
    record = replace(other.store.read(key), id=mine, cell=forger.store.read(mine).cell)
    forger.write(mine, record=record, arrays=other.arrays(key))
    refused(folders, "the solver toy is of")
    forger.write(mine, plugin=("toyshop", "1.5", "toyshop_toys"))
    assert joined(folders).notes == ("toy has the very scores of sht-auc in 1 of 4 cells",)


def test_a_name_that_two_packages_have_is_refused(folders, tmp_path, forger):
    board = shutil.copytree(folders.sent, tmp_path / "run")
    for key in forger.keys:
        forger.write(key, plugin=("another", "1.5", "another_toys"))
    with pytest.raises(
        DataError, match=r"toy is of toyshop in .*run the second one as another:toy"
    ):
        merge([board, folders.sent], tmp_path / "joined")


def test_two_versions_of_one_solver_are_refused(folders, forger):
    forger.write(forger.key(dataset=LINEAR), plugin=("toyshop", "1.6", "toyshop_toys"))
    refused(folders, r"results of toy by toyshop 1\.[56] and 1\.[56]; run all of them with one")


def test_the_same_cell_by_other_versions_is_refused(folders, tmp_path, forger):
    board = shutil.copytree(folders.sent, tmp_path / "run")
    for key in forger.keys:
        record, arrays = forger.store.read(key), forger.arrays(key)
        machine = {**record.machine, "versions": {"numpy": "1.0"}}
        forger.remove(key)
        forger.store.write(replace(record, id=key[::-1], machine=machine), pack_arrays(arrays))
    with pytest.raises(
        DataError, match=r"by other code: .*numpy 2.*toyshop 1.5, numpy 1.0; run it"
    ):
        merge([board, folders.sent], tmp_path / "joined")


def test_two_results_of_a_cell_are_refused(folders, forger):
    key = forger.key(dataset=LINEAR)
    record = replace(forger.store.read(key), id="ab" * 16)
    forger.store.write(record, pack_arrays(forger.arrays(key)))
    refused(folders, "has two results of toy on linear")


def test_an_id_of_another_cell_is_refused(folders, tmp_path, forger):
    board = Forger(folders.board)
    mine, key = forger.key(dataset=LINEAR), board.key(dataset=LINEAR)
    record, arrays = forger.store.read(mine), forger.arrays(mine)
    forger.remove(mine)
    forger.store.write(replace(record, id=key), pack_arrays(arrays))
    refused(folders, f"the result {key} is of sht-auc .* and of toy")


def test_targets_are_not_taken(folders, forger):
    key = forger.key(dataset=LINEAR)
    arrays = {**forger.arrays(key), "y": y_of(folders, key)}
    forger.write(key, arrays=arrays)
    refused(folders, "its scores come with 'y', which is no part of a submission")


def test_a_folder_of_targets_is_not_taken(folders):
    (folders.sent / "targets").mkdir()
    (folders.sent / "targets" / f"{'00' * 16}.npz").write_bytes(b"")
    refused(folders, r"sent holds 'targets/0+\.npz', which is no part of a submission")


def test_weights_have_the_zeros_that_the_record_says(folders, forger):
    key = forger.key(dataset=OUTBREAK)
    forger.write(key, measures={"nnz": 1})
    refused(folders, "nnz is 1 in its record, and its weights say 6")


def test_sizes_are_those_of_the_rows(folders, forger):
    forger.write(forger.key(dataset=LINEAR), sizes={"n_test": 3})
    refused(folders, "n_test is 3 in its record, and 50 here")


def test_a_failure_has_no_auc(folders, forger):
    key = forger.key(dataset=LINEAR)
    record = forger.store.read(key)
    failed = replace(record, status=replace(record.status, status="timeout"))
    forger.store.write(failed)
    forger.name_scores(key, None)
    refused(folders, "it failed, and has an AUC")


def test_a_fit_is_no_longer_than_its_process_lived(folders, forger):
    forger.write(forger.key(dataset=LINEAR), measures={"fit_seconds_each": (1e6,)})
    refused(folders, "reports 1e\\+06 s of work, and its process lived")


def test_nothing_of_a_submission_is_imported(folders, tmp_path, monkeypatch):
    """Its plugin is not installed where it is merged, and nobody misses it."""
    forger = Forger(folders.sent)
    for key in forger.keys:
        forger.write(key, plugin=("evil", "1.0", "os:system"))
    monkeypatch.setenv("AUCBENCH_PLUGINS", "")
    asked = []
    monkeypatch.setattr("aucbench.registry.get_solver", asked.append)
    done = joined(folders)
    from aucbench.report.folder import FolderReader

    assert not FolderReader(done.folder).read().unchecked
    assert not asked


@pytest.mark.parametrize("where", ["first", "second"])
def test_code_in_a_file_is_refused(folders, tmp_path, where):
    evil = tmp_path / "evil.py"
    evil.write_text(f"{TOY}\nraise SystemExit('run')\n")
    target = {"first": folders.board, "second": folders.sent}[where]
    solver = {"first": "sht-auc", "second": "toy"}[where]
    Forger(target).text(lambda text: text.replace(f'"{solver}"', f'"{evil}:Toy"'))
    refused(folders, "is code of one machine, which others cannot have")


@pytest.mark.parametrize("name", ["/etc/passwd", "./evil.py:rows", "secret.csv"])
def test_a_data_set_in_a_file_is_not_read(folders, tmp_path, name):
    for target in (folders.board, folders.sent):
        Forger(target).text(lambda text: text.replace(f'"{LINEAR}"', f'"{name}"'))
    refused(folders, "which others cannot have|is a file of one machine")


def test_imports_of_files_are_refused(folders, forger):
    told = {"helper": {"place": "/dev/zero", "content": "00" * 16}}
    forger.write(forger.key(dataset=LINEAR), imports=told)
    refused(folders, "imported helper, which is in no package")


def test_a_link_is_not_followed(folders):
    (folders.sent / "plans" / "ab.toml").symlink_to("/etc/passwd")
    refused(folders, "ab.toml is a link, which is not followed")


def test_a_pipe_is_not_read(folders):
    os.mkfifo(folders.sent / "plans" / "ab.toml")
    refused(folders, "ab.toml is no plain file")


def test_a_file_that_is_too_large_is_not_read(folders, monkeypatch):
    [path] = (folders.sent / "plans").glob("*.toml")
    with path.open("r+b") as file:
        file.truncate(2**40)  # it takes no room on the disk
    refused(folders, r"plans/.*' has 1099511627776 bytes, more than the 1048576 allowed")


def test_many_files_are_not_read(folders, monkeypatch):
    monkeypatch.setattr(foreign, "MOST_FILES", 10)
    refused(folders, "more than 10 files")


def test_folders_without_end_are_not_entered(folders):
    (folders.sent / "cells/ab/c/d/e/f/g/h").mkdir(parents=True)
    refused(folders, "folders deep")


def test_a_zip_bomb_is_not_unpacked(folders, forger):
    key = forger.key(dataset=LINEAR)
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("scores.npy", bytes(2**22))
    forger.store.write(forger.store.read(key), file.getvalue())
    refused(folders, r"it unpacks to 4194304 bytes, and 800 belong to its cell")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "arrays",
    [
        {"rows": np.arange(50)},
        {"scores": np.zeros(50)},
        {"rows": np.arange(50), "scores": np.zeros(3)},
        {"rows": np.arange(50), "scores": np.full(50, np.nan)},
        {"rows": np.arange(50), "scores": np.zeros(50, np.complex128)},
        {"rows": np.array(["a"] * 50), "scores": np.zeros(50)},
    ],
)
def test_arrays_of_another_kind_are_refused(folders, forger, arrays):
    key = forger.key(dataset=LINEAR)
    whole = {**arrays, "rows": forger.arrays(key)["rows"]} if "nan" not in str(arrays) else arrays
    given = (
        whole
        if arrays.keys() == {"rows", "scores"} and arrays["rows"].dtype.kind != "U"
        else arrays
    )
    forger.store.write(forger.store.read(key), pack_arrays(given))
    refused(folders, "its file of scores has no|scores are not|has no")


def sealed(folder, key, text):
    """Write a shard of any content with a right seal."""
    body = SEAL.put_on(f"{key} {SCHEMA}", text)
    (folder / "cells" / key[:2] / f"{key}.json").write_bytes(body)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "text",
    [
        b"[" * 200_000 + b"\n}\n",
        b'{"record": [], "scores": null\n}\n',
        b'{"record": {"id": 5}, "scores": null\n}\n',
        b'{"record": {"id": "x", "cell": {"tune": ' + b"[" * 5000 + b"\n}\n",
        b'{"scores": null\n}\n',
        b'{"record": 1e999, "scores": null\n}\n',
        b'{"record": ' + b"9" * 5000 + b', "scores": null\n}\n',
        b"\xff\xfe\n}\n",
    ],
)
def test_records_of_anything_are_refused_by_a_sentence(folders, forger, text):
    sealed(folders.sent, forger.key(dataset=LINEAR), text)
    refused(folders, "cannot be used|no record of this aucbench")


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "splits = 1e400", "datasets = 5", "\0"])
def test_plans_of_anything_are_refused_by_a_sentence(folders, forger, text):
    forger.text(lambda _: text)
    with pytest.raises(AucbenchError):
        joined(folders)


def test_an_origin_of_a_submission_is_never_ones_own(folders, forger):
    [origin] = origins_of(forger.store)
    keep_origin(forger.store, replace(origin, own=True))
    keep_origin(forger.store, replace(origin, name="friend", own=False))
    done = joined(folders)
    assert done.verified == 0
    assert not any(one.own for one in origins_of(Store(done.folder)))


@pytest.mark.parametrize("change", [{"made": "<script>"}, {"name": "board"}])
def test_an_origin_of_anything_is_refused(folders, forger, change):
    [origin] = origins_of(forger.store)
    changed = replace(origin, **change)
    (folders.sent / "origins" / "toy.json").unlink()
    keep_origin(forger.store, changed)
    if "name" in change:
        done = joined(folders)
        assert {one.name for one in origins_of(Store(done.folder))} == {"board", "board-2"}
    else:
        refused(folders, "toy was made at '<script>', which is no date")


def test_a_person_is_one_line_of_text(folders, forger):
    [origin] = origins_of(forger.store)
    keep_origin(forger.store, replace(origin, by="<b>\x1b[2J\n" + "x" * 1000))
    done = joined(folders)
    told = next(one for one in origins_of(Store(done.folder)) if one.name == "toy").by
    assert told.startswith("<b>\\x1b[2J x")  # escaped where it is shown
    assert len(told) == 200


def test_about_and_targets_are_those_of_this_machine(folders, forger):
    for path in (folders.sent / "datasets").glob("*.json"):
        plain = json.loads(SEALS["datasets"].taken_off(path.stem, path.read_bytes()))
        body = json.dumps({**plain, "n_pos": 1}).encode()
        path.write_bytes(SEALS["datasets"].put_on(path.stem, body))
    store = Store(joined(folders).folder)
    for record in store.records():
        assert store.about(record.sizes.data)["n_pos"] > 1
        scores = store.scores(record.id)
        assert auc(scores["y"], scores["scores"]) == pytest.approx(record.measures.auc)
        assert hash_of_scores(scores)


def fail(*_, **__):
    raise AssertionError("it was asked before what costs less")


def other_protocol(forger):
    forger.text(lambda text: text.replace("splits", "repeats = 2\nsplits", 1))


def other_imports(forger):
    told = {"helper": {"place": "/dev/zero", "content": "00" * 16}}
    forger.write(forger.keys[-1], imports=told)


def longer(forger):
    forger.write(forger.keys[-1], measures={"fit_seconds_each": (1e6,)})


def fewer(forger):
    forger.remove(forger.keys[-1])


def undated(forger):
    [origin] = origins_of(forger.store)
    keep_origin(forger.store, replace(origin, made="once"))


def other_data(forger):
    forger.write(forger.keys[-1], sizes={"data": "00" * 16})


def other_sizes(forger):
    forger.write(forger.keys[-1], sizes={"n_test": 3})


def other_scores(forger):
    forger.name_scores(forger.keys[-1], "00" * 32)


BEFORE_DATA = {
    other_protocol: "another protocol",
    other_imports: "is in no package",
    longer: "of work",
    fewer: "lacks 1 cells",
    undated: "is no date",
}
BEFORE_MEASURES = {other_data: "other data", other_sizes: "n_test is 3", other_scores: "handed"}


@pytest.mark.parametrize("forge", [*BEFORE_DATA, *BEFORE_MEASURES])
def test_what_costs_little_is_asked_of_all_folders_first(folders, forger, monkeypatch, forge):
    """A board with an altered measure, and a submission that is refused for less."""
    board = Forger(folders.board)
    board.write(board.keys[0], measures={"auc": 0.123})
    refused(folders, r"board: sht-auc.*the AUC is 0\.123 in its record")
    forge(forger)
    monkeypatch.setattr(cells, "require_measures", fail)
    if forge in BEFORE_DATA:
        monkeypatch.setattr(here, "look_up_data", fail)
    refused(folders, {**BEFORE_DATA, **BEFORE_MEASURES}[forge])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (other_protocol, longer),
        (fewer, fewer),
        (other_data, other_data),
        (other_scores, other_sizes),
    ],
)
def test_the_first_problem_of_each_folder_is_named(folders, forger, tmp_path, first, second):
    submit(folders.mine, "broken", tmp_path / "broken")
    other = Forger(tmp_path / "broken")
    other.keys = [key for key in other.keys if other.store.read(key).ok]
    first(forger)
    second(other)
    with pytest.raises(DataError) as raised:
        merge([folders.board, folders.sent, tmp_path / "broken"], tmp_path / "joined")
    head, *each = raised.value.lines
    told = {**BEFORE_DATA, **BEFORE_MEASURES}
    assert head == "2 folders cannot be merged:"
    assert [told[one] in line for one, line in zip((first, second), each, strict=True)] == [
        True
    ] * 2
    assert [str(forger.folder) in each[0], str(other.folder) in each[1]] == [True, True]
    assert str(raised.value) == "; ".join(each)


def test_a_folder_that_changes_while_it_is_merged_is_refused(folders, forger, monkeypatch):
    key, keep = forger.key(dataset=LINEAR), Store.keep_about

    def late(store, about):
        arrays = forger.arrays(key)
        forger.write(key, arrays={**arrays, "scores": arrays["scores"] + 1.0})
        keep(store, about)

    monkeypatch.setattr(Store, "keep_about", late)
    monkeypatch.setattr(cells, "ROOM", 0)  # so that scores are read again
    refused(folders, "toy on linear.* was changed while it was merged")
