# `make verify` sets up and runs the main job; `make test` sets up and runs the tests. Nothing else is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
# Without it each of the many processes that the tests start compiles all of this anew.
unexport PYTHONDONTWRITEBYTECODE
# The matrices are small: a second thread waits more than it computes, which a busy machine makes worse.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

.PHONY: text verify test deep fuzz flaky oldest newest soak lint setup example fresh picture clean help bench mutation docs
.DEFAULT_GOAL := help

help:
	@echo "make verify   the quick report on the embedded corpus, into report/"
	@echo "make test     the tests, on $(WORKERS) workers (WORKERS=n)"
	@echo "make deep     the long-running evidence as well"
	@echo "make fuzz     damaged files and odd answers, thousands for each thing that reads one"
	@echo "make flaky    the tests 20 times, in random orders, on 1, 2 and 4 workers (FROM=n TIMES=n TESTS=...)"
	@echo "make oldest   the tests with the oldest versions that pyproject.toml admits; make newest"
	@echo "make example  write the report under docs/ again; make fresh fails when that is stale"
	@echo "make picture  draw docs/report.png from it, which needs a browser"
	@echo "make soak     every law on what is right: 10,000 cases where they are cheap, fewer where dear (hours, resumable)"
	@echo "make bench    the benchmarks, into docs/benchmarks.md (BENCH='--corpus FILE' for a text)"
	@echo "make text     what commands print on a text, into docs/tinystories.md (TEXT=tinystories.txt)"
	@echo "make mutation mutation testing of six of our modules: statistics, model, gradients, bounds (an hour)"
	@echo "make docs     the documentation, into build/site"
	@echo "make lint     ruff and mypy"
	@echo "make clean    remove .venv and what the commands wrote"

# The stamp is newer than what it was made from, so a second run installs nothing.
$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[gpu,dev]"
	@touch $@

setup: $(VENV)/.installed

verify: setup
	$(ONE_THREAD) $(BIN)/leadterms report --out report --profile quick

test: setup
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not deep"

deep: setup
	$(BIN)/python -m pytest -n $(WORKERS)

fuzz: setup
	$(BIN)/python -m pytest -n $(WORKERS) -m deep tests/fuzz

# Run i is on 1, 2 or 4 workers in turn, with an order and cases of its own; what fails is run again by its numbers.
# FROM=8 goes on with run 8, so that the whole can be done in pieces; FROM=8 TIMES=8 is that run alone.
FROM ?= 1
TIMES ?= 20
TESTS ?= tests
flaky: setup
	@test $(FROM) -le $(TIMES) || { echo "FROM is $(FROM); the last run is $(TIMES)"; exit 2; }
	@set -e; for i in $$(seq $(FROM) $(TIMES)); do \
	  set -- 1 2 4; shift $$(( (i - 1) % 3 )); \
	  echo "run $$i of $(TIMES): $$1 workers, --random-order-seed=$$i --hypothesis-seed=$$i"; \
	  $(BIN)/python -m pytest -n $$1 -m "not deep" -p no:cacheprovider \
	    --random-order --random-order-seed=$$i --hypothesis-seed=$$i $(TESTS); \
	done

# torch stays as it is pinned: another build of it takes gigabytes, and its versions are held to by the GPU's.
oldest newest:
	$(PYTHON) -m venv build/$@
	$(PYTHON) .ci/versions.py $@ > build/$@/constraints.txt
	build/$@/bin/python -m pip install --quiet --upgrade -c build/$@/constraints.txt -e ".[gpu,dev]"
	build/$@/bin/python -m pytest -n $(WORKERS) -m "not deep" $(TESTS)

# The report that is kept under docs/, and whether the last `make verify` still says the same.
example: setup
	$(ONE_THREAD) $(BIN)/leadterms report --out docs/report --profile quick

picture:
	$(PYTHON) docs/_site/picture.py

fresh: setup
	$(BIN)/python -m paper_checks.report.compare docs/report/results.jsonl report/results.jsonl

soak: setup
	$(ONE_THREAD) $(BIN)/python -m benchmarks.soak --out docs/soak.md

text: setup
	$(ONE_THREAD) $(BIN)/python -m benchmarks.on_text $(TEXT) --page docs/tinystories.md

bench: setup
	$(BIN)/python -m benchmarks --page docs/benchmarks.md $(BENCH)

mutation: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[mutation]"
	$(ONE_THREAD) $(BIN)/python -m benchmarks.mutation --out docs/mutation.md

# It needs no network, and is read and searched from disk. Not --quiet, which hides warnings from --strict too.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The documentation is in build/site/index.html"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) report build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
