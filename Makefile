# The tasks; CONTRIBUTING.md says when to use which.
# Everything is made inside this folder: PYTHON chooses the interpreter of .venv.

PYTHON ?= python3
PYTHONS ?= $(PYTHON)
VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip
# pip would compile what it installs on one core, with all tests of these libraries.
# Some of these are of another Python, such as files of torch/testing, and compile nowhere here.
INSTALL := $(PIP) install --quiet --no-compile
COMPILE := $(BIN)/python -m compileall -qq --workers 0 -x '/(tests?|testing)/' $(VENV)/lib
KERNELS := $(wildcard cython/*.pyx cython/*.pxd cython/*.h)
# Files run side by side in the order of their folders: by their numbers of tests, those of few
# and long ones would come last, on one core. Tests of moments and processes need the machine to
# themselves: their limits of time are of seconds.
BESIDE := -n logical --dist loadfile --no-loadscope-reorder
ALONE := $(addprefix tests/,engines harness supervise)
# What computes in the process of the test; under the sanitiser the limits of memory that the
# others test do not hold, and processes of their own only take longer to start.
COMPUTING := $(addprefix tests/,data pairs scale objectives projectors features optim aum metrics solving \
  registry models worker testing plugins datasets/test_tables.py kernels equivalence golden \
  conformance)
# Where else a version of a library decides what comes out: files, statistics, plans, documents.
LEARNT := $(addprefix tests/,datasets store stats bench judging papers platforms)
# What asks optional packages, which the environment of the tests does not have.
OPTIONAL := $(addprefix tests/,losses plugins equivalence conformance models registry data)
# What the metadata promise; pyproject.toml has the lowest one for ruff too.
VERSIONS := 3.11 3.12 3.13 3.14
# Each change leaves some tests and examples of hypothesis to the night, which leaves out none.
# A test that hangs fails after these seconds, with the stacks of its threads.
CHANGE := -m 'not nightly' --timeout=600
# A test without a mark that works longer than these seconds fails; the slowest are shown.
SHORT := --longest=2 --durations=30
NIGHT := --hypothesis-profile=nightly --timeout=7200
DEMO_DATA := breast-cancer,digits-8

# asv keeps a description of the machine in the home folder; give it one in here, and
# leave pip and git the configuration and the cache that they have.
ASV := XDG_CONFIG_HOME="$${XDG_CONFIG_HOME:-$$HOME/.config}" \
  XDG_CACHE_HOME="$${XDG_CACHE_HOME:-$$HOME/.cache}" \
  GIT_CONFIG_GLOBAL="$${GIT_CONFIG_GLOBAL:-$$HOME/.gitconfig}" \
  HOME="$(CURDIR)/.asv" $(BIN)/asv
# Each benchmark once, in forks of one process: seconds instead of a minute. Only the peaks
# of memory differ, since what one benchmark imports is there for all of them.
QUICK := run --quick --python=same --dry-run --show-stderr --launch-method forkserver
BASE ?= HEAD~1
BENCH ?= .
N ?= 14

.DEFAULT_GOAL := help
.PHONY: help demo test nightly test-nightly check check-code check-benchmarks run-benchmarks build \
  oldest extras check-systems debug debug-nightly portable portable-nightly wheel wheel-nightly sdist wheels \
  release bench bench-compare bench-history docs pictures

PICTURED = tests/report/test_browser.py tests/models/test_explain.py tests/pages/test_notebook.py

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/built ## install, then compare the default solvers on two embedded data sets
	$(BIN)/aucbench compare --data $(DEMO_DATA)

test: $(VENV)/test ## run the tests of a change
	$(BIN)/pytest $(CHANGE) $(SHORT) $(BESIDE) $(addprefix --ignore=,$(ALONE))
	$(BIN)/pytest $(CHANGE) $(SHORT) $(ALONE)

nightly: test-nightly debug-nightly portable-nightly run-benchmarks wheel-nightly oldest extras check-systems ## run what takes too long for each change

test-nightly: $(VENV)/test
	$(BIN)/pytest $(NIGHT) $(BESIDE) $(addprefix --ignore=,$(ALONE))
	$(BIN)/pytest $(NIGHT) $(ALONE)

check: check-code check-benchmarks ## linters, types, import layers, changelog, benchmarks load

check-code: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/towncrier build --draft --version next > /dev/null
	$(BIN)/zizmor --offline --quiet .github

# Each has a cache of its own, and takes a minute the first time.
check-systems: $(VENV)/dev ## types as Windows, macOS and each version of Python have them
	for asked in --platform=win32 --platform=darwin $(addprefix --python-version=,$(VERSIONS)); do \
	  echo "mypy $$asked"; \
	  ! $(BIN)/mypy $$asked --cache-dir=.mypy_cache/$$asked aucbench plugins \
	    | grep ': error:' || exit 1; done

check-benchmarks: $(VENV)/dev
	$(ASV) check --python=same

# Nobody reads these times, so threads may wait in peace: in a busy loop they take far longer.
run-benchmarks: $(VENV)/dev .asv/.asv-machine.json
	OMP_WAIT_POLICY=PASSIVE OPENBLAS_NUM_THREADS=1 $(ASV) $(QUICK)

# These libraries use what newer ones below them will not have for long, and an old polars warns
# of forks, which a test makes.
oldest: ## build and test with the lowest versions that the metadata promise
	POLARS_ALLOW_FORKING_THREAD=1 .ci/apart $@ --lowest run build test -- \
	  -W ignore::DeprecationWarning $(CHANGE) $(BESIDE) $(COMPUTING) $(LEARNT)

extras: ## build and test with the optional packages of losses and solvers
	.ci/apart $@ run build test torch baselines sparse -- $(NIGHT) $(BESIDE) $(OPTIONAL)

build: $(VENV)/dev ## compile the kernels again, whatever the time stamps say
	rm $(VENV)/built
	$(MAKE) $(VENV)/dev

debug: $(VENV)/test ## run tests of kernels on a build whose memory accesses are checked
	.ci/debug -m 'debug and not nightly' $(BESIDE) $(COMPUTING)
	.ci/kernels passed debug

portable: $(VENV)/test ## compile the kernels as plain C, and compare the bits
	.ci/portable
	.ci/kernels passed portable

portable-nightly: $(VENV)/test
	.ci/portable optimised

debug-nightly: $(VENV)/test
	.ci/debug $(NIGHT) $(BESIDE) -m 'not plain' $(COMPUTING)

wheel: $(VENV)/dev ## build a wheel from the sdist, and use it in a new environment
	.ci/wheel

wheel-nightly: $(VENV)/dev
	.ci/wheel own-kernel

sdist: $(VENV)/base ## build the sdist into dist/
	.ci/dist dist

# What can be built here of a release; the workflow `wheels` builds for the other systems too.
wheels: $(VENV)/dev ## build the sdist and a wheel for each of PYTHONS into dist/, and use the first
	.ci/dist dist $(PYTHONS)
	PYTHON=$(firstword $(PYTHONS)) .ci/wheel dist

release: $(VENV)/dev ## say whether this checkout can be released; tags nothing
	PYTHONS="$(PYTHONS)" .ci/release ready

bench: $(VENV)/dev .asv/.asv-machine.json ## time this tree once; BENCH=REGEX selects
	$(ASV) $(QUICK) --bench '$(BENCH)'

# The wheel of a commit is compiled once; then a round costs an installation and the samples.
bench-compare: $(VENV)/dev .asv/.asv-machine.json ## is HEAD slower than BASE=REV? BENCH=REGEX selects
	$(ASV) continuous --interleave-rounds --attribute rounds=4 --factor 1.3 --split --show-stderr \
	  --bench '$(BENCH)' $(BASE) HEAD

# asv ends with 2 where a benchmark failed: old commits do not have all that is measured.
bench-history: $(VENV)/dev .asv/.asv-machine.json ## time the last N=14 landed states; publish the pages
	$(BIN)/python -m benchmarks.history commits $(N) > .asv/commits
	OMP_WAIT_POLICY=PASSIVE OPENBLAS_NUM_THREADS=1 $(ASV) run --interleave-rounds --skip-existing \
	  --bench '^bench_history' HASHFILE:.asv/commits || test $$? = 2
	$(ASV) publish
	$(BIN)/python -m benchmarks.history changes .asv/commits

# With --quiet, --strict would count no warning and find nothing.
docs: $(VENV)/docs ## build the pages into site/, warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: $(VENV)/test $(VENV)/docs ## write the pictures of the pages again, by the tests that look at them
	AUCBENCH_SCREENSHOTS=$(CURDIR)/docs/img $(BIN)/pytest -q -n 0 $(PICTURED)

# The stamps: each one says "this is installed"; pip runs again when a source is newer.

$(VENV)/base: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python .ci/needs build | $(INSTALL) --upgrade pip --requirement /dev/stdin
	touch $@

$(VENV)/built: $(VENV)/base setup.py $(KERNELS)
	$(INSTALL) --no-build-isolation --editable .
	$(COMPILE)
	touch $@

$(VENV)/test $(VENV)/docs: $(VENV)/built
	$(BIN)/python .ci/needs $(@F) | $(INSTALL) --requirement /dev/stdin
	$(COMPILE)
	touch $@

$(VENV)/dev: $(VENV)/built
	$(BIN)/python .ci/needs test dev | $(INSTALL) --requirement /dev/stdin
	$(COMPILE)
	touch $(VENV)/test $@

.asv/.asv-machine.json: | $(VENV)/dev
	mkdir -p .asv
	$(ASV) machine --yes > /dev/null
