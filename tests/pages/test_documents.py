"""Links of the pages lead somewhere; their names and tables are those of the code."""

import re
from importlib import import_module

import pytest
from shown_pages import DOCS, ROOT, section, text_of

import aucbench
from aucbench.datasets.collections import SOURCES
from aucbench.processes.starting import POOLS
from aucbench.registry import describe, names

PAGES = sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
METHODS = sorted(path.name for path in (DOCS / "methods").glob("*.md"))


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            there = target == "notebook.ipynb" or ((ROOT / page).parent / target).exists()
            assert there, f"{page}: {target}"


def test_the_menu_is_short_and_each_reader_has_a_page_of_ten_minutes():
    menu = re.findall(r"^ +- (.*\.md)$", text_of("../mkdocs.yml"), re.MULTILINE)
    files = {line.rpartition(" ")[2] for line in menu}
    assert files == {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")} - {
        str(path.relative_to(DOCS)) for path in DOCS.glob("data/simulations/*.md")
    }
    assert len(menu) == len(files) <= 50
    assert [line for line in menu if line.startswith("Ten minutes: ")] == [
        f"Ten minutes: {page}.md" for page in ("ten_minutes", "solver", "results")
    ]


def test_the_collections_of_the_page_are_those_that_there_are():
    text = text_of("data_registry.md")
    shown = [line.strip("| ").split(" | ") for line in re.findall(r"^\| `.*:` .*$", text, re.M)]
    for row, found in zip(shown, SOURCES, strict=True):
        prefix, _, references = (cell.replace("`", "") for cell in row)
        assert prefix == f"{found.PREFIX}:"
        assert references.split(", ") == [*found.CITES]


def test_the_published_settings_of_the_page_build_solvers():
    page = text_of("methods/index.md").partition("\n## Baselines\n")[0]
    specs = re.findall(r"\| `([a-z-]+\[[^`]+\])` \|", page)
    assert len(specs) == 8
    for spec in specs:
        assert aucbench.get_solver(spec) != aucbench.get_solver(spec.partition("[")[0]), spec


def test_the_files_that_the_development_page_names_are_there():
    table = text_of("development.md").partition("### Where is …?")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and "`aucbench/" in line]
    for line in rows:
        first, *others = re.findall(r"`([\w/.]+)`", line.rsplit("|", 2)[1])
        homes = [ROOT, (ROOT / first).parent, ROOT / "aucbench", ROOT / "aucbench" / "bench"]
        for name in (first, *others):
            assert any((home / name).exists() for home in homes), name


def test_each_test_holds_a_promise_of_the_table():
    table = text_of("testing.md").partition("\n## What is promised")[2].partition("\n## ")[0]
    rows = "\n".join(line for line in table.splitlines() if line.startswith("| "))
    named = re.findall(r"`([a-z_/]+(?:/|\.py))`", rows)
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []
    files = [path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")]
    held = {name.rstrip("/") for name in named}
    assert [str(f) for f in files if held.isdisjoint({str(f), f.parts[0]})] == []


def test_the_page_names_every_variable_that_the_code_reads():
    page = text_of("install.md")
    named = set(re.findall(r"^\| `(AUCBENCH_[A-Z_]+)` \|", page, re.MULTILINE))
    folders = ("aucbench", "plugins", "tests", "examples", "benchmarks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    read = set()
    for path in [*files, ROOT / "setup.py"]:
        read |= set(re.findall(r"[\"'](AUCBENCH_[A-Z_]+)[\"']", path.read_text(encoding="utf-8")))
    for path in (ROOT / ".ci").iterdir():
        read |= set(re.findall(r"\b(AUCBENCH_[A-Z_]+)[=:}]", path.read_text(encoding="utf-8")))
    assert named == read
    threads = next(line for line in page.splitlines() if "OMP_NUM" in line)
    assert re.findall(r"`(\w+)_NUM_THREADS`", threads) == [*POOLS]


@pytest.mark.slow
def test_every_solver_has_its_mathematics_and_its_papers():
    """Its name is on the page of its family, and that page prints its papers."""
    for name in names("solvers"):
        known = describe("solvers", name)
        if known.distribution != "aucbench":
            continue
        of_family = "index" if known.family == "baselines" else known.family
        page = text_of(f"methods/{of_family}.md")
        assert f"`{name}`" in page or f"`{name}[...]`" in page, name
        printed = set()
        for listed in re.findall(r"<!-- papers: (.+) -->", page):
            for other in listed.split():
                printed |= {*describe("solvers", other).cites}
        assert name == "estimator" or printed >= {*known.cites}, name


def imported(text):
    """The names of aucbench that code imports."""
    lines = re.findall(r"^from (aucbench[\w.]*) import ([^(\n]+)$", text, re.MULTILINE)
    return {(module, name.strip()) for module, listed in lines for name in listed.split(",")}


def test_what_authors_import_is_documented():
    reference = "".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    documented = {*re.findall(r"^::: ([\w.]+)", reference, re.MULTILINE)}
    arrays = {"ALL", "Block", "Index", "Vector"}  # in a sentence of the guide
    text = section("pairs.md", "## Survival times and grades") + text_of("../aucbench/guide.md")
    for file in re.findall(r'^--8<-- "(examples/\w+\.py)"', text_of("guide.md"), re.MULTILINE):
        text += text_of(f"../{file}")
    used = imported(text)
    assert used
    for module, name in used:
        home = f"{getattr(getattr(import_module(module), name), '__module__', module)}.{name}"
        registered = module in ("aucbench.objectives", "aucbench.projectors")  # in the catalogue
        known = {module, f"{module}.{name}", home} & documented or name in arrays or registered
        assert known, f"{module}.{name} is in no page of reference"


@pytest.fixture
def with_formulas(documents):
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed: aucbench[docs]")
    return documents("page_formulas").with_formulas


@pytest.mark.parametrize("page", METHODS)
def test_the_formulas_of_a_page_are_mathml(with_formulas, page):
    made = with_formulas(text_of(f"methods/{page}"))
    assert made.count("<math ") >= 5
    assert "```math" not in made
    assert not re.search(r"\\[a-z]+", re.sub(r"`[^`]*`", "", made))


def test_a_command_that_is_no_mathml_is_refused(with_formulas):
    with pytest.raises(ValueError, match="nosuch"):
        with_formulas(r"the text $\nosuch x$")
    assert with_formulas("`$HOME` costs 3 $\n") == "`$HOME` costs 3 $\n"
